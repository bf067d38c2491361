/* Fibers: control moves between stacks, each with its own errno and its own guard. */
#include "runtime_container.h"
#include <errno.h>

#define MANY 300

static struct fiber *fibers[MANY];
static int visits[MANY];
static const char *wrong;

static void visit_all(void *argument) {
  long id = (long)argument;
  volatile char room[2000];
  memset((char *)room, (int)id, sizeof room);
  errno = (int)id + 1;
  for (;;) {
    visits[id]++;
    if (fiber_current() != fibers[id])
      wrong = "fiber_current is somebody else";
    /* Half of them hand over to a neighbour, half go home. */
    fiber_switch(id % 2 && id + 1 < MANY ? fibers[id + 1] : NULL);
    if (errno != (int)id + 1)
      wrong = "errno of another fiber";
    if (room[0] != (char)id || room[1999] != (char)id)
      wrong = "stack of another fiber";
  }
}

static const char *many(void *unused) {
  (void)unused;
  struct stop why;
  for (int i = 0; i < MANY; i++)
    fibers[i] = world_alloc(sizeof **fibers);
  world_seal();
  for (int round = 0; round < 20; round++) {
    for (long i = 0; i < MANY; i++)
      fiber_create(fibers[i], FIBER_STACK_BYTES, visit_all, (void *)i);
    errno = 77;
    for (int k = 0; k < 5; k++)
      for (int i = 0; i < MANY; i++)
        EXPECT(host_run(fibers[i], &why) == STOP_NONE);
    EXPECT(errno == 77 && !wrong);
    /* Stacks that were given back are used again, newest first. */
    uintptr_t first = fibers[7]->stack_low;
    fiber_destroy(fibers[9]);
    fiber_destroy(fibers[7]);
    fiber_create(fibers[7], FIBER_STACK_BYTES, visit_all, (void *)7l);
    EXPECT(fibers[7]->stack_low == first);
    world_reset();
  }
  EXPECT(visits[0] == 100 && visits[2] > visits[0]);
  return NULL;
}

static void deep(void *depth) {
  volatile char room[512];
  room[0] = 1;
  if ((uintptr_t)depth < 1u << 30) /* never reached */
    deep((char *)depth + room[0]);
  room[1] = 2;
}

static const char *guard(void *unused) {
  (void)unused;
  fault_install();
  struct fiber *f = world_alloc(sizeof *f);
  world_seal();
  for (int i = 0; i < 100; i++) {
    struct stop why;
    fiber_create(f, (size_t)64 << 10 << i % 3, deep, NULL);
    EXPECT(!fiber_guards(f->stack_low) && fiber_guards(f->stack_low - 1));
    EXPECT(host_run(f, &why) == STOP_SEGFAULT && !strcmp(why.message, "stack overflow"));
    EXPECT(why.frame_count == STOP_FRAMES_MAX && fiber_guards(why.address));
    world_reset();
  }
  return NULL;
}

static void inner(void *frames) {
  struct stop s = {.kind = STOP_ASSERTION};
  (void)frames;
  stop_execution(&s);
}

static const char *stop(void *unused) {
  (void)unused;
  struct fiber *f = world_alloc(sizeof *f);
  world_seal();
  for (int i = 0; i < 1000; i++) {
    struct stop why;
    fiber_create(f, FIBER_STACK_BYTES, inner, NULL);
    EXPECT(host_run(f, &why) == STOP_ASSERTION && why.frame_count >= 1);
    EXPECT(why.frames[0] - (uintptr_t)inner < 200);
    world_reset();
  }
  return NULL;
}

static void control_moves(void **state) {
  (void)state;
  container_test(many, NULL);
}

static void overflow_hits_the_guard(void **state) {
  (void)state;
  container_test(guard, NULL);
}

static void stops_come_home(void **state) {
  (void)state;
  container_test(stop, NULL);
}

int main(int argc, char **argv) {
  (void)argc;
  container_begin(argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(control_moves),
      cmocka_unit_test(overflow_hits_the_guard),
      cmocka_unit_test(stops_come_home),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  container_end();
  return failed;
}
