#include "cli/cc_run.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* State of the process, because a signal handler has to find it. */
static char folder[256];
static VEC(char *) files;
static volatile pid_t child;

void cc_temporary_remove_all(void) {
  for (size_t i = 0; i < files.length; i++)
    unlink(files.data[i]);
  if (folder[0])
    rmdir(folder);
  folder[0] = 0;
}

static void on_signal(int number) {
  if (child > 0) {
    kill(child, SIGTERM);
    waitpid(child, NULL, 0); /* it has files of its own in the folder */
  }
  cc_temporary_remove_all();
  signal(number, SIG_DFL);
  raise(number);
}

static bool create_folder(void) {
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/tidemark-cc-XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp(folder)) {
    fprintf(stderr, "tidemark-cc: cannot create a temporary folder %s: %s\n", folder,
            strerror(errno));
    folder[0] = 0;
    return false;
  }
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signal(signals[i], on_signal) == SIG_IGN)
      signal(signals[i], SIG_IGN);
  return true;
}

const char *cc_temporary(const char *suffix) {
  if (!folder[0] && !create_folder())
    return NULL;
  struct str name = {0};
  str_format(&name, "%s/%zu%s", folder, files.length, suffix);
  vec_push(&files, (char *)str_text(&name));
  return vec_last(&files);
}

/* The words as exec wants them; the caller frees the list. */
static struct arg_list terminated(const struct arg_list *command) {
  struct arg_list words = {0};
  for (size_t i = 0; i < command->length; i++)
    arg_push(&words, command->data[i]);
  arg_push(&words, NULL);
  return words;
}

static int start(const struct arg_list *command, posix_spawn_file_actions_t *actions) {
  struct arg_list words = terminated(command);
  pid_t pid;
  fflush(NULL);
  signal(SIGCHLD, SIG_DFL); /* who ignores it learns nothing about children */
  int error = posix_spawnp(&pid, words.data[0], actions, NULL, (char **)words.data, environ);
  if (error)
    fprintf(stderr, "tidemark-cc: cannot run %s: %s\n", words.data[0], strerror(error));
  else
    child = pid;
  vec_free(&words);
  return error != 0;
}

static int finish(void) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  child = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

int cc_run(const struct arg_list *command) {
  return start(command, NULL) ? 1 : finish();
}

int cc_run_capture(const struct arg_list *command, struct str *errors) {
  int ends[2];
  if (pipe(ends)) {
    fprintf(stderr, "tidemark-cc: pipe: %s\n", strerror(errno));
    return 1;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  int status = start(command, &actions);
  close(ends[1]);
  if (status == 0) {
    char buffer[4096];
    ssize_t n;
    while ((n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
      if (n > 0)
        str_append_bytes(errors, buffer, (size_t)n);
    status = finish();
  }
  close(ends[0]);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

int cc_run_instead(const struct arg_list *command) {
  struct arg_list words = terminated(command);
  execvp(words.data[0], (char **)words.data);
  fprintf(stderr, "tidemark-cc: cannot run %s: %s\n", words.data[0], strerror(errno));
  vec_free(&words);
  return 1;
}

bool cc_read_file(const char *path, struct str *out) {
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  char buffer[4096];
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
    str_append_bytes(out, buffer, n);
  int why = ferror(file) ? errno : 0; /* a directory can be opened, but not read */
  fclose(file);
  str_append(out, "");
  errno = why;
  return !why;
}
