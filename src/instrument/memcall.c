#include "instrument/call.h"
#include "instrument/helper.h"
#include "instrument/select.h"
#include "instrument/site.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* Copies up to this size stay in line when they do not touch watched memory. */
#define INLINE_BYTES_MAX 128

/* Everything from here to the end of hooks.def carries a library function's name. */
#define FIRST_LIBRARY_HOOK HOOK_memcpy

static unsigned call_alignment(LLVMValueRef call, unsigned argument) {
  unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
  LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
  return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

struct copy {
  enum hook hook;        /* memcpy, memmove or memset */
  LLVMValueRef to, from; /* from: the byte, for memset */
  LLVMValueRef to_object, from_object;
  LLVMValueRef bytes, site;
  unsigned to_alignment, from_alignment;
};

static void build_direct(struct pass *pass, const struct copy *c, LLVMValueRef to,
                         LLVMValueRef from) {
  LLVMBuilderRef b = pass->builder;
  if (c->hook == HOOK_memset)
    LLVMBuildMemSet(b, to, from, c->bytes, c->to_alignment);
  else if (c->hook == HOOK_memcpy)
    LLVMBuildMemCpy(b, to, c->to_alignment, from, c->from_alignment, c->bytes);
  else
    LLVMBuildMemMove(b, to, c->to_alignment, from, c->from_alignment, c->bytes);
}

static void build_hook(struct pass *pass, enum hook hook, LLVMValueRef *arguments) {
  if (hook == HOOK_memset)
    arguments[1] = LLVMBuildZExtOrBitCast(pass->builder, arguments[1], pass->i32, "");
  hook_call(pass, hook, arguments);
}

/* void copy(to, from, to_object, from_object, site), for one constant size */
static void build_small(struct pass *pass, const struct copy *c) {
  bool is_new;
  struct helper_key key = {.kind = hook_name(c->hook),
                           .number = LLVMConstIntGetZExtValue(c->bytes),
                           .flags = (uint64_t)c->to_alignment << 32 | c->from_alignment};
  LLVMTypeRef from_type = LLVMTypeOf(c->from);
  LLVMTypeRef parameters[] = {pass->ptr, from_type, pass->ptr, LLVMTypeOf(c->from_object),
                              pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(pass->void_type, parameters, 5, false);
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    LLVMBasicBlockRef watched = helper_block(pass, "watched"), plain = helper_block(pass, "plain");
    LLVMValueRef to = LLVMGetParam(f, 0), from = LLVMGetParam(f, 1);
    LLVMValueRef objects[] = {LLVMGetParam(f, 2), LLVMGetParam(f, 3)};
    helper_test(pass, objects, c->hook == HOOK_memset ? 1 : 2, watched, plain);
    LLVMPositionBuilderAtEnd(pass->builder, watched);
    build_hook(pass, c->hook, (LLVMValueRef[]){to, from, c->bytes, LLVMGetParam(f, 4)});
    LLVMBuildRetVoid(pass->builder);
    LLVMPositionBuilderAtEnd(pass->builder, plain);
    build_direct(pass, c, to, from);
    LLVMBuildRetVoid(pass->builder);
    helper_finish(pass);
  }
  LLVMValueRef arguments[] = {c->to, c->from, c->to_object, c->from_object, c->site};
  LLVMBuildCall2(pass->builder, type, f, arguments, 5, "");
}

static void build_copy(struct pass *pass, const struct copy *c) {
  if (LLVMIsAConstantInt(c->bytes) && LLVMConstIntGetZExtValue(c->bytes) <= INLINE_BYTES_MAX)
    build_small(pass, c);
  else
    build_hook(pass, c->hook, (LLVMValueRef[]){c->to, c->from, c->bytes, c->site});
}

/* void rep_movs(to, from, bytes, site), for one size of elements, each of which is loaded after the one before was
 * stored.  Where the copy reads what it has written, it is made of copies that do not:
 *
 *      do move(to, from, part = min(bytes, distance)), to += part, from += part; while (bytes -= part) */
static void fill_forward_copy(struct pass *pass, LLVMValueRef f, unsigned element) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef one = pass_int(pass, pass->i64, element), zero = LLVMConstNull(pass->i64);
  LLVMBasicBlockRef entry = LLVMGetInsertBlock(b), loop = helper_block(pass, "loop");
  LLVMBasicBlockRef done = helper_block(pass, "done");
  LLVMValueRef distance = LLVMBuildSub(b, LLVMBuildPtrToInt(b, LLVMGetParam(f, 0), pass->i64, ""),
                                       LLVMBuildPtrToInt(b, LLVMGetParam(f, 1), pass->i64, ""), "");
  LLVMValueRef whole = LLVMBuildSub(b, distance, LLVMBuildURem(b, distance, one, ""), "");
  LLVMValueRef at_once =
      LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, distance, one, ""), one, whole, "");
  at_once = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, distance, zero, ""), LLVMGetParam(f, 2),
                            at_once, "");
  LLVMBuildBr(b, loop);
  LLVMPositionBuilderAtEnd(b, loop);
  LLVMValueRef gone = LLVMBuildPhi(b, pass->i64, "");
  LLVMValueRef rest = LLVMBuildSub(b, LLVMGetParam(f, 2), gone, "");
  LLVMValueRef part =
      LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, rest, at_once, ""), rest, at_once, "");
  LLVMValueRef to = LLVMBuildGEP2(b, pass->i8, LLVMGetParam(f, 0), &gone, 1, "");
  LLVMValueRef from = LLVMBuildGEP2(b, pass->i8, LLVMGetParam(f, 1), &gone, 1, "");
  hook_call(pass, HOOK_memmove, (LLVMValueRef[]){to, from, part, LLVMGetParam(f, 3)});
  LLVMValueRef next = LLVMBuildAdd(b, gone, part, "");
  LLVMAddIncoming(gone, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){entry, loop}, 2);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, LLVMGetParam(f, 2), ""), loop, done);
  LLVMPositionBuilderAtEnd(b, done);
  LLVMBuildRetVoid(b);
}

