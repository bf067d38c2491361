/* The last line that a program wrote to its standard error, and from where: a program that gives up
 * usually says why.  One that ends with a bad exit status may have complained before (complaint.h).
 *
 * Noticed at the gate (gate.h), so nothing is known where there is none.  Goes back with the program;
 * one for each image. */
#ifndef PROCESS_LAST_WORDS_H
#define PROCESS_LAST_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

struct stop;

/* A system call of the interrupted code wrote this to descriptor 1 or 2.  In a signal handler. */
void last_words_said(int fd, const char *bytes, size_t n, const ucontext_t *u);

/* pre: on a fiber.  Fill in s->said, if its program said something. */
void last_words_note(struct stop *s);

#endif
