#include "access/waiting.h"
#include "access/ordinary.h"
#include "base/hash.h"
#include "process/stop.h"
#include "process/world.h"
#include "thread/entered.h"
#include <string.h>

#define LOOKS_MAX 64  /* looks in a round: a longer one is not recognised */
#define LOOKS_FEW 4   /* most rounds have no more, */
#define LOOKS_SOME 16 /* and most others no more than that */
#define RECENT_MAX 16 /* looks in a round that is learnt (explore/futile.h) */
#define LOCKS_MAX 8   /* locks that a round may take */
#define OTHERS_MIN 3  /* comebacks to a load in other states before a loop around it is sought */
/* Looks at memory that nobody else touches (waiting_looks_alone): at so many places in turn, so often in a row; more
 * often if the thread has stored there itself. */
#define ALONE_PLACES 8
#define ALONE_LOOKS 200
#define OWN_LOOKS 10000
#define ATOMIC_LOOKS 20000 /* atomic ones, at any of as many places as MANY_PLACES tell */
#define MANY_PLACES 256
#define STACK_MAX ((size_t)64 << 10) /* a thread with a larger stack is not compared */
#define STACK_ROOM_MIN ((size_t)512)

/* The beginning of a round: a state that the thread may come back to, and what it has looked at since.  World
 * memory. */
struct round {
  bool begun;
  const struct abi_site *site; /* the operation at which it begins, */
  uintptr_t address, code;     /* and where that is */
  bool disturbed;              /* what was looked at has changed since */
  /* The thread is back: when it goes on, the next round begins from the same state. */
  bool over;
  uint32_t looks; /* more than LOOKS_MAX: too many, no round */
  struct place {
    uintptr_t address;
    uint32_t size;
  } looked[LOOKS_FEW];
  /* looked_room of them, or NULL.  Apart, because all that is written is copied at every waypoint
   * (search/waypoints.h). */
  struct place *looked_more;
  uint32_t looked_room;
  bool plain; /* one of the looks is not atomic */
  /* The thread has read private memory that is not on its stack, and so not compared. */
  bool strays;
  uint32_t passed; /* how often a lock was taken or released */
  struct {
    uintptr_t address;
    int taken; /* how often it was taken, minus how often it was released */
  } locks[LOCKS_MAX];
  uint32_t lock_count;
  uint64_t registers[7];
  size_t stack_bytes, stack_room;
  char *stack;
};

/* Several candidates for the beginning of a round are kept, because it is not known where the loop is.  NEAR begins
 * anew whenever the thread comes back to its load: most loops have one load.  INNER does so at another load, so that a
 * loop around a waiting loop is seen, too.  FAR begins anew after 2, 4, 8, ... looks (Brent's cycle detection): it sees
 * a loop around a loop that counts.  LOCKED begins where a lock is taken. */
enum { NEAR, INNER, FAR, LOCKED, ROUNDS };

struct waiting {
  struct thread *thread;
  struct waiting *next;
  struct round rounds[ROUNDS];
  bool hopeless;
  struct look {
    uintptr_t address;
    uint32_t size;
    bool changed; /* what is there has changed since */
    uint32_t state;
    const struct abi_site *site;
  } recent[RECENT_MAX]; /* the newest looks, a ring: number n at n % RECENT_MAX */
  uint32_t recent_end;
  struct operation newest;       /* the newest look */
  uint32_t others;               /* how often the thread was back at its load in another state */
  uint32_t patience[ROUNDS];     /* after so many looks another beginning is tried */
  uintptr_t alone[ALONE_PLACES]; /* ring of places that it looks at, and nobody else touches */
  uint32_t alone_next, alone_again;
  uintptr_t own[ALONE_PLACES]; /* ring of such places that it has stored to lately */
  uint32_t own_next, own_again;
  /* MANY_PLACES such places with atomic looks, by hash, or NULL: whoever goes through a table looks once at each, */
  uint32_t *many;
  uint32_t many_again; /* and whoever waits again and again */
};

/* Of all threads that have looked at anything, except some that have ended: a program can have had thousands of those.
 * World memory. */
static struct waiting *all;

static void waiting_seal(void) {
  world_include(&all, sizeof all);
}
WORLD_AT_SEAL(waiting_seal)

static struct waiting *get(struct thread *t) {
  if (!t->turn.loop) {
    struct waiting *w = t->turn.loop = world_alloc(sizeof *w);
    w->thread = t;
    w->next = all;
    all = w;
  }
  return t->turn.loop;
}

