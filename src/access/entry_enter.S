/* Hooks that may be looks of a waiting loop (access/vain.h), and flushes (access/standing.h): what is exported notes,
 * if somebody compares (entered_wanted), the registers that belong to the caller, its stack pointer and the site, which
 * the hook has in that register, and goes on as the function of entry.c whose name ends in _here.  That one has frames
 * of its own on the stack, with gaps that hold whatever was there before. */

        .text

        .macro  hook name, site
        .globl  __tidemark_\name
        .type   __tidemark_\name, @function
        .p2align 4
__tidemark_\name:
        .cfi_startproc
        cmpb    $0, entered_wanted(%rip)
        je      __tidemark_\name\()_here
        movq    %rbx, entered(%rip)
        movq    %rbp, entered+8(%rip)
        movq    %r12, entered+16(%rip)
        movq    %r13, entered+24(%rip)
        movq    %r14, entered+32(%rip)
        movq    %r15, entered+40(%rip)
        movq    %rsp, entered+48(%rip)
        movq    %\site, entered_site(%rip)
        jmp     __tidemark_\name\()_here
        .cfi_endproc
        .size   __tidemark_\name, .-__tidemark_\name
        .endm

        .irp    size, 1, 2, 4, 8
        hook    load\size, rsi
        hook    vload\size, rsi
        hook    atomic_load\size, rdx
        hook    atomic_store\size, rcx
        hook    rmw\size, r8
        hook    cas\size, r8
        .endr
        hook    atomic_load16, rcx
        hook    atomic_store16, rcx
        hook    cas16, r9
        hook    flush, rdx

        .section .note.GNU-stack,"",@progbits
