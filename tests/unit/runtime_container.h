/* Shared by the tests of the process container (runtime/image, world, fiber, heap, ...).
 *
 * They are linked with src/base and the container's objects, as a position-independent executable
 * with -rdynamic -z now like the worker, because the program under test binds to them.  The world
 * exists once in a process and takes libc with it, so each test forks: the child returns NULL or
 * what went wrong, the parent (where cmocka lives) asserts it. */
#ifndef TESTS_UNIT_RUNTIME_CONTAINER_H
#define TESTS_UNIT_RUNTIME_CONTAINER_H

#include "access/access.h"
#include "door/door.h"
#include "process/fault.h"
#include "process/fiber.h"
#include "process/files.h"
#include "process/host.h"
#include "process/image.h"
#include "process/stop.h"
#include "process/world.h"
#include "process/world_internal.h"
#include "thread/thread.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CONTAINER_TEXT_(x) #x
#define CONTAINER_TEXT(x) CONTAINER_TEXT_(x)
#define EXPECT(condition) \
  do { \
    if (!(condition)) \
      return __FILE__ ":" CONTAINER_TEXT(__LINE__) ": " #condition; \
  } while (0)

static char container_directory[] = "/tmp/tidemark-unit-XXXXXX";

/* Addresses must be the same in every run. */
static void container_begin(char **argv) {
  int now = personality(0xffffffff);
  if (!(now & ADDR_NO_RANDOMIZE) && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0)
    execv("/proc/self/exe", argv);
  if (!mkdtemp(container_directory))
    exit(99);
}

static void container_end(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", container_directory);
  if (system(command))
    exit(99);
}

/* Compile `source` (C, or C++ if the name ends in .cc) as tidemark-cc would, without hooks.
 * Returns the program's path in a static buffer. */
static const char *container_build(const char *name, const char *source, const char *flags) {
  static char path[256];
  char file[256], command[1024];
  snprintf(file, sizeof file, "%s/%s", container_directory, name);
  snprintf(path, sizeof path, "%s.out", file);
  FILE *f = fopen(file, "w");
  assert_non_null(f);
  fputs(source, f);
  fclose(f);
  bool cxx = strstr(name, ".cc") != NULL;
  snprintf(command, sizeof command,
           "%s -w -g -O1 -fPIC -pie -rdynamic -femulated-tls -fno-omit-frame-pointer %s %s -o %s",
           cxx ? "clang++-19" : "clang-19", file, flags, path);
  assert_int_equal(system(command), 0);
  return path;
}

/* The line that makes a program acceptable. */
#define CONTAINER_TEXT_(x) #x
#define CONTAINER_TEXT(x) CONTAINER_TEXT_(x)
#define CONTAINER_ABI_C \
  "__attribute__((visibility(\"default\"), used)) const unsigned __tidemark_abi " \
  "= " CONTAINER_TEXT(ABI_VERSION) ";\n"
#define CONTAINER_ABI_CC \
  "extern \"C\" { extern const unsigned __tidemark_abi; " CONTAINER_ABI_C "}\n"

/* Run `body` in a child; fail with what it returns. */
static void container_test(const char *(*body)(void *), void *argument) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    int answer = files_to_host(ends[1]);
    const char *wrong = body(argument);
    if (wrong && write(answer, wrong, strlen(wrong)) < 0)
      _exit(1);
    _exit(wrong ? 1 : 0);
  }
  close(ends[1]);
  char text[1024];
  ssize_t n = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  int status;
  waitpid(child, &status, 0);
  if (n > 0) {
    text[n] = 0;
    fail_msg("%s", text);
  }
  assert_int_equal(status, 0);
}

/* The usual set-up of a child: load, arguments, threads. */
struct container {
  struct image *image;
  char **argv, **envp;
  int argc;
};

static struct container container;

static void container_main(void *unused) {
  (void)unused;
  image_start(container.image, container.argc, container.argv, container.envp);
}

static const char *container_load(const char *path, char *const *arguments) {
  struct str error = {0};
  fault_install();
  container.image = image_load(path, 0, &error);
  if (!container.image)
    return str_text(&error);
  char *words[16] = {(char *)path};
  container.argc = 1;
  for (; arguments && *arguments; arguments++)
    words[container.argc++] = *arguments;
  char *environment[] = {"LANG=C", NULL};
  container.argv = image_strings(words);
  container.envp = image_strings(environment);
  thread_init();
  world_seal();
  return NULL;
}

static enum door_fate container_never_fails(const struct door_failure *f) {
  (void)f;
  return DOOR_GOES_ON;
}

static enum stop_kind container_run(struct stop *why) {
  static const struct door nobody = {.fail = container_never_fails};
  static event_list events; /* stays empty: nothing is recorded */
  static event_frames_list frames;
  fault_progress++;
  door = &nobody;
  access_begin(&(struct access_options){0}, &events, &frames);
  thread_create_main(0, container_main, NULL);
  thread_run(why);
  access_end();
  return why->kind;
}

#endif
