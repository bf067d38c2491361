/* tidemark-lift SOURCE [compiler flags]: the intermediate form of a C or C++ program on standard output.
 *
 * A program of its own, so that `tidemark` need not load LLVM.  Exit status 0, or 2 after the
 * compiler has said what is wrong with the source. */
#include "lift/lift_internal.h"
#include <errno.h>
#include <llvm-c/BitReader.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_SOURCE = 2 };

static bool is_cxx(const char *file) {
  static const char *const ends[] = {".cpp", ".cc", ".cxx"};
  size_t n = strlen(file);
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
    if (n > strlen(ends[i]) && !strcmp(file + n - strlen(ends[i]), ends[i]))
      return true;
  return false;
}

/* clang's standard output; its messages go where ours go.  The words are a file and flags. */
static int compile(int count, char **words, struct str *bitcode) {
  VEC(const char *) command = {0};
  static const char *const fixed[] = {
      "clang-19", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names",
#ifdef __x86_64__
      "-mcx16", /* atomics of 16 bytes are instructions */
#endif
  };
  for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
    vec_push(&command, fixed[i]);
  static const char *const cxx[] = {"-x", "c++"};
  for (unsigned i = 0; is_cxx(words[0]) && i < sizeof cxx / sizeof *cxx; i++)
    vec_push(&command, cxx[i]);
  static const char *const c[] = {"-x", "c"};
  for (unsigned i = 0; !is_cxx(words[0]) && i < sizeof c / sizeof *c; i++)
    vec_push(&command, c[i]);
  for (int i = 1; i < count; i++)
    vec_push(&command, words[i]);
  static const char *const last[] = {"-c", "-emit-llvm", "-o", "-"};
  for (unsigned i = 0; i < sizeof last / sizeof *last; i++)
    vec_push(&command, last[i]);
  vec_push(&command, words[0]);
  vec_push(&command, NULL);
  int ends[2];
  pid_t child;
  if (pipe(ends)) {
    fprintf(stderr, "tidemark-lift: pipe: %s\n", strerror(errno));
    return EXIT_SOURCE;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  int error = posix_spawnp(&child, command.data[0], &actions, NULL, (char **)command.data, environ);
  close(ends[1]);
  if (error) {
    fprintf(stderr, "tidemark-lift: clang-19: %s (Debian package clang-19)\n", strerror(error));
    return EXIT_SOURCE;
  }
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0)
      str_append_bytes(bitcode, buffer, (size_t)n);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EXIT_SOURCE;
}

static int read_module(int count, char **words, LLVMModuleRef *m) {
  struct str bitcode = {0};
  int status = compile(count, words, &bitcode);
  if (status)
    return status;
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.data, bitcode.length, words[0]);
  str_free(&bitcode);
  if (!LLVMParseBitcode2(buffer, m))
    return 0;
  fprintf(stderr, "tidemark-lift: the compiler wrote no bitcode (is there a flag that changes its "
                  "output?)\n");
  return EXIT_SOURCE;
}

/* Functions that are not there are refused later, where they are called. */
static int add_library(LLVMModuleRef m, int count, char **words) {
  LLVMModuleRef library;
  char *path = lift_library_is_needed(m) ? lift_library_path(count, words) : NULL;
  if (!path)
    return 0;
  char *only[] = {path};
  int status = read_module(1, only, &library);
  if (!status && !lift_library_link(m, library)) {
    fprintf(stderr, "tidemark-lift: %s does not fit the program\n", path);
    status = EXIT_SOURCE;
  }
  return status;
}

int main(int argc, char **argv) {
  struct lift l = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: tidemark-lift SOURCE.c [compiler flags]\n");
    return EXIT_SOURCE;
  }
  int status = read_module(argc - 1, argv + 1, &l.module);
  if (!status)
    status = add_library(l.module, argc, argv);
  if (status)
    return status;
  lift_file(&l, argv[1]);
  lift_prepare(l.module);
  lift_module(&l);
  printf("tidemark-cir %d\n", CIR_VERSION);
  for (size_t i = 0; i < l.files.length; i++)
    printf("file %zu %s\n", i, l.files.data[i]);
  fwrite(str_text(&l.out), 1, l.out.length, stdout);
  if (fflush(stdout)) {
    fprintf(stderr, "tidemark-lift: cannot write: %s\n", strerror(errno));
    return EXIT_SOURCE;
  }
  return 0;
}
