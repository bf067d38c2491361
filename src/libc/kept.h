/* What some functions of libc keep for the whole program between calls: the place in the text of strtok, the results of
 * localtime, gmtime, ctime and asctime, and the environment.  Two threads that call them race for it.  Places in files
 * that are read are kept, too; for them threads do not race, but who comes first gets what comes first. */
#ifndef LIBC_KEPT_H
#define LIBC_KEPT_H

#include <stdint.h>
#include <stdio.h>

/* Once, before world_seal. */
void kept_init(void);

/* The current thread is about to read from the descriptor or stream, at the place where the last read has ended: a step,
 * if several threads do.  pre: ordinary_concerns(). */
void kept_reads(int fd);
void kept_reads_stream(FILE *file);

/* What to do about a race for what is at the address; NULL: it is none of that. */
const char *kept_advice(uintptr_t address);

#endif
