/* The interface between a run of the program and whoever runs it: every question whose answer the program itself does
 * not determine.
 *
 *      process  thread  access  libc   --ask-->   door   <--answers--   search
 *
 * The program's side knows this header and nothing of searches; it cannot tell whether it is explored, replayed,
 * sampled or just run.  A search provides one struct door (search_door, traces_door, cluster_door, survivors_door,
 * interleavings_door) and installs it before each run.  Every answer is a choice that has a place in the replay token
 * (explore/choice.h), or follows from such choices; that is what makes a run repeatable.  What the program does with
 * the answers is reported as events (event/event.h), to the list that was given to access_begin.
 *
 * All functions are called on the fiber of the asking thread, with two exceptions that come from the host: `fail` at
 * the end of an execution, and `pick` when a thread of an ordinary program has failed and the others go on. */
#ifndef DOOR_DOOR_H
#define DOOR_DOOR_H

#include "event/event.h"
#include "event/operation.h"
#include "explore/choice.h"
#include "memory/line.h"

/* Numbers that the checker decides. */
enum door_fact { DOOR_FAILURES /* how often the power has failed (pm) */ };

/* A failure point: something may fail here. */
struct door_failure {
  int machine;        /* -1: the whole system */
  const char *before; /* what is about to happen: "sfence", "a load by another machine", ... */
  const struct abi_site *site;
};

enum door_fate {
  DOOR_GOES_ON,
  DOOR_FAILS,
  DOOR_HAS_FAILED, /* it fails, and the search has already put its stores in doubt (cxl_lose) */
};

#define DOOR_NOTHING UINT32_MAX

struct door {
  /* The value of bytes that a failure has left in doubt.  pre: size <= 8, within one aligned 8-byte word. */
  uint64_t (*read)(struct line *l, uintptr_t address, int size, const struct abi_site *site);
  enum door_fate (*fail)(const struct door_failure *f);
  uint32_t (*choose)(enum choice_kind kind, uint32_t count); /* one of `count` alternatives */
  uint64_t (*fact)(enum door_fact fact);

  /* Schedules. */

  /* Which of these operations happens next?  Returns its index.  Off a fiber it may also return DOOR_NOTHING: the
   * execution is of no interest any more (on a fiber the run is stopped instead).  count is 0 only if the threads that
   * could go on are waiting loops that would look again at something that has not changed. */
  uint32_t (*pick)(const struct operation *options, uint32_t count);
  /* Would `pick` choose this operation whatever the other options are?  Then it need not be asked. */
  bool (*goes_on)(const struct operation *o);
  /* This operation happens now, while there are several threads. */
  void (*note)(const struct operation *o);
  /* An operation that can end in several ways (operation.ways), such as a wait with a deadline: in which one? */
  uint32_t (*way)(const struct operation *o);
  /* Ordinary programs: must this operation be next, even if it is a look that leads nowhere (explore/futile.h)? */
  bool (*demands)(const struct operation *o);
  /* Ordinary programs and traces: nobody can go on, and this is what a blocked thread waits to do.  May be NULL. */
  void (*waits)(const struct operation *o);
  /* Ordinary programs: a thread has announced its next operation, and nobody was asked yet who goes on.  Does whoever
   * runs the program want to look at it here (thread_pause)? */
  bool (*pauses)(void);
  /* Traces: if the execution repeats an earlier one up to here, which thread (or its buffer) is next?  May be NULL. */
  bool (*repeats)(uint32_t *thread, bool *drain);
  /* Traces (access/schedule.h): called for each operation when it is chosen.  Returns its number, from 1. */
  uint32_t (*happens)(const struct operation *o);
  /* Traces: does one operation happen before another, by these numbers, in every order of the trace?  What came before
   * there was a second thread has number 0 and precedes everything. */
  bool (*ordered)(uint32_t earlier, uint32_t later);
  /* A number for the path of the execution so far (ordinary programs: how many operations were noted). */
  uint64_t (*where)(void);

  /* A checksum validation: the program promises to throw away what it read in between if the checksum is wrong. */
  void (*checksum_begin)(void);
  void (*checksum_end)(bool valid);

  /* cxl with analyses, while machines may still fail; may be NULL.  loaded: a load whose bytes were certain is done.
   * fetched: the stores of other live machines to the line, up to that position, are written back now, unless they
   * were before. */
  void (*loaded)(const struct line *l, uintptr_t address, int size, const struct abi_site *site);
  void (*fetched)(const struct line *l, uint32_t position, const struct abi_site *site);

  /* The runtime looks at watched bytes for its own purposes (a lock word), which is no load of the program; both may be
   * NULL.  peeked (pm): it has done so.  peek (cxl, after the last failure): the newest of these bytes that are not
   * lost (memory_newest). */
  void (*peeked)(uintptr_t address, int size);
  uint64_t (*peek)(struct line *l, uintptr_t address, int size);

  /* A step begins, after as many as access_look_after said: the program may be in a loop without end.  May be NULL. */
  void (*steps)(const struct abi_site *site);
};

extern const struct door *door; /* of the execution under way */

#endif
