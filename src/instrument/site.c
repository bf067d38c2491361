#include "instrument/site.h"
#include "base/hash.h"
#include "base/str.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#define BUCKETS 1024
#define PATH_MAX_KEPT 1024

struct entry {
  struct entry *next;
  LLVMValueRef value;
  struct str key;
};

struct site_table {
  struct entry *buckets[BUCKETS];
  char file[PATH_MAX_KEPT];   /* NUL-terminated copy of the last file name looked at */
  char folder[PATH_MAX_KEPT]; /* where the compiler ran; "" if not known yet */
};

struct site_table *site_table_create(void) {
  return mem_alloc(sizeof(struct site_table));
}

void site_table_destroy(struct site_table *table) {
  for (int i = 0; i < BUCKETS; i++)
    for (struct entry *e = table->buckets[i], *next; e; e = next) {
      next = e->next;
      str_free(&e->key);
      mem_free(e, sizeof *e);
    }
  mem_free(table, sizeof *table);
}

/* The entry of that key; its value is NULL if it is new. */
static struct entry *find(struct site_table *table, const char *key) {
  struct entry **bucket = &table->buckets[hash_bytes(0, key, strlen(key)) % BUCKETS];
  for (struct entry *e = *bucket; e; e = e->next)
    if (strcmp(str_text(&e->key), key) == 0)
      return e;
  struct entry *e = mem_alloc(sizeof *e);
  str_append(&e->key, key);
  e->next = *bucket;
  return *bucket = e;
}

static LLVMValueRef constant(struct pass *pass, LLVMValueRef value, const char *name) {
  LLVMValueRef global = LLVMAddGlobal(pass->module, LLVMTypeOf(value), name);
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  return global;
}

LLVMValueRef site_text(struct pass *pass, const char *text) {
  struct str key = {0};
  str_format(&key, "\"%s", text);
  struct entry *e = find(pass->sites, str_text(&key));
  str_free(&key);
  if (!e->value)
    e->value = constant(pass, LLVMConstStringInContext2(pass->context, text, strlen(text), false),
                        "tidemark.text");
  return e->value;
}

/* Operand `index` of a debug-information node; NULL if there is none. */
static LLVMMetadataRef node_operand(struct pass *pass, LLVMMetadataRef node, unsigned index) {
  LLVMValueRef operands[32];
  LLVMValueRef value = LLVMMetadataAsValue(pass->context, node);
  unsigned count = LLVMGetMDNodeNumOperands(value);
  if (index >= count || count > 32)
    return NULL;
  LLVMGetMDNodeOperands(value, operands);
  return operands[index] ? LLVMValueAsMetadata(operands[index]) : NULL;
}

/* In subprograms, types and namespaces alike: operand 1 is the enclosing scope, 2 the name. */
static LLVMMetadataRef scope_parent(struct pass *pass, LLVMMetadataRef scope) {
  return node_operand(pass, scope, 1);
}

/* A parallel region of OpenMP has the name of the function that it stands in. */
static const char *scope_name(struct pass *pass, LLVMMetadataRef scope, unsigned *length) {
  LLVMMetadataRef name = node_operand(pass, scope, 2);
  if (!name || LLVMGetMetadataKind(name) != LLVMMDStringMetadataKind)
    return NULL;
  const char *text = LLVMGetMDString(LLVMMetadataAsValue(pass->context, name), length);
  const char *region = memmem(text, *length, ".omp_outlined", strlen(".omp_outlined"));
  if (region && region != text)
    *length = (unsigned)(region - text);
  return text;
}

/* How much of a scope's name is kept, so that all of them fit: not the arguments of long templates. */
#define SCOPE_NAME_MAX 60
static int kept_length(const char *name, unsigned length) {
  const char *arguments = length > SCOPE_NAME_MAX ? memchr(name, '<', length) : NULL;
  return arguments ? (int)(arguments - name) : (int)length;
}

