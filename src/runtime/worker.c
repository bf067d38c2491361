/* tidemark-worker: runs a program under test as a job says (finding/job.h). */
#include "base/check.h"
#include "runtime/session.h"
#include "runtime/space.h"
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#define USAGE_STATUS 2
#define DESCRIPTORS 4096

static void set_number(int64_t *field, const char *value) {
  *field = strtoll(value, NULL, 10);
}

static void set_flag(bool *field, const char *value) {
  *field = strcmp(value, "0") != 0;
}

static void set_text(const char **field, const char *value) {
  *field = value;
}

static bool set(struct job *job, const char *argument) {
  const char *equals = strchr(argument, '=');
  if (!equals)
    return false;
  size_t n = (size_t)(equals - argument);
#define JOB(type, field, key, default_)                                                            \
  if (strlen(key) == n && strncmp(key, argument, n) == 0) {                                        \
    set_##type(&job->field, equals + 1);                                                           \
    return true;                                                                                   \
  }
  JOB_SETTINGS(JOB)
#undef JOB
  return false;
}

static bool parse(struct job *job, char **argv) {
  *job = (struct job){
#define JOB(type, field, key, default_) .field = default_,
      JOB_SETTINGS(JOB)
#undef JOB
  };
  for (argv++; *argv && strcmp(*argv, "--") != 0; argv++)
    if (!set(job, *argv))
      return false;
  if (!*argv)
    return false;
  job->words = argv + 1;
  return job->argc > 0;
}

/* Addresses must be the same in every run: no address space randomisation.  True: it takes a new
 * start to get there. */
static bool fix_addresses(void) {
  int now = personality(0xffffffff);
  return !(now & ADDR_NO_RANDOMIZE) && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0;
}

/* The program's libraries are loaded late, and those with thread-local data at fixed offsets (most
 * allocators) then share what glibc was told to keep for them when the process started: by default
 * too little for one. */
#define TUNABLES "GLIBC_TUNABLES"
#define STATIC_TLS "glibc.rtld.optional_static_tls=262144"

/* Were we started with room for them?  Then the program does not see how. */
static bool take_static_tls(void) {
  char *now = getenv(TUNABLES), *ours = now ? strstr(now, STATIC_TLS) : NULL;
  if (!ours || strcmp(ours, STATIC_TLS) != 0)
    return false;
  if (ours == now)
    unsetenv(TUNABLES);
  else
    ours[-1] = 0; /* the colon */
  return true;
}

static bool ask_for_static_tls(void) {
  const char *now = getenv(TUNABLES);
  static char text[4096];
  size_t n = now ? strlen(now) : 0;
  if (n + 1 + sizeof STATIC_TLS > sizeof text)
    return false;
  if (n) {
    memcpy(text, now, n);
    text[n++] = ':';
  }
  memcpy(text + n, STATIC_TLS, sizeof STATIC_TLS);
  return setenv(TUNABLES, text, 1) == 0;
}

static void start_as_needed(char **argv) {
  bool again = fix_addresses();
  if (!take_static_tls() || again)
    again |= ask_for_static_tls();
  if (again)
    execv("/proc/self/exe", argv);
}

/* Our own descriptors lie above the program's (files.h): allow as many as we may. */
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  raise_descriptor_limit();
  struct job job;
  if (!parse(&job, argv)) {
    static const char text[] = "tidemark-worker: started by 'tidemark check', not by hand\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    return USAGE_STATUS;
  }
  start_as_needed(argv);
  space_init(job.isolate);
  _exit(session_run(&job));
}
