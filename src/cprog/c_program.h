/* A C program as a finitised program (program.h), ready for a model. */
#ifndef CPROG_C_PROGRAM_H
#define CPROG_C_PROGRAM_H

#include "axiom/domain.h"
#include "cprog/c_exec.h"

struct c_options {
  int unroll;
  const struct c_target *target;
  bool thin_air;    /* the model lets values come out of nowhere */
  bool coherent;    /* it keeps program order at one place: see c_hidden.h */
  bool control;     /* it says something about what depends on branches */
  bool joins_parts; /* it says that the parts of one access belong together */
  bool everywhere;  /* addresses of which little is known may be at any aligned place of an object;
                       else where its type or other accesses have something of that size */
  bool keeps_idle;  /* see c_idle.h */
  bool
      fixes_unwritten; /* memory that threads share holds one value until somebody writes it: right if
                           nobody reads that */
  const struct c_override *overrides;
  int override_count;
};

struct c_program {
  struct program *program;
  struct domains *domains;
  const struct c_module *module;
  const struct c_object *objects;
  int object_count;
  const uint64_t *origins; /* by expression: objects it may be an address in */
  size_t origin_words;
  bool has_frees, fixes_unwritten, asks_order;
  bool has_loose; /* turns that change nothing matter, and are left out: see c_idle.h */
  const struct c_violation *violations;
  int violation_count;
  const struct c_bound *bounds;
  int bound_count;
  const struct c_wait *waits;
  int wait_count;
  const int *ends;       /* by thread: an expression, it reaches its end */
  int violated, bounded; /* expressions: something goes wrong; a path was cut */
  int violated_or_bounded;
  int completed;                 /* all threads reach their ends */
  bool thin_air;                 /* as in the options */
  unsigned char *const *reached; /* by function of the module, by instruction: some path does */
};

/* NULL and *d if the program uses something that is not supported. */
struct c_program *c_program_build(const struct c_module *m, const struct c_options *o,
                                  struct arena *a, struct diag *d);

#endif
