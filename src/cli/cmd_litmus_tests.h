/* Private to `tidemark litmus`: which tests a run is about.
 *
 * An argument is a test, "-" (a test on standard input), "@FILE" or "@-" (a list), or a path whose
 * last part starts with '@', as lists of tests are usually called.  A list has a test or another
 * list on each line, relative to where it lies itself; '#' starts a comment. */
#ifndef CLI_CMD_LITMUS_TESTS_H
#define CLI_CMD_LITMUS_TESTS_H

#include "axiom/arena.h"
#include <stdbool.h>

struct test_list {
  struct arena *arena;
  LIST(const char *) paths;
};

/* False, with a message, if a list cannot be read. */
bool test_list_add(struct test_list *l, const char *argument);

#endif
