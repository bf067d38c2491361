#include "process/elf_file.h"
#include "base/mem.h"
#include "process/files.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *in_file(const struct elf_file *f, size_t offset, size_t bytes) {
  return offset <= f->size && bytes <= f->size - offset ? f->bytes + offset : NULL;
}

const void *elf_at(const struct elf_file *f, Elf64_Addr address, size_t bytes) {
  for (int i = 0; i < f->segment_count; i++) {
    const Elf64_Phdr *p = &f->segments[i];
    if (p->p_type == PT_LOAD && address >= p->p_vaddr && address - p->p_vaddr <= p->p_filesz &&
        bytes <= p->p_filesz - (address - p->p_vaddr))
      return in_file(f, p->p_offset + (address - p->p_vaddr), bytes);
  }
  return NULL;
}

Elf64_Dyn *elf_dynamic(const struct elf_file *f, Elf64_Sxword tag) {
  for (size_t i = 0; i < f->dynamic_count && f->dynamic[i].d_tag != DT_NULL; i++)
    if (f->dynamic[i].d_tag == tag)
      return &f->dynamic[i];
  return NULL;
}

static size_t dynamic_value(const struct elf_file *f, Elf64_Sxword tag) {
  const Elf64_Dyn *d = elf_dynamic(f, tag);
  return d ? d->d_un.d_val : 0;
}

/* The dynamic symbol table has no length of its own: the hash tables know it. */
static size_t count_symbols(const struct elf_file *f) {
  const uint32_t *h;
  if (elf_dynamic(f, DT_HASH) && (h = elf_at(f, dynamic_value(f, DT_HASH), 8)))
    return h[1];
  Elf64_Addr at = dynamic_value(f, DT_GNU_HASH);
  if (!at || !(h = elf_at(f, at, 16)))
    return 0;
  uint32_t buckets = h[0], first = h[1], bloom = h[2], last = 0;
  Elf64_Addr bucket_at = at + 16 + (Elf64_Addr)bloom * 8;
  const uint32_t *b = elf_at(f, bucket_at, (size_t)buckets * 4);
  for (uint32_t i = 0; b && i < buckets; i++)
    last = b[i] > last ? b[i] : last;
  if (!b || last < first)
    return first;
  Elf64_Addr chain_at = bucket_at + (Elf64_Addr)buckets * 4;
  for (;; last++) {
    const uint32_t *c = elf_at(f, chain_at + (Elf64_Addr)(last - first) * 4, 4);
    if (!c || *c & 1)
      return (size_t)last + 1;
  }
}

static bool read_tables(struct elf_file *f) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->bytes;
  f->segment_count = h->e_phnum;
  f->segments = in_file(f, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr));
  if (!f->segments || h->e_phentsize != sizeof(Elf64_Phdr))
    return false;
  /* The section headers come last: without them the end of the file is missing. */
  if (h->e_shoff && !in_file(f, h->e_shoff, (size_t)h->e_shnum * h->e_shentsize))
    return false;
  for (int i = 0; i < f->segment_count; i++)
    if (f->segments[i].p_type == PT_LOAD &&
        !in_file(f, f->segments[i].p_offset, f->segments[i].p_filesz))
      return false;
  for (int i = 0; i < f->segment_count; i++)
    if (f->segments[i].p_type == PT_DYNAMIC) {
      f->dynamic_count = f->segments[i].p_filesz / sizeof(Elf64_Dyn);
      f->dynamic = (Elf64_Dyn *)in_file(f, f->segments[i].p_offset, f->segments[i].p_filesz);
      if (!f->dynamic)
        return false;
    }
  f->strings_bytes = dynamic_value(f, DT_STRSZ);
  f->strings = (char *)elf_at(f, dynamic_value(f, DT_STRTAB), f->strings_bytes);
  if (f->dynamic && !f->strings)
    return false;
  f->symbol_count = count_symbols(f);
  f->symbols =
      (Elf64_Sym *)elf_at(f, dynamic_value(f, DT_SYMTAB), f->symbol_count * sizeof(Elf64_Sym));
  return !f->symbol_count || f->symbols;
}

static bool read_bytes(struct elf_file *f, const char *path, struct str *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
    const char *why = fd < 0 && errno == ENOENT   ? "no such file"
                      : fd < 0 && errno == EACCES ? "permission denied"
                                                  : "not a regular file";
    str_format(error, "%s: %s", path, why);
    if (fd >= 0)
      close(fd);
    return false;
  }
  f->size = (size_t)st.st_size;
  f->bytes = mem_alloc(f->size + 1);
  mem_make_ready(f->bytes, f->size);
  size_t have = 0;
  ssize_t n;
  while (have < f->size && (n = read(fd, f->bytes + have, f->size - have)) > 0)
    have += (size_t)n;
  close(fd);
  if (have < f->size)
    str_format(error, "%s: cannot be read", path);
  return have == f->size;
}

