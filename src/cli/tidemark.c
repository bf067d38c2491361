/* The tidemark command: finds the subcommand and hands over. */
#include "cli/tidemark.h"
#include "base/check.h"
#include "cli/cmd_check.h"
#include "cli/cmd_merge.h"
#include "cli/cmd_replay.h"
#include "cli/cmd_status.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/session.h"
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __has_include("cli/cmd_litmus.h")
#include "cli/cmd_litmus.h"
#define HAVE_LITMUS 1
#endif

static int cmd_version(int argc, char **argv) {
  (void)argc;
  (void)argv;
  struct str error = {0};
  printf("tidemark %s\n", TIDEMARK_VERSION);
  return output_flush(&error) ? EXIT_STATUS_CLEAN : session_fail(EXIT_STATUS_USAGE, &error);
}

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"check", cmd_check},       {"replay", cmd_replay}, {"merge", cmd_merge},
    {"status", cmd_status},
#ifdef HAVE_LITMUS
    {"litmus", cmd_litmus},
#endif
    {"help", cmd_help},         {"--help", cmd_help},   {"-h", cmd_help},
    {"--version", cmd_version}, {"-v", cmd_version},    {"-V", cmd_version},
};

static const char *nearest_command(const char *given) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (options_distance(given, commands[i].name) <= 2)
      return commands[i].name;
  return NULL;
}

/* Whoever started us may have closed some of them: a report or a saved search must not become the standard output.
 * Reading and writing fail as before. */
static void hold_standard_descriptors(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* becomes fd */
}

/* Whoever makes JSON does not ask whether each part of it could be added: it would be left out. */
static void *json_block(size_t bytes) {
  void *p = malloc(bytes);
  if (!p)
    check_exhausted();
  return p;
}

int tidemark_main(int argc, char **argv) {
  struct str error = {0};
  hold_standard_descriptors();
  json_set_alloc_funcs(json_block, free);
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow any more is an error with a message */
  if (argc < 2) {
    str_append(&error, "which command? try 'tidemark check ./program', or 'tidemark help'");
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  str_format(&error, "no such command: %s", argv[1]);
  const char *nearest = nearest_command(argv[1]);
  if (nearest)
    str_format(&error, "; did you mean 'tidemark %s'?", nearest);
  else if (access(argv[1], X_OK) == 0)
    str_format(&error, "; did you mean 'tidemark check %s'?", argv[1]);
  str_append(&error, " (try 'tidemark help')");
  return session_fail(EXIT_STATUS_USAGE, &error);
}
