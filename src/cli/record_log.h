/* A file that only grows, by whole records, and is right after a failure at any moment.
 *
 *      part 0000001234 0123456789abcdef\n     kind, bytes, checksum of all three
 *      <bytes>\n
 *
 * A record is written and then made durable before record_log_append returns, so after a failure the
 * file holds every record that was acknowledged, in order, and perhaps the beginning of one more.  The
 * reader takes whole records up to the first that is damaged; whoever goes on writing cuts the file
 * there first.  No memory is allocated: a test checks this file with tidemark itself. */
#ifndef CLI_RECORD_LOG_H
#define CLI_RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_KIND_MAX 15

struct record_log {
  int fd;
  uint64_t end; /* where the next record goes */
};

/* kind: small letters.  False: errno says why; the log is as before. */
bool record_log_append(struct record_log *log, const char *kind, const char *bytes, size_t length);

/* One record out of a file's contents. */
struct record {
  char kind[RECORD_KIND_MAX + 1];
  const char *bytes;
  size_t length;
};

/* The record at *at, which moves behind it.  False: none, or it is not whole. */
bool record_next(const char *contents, size_t length, size_t *at, struct record *r);

#endif