bool elf_read(struct elf_file *f, const char *path, struct str *error) {
  memset(f, 0, sizeof *f);
  if (!read_bytes(f, path, error)) {
    elf_free(f);
    return false;
  }
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->bytes;
  const char *wrong = NULL;
  if (f->size > 2 && memcmp(f->bytes, "#!", 2) == 0)
    wrong = "a script, not an ELF program (if libtool made it: libtool --mode=execute tidemark "
            "check ...)";
  else if (f->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
    wrong = "not an ELF program";
  else if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != EM_X86_64)
    wrong = "not built for x86-64";
  else if (h->e_type == ET_REL)
    wrong = "an object file, not a program; link it with tidemark-cc";
  else if (h->e_type != ET_DYN)
    wrong = "not position-independent; build it with tidemark-cc and without -no-pie or -static";
  else if (!read_tables(f))
    wrong = "damaged ELF file";
  else if (!f->dynamic)
    wrong = "statically linked; build it without -static";
  if (wrong) {
    str_format(error, "%s: %s", path, wrong);
    elf_free(f);
    return false;
  }
  return true;
}

void elf_free(struct elf_file *f) {
  if (f->bytes)
    mem_free(f->bytes, f->size + 1);
  memset(f, 0, sizeof *f);
}

const char *elf_string(const struct elf_file *f, size_t offset) {
  if (offset >= f->strings_bytes || !memchr(f->strings + offset, 0, f->strings_bytes - offset))
    return "";
  return f->strings + offset;
}

const Elf64_Sym *elf_defined(const struct elf_file *f, const char *name) {
  for (size_t i = 0; i < f->symbol_count; i++)
    if (f->symbols[i].st_shndx != SHN_UNDEF && !strcmp(elf_string(f, f->symbols[i].st_name), name))
      return &f->symbols[i];
  return NULL;
}

bool elf_refers(const struct elf_file *f, const char *name) {
  for (size_t i = 0; i < f->symbol_count; i++)
    if (f->symbols[i].st_shndx == SHN_UNDEF && !strcmp(elf_string(f, f->symbols[i].st_name), name))
      return true;
  return false;
}

/* The symbols of all kinds, which `strip` removes; NULL: there are none.  *names ends with a null byte. */
static const Elf64_Sym *symbol_table(const struct elf_file *f, size_t *count, const char **names,
                                     size_t *names_bytes) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->bytes;
  const Elf64_Shdr *sections = in_file(f, h->e_shoff, (size_t)h->e_shnum * sizeof *sections);
  if (!sections || h->e_shentsize != sizeof *sections)
    return NULL;
  const Elf64_Shdr *table = NULL;
  for (int i = 0; i < h->e_shnum && !table; i++)
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < h->e_shnum)
      table = &sections[i];
  if (!table)
    return NULL;
  const Elf64_Shdr *texts = &sections[table->sh_link];
  *names = in_file(f, texts->sh_offset, texts->sh_size);
  *names_bytes = texts->sh_size;
  *count = table->sh_size / sizeof(Elf64_Sym);
  if (!*names || !*names_bytes || (*names)[*names_bytes - 1])
    return NULL;
  return in_file(f, table->sh_offset, table->sh_size);
}

const Elf64_Sym *elf_next_local(const struct elf_file *f, const char *name,
                                const Elf64_Sym *after) {
  size_t count = 0, bytes = 0;
  const char *names = NULL;
  const Elf64_Sym *symbols = symbol_table(f, &count, &names, &bytes);
  for (size_t i = 0; symbols && i < count; i++) {
    const Elf64_Sym *s = &symbols[i];
    if ((!after || s > after) && ELF64_ST_BIND(s->st_info) == STB_LOCAL &&
        s->st_shndx != SHN_UNDEF && s->st_name < bytes && !strcmp(names + s->st_name, name))
      return s;
  }
  return NULL;
}

static bool is_function(const Elf64_Sym *s) {
  return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF;
}

void elf_each_function(const struct elf_file *f,
                       void (*fn)(void *context, const char *name, Elf64_Addr address),
                       void *context) {
  size_t count = 0, bytes = 0;
  const char *names = NULL;
  const Elf64_Sym *symbols = symbol_table(f, &count, &names, &bytes);
  for (size_t i = 0; symbols && i < count; i++)
    if (is_function(&symbols[i]) && symbols[i].st_name < bytes)
      fn(context, names + symbols[i].st_name, symbols[i].st_value);
  for (size_t i = 0; i < f->symbol_count; i++)
    if (is_function(&f->symbols[i]))
      fn(context, elf_string(f, f->symbols[i].st_name), f->symbols[i].st_value);
}

bool elf_has_segment(const struct elf_file *f, Elf64_Word type) {
  for (int i = 0; i < f->segment_count; i++)
    if (f->segments[i].p_type == type && f->segments[i].p_memsz)
      return true;
  return false;
}

