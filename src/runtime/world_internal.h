/* The parts of the world that world.c is told about by their owners. */
#ifndef RUNTIME_WORLD_INTERNAL_H
#define RUNTIME_WORLD_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* A page-aligned range of memory that grows from its base: bytes beyond *used (read when needed;
 * it lives in world memory itself) are untouched zeros.  used NULL: all of it. */
void world_add_area(uintptr_t base, size_t bytes, const size_t *used);

#endif
