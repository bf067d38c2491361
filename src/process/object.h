/* The ELF objects loaded into this process: what each is, where it lies, what of it is writable.
 *
 * object_each asks the dynamic linker; it is for set-up (world_seal, image_load), not for runs. */
#ifndef PROCESS_OBJECT_H
#define PROCESS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum object_kind {
  OBJECT_HOST,   /* the worker itself */
  OBJECT_LOADER, /* ld.so */
  OBJECT_VDSO,
  OBJECT_LIBRARY, /* everything else, the program's images included */
};

#define OBJECT_WRITABLE_MAX 4

struct object {
  enum object_kind kind;
  const char *name;              /* as the dynamic linker knows it; "" for the worker */
  uintptr_t bias, low, high;     /* load bias; all segments are in [low, high) */
  uintptr_t code_low, code_high; /* the executable one */
  const uint8_t *unwind_table;   /* .eh_frame_hdr, or NULL */
  int writable_count;            /* page-aligned writable parts, RELRO taken out */
  struct {
    uintptr_t low, high;
  } writable[OBJECT_WRITABLE_MAX];
  void *tls_block; /* this thread's block, allocated if it was not */
  size_t tls_bytes;
};

void object_each(void (*fn)(void *context, const struct object *o), void *context);

#endif
