#include "report/symbol.h"
#include "base/mem.h"
#include "base/str.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct object {
  char *path;
  Dwfl *dwfl;
  Dwfl_Module *module; /* NULL: could not be opened */
  Dwarf_Addr base;     /* where libdwfl puts offset 0 */
};

typedef VEC(Dwarf_Die) die_list;

struct symbols {
  VEC(struct object) objects;
};

struct symbols *symbols_create(void) {
  unsetenv("DEBUGINFOD_URLS"); /* a report does not wait for the network */
  return mem_alloc(sizeof(struct symbols));
}

void symbols_free(struct symbols *s) {
  for (size_t i = 0; i < s->objects.length; i++) {
    struct object *o = &s->objects.data[i];
    if (o->dwfl)
      dwfl_end(o->dwfl);
    mem_free(o->path, strlen(o->path) + 1);
  }
  vec_free(&s->objects);
  mem_free(s, sizeof *s);
}

static struct object open_object(const char *path) {
  static char *debug_path;
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = dwfl_offline_section_address,
      .debuginfo_path = &debug_path,
  };
  struct object o = {.path = mem_strdup(path), .dwfl = dwfl_begin(&callbacks)};
  if (!o.dwfl)
    return o;
  dwfl_report_begin(o.dwfl);
  o.module = dwfl_report_offline(o.dwfl, path, path, -1);
  dwfl_report_end(o.dwfl, NULL, NULL);
  GElf_Addr bias = 0;
  if (o.module && dwfl_module_getelf(o.module, &bias))
    o.base = bias;
  else
    o.module = NULL;
  return o;
}

static struct object *get_object(struct symbols *s, const char *path) {
  for (size_t i = 0; i < s->objects.length; i++)
    if (strcmp(s->objects.data[i].path, path) == 0)
      return &s->objects.data[i];
  vec_push(&s->objects, open_object(path));
  return &vec_last(&s->objects);
}

static char *copy(const char *text) {
  return text && *text ? mem_strdup(text) : NULL;
}

/* Of the C++ runtime, which the solver needs anyway. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* "ns::box<int>::put(int) const" without what follows the name. */
static void cut_parameters(char *name) {
  int depth = 0;
  for (char *p = name; *p; p++) {
    if (strncmp(p, "(anonymous namespace)", 21) == 0)
      p += 20;
    else if (strncmp(p, "operator()", 10) == 0)
      p += 9;
    else if (*p == '<')
      depth++;
    else if (*p == '>' && depth)
      depth--;
    else if (*p == '(' && depth == 0) {
      *p = 0;
      return;
    }
  }
}

/* "void ns::put<int>" without the type in front, which only names of templates have. */
static void cut_result(char *name) {
  int depth = 0;
  char *begin = name;
  for (char *p = name; *p; p++) {
    if (depth == 0 && strncmp(p, "operator", 8) == 0)
      break; /* "operator bool": what follows is the name */
    depth += (*p == '<' || *p == '(') - (depth && (*p == '>' || *p == ')'));
    if (*p == ' ' && depth == 0)
      begin = p + 1;
  }
  memmove(name, begin, strlen(begin) + 1);
}

/* What clang writes before an argument of a template that is a value (Tn, and its type) is newer than many demanglers:
 * then the name with the arguments before it, as a function without parameters, or NULL.  Its result is
 * made up. */
static char *demangle_without_values(const char *linkage_name) {
  /* Of a constructor; of a function, whose result comes first, and whose name has several parts, or one. */
  static const char *const ends[] = {"EEv", "EEvv", "Evv"};
  const char *value = strstr(linkage_name, "Tn");
  char *name = NULL;
  for (size_t i = 0; value && !name && i < sizeof ends / sizeof *ends; i++) {
    struct str text = {0};
    str_append_bytes(&text, linkage_name, (size_t)(value - linkage_name));
    str_append(&text, ends[i]);
    name = __cxa_demangle(str_text(&text), NULL, NULL, NULL);
    str_free(&text);
  }
  return name;
}

