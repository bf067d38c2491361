/* What the supervisor (cli/) and the worker (session/) say to each other.
 *
 * The job goes down as arguments:
 *
 *      tidemark-worker KEY=VALUE ... -- PROGRAM ARGS... [RECOVERY ARGS...]
 *
 * Results come back as text (results_file.h) written to results-fd when the search ends.  While it
 * runs, the status page (status-fd, a shared mapping of sizeof(struct job_status)) says how far it
 * is; a worker that dies leaves there the execution that killed it, and the supervisor starts
 * another one that is told to leave that execution out (skip=TOKEN).
 *
 * With ranges=1, results-fd is a stream socket.  The worker searches the ranges of executions
 * (explore/token.h) that it is told one after the other, and sends the results of each; positions
 * are tokens, or "-" for the beginning or the end:
 *
 *      down   range FROM TO TIMES    search these, which were put off so often; the end of the stream: no more
 *      up     done - LENGTH results  all of the range was searched
 *             part AT LENGTH results up to this position; the worker goes on from there (cut_requested)
 *             stopped AT LENGTH results  the same, and it does not go on (stop_requested)
 *             full AT LENGTH results  the same, because of --memory
 *             later AT LENGTH results  the same, because one failure takes long: others come first
 *             split AT 0             from this position on the range is somebody else's (split_requested)
 *             whole - 0              it cannot be split now
 *             pieces - LENGTH list   positions that divide the search, one a line; the worker stops and
 *                                    forgets what it found (pieces_requested)
 *
 * Searches over all schedules have units instead of ranges (cli/units.h):
 *
 *      down   unit NUMBER AGAIN LEVEL LARGE COVERED ONLY SPENT TEXT SHARED LEARNT (session/units.h,
 *                  explore/dpor_unit.h, explore/sharing.h), "-": nothing
 *      up     done NUMBER LENGTH news results         all of it was explored
 *             divided, stopped, full  likewise        some of it; the news say what is left
 *             partial                                 likewise, but the rest is not known: all of it is left
 *             going NUMBER LENGTH news                it is at what follows one execution, and the rest, or what
 *                                                     follows later ones, can be somebody else's
 *             broken                                  the search has relied on what does not hold
 *             undivided                               one worker must search alone */
#ifndef FINDING_JOB_H
#define FINDING_JOB_H

#include <stdbool.h>
#include <stdint.h>

