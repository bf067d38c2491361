/* The cxl model: machines with coherent caches over shared memory, failing one by one.
 *
 * Stores of a machine stay in its cache until it flushes the line, until another machine loads it
 * (coherence writes it back), or, in the CXL 3 protocol, until another machine stores to it (the
 * ownership goes over and the old owner's line is written back).  Whatever makes a store of a live
 * machine certain is preceded by the question whether that machine fails right before it. */
#include "runtime/access_internal.h"
#include "runtime/cluster.h"
#include "runtime/survivors.h"
#include "runtime/thread.h"
#include <string.h>

/* The machine's stores to the line up to `position` are in memory now. */
static void write_back(struct space_line *l, int machine, uint32_t position) {
  memory_raise(&cluster.memory, &l->line, machine, position);
  if (l->line.interval[machine].low >= l->line.latest[machine] && l->dirty >> machine & 1)
    cluster_set(&l->dirty, l->dirty & ~(1u << machine), 2);
}

/* Something is about to make a store of the machine certain: does it fail before?  With --gpf all
 * are certain as they are made, and it is asked before the next one. */
static void may_fail_before(int machine, bool observed, const char *what,
                            const struct abi_site *site) {
  if (!cluster.options.gpf)
    cluster_may_fail(machine, observed, what, site);
}

/* The running machine is about to make stores of others certain, which the rest can see even if it
 * fails afterwards: does it fail before?  (There is a rest only if both can fail.) */
static void may_not_come_to_it(const char *what, const struct abi_site *site) {
  if (cluster_failures_left() >= 2)
    may_fail_before(thread_current()->machine, true, what, site);
}

/* Another machine takes part in this line: what live machines have not written back of it goes to
 * memory, unless they fail first. */
static void fetch_from_others(struct space_line *l, const char *what, const struct abi_site *site) {
  int self = thread_current()->machine;
  for (int m = 0; m < cluster.options.machines; m++) {
    if (m == self || !(l->dirty >> m & 1))
      continue;
    may_not_come_to_it(what, site);
    may_fail_before(m, true, what, site);
    if (!cluster_failed(m))
      write_back(l, m, l->line.latest[m]);
  }
}

/* After the last failure every byte is resolved when it is first read.  (Poison is a matter of whole
 * lines and stays with the other rule.) */
static bool is_settled(void) {
  return cluster_settled() && !cluster.options.poison;
}

static void resolve_unknown(struct space_line *l, const struct access_piece *p) {
  uint64_t unknown = access_mask(p->address, p->size) & ~l->known;
  while (unknown) {
    int first = __builtin_ctzl(unknown);
    int count = __builtin_ctzl(~(unknown >> first));
    uintptr_t address = l->line.address + (uintptr_t)first;
    uint64_t bytes = access_mask(address, count);
    uint64_t value = survivors_running() ? survivors_observe(l, address, count, p->site)
                                         : cluster_read(l, address, count, p->site);
    cluster_set(space_alias(address), value, count);
    cluster_set(&l->known, l->known | bytes, 8);
    unknown &= ~bytes;
  }
}

/* Make sure that the cache view holds what this load reads.  told: it knows of poison already. */
static void resolve(struct space_line *l, const struct access_piece *p, bool *told) {
  uint64_t bytes = access_mask(p->address, p->size);
  if (is_settled()) {
    resolve_unknown(l, p);
    return;
  }
  if (cluster.options.poison && cluster_poisoned(l) && !*told) {
    *told = true;
    cluster_tell_poison(p->address, p->site);
  }
  if (!(l->doubt & bytes))
    return;
  uint64_t value = cluster_read(l, p->address, p->size, p->site);
  cluster_set(space_alias(p->address), value, p->size);
  cluster_set(&l->doubt, l->doubt & ~bytes, 8);
}

/* The paper's rule: whether the newest store to the line is lost poisons it for every load, also for
 * those that read other bytes. */
static void ask_newest_writer(struct space_line *l, const struct access_piece *p) {
  if (!l->line.stores.length)
    return;
  const struct store *s = &vec_last(&l->line.stores);
  int writer = s->domain;
  if (writer == thread_current()->machine || s->position <= l->line.interval[writer].low)
    return;
  may_fail_before(writer, true, "a load by another machine", p->site);
  cluster_acted(writer); /* seen alive, it may still fail before it writes the line back */
}

/* The paper's rule: a load writes back only up to the store it reads, and only if that store is
 * another live machine's. */
