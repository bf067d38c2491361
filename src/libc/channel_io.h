/* Reading and writing channels (thread/channel.h): pipes, pairs of sockets, event counters. */
#ifndef LIBC_CHANNEL_IO_H
#define LIBC_CHANNEL_IO_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

enum channel_way { CHANNEL_READ, CHANNEL_WRITE };

/* pre: called by the program for a channel; for reading, after ENTERED().  As readv and writev. */
ssize_t channel_io(int fd, const struct iovec *parts, size_t count, enum channel_way way);

#endif
