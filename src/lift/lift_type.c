/* Types as lists of scalars: where they lie and how many bytes each has. */
#include "lift/lift_internal.h"

enum { SCALARS_MAX = 4096, PARTS_MAX = 64 };

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

/* ---- parts of values ----------------------------------------------------------------------- */

static bool is_wide(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 128;
}

/* Part number *n of a type, counted down to -1; what is no value of ours counts as too many. */
static struct lift_part part_of(struct lift *l, LLVMTypeRef t, uint64_t offset, int *n) {
  struct lift_part none = {0, 0};
  LLVMTypeKind kind = LLVMGetTypeKind(t);
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) {
    bool fields = kind == LLVMStructTypeKind;
    uint64_t count = fields ? LLVMCountStructElementTypes(t) : LLVMGetArrayLength2(t);
    for (unsigned i = 0; i < count && i <= PARTS_MAX && *n >= 0; i++) {
      LLVMTypeRef element = fields ? LLVMStructGetTypeAtIndex(t, i) : LLVMGetElementType(t);
      uint64_t at = fields ? LLVMOffsetOfElement(l->data, t, i) : i * lift_size(l, element);
      struct lift_part p = part_of(l, element, offset + at, n);
      if (*n < 0)
        return p;
    }
    return none;
  }
  if (is_wide(t)) {
    *n -= 2;
    return (struct lift_part){64, *n == -2 ? offset : offset + 8};
  }
  --*n;
  return (struct lift_part){lift_bits(l, t), offset};
}

bool lift_part(struct lift *l, LLVMTypeRef t, int n, struct lift_part *part) {
  int left = n;
  *part = part_of(l, t, 0, &left);
  return left < 0;
}

int lift_parts(struct lift *l, LLVMTypeRef t) {
  struct lift_part p;
  int n = 0;
  LLVMTypeKind kind = LLVMGetTypeKind(t);
  if (lift_bits(l, t))
    return 1;
  if (!is_wide(t) && kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)
    return 0;
  for (; lift_part(l, t, n, &p); n++)
    if (!p.bits || n == PARTS_MAX)
      return 0;
  return n;
}

int lift_part_at(struct lift *l, LLVMTypeRef t, const unsigned *indices, unsigned count) {
  int first = 0;
  for (unsigned i = 0; i < count; i++) {
    bool fields = LLVMGetTypeKind(t) == LLVMStructTypeKind;
    for (unsigned k = 0; k < indices[i]; k++)
      first += lift_parts(l, fields ? LLVMStructGetTypeAtIndex(t, k) : LLVMGetElementType(t));
    t = fields ? LLVMStructGetTypeAtIndex(t, indices[i]) : LLVMGetElementType(t);
  }
  return first;
}

/* ---- layouts ------------------------------------------------------------------------------- */

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
