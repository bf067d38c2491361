/* What can be loaded, what cannot and what is said then; libraries of the program's own. */
#include "base/mem.h"
#include "runtime_container.h"
#include <dlfcn.h>

struct refusal {
  const char *path, *says;
};

static const char *refused(void *argument) {
  const struct refusal *r = argument;
  struct str error = {0};
  EXPECT(!image_load(r->path, 0, &error));
  const char *text = str_text(&error);
  if (!strstr(text, r->says) || strchr(text, '\n'))
    return mem_strdup(text);
  return NULL;
}

static void refuse(const char *path, const char *says) {
  container_test(refused, &(struct refusal){path, says});
}

#define MAIN "int main(void) { return 0; }\n"

static void foreign_files_are_refused(void **state) {
  (void)state;
  char path[256];
  refuse("/nonexistent/program", "no such file");
  refuse("/tmp", "not a regular file");
  refuse("/etc/passwd", "not an ELF program");
  refuse("/bin/true", "not built with tidemark-cc");
  refuse("/lib/x86_64-linux-gnu/libc.so.6", "tidemark-cc");
  refuse(container_build("plain.c", MAIN, ""), "not built with tidemark-cc");
  refuse(container_build("nopie.c", CONTAINER_ABI_C MAIN, "-no-pie -fno-pic"),
         "not position-independent");
  refuse(container_build("static.c", CONTAINER_ABI_C MAIN, "-static-pie"), "");
  refuse(container_build("version.c", "const unsigned __tidemark_abi = 99;\n" MAIN, ""),
         "another version");
  refuse(container_build("library.c", CONTAINER_ABI_C "int f(void) { return 0; }", "-shared"),
         "not a program");
  refuse(
      container_build("hidden.c", CONTAINER_ABI_C "#pragma GCC visibility push(hidden)\n" MAIN, ""),
      "main");
  refuse(
      container_build("tls.c", CONTAINER_ABI_C "__thread int x = 1;\n" MAIN, "-fno-emulated-tls"),
      "thread-local");
  refuse(container_build("missing.c",
                         CONTAINER_ABI_C "int gone(void); int main(void) { return gone(); }",
                         "-Wl,--unresolved-symbols=ignore-all"),
         "gone");
  strcpy(path, container_build("whole.c", CONTAINER_ABI_C MAIN, ""));
  for (int keep = 0; keep < 16000; keep += 700) {
    char cut[512], command[1024];
    snprintf(cut, sizeof cut, "%s.cut", path);
    snprintf(command, sizeof command, "head -c %d %s > %s", keep, path, cut);
    assert_int_equal(system(command), 0);
    refuse(cut, "");
  }
}

static char program[256];

static const char *run_program(void *argument) {
  EXPECT(!container_load(program, NULL));
  for (int i = 0; i < 20; i++) {
    struct stop why;
    EXPECT(container_run(&why) == STOP_FINISHED && why.status == *(int *)argument);
    world_reset();
  }
  return NULL;
}

static const char *says(void *argument) {
  const char *text = container_load(program, NULL);
  EXPECT(text && strstr(text, argument));
  return NULL;
}

/* A library found through $ORIGIN: its constructor runs in every execution, before the program's,
 * its variables go back, and it is missed when it is gone. */
static void own_libraries_are_part_of_the_program(void **state) {
  (void)state;
  char flags[512], library[512];
  snprintf(library, sizeof library, "%s/libown.so", container_directory);
  const char *built =
      container_build("libown.c",
                      "static int count; int order(void) { return ++count; }\n"
                      "__attribute__((constructor)) static void begin(void) { count += 10; }\n",
                      "-shared -Wl,-soname,libown.so");
  assert_int_equal(rename(built, library), 0);
  snprintf(flags, sizeof flags, "-L%s -lown -Wl,-rpath,'$ORIGIN'", container_directory);
  strcpy(program,
         container_build("user.c",
                         CONTAINER_ABI_C "int order(void); static int seen;\n"
                                         "__attribute__((constructor)) static void begin(void)"
                                         " { seen = order(); }\n"
                                         "int main(void) { return seen * 10 + order() % 10; }\n",
                         flags));
  container_test(run_program, &(int){112});
  assert_int_equal(unlink(library), 0);
  container_test(says, "libown.so");
}

/* A library of the system takes memory in its constructor, as allocators do: it was loaded before the
 * program, and what the program does to that memory goes back all the same. */
static const char *run_with_library(void *path) {
  EXPECT(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
  return run_program(&(int){1});
}

static void memory_of_constructors_goes_back(void **state) {
  (void)state;
  char library[512];
  strcpy(library, container_build("libsystem.c",
                                  "#include <sys/mman.h>\n"
                                  "static int *count;\n"
                                  "int next(void) { return ++*count; }\n"
                                  "__attribute__((constructor)) static void begin(void) {\n"
                                  "  char *p = mmap(0, 3 << 12, PROT_READ | PROT_WRITE, "
                                  "MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
                                  "  mprotect(p, 1 << 12, PROT_NONE);\n"
                                  "  munmap(p + (2 << 12), 1 << 12);\n"
                                  "  count = (int *)(p + (1 << 12)); }\n",
                                  "-shared"));
  strcpy(program,
         container_build("counter.c",
                         CONTAINER_ABI_C "int next(void); int main(void) { return next(); }\n",
                         "-Wl,--unresolved-symbols=ignore-all"));
  container_test(run_with_library, library);
}

/* Frames of a fault lead to the program's file and line. */
static const char *resolves(void *unused) {
  (void)unused;
  struct stop why;
  const char *path;
  uintptr_t offset;
  EXPECT(!container_load(program, NULL));
  EXPECT(container_run(&why) == STOP_SEGFAULT && why.address == 0x18);
  EXPECT(strstr(why.message, "write to address 0x18 (null pointer)"));
  EXPECT(why.frame_count >= 3 && image_contains(why.frames[0]));
  EXPECT(image_resolve(why.frames[0], &path, &offset) && !strcmp(path, program));
  uintptr_t inner = (uintptr_t)image_symbol(container.image, "inner");
  uintptr_t outer = (uintptr_t)image_symbol(container.image, "outer");
  EXPECT(why.frames[0] - inner < 64 && why.frames[1] - outer < 64);
  return NULL;
}

static const char faulty[] =
    CONTAINER_ABI_C "#define KEEP __attribute__((noinline))\n"
                    "KEEP int inner(volatile int *p) { p[6] = 1; return p[7]; }\n"
                    "KEEP int outer(int *p) { return inner(p) + 1; }\n"
                    "int main(void) { return outer((int *)0) + 2; }\n";

static void faults_have_frames(void **state) {
  (void)state;
  strcpy(program, container_build("fault.c", faulty, ""));
  container_test(resolves, NULL);
}

int main(int argc, char **argv) {
  (void)argc;
  container_begin(argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(foreign_files_are_refused),
      cmocka_unit_test(own_libraries_are_part_of_the_program),
      cmocka_unit_test(memory_of_constructors_goes_back),
      cmocka_unit_test(faults_have_frames),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  container_end();
  return failed;
}
