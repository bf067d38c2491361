/* The tidemark command: finds the subcommand and hands over. */
#include "cli/tidemark.h"
#include "cli/cmd_check.h"
#include "cli/cmd_merge.h"
#include "cli/cmd_replay.h"
#include "cli/cmd_status.h"
#include "cli/help.h"
#include "cli/session.h"
#include <stdio.h>
#include <string.h>
#if __has_include("cli/cmd_litmus.h")
#include "cli/cmd_litmus.h"
#define HAVE_LITMUS 1
#endif

static int cmd_version(int argc, char **argv) {
  (void)argc;
  (void)argv;
  printf("tidemark %s\n", TIDEMARK_VERSION);
  return fflush(stdout) == 0 ? EXIT_STATUS_CLEAN : EXIT_STATUS_USAGE;
}

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"check", cmd_check},   {"replay", cmd_replay},
    {"merge", cmd_merge},   {"status", cmd_status},
#ifdef HAVE_LITMUS
    {"litmus", cmd_litmus},
#endif
    {"help", cmd_help},     {"--help", cmd_help},
    {"-h", cmd_help},       {"--version", cmd_version},
};

int tidemark_main(int argc, char **argv) {
  struct str error = {0};
  if (argc < 2) {
    str_append(&error, "which command? try 'tidemark check ./program', or 'tidemark help'");
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  str_format(&error, "no such command: %s (try 'tidemark help')", argv[1]);
  return session_fail(EXIT_STATUS_USAGE, &error);
}
