#include "cli/cmd_check.h"
#include "cli/help.h"
#include "cli/session.h"
#include <stdlib.h>

int cmd_check(int argc, char **argv) {
  struct options o = {0};
  struct str error = {0};
  if (!options_set_defaults(&o, USE_CHECK, getenv("TIDEMARK_OPTIONS"), &error) ||
      !options_parse(&o, USE_CHECK, argc, argv, &error)) {
    str_append(&error, " (see 'tidemark help check')");
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  if (o.help)
    return help_show("check");
  struct check_job job = {0};
  enum check_job_error why = check_job_build(&job, &o, o.words, o.word_count, &error);
  if (why == CHECK_JOB_PROGRAM)
    return session_refuse(&job, &o, &error);
  if (why != CHECK_JOB_OK)
    return session_fail((enum exit_status)why, &error);
  struct results results = {0};
  int status = session_run(&job, &o, false, &results);
  results_free(&results);
  check_job_free(&job);
  return status;
}
