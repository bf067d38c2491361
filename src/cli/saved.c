#include "cli/saved.h"
#include "cli/supervisor.h"
#include "cli/units.h"
#include "finding/results_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOWHERE "-"
#define LOCK_MOMENTS 100
#define NO_SEARCH "%s: there is no such file; tidemark check --save=DIR makes one"

static double seconds_since(const struct timespec *t) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) / 1e9;
}

/* ---- reading ---- */

static void log_path(const char *directory, struct str *path) {
  str_format(path, "%s/search", directory);
}

static bool read_all(const char *path, struct str *out, struct str *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  static char block[1 << 16];
  ssize_t n = -1;
  while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
    str_append_bytes(out, block, (size_t)n);
  if (n < 0 && errno == ENOENT)
    str_format(error, NO_SEARCH, path);
  else if (n < 0)
    str_format(error, "%s: %s", path, strerror(errno));
  if (fd >= 0)
    close(fd);
  return n == 0;
}

static void take_job(struct saved_search *s, const struct record *r) {
  for (size_t at = 0; at < r->length; at += strnlen(r->bytes + at, r->length - at) + 1)
    if (memchr(r->bytes + at, 0, r->length - at))
      words_push(&s->job, r->bytes + at);
}

static bool shard_of(const struct saved_search *s, int *which, int *count) {
  size_t i = 0;
  const char *shard = saved_word(&s->job, "shard", &i), *slash = shard ? strchr(shard, '/') : NULL;
  *which = slash ? (int)strtol(shard, NULL, 10) : 0;
  *count = slash ? (int)strtol(slash + 1, NULL, 10) : 0;
  return slash != NULL;
}

/* "FROM TO SECONDS POINTS\n" and results.  A part that is there already says nothing new. */
static void take_part(struct saved_search *s, const struct record *r, double *last) {
  struct str text = {0}, why = {0};
  struct results results = {0};
  str_append_bytes(&text, r->bytes, r->length);
  char *rest = NULL, *newline = text.length ? strchr(text.data, '\n') : NULL;
  if (newline)
    *newline = 0;
  char *from = newline ? strtok_r(text.data, " ", &rest) : NULL;
  char *to = from ? strtok_r(NULL, " ", &rest) : NULL;
  char *seconds = to ? strtok_r(NULL, " ", &rest) : NULL;
  char *points = seconds ? strtok_r(NULL, " ", &rest) : NULL;
  if (points && results_read(newline + 1, &results, &why)) {
    uint64_t known = strtoull(points, NULL, 10);
    *last = strtod(seconds, NULL);
    s->points = known > s->points ? known : s->points;
    s->executions += results.executions;
    parts_mark(&s->parts, strcmp(from, NOWHERE) == 0 ? "" : from,
               strcmp(to, NOWHERE) == 0 ? NULL : to, &results);
  }
  results_free(&results);
  str_free(&why);
  str_free(&text);
}

static void begin_units(struct saved_search *s) {
  int which = 0, count = 0;
  parts_free(&s->parts);
  units_init(&s->parts);
  if (shard_of(s, &which, &count))
    units_shard(&s->parts, which, count);
}

static void note_unit(struct saved_search *s, uint64_t number, const char *what, const char *body) {
  uint64_t key = units_key(&s->parts, number);
  if (key)
    vec_push(&s->units, ((struct saved_unit){.key = key,
                                             .again = units_again(&s->parts),
                                             .what = mem_strdup(what),
                                             .body = mem_strdup(body)}));
}

/* "NUMBER WHAT SECONDS\n" and what a worker said.  What is about units that are no more says nothing new. */
static void take_unit(struct saved_search *s, const struct record *r, double *last) {
  struct str text = {0}, why = {0};
  struct units_said said;
  if (!s->parts.units)
    begin_units(s);
  str_append_bytes(&text, r->bytes, r->length);
  char *rest = NULL, *newline = strchr(str_text(&text), '\n');
  if (newline)
    *newline = 0;
  char *number = newline ? strtok_r(text.data, " ", &rest) : NULL;
  char *what = number ? strtok_r(NULL, " ", &rest) : NULL;
  char *seconds = what ? strtok_r(NULL, " ", &rest) : NULL;
  if (seconds) {
    uint64_t n = strtoull(number, NULL, 10);
    note_unit(s, n, what, newline + 1);
    enum units_news news = units_take(&s->parts, n, what, newline + 1, &said, &why);
    *last = strtod(seconds, NULL);
    s->executions = news == UNITS_AGAIN ? 0 : s->executions + said.executions;
    results_free(&said.failed);
  }
  str_free(&why);
  str_free(&text);
}

static void take_end(struct saved_search *s, const struct record *r, double *last) {
  struct str text = {0};
  char *reason = NULL;
  str_append_bytes(&text, r->bytes, r->length);
  *last = strtod(str_text(&text), &reason);
  s->ended = true;
  if (s->reason)
    mem_free(s->reason, strlen(s->reason) + 1);
  s->reason = reason && reason[0] == ' ' && reason[1] ? mem_strdup(reason + 1) : NULL;
  str_free(&text);
}

