/* Where the parts of the program's world lie: fixed addresses, the same in every process, all
 * outside the watched window and far from where the kernel puts mappings.
 *
 *   0x1f00...  the dynamic linker's blocks
 *   0x2000...  runtime state (world_alloc)       0x2100...  heap pages
 *   0x2080...  heap page table                   0x2200...  stacks, one sub-range per size class
 *
 * Heap pages and stacks exist once for each generation (process/generation.h): heap pages beside
 * each other, stacks of generations after the first from 0x3200... (0x3000... is taken by the alias
 * of the window, 0x3100... by the index of its lines).
 */
#ifndef PROCESS_LAYOUT_H
#define PROCESS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define LAYOUT_PAGE ((size_t)4096)

#define LAYOUT_LOADER_BASE ((uintptr_t)0x1f0000000000)
#define LAYOUT_LOADER_BYTES ((size_t)1 << 32)

#define LAYOUT_STATE_BASE ((uintptr_t)0x200000000000)
#define LAYOUT_STATE_BYTES ((size_t)1 << 30)

#define LAYOUT_HEAP_TABLE_BASE ((uintptr_t)0x208000000000)
#define LAYOUT_HEAP_BASE ((uintptr_t)0x210000000000)
#define LAYOUT_HEAP_BYTES ((size_t)4 << 30)        /* of one machine, */
#define LAYOUT_HEAP_ALONE_BYTES ((size_t)32 << 30) /* if it is the only one, */
#define LAYOUT_HEAP_SHARED_SHIFT 34                /* log2 of those that threads share */
#define LAYOUT_HEAP_STRIDE ((size_t)1 << 36)       /* from one generation to the next */

#define LAYOUT_STACK_BASE ((uintptr_t)0x220000000000)
#define LAYOUT_STACK_CLASS_BYTES ((size_t)1 << 38)
#define LAYOUT_LATER_STACK_BASE ((uintptr_t)0x320000000000)
#define LAYOUT_LATER_STACK_CLASS_BYTES ((size_t)1 << 37)
#define LAYOUT_STACK_CLASSES 16
#define LAYOUT_STACK_END (LAYOUT_STACK_BASE + LAYOUT_STACK_CLASSES * LAYOUT_STACK_CLASS_BYTES)

#define LAYOUT_GENERATIONS 16

/* Where the kernel puts images and libraries, and position-independent programs. */
#define LAYOUT_KERNEL_BASE ((uintptr_t)0x500000000000)
#define LAYOUT_KERNEL_END ((uintptr_t)0x800000000000)

#endif