void build_forward_copy(struct pass *pass, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes,
                        unsigned element, LLVMValueRef site) {
  bool is_new;
  struct helper_key key = {.kind = "rep_movs", .number = element};
  LLVMTypeRef parameters[] = {pass->ptr, pass->ptr, pass->i64, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(pass->void_type, parameters, 4, false);
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    fill_forward_copy(pass, f, element);
    helper_finish(pass);
  }
  LLVMBuildCall2(pass->builder, type, f, (LLVMValueRef[]){to, from, bytes, site}, 4, "");
}

bool rewrite_memory_intrinsic(struct pass *pass, LLVMValueRef call, const char *name) {
  enum hook hook;
  if (strncmp(name, "llvm.memcpy.", 12) == 0)
    hook = HOOK_memcpy;
  else if (strncmp(name, "llvm.memmove.", 13) == 0)
    hook = HOOK_memmove;
  else if (strncmp(name, "llvm.memset.", 12) == 0)
    hook = HOOK_memset;
  else
    return false;
  LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
  bool has_source = hook != HOOK_memset;
  bool to_private = select_is_private(to), from_private = has_source && select_is_private(from);
  if (to_private && (!has_source || from_private))
    return false;
  LLVMValueRef bytes =
      LLVMBuildZExtOrBitCast(pass->builder, LLVMGetOperand(call, 2), pass->i64, "");
  LLVMValueRef to_object = select_object(pass, to);
  LLVMValueRef from_object = has_source ? select_object(pass, from) : from;
  struct copy copy = {hook,
                      to,
                      from,
                      to_private ? from_object : to_object,
                      from_private ? to_object : from_object,
                      bytes,
                      site_of(pass, call),
                      call_alignment(call, 0),
                      call_alignment(call, 1)};
  build_copy(pass, &copy);
  pass_replace(call, NULL);
  return true;
}

