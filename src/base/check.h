/* Assertions that stay on in release builds: a wrong verdict is worse than a crash.
 *
 * CHECK(cond, "what was expected, %d", x) ends the process with exit status 4 (internal error)
 * after printing one line to stderr.  It never allocates, so it may be used anywhere. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#define CHECK(cond, ...) \
  do { \
    if (__builtin_expect(!(cond), 0)) \
      check_failed(__FILE__, __LINE__, #cond, __VA_ARGS__); \
  } while (0)

/* What the system does not give us is nobody's mistake: exit status 3, and the message says what to
 * do about it. */
#define REQUIRE(cond, ...) \
  do { \
    if (__builtin_expect(!(cond), 0)) \
      check_refused(__VA_ARGS__); \
  } while (0)

#define EXIT_INTERNAL 4
#define EXIT_REFUSED 3
#define EXIT_EXHAUSTED 5

/* Where the line goes; stderr unless somebody else has taken that. */
extern int check_fd;

/* Called with the failed condition's text before the process ends; the worker uses it to say
 * which execution was under way.  May be NULL. */
extern void (*check_on_failure)(const char *message);

/* Called with the message of a failed REQUIRE instead of printing it.  May be NULL. */
extern void (*check_on_refusal)(const char *message);

/* Called instead of printing that there is no more memory.  May be NULL. */
extern void (*check_on_exhaustion)(void);

/* There is no more memory: what was asked stays undecided, which is no mistake either. */
_Noreturn void check_exhausted(void);

_Noreturn void check_refused(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void check_failed(const char *file, int line, const char *cond, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
