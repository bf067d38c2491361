#include "instrument/helper.h"
#include "abi/abi.h"
#include "base/hash.h"
#include <stdio.h>
#include <string.h>

#define BUCKETS 256

/* The likely side of the window test: everything that is not a simulated region. */
#define WEIGHT_WATCHED 1
#define WEIGHT_PLAIN 2000000

struct helper {
  struct helper *next;
  struct helper_key key;
  LLVMTypeRef type;
  LLVMValueRef function;
};

/* A helper being made; making one may need another one. */
struct frame {
  LLVMValueRef function;
  LLVMBuilderRef outer_builder; /* of the code that needs it */
};

struct helper_table {
  struct helper *buckets[BUCKETS];
  VEC(struct frame) frames;
};

struct helper_table *helper_table_create(void) {
  return mem_alloc(sizeof(struct helper_table));
}

void helper_table_destroy(struct helper_table *table) {
  for (int i = 0; i < BUCKETS; i++)
    for (struct helper *h = table->buckets[i], *next; h; h = next) {
      next = h->next;
      mem_free(h, sizeof *h);
    }
  vec_free(&table->frames);
  mem_free(table, sizeof *table);
}

static bool same_key(const struct helper_key *a, const struct helper_key *b) {
  return strcmp(a->kind, b->kind) == 0 && a->type == b->type && a->tag == b->tag &&
         a->number == b->number && a->flags == b->flags;
}

/* Only looks for an equal key: addresses do not influence the order of anything. */
static struct helper **bucket_of(struct helper_table *table, const struct helper_key *key) {
  uint64_t h = hash_bytes(0, key->kind, strlen(key->kind));
  h = hash_u64(h, (uintptr_t)key->type);
  h = hash_u64(h, (uintptr_t)key->tag);
  h = hash_u64(h, key->number);
  return &table->buckets[hash_u64(h, key->flags) % BUCKETS];
}

static void add_attribute(struct pass *pass, LLVMValueRef function, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(pass->context, kind, 0));
}

static void enter(struct pass *pass, LLVMValueRef function) {
  struct frame frame = {function, pass->builder};
  vec_push(&pass->helpers->frames, frame);
  pass->builder = LLVMCreateBuilderInContext(pass->context);
  LLVMPositionBuilderAtEnd(pass->builder, helper_block(pass, "entry"));
}

LLVMValueRef helper_get(struct pass *pass, const struct helper_key *key, LLVMTypeRef type,
                        bool *is_new) {
  struct helper **bucket = bucket_of(pass->helpers, key);
  *is_new = false;
  for (struct helper *h = *bucket; h; h = h->next)
    if (same_key(&h->key, key) && h->type == type)
      return h->function;
  char name[64];
  snprintf(name, sizeof name, "tidemark.%s", key->kind);
  struct helper *h = mem_alloc(sizeof *h);
  *h = (struct helper){*bucket, *key, type, LLVMAddFunction(pass->module, name, type)};
  *bucket = h;
  LLVMSetLinkage(h->function, LLVMInternalLinkage);
  add_attribute(pass, h->function, "alwaysinline");
  add_attribute(pass, h->function, "nounwind");
  enter(pass, h->function);
  *is_new = true;
  return h->function;
}

void helper_finish(struct pass *pass) {
  LLVMDisposeBuilder(pass->builder);
  struct frame frame = vec_pop(&pass->helpers->frames);
  pass->builder = frame.outer_builder;
}

LLVMBasicBlockRef helper_block(struct pass *pass, const char *name) {
  return LLVMAppendBasicBlockInContext(pass->context, vec_last(&pass->helpers->frames).function,
                                       name);
}

static LLVMMetadataRef branch_weights(struct pass *pass) {
  LLVMMetadataRef parts[] = {
      LLVMMDStringInContext2(pass->context, "branch_weights", strlen("branch_weights")),
      LLVMValueAsMetadata(pass_int(pass, pass->i32, WEIGHT_WATCHED)),
      LLVMValueAsMetadata(pass_int(pass, pass->i32, WEIGHT_PLAIN))};
  return LLVMMDNodeInContext2(pass->context, parts, 3);
}

/* Protected: each file has its own and reaches it without a detour. */
LLVMValueRef helper_watch(LLVMContextRef context, LLVMModuleRef module, LLVMBuilderRef builder) {
  LLVMTypeRef type = LLVMInt64TypeInContext(context);
  LLVMValueRef watch = LLVMGetNamedGlobal(module, ABI_WATCH_SYMBOL);
  if (!watch) {
    watch = LLVMAddGlobal(module, type, ABI_WATCH_SYMBOL);
    LLVMSetInitializer(watch, LLVMConstNull(type));
    LLVMSetLinkage(watch, LLVMWeakAnyLinkage);
    LLVMSetVisibility(watch, LLVMProtectedVisibility);
  }
  /* Nobody changes it while the program runs, so tests may leave loops. */
  LLVMValueRef limit = LLVMBuildLoad2(builder, type, watch, "");
  LLVMMetadataRef nothing = LLVMMDNodeInContext2(context, NULL, 0);
  unsigned invariant =
      LLVMGetMDKindIDInContext(context, "invariant.load", strlen("invariant.load"));
  LLVMSetMetadata(limit, invariant, LLVMMetadataAsValue(context, nothing));
  return limit;
}

void helper_test(struct pass *pass, const LLVMValueRef *addresses, unsigned count,
                 LLVMBasicBlockRef watched, LLVMBasicBlockRef plain) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef any = NULL, limit = helper_watch(pass->context, pass->module, b);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef address = LLVMBuildPtrToInt(b, addresses[i], pass->i64, "");
    LLVMValueRef hit = LLVMBuildICmp(b, LLVMIntULT, address, limit, "");
    any = any ? LLVMBuildOr(b, any, hit, "") : hit;
  }
  LLVMValueRef branch = LLVMBuildCondBr(b, any, watched, plain);
  LLVMSetMetadata(branch, pass->md_prof, LLVMMetadataAsValue(pass->context, branch_weights(pass)));
}

LLVMValueRef helper_slot(struct pass *pass, LLVMTypeRef type, LLVMValueRef value) {
  LLVMValueRef slot = LLVMBuildAlloca(pass->builder, type, "");
  if (value)
    LLVMBuildStore(pass->builder, value, slot);
  return slot;
}