/* Demanglers take "b" for a type, bool. */
static char *readable_name(const char *linkage_name, bool function) {
  bool mangled = strncmp(linkage_name, "_Z", 2) == 0;
  char *name = mangled ? __cxa_demangle(linkage_name, NULL, NULL, NULL) : NULL;
  if (!name && mangled && function)
    name = demangle_without_values(linkage_name);
  if (!name)
    return copy(linkage_name);
  if (function) {
    cut_parameters(name);
    cut_result(name);
  }
  char *result = copy(name);
  free(name);
  return result;
}

/* A parallel region of OpenMP is part of the function that it stands in, whatever clang has made of it. */
static void cut_region(char *name) {
  char *end = strstr(name, ".omp_outlined");
  if (end && end != name)
    *end = 0;
}

static char *function_name(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  const char *linkage = NULL;
  if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
    linkage = dwarf_formstring(&attribute);
  char *name = linkage ? readable_name(linkage, true) : copy(dwarf_diename(die));
  if (name)
    cut_region(name);
  return name;
}

static uint32_t attribute_number(Dwarf_Die *die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word n = 0;
  if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &n) != 0)
    return 0;
  return (uint32_t)n;
}

static const char *call_file(Dwarf_Die *unit, Dwarf_Die *inlined) {
  Dwarf_Files *files;
  size_t count;
  uint32_t index = attribute_number(inlined, DW_AT_call_file);
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count)
    return NULL;
  return dwarf_filesrc(files, index, NULL, NULL);
}

