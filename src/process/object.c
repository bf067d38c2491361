#include "process/object.h"
#include "base/check.h"
#include "process/layout.h"
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

struct tls_index {
  unsigned long module, offset;
};
void *__tls_get_addr(struct tls_index *);

struct visit {
  void (*fn)(void *context, const struct object *o);
  void *context;
};

static uintptr_t page_down(uintptr_t a) {
  return a & ~(uintptr_t)(LAYOUT_PAGE - 1);
}

static uintptr_t page_up(uintptr_t a) {
  return page_down(a + LAYOUT_PAGE - 1);
}

static void add_writable(struct object *o, uintptr_t low, uintptr_t high) {
  if (low >= high)
    return;
  CHECK(o->writable_count < OBJECT_WRITABLE_MAX, "%s has too many segments", o->name);
  o->writable[o->writable_count].low = low;
  o->writable[o->writable_count++].high = high;
}

static enum object_kind kind_of(const struct dl_phdr_info *info, const struct object *o) {
  if (!info->dlpi_name[0])
    return OBJECT_HOST;
  uintptr_t loader = getauxval(AT_BASE), vdso = getauxval(AT_SYSINFO_EHDR);
  if (loader >= o->low && loader < o->high)
    return OBJECT_LOADER;
  if (vdso >= o->low && vdso < o->high)
    return OBJECT_VDSO;
  return OBJECT_LIBRARY;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct visit *v = context;
  struct object o = {.name = info->dlpi_name, .bias = info->dlpi_addr, .low = UINTPTR_MAX};
  uintptr_t relro_low = 0, relro_high = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t low = o.bias + p->p_vaddr, high = low + p->p_memsz;
    if (p->p_type == PT_LOAD && page_down(low) < o.low)
      o.low = page_down(low);
    if (p->p_type == PT_LOAD && page_up(high) > o.high)
      o.high = page_up(high);
    if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
      o.code_low = low;
      o.code_high = high;
    }
    if (p->p_type == PT_GNU_EH_FRAME)
      o.unwind_table = (const uint8_t *)low;
    if (p->p_type == PT_GNU_RELRO) {
      relro_low = page_down(low);
      relro_high = page_down(high);
    }
    if (p->p_type == PT_TLS && info->dlpi_tls_modid) {
      o.tls_bytes = p->p_memsz;
      o.tls_block = __tls_get_addr(&(struct tls_index){info->dlpi_tls_modid, 0});
    }
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
      continue;
    uintptr_t low = page_down(o.bias + p->p_vaddr);
    uintptr_t high = page_up(o.bias + p->p_vaddr + p->p_memsz);
    if (relro_high > low && relro_low < high) {
      add_writable(&o, low, relro_low);
      add_writable(&o, relro_high, high);
    } else {
      add_writable(&o, low, high);
    }
  }
  o.kind = kind_of(info, &o);
  v->fn(v->context, &o);
  return 0;
}

void object_each(void (*fn)(void *context, const struct object *o), void *context) {
  struct visit v = {fn, context};
  dl_iterate_phdr(visit, &v);
}
