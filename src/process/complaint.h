/* What a program says about a test of its own that failed, as test frameworks write it:
 *
 *      queue_test.cc:14: Failure
 *      Expected equality of these values:
 *
 * The first line that names a line of a source and speaks of a failure, and the lines that belong to it, as one.  Such a
 * program ends with an exit status that says nothing, and its last words are a count. */
#ifndef PROCESS_COMPLAINT_H
#define PROCESS_COMPLAINT_H

#include "process/stop.h"
#include <stdbool.h>
#include <stddef.h>

struct complaint {
  int lines; /* of the text; 0: there is none yet */
  bool whole;
  size_t length;
  char text[STOP_SAID_MAX];
};

/* The program wrote a line. */
void complaint_hear(struct complaint *c, const char *line);

/* Was this text a complaint? */
bool complaint_is_one(const char *text);

/* Is the number at text + at the line of a source (`queue.c:14`, `queue.c(14)`)? */
bool complaint_is_line(const char *text, size_t at);

#endif
