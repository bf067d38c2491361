/* Private to tidemark-lift: one module on its way to text.
 *
 * Values are known by the numbers in the names that lift_number_function gives them. */
#ifndef LIFT_LIFT_INTERNAL_H
#define LIFT_LIFT_INTERNAL_H

#include "base/str.h"
#include "base/vec.h"
#include "cir/cir.h"
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

struct lift {
  LLVMModuleRef module;
  LLVMTargetDataRef data;
  struct str out; /* files, layouts and functions, in the order in which they are needed */
  VEC(char *) files;
  VEC(LLVMTypeRef) layouts;
  VEC(LLVMValueRef) objects, functions;
};

/* lift_module.c */
void lift_prepare(LLVMModuleRef m); /* inlines, promotes local variables, loops in closed form */
void lift_module(struct lift *l);
int lift_file(struct lift *l, const char *path);

/* Where an instruction is in the source; in the library: where that was called. */
struct lift_place {
  int file; /* -1: not known */
  unsigned line, column;
};
struct lift_place lift_place_of(struct lift *l, LLVMValueRef instruction);

/* lift_library.c */
bool lift_library_is_needed(LLVMModuleRef m);
char *lift_library_path(int count,
                        char **words); /* among the compiler's flags; NULL if it is not there */
bool lift_library_link(LLVMModuleRef m,
                       LLVMModuleRef library); /* takes it over; false: it does not fit */
bool lift_is_library(const char *path, size_t length);

/* lift_type.c */
int lift_layout(struct lift *l, LLVMTypeRef t);    /* its number; written if it is new */
unsigned lift_bits(struct lift *l, LLVMTypeRef t); /* of a scalar of at most 64 bits, else 0 */
uint64_t lift_size(struct lift *l, LLVMTypeRef t);

/* A value has one or more parts of at most 64 bits, and as many numbers: a number of 128 bits has two
 * (the lower one first), a struct those of its members. */
struct lift_part {
  unsigned bits;
  uint64_t offset; /* bytes from the beginning of the value in memory */
};
int lift_parts(struct lift *l, LLVMTypeRef t); /* 0 = no values of that type */
bool lift_part(struct lift *l, LLVMTypeRef t, int n, struct lift_part *part); /* false: too few */
/* The first part of a member, as LLVM's instructions name it. */
int lift_part_at(struct lift *l, LLVMTypeRef t, const unsigned *indices, unsigned count);

/* lift_value.c */
void lift_number_function(struct lift *l, LLVMValueRef f);
int lift_value_number(LLVMValueRef v);          /* of its first part */
const char *lift_variable_name(LLVMValueRef v); /* of a local variable */
int lift_block_number(LLVMBasicBlockRef b);
bool lift_operand(struct lift *l, LLVMValueRef v, struct str *to); /* false: no such operand */
bool lift_operand_part(struct lift *l, LLVMValueRef v, int part, struct str *to);
bool lift_initial(struct lift *l, int object, LLVMValueRef v, uint64_t offset);

/* lift_asm.c: whether an assembly without operands is understood, and the order of the fence that it
 * is; ORDER_NA: it does nothing */
bool lift_asm_order(const char *text, size_t length, enum cir_order *order);

/* lift_asm_locked.c: assembly that is one instruction with operands becomes an instruction of LLVM */
void lift_lower_assembly(LLVMModuleRef m);

/* lift_float.c: false if the operands are none that can be compared */
bool lift_float_compare(struct lift *l, LLVMValueRef i, int *extra);
bool lift_float_is_only_printed(LLVMValueRef i);

/* lift_local.c */
bool lift_stays_local(LLVMValueRef variable); /* no thread but its own comes to know where it is */
bool lift_is_lifetime(LLVMValueRef call);     /* a mark where its block begins or ends */

/* lift_wide.c: what is done to values of several parts; false if it is none of that.  lift_split_access
 * is for plain accesses only, of any size that values have. */
bool lift_wide_binary(struct lift *l, LLVMValueRef i, enum cir_op op, bool swapped, int *extra);
bool lift_wide_cast(struct lift *l, LLVMValueRef i, enum cir_op op, int *extra);
bool lift_split_access(struct lift *l, LLVMValueRef i, int *extra);
bool lift_overflow(struct lift *l, LLVMValueRef call, const char *name, int *extra);

/* lift_instruction.c */
void lift_begin(struct lift *l, LLVMValueRef i, enum cir_op op); /* a line, up to its place */
void lift_instruction(struct lift *l, LLVMValueRef i, int *extra);

#endif
