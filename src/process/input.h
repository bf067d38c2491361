/* The program's standard input: the same bytes, from the first on, in every execution.
 *
 * The program's descriptor 0 is a file in memory.  It is filled, once for all executions and
 * workers, when the program first asks for input: a program that does not must not wait for a pipe
 * that nobody closes, nor take what its caller's other commands read.  Each machine has a position
 * of its own. */
#ifndef PROCESS_INPUT_H
#define PROCESS_INPUT_H

#include "finding/job.h"
#include <stdbool.h>

struct str;

#define INPUT_TOO_LARGE "a standard input of more than 1 GiB"

/* Put the file at descriptor 0.  path: where the bytes come from, "": descriptor 0 as it was.
 * kept: the file, -1: there is no input; shared: what workers know about it.  False and *error: it cannot be read. */
bool input_open(struct job_input *shared, const char *path, int kept, struct str *error);

/* The program is about to look at its input: make it known.  False: it is too large (above).  Only
 * system calls: it may be called in a signal handler. */
bool input_want(void);
bool input_wanted(void); /* by anybody so far */

/* Does this system call of the program look at the input? */
bool input_concerns(long number, const long *arguments);
bool input_is_path(const char *path); /* /dev/stdin and the like */

void input_seal(void);  /* called by world_seal */
void input_reset(void); /* to the first byte, on all machines */
void input_switch_machine(int from, int to);

#endif
