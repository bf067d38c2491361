/* A thousand times and more: run, stop in every way a program can stop, go back; always the same. */
#include "process/watchdog.h"
#include "runtime_container.h"
#include <signal.h>

#define CYCLES 1200 /* more than there are descriptors */

static const char c_program[] = CONTAINER_ABI_C
    "#include <assert.h>\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <time.h>\n#include <fcntl.h>\n#include <unistd.h>\n"
    "static int global = 7; static char big[100000]; static __thread int mine = 3;\n"
    "static int deep(volatile int *p) { volatile int x = *p + 1; return deep(&x) + x; }\n"
    "__attribute__((constructor)) static void begin(void) { global++; }\n"
    "static void at_end(void) { if (global != 9) abort(); }\n"
    "int main(int argc, char **argv) {\n"
    "  if (global++ != 8 || big[5000] || mine++ != 3 || errno) return 40;\n"
    "  if (rand() != 1804289383 || time(NULL) != 1700000000) return 41;\n"
    "  if (open(\"/dev/null\", O_RDONLY) != 3) return 42;\n"
    "  char text[] = \"a b\"; strtok(text, \" \"); memset(big, 1, sizeof big);\n"
    "  char *p = malloc(3000), *q = malloc(100000); memset(p, 1, 3000); q[70000] = 1;\n"
    "  static char *first; if (first && first != p) return 43; first = p;\n"
    "  fopen(\"/proc/self/stat\", \"r\"); errno = 5; atexit(at_end);\n"
    "  switch (atoi(argv[1])) {\n"
    "  case 0: return 3;\n"
    "  case 1: exit(4);\n"
    "  case 2: abort();\n"
    "  case 3: assert(argc == 99);\n"
    "  case 4: *(volatile int *)8 = 1;\n"
    "  case 5: return deep(&global);\n"
    "  case 6: return argc / (argc - 2);\n"
    "  case 7: free(p); free(p);\n"
    "  case 8: free((void *)100);\n"
    "  case 9: fork(); }\n"
    "  return 0; }\n";

static const struct {
  enum stop_kind kind;
  int status;
} expected[] = {
    {STOP_FINISHED, 3},          {STOP_FINISHED, 4},       {STOP_ABORT, 0},
    {STOP_ASSERTION, 0},         {STOP_SEGFAULT, SIGSEGV}, {STOP_SEGFAULT, SIGSEGV},
    {STOP_FATAL_SIGNAL, SIGFPE}, {STOP_ABORT, 0},          {STOP_ABORT, 0},
    {STOP_REFUSED, 0},
};

static const char cxx_program[] = CONTAINER_ABI_CC
    "#include <iostream>\n#include <map>\n#include <regex>\n#include <stdexcept>\n"
    "#include <string>\n"
    "struct noisy { std::string s = \"static\"; ~noisy() { if (s != \"changed\") abort(); } };\n"
    "static noisy object; static std::map<std::string, int> table{{\"a\", 1}};\n"
    "static thread_local std::string local = \"fresh\";\n"
    "static void thrower(int n) { std::string pad(100, 'x'); if (!n) throw std::runtime_error(pad);"
    " thrower(n - 1); }\n"
    "int main(int, char **argv) {\n"
    "  if (object.s != \"static\" || table.size() != 1 || local != \"fresh\") return 40;\n"
    "  object.s = \"changed\"; table[\"b\"] = 2; local = \"a string long enough for the heap\";\n"
    "  try { thrower(5); return 41; } catch (const std::exception &) {}\n"
    "  if (!std::regex_match(\"abc123\", std::regex(\"[a-c]+([0-9]+)\"))) return 42;\n"
    "  std::cout << \"hello\" << std::flush;\n"
    "  if (argv[1][0] == '1') throw 5;\n"
    "  return 6; }\n";

static char program[256];
static char *arguments[2];

static uint64_t digest(const struct stop *s) {
  uint64_t h = (uint64_t)s->kind * 1000 + (uint64_t)s->status + s->address;
  for (const char *p = s->message; *p; p++)
    h = h * 31 + (unsigned char)*p;
  for (int i = 0; i < s->frame_count; i++)
    h = h * 31 + s->frames[i];
  return h;
}

