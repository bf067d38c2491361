/* Bitcode in, instrumented bitcode out: what tidemark-cc does to a translation unit between the
 * two halves of clang.
 *
 * The input is what `clang -emit-llvm -disable-llvm-passes` writes.  The output does the same and
 * calls the hooks of abi/hooks.def; it still has to be optimised, which is clang's job. */
#ifndef INSTRUMENT_INSTRUMENT_H
#define INSTRUMENT_INSTRUMENT_H

#include <stdbool.h>

struct instrument_options {
  bool late;            /* after optimisation: check the program as compiled, not as written */
  bool quiet;           /* no warnings about inline assembly (the user said -w) */
  const char *assembly; /* goes into the object as it is; NULL: nothing */
  const char *pipeline; /* LLVM's name for the user's level, "default<O2>"; used if late */
};

/* 0 if `output` was written; otherwise one line has been printed to stderr. */
int instrument_file(const char *input, const char *output,
                    const struct instrument_options *options);

#endif
