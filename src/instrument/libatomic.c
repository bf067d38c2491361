#include "instrument/atomic.h"
#include "instrument/helper.h"
#include "instrument/site.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls of libatomic.  Two families: __atomic_load_8(address, order) with the value in registers,
 * and __atomic_load(8, address, &result, order) with every value behind a pointer. */
struct libatomic {
  LLVMValueRef call, site;
  bool by_reference;
  unsigned bytes;
};

static const struct {
  const char *name;
  enum abi_rmw op;
  unsigned arguments; /* by value */
} fetch[] = {
    {"fetch_add", ABI_RMW_ADD, 3}, {"fetch_sub", ABI_RMW_SUB, 3}, {"fetch_and", ABI_RMW_AND, 3},
    {"fetch_or", ABI_RMW_OR, 3},   {"fetch_xor", ABI_RMW_XOR, 3}, {"fetch_nand", ABI_RMW_NAND, 3},
    {"exchange", ABI_RMW_XCHG, 3},
};

static LLVMTypeRef value_type(struct pass *pass, const struct libatomic *a) {
  return pass_int_type(pass, a->bytes);
}

/* Argument `i` of the by-value form; pointers to values are followed. */
static LLVMValueRef value_argument(struct pass *pass, const struct libatomic *a, unsigned i) {
  LLVMValueRef argument = LLVMGetOperand(a->call, i + a->by_reference);
  if (!a->by_reference)
    return argument;
  LLVMValueRef value = LLVMBuildLoad2(pass->builder, value_type(pass, a), argument, "");
  LLVMSetAlignment(value, 1);
  return value;
}

/* bool __atomic_compare_exchange_N(address, &expected, desired, success, failure) */
static LLVMValueRef compare_exchange(struct pass *pass, const struct libatomic *a) {
  bool is_new;
  LLVMTypeRef value = value_type(pass, a);
  struct helper_key key = {.kind = "libatomic_cas", .type = value};
  LLVMTypeRef parameters[] = {pass->ptr, pass->ptr, value, pass->i32, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(pass->i1, parameters, 5, false);
  LLVMValueRef arguments[] = {
      LLVMGetOperand(a->call, a->by_reference), LLVMGetOperand(a->call, a->by_reference + 1),
      value_argument(pass, a, 2), LLVMGetOperand(a->call, a->by_reference + 3), a->site};
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    LLVMBuilderRef h = pass->builder;
    LLVMBasicBlockRef failed = helper_block(pass, "failed"), done = helper_block(pass, "done");
    LLVMValueRef expected = LLVMBuildLoad2(h, value, LLVMGetParam(f, 1), "");
    LLVMSetAlignment(expected, 1);
    LLVMValueRef old = atomic_cas(pass, LLVMGetParam(f, 0), expected, LLVMGetParam(f, 2),
                                  LLVMGetParam(f, 3), LLVMGetParam(f, 4));
    LLVMBuildCondBr(h, LLVMBuildICmp(h, LLVMIntEQ, old, expected, ""), done, failed);
    LLVMPositionBuilderAtEnd(h, failed);
    LLVMSetAlignment(LLVMBuildStore(h, old, LLVMGetParam(f, 1)), 1);
    LLVMBuildRet(h, pass_int(pass, pass->i1, 0));
    LLVMPositionBuilderAtEnd(h, done);
    LLVMBuildRet(h, pass_int(pass, pass->i1, 1));
    helper_finish(pass);
  }
  return LLVMBuildCall2(pass->builder, type, f, arguments, 5, "");
}

/* Give the old or loaded value to whoever called. */
static void finish(struct pass *pass, const struct libatomic *a, LLVMValueRef value,
                   unsigned result) {
  if (a->by_reference) {
    LLVMValueRef to = LLVMGetOperand(a->call, result);
    LLVMSetAlignment(LLVMBuildStore(pass->builder, value, to), 1);
    value = NULL;
  }
  pass_replace(a->call, value);
}

static bool rewrite_known(struct pass *pass, const struct libatomic *a, const char *operation) {
  unsigned shift = a->by_reference;
  LLVMValueRef address = LLVMGetOperand(a->call, shift);
  unsigned count = LLVMGetNumArgOperands(a->call);
  if (strcmp(operation, "load") == 0 && count == 2 + 2 * shift) {
    LLVMValueRef order = LLVMGetOperand(a->call, count - 1);
    finish(pass, a, atomic_load(pass, address, a->bytes, order, a->site), 2);
    return true;
  }
  if (strcmp(operation, "store") == 0 && count == 3 + shift) {
    atomic_store(pass, address, value_argument(pass, a, 1), LLVMGetOperand(a->call, count - 1),
                 a->site);
    pass_replace(a->call, NULL);
    return true;
  }
  if (strcmp(operation, "compare_exchange") == 0 && count == 5 + shift) {
    LLVMValueRef same = compare_exchange(pass, a);
    pass_replace(a->call, LLVMBuildZExtOrBitCast(pass->builder, same, LLVMTypeOf(a->call), ""));
    return true;
  }
  for (size_t i = 0; i < sizeof fetch / sizeof *fetch; i++)
    if (strcmp(operation, fetch[i].name) == 0 && count == fetch[i].arguments + 2 * shift) {
      LLVMValueRef order = LLVMGetOperand(a->call, count - 1);
      LLVMValueRef old =
          atomic_rmw(pass, fetch[i].op, address, value_argument(pass, a, 1), order, a->site);
      finish(pass, a, old, 3);
      return true;
    }
  return false;
}

static bool is_power_of_two_to_16(uint64_t n) {
  return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

bool rewrite_libatomic(struct pass *pass, LLVMValueRef call, const char *name) {
  const char prefix[] = "__atomic_";
  if (strncmp(name, prefix, strlen(prefix)) != 0 || LLVMGetNumArgOperands(call) < 2)
    return false;
  char operation[64];
  snprintf(operation, sizeof operation, "%s", name + strlen(prefix));
  struct libatomic a = {.call = call, .site = site_of(pass, call)};
  char *suffix = strrchr(operation, '_');
  uint64_t bytes = suffix ? strtoul(suffix + 1, NULL, 10) : 0;
  if (bytes) {
    *suffix = 0;
  } else {
    LLVMValueRef size = LLVMGetOperand(call, 0);
    a.by_reference = true;
    bytes = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
  }
  a.bytes = (unsigned)bytes;
  return is_power_of_two_to_16(bytes) && rewrite_known(pass, &a, operation);
}
