/* Entered (by a signal handler that changed rip, or behind a copy of step.c) with
 *      [rsp]   function to call
 *      [rsp+8] where to go on afterwards
 *      [rsp+16] the instruction that this is about, for unwinders; above it 128 bytes of red zone,
 *              then the old top of stack
 * Calls the function with every register saved and a pointer to them (struct bypass_frame), then goes
 * on.  If it returns true it ends in an illegal instruction instead, whose handler (bypass_filter)
 * takes the thread to where it goes on and steps it.  Not a breakpoint: debuggers keep those to
 * themselves.  During the call, unwinders find the interrupted code as they would above a signal. */
#define STATE 0xe7 /* x87, SSE, AVX and AVX-512 registers, as far as the processor has them */

        .macro  restore
        mov     $STATE, %eax
        xor     %edx, %edx
        xrstor64 (%rsp)
        mov     %rbx, %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %r11
        pop     %r10
        pop     %r9
        pop     %r8
        pop     %rbp
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rbx
        pop     %rax
        popfq
        .endm

        .text
        .globl  bypass_enter
        .hidden bypass_enter
        .type   bypass_enter, @function
bypass_enter:
        .cfi_startproc
        .cfi_signal_frame
        .cfi_undefined rip
        pushfq
        cld
        push    %rax
        push    %rbx
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %rbp
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, %rbx
        mov     128(%rbx), %r12
        sub     $4096, %rsp
        and     $-64, %rsp
        lea     512(%rsp), %rdi
        mov     $8, %ecx
1:      movq    $0, -8(%rdi,%rcx,8)
        loop    1b
        mov     $STATE, %eax
        xor     %edx, %edx
        xsave64 (%rsp)
        mov     %rbx, %rbp
        .cfi_def_cfa rbp, 280
        .cfi_offset rip, -136
        .cfi_offset rax, -168
        .cfi_offset rbx, -176
        .cfi_offset rcx, -184
        .cfi_offset rdx, -192
        .cfi_offset rsi, -200
        .cfi_offset rdi, -208
        .cfi_offset rbp, -216
        .cfi_offset r8, -224
        .cfi_offset r9, -232
        .cfi_offset r10, -240
        .cfi_offset r11, -248
        .cfi_offset r12, -256
        .cfi_offset r13, -264
        .cfi_offset r14, -272
        .cfi_offset r15, -280
        mov     %rbx, %rdi
        call    *%r12
        test    %al, %al
        jnz     2f
        restore
        lea     8(%rsp), %rsp
        ret     $136
2:      restore
        .globl  bypass_leave
        .hidden bypass_leave
bypass_leave:
        ud2
        .cfi_endproc
        .size   bypass_enter, .-bypass_enter
        .section .note.GNU-stack,"",@progbits