/* The hook that stands for a library function; HOOK_COUNT if there is none.  *extra is the number
 * of arguments that only the fortified form has. */
static enum hook library_hook(const char *name, unsigned *extra) {
  static const char *const aliases[][2] = {{"index", "strchr"}, {"rindex", "strrchr"}};
  char plain[64];
  *extra = 0;
  size_t length = strlen(name);
  if (length >= sizeof plain)
    return HOOK_COUNT;
  snprintf(plain, sizeof plain, "%s", name);
  if (strncmp(name, "__", 2) == 0) {
    if (length > 6 && strcmp(name + length - 4, "_chk") == 0) {
      *extra = 1;
      length -= 4;
    }
    snprintf(plain, sizeof plain, "%.*s", (int)length - 2, name + 2);
  }
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
    if (strcmp(plain, aliases[i][0]) == 0)
      snprintf(plain, sizeof plain, "%s", aliases[i][1]);
  for (enum hook hook = FIRST_LIBRARY_HOOK; hook < HOOK_COUNT; hook++)
    if (strcmp(plain, hook_name(hook)) == 0)
      return hook;
  return HOOK_COUNT;
}

/* Somebody may have a strlen of his own, with other parameters. */
static bool same_signature(struct pass *pass, LLVMTypeRef type, enum hook hook, unsigned extra) {
  LLVMTypeRef have[16], want[16], wanted = hook_type(pass, hook);
  unsigned count = hook_parameters(hook) - 1;
  if (LLVMCountParamTypes(type) != count + extra || LLVMIsFunctionVarArg(type) ||
      LLVMGetReturnType(type) != LLVMGetReturnType(wanted))
    return false;
  LLVMGetParamTypes(type, have);
  LLVMGetParamTypes(wanted, want);
  return memcmp(have, want, count * sizeof *have) == 0;
}

static bool is_defined_here(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;
}

/* What the fortified form does before, as glibc does it; returns what comes then.  strcpy looks how long the text is, and
 * copies so many bytes (*end: of the copy, for stpcpy).  strcat is not checked. */
static enum hook check_room(struct pass *pass, enum hook hook, LLVMValueRef *arguments,
                            LLVMValueRef room, LLVMValueRef site, LLVMValueRef *end) {
  bool text = hook == HOOK_strcpy || hook == HOOK_stpcpy;
  if (!text && hook != HOOK_memcpy && hook != HOOK_memmove && hook != HOOK_memset &&
      hook != HOOK_mempcpy && hook != HOOK_strncpy && hook != HOOK_stpncpy)
    return hook;
  if (text) {
    LLVMBuilderRef b = pass->builder;
    LLVMValueRef length = hook_call(pass, HOOK_strlen, (LLVMValueRef[]){arguments[1], site});
    if (hook == HOOK_stpcpy)
      *end = LLVMBuildGEP2(b, pass->i8, arguments[0], &length, 1, "");
    arguments[2] = LLVMBuildAdd(b, length, pass_int(pass, pass->i64, 1), "");
    arguments[3] = site;
  }
  hook_call(pass, HOOK_check_room, (LLVMValueRef[]){arguments[2], room, site});
  return text ? HOOK_memcpy : hook;
}

