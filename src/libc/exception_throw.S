/* __cxa_throw(object, type, destructor) in front of libstdc++'s: notes the call and goes on there
 * with a jump, so that unwinding has no frame more to pass. */
        .text
        .globl  __cxa_throw
        .type   __cxa_throw, @function
        .p2align 4
__cxa_throw:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        subq    $8, %rsp
        call    exception_note
        addq    $8, %rsp
        popq    %rdx
        popq    %rsi
        popq    %rdi
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        jmp     *%rax
        .cfi_endproc
        .size   __cxa_throw, .-__cxa_throw
        .section .note.GNU-stack,"",@progbits
