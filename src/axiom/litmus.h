/* Reads a test: herd's .litmus format for X86 and X86_64 (litmus.c, x86.c), or our schematic
 * language for language-level tests (schematic.c); test_load looks at the first word. */
#ifndef AXIOM_LITMUS_H
#define AXIOM_LITMUS_H

#include "axiom/program.h"
#include <stddef.h>

/* NULL and *d on error.  The program lives in the arena; `unroll` bounds loops. */
struct program *test_load(const char *path, struct arena *a, int unroll, struct diag *d);
struct program *test_parse(const char *file, const char *text, size_t length, struct arena *a,
                           int unroll, struct diag *d);

struct program *litmus_parse(const char *file, const char *text, size_t length, struct arena *a,
                             int unroll, struct diag *d);
struct program *schematic_parse(const char *file, const char *text, size_t length, struct arena *a,
                                int unroll, struct diag *d);

#endif