struct wanted {
  enum stop_kind kind;
  int status;
  bool tracking;
  int cycles;
};

static const char *describe(int cycle, const struct stop *s) {
  static char text[1024];
  const char *path = "?";
  uintptr_t offset = 0;
  image_resolve(s->frames[0], &path, &offset);
  snprintf(text, sizeof text, "cycle %d: stop of kind %d, status %d: %s, at %s+%#lx", cycle,
           s->kind, s->status, s->message, path, offset);
  return text;
}

static const char *cycle(void *argument) {
  const struct wanted *wanted = argument;
  EXPECT(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr));
  EXPECT(!container_load(program, arguments));
  if (!wanted->tracking)
    world_forget_tracking();
  uint64_t first = 0;
  for (int i = 0; i < wanted->cycles; i++) {
    struct stop why;
    if (container_run(&why) != wanted->kind || why.status != wanted->status)
      return describe(i, &why);
    if (i == 0)
      first = digest(&why);
    EXPECT(digest(&why) == first);
    world_reset();
  }
  return NULL;
}

static void c_program_cycles(void **state) {
  (void)state;
  strcpy(program, container_build("cycle.c", c_program, ""));
  char number[4];
  arguments[0] = number;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    snprintf(number, sizeof number, "%zu", i);
    struct wanted w = {expected[i].kind, expected[i].status, true, CYCLES};
    container_test(cycle, &w);
  }
  struct wanted untracked = {expected[9].kind, expected[9].status, false, CYCLES};
  container_test(cycle, &untracked);
}

static void cxx_program_cycles(void **state) {
  (void)state;
  strcpy(program, container_build("cycle.cc", cxx_program, ""));
  arguments[0] = "0";
  container_test(cycle, &(struct wanted){STOP_FINISHED, 6, true, CYCLES});
  container_test(cycle, &(struct wanted){STOP_FINISHED, 6, false, CYCLES / 10});
  arguments[0] = "1";
  container_test(cycle, &(struct wanted){STOP_ABORT, 0, true, CYCLES / 10});
}

/* Endless loops, with and without libc in them. */
static const char *hang(void *unused) {
  (void)unused;
  EXPECT(!container_load(program, arguments));
  watchdog_start(0.05, false);
  for (int i = 0; i < 5; i++) {
    struct stop why;
    EXPECT(container_run(&why) == STOP_HANG);
    world_reset();
  }
  return NULL;
}

static const char loop_in_libc[] =
    CONTAINER_ABI_C "#include <stdlib.h>\n#include <stdio.h>\n"
                    "int main(void) { char t[64]; for (;;) sprintf(t, \"%p\", malloc(9)); }\n";

static const char blocked[] =
    CONTAINER_ABI_C "#include <sys/syscall.h>\n"
                    "int main(void) {\n"
                    "  register long r10 __asm__(\"r10\") = 0;\n"
                    "  for (long n;;)\n" /* a signal ends the call */
                    "    __asm__ volatile(\"syscall\" : \"=a\"(n)\n"
                    "      : \"0\"(SYS_ppoll), \"D\"(0), \"S\"(0), \"d\"(0), \"r\"(r10) : \"rcx\", "
                    "\"r11\", \"memory\");\n"
                    "}\n";

static void loops_are_stopped(void **state) {
  (void)state;
  strcpy(program, container_build("loop.c", CONTAINER_ABI_C "int main(void) { for (;;); }\n", ""));
  container_test(hang, NULL);
  strcpy(program, container_build("loop_libc.c", loop_in_libc, ""));
  container_test(hang, NULL);
  strcpy(program, container_build("block.c", blocked, ""));
  container_test(hang, NULL);
}

int main(int argc, char **argv) {
  (void)argc;
  container_begin(argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(c_program_cycles),
      cmocka_unit_test(cxx_program_cycles),
      cmocka_unit_test(loops_are_stopped),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  container_end();
  return failed;
}
