/* An ELF file in memory: checked, looked into, changed, and written to a file of its own.
 *
 * Every copy of a program or library that the worker loads is such a changed file.  All offsets
 * are checked in elf_read or where they are used: the file may be anything. */
#ifndef PROCESS_ELF_FILE_H
#define PROCESS_ELF_FILE_H

#include "base/str.h"
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_file {
  unsigned char *bytes;
  size_t size;
  const Elf64_Phdr *segments;
  int segment_count;
  Elf64_Dyn *dynamic; /* NULL: statically linked */
  size_t dynamic_count;
  char *strings;
  size_t strings_bytes;
  Elf64_Sym *symbols;
  size_t symbol_count;
};

/* A function array that the dynamic linker would run: addresses relative to the load bias. */
struct elf_array {
  uintptr_t address;
  size_t count;
};

/* false and one line in *error: cannot be read, or is not a dynamic ELF file for x86-64. */
bool elf_read(struct elf_file *f, const char *path, struct str *error);
void elf_free(struct elf_file *f);

Elf64_Dyn *elf_dynamic(const struct elf_file *f, Elf64_Sxword tag);
const char *elf_string(const struct elf_file *f, size_t offset); /* "" if out of bounds */
const Elf64_Sym *elf_defined(const struct elf_file *f, const char *name);
bool elf_refers(const struct elf_file *f, const char *name); /* to another file's symbol */
/* Of the symbols that only the file itself knows, the next of that name behind `after` (NULL: the first);
 * NULL: there is none, or they were stripped. */
const Elf64_Sym *elf_next_local(const struct elf_file *f, const char *name, const Elf64_Sym *after);
/* Each function that its symbol tables have, some of them twice. */
void elf_each_function(const struct elf_file *f,
                       void (*fn)(void *context, const char *name, Elf64_Addr address),
                       void *context);
const void *elf_at(const struct elf_file *f, Elf64_Addr address, size_t bytes); /* NULL: nothing */
bool elf_has_segment(const struct elf_file *f, Elf64_Word type);
/* The next variable of another file, from relocation *i on, that the file has a copy of; NULL: there is none. */
const char *elf_next_copied(const struct elf_file *f, size_t *i);

#define ELF_WEAKENED 0x80 /* in st_other of symbols that elf_weaken_undefined has changed */

/* Changes. */
void elf_clear_pie(struct elf_file *f);
void elf_take_arrays(struct elf_file *f, struct elf_array *init, struct elf_array *fini);
void elf_make_unique_global(struct elf_file *f);
void elf_weaken_undefined(struct elf_file *f); /* whoever loads it need not define them yet */
void elf_hide_operators(struct elf_file *f); /* C++'s operator new and delete, in all their forms */
void elf_rename_library(struct elf_file *f, const char *name, const char prefix[3]);
void elf_rename_self(struct elf_file *f, const char prefix[3]);
void elf_drop_needed(struct elf_file *f, Elf64_Dyn *needed);

/* A descriptor (in the worker's range) of a file with the contents; -1 and errno. */
int elf_to_descriptor(const struct elf_file *f, const char *name);

#endif
