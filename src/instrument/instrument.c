#include "instrument/instrument.h"
#include "abi/abi.h"
#include "instrument/access.h"
#include "instrument/atomic.h"
#include "instrument/call.h"
#include "instrument/counting.h"
#include "instrument/ends.h"
#include "instrument/helper.h"
#include "instrument/orders.h"
#include "instrument/site.h"
#include "instrument/spins.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

static bool is_atomic(LLVMValueRef access) {
  return LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic;
}

static bool rewrite(struct pass *pass, LLVMValueRef i) {
  if (rewrite_segment_access(pass, i))
    return true;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
    return is_atomic(i) ? rewrite_atomic_load(pass, i) : rewrite_load(pass, i);
  case LLVMStore:
    return is_atomic(i) ? rewrite_atomic_store(pass, i) : rewrite_store(pass, i);
  case LLVMAtomicRMW:
    return rewrite_rmw(pass, i);
  case LLVMAtomicCmpXchg:
    return rewrite_cmpxchg(pass, i);
  case LLVMFence:
    return rewrite_fence(pass, i);
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    return rewrite_call(pass, i);
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
    return rewrite_division(pass, i);
  default:
    return false;
  }
}

/* What the compiler believes about a function's accesses no longer holds once they are calls of
 * hooks: they may wait, switch threads and never return.  And a pointer known to be dereferenceable
 * would let it load before the window test. */
static void drop_promises(LLVMValueRef function) {
  static const char *const of_function[] = {"memory",     "nosync",       "nofree",
                                            "willreturn", "mustprogress", "speculatable"};
  static const char *const of_value[] = {"dereferenceable", "dereferenceable_or_null"};
  for (size_t i = 0; i < sizeof of_function / sizeof *of_function; i++)
    LLVMRemoveEnumAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMGetEnumAttributeKindForName(of_function[i], strlen(of_function[i])));
  for (size_t i = 0; i < sizeof of_value / sizeof *of_value; i++)
    for (unsigned p = 0; p <= LLVMCountParams(function); p++) /* 0 is the result */
      LLVMRemoveEnumAttributeAtIndex(
          function, p, LLVMGetEnumAttributeKindForName(of_value[i], strlen(of_value[i])));
}

/* A jump in place of a call and a return would take the caller's frame, and with it the line of the call, out of every
 * stack.  Functions that call themselves last may become loops. */
static void keep_caller(LLVMValueRef function, LLVMValueRef i) {
  if (LLVMIsACallInst(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) &&
      LLVMGetCalledValue(i) != function && LLVMGetTailCallKind(i) != LLVMTailCallKindMustTail)
    LLVMSetTailCallKind(i, LLVMTailCallKindNoTail);
}

static void rewrite_function(struct pass *pass, LLVMValueRef function) {
  VEC(LLVMValueRef) todo = {0};
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      vec_push(&todo, i);
  pass->function = function;
  drop_promises(function);
  for (size_t i = 0; i < todo.length; i++) {
    keep_caller(function, todo.data[i]);
    LLVMPositionBuilderBefore(pass->builder, todo.data[i]);
    LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(todo.data[i]));
    rewrite(pass, todo.data[i]);
  }
  vec_free(&todo);
}

/* The mark by which the checker knows that a file was built for it. */
static void define_abi_version(struct pass *pass) {
  LLVMValueRef mark = LLVMAddGlobal(pass->module, pass->i32, ABI_VERSION_SYMBOL);
  LLVMSetInitializer(mark, pass_int(pass, pass->i32, ABI_VERSION));
  LLVMSetGlobalConstant(mark, true);
  LLVMSetLinkage(mark, LLVMWeakAnyLinkage);
  LLVMSetVisibility(mark, LLVMDefaultVisibility);
  /* llvm.used keeps it in optimised modules and through --gc-sections. */
  LLVMValueRef old = LLVMGetNamedGlobal(pass->module, "llvm.used");
  VEC(LLVMValueRef) kept = {0};
  if (old) {
    LLVMValueRef list = LLVMGetInitializer(old);
    for (int i = 0; i < LLVMGetNumOperands(list); i++)
      vec_push(&kept, LLVMGetOperand(list, (unsigned)i));
    LLVMDeleteGlobal(old);
  }
  vec_push(&kept, mark);
  LLVMValueRef list = LLVMConstArray2(pass->ptr, kept.data, kept.length);
  LLVMValueRef used = LLVMAddGlobal(pass->module, LLVMTypeOf(list), "llvm.used");
  LLVMSetInitializer(used, list);
  LLVMSetLinkage(used, LLVMAppendingLinkage);
  LLVMSetSection(used, "llvm.metadata");
  vec_free(&kept);
}

/* The checker looks it up by its name, also with -fvisibility=hidden. */
static void export_main(struct pass *pass) {
  LLVMValueRef function = LLVMGetNamedFunction(pass->module, "main");
  if (function && !LLVMIsDeclaration(function))
    LLVMSetVisibility(function, LLVMDefaultVisibility);
}

static void pass_init(struct pass *pass, LLVMContextRef context, LLVMModuleRef module) {
  *pass = (struct pass){.context = context, .module = module};
  pass->layout = LLVMGetModuleDataLayout(module);
  pass->builder = LLVMCreateBuilderInContext(context);
  pass->void_type = LLVMVoidTypeInContext(context);
  pass->ptr = LLVMPointerTypeInContext(context, 0);
  pass->i1 = LLVMInt1TypeInContext(context);
  pass->i8 = LLVMInt8TypeInContext(context);
  pass->i32 = LLVMInt32TypeInContext(context);
  pass->i64 = LLVMInt64TypeInContext(context);
  pass->md_tbaa = LLVMGetMDKindIDInContext(context, "tbaa", 4);
  pass->md_nontemporal = LLVMGetMDKindIDInContext(context, "nontemporal", 11);
  pass->md_prof = LLVMGetMDKindIDInContext(context, "prof", 4);
  pass->sites = site_table_create();
  pass->helpers = helper_table_create();
}

