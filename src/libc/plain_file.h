/* Files of programs in which nothing fails (sc, tso).
 *
 * What the program changes stays in its execution: the first change to a file gives it a copy, and real files are never
 * touched.  The copy is a file of the kernel's that nobody else knows (pmfile_fd.h); what is done to it is no step of a
 * schedule.  Once it is mapped for sharing its contents are memory: pages of the program's heap, so that what threads
 * do there are steps as everywhere, and read and write are steps on the same words. */
#ifndef LIBC_PLAIN_FILE_H
#define LIBC_PLAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern bool plain_files; /* is it such a program? */

void plain_file_init(int files); /* before world_seal: at most so many */

/* Where the file with that number lies in this execution, with room for so many bytes; 0: there is none. */
uintptr_t plain_file_memory(int number, size_t bytes);

bool plain_file_has(uintptr_t address); /* one of them lies there */

/* Its contents, in place of the kernel. */
void plain_file_read(void *to, uintptr_t from, size_t bytes);
void plain_file_write(uintptr_t to, const void *from, size_t bytes);

#endif
