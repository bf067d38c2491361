/* A module: what is done to it before it is written, then objects and functions. */
#include "lift/lift_internal.h"
#include <limits.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lift_file(struct lift *l, const char *path) {
  for (size_t i = 0; i < l->files.length; i++)
    if (!strcmp(l->files.data[i], path))
      return (int)i;
  vec_push(&l->files, mem_strdup(path));
  return (int)l->files.length - 1;
}

/* ---- before ------------------------------------------------------------------------------- */

/* Does `from` call `to`, directly or not?  `seen` are functions looked at. */
static bool reaches(LLVMValueRef from, LLVMValueRef to, LLVMValueRef *seen, int *count, int max) {
  for (int i = 0; i < *count; i++)
    if (seen[i] == from)
      return false;
  if (*count == max)
    return true;
  seen[(*count)++] = from;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
      if (callee && LLVMIsAFunction(callee) &&
          (callee == to || reaches(callee, to, seen, count, max)))
        return true;
    }
  return false;
}

static void remove_attribute(LLVMValueRef f, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

static void add_attribute(LLVMValueRef f, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
  LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(context, kind, 0));
}

/* clang's helper for `noexcept` catches, too, only to end the program. */
static bool catches(LLVMModuleRef m) {
  LLVMValueRef f = LLVMGetNamedFunction(m, "__cxa_begin_catch");
  for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    size_t n;
    if (!LLVMIsAInstruction(user) ||
        strcmp(LLVMGetValueName2(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), &n),
               "__clang_call_terminate"))
      return true;
  }
  return false;
}

/* Handlers are left out here; whoever throws in a program that has some gets another name. */
static void name_exceptions(LLVMModuleRef m) {
  if (!catches(m))
    return;
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
    size_t n;
    const char *name = LLVMGetValueName2(f, &n);
    if (LLVMIsDeclaration(f) && (!strcmp(name, "__cxa_throw") || strstr(name, "__throw_")))
      LLVMSetValueName2(f, CIR_CAUGHT, strlen(CIR_CAUGHT));
  }
}

/* Names that begin with \01 are the linker's, and on macOS those of C have an underscore there. */
static void name_as_in_c(LLVMModuleRef m) {
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
    size_t n;
    const char *name = LLVMGetValueName2(f, &n);
    if (n > 2 && name[0] == '\1' && name[1] == '_' && !LLVMGetNamedFunction(m, name + 2)) {
      char *plain = mem_alloc(n);
      memcpy(plain, name + 2, n - 1); /* and its end */
      LLVMSetValueName2(f, plain, n - 2);
      mem_free(plain, n);
    }
  }
}

void lift_prepare(LLVMModuleRef m) {
  name_as_in_c(m);
  name_exceptions(m);
  lift_lower_assembly(m);
  enum { FUNCTIONS_MAX = 4096 };
  LLVMValueRef *seen = mem_alloc(FUNCTIONS_MAX * sizeof *seen);
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
    int count = 0;
    if (LLVMIsDeclaration(f))
      continue;
    remove_attribute(f, "noinline");
    remove_attribute(f, "optnone");
    if (!reaches(f, f, seen, &count, FUNCTIONS_MAX))
      add_attribute(f, "alwaysinline");
  }
  mem_free(seen, FUNCTIONS_MAX * sizeof *seen);
  /* No pass here removes or merges an access to memory that others can see. */
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(m,
                                     "function(lower-invoke),always-inline,globaldce,function(sroa,"
                                     "mem2reg,fix-irreducible,loop-simplify,lcssa)",
                                     NULL, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *text = LLVMGetErrorMessage(error);
    fprintf(stderr, "tidemark-lift: %s\n", text);
    exit(4);
  }
}

/* ---- writing ------------------------------------------------------------------------------ */

/* The number of a file; -1: not known.  A name may be relative to another directory than ours: clang
 * leaves out what a file's path has in common with its own directory. */
static int file_number(struct lift *l, const char *name, unsigned n, const char *directory,
                       unsigned m) {
  char here[4096];
  if (!name || !n)
    return -1;
  struct str path = {0};
  bool relative = name[0] != '/' && directory && m;
  if (relative &&
      !(getcwd(here, sizeof here) && strlen(here) == m && !memcmp(here, directory, m))) {
    str_append_bytes(&path, directory, m);
    str_append_char(&path, '/');
  }
  str_append_bytes(&path, name, n);
  int number = lift_file(l, str_text(&path));
  str_free(&path);
  return number;
}

