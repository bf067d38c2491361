/* A program that ends itself, by abort or exit, often does so in a function made for that:
 *
 *      static void check(int ok, const char *what) {
 *        if (!ok) {
 *          fprintf(stderr, "failed: %s\n", what);
 *          abort();
 *        }
 *      }
 *
 * Each of its callers is a place of its own then, and the function says nothing about the bug.  It is
 * recognised by what it does: the same call of it wrote the last line to the standard error and ended
 * the program; it is short, and called from more than one place in the program. */
#ifndef SESSION_GAVE_UP_H
#define SESSION_GAVE_UP_H

#include "base/str.h"
#include "process/stop.h"

/* The frame of s that called such a function; -1: there is none. */
int gave_up_caller(const struct stop *s);

/* Append what it said, without numbers: they tell executions apart, not bugs.  Lines of sources are bugs. */
void gave_up_said(const struct stop *s, struct str *out);

#endif