static void take_pieces(struct saved_search *s, const struct record *r) {
  struct str positions = {0};
  int which, count;
  str_append_bytes(&positions, r->bytes, r->length);
  if (shard_of(s, &which, &count) && !s->parts.sharded)
    parts_keep(&s->parts, str_text(&positions), which, count);
  str_free(&positions);
}

static void take_records(struct saved_search *s) {
  struct record r;
  size_t at = 0;
  double last = 0;
  while (record_next(s->contents.data, s->contents.length, &at, &r)) {
    s->records++;
    if (strcmp(r.kind, "search") == 0)
      take_job(s, &r);
    if (strcmp(r.kind, "begin") == 0) {
      s->seconds += last;
      s->runs_of++;
      s->ended = false;
      last = 0;
    }
    if (strcmp(r.kind, "pieces") == 0)
      take_pieces(s, &r);
    if (strcmp(r.kind, "part") == 0)
      take_part(s, &r, &last);
    if (strcmp(r.kind, "unit") == 0)
      take_unit(s, &r, &last);
    if (strcmp(r.kind, "end") == 0)
      take_end(s, &r, &last);
  }
  s->seconds += last;
  s->end = at;
}

bool saved_read(struct saved_search *s, const char *directory, struct str *error) {
  struct str path = {0};
  log_path(directory, &path);
  *s = (struct saved_search){0};
  bool there = read_all(str_text(&path), &s->contents, error);
  str_free(&path);
  if (!there)
    return false;
  parts_init(&s->parts, "", NULL);
  if (s->contents.length)
    take_records(s);
  if (!s->job.length)
    str_format(error, "%s: no search is saved there, or the beginning of the file is damaged",
               directory);
  return s->job.length > 0;
}

void saved_search_free(struct saved_search *s) {
  words_free(&s->job);
  parts_free(&s->parts);
  if (s->reason)
    mem_free(s->reason, strlen(s->reason) + 1);
  str_free(&s->contents);
  for (size_t i = 0; i < s->units.length; i++) {
    mem_free(s->units.data[i].what, strlen(s->units.data[i].what) + 1);
    mem_free(s->units.data[i].body, strlen(s->units.data[i].body) + 1);
  }
  vec_free(&s->units);
}

bool saved_in_use(const char *directory) {
  struct str path = {0};
  log_path(directory, &path);
  int fd = open(str_text(&path), O_RDONLY | O_CLOEXEC);
  bool used = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (fd >= 0)
    close(fd);
  str_free(&path);
  return used;
}

/* ---- writing ---- */

/* Records are written in their order, because units refer to units before them.  What cannot be written now is kept,
 * and tried again with each record: a disk may be full for a while. */
static bool write_waiting(struct saved *s) {
  size_t done = 0;
  while (done < s->waiting.length) {
    struct saved_record *r = &s->waiting.data[done];
    if (!record_log_append(&s->log, r->kind, str_text(&r->text), r->text.length))
      break;
    str_free(&r->text);
    done++;
  }
  for (size_t i = done; i < s->waiting.length; i++)
    s->waiting.data[i - done] = s->waiting.data[i];
  s->waiting.length -= done;
  return s->waiting.length == 0;
}

static void append(struct saved *s, const char *kind, const struct str *text) {
  struct saved_record r = {.kind = kind};
  str_append_bytes(&r.text, str_text(text), text->length);
  vec_push(&s->waiting, r);
  bool written = write_waiting(s);
  if (written && s->failed)
    fprintf(stderr, "tidemark: %s is written again, nothing is lost\n", s->path);
  else if (!written && !s->failed)
    fprintf(stderr,
            "tidemark: warning: %s cannot be written (%s): the search goes on and will try again; "
            "what is not written "
            "when it ends is lost\n",
            s->path, strerror(errno));
  s->failed = !written;
}

static void append_begin(struct saved *s, int jobs) {
  struct str text = {0};
  str_format(&text, "%ld %d", (long)time(NULL), jobs);
  append(s, "begin", &text);
  str_free(&text);
  clock_gettime(CLOCK_MONOTONIC, &s->began);
}

/* A search that was killed may take a moment to be gone. */
static bool lock(int fd) {
  const struct timespec moment = {0, 10000000};
  for (int i = 0; i < LOCK_MOMENTS; i++) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
      return true;
    if (errno != EWOULDBLOCK && errno != EINTR)
      return false;
    nanosleep(&moment, NULL);
  }
  errno = EWOULDBLOCK;
  return false;
}

/* Some file systems of clusters have no locks. */
static bool lock_if_possible(const struct saved *s, const char *directory, struct str *error) {
  if (lock(s->log.fd))
    return true;
  if (errno == EWOULDBLOCK)
    str_format(error,
               "%s: somebody else is searching there now: wait for its end (tidemark status), or "
               "save elsewhere",
               directory);
  else
    fprintf(
        stderr,
        "tidemark: warning: %s cannot be locked (%s): make sure that nobody else searches there\n",
        s->path, strerror(errno));
  return error->length == 0;
}

