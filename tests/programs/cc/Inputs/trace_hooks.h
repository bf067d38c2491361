/* What the tests of the compiler share: hooks that print what they were called with. */
#ifndef TRACE_HOOKS_H
#define TRACE_HOOKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Memory inside the watched window, zeroed, 64 KiB. */
void *window(void);

/* Between these, hooks print; elsewhere they only do their work. */
void trace_on(void);
void trace_off(void);

#ifdef __cplusplus
}
#endif

#endif
