/* Types as lists of scalars: where they lie and how many bytes each has. */
#include "lift/lift_internal.h"

enum { SCALARS_MAX = 4096 };

unsigned lift_bits(struct lift *l, LLVMTypeRef t) {
  switch (LLVMGetTypeKind(t)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(t) <= 64 ? LLVMGetIntTypeWidth(t) : 0;
  case LLVMPointerTypeKind:
    return 64;
  case LLVMFloatTypeKind: /* may be loaded, stored and passed on, not computed with */
  case LLVMDoubleTypeKind:
    return (unsigned)LLVMABISizeOfType(l->data, t) * 8;
  default:
    return 0;
  }
}

uint64_t lift_size(struct lift *l, LLVMTypeRef t) {
  return LLVMABISizeOfType(l->data, t);
}

static void scalars(struct lift *l, LLVMTypeRef t, uint64_t offset, struct str *to, int *count) {
  if (*count > SCALARS_MAX)
    return;
  switch (LLVMGetTypeKind(t)) {
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
      scalars(l, LLVMStructGetTypeAtIndex(t, i), offset + LLVMOffsetOfElement(l->data, t, i), to,
              count);
    return;
  case LLVMArrayTypeKind: {
    LLVMTypeRef element = LLVMGetElementType(t);
    for (uint64_t i = 0; i < LLVMGetArrayLength2(t) && *count <= SCALARS_MAX; i++)
      scalars(l, element, offset + i * lift_size(l, element), to, count);
    return;
  }
  default:
    str_format(to, " %llu:%llu", (unsigned long long)offset, (unsigned long long)lift_size(l, t));
    ++*count;
  }
}

int lift_layout(struct lift *l, LLVMTypeRef t) {
  for (size_t i = 0; i < l->layouts.length; i++)
    if (l->layouts.data[i] == t)
      return (int)i;
  vec_push(&l->layouts, t);
  struct str text = {0};
  int count = 0;
  scalars(l, t, 0, &text, &count);
  /* The scalars only help to choose cells well; a type that has too many goes without. */
  str_format(&l->out, "layout %d %llu%s\n", (int)l->layouts.length - 1,
             (unsigned long long)lift_size(l, t), count > SCALARS_MAX ? "" : str_text(&text));
  str_free(&text);
  return (int)l->layouts.length - 1;
}
