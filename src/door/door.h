/* What a run of the program asks of whoever runs it: the one door between the program's side
 * (threads, accesses, libc) and the searches.
 *
 *      process  thread  access  libc   --ask-->   door   <--answers--   search
 *
 * The program's side knows this header and nothing of searches: it does not know whether somebody
 * explores, replays, samples or just runs.  Every answer is a choice with a place in the replay
 * token (explore/choice.h), or follows from such choices.  What happens is told as events
 * (event/event.h), to whoever called access_begin.
 *
 * All of it is asked on a fiber, except fail at the end of an execution, and pick when a thread of an
 * ordinary program has failed and the others go on. */
#ifndef DOOR_DOOR_H
#define DOOR_DOOR_H

#include "event/event.h"
#include "event/operation.h"
#include "explore/choice.h"
#include "memory/line.h"

/* Numbers that the checker decides. */
enum door_fact { DOOR_FAILURES /* how often the power has failed (pm) */ };

/* Something may fail here. */
struct door_failure {
  int machine;        /* -1: the whole system */
  const char *before; /* what is about to happen: "sfence", "a load by another machine", ... */
  const struct abi_site *site;
};

enum door_fate {
  DOOR_GOES_ON,
  DOOR_FAILS,
  DOOR_HAS_FAILED, /* and whoever answers has already told memory (cxl_lose) */
};

#define DOOR_NOTHING UINT32_MAX

struct door {
  /* The value of bytes in doubt; pre: size <= 8, within one aligned 8-byte word. */
  uint64_t (*read)(struct line *l, uintptr_t address, int size, const struct abi_site *site);
  enum door_fate (*fail)(const struct door_failure *f);
  uint32_t (*choose)(enum choice_kind kind, uint32_t count); /* any other alternative */
  uint64_t (*fact)(enum door_fact fact);

  /* Schedules.  pick: which of these operations happens next, its number, or, unless on a
   * fiber, DOOR_NOTHING: the execution is of no interest any more; pre: count > 0, unless those who could
   * go on came too early.
   * goes_on: would it be this one, whatever else can happen?  note: one happens while there are several
   * threads.  way: how does an operation that can end in several ways?  where: a number for which execution this is, as far as it has come; in ordinary
   * programs, how many operations were noted. */
  uint32_t (*pick)(const struct operation *options, uint32_t count);
  bool (*goes_on)(const struct operation *o);
  void (*note)(const struct operation *o);
  uint32_t (*way)(const struct operation *o);
  /* Ordinary programs: does it have to be this one, even if it leads nowhere (explore/futile.h)? */
  bool (*demands)(const struct operation *o);
  /* Ordinary programs and traces: nobody goes on, and this is what a thread waits to do.  May be NULL. */
  void (*waits)(const struct operation *o);
  /* Traces: which thread, or its buffer, goes on, if an execution is repeated so far.  May be NULL. */
  bool (*repeats)(uint32_t *thread, bool *drain);
  /* Traces (access/schedule.h): each of them, when it is chosen.  Returns its number, from 1. */
  uint32_t (*happens)(const struct operation *o);
  /* Traces: does the operation with that number happen before the other one in every order of the trace?
   * Whatever comes before there is a second thread has number 0. */
  bool (*ordered)(uint32_t earlier, uint32_t later);
  uint64_t (*where)(void);

  /* A checksum validation.  The program throws away what it read if the checksum is wrong. */
  void (*checksum_begin)(void);
  void (*checksum_end)(bool valid);

  /* cxl, while machines may still fail.  loaded: a load whose bytes are certain has read them.  fetched:
   * what other live machines have stored to the line up to that position is written back now, if it was
   * not before.  May be NULL. */
  void (*loaded)(const struct line *l, uintptr_t address, int size, const struct abi_site *site);
  void (*fetched)(const struct line *l, uint32_t position, const struct abi_site *site);

  /* pm: bytes were looked at without a load.  cxl, after the last failure: what are the newest of these
   * bytes that are not lost (memory_newest)?  Both may be NULL. */
  void (*peeked)(uintptr_t address, int size);
  uint64_t (*peek)(struct line *l, uintptr_t address, int size);
};

extern const struct door *door; /* of the execution under way */

#endif
