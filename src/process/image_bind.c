/* Names in a program's libraries mean what the program makes of them: its own definition comes first, then those of
 * its libraries in the order in which it needs them.  Our copies of libraries are loaded before it, each by
 * itself, so the dynamic linker could not know that: what they refer to is bound again once all are there.  What the
 * checker itself defines stays bound to that. */
#include "process/image_internal.h"
#include "process/layout.h"
#include "process/object.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

struct binding {
  struct image *image;
  const struct image_unit *unit;
  struct object object; /* the unit's */
  uintptr_t host_low, host_high;
  const Elf64_Sym *symbols;
  const char *strings;
  bool symbolic; /* the library's own definitions come first */
  struct str *error;
};

struct table {
  const Elf64_Rela *first;
  size_t bytes;
};

static void find_objects(void *context, const struct object *o) {
  struct binding *b = context;
  if (o->bias == b->unit->bias)
    b->object = *o;
  if (o->kind == OBJECT_HOST) {
    b->host_low = o->low;
    b->host_high = o->high;
  }
}

/* Most slots can only be read by now (RELRO). */
static bool write_slot(const struct binding *b, uintptr_t slot, uintptr_t value) {
  bool writable = false;
  for (int i = 0; i < b->object.writable_count; i++)
    writable |= slot >= b->object.writable[i].low && slot < b->object.writable[i].high;
  void *page = (void *)(slot & ~(uintptr_t)(LAYOUT_PAGE - 1));
  if (!writable && mprotect(page, LAYOUT_PAGE, PROT_READ | PROT_WRITE) != 0)
    return false;
  memcpy((void *)slot, &value, sizeof value);
  return writable || mprotect(page, LAYOUT_PAGE, PROT_READ) == 0;
}

static bool bind_one(struct binding *b, const Elf64_Rela *r) {
  unsigned type = ELF64_R_TYPE(r->r_info);
  if (type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT && type != R_X86_64_64)
    return true;
  const Elf64_Sym *symbol = &b->symbols[ELF64_R_SYM(r->r_info)];
  const char *name = b->strings + symbol->st_name;
  if (!ELF64_R_SYM(r->r_info) || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
      ELF64_ST_VISIBILITY(symbol->st_other) != STV_DEFAULT)
    return true;
  uintptr_t slot = b->unit->bias + r->r_offset, addend = type == R_X86_64_64 ? r->r_addend : 0, now;
  memcpy(&now, (void *)slot, sizeof now);
  now -= addend;
  if ((now >= b->host_low && now < b->host_high) || (now && b->symbolic))
    return true;
  uintptr_t found = (uintptr_t)dlsym(b->image->handle, name);
  if (!found && !now && symbol->st_other & ELF_WEAKENED) {
    str_format(b->error, "%s: undefined symbol: %s", b->unit->path, name);
    return false;
  }
  if (!found || found == now || (now && image_of(found) != b->image))
    return true;
  if (write_slot(b, slot, found + addend))
    return true;
  str_format(b->error, "%s: cannot bind '%s' to the program's (mprotect)", b->unit->path, name);
  return false;
}

/* The dynamic linker has made addresses of the offsets, where it can write. */
static const void *at(const struct binding *b, Elf64_Addr address) {
  return (const void *)(address < b->unit->bias ? b->unit->bias + address : address);
}

static bool bind_unit(struct binding *b) {
  struct table tables[2] = {0};
  for (const Elf64_Dyn *d = ((struct link_map *)b->unit->handle)->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMBOLIC || (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_SYMBOLIC))
      b->symbolic = true;
    if (d->d_tag == DT_RELA)
      tables[0].first = at(b, d->d_un.d_ptr);
    if (d->d_tag == DT_RELASZ)
      tables[0].bytes = d->d_un.d_val;
    if (d->d_tag == DT_JMPREL)
      tables[1].first = at(b, d->d_un.d_ptr);
    if (d->d_tag == DT_PLTRELSZ)
      tables[1].bytes = d->d_un.d_val;
    if (d->d_tag == DT_SYMTAB)
      b->symbols = at(b, d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB)
      b->strings = at(b, d->d_un.d_ptr);
  }
  for (int t = 0; t < 2; t++)
    for (size_t i = 0; i < tables[t].bytes / sizeof *tables[t].first; i++)
      if (!bind_one(b, &tables[t].first[i]))
        return false;
  return true;
}

bool image_bind_libraries(struct image *image, struct str *error) {
  bool ok = true;
  for (size_t i = 0; ok && i < image->units.length; i++) {
    struct binding b = {.image = image, .unit = &image->units.data[i], .error = error};
    if (!b.unit->own || !b.unit->handle)
      continue;
    object_each(find_objects, &b);
    ok = bind_unit(&b);
  }
  return ok;
}