/* JOB(type, field, key, default): every setting of a worker, once.  Types: number, flag, text. */
#define JOB_SETTINGS(JOB) \
  JOB(number, results_fd, "results-fd", 0) \
  JOB(number, status_fd, "status-fd", 0) \
  JOB(number, status_offset, "status-offset", 0) /* of this worker's; the first has the input */ \
  JOB(number, input_fd, "input-fd", -1)          /* file for the program's standard input */ \
  JOB(text, stdin_path, "stdin", "")             /* where it comes from, "": the worker's own */ \
  JOB(text, client, "client", "")                /* script of the server's client, "": none */ \
  JOB(text, model, "model", "pm")                /* pm, cxl, sc, tso */ \
  JOB(number, failures, "failures", 1) \
  JOB(number, machines, "machines", 1) \
  JOB(number, argc, "argc", 0)                   /* words of the program's command line */ \
  JOB(number, recovery_argc, "recovery-argc", 0) /* words of --recover; 0: same command */ \
  JOB(text, machine_argcs, "machine-argcs", \
      "") /* cxl, "2,3,1": words of each machine's command */ \
  JOB(flag, isolate, "isolate", 0) \
  JOB(flag, no_share, "no-share", 0) \
  JOB(number, turns, "turns", 2000000) /* steps that others could notice (access/access.h) */ \
  JOB(number, plan_whole, "plan-whole", 500000)  /* branches of 200 bytes (explore/dpor.h) */ \
  JOB(number, recall_after, "recall-after", 200) /* ends of a walk (search/recall.h); -1: never */ \
  JOB(number, join_after, "join-after", \
      2000) /* executions by traces (search/trace_join.h); -1: never */ \
  JOB(flag, one_by_one, "one-by-one", 0) /* each run is for one execution, with its token */ \
  JOB(flag, states, "states", 0) /* for tests: take states wherever one can (search/merge.h) */ \
  JOB(flag, count_eager, "count-eager", 0) \
  JOB(flag, first, "first", 0) \
  JOB(flag, keep_going, "keep-going", 0) \
  JOB(flag, eadr, "eadr", 0) \
  JOB(text, no_failures_in, "no-failures-in", "")     /* patterns of functions, "a,b" */ \
  JOB(text, checksums, "checksums", "util_checksum*") /* patterns of functions, or "none" */ \
  JOB(flag, gpf, "gpf", 0) \
  JOB(flag, poison, "poison", 0) \
  JOB(text, coherence, "coherence", "cxl3")             /* cxl3, cxlmc */ \
  JOB(text, fill, "fill", "zero")                       /* zero, garbage */ \
  JOB(text, flush, "flush", "local")                    /* local, global */ \
  JOB(text, pm_path, "pm-path", "/mnt/pmem*:/dev/dax*") /* globs, separated by ':' */ \
  JOB(text, schedule, "schedule", "fixed") \
  JOB(flag, by_states, "by-states", 0) /* pm, all: a second opinion on traces */ \
  JOB(flag, flushes_anyway, "flushes-anyway", \
      0) /* pm, bounded: a second opinion on flushes without effect */ \
  JOB(flag, each_look, "each-look", 0) /* sc, tso: a second opinion on looks that do not happen */ \
  JOB(flag, each_order, "each-order", 0) /* sc, tso: a second opinion on steps that commute */ \
  JOB(number, waypoint_steps, "waypoint-steps", \
      24) /* sc, tso: between two, at least (search/waypoints.h); 0: none */ \
  JOB(flag, no_data_races, "no-data-races", 0) \
  JOB(number, spurious, "spurious", 0) \
  JOB(number, timeouts, "timeouts", 1) \
  JOB(flag, reuse, "reuse", 0) \
  JOB(number, unroll, "unroll", 0) \
  JOB(flag, symmetry, "symmetry", 0) \
  JOB(text, analyses, "analyses", "") /* analysis_kind.h */ \
  JOB(text, races, "races", "prefix") /* prefix, baseline */ \
  JOB(flag, fences, "fences", 0)      /* sc: look for the fewest fences, and nothing else */ \
  JOB(number, seed, "seed", 1) \
  JOB(number, runs, "runs", 100) \
  JOB(number, all_first, "all-first", \
      20000)                      /* bounded schedules: look for so few classes at first */ \
  JOB(text, memory, "memory", "") /* base/size.h; "": no limit */ \
  JOB(number, max_executions, "max-executions", 0) \
  JOB(number, max_steps, "max-steps", 0)       /* 0: as the first execution suggests */ \
  JOB(number, hang_seconds, "hang-seconds", 0) /* CPU seconds without a step; 0: adapts */ \
  JOB(flag, replay, "replay", 0)               /* explore only `token` */ \
  JOB(text, token, "token", "") \
  JOB(flag, stacks, "stacks", 0)     /* with call stacks of what analyses report */ \
  JOB(number, workers, "workers", 1) /* that share the memory */ \
  JOB(flag, ranges, "ranges", 0)     /* search parts as they are asked for */ \
  JOB(number, scatter, "scatter", \
      0) /* tests: give parts away or end them every so often, unasked */ \
  JOB(number, hands_on, "hands-on", \
      0) /* tests: hand units on after their first run, however little follows it (session/units.h) */ \
  JOB(text, skip, "skip", "")        /* tokens that killed a worker, "a:b", "-" = none */ \
  JOB(flag, scribble, "scribble", 0) /* for tests: overwrite memory that is given back */ \
  JOB(number, scout, "scout", 0)     /* for tests: look ahead every so many positions */ \
  JOB(number, repeat, "repeat", 0)   /* pm: only the first execution, so often */ \
  JOB(flag, output, "output", 0)     /* let the program's output through */ \
  JOB(flag, debug, "debug", 0)       /* replay under gdb: stop at failure and finding */

