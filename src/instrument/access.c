#include "instrument/access.h"
#include "instrument/helper.h"
#include "instrument/select.h"
#include "instrument/site.h"

struct plain {
  LLVMTypeRef type;
  unsigned alignment;
  bool is_volatile;
  LLVMValueRef tbaa; /* or NULL */
};

static unsigned log2_bytes(unsigned bytes) {
  return (unsigned)__builtin_ctz(bytes);
}

static struct helper_key key_of(const char *kind, const struct plain *how) {
  return (struct helper_key){.kind = kind,
                             .type = how->type,
                             .tag = how->tbaa,
                             .number = how->alignment,
                             .flags = how->is_volatile};
}

static void copy_details(struct pass *pass, const struct plain *how, LLVMValueRef access) {
  LLVMSetAlignment(access, how->alignment);
  LLVMSetVolatile(access, how->is_volatile);
  if (how->tbaa)
    LLVMSetMetadata(access, pass->md_tbaa, how->tbaa);
}

/* T load(address, object, site) */
static void fill_load(struct pass *pass, LLVMValueRef helper, const struct plain *how) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef address = LLVMGetParam(helper, 0), object = LLVMGetParam(helper, 1);
  LLVMValueRef site = LLVMGetParam(helper, 2);
  unsigned bytes = pass_scalar_bytes(pass, how->type);
  LLVMValueRef slot = bytes ? NULL : helper_slot(pass, how->type, NULL);
  LLVMBasicBlockRef watched = helper_block(pass, "watched"), plain = helper_block(pass, "plain");
  helper_test(pass, &object, 1, watched, plain);
  LLVMPositionBuilderAtEnd(b, watched);
  LLVMValueRef value;
  if (bytes) {
    value = hook_call(pass, HOOK_load1 + log2_bytes(bytes), (LLVMValueRef[]){address, site});
    value = pass_from_int(pass, value, how->type);
  } else {
    LLVMValueRef size = pass_int(pass, pass->i64, pass_store_bytes(pass, how->type));
    hook_call(pass, HOOK_load_n, (LLVMValueRef[]){slot, address, size, site});
    value = LLVMBuildLoad2(b, how->type, slot, "");
  }
  LLVMBuildRet(b, value);
  LLVMPositionBuilderAtEnd(b, plain);
  value = LLVMBuildLoad2(b, how->type, address, "");
  copy_details(pass, how, value);
  LLVMBuildRet(b, value);
}

/* void store(value, address, object, site) */
static void fill_store(struct pass *pass, LLVMValueRef helper, const struct plain *how) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef value = LLVMGetParam(helper, 0), address = LLVMGetParam(helper, 1);
  LLVMValueRef object = LLVMGetParam(helper, 2), site = LLVMGetParam(helper, 3);
  unsigned bytes = pass_scalar_bytes(pass, how->type);
  LLVMValueRef slot = bytes ? NULL : helper_slot(pass, how->type, NULL);
  LLVMBasicBlockRef watched = helper_block(pass, "watched"), plain = helper_block(pass, "plain");
  helper_test(pass, &object, 1, watched, plain);
  LLVMPositionBuilderAtEnd(b, watched);
  if (bytes) {
    LLVMValueRef arguments[] = {address, pass_to_int(pass, value), site};
    hook_call(pass, HOOK_store1 + log2_bytes(bytes), arguments);
  } else {
    LLVMBuildStore(b, value, slot);
    LLVMValueRef size = pass_int(pass, pass->i64, pass_store_bytes(pass, how->type));
    hook_call(pass, HOOK_store_n, (LLVMValueRef[]){address, slot, size, site});
  }
  LLVMBuildRetVoid(b);
  LLVMPositionBuilderAtEnd(b, plain);
  copy_details(pass, how, LLVMBuildStore(b, value, address));
  LLVMBuildRetVoid(b);
}

static LLVMValueRef load(struct pass *pass, const struct plain *how, LLVMValueRef address,
                         LLVMValueRef site) {
  bool is_new;
  struct helper_key key = key_of("load", how);
  LLVMTypeRef parameters[] = {pass->ptr, pass->ptr, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(how->type, parameters, 3, false);
  LLVMValueRef helper = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    fill_load(pass, helper, how);
    helper_finish(pass);
  }
  LLVMValueRef arguments[] = {address, select_object(pass, address), site};
  return LLVMBuildCall2(pass->builder, type, helper, arguments, 3, "");
}

