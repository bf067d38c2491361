/* Any text as a file of --expect, compared with the result of a test. */
#include "reader.h"
#include "cli/cmd_litmus_expect.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static const char result[] =
    "{\"test\": \"SB\", \"model\": \"x86tso\", \"verdict\": \"allowed\", \"observation\": \"Sometimes\","
    " \"positive\": 1, \"negative\": 1, \"states\": [\"0:rax=0; [x]=1;\", \"0:rax=1; [x]=1;\"]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  struct arena a = {0};
  int file = memfd_create("expected", 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    abort();
  struct expectation *e = expectation_load(path, size % 2, &a);
  json_t *object = json_loads(result, 0, NULL);
  if (!e || !object)
    abort();
  expectation_met(e, object);
  expectation_finish(e);
  json_decref(object);
  arena_release(&a);
  close(file);
  return 0;
}
