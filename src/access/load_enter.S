/* uint64_t access_load(uintptr_t address, int size, const struct abi_site *site): the load itself is
 * access_load_here.  While states are taken (access_captures) the registers that belong to the caller
 * are noted first: together with its stack they are all there is of it, and a load that was left in
 * its middle goes on at access_load_resume. */

        .text

        .globl  access_load
        .hidden access_load
        .type   access_load, @function
        .p2align 4
access_load:
        .cfi_startproc
        cmpb    $0, access_captures(%rip)
        je      access_load_here
        movq    %r15, access_registers(%rip)
        movq    %r14, access_registers+8(%rip)
        movq    %r13, access_registers+16(%rip)
        movq    %r12, access_registers+24(%rip)
        movq    %rbx, access_registers+32(%rip)
        movq    %rbp, access_registers+40(%rip)
        movq    %rsp, access_registers+48(%rip)
        jmp     access_load_here
        .cfi_endproc
        .size   access_load, .-access_load

        .globl  access_load_resume
        .hidden access_load_resume
        .type   access_load_resume, @function
        .p2align 4
access_load_resume:
        .cfi_startproc
        movq    access_answer(%rip), %rax
        ret
        .cfi_endproc
        .size   access_load_resume, .-access_load_resume

        .section .note.GNU-stack,"",@progbits
