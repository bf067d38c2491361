#include "abi/abi.h"
#include "base/check.h"
#include "instrument/pass.h"
#include <stdio.h>
#include <string.h>

#define PREFIX "__tidemark_"
#define PARAMETERS_MAX 8

/* The C declarations as text: their types are few enough to be read back from it. */
static const struct {
  const char *result, *name, *parameters;
} declarations[] = {
#define HOOK(type, name, ...) {#type, #name, #__VA_ARGS__},
#include "abi/hooks.def"
#undef HOOK
};

const char *hook_name(enum hook hook) {
  return declarations[hook].name;
}

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* `text` is one parameter or result of hooks.def, up to `length` characters. */
static LLVMTypeRef type_of(struct pass *pass, const char *text, size_t length) {
  if (memchr(text, '*', length) || starts_with(text, "SITE"))
    return pass->ptr;
  if (starts_with(text, "void"))
    return pass->void_type;
  if (starts_with(text, "uint8_t"))
    return pass->i8;
  if (starts_with(text, "uint16_t"))
    return pass_int_type(pass, 2);
  if (starts_with(text, "uint32_t") || starts_with(text, "int"))
    return pass->i32;
  CHECK(starts_with(text, "uint64_t") || starts_with(text, "size_t"), "type in hooks.def: %s",
        text);
  return pass->i64;
}

unsigned hook_parameters(enum hook hook) {
  unsigned count = 1;
  for (const char *p = declarations[hook].parameters; *p; p++)
    count += *p == ',';
  return count;
}

LLVMTypeRef hook_type(struct pass *pass, enum hook hook) {
  struct hook_function *f = &pass->hooks[hook];
  if (f->type)
    return f->type;
  LLVMTypeRef parameters[PARAMETERS_MAX];
  unsigned count = 0;
  const char *p = declarations[hook].parameters;
  while (*p) {
    size_t length = strcspn(p, ",");
    CHECK(count < PARAMETERS_MAX, "parameters of hook %s", hook_name(hook));
    parameters[count++] = type_of(pass, p, length);
    p += length;
    p += strspn(p, ", ");
  }
  const char *result = declarations[hook].result;
  f->type = LLVMFunctionType(type_of(pass, result, strlen(result)), parameters, count, false);
  return f->type;
}

static void add_attribute(struct pass *pass, LLVMValueRef function, LLVMAttributeIndex where,
                          const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, where, LLVMCreateEnumAttribute(pass->context, kind, 0));
}

/* The psABI leaves the upper bits of small integers open; clang's callees rely on the caller. */
static void extend_small_integers(struct pass *pass, LLVMValueRef function, LLVMTypeRef type) {
  LLVMTypeRef parameters[PARAMETERS_MAX];
  LLVMGetParamTypes(type, parameters);
  LLVMTypeRef i16 = pass_int_type(pass, 2);
  for (unsigned i = 0; i < LLVMCountParamTypes(type); i++)
    if (parameters[i] == pass->i8 || parameters[i] == i16)
      add_attribute(pass, function, i + 1, "zeroext");
  LLVMTypeRef result = LLVMGetReturnType(type);
  if (result == pass->i8 || result == i16)
    add_attribute(pass, function, LLVMAttributeReturnIndex, "zeroext");
}

/* Whoever waits looks again and again.  A loop whose first look the compiler copies in front of it has two places for
 * one: a thread that has looked in vain at the first is not where it was when it does so at the second, and that
 * is explored.  What is convergent is inlined, but not copied. */
static bool is_look(enum hook hook) {
  return (hook >= HOOK_vload1 && hook <= HOOK_vload8) ||
         (hook >= HOOK_atomic_load1 && hook <= HOOK_atomic_load16) ||
         (hook >= HOOK_rmw1 && hook <= HOOK_cas16);
}

LLVMValueRef hook_function(struct pass *pass, enum hook hook) {
  LLVMTypeRef type = hook_type(pass, hook);
  struct hook_function *f = &pass->hooks[hook];
  if (f->value)
    return f->value;
  char symbol[64];
  snprintf(symbol, sizeof symbol, PREFIX "%s", hook_name(hook));
  f->value = LLVMGetNamedFunction(pass->module, symbol);
  if (!f->value) {
    f->value = LLVMAddFunction(pass->module, symbol, type);
    add_attribute(pass, f->value, LLVMAttributeFunctionIndex, "nounwind");
    if (is_look(hook))
      add_attribute(pass, f->value, LLVMAttributeFunctionIndex, "convergent");
    extend_small_integers(pass, f->value, type);
  }
  return f->value;
}

LLVMValueRef hook_call(struct pass *pass, enum hook hook, LLVMValueRef *arguments) {
  LLVMValueRef call =
      LLVMBuildCall2(pass->builder, hook_type(pass, hook), hook_function(pass, hook), arguments,
                     hook_parameters(hook), "");
  LLVMSetTailCallKind(call, LLVMTailCallKindNoTail); /* who calls it is seen on the stack */
  return call;
}