/* What may contain the address; blocks between functions matter only as the way to them. */
static bool is_scope(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
         tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* What has no addresses of its own, but functions inside: those of a C++ namespace are defined
 * there, and dwarf_getscopes does not look into it. */
static bool is_container(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

/* The scopes below parent that contain the address, outermost first. */
static bool find_scopes(Dwarf_Die *parent, Dwarf_Addr address, die_list *out) {
  Dwarf_Die die;
  if (dwarf_child(parent, &die) != 0)
    return false;
  do {
    int tag = dwarf_tag(&die);
    if (is_scope(tag) && dwarf_haspc(&die, address) == 1) {
      vec_push(out, die);
      find_scopes(&die, address, out);
      return true;
    }
    if (is_container(tag) && find_scopes(&die, address, out))
      return true;
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

/* Functions around the address, innermost first.  An inlined one is followed by the place of its
 * call. */
static void add_scopes(Dwarf_Die *unit, Dwarf_Addr address, struct place at, place_list *out) {
  die_list scopes = {0};
  size_t before = out->length;
  find_scopes(unit, address, &scopes);
  for (size_t i = scopes.length; i-- > 0;) {
    Dwarf_Die *die = &scopes.data[i];
    int tag = dwarf_tag(die);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
      continue;
    at.function = function_name(die);
    vec_push(out, at);
    if (tag == DW_TAG_subprogram)
      break;
    at = (struct place){.file = copy(call_file(unit, die)),
                        .line = attribute_number(die, DW_AT_call_line),
                        .column = attribute_number(die, DW_AT_call_column)};
  }
  if (out->length == before)
    vec_push(out, at);
  vec_free(&scopes);
}

/* The compilation unit with the address.  libdw's own lookup needs .debug_aranges, which clang does
 * not write: then ask each unit.  Where some units have them it takes the one before for the others. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias) {
  Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
  if (unit && dwarf_haspc(unit, address - *bias) == 1)
    return unit;
  unit = NULL;
  while ((unit = dwfl_module_nextcu(module, unit, bias)))
    if (dwarf_haspc(unit, address - *bias) == 1)
      return unit;
  return NULL;
}

/* Code that the optimiser made of several statements (the pauses of two ways round a loop) has line 0.  Then the nearest
 * code of the same scope says better where that is: what comes before it, or else after it. */
static Dwarf_Line *line_near(Dwarf_Die *unit, Dwarf_Addr address) {
  die_list scopes = {0};
  Dwarf_Lines *lines;
  size_t count = 0;
  find_scopes(unit, address, &scopes);
  if (!scopes.length || dwarf_getsrclines(unit, &lines, &count) != 0)
    count = 0;
  Dwarf_Line *before = NULL, *after = NULL;
  for (size_t i = 0; i < count && !after; i++) {
    Dwarf_Line *l = dwarf_onesrcline(lines, i);
    Dwarf_Addr at;
    int number;
    if (dwarf_lineno(l, &number) != 0 || number == 0 || dwarf_lineaddr(l, &at) != 0 ||
        dwarf_haspc(&vec_last(&scopes), at) != 1)
      continue;
    if (at <= address)
      before = l;
    else
      after = l;
  }
  vec_free(&scopes);
  return before ? before : after;
}

static void find_frames(struct object *o, Dwarf_Addr address, bool nearly, place_list *out) {
  struct place at = {0};
  Dwarf_Addr bias = 0;
  Dwarf_Die *unit = find_unit(o->module, address, &bias);
  if (!unit) {
    const char *name = dwfl_module_addrname(o->module, address);
    at.function = name ? readable_name(name, true) : NULL;
    vec_push(out, at);
    return;
  }
  Dwarf_Line *line = dwarf_getsrc_die(unit, address - bias);
  int number = 0, column = 0;
  if (nearly && line && dwarf_lineno(line, &number) == 0 && number == 0) {
    Dwarf_Line *near = line_near(unit, address - bias);
    line = near ? near : line;
  }
  if (line && dwarf_lineno(line, &number) == 0 && dwarf_linecol(line, &column) == 0)
    at = (struct place){.file = copy(dwarf_linesrc(line, NULL, NULL)),
                        .line = (uint32_t)number,
                        .column = (uint32_t)column};
  add_scopes(unit, address - bias, at, out);
}

/* nearly: another line is better than none. */
static void add_frames(struct symbols *s, const char *path, uint64_t offset, bool nearly,
                       place_list *out) {
  struct object *o = get_object(s, path);
  size_t before = out->length;
  if (o->module)
    find_frames(o, o->base + offset, nearly, out);
  else
    vec_push(out, (struct place){0});
  struct place *innermost = &out->data[before];
  if (!innermost->file) {
    innermost->object = mem_strdup(path);
    innermost->offset = offset;
  }
}

void symbols_frames(struct symbols *s, const char *path, uint64_t offset, place_list *out) {
  add_frames(s, path, offset, false, out); /* who asks may know the line (report_prepare.c) */
}

/* The instrumentation knows the names of functions without debug information as the linker does. */
static void make_readable(struct place *p) {
  if (!p->function || strncmp(p->function, "_Z", 2) != 0)
    return;
  char *name = readable_name(p->function, true);
  mem_free(p->function, strlen(p->function) + 1);
  p->function = name;
}

void symbols_resolve(struct symbols *s, struct place *p) {
  make_readable(p);
  if (p->file || !p->object)
    return;
  place_list frames = {0};
  add_frames(s, p->object, p->offset, true, &frames);
  struct place *found = &frames.data[0];
  if (found->file) {
    p->file = found->file;
    p->line = found->line;
    p->column = found->column;
  }
  if (!p->function)
    p->function = found->function;
  vec_free(&frames); /* the texts of outer frames stay: few and small */
}

char *symbols_variable(struct symbols *s, const char *path, uint64_t offset) {
  struct object *o = get_object(s, path);
  GElf_Sym symbol;
  GElf_Off inside;
  const char *linkage_name = o->module ? dwfl_module_addrinfo(o->module, o->base + offset, &inside,
                                                              &symbol, NULL, NULL, NULL)
                                       : NULL;
  if (!linkage_name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || inside >= symbol.st_size)
    return NULL;
  char *name = readable_name(linkage_name, false);
  if (!inside || !name)
    return name;
  struct str text = {0};
  str_format(&text, "%s+%lu", name, (unsigned long)inside);
  mem_free(name, strlen(name) + 1);
  name = mem_strdup(str_text(&text));
  str_free(&text);
  return name;
}

static bool contains(const text_list *list, const char *text) {
  for (size_t i = 0; i < list->length; i++)
    if (strcmp(list->data[i], text) == 0)
      return true;
  return false;
}

static const char *folder_of(Dwarf_Die *unit) {
  Dwarf_Attribute attribute;
  return dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

void symbols_folders(struct symbols *s, const char *path, text_list *out) {
  struct object *o = get_object(s, path);
  Dwarf_Addr bias;
  if (!o->module)
    return;
  for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(o->module, unit, &bias));) {
    const char *folder = folder_of(unit);
    if (folder && !contains(out, folder))
      vec_push(out, mem_strdup(folder));
  }
}

/* The source file of a unit, with its folder unless that is not known; or nothing. */
static void put_unit(Dwarf_Die *unit, struct str *out) {
  const char *name = dwarf_diename(unit), *folder = folder_of(unit);
  if (!name)
    return;
  if (name[0] != '/' && folder)
    str_format(out, "%s/", folder);
  str_append(out, name);
}

/* Assembly, or from another compiler. */
static bool is_foreign(Dwarf_Die *unit) {
  Dwarf_Attribute attribute;
  const char *producer =
      dwarf_attr(unit, DW_AT_producer, &attribute) ? dwarf_formstring(&attribute) : NULL;
  return dwarf_srclang(unit) == DW_LANG_Mips_Assembler ||
         (producer && !strstr(producer, "clang version"));
}

static void list_units(struct symbols *s, const char *path, bool foreign, text_list *out) {
  struct object *o = get_object(s, path);
  Dwarf_Addr bias;
  struct str file = {0};
  if (!o->module)
    return;
  for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(o->module, unit, &bias));) {
    str_clear(&file);
    put_unit(unit, &file);
    if (file.length && (!foreign || is_foreign(unit)))
      vec_push(out, mem_strdup(str_text(&file)));
  }
  str_free(&file);
}

void symbols_units(struct symbols *s, const char *path, text_list *out) {
  list_units(s, path, false, out);
}

void symbols_foreign_units(struct symbols *s, const char *path, text_list *out) {
  list_units(s, path, true, out);
}

/* ---- fields ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

/* Of an array an element; without what says how it may be used.  True: it is atomic. */
static bool peel(Dwarf_Die *type) {
  bool atomic = false;
  for (int tag = dwarf_tag(type); tag == DW_TAG_array_type || tag == DW_TAG_atomic_type ||
                                  tag == DW_TAG_volatile_type || tag == DW_TAG_const_type;
       tag = dwarf_tag(type)) {
    Dwarf_Die inner;
    atomic |= tag == DW_TAG_atomic_type;
    if (!type_of(type, &inner))
      break;
    *type = inner;
  }
  return atomic;
}

static bool is_record(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static const char *record_word(int tag, bool cpp) {
  return cpp ? "" : tag == DW_TAG_union_type ? "union " : "struct ";
}

static void type_text(Dwarf_Die type, bool cpp, struct str *out);

/* "int (*)(long)"; stars: of the pointer to it. */
static void function_type_text(Dwarf_Die *type, int stars, bool cpp, struct str *out) {
  Dwarf_Die inner, parameter;
  const char *separator = "";
  if (type_of(type, &inner))
    type_text(inner, cpp, out);
  else
    str_append(out, "void");
  str_append(out, " (");
  for (int i = 0; i < stars; i++)
    str_append_char(out, '*');
  str_append(out, ")(");
  for (int end = dwarf_child(type, &parameter); end == 0;
       end = dwarf_siblingof(&parameter, &parameter)) {
    str_append(out, separator);
    if (dwarf_tag(&parameter) == DW_TAG_unspecified_parameters)
      str_append(out, "...");
    else if (type_of(&parameter, &inner))
      type_text(inner, cpp, out);
    separator = ", ";
  }
  str_append(out, *separator ? ")" : "void)");
}

/* In C; of what has no name nothing. */
static void type_text(Dwarf_Die type, bool cpp, struct str *out) {
  int stars = 0;
  Dwarf_Die inner;
  peel(&type);
  while (dwarf_tag(&type) == DW_TAG_pointer_type) {
    stars++;
    if (!type_of(&type, &inner)) {
      str_append(out, "void");
      break;
    }
    type = inner;
    peel(&type);
  }
  if (dwarf_tag(&type) == DW_TAG_subroutine_type) {
    function_type_text(&type, stars, cpp, out);
    return;
  }
  if (dwarf_tag(&type) != DW_TAG_pointer_type && dwarf_diename(&type)) {
    if (is_record(dwarf_tag(&type)))
      str_append(out, record_word(dwarf_tag(&type), cpp));
    str_append(out, dwarf_diename(&type));
  }
  for (int i = 0; out->length && i < stars; i++)
    str_append(out, i ? "*" : " *");
}

struct field_search {
  const char *record, *name;
  int size;
  bool cpp;
  struct str type, owner;
  bool found, several_types, several_owners, bits, array;
};

static void consider_member(struct field_search *s, Dwarf_Die *record, Dwarf_Die *member) {
  Dwarf_Die type;
  Dwarf_Word size = 0;
  const char *name = dwarf_diename(member), *of = dwarf_diename(record);
  if (s->record && !(of && strcmp(of, s->record) == 0))
    return;
  if (dwarf_tag(member) != DW_TAG_member || !name || strcmp(name, s->name) != 0 ||
      !type_of(member, &type))
    return;
  bool array = dwarf_tag(&type) == DW_TAG_array_type;
  bool atomic = peel(&type);
  bool bits = dwarf_hasattr(member, DW_AT_bit_size);
  if (!bits && (dwarf_aggregate_size(&type, &size) != 0 || size != (Dwarf_Word)s->size))
    return;
  s->bits |= bits;
  s->array |= array;
  struct str text = {0}, owner = {0};
  str_append(&text, atomic ? "_Atomic(" : "");
  type_text(type, s->cpp, &text);
  str_append(&text, atomic ? ")" : "");
  if (of)
    str_format(&owner, "%s%s", record_word(dwarf_tag(record), s->cpp), of);
  if (!s->found) {
    str_append(&s->type, str_text(&text));
    str_append(&s->owner, str_text(&owner));
  }
  s->several_types |= strcmp(str_text(&text), str_text(&s->type)) != 0;
  s->several_owners |= strcmp(str_text(&owner), str_text(&s->owner)) != 0;
  s->found = true;
  str_free(&text);
  str_free(&owner);
}

static void search_fields(struct field_search *s, Dwarf_Die *parent) {
  Dwarf_Die die;
  if (dwarf_child(parent, &die) != 0)
    return;
  do {
    if (is_record(dwarf_tag(parent)))
      consider_member(s, parent, &die);
    if (is_container(dwarf_tag(&die)))
      search_fields(s, &die);
  } while (dwarf_siblingof(&die, &die) == 0);
}

bool symbols_field(struct symbols *s, const char *path, const char *record, const char *name,
                   int size, struct symbols_field *out) {
  struct object *o = get_object(s, path);
  struct field_search f = {.record = record, .name = name, .size = size};
  Dwarf_Addr bias;
  if (!o->module)
    return false;
  for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(o->module, unit, &bias));) {
    int language = dwarf_srclang(unit);
    f.cpp = language != DW_LANG_C && language != DW_LANG_C89 && language != DW_LANG_C99 &&
            language != DW_LANG_C11;
    search_fields(&f, unit);
  }
  bool known = f.found && !f.several_types && f.type.length;
  if (known) {
    out->type = mem_strdup(str_text(&f.type));
    out->bits = f.bits;
    out->array = f.array;
    out->owner = f.several_owners ? NULL : copy(str_text(&f.owner));
  }
  str_free(&f.type);
  str_free(&f.owner);
  return known;
}
