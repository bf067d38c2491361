/* Moving control between stacks.  System V x86-64: callee-saved registers, mxcsr and the x87
 * control word belong to a context, everything else is dead at a call. */

        .text

/* void fiber_swap(void **save_sp, void *load_sp) */
        .globl  fiber_swap
        .hidden fiber_swap
        .type   fiber_swap, @function
        .p2align 4
fiber_swap:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .cfi_endproc
        .size   fiber_swap, .-fiber_swap

/* First return address of a new fiber: entry in r12, argument in r13.  No caller: unwinders and
 * frame-pointer walks end here. */
        .globl  fiber_begin
        .hidden fiber_begin
        .type   fiber_begin, @function
        .p2align 4
fiber_begin:
        .cfi_startproc
        .cfi_undefined %rip
        movq    %r13, %rdi
        xorl    %ebp, %ebp
        call    *%r12
        ud2
        .cfi_endproc
        .size   fiber_begin, .-fiber_begin

/* long fiber_call(void *function, long a, long b, long c): call into the program.  A function of
 * the program that ends in a jump to an interposed function leaves this as the return address;
 * caller.h knows it as "the program". */
        .globl  fiber_call
        .hidden fiber_call
        .type   fiber_call, @function
        .p2align 4
fiber_call:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        call    *%rax
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .globl  fiber_call_end
        .hidden fiber_call_end
fiber_call_end:
        .size   fiber_call, .-fiber_call

/* Where signal handlers return to.  In the worker's text, unlike libc's; by this name
 * debuggers know what they see. */
        .globl  __restore_rt
        .hidden __restore_rt
        .type   __restore_rt, @function
        .p2align 4
        nop
__restore_rt:
        movq    $15, %rax
        syscall
        .size   __restore_rt, .-__restore_rt

        .section .note.GNU-stack,"",@progbits
