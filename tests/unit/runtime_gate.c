/* System calls made where nothing is interposed: inside libc, in inline assembly. */
#include "process/gate.h"
#include "runtime_container.h"

#define ASSEMBLY \
  "static long call(long n, long a, long b) { long r; __asm__ volatile(\"syscall\" : \"=a\"(r) :" \
  " \"a\"(n), \"D\"(a), \"S\"(b), \"d\"(0) : \"rcx\", \"r11\", \"memory\"); return r; }\n"

static const char source[] = CONTAINER_ABI_C ASSEMBLY
    "#include <locale.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/syscall.h>\n"
    "static int count_maps(void) {\n"
    "  int c, n = 0; FILE *f = fopen(\"/proc/self/maps\", \"r\");\n"
    "  while ((c = getc(f)) != EOF) n += c == '\\n';\n"
    "  return n; }\n"
    "int main(int argc, char **argv) {\n"
    "  switch (atoi(argv[1])) {\n"
    "  case 0: return call(SYS_fork, 0, 0) < 0;\n"
    "  case 1: return call(SYS_socket, 2, 1) < 0;\n"
    "  case 2: call(SYS_exit_group, 9, 0);\n"
    "  case 3: return call(SYS_close, 1003, 0) == -9 ? 11 : 12;\n"
    "  case 4: setlocale(LC_ALL, \"C.UTF-8\"); return count_maps() % 256; }\n"
    "  return 0; }\n";

static char program[256];
static char *arguments[2];

struct wanted {
  enum stop_kind kind;
  int status; /* -1: whatever the first execution gave */
};

static void do_nothing(void *unused) {
  (void)unused;
  stop_finished(0);
}

static const char *run(void *argument) {
  struct wanted w = *(struct wanted *)argument;
  struct stop why;
  struct fiber *f = world_alloc(sizeof *f);
  EXPECT(!container_load(program, arguments));
  fiber_create(f, FIBER_STACK_BYTES, do_nothing, NULL);
  EXPECT(host_run(f, &why) == STOP_FINISHED && gate_state == GATE_OPEN);
  world_reset();
  for (int i = 0; i < 300; i++) {
    EXPECT(container_run(&why) == w.kind);
    EXPECT(gate_state == GATE_OPEN);
    if (w.status < 0)
      w.status = why.status;
    EXPECT(why.status == w.status);
    world_reset();
  }
  return NULL;
}

static void calls_are_seen(void **state) {
  (void)state;
  static const struct wanted wanted[] = {
      {STOP_REFUSED, 0},   {STOP_REFUSED, 0},   {STOP_FINISHED, 9},
      {STOP_FINISHED, 11}, {STOP_FINISHED, -1}, /* libc's mappings are gone in the next execution */
  };
  strcpy(program, container_build("gate.c", source, ""));
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    char number[4];
    snprintf(number, sizeof number, "%zu", i);
    arguments[0] = number;
    container_test(run, (void *)&wanted[i]);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  container_begin(argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_seen)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  container_end();
  return failed;
}