static void pass_reset(struct pass *pass) {
  helper_table_destroy(pass->helpers);
  site_table_destroy(pass->sites);
  LLVMDisposeBuilder(pass->builder);
}

/* Assembly outside functions: directives are common (.symver), instructions cannot be checked. */
static void warn_about_module_asm(struct pass *pass) {
  size_t length;
  const char *text = LLVMGetModuleInlineAsm(pass->module, &length);
  for (const char *p = text, *end = text + length; p < end;) {
    p += strspn(p, " \t\n;");
    size_t word = strcspn(p, " \t\n;"), line = strcspn(p, "\n;");
    if (word && *p != '.' && *p != '#' && p[word - 1] != ':' && !pass->quiet) {
      size_t name_length;
      const char *name = LLVMGetSourceFileName(pass->module, &name_length);
      fprintf(stderr,
              "%.*s: warning: assembly outside functions is not checked: \"%.*s\" "
              "[-Wtidemark]\n",
              (int)name_length, name, (int)line, p);
      return;
    }
    p += line;
  }
}

static void rewrite_module(struct pass *pass) {
  warn_about_module_asm(pass);
  VEC(LLVMValueRef) functions = {0};
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !pass_has_attribute(f, "naked"))
      vec_push(&functions, f);
  for (size_t i = 0; i < functions.length; i++)
    rewrite_function(pass, functions.data[i]);
  vec_free(&functions);
  atomic_mark_unused(pass);
  redirect_function_pointers(pass);
  export_main(pass);
  define_abi_version(pass);
}

static int run_passes(LLVMModuleRef module, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return 0;
  char *message = LLVMGetErrorMessage(error);
  fprintf(stderr, "tidemark-cc: %s: %s\n", passes, message);
  LLVMDisposeErrorMessage(message);
  return 1;
}

/* Functions of intrinsics' headers and of libstdc++'s atomics are inlined first, so that their
 * accesses belong to the user's lines; then variables become values. */
#define PREPARE "always-inline,function(sroa)"
#define FINISH "always-inline"

static bool is_std_atomic(LLVMValueRef function) {
  LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
  LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
  if (!file)
    return false;
  unsigned length;
  const char *name = LLVMDIFileGetFilename(file, &length);
  for (unsigned i = length; i > 0; i--)
    if (name[i - 1] == '/') {
      name += i;
      length -= i;
      break;
    }
  return (length == 6 && memcmp(name, "atomic", 6) == 0) ||
         (length == 13 && memcmp(name, "atomic_base.h", 13) == 0);
}

static void inline_std_atomics(LLVMContextRef context, LLVMModuleRef module) {
  unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
  unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && is_std_atomic(f)) {
      LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, never);
      LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                              LLVMCreateEnumAttribute(context, always, 0));
    }
}

static int instrument_module(LLVMContextRef context, LLVMModuleRef module,
                             const struct instrument_options *options) {
  if (LLVMGetNamedGlobal(module, ABI_VERSION_SYMBOL))
    return 0; /* bitcode that has been here before */
  if (strncmp(LLVMGetTarget(module), "x86_64", 6) != 0 ||
      LLVMPointerSize(LLVMGetModuleDataLayout(module)) != 8) {
    fprintf(stderr, "tidemark-cc: error: target %s: only 64-bit x86 programs can be checked\n",
            LLVMGetTarget(module));
    return 1;
  }
  if (options->assembly)
    LLVMAppendModuleInlineAsm(module, options->assembly, strlen(options->assembly));
  inline_std_atomics(context, module);
  spins_shorten(module);
  orders_mend(module);
  ends_keep_apart(context, module);
  if (run_passes(module, PREPARE))
    return 1;
  if (counting_shorten(context, module) && run_passes(module, "function(sroa)"))
    return 1;
  if (options->late && run_passes(module, options->pipeline))
    return 1;
  struct pass pass;
  pass_init(&pass, context, module);
  pass.quiet = options->quiet;
  rewrite_module(&pass);
  pass_reset(&pass);
  return run_passes(module, FINISH);
}

int instrument_file(const char *input, const char *output,
                    const struct instrument_options *options) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer;
  LLVMModuleRef module = NULL;
  char *message = NULL;
  int status = 1;
  if (LLVMCreateMemoryBufferWithContentsOfFile(input, &buffer, &message)) {
    fprintf(stderr, "tidemark-cc: %s: %s\n", input, message);
    LLVMDisposeMessage(message);
    goto out;
  }
  if (LLVMParseBitcodeInContext2(context, buffer, &module)) {
    fprintf(stderr, "tidemark-cc: %s: not a bitcode file this version can read\n", input);
    LLVMDisposeMemoryBuffer(buffer);
    goto out;
  }
  LLVMDisposeMemoryBuffer(buffer);
  status = instrument_module(context, module, options);
  if (status == 0 && LLVMWriteBitcodeToFile(module, output)) {
    fprintf(stderr, "tidemark-cc: cannot write %s\n", output);
    status = 1;
  }
out:
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return status;
}
