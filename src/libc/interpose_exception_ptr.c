/* Exceptions that several threads hold (std::exception_ptr, futures).  libstdc++ counts who does with locked
 * instructions, in code without hooks: what a thread did with the object before it let go happens before
 * another one destroys it. */
#include "access/ordinary.h"
#include "base/check.h"
#include "process/caller.h"
#include "process/image.h"

#define HEADER_BYTES 128 /* of the C++ ABI: what lies before the object, first of all the count */

static void *real(const char *name) {
  struct image *image = image_current();
  void *function = image ? image_library_symbol(image, name) : NULL;
  CHECK(function, "%s without libstdc++", name);
  return function;
}

/* The library changes it right after this. */
static void count_changes(const void *object) {
  if (object && ordinary_concerns())
    ordinary_changes((uintptr_t)object - HEADER_BYTES, sizeof(uint32_t), ABI_ACQ_REL);
}

#define ADDREF "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv"
#define RELEASE "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"

INTERPOSE void exception_ptr_addref(void **self) __asm__(ADDREF);
void exception_ptr_addref(void **self) {
  count_changes(*self);
  ((void (*)(void **))real(ADDREF))(self);
}

INTERPOSE void exception_ptr_release(void **self) __asm__(RELEASE);
void exception_ptr_release(void **self) {
  count_changes(*self);
  ((void (*)(void **))real(RELEASE))(self);
}

/* What is caught may be such an object, thrown again. */
INTERPOSE void __cxa_end_catch(void);
void __cxa_end_catch(void) {
  if (ordinary_concerns()) {
    void *object = NULL;
    ((void (*)(void **))real("_ZSt17current_exceptionv"))(&object); /* returned in memory */
    count_changes(object);
    ((void (*)(void **))real(RELEASE))(&object);
  }
  ((void (*)(void))real("__cxa_end_catch"))();
}