/* The first one there of a thread that has not ended, without those before it; NULL: there is none. */
static struct waiting *living(struct waiting **at) {
  while (*at && (*at)->thread->state == THREAD_DONE)
    *at = (*at)->next;
  return *at;
}

/* pre: n < LOOKS_MAX. */
static struct place *look_number(struct round *r, uint32_t n) {
  if (n < LOOKS_FEW)
    return &r->looked[n];
  if (n >= r->looked_room) {
    uint32_t room = n < LOOKS_SOME ? LOOKS_SOME : LOOKS_MAX;
    struct place *more = world_alloc(room * sizeof *more);
    if (r->looked_more)
      memcpy(more, r->looked_more, r->looked_room * sizeof *more);
    r->looked_more = more;
    r->looked_room = room;
  }
  return &r->looked_more[n];
}

void waiting_leave(void) {
  struct waiting *w = thread_current()->turn.loop;
  if (!w)
    return;
  w->rounds[LOCKED].begun = false;
  waiting_passes();
}

void waiting_passes(void) {
  struct waiting *w = thread_current()->turn.loop;
  if (!w)
    return;
  w->rounds[NEAR].begun = w->rounds[INNER].begun = w->rounds[FAR].begun = false;
  w->recent_end = 0;
  w->others = 0;
  w->alone_again = w->own_again = 0;
}

static bool takes(const struct operation *o) {
  return o->passes && (o->lock == OPERATION_LOCK_ACQUIRE || o->lock == OPERATION_LOCK_ENTER);
}

void waiting_passed(const struct operation *o) {
  struct waiting *w = thread_current()->turn.loop;
  struct round *r = w ? &w->rounds[LOCKED] : NULL;
  uint32_t i = 0;
  if (!r || !r->begun)
    return;
  while (i < r->lock_count && r->locks[i].address != o->address)
    i++;
  r->begun = i < LOCKS_MAX;
  if (!r->begun)
    return;
  if (i == r->lock_count) {
    r->locks[i].address = o->address;
    r->locks[r->lock_count++].taken = 0;
  }
  r->locks[i].taken += takes(o) ? 1 : o->lock == OPERATION_LOCK_AGAIN ? 0 : -1;
  r->passed++;
}

void waiting_finds_taken(const struct operation *o) {
  for (struct waiting **at = &all, *w; (w = living(at)); at = &w->next) {
    struct round *r = &w->rounds[LOCKED];
    for (uint32_t i = 0; w->thread->id != o->thread && r->begun && i < r->lock_count; i++)
      if (r->locks[i].address == o->address && r->locks[i].taken > 0)
        r->begun = false;
  }
}

static bool holds_what_it_held(const struct round *r) {
  for (uint32_t i = 0; i < r->lock_count; i++)
    if (r->locks[i].taken)
      return false;
  return true;
}

void waiting_stores_alone(uintptr_t address) {
  struct waiting *w = get(thread_current());
  w->own_again = 0;
  for (uint32_t i = 0; i < ALONE_PLACES; i++)
    if (w->own[i] == address)
      return;
  w->own[w->own_next++ % ALONE_PLACES] = address;
  w->alone_again = 0;
}

static bool is_again(const struct waiting *w, uintptr_t address) {
  for (uint32_t i = 0; i < ALONE_PLACES; i++)
    if (w->alone[i] == address)
      return true;
  return false;
}

static void look_elsewhere(struct waiting *w, uintptr_t address) {
  w->alone[w->alone_next++ % ALONE_PLACES] = address;
  w->alone_again = 0;
}

static bool is_one_of_many(struct waiting *w, uintptr_t address) {
  if (!w->many)
    w->many = world_alloc(MANY_PLACES * sizeof *w->many);
  uint32_t hash = (uint32_t)hash_u64(0, address), *place = &w->many[hash % MANY_PLACES];
  w->many_again += *place == hash;
  *place = hash;
  if (w->many_again < ATOMIC_LOOKS)
    return false;
  w->many_again = 0;
  return true;
}

bool waiting_looks_alone(uintptr_t address, bool atomic) {
  const struct thread *self = thread_current();
  struct waiting *w = get(thread_current());
  if (atomic && !thread_alone() && is_one_of_many(w, address))
    return true;
  if (address < self->fiber.stack_low || address >= self->fiber.stack_high)
    for (int i = 0; i < ROUNDS; i++)
      w->rounds[i].strays = true;
  for (uint32_t i = 0; i < ALONE_PLACES; i++)
    if (w->own[i] == address)
      return ++w->own_again >= OWN_LOOKS;
  if (is_again(w, address))
    return ++w->alone_again >= ALONE_LOOKS;
  look_elsewhere(w, address);
  return false;
}