static void store(struct pass *pass, const struct plain *how, LLVMValueRef value,
                  LLVMValueRef address, LLVMValueRef site) {
  bool is_new;
  struct helper_key key = key_of("store", how);
  LLVMTypeRef parameters[] = {how->type, pass->ptr, pass->ptr, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(pass->void_type, parameters, 4, false);
  LLVMValueRef helper = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    fill_store(pass, helper, how);
    helper_finish(pass);
  }
  LLVMValueRef arguments[] = {value, address, select_object(pass, address), site};
  LLVMBuildCall2(pass->builder, type, helper, arguments, 4, "");
}

LLVMValueRef access_load(struct pass *pass, LLVMTypeRef type, LLVMValueRef address,
                         unsigned alignment, LLVMValueRef site) {
  return load(pass, &(struct plain){.type = type, .alignment = alignment}, address, site);
}

void access_store(struct pass *pass, LLVMValueRef value, LLVMValueRef address, unsigned alignment,
                  LLVMValueRef site) {
  struct plain how = {.type = LLVMTypeOf(value), .alignment = alignment};
  store(pass, &how, value, address, site);
}

void access_store_nontemporal(struct pass *pass, LLVMValueRef value, LLVMValueRef address,
                              LLVMValueRef site) {
  bool is_new;
  struct helper_key key = {.kind = "ntstore", .type = LLVMTypeOf(value)};
  LLVMTypeRef parameters[] = {LLVMTypeOf(value), pass->ptr, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(pass->void_type, parameters, 3, false);
  LLVMValueRef helper = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    LLVMValueRef slot = helper_slot(pass, LLVMTypeOf(value), LLVMGetParam(helper, 0));
    LLVMValueRef size = pass_int(pass, pass->i64, pass_store_bytes(pass, LLVMTypeOf(value)));
    LLVMValueRef arguments[] = {LLVMGetParam(helper, 1), slot, size, LLVMGetParam(helper, 2)};
    hook_call(pass, HOOK_ntstore, arguments);
    LLVMBuildRetVoid(pass->builder);
    helper_finish(pass);
  }
  LLVMValueRef arguments[] = {value, address, site};
  LLVMBuildCall2(pass->builder, type, helper, arguments, 3, "");
}

static struct plain details(struct pass *pass, LLVMValueRef access, LLVMTypeRef type) {
  return (struct plain){.type = type,
                        .alignment = LLVMGetAlignment(access),
                        .is_volatile = LLVMGetVolatile(access),
                        .tbaa = LLVMGetMetadata(access, pass->md_tbaa)};
}

bool rewrite_load(struct pass *pass, LLVMValueRef instruction) {
  LLVMValueRef address = LLVMGetOperand(instruction, 0);
  struct plain how = details(pass, instruction, LLVMTypeOf(instruction));
  unsigned bytes = pass_scalar_bytes(pass, how.type);
  if (select_is_private(address)) /* volatile or not: nobody else can see it */
    return false;
  LLVMValueRef site = site_of(pass, instruction), value;
  if (how.is_volatile && bytes) {
    value = hook_call(pass, HOOK_vload1 + log2_bytes(bytes), (LLVMValueRef[]){address, site});
    value = pass_from_int(pass, value, how.type);
  } else {
    value = load(pass, &how, address, site);
  }
  pass_replace(instruction, value);
  return true;
}

bool rewrite_store(struct pass *pass, LLVMValueRef instruction) {
  LLVMValueRef value = LLVMGetOperand(instruction, 0), address = LLVMGetOperand(instruction, 1);
  struct plain how = details(pass, instruction, LLVMTypeOf(value));
  unsigned bytes = pass_scalar_bytes(pass, how.type);
  bool nontemporal = LLVMGetMetadata(instruction, pass->md_nontemporal) != NULL;
  if (!nontemporal && select_is_private(address))
    return false;
  LLVMValueRef site = site_of(pass, instruction);
  if (nontemporal) {
    access_store_nontemporal(pass, value, address, site);
  } else if (how.is_volatile && bytes) {
    LLVMValueRef arguments[] = {address, pass_to_int(pass, value), site};
    hook_call(pass, HOOK_vstore1 + log2_bytes(bytes), arguments);
  } else {
    store(pass, &how, value, address, site);
  }
  pass_replace(instruction, NULL);
  return true;
}
