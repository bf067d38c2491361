/* syscall(): of what libc has a function for, that function is called, so that the checker stands in front of it. */
#include "instrument/call.h"
#include <string.h>
#include <sys/syscall.h>

/* Types: i int, l long, p pointer; that of the result first.  '.': the rest is passed as to a variadic function. */
static const struct function {
  unsigned number;
  const char *name, *types;
} functions[] = {
    {SYS_read, "read", "lipl"},          {SYS_write, "write", "lipl"},
    {SYS_open, "open", "ipi.i"},         {SYS_openat, "openat", "iipi.i"},
    {SYS_close, "close", "ii"},          {SYS_lseek, "lseek", "lili"},
    {SYS_pread64, "pread", "lipll"},     {SYS_pwrite64, "pwrite", "lipll"},
    {SYS_mmap, "mmap", "ppliiil"},       {SYS_munmap, "munmap", "ipl"},
    {SYS_mprotect, "mprotect", "ipli"},  {SYS_madvise, "madvise", "ipli"},
    {SYS_msync, "msync", "ipli"},        {SYS_fsync, "fsync", "ii"},
    {SYS_fdatasync, "fdatasync", "ii"},  {SYS_ftruncate, "ftruncate", "iil"},
    {SYS_access, "access", "ipi"},       {SYS_unlink, "unlink", "ip"},
    {SYS_nanosleep, "nanosleep", "ipp"},
};

#define ARGUMENTS_MAX 6

static const struct function *find(LLVMValueRef call) {
  if (LLVMGetNumArgOperands(call) == 0 || !LLVMIsAConstantInt(LLVMGetOperand(call, 0)))
    return NULL;
  uint64_t number = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0));
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (functions[i].number == number)
      return &functions[i];
  return NULL;
}

static LLVMTypeRef type_of(const struct pass *pass, char c) {
  return c == 'p' ? pass->ptr : c == 'i' ? pass->i32 : pass->i64;
}

/* As the kernel takes it from a register, and gives it back in one. */
static LLVMValueRef convert(struct pass *pass, LLVMValueRef value, LLVMTypeRef to) {
  bool from_pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
  bool to_pointer = LLVMGetTypeKind(to) == LLVMPointerTypeKind;
  if (from_pointer && to_pointer)
    return value;
  if (from_pointer)
    return LLVMBuildPtrToInt(pass->builder, value, to, "");
  if (to_pointer) /* a narrower integer is zero-extended: a null pointer */
    return LLVMBuildIntToPtr(pass->builder, value, to, "");
  return LLVMBuildIntCast2(pass->builder, value, to, true, "");
}

bool rewrite_syscall(struct pass *pass, LLVMValueRef call, const char *name) {
  const struct function *f = strcmp(name, "syscall") == 0 ? find(call) : NULL;
  if (!f || LLVMGetInstructionOpcode(call) != LLVMCall ||
      LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind)
    return false;
  LLVMTypeRef types[ARGUMENTS_MAX];
  LLVMValueRef arguments[ARGUMENTS_MAX];
  unsigned count = 0, fixed = 0;
  for (const char *t = f->types + 1; *t; t++) {
    if (*t == '.') {
      fixed = count;
      continue;
    }
    types[count] = type_of(pass, *t);
    arguments[count] = count + 1 < LLVMGetNumArgOperands(call)
                           ? convert(pass, LLVMGetOperand(call, count + 1), types[count])
                           : LLVMConstNull(types[count]);
    count++;
  }
  LLVMTypeRef type =
      LLVMFunctionType(type_of(pass, *f->types), types, fixed ? fixed : count, fixed > 0);
  LLVMValueRef callee = LLVMGetNamedFunction(pass->module, f->name);
  if (!callee)
    callee = LLVMAddFunction(pass->module, f->name, type);
  LLVMValueRef result = LLVMBuildCall2(pass->builder, type, callee, arguments, count, "");
  pass_replace(call, convert(pass, result, LLVMTypeOf(call)));
  return true;
}
