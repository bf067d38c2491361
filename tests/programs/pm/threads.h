/* Programs whose threads run at the same time, for the folder schedules/. */
#ifndef THREADS_H
#define THREADS_H

#include "pm.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREAD(name) static void name(union pm_line *line)

typedef void thread_body(union pm_line *line);

struct started {
  thread_body *body;
  union pm_line *line;
  pthread_t thread;
};

static inline void *start_body(void *argument) {
  struct started *s = argument;
  s->body(s->line);
  return NULL;
}

/* The first one in the calling thread; returns when all have ended. */
static inline void run_together(union pm_line *line, thread_body *const *bodies, int count) {
  struct started s[8];
  for (int i = 1; i < count; i++) {
    s[i] = (struct started){.body = bodies[i], .line = line};
    pthread_create(&s[i].thread, NULL, start_body, &s[i]);
  }
  bodies[0](line);
  for (int i = 1; i < count; i++)
    pthread_join(s[i].thread, NULL);
}

#define TOGETHER(line, ...)                                                                        \
  run_together(line, (thread_body *const[]){__VA_ARGS__},                                          \
               (int)(sizeof((thread_body *[]){__VA_ARGS__}) / sizeof(thread_body *)))

/* The threads run until the power fails, after() ever after. */
#define CRASH_TEST(lines, ...)                                                                     \
  int main(void) {                                                                                 \
    union pm_line *line = pm_lines(lines);                                                         \
    if (tidemark_failures() == 0)                                                                  \
      TOGETHER(line, __VA_ARGS__);                                                                 \
    else                                                                                           \
      after(line);                                                                                 \
    return 0;                                                                                      \
  }

/* The threads run, then after(); a failure does not matter. */
#define RUN_TEST(lines, ...)                                                                       \
  int main(void) {                                                                                 \
    union pm_line *line = pm_lines(lines);                                                         \
    if (tidemark_failures() == 0) {                                                                \
      TOGETHER(line, __VA_ARGS__);                                                                 \
      after(line);                                                                                 \
    }                                                                                              \
    return 0;                                                                                      \
  }

#endif
