/* Loops: turn after turn, until nobody goes on or the bound is reached. */
#include "cprog/c_frame.h"
#include "cprog/c_idle.h"

enum { TURNS_BY_VALUES = 16 };

struct turn {  /* of a loop: how things were when it began */
  int *before; /* values of the header's phis */
  int first_effect, first_part;
  int exits, pruned; /* ways out of the loop, and ways that values rule out, before it */
  int start;         /* its guard */
  LIST(int) kept;    /* guards of earlier turns that changed nothing and were taken: see c_idle.h */
};

/* The turn changed nothing: no effects since it began, and the loop's variables are as before.  Such
 * a turn can be left out, so nobody has to take it. */
static int idle(struct c_exec *x, struct frame *f, int header, const struct entry *back,
                const struct turn *turn) {
  const struct c_block *b = &f->f->blocks.data[header];
  int same = expr_const(x->p, 1);
  for (int n = 0; n < b->count && f->f->code.data[b->first + n].op == CIR_PHI; n++)
    same = c_and(x->p, same, c_equal(x->p, back->phis[n], turn->before[n]));
  for (int e = turn->first_effect; e < x->effects.length; e++)
    same = c_and(x->p, same, c_not(x->p, x->effects.data[e]));
  return same;
}

static struct place place_of(const struct frame *f, int block) {
  const struct c_block *b = &f->f->blocks.data[block];
  const struct c_instruction *i = &f->f->code.data[b->first];
  for (int n = 1; n < b->count && !i->place.line; n++)
    i = &f->f->code.data[b->first + n];
  return i->place;
}

/* Nobody goes on with the loop under that condition.  Whoever did would come to its end, too. */
static void leave_out(struct c_exec *x, struct frame *f, int header, int guard) {
  int end = x->control ? c_loop_end(f->f, f->f->blocks.data[header].loop) : -1;
  if (end >= 0 && !c_is(x->p, guard, 0))
    list_push(x->arena, &f->left_out[end], guard);
}

/* Who has taken a turn that changed nothing before, on this path? */
static int taken_before(struct c_exec *x, const struct turn *turn, int guard) {
  int any = expr_const(x->p, 0);
  for (int i = 0; i < turn->kept.length; i++) {
    if (c_guard_implies(x, guard, turn->kept.data[i]))
      return expr_const(x->p, 1);
    any = c_or(x->p, any, turn->kept.data[i]);
  }
  return any;
}

/* Ends the way back on which the turn was for nothing, unless such a turn is to be kept. */
static void wait_there(struct c_exec *x, struct entry *back, int same, struct turn *turn,
                       struct place where) {
  int guard = back->guard, in_vain = c_and(x->p, guard, same), ends = same;
  c_add_wait(x, in_vain, turn->first_part, where);
  if (!c_is(x->p, in_vain, 0) && c_idle_note(x, turn->start, turn->first_part) && x->keeps_idle) {
    ends = c_and(x->p, same, taken_before(x, turn, guard));
    list_push(x->arena, &turn->kept, in_vain);
  }
  back->guard = c_and(x->p, guard, c_not(x->p, ends));
}

/* Decides about the ways back to the header; false if nobody goes on. */
static bool go_on(struct c_exec *x, struct frame *f, int header, bool certain, struct turn *turn,
                  int *turns, int turns_max) {
  entry_list *in = &f->entries[header];
  struct place where = place_of(f, header);
  int kept = 0;
  for (int i = 0; i < in->length; i++) {
    wait_there(x, &in->data[i], idle(x, f, header, &in->data[i], turn), turn, where);
    if (c_feasible(x, in->data[i].guard))
      in->data[kept++] = in->data[i];
    else
      leave_out(x, f, header, in->data[i].guard);
  }
  in->length = kept;
  *turns += !certain; /* a loop whose end is known by counting is not cut */
  if (kept && *turns > turns_max + (turn->kept.length > 0)) {
    for (int i = 0; i < kept; i++) {
      struct c_bound b = {in->data[i].guard, where};
      list_push(x->arena, &x->bounds, b);
    }
    in->length = kept = 0;
  }
  return kept > 0;
}

/* Does a variable of the loop go from one number to another? */
static bool counts(const struct c_exec *x, const struct frame *f, int header,
                   const struct turn *turn) {
  const struct c_block *b = &f->f->blocks.data[header];
  const entry_list *back = &f->entries[header];
  for (int n = 0; n < b->count && f->f->code.data[b->first + n].op == CIR_PHI; n++) {
    int64_t before, after;
    bool moves = back->length > 0 && expr_is_const(x->p, turn->before[n], &before);
    for (int i = 0; moves && i < back->length; i++)
      moves = expr_is_const(x->p, back->data[i].phis[n], &after) && after != before;
    if (moves)
      return true;
  }
  return false;
}

/* A turn after which the loop goes on, whatever happens: its end is known by counting, and it is not
 * cut.  If values of memory say so, there may be no end. */
static bool is_certain(const struct c_exec *x, const struct frame *f, int loop,
                       const struct turn *turn, int *by_values) {
  if (f->exits[loop] != turn->exits || !f->f->loops.data[loop].has_exit)
    return false;
  if (x->pruned == turn->pruned)
    return true;
  return ++*by_values <= TURNS_BY_VALUES && counts(x, f, f->f->loops.data[loop].header, turn);
}

static void run_loop(struct c_exec *x, struct frame *f, int loop) {
  int header = f->f->loops.data[loop].header, turns = 0, by_values = 0;
  int turns_max = x->next_bound > x->unroll ? x->next_bound : x->unroll;
  const struct c_block *b = &f->f->blocks.data[header];
  struct turn turn = {.before = arena_alloc(x->arena, (size_t)b->count * sizeof(int) + 1)};
  if (!f->entries[header].length)
    return;
  x->next_bound = 0;
  struct c_position outside = x->position;
  for (int number = 0;; number++) {
    turn.exits = f->exits[loop];
    turn.pruned = x->pruned;
    c_key_turn(x, outside, header, number);
    turn.first_effect = x->effects.length;
    turn.first_part = x->parts.length;
    c_run_block(x, f, header);
    turn.start = f->entered;
    for (int n = 0; n < b->count && f->f->code.data[b->first + n].op == CIR_PHI; n++)
      turn.before[n] = f->values[f->f->code.data[b->first + n].dst];
    c_run_region(x, f, loop);
    bool certain = is_certain(x, f, loop, &turn, &by_values);
    if (!go_on(x, f, header, certain, &turn, &turns, turns_max))
      break;
  }
  c_key_leave(x, outside);
}

void c_run_region(struct c_exec *x, struct frame *f, int loop) {
  for (int n = 0; n < f->f->order.length; n++) {
    int block = f->f->order.data[n], inner = f->f->blocks.data[block].loop;
    if (inner == loop && (loop < 0 || block != f->f->loops.data[loop].header))
      c_run_block(x, f, block);
    else if (inner >= 0 && inner != loop && f->f->loops.data[inner].header == block &&
             f->f->loops.data[inner].parent == loop)
      run_loop(x, f, inner);
  }
}
