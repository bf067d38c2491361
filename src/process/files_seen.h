/* What the interposed file functions tell files.c.  Host memory: kernel state does not go back by
 * itself. */
#ifndef PROCESS_FILES_SEEN_H
#define PROCESS_FILES_SEEN_H

#include <stdbool.h>

extern int files_high; /* the highest descriptor the program was seen to get */
extern bool
    files_unseen; /* it may have got others; always, where the kernel does not show its calls */
extern bool files_standard_changed;  /* 0, 1 or 2 may have been closed or replaced */
extern bool files_directory_changed; /* the current directory */
extern bool files_written;           /* one that is real was opened for more than reading */

/* Does the descriptor stand for a file that the runtime keeps in world memory?  NULL: none does. */
extern bool (*files_stands_in)(int fd);

/* A real file was opened with these flags of open(). */
void files_note_flags(int flags);

/* The file that stands for random devices: the same bytes in every execution. */
const char *files_random_path(void);

#endif