static void fetch_what_is_read(struct space_line *l, const struct access_piece *p, bool *told) {
  int offset = (int)(p->address - l->line.address), self = thread_current()->machine;
  for (int m = 0; m < cluster.options.machines; m++) {
    uint32_t position = memory_newest_read(&cluster.memory, &l->line, m, offset, p->size);
    if (m == self || cluster_failed(m) || position <= l->line.interval[m].low)
      continue;
    may_not_come_to_it("a load", p->site);
    may_fail_before(m, true, "a load by another machine", p->site);
    if (!cluster_failed(m)) {
      write_back(l, m, position);
      if (cluster.options.poison)
        cluster_acted(m); /* as above */
      continue;
    }
    resolve(l, p, told);
    m = -1; /* other stores may be read now */
  }
}

static uint64_t load(const struct access_piece *p) {
  struct space_line *l = space_line_if_any(p->address);
  if (l && l->dirty & ~(1u << thread_current()->machine) && !cluster.options.paper_coherence)
    fetch_from_others(l, "a load by another machine", p->site);
  if (l && cluster.options.paper_coherence && cluster.options.poison)
    ask_newest_writer(l, p);
  bool told = false;
  if (l || is_settled())
    resolve(space_line(p->address), p, &told);
  if (l && cluster.options.paper_coherence)
    fetch_what_is_read(l, p, &told);
  uint64_t value = 0;
  memcpy(&value, space_alias(p->address), (size_t)p->size);
  return value;
}

static void store(const struct access_piece *p) {
  struct space_line *l = space_line(p->address);
  int self = thread_current()->machine;
  if (cluster.options.gpf || cluster.options.poison)
    cluster_may_fail(self, false, "a store", p->site);
  if (l->dirty & ~(1u << self) && !cluster.options.paper_coherence)
    fetch_from_others(l, "a store by another machine", p->site);
  struct store s = {.value = p->value,
                    .event = (uint32_t)cluster.history.events.length,
                    .offset = (uint8_t)(p->address % LINE_BYTES),
                    .size = (uint8_t)p->size,
                    .domain = (uint8_t)self};
  access_record_store(p);
  memory_append(&cluster.memory, &l->line, &s, p->joined);
  cluster_set(space_alias(p->address), p->value, p->size);
  cluster_set(&l->dirty, l->dirty | 1u << self, 2);
  uint64_t bytes = access_mask(p->address, p->size);
  if (l->doubt & bytes)
    cluster_set(&l->doubt, l->doubt & ~bytes, 8);
  if (is_settled())
    cluster_set(&l->known, l->known | bytes, 8);
  cluster_acted(self);
  if (p->flags & ACCESS_NON_TEMPORAL)
    access_add_pending(l, l->line.latest[self], ACCESS_NO_PLACE);
}

/* The machine (or, with --flush=global, everybody) writes the line back up to `position`. */
static void flush_line(struct space_line *l, uint32_t position, const char *what,
                       const struct abi_site *site) {
  int self = thread_current()->machine;
  for (int m = 0; m < cluster.options.machines; m++) {
    if ((m != self && !cluster.options.global_flush) || !(l->dirty >> m & 1))
      continue;
    uint32_t upto = position < l->line.latest[m] ? position : l->line.latest[m];
    if (upto <= l->line.interval[m].low)
      continue;
    if (m != self)
      may_not_come_to_it(what, site);
    may_fail_before(m, m != self, what, site);
    if (!cluster_failed(m))
      write_back(l, m, upto);
  }
}

static void flush(int kind, struct space_line *l, uint32_t place, const struct abi_site *site) {
  if (kind == ABI_CLFLUSH)
    flush_line(l, l->line.positions, event_flush_text((uint32_t)kind), site);
  else
    access_add_pending(l, l->line.positions, place);
}

static void fence(int kind, const struct access_pending *pending, size_t count,
                  const struct abi_site *site) {
  for (size_t i = 0; i < count; i++)
    flush_line(pending[i].line, pending[i].position, event_fence_text((uint32_t)kind), site);
}

static void synchronise(void) {
  int self = thread_current()->machine;
  cluster_may_fail(self, false, "a lock operation", NULL);
  cluster_synchronised();
  cluster_acted(self);
}

/* Seen alive, it may still fail later: that is another observation then. */
static void observe_machine(int machine) {
  if (machine != thread_current()->machine)
    cluster_may_fail(machine, false, "another machine sees whether it lives", NULL);
  cluster_acted(machine);
}

/* What it still holds is released only if the machine fails. */
static void program_ends(void) {
  int self = thread_current()->machine;
  if (thread_holds_mutexes(self))
    cluster_may_fail(self, true, "the end of its program", NULL);
}

const struct access_model access_cxl = {load,        store,           flush,       fence,
                                        synchronise, observe_machine, program_ends};
