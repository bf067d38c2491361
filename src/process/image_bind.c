/* Names in a program's libraries mean what the program makes of them: its own definition comes first, then those of
 * its libraries in the order in which it needs them.  Our copies of libraries are loaded before it, each by
 * itself, so the dynamic linker could not know that: what they refer to is bound again once all are there.  What the
 * checker itself defines stays bound to that. */
#include "process/image_internal.h"
#include "process/object.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

struct binding {
  struct image *image;
  const struct image_unit *unit;
  int memory; /* of this process, as a file: pages that are read-only by now can be written */
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

static void find_host(void *context, const struct object *o) {
  struct binding *b = context;
  if (o->kind == OBJECT_HOST) {
    b->host_low = o->low;
    b->host_high = o->high;
  }
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
  uintptr_t value = found + addend;
  if (!found || found == now || image_of(found) != b->image)
    return true;
  if (pwrite(b->memory, &value, sizeof value, (off_t)slot) == sizeof value)
    return true;
  str_format(b->error, "%s: cannot write to /proc/self/mem, to bind '%s'", b->unit->path, name);
  return false;
}

/* The dynamic linker has made addresses of the offsets, where it can write. */
static const void *at(const struct binding *b, Elf64_Addr address) {
  return (const void *)(address < b->unit->bias ? b->unit->bias + address : address);
}

static bool bind_unit(struct binding *b) {
  struct table tables[2] = {0};
  b->symbolic = false;
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
  struct binding b = {.image = image, .error = error};
  bool ok = true;
  b.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  object_each(find_host, &b);
  for (size_t i = 0; ok && i < image->units.length; i++) {
    b.unit = &image->units.data[i];
    if (b.unit->own && b.unit->handle)
      ok = bind_unit(&b);
  }
  if (b.memory >= 0)
    close(b.memory);
  return ok;
}
