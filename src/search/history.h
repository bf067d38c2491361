/* How the execution under way came about: its failures, the loads that could have been answered in several ways, the
 * steps of its schedule.  Each search keeps one as it goes forward and back; session/describe.c reads it when a finding
 * is described.  Host memory. */
#ifndef SEARCH_HISTORY_H
#define SEARCH_HISTORY_H

#include "event/event.h"
#include "event/operation.h"
#include "event/trace.h"
#include "explore/choice.h"
#include "explore/memo.h"
#include "memory/line.h"

/* A load with several answers. */
struct history_read {
  uintptr_t address;
  int size;
  int execution; /* failures before it */
  const struct abi_site *site;
  uintptr_t code;      /* code address, if there is no site */
  size_t first, count; /* its candidates in history.candidates */
  uint32_t taken;      /* which of them it has read */
};

struct history_failure {
  int machine;        /* -1: the whole system */
  uint32_t point;     /* number of the failure point */
  uint32_t event;     /* events of the failed domain before this index have happened */
  const char *before; /* what was about to happen: "sfence", "load", ... */
  const struct abi_site *site;
  uintptr_t code;
  struct event_frames frames;
  /* Where the failing machine stood, if another one was running; or nothing. */
  struct event_frames own;
  bool ended; /* the program of the failing machine was over */
};

/* Loads of what an earlier execution may have left: `count` of them in a row, which lie one after the other in memory
 * from `load` on.  `number` is that of the first among all loads of the execution under way. */
struct history_load {
  const struct memo_load *load;
  int execution;
  uint32_t count, number;
};

/* A checksum validation has ended, after `loads` loads of the execution under way.  One that was wrong stands for all
 * the ways in which it can be: they go on alike. */
struct history_validation {
  uint32_t loads;
  bool valid;
};

/* A step of the schedule, where something else could have happened.  With traces the list goes beyond the failure:
 * `when` says which of its steps had happened by then. */
enum history_when {
  HISTORY_HAPPENED,
  HISTORY_HELD_BACK, /* it waited in a store buffer whose thread had gone on */
  HISTORY_NEXT,      /* its thread stood right before it */
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
  struct trace trace;                         /* pm: those events that belong to the execution */
  VEC(struct history_load) loads;             /* pm: all of them */
  VEC(struct history_validation) validations; /* pm */
  const struct memory *memory;                /* as the execution has left it so far */
  event_frames_list frames;                   /* of failure points: event.detail is the index */
  candidate_list candidates;
  VEC(struct history_read) reads;
  VEC(struct history_failure) failures;
  VEC(struct history_step) steps;
  bool steps_are_events;  /* ordinary programs: number i is event i (access/stacks.h) */
  void (*complete)(void); /* fill in what is only known when a finding is described; or NULL */
  /* Had that event happened before the first failure?  NULL: those before history_failure.event have. */
  bool (*happened)(uint32_t event);
};

#endif
