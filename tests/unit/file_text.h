/* The text of a file.  Tests run at the repository root. */
#ifndef TESTS_UNIT_FILE_TEXT_H
#define TESTS_UNIT_FILE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include <stdio.h>

static inline void read_file(const char *path, struct str *out) {
  FILE *f = fopen(path, "r");
  if (!f)
    fail_msg("cannot open %s (tests run in the root of the repository)", path);
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
    str_append_bytes(out, block, n);
  fclose(f);
}

#endif
