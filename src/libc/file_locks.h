/* Locks of files (thread/file_lock.h) between the calls about descriptors. */
#ifndef LIBC_FILE_LOCKS_H
#define LIBC_FILE_LOCKS_H

#include "thread/file_lock.h"
#include <fcntl.h>

bool file_locks_name(int fd, struct file_name *out); /* of the file there; false: none is open */

/* fcntl; pre: file_locks_concern(command), on a fiber, ENTERED(). */
bool file_locks_concern(int command);
int file_locks_control(int fd, int command, struct flock *l);

#endif
