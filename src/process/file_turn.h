/* Several workers explore one program at the same time, and the real files that it uses are the same for all of them
 * (programs with threads change copies of most: libc/plain_file.h): a test that writes a file and removes it would find
 * that of another worker.  So an execution that looks at files waits
 * for one that changes them, and one that changes them is alone, until it ends.
 *
 * A lock of a file that the workers have in common, which goes with a worker that dies.  Who looked before it begins to
 * change something lets others in between: it finds what they leave, as in the execution after theirs. */
#ifndef PROCESS_FILE_TURN_H
#define PROCESS_FILE_TURN_H

/* fd: of a file in memory that all workers of the search have; -1: there are no others. */
void file_turn_init(int fd);

/* The program is about to open a real file, or to make this system call.  pre: on a fiber. */
void file_turn_open(const char *path, int flags);
void file_turn_call(long number, const long *arguments);

void file_turn_end(void); /* of the execution */

#endif
