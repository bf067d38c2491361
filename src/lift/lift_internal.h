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
int lift_file_of(struct lift *l, LLVMValueRef v); /* that the value comes from; -1: not known */

/* lift_type.c */
int lift_layout(struct lift *l, LLVMTypeRef t);    /* its number; written if it is new */
unsigned lift_bits(struct lift *l, LLVMTypeRef t); /* of a scalar of at most 64 bits, else 0 */
uint64_t lift_size(struct lift *l, LLVMTypeRef t);

/* lift_value.c */
void lift_number_function(LLVMValueRef f);
int lift_value_number(LLVMValueRef v);
const char *lift_variable_name(LLVMValueRef v); /* of a local variable */
int lift_block_number(LLVMBasicBlockRef b);
bool lift_operand(struct lift *l, LLVMValueRef v, struct str *to); /* false: no such operand */
bool lift_initial(struct lift *l, int object, LLVMValueRef v, uint64_t offset);

/* lift_asm.c: whether an assembly without operands is understood, and the order of the fence that it
 * is; ORDER_NA: it does nothing */
bool lift_asm_order(const char *text, size_t length, enum cir_order *order);

/* lift_float.c: false if the operands are none that can be compared */
bool lift_float_compare(struct lift *l, LLVMValueRef i, int *extra);
bool lift_float_is_only_printed(LLVMValueRef i);

/* lift_instruction.c */
void lift_begin(struct lift *l, LLVMValueRef i, enum cir_op op); /* a line, up to its place */
void lift_instruction(struct lift *l, LLVMValueRef i, int *extra);

#endif
