#include "libc/kept.h"
#include "libc/memory.h"
#include "libc/stream_lock.h"
#include "process/world.h"
#include "thread/entered.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_BYTES 26 /* of asctime */
#define PLACES 64

/* World memory. */
static struct {
  char *rest; /* strtok */
  struct tm time;
  char text[TEXT_BYTES];
  uint32_t environment;   /* how often it was changed, whatever the name */
  uint32_t reads[PLACES]; /* from descriptors, which may share one */
} kept;

void kept_init(void) {
  world_include(&kept, sizeof kept);
}

#define IS_IN(address, member) \
  ((address) - (uintptr_t) & (member) < sizeof(member)) /* unsigned: not below it, either */

const char *kept_advice(uintptr_t address) {
  if (IS_IN(address, kept.rest))
    return "strtok keeps one place in one text for all threads: use strtok_r";
  if (IS_IN(address, kept.time))
    return "localtime, gmtime and ctime use one result for all threads: use localtime_r or "
           "gmtime_r";
  if (IS_IN(address, kept.text))
    return "asctime and ctime use one result for all threads: use strftime, asctime_r or ctime_r";
  if (IS_IN(address, kept.environment))
    return "getenv must not be called while another thread changes the environment: change it "
           "before there are threads, or let both hold the same lock";
  return NULL;
}

INTERPOSE char *strtok(char *text, const char *between) { /* layers: ok, the program's */
  ENTERED();
  return MEMORY_CONCERNS() ? memory_next_word(text, between, &kept.rest)
                           : REAL(strtok_r)(text, between, &kept.rest);
}

/* ---- the time ---- */

static struct tm *keep_time(const struct tm *made) {
  if (!made)
    return NULL;
  memory_give(&kept.time, made, sizeof *made);
  return &kept.time;
}

static char *keep_text(const struct tm *time) {
  char made[TEXT_BYTES];
  if (!REAL(asctime_r)(time, made))
    return NULL;
  memory_give(kept.text, made, strlen(made) + 1);
  return kept.text;
}

INTERPOSE struct tm *localtime(const time_t *time) {
  ENTERED();
  if (!MEMORY_CONCERNS())
    return REAL(localtime)(time);
  time_t when;
  memory_take(&when, time, sizeof when);
  return keep_time(REAL(localtime_r)(&when, &(struct tm){0}));
}

INTERPOSE struct tm *gmtime(const time_t *time) {
  ENTERED();
  if (!MEMORY_CONCERNS())
    return REAL(gmtime)(time);
  time_t when;
  memory_take(&when, time, sizeof when);
  return keep_time(REAL(gmtime_r)(&when, &(struct tm){0}));
}

INTERPOSE char *asctime(const struct tm *time) {
  ENTERED();
  if (!MEMORY_CONCERNS())
    return REAL(asctime)(time);
  struct tm copy;
  memory_take(&copy, time, sizeof copy);
  return keep_text(&copy);
}

INTERPOSE char *ctime(const time_t *time) {
  ENTERED();
  if (!MEMORY_CONCERNS())
    return REAL(ctime)(time);
  struct tm made;
  time_t when;
  memory_take(&when, time, sizeof when);
  return keep_time(REAL(localtime_r)(&when, &made)) ? keep_text(&made) : NULL;
}

/* ---- places in files ---- */

/* The kernel, and libc for its streams, have a lock for it; only that of streams is known to order anything else. */
static void read_at_place(int fd, int order) {
  ordinary_locked((uintptr_t)&kept.reads[(unsigned)fd % PLACES], sizeof *kept.reads, order,
                  OPERATION_CHANGE_RMW + ABI_RMW_ADD, 1, 0, NULL);
}

void kept_reads(int fd) {
  read_at_place(fd, ABI_RELAXED);
}

void kept_reads_stream(FILE *file) {
  stream_lock_take(file);
  read_at_place(file->_fileno, ABI_ACQ_REL);
  stream_lock_give(file);
}

/* ---- the environment ---- */

/* libc lets one thread at a time change it, but who reads it does not wait for that. */
static void change_environment(void) {
  ordinary_locked((uintptr_t)&kept.environment, sizeof kept.environment, ABI_ACQ_REL,
                  OPERATION_CHANGE_RMW + ABI_RMW_ADD, 1, 0, NULL);
}

static void read_environment(void) {
  uint32_t unused;
  memory_take(&unused, &kept.environment, sizeof unused);
}

#define DEFINE_ENVIRONMENT(type, name, step, parameters, ...) \
  INTERPOSE type name parameters { \
    ENTERED(); \
    if (MEMORY_CONCERNS()) \
      step(); \
    return REAL(name)(__VA_ARGS__); \
  }
DEFINE_ENVIRONMENT(char *, getenv, read_environment, (const char *name), name)
DEFINE_ENVIRONMENT(char *, secure_getenv, read_environment, (const char *name), name)
DEFINE_ENVIRONMENT(int, setenv, change_environment,
                   (const char *name, const char *value, int overwrite), name, value, overwrite)
DEFINE_ENVIRONMENT(int, unsetenv, change_environment, (const char *name), name)
DEFINE_ENVIRONMENT(int, putenv, change_environment, (char *text), text)
DEFINE_ENVIRONMENT(int, clearenv, change_environment, (void), )