/* The file, for us alone. */
static bool open_log(struct saved *s, const char *directory, int flags, struct str *error) {
  struct str path = {0};
  log_path(directory, &path);
  s->path = mem_strdup(str_text(&path));
  s->log.fd = open(s->path, O_RDWR | O_CLOEXEC | flags, 0666);
  if (s->log.fd < 0 && errno == EEXIST)
    str_format(error, "%s has a search already: go on with --resume=%s, or remove it", directory,
               directory);
  else if (s->log.fd < 0 && errno == ENOENT)
    str_format(error, NO_SEARCH, s->path);
  else if (s->log.fd < 0)
    str_format(error, "%s cannot be written: %s", s->path, strerror(errno));
  str_free(&path);
  return !error->length && lock_if_possible(s, directory, error);
}

/* A file is there for good when its directory says so. */
static void make_name_durable(const char *directory) {
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  fsync(fd);
  close(fd);
}

/* The first record.  Without it nothing that follows would be of any use. */
static bool begin_log(struct saved *s, const word_list *words, struct str *error) {
  struct str text = {0};
  for (size_t i = 0; i < words->length; i++)
    str_append_bytes(&text, words->data[i], strlen(words->data[i]) + 1);
  bool written = record_log_append(&s->log, "search", str_text(&text), text.length);
  if (!written)
    str_format(error, "%s cannot be written: %s", s->path, strerror(errno));
  str_free(&text);
  return written;
}

bool saved_create(struct saved *s, const char *directory, const struct check_job *job,
                  const char *shard, int jobs, struct str *error) {
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
    str_format(error, "--save=%s: this directory cannot be made: %s", directory, strerror(errno));
    return false;
  }
  if (!open_log(s, directory, O_CREAT | O_EXCL, error))
    return false;
  word_list words = saved_describe(job, shard);
  bool written = begin_log(s, &words, error);
  words_free(&words);
  if (!written) {
    unlink(s->path);
    return false;
  }
  make_name_durable(directory);
  append_begin(s, jobs);
  return true;
}

static bool fits(const struct saved_search *old, const struct check_job *job, const char *shard,
                 const char *directory, struct str *error) {
  word_list now = saved_describe(job, shard);
  struct str what = {0};
  bool differs = saved_differs(&old->job, &now, &what);
  if (differs)
    str_format(error, "--resume=%s: this is another search. %s", directory, str_text(&what));
  str_free(&what);
  words_free(&now);
  return !differs;
}

/* Has nothing been saved because that was cut off right at its beginning?  Bytes that were not written are zero. */
static bool is_cut_off(const struct str *contents) {
  static const char begin[] = "search ";
  for (size_t i = 0; i < contents->length && begin[i]; i++)
    if (contents->data[i] && contents->data[i] != begin[i])
      return false;
  return true;
}

bool saved_resume(struct saved *s, const char *directory, const struct check_job *job,
                  const char *shard, int jobs, struct parts *parts, struct str *error) {
  struct saved_search old = {0};
  if (!open_log(s, directory, 0, error))
    return false;
  bool read = saved_read(&old, directory, error);
  bool none = !read && !old.records && old.parts.list.length && is_cut_off(&old.contents);
  if (none)
    str_clear(error);
  bool good = none || (read && fits(&old, job, shard, directory, error));
  if (good && ftruncate(s->log.fd, (off_t)old.end) != 0) {
    str_format(error, "%s: %s", s->path, strerror(errno));
    good = false;
  }
  if (good) {
    *parts = old.parts;
    old.parts = (struct parts){0};
    s->log.end = old.end;
    if (none) {
      word_list words = saved_describe(job, shard);
      good = begin_log(s, &words, error);
      words_free(&words);
    }
    if (good)
      append_begin(s, jobs);
  }
  saved_search_free(&old);
  return good;
}

void saved_part(void *saved, const char *from, const char *to, const char *results,
                uint64_t points) {
  struct saved *s = saved;
  struct str text = {0};
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%.3f", seconds_since(&s->began));
  str_format(&text, "%s %s %s %lu\n%s", *from ? from : NOWHERE, to ? to : NOWHERE, seconds,
             (unsigned long)points, results);
  append(s, "part", &text);
  str_free(&text);
}

void saved_unit(void *saved, uint64_t number, const char *what, const char *body) {
  struct saved *s = saved;
  struct str text = {0};
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%.3f", seconds_since(&s->began));
  str_format(&text, "%lu %s %s\n%s", (unsigned long)number, what, seconds, body);
  append(s, "unit", &text);
  str_free(&text);
}

void saved_pieces(void *saved, const char *positions) {
  struct str text = {0};
  str_append(&text, positions);
  append(saved, "pieces", &text);
  str_free(&text);
}

bool saved_close(struct saved *s, const char *reason) {
  struct str text = {0};
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%.3f", seconds_since(&s->began));
  str_format(&text, "%s %s", seconds, reason ? reason : "");
  append(s, "end", &text);
  str_free(&text);
  close(s->log.fd);
  bool all = s->waiting.length == 0;
  for (size_t i = 0; i < s->waiting.length; i++)
    str_free(&s->waiting.data[i].text);
  vec_free(&s->waiting);
  return all;
}
