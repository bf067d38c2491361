#include "access/unseen.h"
#include "access/ordinary.h"
#include "access/tries.h"
#include "access/vain.h"
#include "access/waiting.h"
#include "process/virtual_clock.h"

void unseen_changes(void) {
  if (!ordinary.on) {
    vain_leave();
    return;
  }
  waiting_leave();
  tries_forget();
}

static uint64_t next(void) {
  unseen_changes();
  return rng_next(&thread_current()->system);
}

void unseen_init(void) {
  clock_random_of_thread = next;
}
