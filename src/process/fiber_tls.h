/* What belongs to a fiber besides its stack: native thread-local blocks, the emulated ones that
 * thread/tls.c keeps here, and the image whose code it runs.  World memory. */
#ifndef PROCESS_FIBER_TLS_H
#define PROCESS_FIBER_TLS_H

#include "process/fiber.h"

/* Lies at the top of each stack slot, above stack_high; fiber.native_tls points here. */
struct fiber_tls {
  struct fiber *owner; /* NULL: the slot is free */
  uint32_t next_free;  /* 1 + index of the next free slot of the class */
  uint32_t slot_class;
  struct image *image; /* whose code it runs; a new fiber inherits it */
  void **emulated;     /* emulated thread-local objects by index, program heap */
  size_t emulated_count;
  struct tls_destructor *destructors; /* newest first */
  unsigned char native[];             /* blocks of libc, libstdc++, ... one behind the other */
};

size_t fiber_tls_bytes(void);              /* of each, with its native blocks */
struct fiber_tls *fiber_tls_current(void); /* of the running fiber or the host */

/* Does it lie in a native block, and so belong to whichever fiber runs (errno, std::call_once)? */
bool fiber_tls_is_native(uintptr_t address);

#endif
