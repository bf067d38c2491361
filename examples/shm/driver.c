/* PROG [ROUNDS], run on several machines: ROUNDS times (1), each gives the next one a block with a
 * child and lets go of it; whoever is the last to hold it frees both.  Meanwhile everybody watches
 * the others and reclaims what failed machines held.  In the end nothing may be left.
 *
 *     root:  [ done | | | | | | | ]  rounds that machine 0 has ended, on a line of its own
 *            ... */
#include "../lock.h"
#include "shm.h"
#include <stdalign.h>
#include <stdlib.h>
#include <tidemark.h>

struct root {
  struct {
    alignas(CACHE_LINE) _Atomic uint64_t done;
  } machine[SHM_MACHINES];
};

/* The names of this machine's cells. */
enum { PARENT, CHILD };

static uint64_t value_of(int machine, uint64_t round) {
  return 1000 * (uint64_t)(machine + 1) + round;
}

/* The contents of a block; the value is not on the line of the block's header. */
struct message {
  uint64_t unused[CACHE_LINE / 8], value;
};

static struct message *message_in(const struct reference *reference) {
  return shm_data(reference);
}

/* A block that holds a value. */
static struct reference *produce(struct shm *shm, int cell, uint64_t value) {
  struct reference *reference = shm_reference(shm, cell);
  if (!shm_allocate(shm, reference, sizeof(struct message)))
    abort();
  struct message *message = message_in(reference);
  message->value = value; /* BUG_DATA_NO_FLUSH: shared before it is durable */
#ifndef BUG_DATA_NO_FLUSH
  persist(message, sizeof *message);
#endif
  return reference;
}

static void give(struct shm *shm, struct shm_monitor *monitor, int machine, uint64_t round) {
  struct reference *parent = produce(shm, PARENT, value_of(tidemark_machine(), round));
  struct reference *child = produce(shm, CHILD, value_of(tidemark_machine(), round));
  shm_copy(shm, child, shm_child(parent));
  shm_release(shm, child);
  while (!shm_share(shm, parent, machine)) {
    shm_monitor(shm, monitor);
    sched_yield();
  }
  shm_release(shm, parent);
}

/* Use and release what `machine` gives in this round; nothing if it fails before. */
static void take(struct shm *shm, struct shm_monitor *monitor, int machine, uint64_t round) {
  struct reference *received;
  while ((received = shm_received(shm, machine)) == NULL) {
    bool failed = tidemark_machine_failed(machine);
    shm_monitor(shm, monitor);
    if (failed && (received = shm_received(shm, machine)) == NULL)
      return;
    sched_yield();
  }
  tidemark_assert(message_in(received)->value == value_of(machine, round));
  tidemark_assert(message_in(shm_child(received))->value == value_of(machine, round));
  shm_release(shm, received);
}

/* Has the machine ended `rounds` rounds, or failed? */
static bool machine_is_done(struct root *root, int machine, uint64_t rounds) {
  return load(&root->machine[machine].done) >= rounds || tidemark_machine_failed(machine);
}

int main(int argc, char **argv) {
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int machines = tidemark_machines(), self = tidemark_machine();
  struct root *root = tidemark_region("root", sizeof *root);
  struct shm *shm = tidemark_region("shm", shm_bytes());
  if (root == NULL || shm == NULL || machines > SHM_MACHINES)
    return 3;

  struct shm_monitor monitor = {0};
  _Atomic uint64_t *done = &root->machine[self].done;
  int next = (self + 1) % machines, previous = (self + machines - 1) % machines;
  for (uint64_t round = 0; round < rounds; round++) {
    give(shm, &monitor, next, round);
    take(shm, &monitor, previous, round);
    store(done, round + 1);
    persist(done, sizeof *done);
  }
  for (int m = 0; m < machines; m++)
    while (m != self && !machine_is_done(root, m, rounds)) {
      shm_monitor(shm, &monitor);
      sched_yield();
    }
  shm_monitor(shm, &monitor);
  shm_verify_empty(shm);
  return 0;
}
