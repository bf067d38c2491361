/* Locks of files: flock, and those of ranges (fcntl, lockf).
 *
 * The kernel's would be of no use: machines are one process to it, it waits where nobody else can go on, and a
 * checkpoint does not put its locks back.  So they are kept here, for whatever the program has opened; other processes
 * hold none.  World memory. */
#ifndef THREAD_FILE_LOCK_H
#define THREAD_FILE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct file_name {
  uint64_t device, number;
};

/* Who holds it: an open description, by flock; a machine, which is a process; a description. */
enum file_lock_kind { FILE_LOCK_WHOLE, FILE_LOCK_PROCESS, FILE_LOCK_DESCRIPTION };

struct file_lock {
  struct file_name file;
  enum file_lock_kind kind;
  int type;             /* F_RDLCK, F_WRLCK; wanted: also F_UNLCK */
  uint64_t first, last; /* bytes of the file */
  int machine;          /* this and what follows is filled in here */
  const struct file_description *description;
  struct file_lock *next;
};

/* Through that descriptor; 0 or an error number.  pre: on a fiber, ENTERED(). */
int file_lock_set(int fd, struct file_lock wanted, bool waits);
/* What is in the way; false: nothing is.  pre: the same. */
bool file_lock_look(int fd, struct file_lock *wanted);

/* Descriptors are about to be closed (name: of what an open descriptor is, false: it has none), or one was
 * duplicated. */
void file_lock_close(int first, int last, bool (*name)(int fd, struct file_name *out));
void file_lock_dup(int from, int to);

#endif