static bool begins_here(const struct round *r, const struct operation *o) {
  return r->begun && r->site == o->site && r->address == o->address && r->code == o->code;
}

/* Small at first: what was written is put back before each execution. */
static void make_room(struct round *r, size_t bytes) {
  if (bytes <= r->stack_room)
    return;
  r->stack_room = STACK_ROOM_MIN;
  while (r->stack_room < bytes)
    r->stack_room *= 2;
  r->stack = world_alloc(r->stack_room);
}

static void begin_round(struct thread *self, struct round *r) {
  uintptr_t sp = entered[ENTERED_STACK];
  r->begun = false;
  if (sp < self->fiber.stack_low || self->fiber.stack_high - sp > STACK_MAX)
    return;
  make_room(r, self->fiber.stack_high - sp);
  r->begun = true;
  r->site = self->next.site;
  r->address = self->next.address;
  r->code = self->next.code;
  r->looks = r->passed = r->lock_count = 0;
  r->over = r->disturbed = r->plain = r->strays = false;
  memcpy(r->registers, entered, sizeof r->registers);
  r->stack_bytes = self->fiber.stack_high - sp;
  memcpy(r->stack, (const void *)sp, r->stack_bytes);
}

static bool nothing_changed(const struct thread *self, const struct round *r) {
  uintptr_t sp = entered[ENTERED_STACK];
  return (!r->disturbed || ordinary.each_once) && r->looks <= LOOKS_MAX && holds_what_it_held(r) &&
         self->fiber.stack_high - sp == r->stack_bytes &&
         memcmp(r->registers, entered, sizeof r->registers) == 0 &&
         memcmp(r->stack, (const void *)sp, r->stack_bytes) == 0;
}

static void seek_beginning(struct thread *self, struct round *r, uint32_t *patience) {
  if (!r->begun)
    *patience = 2;
  else if (r->looks + r->passed < *patience)
    return;
  else if (*patience < LOOKS_MAX)
    *patience *= 2;
  begin_round(self, r);
}

/* Does the other one of NEAR and INNER begin at this operation? */
static bool other_begins_here(const struct waiting *w, int i, const struct operation *o) {
  return (i == NEAR && begins_here(&w->rounds[INNER], o)) ||
         (i == INNER && begins_here(&w->rounds[NEAR], o));
}

/* ---- looks that are known to be futile (explore/futile.h) ---- */

#define WORD_SHIFT 3

/* The bytes of an access in the aligned word in which it begins, or (next) in the one behind it, a bit each. */
static uint32_t bytes_in_word(uintptr_t address, uint32_t size, int next) {
  uint32_t all = ((1u << size) - 1) << (address & 7);
  return (next ? all >> 8 : all) & 0xff;
}

static uint64_t key_of_word(uintptr_t address, int next) {
  return 1 + (address >> WORD_SHIFT) + (uint64_t)next;
}

/* May the look be one side of a data race?  Then it must happen, even if it leads nowhere. */
static bool may_race(uintptr_t address, uint32_t size) {
  for (int next = 0; ordinary.data_races && next < 2; next++)
    if (map_get(&ordinary.plain, key_of_word(address, next)) & bytes_in_word(address, size, next))
      return true;
  return false;
}

void waiting_stores(const struct operation *o) {
  for (int next = 0; ordinary.data_races && !o->order && next < 2; next++) {
    uint32_t bytes = bytes_in_word(o->address, o->size, next);
    uint32_t *known = bytes ? map_at(&ordinary.plain, key_of_word(o->address, next)) : NULL;
    if (!known || !(bytes & ~*known))
      continue;
    *known |= bytes;
    ordinary.learnt++;
  }
}

/* That threads wait for time to pass is learnt as if it were memory that they share: a key that no lock has. */
static const struct operation time_itself = {.kind = OPERATION_LOCK, .address = 1};

void waiting_for_time(void) {
  if (ordinary.on && ordinary.each_once && thread_count() > 1 &&
      sharing_expect(&ordinary.sharing, &time_itself))
    ordinary.broken = true;
}

/* Are futile looks left out? */
static bool foresees(void) {
  return ordinary.each_once && !ordinary.each_look && !ordinary.timed;
}

void waiting_forget(void) {
  ordinary.known_since = ordinary.sharing.restarts;
  ordinary.learnt++;
  map_free(&ordinary.awaits);
  futile_forget(&ordinary.futile);
}

void waiting_begin(void) {
  ordinary.timed = sharing_expects(&ordinary.sharing, &time_itself);
  if (ordinary.known_since != ordinary.sharing.restarts)
    waiting_forget();
}