/* "Tree::insert": the classes a function is in are part of its name, namespaces are too. */
static void qualified_name(struct pass *pass, LLVMMetadataRef scope, char *out, size_t size) {
  out[0] = 0;
  while (scope) {
    LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
    bool named = kind == LLVMDISubprogramMetadataKind || kind == LLVMDICompositeTypeMetadataKind ||
                 kind == LLVMDINamespaceMetadataKind;
    if (!named && kind != LLVMDILexicalBlockMetadataKind &&
        kind != LLVMDILexicalBlockFileMetadataKind)
      return;
    unsigned length = 0;
    const char *name = named ? scope_name(pass, scope, &length) : NULL;
    if (name) {
      char rest[256];
      snprintf(rest, sizeof rest, "%s", out);
      int kept = kept_length(name, length);
      snprintf(out, size, "%.*s%s%s%s", kept, name, kept < (int)length ? "<...>" : "",
               rest[0] ? "::" : "", rest);
    }
    scope = scope_parent(pass, scope);
  }
}

static void folder_of(LLVMMetadataRef file, char *out, size_t size) {
  unsigned length;
  const char *name = LLVMDIFileGetDirectory(file, &length);
  snprintf(out, size, "%.*s", (int)length, name);
}

static void find_compilation_folder(struct pass *pass) {
  LLVMValueRef units[1];
  if (LLVMGetNamedMetadataNumOperands(pass->module, "llvm.dbg.cu") != 1)
    return;
  LLVMGetNamedMetadataOperands(pass->module, "llvm.dbg.cu", units);
  LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMValueAsMetadata(units[0]));
  if (file)
    folder_of(file, pass->sites->folder, sizeof pass->sites->folder);
}

/* The name as the compiler was given it.  Of absolute names clang moves what they share with the
 * current folder into the directory part; put it back. */
static const char *file_of(struct pass *pass, LLVMMetadataRef location) {
  struct site_table *table = pass->sites;
  LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
  table->file[0] = 0;
  if (!file)
    return table->file;
  if (!table->folder[0])
    find_compilation_folder(pass);
  char folder[PATH_MAX_KEPT];
  unsigned length;
  const char *name = LLVMDIFileGetFilename(file, &length);
  folder_of(file, folder, sizeof folder);
  if (folder[0] && table->folder[0] && length && name[0] != '/' &&
      strcmp(folder, table->folder) != 0)
    snprintf(table->file, sizeof table->file, "%s/%.*s", folder, (int)length, name);
  else
    snprintf(table->file, sizeof table->file, "%.*s", (int)length, name);
  return table->file;
}

/* The system's, or ours in their place. */
static bool is_system_header(const char *file) {
  return strncmp(file, "/usr/", 5) == 0 || strstr(file, "/tidemark-std/");
}

void site_place(struct pass *pass, LLVMValueRef instruction, struct place *place) {
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
  *place = (struct place){.file = ""};
  if (!location) {
    size_t length;
    const char *name = LLVMGetValueName2(pass->function, &length);
    snprintf(place->function, sizeof place->function, "%.*s", (int)length, name);
    LLVMMetadataRef subprogram = LLVMGetSubprogram(pass->function);
    if (subprogram)
      qualified_name(pass, subprogram, place->function, sizeof place->function);
    return;
  }
  LLVMMetadataRef outer;
  while (is_system_header(file_of(pass, location)) &&
         (outer = LLVMDILocationGetInlinedAt(location)))
    location = outer;
  place->file = file_of(pass, location);
  place->line = LLVMDILocationGetLine(location);
  place->column = LLVMDILocationGetColumn(location);
  qualified_name(pass, LLVMDILocationGetScope(location), place->function, sizeof place->function);
}

LLVMValueRef site_of(struct pass *pass, LLVMValueRef instruction) {
  struct place place;
  site_place(pass, instruction, &place);
  struct str key = {0};
  str_format(&key, "%u:%u:%s:%s", place.line, place.column, place.function, place.file);
  struct entry *e = find(pass->sites, str_text(&key));
  str_free(&key);
  if (!e->value) {
    LLVMValueRef fields[] = {site_text(pass, place.file), site_text(pass, place.function),
                             pass_int(pass, pass->i32, place.line),
                             pass_int(pass, pass->i32, place.column)};
    e->value =
        constant(pass, LLVMConstStructInContext(pass->context, fields, 4, false), "tidemark.site");
  }
  return e->value;
}
