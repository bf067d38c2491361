/* Calls: one dispatcher, and what it dispatches to. */
#ifndef INSTRUMENT_CALL_H
#define INSTRUMENT_CALL_H

#include "instrument/pass.h"

/* Any call or invoke, inline assembly included. */
bool rewrite_call(struct pass *pass, LLVMValueRef call);

/* memcall.c: llvm.memcpy and its kin; the library functions of hooks.def by whatever name. */
bool rewrite_memory_intrinsic(struct pass *pass, LLVMValueRef call, const char *name);
bool rewrite_library_call(struct pass *pass, LLVMValueRef call, const char *name);

/* Structures passed by value are copied by the call itself: make the copy visible. */
void expose_byval_copies(struct pass *pass, LLVMValueRef call);

/* `rep movs`: element by element, upwards, also where it reads what it has written. */
void build_forward_copy(struct pass *pass, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes,
                        unsigned element, LLVMValueRef site);

/* Once per module, last: pointers to the library functions become pointers to functions that call
 * the hook. */
void redirect_function_pointers(struct pass *pass);

/* syscall.c: syscall() with a number that libc has a function for. */
bool rewrite_syscall(struct pass *pass, LLVMValueRef call, const char *name);

/* own_thread.c: __builtin_thread_pointer(), and assembly with %fs or %gs. */
bool rewrite_thread_pointer(struct pass *pass, LLVMValueRef call, const char *name);
bool rewrite_segment_asm(struct pass *pass, LLVMValueRef call, const char *template);
bool rewrite_segment_access(struct pass *pass, LLVMValueRef access);

/* persist.c: flushes, fences, pause, time stamps, random numbers, direct stores, transactions. */
bool rewrite_persist_intrinsic(struct pass *pass, LLVMValueRef call, const char *name);

/* masked.c: vector accesses under a mask, gathers and scatters. */
bool rewrite_masked_intrinsic(struct pass *pass, LLVMValueRef call, const char *name);

/* call.c: a warning. */
void report_about(struct pass *pass, LLVMValueRef call, const char *text);

/* call.c: something touches memory in a way that hooks cannot express.  Warns the user now and
 * tells the checker when it is reached. */
void report_unknown(struct pass *pass, LLVMValueRef call, const char *what, const char *text);

/* reduction.c: OpenMP's question how to add up. */
bool rewrite_reduction(struct pass *pass, LLVMValueRef call, const char *name);

/* barrier.c: a call of that function, if it is pthread_barrier_wait and nobody looks at who was the last. */
void rename_barrier(struct pass *pass, LLVMValueRef call, const char *name);

#endif