struct lift_place lift_place_of(struct lift *l, LLVMValueRef instruction) {
  struct lift_place place = {-1, 0, 0};
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
  unsigned n = 0, m = 0;
  for (; at; at = LLVMDILocationGetInlinedAt(at)) {
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(at));
    const char *name = file ? LLVMDIFileGetFilename(file, &n) : NULL;
    if (name && lift_is_library(name, n) && LLVMDILocationGetInlinedAt(at))
      continue;
    place.file = file_number(l, name, n, file ? LLVMDIFileGetDirectory(file, &m) : NULL, m);
    if (place.file >= 0) {
      place.line = LLVMDILocationGetLine(at);
      place.column = LLVMDILocationGetColumn(at);
    }
    break;
  }
  return place;
}

static unsigned global_line(LLVMValueRef v, struct lift *l, int *file) {
  unsigned n = 0, m = 0;
  const char *name = LLVMGetDebugLocFilename(v, &n), *directory = LLVMGetDebugLocDirectory(v, &m);
  int number = file_number(l, name, n, directory, m);
  *file = number < 0 ? 0 : number;
  return number < 0 ? 0 : LLVMGetDebugLocLine(v);
}

static void write_object(struct lift *l, int number) {
  LLVMValueRef v = l->objects.data[number], initial = LLVMGetInitializer(v);
  LLVMTypeRef t = LLVMGlobalGetValueType(v);
  size_t n;
  int file;
  const char *name = LLVMGetValueName2(v, &n);
  int layout = LLVMTypeIsSized(t) ? lift_layout(l, t) : lift_layout(l, LLVMInt8Type());
  unsigned line = global_line(v, l, &file);
  str_format(&l->out, "object %d %d %s%s- %d %u %s\n", number, layout,
             LLVMIsThreadLocal(v) ? "t" : "", LLVMIsGlobalConstant(v) ? "c" : "", file, line, name);
  if (initial && !lift_initial(l, number, initial, 0))
    str_format(&l->out, "init %d 0 0 unsupported\n", number);
}

static void write_function(struct lift *l, int number) {
  LLVMValueRef f = l->functions.data[number];
  size_t n;
  const char *name = LLVMGetValueName2(f, &n);
  bool defined = !LLVMIsDeclaration(f);
  unsigned args = 0;
  for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p)) {
    int parts = lift_parts(l, LLVMTypeOf(p));
    args += parts ? (unsigned)parts : 1;
  }
  str_format(&l->out, "function %d %u %s %s\n", number, args, defined ? "d" : "x", name);
  if (!defined)
    return;
  lift_number_function(l, f);
  int extra = CIR_EXTRA_FIRST;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
    str_format(&l->out, "block %d\n", lift_block_number(b));
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      lift_instruction(l, i, &extra);
  }
  str_append(&l->out, "end\n");
}

/* What runs before main becomes a function that calls it all, with LLVM's name for the list. */
static void write_constructors(struct lift *l, int number) {
  LLVMValueRef all = LLVMGetNamedGlobal(l->module, CIR_CONSTRUCTORS);
  LLVMValueRef list = all ? LLVMGetInitializer(all) : NULL;
  if (!list || LLVMIsNull(list))
    return;
  str_format(&l->out, "function %d 0 d %s\nblock 0\n", number, CIR_CONSTRUCTORS);
  unsigned count = (unsigned)LLVMGetArrayLength2(LLVMTypeOf(list));
  for (long long at = -1, next; count; at = next) { /* priorities, ascending */
    next = LLONG_MAX;
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef one = LLVMGetAggregateElement(list, i);
      long long priority = LLVMConstIntGetSExtValue(LLVMGetAggregateElement(one, 0));
      if (priority == at) {
        str_append(&l->out, "call 0 0 0 %- 0");
        lift_operand(l, LLVMGetAggregateElement(one, 1), &l->out);
        str_append_char(&l->out, '\n');
      } else if (priority > at && priority < next) {
        next = priority;
      }
    }
    if (next == LLONG_MAX)
      break;
  }
  str_append(&l->out, "ret 0 0 0\nend\n");
}

void lift_module(struct lift *l) {
  l->data = LLVMGetModuleDataLayout(l->module);
  for (LLVMValueRef v = LLVMGetFirstGlobal(l->module); v; v = LLVMGetNextGlobal(v)) {
    size_t n;
    const char *name = LLVMGetValueName2(v, &n);
    if (strncmp(name, "llvm.", 5))
      vec_push(&l->objects, v);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
    vec_push(&l->functions, f);
  for (size_t i = 0; i < l->objects.length; i++)
    write_object(l, (int)i);
  for (size_t i = 0; i < l->functions.length; i++)
    write_function(l, (int)i);
  write_constructors(l, (int)l->functions.length);
}
