/* The commands that clang would run for a command line, as it says itself (clang -###).
 *
 * A job is one of them: a run of clang's compiler proper (-cc1), of its assembler, or of the
 * linker. */
#ifndef CLI_CC_JOB_H
#define CLI_CC_JOB_H

#include "base/str.h"
#include "cli/cc_args.h"

struct cc_job {
  struct arg_list words; /* words.data[0] is the program */
};

struct cc_plan {
  struct cc_job *data;
  size_t length, capacity;
  struct str remarks;    /* what clang has to say about the command line itself */
  struct str transcript; /* everything, for -v */
};

/* 0; or clang's exit status after its own messages have gone to stderr. */
int cc_plan_make(struct cc_plan *plan, const struct cc_paths *paths, const struct cc_args *args);

/* Translates one source file to an object, assembly or bitcode. */
bool cc_job_compiles(const struct cc_job *job);
/* Makes a precompiled header or a module. */
bool cc_job_precompiles(const struct cc_job *job);
bool cc_job_links(const struct cc_job *job);

/* The value of the option (the next word); NULL if it is not there. */
const char *cc_job_value(const struct cc_job *job, const char *option);

#endif