/* The number of the state in which the thread is about to look (place, registers, stack); 0: the look must not be left
 * out, or no thread has ever waited here. */
static uint32_t state_of(const struct thread *self) {
  const struct operation *o = &self->next;
  uintptr_t sp = entered[ENTERED_STACK];
  if (!foresees() || (ordinary.early_looks && self->turn.stored) ||
      !map_get(&ordinary.awaits, (uintptr_t)o->site) || (ordinary.data_races && !o->order) ||
      may_race(o->address, o->size) || sp < self->fiber.stack_low ||
      self->fiber.stack_high - sp > STACK_MAX)
    return 0;
  return futile_state(&ordinary.futile, o, entered, sizeof entered, (const void *)sp,
                      self->fiber.stack_high - sp);
}

/* If the thread looked now, would that be the last look of a known round that changes nothing? */
static bool is_futile(const struct thread *t) {
  const struct operation *o = &t->next;
  const struct waiting *w = t->turn.loop;
  uint64_t found[2];
  if (!o->state || may_race(o->address, o->size))
    return false;
  ordinary_see(t, o->address, o->size, found);
  const struct futile_round *round = futile_find(&ordinary.futile, o, found);
  if (!round || round->looks == 1)
    return round;
  for (uint32_t n = 1; n < round->looks; n++) {
    const struct look *l = &w->recent[(w->recent_end - n) % RECENT_MAX];
    if (n > w->recent_end || l->changed || may_race(l->address, l->size))
      return false;
  }
  return w->recent[(w->recent_end - round->looks + 1) % RECENT_MAX].state == round->begin;
}

/* The thread has gone round r: remember its last look, in that state and with what it found, as futile.  Only from the
 * second time on at these sites: before, states were not taken. */
static void learn(const struct waiting *w, const struct round *r) {
  bool known = true;
  if (!r->looks || r->looks > RECENT_MAX || w->recent_end < r->looks || r->strays || r->plain)
    return;
  for (uint32_t n = 1; n <= r->looks; n++) {
    const struct look *l = &w->recent[(w->recent_end - n) % RECENT_MAX];
    if (!l->site)
      return;
    uint32_t *site = map_at(&ordinary.awaits, (uintptr_t)l->site);
    known &= *site;
    ordinary.learnt += !*site;
    *site = 1;
  }
  if (!known || !w->newest.state)
    return;
  uint32_t begin = w->recent[(w->recent_end - r->looks) % RECENT_MAX].state;
  size_t rounds = ordinary.futile.rounds.length;
  if (begin)
    futile_learn(&ordinary.futile, &w->newest, (struct futile_round){begin, r->looks});
  ordinary.learnt += ordinary.futile.rounds.length > rounds;
}

/* What is there has changed: is the look that the thread is about to make still futile? */
static void tell_changed(struct thread *t, const struct operation *o) {
  struct waiting *w = t->turn.loop;
  uint32_t count = w->recent_end < RECENT_MAX ? w->recent_end : RECENT_MAX;
  bool concerned = t->next.state && t->next.address < o->address + o->size &&
                   o->address < t->next.address + t->next.size;
  for (uint32_t n = 1; n <= count; n++) {
    struct look *l = &w->recent[(w->recent_end - n) % RECENT_MAX];
    if (l->address < o->address + o->size && o->address < l->address + l->size)
      l->changed = concerned = true;
  }
  if (concerned && o->kind == OPERATION_FREE)
    t->next.state = 0;
  if (concerned)
    t->turn.futile = is_futile(t);
}

/* ---- looking ---- */

void waiting_check(struct thread *self) {
  struct operation *o = &self->next;
  bool looks = o->kind == OPERATION_READ || (o->kind == OPERATION_WRITE && o->locked);
  bool locks = takes(o);
  bool for_ever = false; /* it has gone round, and will for ever unless something changes */
  self->turn.futile = false;
  if (!(looks && o->site) && !locks)
    return;
  struct waiting *w = get(self);
  o->state = looks ? state_of(self) : 0;
  for (int i = locks ? LOCKED : NEAR; i < (locks ? ROUNDS : LOCKED); i++) {
    struct round *r = &w->rounds[i];
    bool again = begins_here(r, o);
    if (again && nothing_changed(self, r)) {
      self->turn.waits = r->over = true;
      for_ever |= !r->disturbed;
      if (i <= INNER && !r->disturbed && foresees())
        learn(w, r);
    } else if (again && (i != FAR || r->disturbed)) {
      w->others += i < FAR && !r->disturbed;
      begin_round(self, r);
    } else if (other_begins_here(w, i, o)) {
      continue;
    } else if (i != FAR || w->others >= OTHERS_MIN)
      seek_beginning(self, r, &w->patience[i]);
  }
  self->turn.late = self->turn.waits && !for_ever;
  for (int i = NEAR; i <= INNER && o->state; i++)
    o->rounds[i] =
        w->rounds[i].begun && w->rounds[i].looks < LOOKS_MAX ? w->rounds[i].looks + 1 : 0;
  self->turn.futile = !self->turn.waits && is_futile(self);
}

