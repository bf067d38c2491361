#include "process/caller.h"
#include "base/check.h"
#include <dlfcn.h>
#include <elf.h>
#include <sys/auxv.h>

static uintptr_t loader_low, loader_high; /* ld.so's segments */

static void find_loader(void) {
  loader_low = getauxval(AT_BASE);
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)loader_low;
  const Elf64_Phdr *p = (const Elf64_Phdr *)(loader_low + h->e_phoff);
  for (int i = 0; i < h->e_phnum; i++)
    if (p[i].p_type == PT_LOAD && loader_low + p[i].p_vaddr + p[i].p_memsz > loader_high)
      loader_high = loader_low + p[i].p_vaddr + p[i].p_memsz;
}

bool caller_in_loader(uintptr_t pc) {
  if (__builtin_expect(!loader_high, 0))
    find_loader();
  return pc >= loader_low && pc < loader_high;
}

void *caller_real(const char *name) {
  void *p = dlsym(RTLD_NEXT, name);
  CHECK(p, "libc has no %s", name);
  return p;
}
