/* Waiting for a word of memory, as libraries do it. */
#ifndef THREAD_FUTEX_H
#define THREAD_FUTEX_H

/* wait: until somebody wakes those who wait for the word, unless it has another value. */
void futex_wait_while(const void *word, unsigned value);
void futex_wake_all(const void *word);

#endif
