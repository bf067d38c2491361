#include "cli/record_log.h"
#include "base/hash.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define DIGITS 10
#define SUM_DIGITS 16
#define HEAD_MAX (RECORD_KIND_MAX + 1 + DIGITS + 1 + SUM_DIGITS + 1)

static uint64_t checksum(const char *kind, const char *bytes, size_t length) {
  return hash_bytes(hash_bytes(length + 1, kind, strlen(kind)), bytes, length);
}

static size_t put_number(char *to, uint64_t n, size_t digits, unsigned base) {
  for (size_t i = digits; i-- > 0; n /= base)
    to[i] = "0123456789abcdef"[n % base];
  return digits;
}

/* Returns its length. */
static size_t put_head(char *head, const char *kind, const char *bytes, size_t length) {
  size_t n = strlen(kind);
  memcpy(head, kind, n);
  head[n++] = ' ';
  n += put_number(head + n, length, DIGITS, 10);
  head[n++] = ' ';
  n += put_number(head + n, checksum(kind, bytes, length), SUM_DIGITS, 16);
  head[n++] = '\n';
  return n;
}

static bool write_at(int fd, const char *bytes, size_t length, uint64_t at) {
  for (size_t done = 0; done < length;) {
    ssize_t n = pwrite(fd, bytes + done, length - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += (size_t)n;
  }
  return true;
}

bool record_log_append(struct record_log *log, const char *kind, const char *bytes, size_t length) {
  char head[HEAD_MAX];
  if (strlen(kind) > RECORD_KIND_MAX || length >= 10000000000u) {
    errno = EINVAL;
    return false;
  }
  size_t n = put_head(head, kind, bytes, length);
  if (!write_at(log->fd, head, n, log->end) || !write_at(log->fd, bytes, length, log->end + n) ||
      !write_at(log->fd, "\n", 1, log->end + n + length) || fdatasync(log->fd) != 0)
    return false;
  log->end += n + length + 1;
  return true;
}

/* ---- reading ---- */

static bool get_number(const char *from, size_t digits, unsigned base, uint64_t *n) {
  *n = 0;
  for (size_t i = 0; i < digits; i++) {
    const char *digit = memchr("0123456789abcdef", from[i], base);
    if (!digit)
      return false;
    *n = *n * base + (uint64_t)(digit - "0123456789abcdef");
  }
  return true;
}

bool record_next(const char *contents, size_t length, size_t *at, struct record *r) {
  const char *head = contents + *at;
  size_t left = length - *at, n = 0;
  while (n < left && n < RECORD_KIND_MAX && head[n] >= 'a' && head[n] <= 'z')
    n++;
  size_t numbers = n + 1, body = numbers + DIGITS + 1 + SUM_DIGITS + 1;
  uint64_t bytes, sum;
  if (n == 0 || left < body || head[n] != ' ' || head[numbers + DIGITS] != ' ' ||
      head[body - 1] != '\n' || !get_number(head + numbers, DIGITS, 10, &bytes) ||
      !get_number(head + numbers + DIGITS + 1, SUM_DIGITS, 16, &sum) || left - body <= bytes ||
      head[body + bytes] != '\n')
    return false;
  memcpy(r->kind, head, n);
  r->kind[n] = 0;
  r->bytes = head + body;
  r->length = bytes;
  if (checksum(r->kind, r->bytes, r->length) != sum)
    return false;
  *at += body + bytes + 1;
  return true;
}
