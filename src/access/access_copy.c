/* Copies from watched memory to watched memory.
 *
 * What is on its way is kept on the thread's stack or in scratch memory, because each load and each
 * store is a place where the execution can be put back to. */
#include "access/access.h"
#include "process/scratch.h"

#define PART_BYTES ((size_t)1024)

static void copy_through(void *buffer, uintptr_t to, uintptr_t from, size_t bytes, int flags,
                         const struct abi_site *site) {
  access_read(buffer, from, bytes, site);
  access_write(to, buffer, bytes, flags, site);
}

/* Ascending parts would overwrite what is still to be read. */
static void copy_onto_itself(uintptr_t to, uintptr_t from, size_t bytes, int flags,
                             const struct abi_site *site) {
  size_t most = bytes < SCRATCH_BYTES_MAX ? bytes : SCRATCH_BYTES_MAX;
  void *buffer = scratch_take(most);
  for (size_t left = bytes, n; left > 0; left -= n) {
    n = left < most ? left : most;
    copy_through(buffer, to + left - n, from + left - n, n, flags, site);
  }
  scratch_give_back(buffer, most);
}

void access_copy(uintptr_t to, uintptr_t from, size_t bytes, int flags,
                 const struct abi_site *site) {
  char part[PART_BYTES];
  bool ahead = to > from && to - from < bytes;
  if (ahead && bytes > sizeof part) {
    copy_onto_itself(to, from, bytes, flags, site);
    return;
  }
  size_t done = 0;
  do {
    size_t n = bytes - done < sizeof part ? bytes - done : sizeof part;
    copy_through(part, to + done, from + done, n, flags, site);
    done += n;
  } while (done < bytes);
}
