/* Descriptors of the program against descriptors of the worker.
 *
 * The program's are below FILES_HOST_MIN and are closed when the world goes back; the worker moves
 * its own above.  0, 1 and 2 are what they were at files_seal again after each reset, and the
 * standard input is at its first byte (input.h). */
#ifndef PROCESS_FILES_H
#define PROCESS_FILES_H

#include <stdbool.h>

#define FILES_HOST_MIN files_host_min
extern int files_host_min;

/* So many descriptors may be open: some for the program, the others are ours.  Before all else. */
void files_divide(unsigned long limit);

struct files_snapshot;
struct str;

/* Move a descriptor of ours out of the program's range (close-on-exec); passes -1 through. */
int files_to_host(int fd);

void files_seal(void);  /* called by world_seal; closes what is left in the program's range */
void files_reset(void); /* called by world_reset */

/* Has the execution left nothing outside of the process, nor asked for input, so far?  Output does not count. */
bool files_untouched(void);

/* Open files of the program for a checkpoint; NULL if there are none. */
struct files_snapshot *files_save(void);
/* What tells one execution's open files from another's; false: there is more to them than that, or the
 * execution has left something outside, or asked for input. */
bool files_put(const struct files_snapshot *s, struct str *out);
void files_restore(const struct files_snapshot *s);
void files_drop(struct files_snapshot *s); /* NULL: nothing */

#endif
