/* What world.c and host.c need to know about fibers. */
#ifndef PROCESS_FIBER_INTERNAL_H
#define PROCESS_FIBER_INTERNAL_H

#include "process/fiber.h"
#include "process/fiber_tls.h"
#include "process/layout.h"
#include "process/world.h"

/* Stack slots come in sizes 64 KiB << class, each above a guard much larger than a page so that
 * functions with huge frames hit it too. */
#define FIBER_CLASSES LAYOUT_STACK_CLASSES
#define FIBER_CLASS_MIN_BYTES ((size_t)64 << 10)
#define FIBER_GUARD_BYTES ((size_t)16 << 20)

/* The kernel looks for written pages in whole page tables, of 2 MiB.  The usual stacks end this far
 * above the beginning of one, so that it looks at few pages of those that are not deep. */
#define FIBER_SKEW_BYTES ((size_t)64 << 10)

/* Find the native TLS blocks to swap; called once by world_seal.  Their contents at that moment
 * (errno 0) are what a new fiber starts with. */
void fiber_seal(void);

/* Address range of the slots of a class that this execution has used; low == high if none. */
void fiber_class_range(int class, uintptr_t *low, uintptr_t *high);

/* The slots up to the one with this address are accessible from now on; any other address: nothing.
 * For going back to a state of a generation that has not had so many since it was moved to. */
void fiber_open_slots(uintptr_t address);

/* Told about each slot when it is first made accessible, if set; perhaps on a fiber. */
extern void (*fiber_slot_made)(uintptr_t low, uintptr_t high);

/* Calls fn with the usable range of each slot this execution has used.  sp is the saved stack
 * pointer of its fiber, 0 if the slot is free. */
void fiber_each_slot(void (*fn)(void *context, uintptr_t low, uintptr_t high, uintptr_t sp),
                     void *context);

/* Gaps (world.h): which slots are free follows from who has which. */
void fiber_add_gaps(world_gap_list *gaps);

/* For generation.c: later stacks lie in that generation's range; the former one is inaccessible. */
void fiber_move(int generation);
void fiber_range(int generation, uintptr_t *low, uintptr_t *high); /* where its stacks lie */

struct fiber *fiber_host(void);     /* the context that fiber NULL stands for */
_Noreturn void fiber_abandon(void); /* go to the host; the running fiber is dead */

#endif
