/* tidemark-worker: runs a program under test as a job says (finding/job.h). */
#include "access/space.h"
#include "base/check.h"
#include "base/mem.h"
#include "finding/job.h"
#include "process/files.h"
#include "process/layout.h"
#include "process/places.h"
#include "session/session.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#define USAGE_STATUS 2
#define DESCRIPTORS 4096

_Static_assert(SPACE_OWN_OFFSET + SPACE_OWN_BYTES + SPACE_REGION_BYTES + SPACE_REGION_BYTES / 8 +
                       LAYOUT_STACK_CLASSES * LAYOUT_STACK_CLASS_BYTES + LAYOUT_HEAP_BYTES +
                       LAYOUT_HEAP_ALONE_BYTES + LAYOUT_STATE_BYTES + LAYOUT_LOADER_BYTES <=
                   JOB_ADDRESS_BYTES,
               "the supervisor promises enough addresses");

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
#define JOB(type, field, key, default_) \
  if (strlen(key) == n && strncmp(key, argument, n) == 0) { \
    set_##type(&job->field, equals + 1); \
    return true; \
  }
  JOB_SETTINGS(JOB)
#undef JOB
  return false;
}

/* Settings that no option of the command has, for tests. */
static bool set_from_environment(struct job *job) {
  const char *rest = getenv(JOB_ENVIRONMENT);
  bool good = true;
  while (rest && *rest && good) {
    size_t n = strcspn(rest, " ");
    char *word = mem_alloc(n + 1);
    memcpy(word, rest, n);
    good = set(job, word);
    rest += n + (rest[n] == ' ');
  }
  return good;
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
  if (!*argv || !set_from_environment(job))
    return false;
  job->words = argv + 1;
  return job->argc > 0;
}

/* Addresses must be the same in every run: no address space randomisation.  The supervisor has
 * asked for that already, unless it may not or somebody else starts us (gdb). */
static void fix_addresses(char **argv) {
  int now = personality(0xffffffff);
  if (now & ADDR_NO_RANDOMIZE || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
    return;
  execv("/proc/self/exe", argv);
}

/* The program does not see what the supervisor asked of glibc for us (job.h). */
static void hide_tunable(void) {
  char *now = getenv(JOB_TUNABLES), *ours = now ? strstr(now, JOB_STATIC_TLS) : NULL;
  if (!ours || strcmp(ours, JOB_STATIC_TLS) != 0)
    return;
  if (ours == now)
    unsetenv(JOB_TUNABLES);
  else
    ours[-1] = 0; /* the colon */
}

/* Our own descriptors lie above the program's (files.h): allow as many as we may. */
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  files_divide(limit.rlim_cur);
}

/* Whoever started us may have closed some: a file of ours must not take their place. */
static void open_standard(void) {
  int fd;
  do
    fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close(fd);
}

static void place_window(const struct job *job) {
  struct job_place places[JOB_PLACES] = {0};
  off_t at = offsetof(struct job_status, places);
  uintptr_t wanted = 0;
  if (pread((int)job->status_fd, places, sizeof places, at) == sizeof places)
    wanted = places_window(places);
  if (wanted)
    window_move(wanted);
}

int main(int argc, char **argv) {
  (void)argc;
  open_standard();
  signal(SIGCHLD, SIG_DFL);
  raise_descriptor_limit();
  struct job job;
  if (!parse(&job, argv)) {
    static const char text[] = "tidemark-worker: started by 'tidemark check', not by hand\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    return USAGE_STATUS;
  }
  fix_addresses(argv);
  hide_tunable();
  unsetenv(JOB_ENVIRONMENT);
  place_window(&job);
  space_init(job.isolate);
  _exit(session_run(&job));
}
