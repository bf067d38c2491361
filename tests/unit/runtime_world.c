/* Checkpoints in the middle of an execution: several fibers, heap, libc and files go back and go on
 * from there any number of times. */
#include "process/generation.h"
#include "process/heap.h"
#include "process/machine_state.h"
#include "runtime_container.h"

#define FIBERS 3

/* Called by the program: back to the host, which decides who goes on. */
__attribute__((visibility("default"))) void test_yield(void) {
  fiber_switch(NULL);
}

static const char source[] = CONTAINER_ABI_C
    "#include <errno.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <unistd.h>\n"
    "void test_yield(void);\n"
    "struct node { struct node *next; long value; };\n"
    "static struct node *list; long digest, drawn; static __thread long mine;\n"
    "static void mix(long x) { digest = digest * 1000003 + x; }\n"
    /* A fiber's state is on its stack, in the heap, in libc, in thread-local variables. */
    "void work(long id) {\n"
    "  char room[3000]; memset(room, (int)id, sizeof room); errno = (int)id; mine = id * 100;\n"
    "  char path[] = \"/dev/zero\"; int fd = open(path, O_RDONLY);\n"
    "  for (long i = 0;; i++) {\n"
    "    struct node *n = malloc(sizeof *n + (size_t)(i % 7) * 100); n->value = i * id;\n"
    "    n->next = list; list = n; drawn = drawn * 31 + rand(); mix(drawn);\n"
    "    mix(mine++); mix(errno); mix((long)n); mix(fd);\n"
    "    char c; mix(read(fd, &c, 1)); test_yield();\n"
    "    for (unsigned k = 0; k < sizeof room; k++) if (room[k] != (char)id) abort();\n"
    "    if (errno != id || mine != id * 100 + i + 1) abort();\n"
    "    if (i % 5 == 4) { n = list; list = n->next; free(n); }\n"
    "  } }\n"
    "int main(int argc, char **argv) { work(1); }\n";

static char program[256];
static struct fiber *fibers;
static void (*work)(long);
static long *digest_address;

static void run_work(void *argument) {
  work((long)argument);
}

static const char *set_up(bool tracking) {
  fibers = world_alloc(FIBERS * sizeof *fibers);
  EXPECT(!container_load(program, NULL));
  if (!tracking)
    world_forget_tracking();
  work = (void (*)(long))image_symbol(container.image, "work");
  digest_address = image_symbol(container.image, "digest");
  EXPECT(work && digest_address);
  return NULL;
}

static const char *step(int fiber) {
  struct stop why;
  EXPECT(host_run(&fibers[fiber], &why) == STOP_NONE);
  return NULL;
}

static const char *begin(void) {
  for (long i = 0; i < FIBERS; i++)
    fiber_create(&fibers[i], FIBER_STACK_BYTES, run_work, (void *)(i + 1));
  return NULL;
}

/* Deterministic, different for each salt. */
static const char *steps(int count, int salt) {
  for (int i = 0; i < count; i++)
    if (step((i * 7 + salt + i / 3) % FIBERS))
      return "a fiber stopped";
  return NULL;
}

static const char *checkpoints(void *argument) {
  EXPECT(!set_up(*(bool *)argument));
  long results[5];
  EXPECT(!begin() && !steps(50, 0));
  struct world_snapshot *early = world_save();
  EXPECT(!steps(200, 1));
  struct world_snapshot *late = world_save();
  for (int i = 0; i < 5; i++) {
    EXPECT(!steps(100, i));
    results[i] = *digest_address;
    world_restore(late);
  }
  for (int round = 0; round < 200; round++) {
    int i = round % 5;
    if (round % 3 == 0) {
      world_reset();
      EXPECT(*digest_address == 0 && !begin() && !steps(50, 0) && !steps(200, 1));
    } else if (round % 3 == 1) {
      world_restore(early);
      EXPECT(!steps(200, 1));
    } else {
      world_restore(late);
    }
    EXPECT(!steps(100, i) && *digest_address == results[i]);
  }
  world_drop(early);
  world_drop(late);
  return NULL;
}

/* Two images of one program: globals apart, libc's variables changed over with the machine. */
static struct fiber *mains[2];
static struct image *images[2];
static long drawn[2]; /* what each got from rand */

static void machine_main(void *machine) {
  image_start(images[(long)machine], 1, container.argv, container.envp);
}