const char *elf_next_copied(const struct elf_file *f, size_t *i) {
  size_t bytes = dynamic_value(f, DT_RELASZ);
  const Elf64_Rela *r = bytes ? elf_at(f, dynamic_value(f, DT_RELA), bytes) : NULL;
  for (; r && *i < bytes / sizeof *r; ++*i) {
    size_t symbol = ELF64_R_SYM(r[*i].r_info);
    if (ELF64_R_TYPE(r[*i].r_info) == R_X86_64_COPY)
      return ++*i, symbol < f->symbol_count ? elf_string(f, f->symbols[symbol].st_name) : "";
  }
  return NULL;
}

void elf_clear_pie(struct elf_file *f) {
  Elf64_Dyn *d = elf_dynamic(f, DT_FLAGS_1);
  if (d)
    d->d_un.d_val &= ~(Elf64_Xword)DF_1_PIE;
}

static struct elf_array take_array(struct elf_file *f, Elf64_Sxword at, Elf64_Sxword bytes) {
  Elf64_Dyn *d = elf_dynamic(f, bytes);
  struct elf_array a = {dynamic_value(f, at), d ? d->d_un.d_val / sizeof(void *) : 0};
  if (d)
    d->d_un.d_val = 0;
  return a;
}

void elf_take_arrays(struct elf_file *f, struct elf_array *init, struct elf_array *fini) {
  *init = take_array(f, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
  *fini = take_array(f, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
}

void elf_make_unique_global(struct elf_file *f) {
  for (size_t i = 0; i < f->symbol_count; i++) {
    unsigned char *info = &f->symbols[i].st_info;
    if (ELF64_ST_BIND(*info) == STB_GNU_UNIQUE)
      *info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(*info));
  }
}

void elf_weaken_undefined(struct elf_file *f) {
  for (size_t i = 1; i < f->symbol_count; i++) {
    Elf64_Sym *s = &f->symbols[i];
    if (s->st_shndx != SHN_UNDEF || ELF64_ST_BIND(s->st_info) != STB_GLOBAL)
      continue;
    s->st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(s->st_info));
    s->st_other |= ELF_WEAKENED;
  }
}

static bool is_operator_new_or_delete(const char *name) {
  static const char *const prefixes[] = {"_Znw", "_Zna", "_Zdl", "_Zda"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], 4) == 0)
      return true;
  return false;
}

void elf_hide_operators(struct elf_file *f) {
  for (size_t i = 0; i < f->symbol_count; i++) {
    Elf64_Sym *s = &f->symbols[i];
    if (s->st_shndx != SHN_UNDEF && is_operator_new_or_delete(elf_string(f, s->st_name))) {
      s->st_shndx = SHN_UNDEF;
      s->st_value = 0; /* the dynamic linker looks elsewhere */
    }
  }
}

static void rename_string(struct elf_file *f, size_t offset, const char *name, const char *prefix) {
  if (strlen(name) >= 3 && !strcmp(elf_string(f, offset), name))
    memcpy(f->strings + offset, prefix, 3);
}

void elf_rename_library(struct elf_file *f, const char *name, const char prefix[3]) {
  for (size_t i = 0; i < f->dynamic_count && f->dynamic[i].d_tag != DT_NULL; i++)
    if (f->dynamic[i].d_tag == DT_NEEDED)
      rename_string(f, f->dynamic[i].d_un.d_val, name, prefix);
  /* The versions it wants of that library; mostly the same string. */
  Elf64_Addr at = dynamic_value(f, DT_VERNEED);
  for (size_t n = dynamic_value(f, DT_VERNEEDNUM); n > 0; n--) {
    const Elf64_Verneed *v = elf_at(f, at, sizeof *v);
    if (!v)
      return;
    rename_string(f, v->vn_file, name, prefix);
    at += v->vn_next;
  }
}

void elf_rename_self(struct elf_file *f, const char prefix[3]) {
  const Elf64_Dyn *d = elf_dynamic(f, DT_SONAME);
  if (d && strlen(elf_string(f, d->d_un.d_val)) >= 3)
    memcpy(f->strings + d->d_un.d_val, prefix, 3);
}

void elf_drop_needed(struct elf_file *f, Elf64_Dyn *needed) {
  (void)f;
  needed->d_tag = DT_DEBUG; /* a tag the dynamic linker ignores in what it loads */
}

int elf_to_descriptor(const struct elf_file *f, const char *name) {
  int fd = files_to_host(memfd_create(name, MFD_CLOEXEC));
  size_t done = 0;
  ssize_t n = 0;
  while (fd >= 0 && done < f->size && (n = write(fd, f->bytes + done, f->size - done)) > 0)
    done += (size_t)n;
  if (fd >= 0 && done < f->size) {
    close(fd);
    return -1;
  }
  return fd;
}
