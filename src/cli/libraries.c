#include "cli/libraries.h"
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINKER_MAX 4096

/* The dynamic linker that it asks for; false: none. */
static bool read_linker(int fd, char *linker) {
  Elf64_Ehdr head;
  Elf64_Phdr segment;
  if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head ||
      memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof segment)
    return false;
  for (int i = 0; i < head.e_phnum; i++) {
    off_t at = (off_t)(head.e_phoff + (Elf64_Off)i * sizeof segment);
    if (pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment)
      return false;
    if (segment.p_type != PT_INTERP || segment.p_filesz < 2 || segment.p_filesz >= LINKER_MAX)
      continue;
    ssize_t n = pread(fd, linker, segment.p_filesz, (off_t)segment.p_offset);
    return n == (ssize_t)segment.p_filesz && linker[n - 1] == 0;
  }
  return false;
}

/* What the linker says about it, or nothing. */
static void ask_linker(char *linker, const char *program, struct str *out) {
  char list[] = "--list", *path = mem_strdup(program), *words[] = {linker, list, path, NULL};
  posix_spawn_file_actions_t actions;
  char block[4096];
  int ends[2];
  pid_t pid;
  if (pipe2(ends, O_CLOEXEC) == 0) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawn(&pid, linker, &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t n; started && (n = read(ends[0], block, sizeof block)) > 0;)
      str_append_bytes(out, block, (size_t)n);
    close(ends[0]);
    if (started)
      waitpid(pid, NULL, 0);
  }
  mem_free(path, strlen(path) + 1);
}

/* A line is "NAME => PATH (0xADDRESS)", or "PATH (0xADDRESS)" of one that is named by its path; the kernel's page has
 * none, and what is not found no address. */
static void take_paths(char *lines, word_list *paths) {
  static const char arrow[] = " => ";
  char *rest = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *named = strstr(line, arrow),
         *path = named ? named + strlen(arrow) : line + (*line == '\t');
    char *end = strstr(path, " (0x");
    if (!end || !strchr(path, '/'))
      continue;
    *end = 0;
    words_push(paths, path);
  }
}

void libraries_of(const char *program, word_list *paths) {
  char linker[LINKER_MAX];
  struct str lines = {0};
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (read_linker(fd, linker))
    ask_linker(linker, program, &lines);
  close(fd);
  if (lines.length)
    take_paths(lines.data, paths);
  str_free(&lines);
}
