#include "instrument/atomic.h"
#include "instrument/helper.h"
#include "instrument/site.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls of libatomic.  Two families: __atomic_load_8(address, order) with the value in registers,
 * and __atomic_load(8, address, &result, order) with every value behind a pointer.  Objects of other sizes
 * than 1, 2, 4, 8, 16 are copied under a lock, one of a few for all of them, as in libatomic. */
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

/* ---- other sizes ---- */

#define LOCKS 64
#define LOCK_BYTES 64 /* a pthread_mutex_t takes 40, all of them zero */
#define LOCK_SHIFT 4  /* objects so near to each other may share one */

/* All files and libraries of the program have the same ones. */
static LLVMValueRef lock_of(struct pass *pass, LLVMValueRef address) {
  LLVMTypeRef lock = LLVMArrayType2(pass->i8, LOCK_BYTES), type = LLVMArrayType2(lock, LOCKS);
  LLVMValueRef locks = LLVMGetNamedGlobal(pass->module, ABI_LOCKS_SYMBOL);
  if (!locks) {
    locks = LLVMAddGlobal(pass->module, type, ABI_LOCKS_SYMBOL);
    LLVMSetInitializer(locks, LLVMConstNull(type));
    LLVMSetLinkage(locks, LLVMWeakAnyLinkage);
    LLVMSetVisibility(locks, LLVMDefaultVisibility);
    LLVMSetAlignment(locks, LOCK_BYTES);
  }
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef number = LLVMBuildPtrToInt(b, address, pass->i64, "");
  number = LLVMBuildLShr(b, number, pass_int(pass, pass->i64, LOCK_SHIFT), "");
  number = LLVMBuildAnd(b, number, pass_int(pass, pass->i64, LOCKS - 1), "");
  return LLVMBuildGEP2(b, lock, locks, &number, 1, "");
}

static LLVMValueRef call_library(struct pass *pass, const char *name, LLVMTypeRef type,
                                 LLVMValueRef *arguments, unsigned count) {
  LLVMValueRef f = LLVMGetNamedFunction(pass->module, name);
  if (!f)
    f = LLVMAddFunction(pass->module, name, type);
  return LLVMBuildCall2(pass->builder, type, f, arguments, count, "");
}

static void call_lock(struct pass *pass, const char *name, LLVMValueRef lock) {
  call_library(pass, name, LLVMFunctionType(pass->i32, &pass->ptr, 1, false), &lock, 1);
}

static void copy(struct pass *pass, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes,
                 LLVMValueRef site) {
  hook_call(pass, HOOK_memcpy, (LLVMValueRef[]){to, from, bytes, site});
}

/* bool (address, expected, desired, site), between lock and unlock */
static LLVMValueRef compare_exchange_copies(struct pass *pass, const struct libatomic *a,
                                            LLVMValueRef bytes) {
  bool is_new;
  struct helper_key key = {.kind = "libatomic_compare", .number = a->bytes};
  LLVMTypeRef parameters[] = {pass->ptr, pass->ptr, pass->ptr, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(pass->i1, parameters, 4, false);
  LLVMValueRef arguments[] = {LLVMGetOperand(a->call, 1), LLVMGetOperand(a->call, 2),
                              LLVMGetOperand(a->call, 3), a->site};
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    LLVMBuilderRef h = pass->builder;
    LLVMValueRef address = LLVMGetParam(f, 0), expected = LLVMGetParam(f, 1),
                 desired = LLVMGetParam(f, 2), site = LLVMGetParam(f, 3);
    LLVMBasicBlockRef failed = helper_block(pass, "failed"), same = helper_block(pass, "same");
    LLVMTypeRef object = LLVMArrayType2(pass->i8, a->bytes);
    LLVMValueRef old = helper_slot(pass, object, NULL), wanted = helper_slot(pass, object, NULL);
    copy(pass, old, address, bytes, site);
    copy(pass, wanted, expected, bytes, site);
    LLVMTypeRef compared[] = {pass->ptr, pass->ptr, pass->i64};
    LLVMValueRef differ =
        call_library(pass, "memcmp", LLVMFunctionType(pass->i32, compared, 3, false),
                     (LLVMValueRef[]){old, wanted, bytes}, 3);
    LLVMBuildCondBr(h, LLVMBuildICmp(h, LLVMIntEQ, differ, pass_int(pass, pass->i32, 0), ""), same,
                    failed);
    LLVMPositionBuilderAtEnd(h, failed);
    copy(pass, expected, old, bytes, site);
    LLVMBuildRet(h, pass_int(pass, pass->i1, 0));
    LLVMPositionBuilderAtEnd(h, same);
    copy(pass, address, desired, bytes, site);
    LLVMBuildRet(h, pass_int(pass, pass->i1, 1));
    helper_finish(pass);
  }
  return LLVMBuildCall2(pass->builder, type, f, arguments, 4, "");
}

static bool rewrite_copies(struct pass *pass, const struct libatomic *a, const char *operation) {
  bool load = strcmp(operation, "load") == 0, store = strcmp(operation, "store") == 0,
       exchange = strcmp(operation, "exchange") == 0,
       compare = strcmp(operation, "compare_exchange") == 0;
  if (LLVMGetNumArgOperands(a->call) != (load || store ? 4 : exchange ? 5 : compare ? 6 : 0))
    return false;
  LLVMValueRef address = LLVMGetOperand(a->call, 1), value = LLVMGetOperand(a->call, 2);
  LLVMValueRef bytes = pass_int(pass, pass->i64, a->bytes), same = NULL;
  LLVMValueRef lock = lock_of(pass, address);
  call_lock(pass, "pthread_mutex_lock", lock);
  if (load)
    copy(pass, value, address, bytes, a->site);
  if (exchange)
    copy(pass, LLVMGetOperand(a->call, 3), address, bytes, a->site);
  if (store || exchange)
    copy(pass, address, value, bytes, a->site);
  if (compare)
    same = LLVMBuildZExtOrBitCast(pass->builder, compare_exchange_copies(pass, a, bytes),
                                  LLVMTypeOf(a->call), "");
  call_lock(pass, "pthread_mutex_unlock", lock);
  pass_replace(a->call, same);
  return true;
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
  if (is_power_of_two_to_16(bytes))
    return rewrite_known(pass, &a, operation);
  return bytes && a.by_reference && rewrite_copies(pass, &a, operation);
}
