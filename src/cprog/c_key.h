/* Names for accesses and objects that are the same in every round of the execution (c_exec.h).
 *
 * The second turn of a loop has the same names whether or not something before it was left out. */
#ifndef CPROG_C_KEY_H
#define CPROG_C_KEY_H

#include <stdint.h>

struct c_exec;
struct c_access;

struct c_key {
  uint64_t key;
  int number;
};

struct c_position {
  uint64_t path; /* the calls and the turns of loops that we are in */
  uint64_t at;   /* the instruction in them */
  int named;     /* how many things that instruction has named so far */
};

void c_key_step(struct c_exec *x, int function, int instruction);

/* Everything until `leave` is inside of what comes next: a function, a turn of a loop. */
struct c_position c_key_enter(struct c_exec *x, int number);
void c_key_turn(struct c_exec *x, struct c_position loop, int header, int turn);
void c_key_leave(struct c_exec *x, struct c_position before);

uint64_t c_key_next(struct c_exec *x);

/* A new access, and what the last round has found out about it; NULL = nothing. */
int c_key_access(struct c_exec *x);
const struct c_access *c_key_known(const struct c_exec *x, int access);

/* Where an object lies: where it was in the last round. */
int64_t c_key_address(struct c_exec *x, uint64_t key, int64_t size, int64_t first);

/* Before the next round: accesses are found by the keys that they have had in this one. */
void c_key_keep(struct c_exec *x);

#endif
