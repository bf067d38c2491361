/* System calls that read or write watched memory, which the kernel cannot reach: those of libc (fwrite of a large buffer,
 * fstat, open of a path that lies there) and of other code that was not instrumented.
 *
 * The gate asks before it passes a call on.  A call about watched memory is made on the thread instead, like an access
 * of such code (bypass.h): what the kernel would read is read first, the kernel works on a copy, and what it has written
 * is stored afterwards.  read, write and their kin have functions in front of them (libc/interpose_pmfile.c) and come
 * here only from inside libc. */
#ifndef ACCESS_KERNEL_H
#define ACCESS_KERNEL_H

/* Once; after bypass_init. */
void kernel_init(void);

#endif
