/* Thread-local variables of the program (emulated TLS) and what runs when a thread ends. */
#ifndef THREAD_TLS_H
#define THREAD_TLS_H

/* pre: on a fiber.  Run the destructors of the running thread's thread_local objects: the program's thread function has
 * returned, or exit was called. */
void tls_run_destructors(void);
/* Give them back: the thread ends. */
void tls_thread_exit(void);

#endif