struct job {
#define number int64_t
#define flag bool
#define text const char *
#define JOB(type, field, key, default_) type field;
  JOB_SETTINGS(JOB)
#undef JOB
#undef number
#undef flag
#undef text
  char **words; /* the command lines, one after the other */
};

/* Why a search has ended that may not keep more. */
#define JOB_COUNTLESS 1000000000000000000u /* an estimate that is not larger */

#define JOB_MEMORY_REACHED \
  "--memory was reached: what follows one failure, or the schedules to try, are more"

/* In the environment, for tests: "KEY=VALUE KEY=VALUE ..."; the program does not see it. */
#define JOB_ENVIRONMENT "TIDEMARK_TEST_SETTINGS"

/* In the worker's environment.  The program's libraries are loaded late, and those with thread-local
 * data at fixed offsets (most allocators) then share what glibc was told to keep for them when the
 * process started: by default too little for one. */
#define JOB_TUNABLES "GLIBC_TUNABLES"
#define JOB_STATIC_TLS "glibc.rtld.optional_static_tls=262144"

/* --isolate: a process of the worker died, job_status has the details. */
#define JOB_EXIT_CHILD_DIED 86

/* What is reported about an execution that is left out; the supervisor knows how it ended. */
#define JOB_SKIPPED "this execution killed the checking process"

#define JOB_TOKEN_MAX 65536
#define JOB_TOKEN_UNKNOWN " "   /* on the status page: there was not enough room for it */
#define JOB_ARGUMENT_MAX 131000 /* what the kernel allows for one argument, less a key */

/* What the worker takes at most of its address space, and how much of that it could write to; memory is
 * used as it is touched.  process/layout.h and access/space.h have the parts. */
#define JOB_ADDRESS_BYTES ((uint64_t)6 << 40)
#define JOB_WRITABLE_BYTES ((uint64_t)512 << 30)

/* The program's standard input.  The first worker whose program asks for it copies it to input-fd. */
struct job_input {
  volatile bool wanted;   /* the program asked: the file is complete */
  volatile bool terminal; /* ... and empty, because the input is a terminal */
};

/* Where the program wants a file (process/places.h). */
struct job_place {
  volatile uint64_t address; /* 0: this and the following are free */
  char path[248];
};

#define JOB_PLACES 8
#define JOB_EXIT_PLACES 87 /* there is a new one: start another worker */

struct job_status {
  volatile uint64_t executions, program_runs, findings;
  volatile uint64_t failure_points_begun, failure_points; /* of the first execution */
  volatile uint64_t
      growth_max; /* so much longer it takes at most while the share of them doubles; 0: not known */
  volatile uint64_t put_off;      /* so many of them take long and are left for the end, */
  volatile bool rest_put_off;     /* and everything else is done */
  volatile uint64_t looked_ahead; /* executions with fewer deviations than that were looked at */
  volatile uint64_t schedules, schedules_wanted; /* if they are explored; wanted 0: not known */
  volatile uint64_t schedules_estimate; /* about how many there are at least; 0: not known */
  volatile bool stop_requested;         /* set by the supervisor */
  volatile bool split_requested, cut_requested; /* likewise; the worker sets them back */
  volatile uint32_t pieces_requested;           /* likewise, so many */
  volatile bool running_program;                /* inside a run of the program described by token */
  volatile uint32_t observed; /* by that run, beyond token: how others go on is not known */
  volatile bool
      shared; /* it is for several executions, or on the way to a range: not just for token */
  volatile int child_status; /* --isolate: how the process that ran it ended */
  char refusal[512];         /* what the system does not allow (exit status 3, no results) */
  char token[JOB_TOKEN_MAX]; /* choices up to the start of that run */
  /* These stay when another worker is started, and are those of the first: */
  struct job_input input;
  struct job_place places[JOB_PLACES];
  volatile uint64_t watches_all; /* stores to ordinary memory have to be seen (places_watch_all) */
};

#endif
