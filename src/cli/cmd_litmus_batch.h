/* Private to `tidemark litmus`: many tests, one after the other or in several processes.
 *
 * Small tests, without a time limit and with one job, are done in this process.  Otherwise workers are
 * forked, each of which does one test at a time and sends back what is to be written; one that takes
 * too long is killed, one that dies costs one test.  Reports are delivered in the order of the
 * tests, each as soon as those before it are there; after SIGINT or SIGTERM those that are there. */
#ifndef CLI_CMD_LITMUS_BATCH_H
#define CLI_CMD_LITMUS_BATCH_H

#include <stdbool.h>
#include <stddef.h>

enum report_part { PART_OUT, PART_ERR, PART_JSON, PART_DOT, PART_SVG, PART_COUNT };

struct litmus_report { /* what one test gives */
  struct {
    char *data; /* malloc, NULL = nothing */
    size_t length;
  } part[PART_COUNT];
  int status;             /* exit status that the test asks for */
  bool model_error;       /* the model could not be read: worth saying once */
  bool compared, differs; /* --compare */
};

void litmus_report_free(struct litmus_report *r);

enum litmus_giving_up { GIVEN_UP_TOO_LONG, GIVEN_UP_EXHAUSTED, GIVEN_UP_DIED };

struct litmus_batch {
  void *context;
  int tests, jobs, timeout_seconds; /* 0 = no limit */
  bool apart;                       /* a test may need more memory than there is */
  void (*work)(void *context, int test, struct litmus_report *r);
  void (*deliver)(void *context, int test, struct litmus_report *r);
  /* Fills a report for a test that was not finished. */
  void (*give_up)(void *context, int test, enum litmus_giving_up reason, const char *why,
                  struct litmus_report *r);
};

/* False if it was interrupted: some tests were not done. */
bool litmus_batch_run(const struct litmus_batch *b);

#endif
