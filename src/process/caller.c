#include "process/caller.h"
#include "base/check.h"
#include <dlfcn.h>
#include <elf.h>
#include <sys/auxv.h>

static uintptr_t loader_low, loader_high; /* ld.so's segments */
uintptr_t caller_libc_low, caller_libc_high;

static void find_segments(uintptr_t base, uintptr_t *low, uintptr_t *high) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)base;
  const Elf64_Phdr *p = (const Elf64_Phdr *)(base + h->e_phoff);
  *low = base;
  for (int i = 0; i < h->e_phnum; i++)
    if (p[i].p_type == PT_LOAD && base + p[i].p_vaddr + p[i].p_memsz > *high)
      *high = base + p[i].p_vaddr + p[i].p_memsz;
}

void caller_init(void) {
  Dl_info libc;
  CHECK(dladdr(caller_real("malloc"), &libc), "libc is nowhere");
  find_segments((uintptr_t)libc.dli_fbase, &caller_libc_low, &caller_libc_high);
}

bool caller_in_loader(uintptr_t pc) {
  if (__builtin_expect(!loader_high, 0))
    find_segments(getauxval(AT_BASE), &loader_low, &loader_high);
  return pc >= loader_low && pc < loader_high;
}

void *caller_real(const char *name) {
  void *p = dlsym(RTLD_NEXT, name);
  CHECK(p, "libc has no %s", name);
  return p;
}
