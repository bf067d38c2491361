/* libpmem's functions that libpmem2 hands out as pointers; both act on simulated persistent memory.
 * On the fiber, called by the program. */
#ifndef LIBC_LIBPMEM_H
#define LIBC_LIBPMEM_H

#include <stddef.h>

void pmem_persist(const void *address, size_t len);
void pmem_flush(const void *address, size_t len);
void pmem_drain(void);
void *pmem_memmove(void *to, const void *from, size_t n, unsigned flags);
void *pmem_memcpy(void *to, const void *from, size_t n, unsigned flags);
void *pmem_memset(void *to, int byte, size_t n, unsigned flags);

void libpmem2_init(void); /* before world_seal */

#endif
