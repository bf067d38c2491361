#include "instrument/access.h"
#include "instrument/call.h"
#include "instrument/helper.h"
#include "instrument/site.h"
#include <string.h>

/* Vector accesses under a mask become one access per element whose bit is set, which is also what
 * the processor promises about them. */
struct masked {
  const char *prefix;
  bool is_load, has_pointers;          /* has_pointers: one address per element */
  bool packed;                         /* consecutive in memory, only where the bit is set */
  int address, alignment, mask, value; /* operands; value: stored, or kept where not loaded */
  bool signs; /* the mask is numbers, and their sign counts; what is not loaded is zero */
};

static const struct masked forms[] = {
    {"llvm.masked.load.", true, false, false, 0, 1, 2, 3, false},
    {"llvm.masked.gather.", true, true, false, 0, 1, 2, 3, false},
    {"llvm.masked.expandload.", true, false, true, 0, -1, 1, 2, false},
    {"llvm.masked.store.", false, false, false, 1, 2, 3, 0, false},
    {"llvm.masked.scatter.", false, true, false, 1, 2, 3, 0, false},
    {"llvm.masked.compressstore.", false, false, true, 1, -1, 2, 0, false},
    {"llvm.x86.avx.maskload.", true, false, false, 0, -1, 1, -1, true},
    {"llvm.x86.avx2.maskload.", true, false, false, 0, -1, 1, -1, true},
    {"llvm.x86.avx.maskstore.", false, false, false, 0, -1, 1, 2, true},
    {"llvm.x86.avx2.maskstore.", false, false, false, 0, -1, 1, 2, true},
};

struct walk {
  LLVMValueRef addresses, mask, value, site;
  LLVMValueRef offset; /* packed: elements accessed so far */
  LLVMTypeRef element;
  unsigned alignment;
};

static LLVMValueRef element_address(struct pass *pass, const struct masked *form,
                                    const struct walk *w, LLVMValueRef index) {
  LLVMBuilderRef b = pass->builder;
  if (form->has_pointers)
    return LLVMBuildExtractElement(b, w->addresses, index, "");
  LLVMValueRef offset = form->packed ? w->offset : index;
  return LLVMBuildGEP2(b, w->element, w->addresses, &offset, 1, "");
}

/* The access of element `i`, in blocks of its own. */
static void build_element(struct pass *pass, const struct masked *form, struct walk *w,
                          unsigned i) {
  LLVMBuilderRef b = pass->builder;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef access = helper_block(pass, "element"), after = helper_block(pass, "next");
  LLVMValueRef index = pass_int(pass, pass->i64, i);
  LLVMBuildCondBr(b, LLVMBuildExtractElement(b, w->mask, index, ""), access, after);
  LLVMPositionBuilderAtEnd(b, access);
  LLVMValueRef address = element_address(pass, form, w, index), value = w->value;
  if (form->is_load)
    value = LLVMBuildInsertElement(
        b, w->value, access_load(pass, w->element, address, w->alignment, w->site), index, "");
  else
    access_store(pass, LLVMBuildExtractElement(b, w->value, index, ""), address, w->alignment,
                 w->site);
  LLVMValueRef offset = LLVMBuildAdd(b, w->offset, pass_int(pass, pass->i64, 1), "");
  LLVMBuildBr(b, after);
  LLVMPositionBuilderAtEnd(b, after);
  LLVMBasicBlockRef blocks[] = {before, access};
  LLVMValueRef offset_phi = LLVMBuildPhi(b, pass->i64, "");
  LLVMAddIncoming(offset_phi, (LLVMValueRef[]){w->offset, offset}, blocks, 2);
  w->offset = offset_phi;
  if (form->is_load) {
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(value), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){w->value, value}, blocks, 2);
    w->value = phi;
  }
}

static void fill(struct pass *pass, LLVMValueRef f, const struct masked *form, unsigned alignment) {
  LLVMTypeRef vector = LLVMTypeOf(LLVMGetParam(f, 2));
  struct walk w = {LLVMGetParam(f, 0), LLVMGetParam(f, 1),       LLVMGetParam(f, 2),
                   LLVMGetParam(f, 3), LLVMConstNull(pass->i64), LLVMGetElementType(vector),
                   alignment};
  for (unsigned i = 0; i < LLVMGetVectorSize(vector); i++)
    build_element(pass, form, &w, i);
  if (form->is_load)
    LLVMBuildRet(pass->builder, w.value);
  else
    LLVMBuildRetVoid(pass->builder);
}

/* Elements are aligned at most to their own size, whatever the vector is. */
static unsigned element_alignment(struct pass *pass, LLVMValueRef call, const struct masked *form,
                                  LLVMTypeRef element) {
  unsigned natural = LLVMABIAlignmentOfType(pass->layout, element);
  if (form->alignment < 0)
    return 1;
  uint64_t given = LLVMConstIntGetZExtValue(LLVMGetOperand(call, (unsigned)form->alignment));
  return given && given < natural ? (unsigned)given : given ? natural : 1;
}

/* The mask as bits. */
static LLVMValueRef mask_of(struct pass *pass, LLVMValueRef call, const struct masked *form) {
  LLVMValueRef mask = LLVMGetOperand(call, (unsigned)form->mask);
  if (!form->signs)
    return mask;
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(mask));
  return LLVMBuildICmp(pass->builder, LLVMIntSLT, mask, zero, "");
}

static LLVMValueRef value_of(LLVMValueRef call, const struct masked *form) {
  return form->value >= 0 ? LLVMGetOperand(call, (unsigned)form->value)
                          : LLVMConstNull(LLVMTypeOf(call));
}

bool rewrite_masked_intrinsic(struct pass *pass, LLVMValueRef call, const char *name) {
  const struct masked *form = NULL;
  for (size_t i = 0; i < sizeof forms / sizeof *forms && !form; i++)
    if (strncmp(name, forms[i].prefix, strlen(forms[i].prefix)) == 0)
      form = &forms[i];
  if (!form)
    return false;
  LLVMValueRef arguments[] = {LLVMGetOperand(call, (unsigned)form->address),
                              mask_of(pass, call, form), value_of(call, form), site_of(pass, call)};
  LLVMTypeRef vector = LLVMTypeOf(arguments[2]);
  if (LLVMGetTypeKind(vector) != LLVMVectorTypeKind)
    return false;
  LLVMTypeRef parameters[] = {LLVMTypeOf(arguments[0]), LLVMTypeOf(arguments[1]), vector,
                              pass->ptr};
  LLVMTypeRef type =
      LLVMFunctionType(form->is_load ? vector : pass->void_type, parameters, 4, false);
  unsigned alignment = element_alignment(pass, call, form, LLVMGetElementType(vector));
  struct helper_key key = {
      .kind = form->prefix + strlen("llvm."), .type = vector, .number = alignment};
  bool is_new;
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    fill(pass, f, form, alignment);
    helper_finish(pass);
  }
  LLVMValueRef result = LLVMBuildCall2(pass->builder, type, f, arguments, 4, "");
  pass_replace(call, form->is_load ? result : NULL);
  return true;
}
