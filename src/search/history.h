/* How the execution under way came about: the failures in it and the loads that could have been
 * answered in several ways.  Kept by the search, read when a finding is described.  Host memory. */
#ifndef SEARCH_HISTORY_H
#define SEARCH_HISTORY_H

#include "event/event.h"
#include "event/operation.h"
#include "event/trace.h"
#include "explore/choice.h"
#include "explore/memo.h"
#include "memory/line.h"

struct history_read {
  uintptr_t address;
  int size;
  int execution; /* failures before it */
  const struct abi_site *site;
  uintptr_t code;      /* without a site */
  size_t first, count; /* its candidates in history.candidates */
  uint32_t taken;
};

struct history_failure {
  int machine;        /* -1: the whole system */
  uint32_t point;     /* number of the failure point */
  uint32_t event;     /* events of the failed domain before this index have happened */
  const char *before; /* what was about to happen: "sfence", "load", ... */
  const struct abi_site *site;
  uintptr_t code;
  struct event_frames frames;
  struct event_frames own; /* where that machine stood, if another one was running; or nothing */
  bool ended;              /* its program was over */
};

/* Loads along the execution of what an earlier one may have left: the first of so many in a row, and its number
 * among all of them. */
struct history_load {
  const struct memo_load *load;
  int execution;
  uint32_t count, number;
};

/* Something that happened where something else could have (schedules).  Or traces: would have, without the
 * failure. */
enum history_when {
  HISTORY_HAPPENED,
  HISTORY_HELD_BACK, /* the first thing in a store buffer whose thread had gone on */
  HISTORY_NEXT,      /* the thread stood before it */
  HISTORY_LATER,
};

struct history_step {
  int execution;
  struct operation operation;
  enum history_when when;
};

struct history {
  bool machines; /* domains are machines (cxl), not executions (pm) */
  struct choices choices;
  event_list events;
  struct trace trace;             /* pm: of these, what belongs to the execution */
  VEC(struct history_load) loads; /* pm: all of them */
  const struct memory *memory;    /* as the execution has left it so far */
  event_frames_list frames;       /* of failure points: event.detail is the index */
  candidate_list candidates;
  VEC(struct history_read) reads;
  VEC(struct history_failure) failures;
  VEC(struct history_step) steps;
  void (*complete)(void);           /* before it is read: say what is only known now; or NULL */
  bool (*happened)(uint32_t event); /* before the first failure; NULL: all before failure.event */
};

#endif