static const char *interleave(const int *order, int count, long *digests) {
  struct stop why;
  int current = 0;
  for (long i = 0; i < 2; i++)
    fiber_create(mains[i], FIBER_MAIN_STACK_BYTES, machine_main, (void *)i);
  for (int i = 0; i < count; i++) {
    world_switch_machine(current, order[i]);
    current = order[i];
    EXPECT(host_run(mains[current], &why) == STOP_NONE);
  }
  for (int i = 0; i < 2; i++) {
    digests[i] = *(long *)image_symbol(images[i], "digest");
    drawn[i] = *(long *)image_symbol(images[i], "drawn");
  }
  world_reset();
  return NULL;
}

static const char *machines(void *argument) {
  struct str error = {0};
  fault_install();
  for (int i = 0; i < 2; i++) {
    images[i] = image_load(program, i, &error);
    EXPECT(images[i]);
    mains[i] = world_alloc(sizeof **mains);
  }
  container.argv = image_strings((char *[]){program, NULL});
  container.envp = image_strings((char *[]){NULL});
  heap_set_machines(2);
  world_seal();
  if (!*(bool *)argument)
    world_forget_tracking();
  /* rand() is part of the digest: each machine must see its own sequence from the start. */
  static const int orders[][8] = {{0, 0, 0, 0, 1, 1, 1, 1}, {1, 0, 1, 0, 0, 1, 0, 1}};
  long first[2], digests[2];
  EXPECT(!interleave(orders[0], 8, first));
  for (int i = 0; i < 100; i++) {
    EXPECT(!interleave(orders[i % 2], 8, digests));
    EXPECT(i % 2 || (digests[0] == first[0] && digests[1] == first[1]));
    EXPECT(drawn[0] == drawn[1] && drawn[0] != 0);
  }
  return NULL;
}

/* Addresses are part of the digest: they depend on the generation and on nothing else. */
static const char *generations(void *argument) {
  static const int order[] = {0, 1, 2, 1, 15, 2, 0, 15, 14, 1, 0};
  long digests[LAYOUT_GENERATIONS] = {0};
  void *blocks[LAYOUT_GENERATIONS] = {0};
  void *sealed = heap_alloc(24);
  EXPECT(!set_up(*(bool *)argument));
  for (int round = 0; round < 110; round++) {
    int g = order[round % 11];
    world_reset();
    generation_begin(g);
    EXPECT(*digest_address == 0 && !begin() && !steps(50, 0));
    EXPECT(digests[g] == 0 || digests[g] == *digest_address);
    digests[g] = *digest_address;
    void *block = heap_alloc(24);
    EXPECT(!blocks[g] || blocks[g] == block);
    blocks[g] = block;
    EXPECT(generation_owns(g, (uint64_t)block));
    EXPECT(generation_owns(g, (uint64_t)fibers[0].stack_low));
    EXPECT(heap_contains(sealed) && !generation_before((uintptr_t)sealed));
    EXPECT((uintptr_t)block - (uintptr_t)blocks[0] == (uintptr_t)g * LAYOUT_HEAP_STRIDE);
    for (int other = 0; other < LAYOUT_GENERATIONS; other++)
      if (blocks[other]) {
        EXPECT(heap_contains(blocks[other]) == (other == g));
        EXPECT(!!generation_before((uintptr_t)blocks[other]) == (other < g));
      }
    EXPECT(heap_free(block) == HEAP_OK && heap_alloc(24) == block);
    EXPECT(heap_free(sealed) == HEAP_OK && heap_alloc(24) != sealed);
  }
  EXPECT(digests[0] != digests[1] && digests[1] != digests[2] && digests[1] != digests[15]);
  return NULL;
}

static void volatile_memory_moves_with_its_generation(void **state) {
  (void)state;
  bool tracking = true;
  container_test(generations, &tracking);
  tracking = false;
  container_test(generations, &tracking);
}

static void program_goes_on_from_checkpoints(void **state) {
  (void)state;
  bool tracking = true;
  container_test(checkpoints, &tracking);
  tracking = false;
  container_test(checkpoints, &tracking);
}

static void machines_have_their_own_state(void **state) {
  (void)state;
  bool tracking = true;
  container_test(machines, &tracking);
  tracking = false;
  container_test(machines, &tracking);
}

int main(int argc, char **argv) {
  (void)argc;
  container_begin(argv);
  strcpy(program, container_build("world.c", source, "-Wl,--unresolved-symbols=ignore-all"));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(program_goes_on_from_checkpoints),
      cmocka_unit_test(machines_have_their_own_state),
      cmocka_unit_test(volatile_memory_moves_with_its_generation),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  container_end();
  return failed;
}
