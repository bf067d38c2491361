#include "process/share.h"
#include "base/check.h"
#include "process/watchdog.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLES_MAX 64

static struct {
  int count;
  struct {
    void *p;
    size_t bytes;
  } variables[VARIABLES_MAX];
  char *box; /* shared: the variables one after the other */
} share;

void share_register(void *variable, size_t bytes) {
  CHECK(share.count < VARIABLES_MAX, "too many shared variables");
  share.variables[share.count].p = variable;
  share.variables[share.count++].bytes = bytes;
}

void share_init(void) {
  size_t total = 0;
  for (int i = 0; i < share.count; i++)
    total += share.variables[i].bytes;
  share.box = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(share.box != MAP_FAILED, "no shared memory"
                                   " (ulimit -v, or vm.overcommit_memory)");
}

void share_publish(void) {
  char *at = share.box;
  for (int i = 0; i < share.count; at += share.variables[i++].bytes)
    memcpy(at, share.variables[i].p, share.variables[i].bytes);
}

void share_collect(void) {
  const char *at = share.box;
  for (int i = 0; i < share.count; at += share.variables[i++].bytes)
    memcpy(share.variables[i].p, at, share.variables[i].bytes);
}

int share_fork(void) {
  share_publish();
  pid_t child = fork();
  REQUIRE(child >= 0,
          "the system starts no more processes (ulimit -u, or memory): raise the limit, or check "
          "without --isolate");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    watchdog_arm();
  }
  return child;
}

int share_wait(int child) {
  int status;
  pid_t ended;
  do
    ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  CHECK(ended == child, "waitpid: errno %d", errno);
  return status;
}