static void add_place(struct round *r, const struct operation *o) {
  if (r->looks < LOOKS_MAX)
    *look_number(r, r->looks) = (struct place){o->address, o->size};
  r->looks++;
}

void waiting_looked(const struct operation *o) {
  struct waiting *w = get(thread_current());
  if (w->alone_again && !is_again(w, o->address))
    look_elsewhere(w, o->address);
  w->recent[w->recent_end++ % RECENT_MAX] =
      (struct look){o->address, o->size, false, o->state, o->site};
  w->newest = *o;
  for (struct round *r = w->rounds; r < w->rounds + ROUNDS; r++) {
    if (!r->begun)
      continue;
    add_place(r, o);
    r->plain |= ordinary.data_races && (!o->order || may_race(o->address, o->size));
  }
}

/* Such a round is not learnt: where it is planned anew the store might change something. */
void waiting_stored_same(const struct operation *o) {
  struct waiting *w = get(thread_current());
  w->recent_end = 0;
  for (struct round *r = w->rounds; r < w->rounds + ROUNDS; r++) {
    if (!r->begun)
      continue;
    add_place(r, o);
    r->strays = true;
  }
}

/* Has the thread looked at it, and would it see something else now? */
static bool has_looked_at(const struct thread *t, struct round *r, const struct operation *o) {
  for (uint32_t n = 0; r->begun && n < r->looks && n < LOOKS_MAX; n++) {
    const struct place *p = look_number(r, n);
    if (p->address < o->address + o->size && o->address < p->address + p->size &&
        !ordinary_answers(t, p->address, p->size))
      return true;
  }
  return false;
}

void waiting_changed(const struct operation *o) {
  if (o->same)
    return;
  for (struct waiting **at = &all, *w; (w = living(at)); at = &w->next) {
    struct thread *t = w->thread;
    bool disturbs = false;
    if (o->drain && t->id == o->thread) /* it has seen its own stores since it made them */
      continue;
    for (int k = 0; k < ROUNDS; k++)
      if (has_looked_at(t, &w->rounds[k], o)) {
        w->rounds[k].disturbed = true;
        /* Only a round that has led back here makes the thread wait. */
        disturbs |= w->rounds[k].over;
      }
    if (t->id != o->thread)
      tell_changed(t, o);
    if (!disturbs || !t->turn.waits)
      continue;
    t->turn.late = ordinary.each_once && !t->turn.again;
    for (int k = 0; t->turn.again && k < ROUNDS; k++) /* it could not have looked later */
      w->rounds[k].begun &= w->rounds[k].over;
    t->turn.again = false;
    t->turn.waits = t->turn.late;
    if (t->turn.late)
      continue;
    if (thread_strategy.woken)
      thread_strategy.woken(t);
  }
}

void waiting_time_passes(void) {
  for (int i = 0; i < thread_count(); i++)
    thread_by_id(i)->turn.again = thread_by_id(i)->turn.waits;
}

bool waiting_finds_out(void) {
  for (int i = 0; i < thread_count(); i++) {
    struct thread *t = thread_by_id(i);
    if (!t->turn.futile || t->turn.waits)
      continue;
    t->turn.futile = false;
    t->next.state = 0; /* the look is not left out, whatever happens meanwhile */
    return true;
  }
  return false;
}

void waiting_is_hopeless(struct thread *t) {
  get(t)->hopeless = true;
}

bool waiting_was_hopeless(const struct thread *t) {
  return t->turn.loop && t->turn.loop->hopeless;
}

void waiting_end(struct thread *self) {
  struct waiting *w = self->turn.loop;
  if (w && w->hopeless)
    stop_with(STOP_HANG, self->next.site,
              "a loop that nobody can end any more: it waits for a change of what it looks at, and "
              "no other thread can go on");
  for (int i = 0; w && i < ROUNDS; i++)
    if (w->rounds[i].over) {
      w->rounds[i].looks = w->rounds[i].passed = w->rounds[i].lock_count = 0;
      w->rounds[i].over = w->rounds[i].disturbed = w->rounds[i].plain = w->rounds[i].strays = false;
    }
}