bool rewrite_library_call(struct pass *pass, LLVMValueRef call, const char *name) {
  unsigned extra;
  enum hook hook = library_hook(name, &extra);
  if (hook == HOOK_COUNT || is_defined_here(LLVMGetCalledValue(call)) ||
      !same_signature(pass, LLVMGetCalledFunctionType(call), hook, extra))
    return false;
  LLVMValueRef arguments[16];
  unsigned count = hook_parameters(hook);
  for (unsigned i = 0; i + 1 < count; i++)
    arguments[i] = LLVMGetOperand(call, i);
  LLVMValueRef site = arguments[count - 1] = site_of(pass, call);
  LLVMValueRef end = NULL;
  if (extra)
    hook = check_room(pass, hook, arguments, LLVMGetOperand(call, count - 1), site, &end);
  count = hook_parameters(hook);
  LLVMValueRef result;
  if (LLVMIsAInvokeInst(call))
    result =
        LLVMBuildInvoke2(pass->builder, hook_type(pass, hook), hook_function(pass, hook), arguments,
                         count, LLVMGetNormalDest(call), LLVMGetUnwindDest(call), "");
  else
    result = hook_call(pass, hook, arguments);
  bool has_result = LLVMTypeOf(call) != pass->void_type;
  pass_replace(call, !has_result ? NULL : end ? end : result);
  return true;
}

/* A function with the library function's parameters that calls the hook. */
static LLVMValueRef make_thunk(struct pass *pass, enum hook hook, LLVMTypeRef type) {
  char name[96];
  snprintf(name, sizeof name, "__tidemark_pointer_to_%s", hook_name(hook));
  LLVMValueRef thunk = LLVMAddFunction(pass->module, name, type);
  LLVMSetLinkage(thunk, LLVMLinkOnceODRLinkage);
  pass->function = thunk;
  LLVMPositionBuilderAtEnd(pass->builder,
                           LLVMAppendBasicBlockInContext(pass->context, thunk, "entry"));
  LLVMSetCurrentDebugLocation2(pass->builder, NULL);
  LLVMValueRef arguments[16];
  unsigned count = hook_parameters(hook);
  LLVMGetParams(thunk, arguments);
  LLVMValueRef last = LLVMBuildUnreachable(pass->builder);
  LLVMPositionBuilderBefore(pass->builder, last);
  arguments[count - 1] = site_of(pass, last);
  LLVMValueRef result = hook_call(pass, hook, arguments);
  if (LLVMGetReturnType(type) == pass->void_type)
    LLVMBuildRetVoid(pass->builder);
  else
    LLVMBuildRet(pass->builder, result);
  LLVMInstructionEraseFromParent(last);
  return thunk;
}

void redirect_function_pointers(struct pass *pass) {
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    unsigned extra;
    if (!LLVMGetFirstUse(f) || is_defined_here(f))
      continue;
    size_t length;
    enum hook hook = library_hook(LLVMGetValueName2(f, &length), &extra);
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    if (hook != HOOK_COUNT && !extra && same_signature(pass, type, hook, 0))
      LLVMReplaceAllUsesWith(f, make_thunk(pass, hook, type));
  }
}

static LLVMValueRef entry_alloca(struct pass *pass, LLVMTypeRef type, unsigned alignment) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(pass->context);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(pass->function);
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
  LLVMValueRef slot = LLVMBuildAlloca(b, type, "tidemark.byval");
  LLVMSetAlignment(slot, alignment);
  LLVMDisposeBuilder(b);
  return slot;
}

void expose_byval_copies(struct pass *pass, LLVMValueRef call) {
  unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
  if (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
    return; /* its argument is this function's own, which has been copied already */
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
    LLVMValueRef from = LLVMGetOperand(call, i);
    if (!byval || select_is_private(from))
      continue;
    LLVMTypeRef type = LLVMGetTypeAttributeValue(byval);
    unsigned alignment = call_alignment(call, i);
    LLVMValueRef slot = entry_alloca(pass, type, alignment < 8 ? 8 : alignment);
    struct copy copy = {HOOK_memcpy,
                        slot,
                        from,
                        select_object(pass, from),
                        select_object(pass, from),
                        pass_int(pass, pass->i64, LLVMABISizeOfType(pass->layout, type)),
                        site_of(pass, call),
                        alignment < 8 ? 8 : alignment,
                        alignment};
    build_copy(pass, &copy);
    LLVMSetOperand(call, i, slot);
  }
}
