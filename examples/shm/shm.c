/*     pages:     [ owner, block size ] [ block | block | ... ]
 *     block:     [ count, stamp | child | data ]         starts a line
 *     machines:  [ seen ][ log ][ references ][ inbox ]  each on a line of its own
 *
 * Only the owner of a page allocates from it, and a block with count 0 and no child is free, so
 * there are no free lists.  Pages of a failed machine go back when their last block is free.
 *
 * Changing a reference means two stores that a failure may separate: the block's count, and the
 * cell.  Machine i numbers its changes (eras) and makes each of them in five durable steps:
 *   1. log[i] = block, cell, +1 or -1, era;
 *   2. if the block's stamp is another machine's, seen[i][that machine] = its era;
 *   3. count and stamp change together, by CAS: the stamp is (i, era).  This is the commit;
 *   4. the cell is set or emptied;
 *   5. seen[i][i] = era: finished.
 * If i fails with an unfinished change in its log, the change was committed exactly if the block
 * still has its stamp, or if somebody has seen it there before he put his own (2).  Then 4 and 5
 * are made for i, which may be repeated any number of times; otherwise only 5.
 *
 * Recovery holds the recovery lock.  It first finishes the logs of all failed machines, then
 * empties their cells like a machine empties its own, with its own log.  So if it fails, the next
 * recovery finds two failed machines and goes on where it stopped.
 *
 * Invariants:
 *   I1  a cell that is named by an unfinished change is touched only by the machine that makes the
 *       change or, when that has failed, under the recovery lock.  So a receiver waits until the
 *       sender has finished, the sender until the receiver has, and a block is not allocated again
 *       before its child's release has;
 *   I2  a block's count is the number of cells that point to it, plus 1 for a committed +1 and
 *       minus 1 for a committed -1 whose step 4 has not been made;
 *   I3  a block with count 0 is changed only by the machine in its stamp until its child is
 *       released, and then only by the owner of its page. */
#include "shm.h"
#include "../lock.h"
#include <stdalign.h>
#include <string.h>
#include <tidemark.h>

struct block {
  alignas(CACHE_LINE) _Atomic uint64_t header; /* low half: count; high half: stamp */
  struct reference child;
  unsigned char data[];
};

struct page {
  alignas(CACHE_LINE) _Atomic uint64_t use; /* low half: block size; high half: owner + 1 */
  alignas(CACHE_LINE) unsigned char bytes[SHM_PAGE_BYTES];
};

/* A change of a reference.  On one line, era last: it is there if the rest is. */
struct log {
  alignas(CACHE_LINE) struct block *block;
  struct reference *cell;
  int64_t change;
  _Atomic uint64_t era;
};

struct machine {
  alignas(CACHE_LINE) _Atomic uint64_t seen[SHM_MACHINES]; /* era of each machine; see above */
  struct log log;
  alignas(CACHE_LINE) struct reference reference[SHM_REFERENCES];
  alignas(CACHE_LINE) struct reference inbox[SHM_MACHINES];
};

struct shm {
  alignas(CACHE_LINE) _Atomic uint64_t recovery_lock;
  struct machine machine[SHM_MACHINES];
  struct page page[SHM_PAGES];
};

size_t shm_bytes(void) {
  return sizeof(struct shm);
}

/* ---- headers ---- */

enum { ERA_BITS = 24 };

static uint32_t count_of(uint64_t header) {
  return (uint32_t)header;
}

static uint64_t stamp_of(int machine, uint64_t era) {
  return (uint64_t)(machine + 1) << ERA_BITS | era;
}

/* The machine that changed the count last; -1: nobody. */
static int changer_of(uint64_t header) {
  return (int)(header >> (32 + ERA_BITS)) - 1;
}

static uint64_t era_of(uint64_t header) {
  return header >> 32 & ((UINT64_C(1) << ERA_BITS) - 1);
}

static struct machine *machine_self(struct shm *shm) {
  return &shm->machine[tidemark_machine()];
}

/* ---- pages and blocks ---- */

static uint64_t page_use(int owner, size_t block_bytes) {
  return (uint64_t)(owner + 1) << 32 | block_bytes;
}

static int owner_of(uint64_t use) {
  return (int)(use >> 32) - 1;
}

/* How many blocks a page in use has. */
static size_t page_blocks(uint64_t use) {
  return SHM_PAGE_BYTES / (uint32_t)use; /* BUG_DIVIDE_BY_ZERO: the page is no longer in use */
}

static struct block *page_block(struct page *page, uint64_t use, size_t number) {
  return (struct block *)(page->bytes + number * (uint32_t)use);
}

/* Does an unfinished change name the cell? */
static bool reference_is_changing(struct shm *shm, const struct reference *cell) {
  for (int m = 0; m < tidemark_machines(); m++) {
    struct machine *machine = &shm->machine[m];
    if (load(&machine->log.era) > load(&machine->seen[m]) && machine->log.cell == cell)
      return true;
  }
  return false;
}

static bool block_is_free(struct shm *shm, struct block *block) {
  return count_of(load(&block->header)) == 0 && load(&block->child.block) == NULL &&
         !reference_is_changing(shm, &block->child);
}

/* ---- changes of references ---- */

/* Before the evidence is overwritten: that machine's change was committed. */
static void note_seen(struct shm *shm, uint64_t header) {
  int changer = changer_of(header);
  if (changer < 0 || changer == tidemark_machine())
    return;
  _Atomic uint64_t *seen = &machine_self(shm)->seen[changer];
  if (load(seen) < era_of(header)) {
    store(seen, era_of(header));
    persist(seen, sizeof *seen);
  }
}

/* Steps 2 and 3; the new count. */
static uint32_t block_change_count(struct shm *shm, struct block *block, int change, uint64_t era) {
  uint64_t stamp = stamp_of(tidemark_machine(), era);
  uint64_t old = load(&block->header);
  uint32_t count;
#ifdef BUG_COUNT_NOT_ATOMIC
  _Atomic uint32_t *half = (_Atomic uint32_t *)&block->header;
  note_seen(shm, old);
  count = atomic_fetch_add(&half[0], (uint32_t)change) + (uint32_t)change;
  store(&half[1], (uint32_t)stamp); /* BUG_COUNT_NOT_ATOMIC: the count is durable before */
#else
  do {
    note_seen(shm, old);
    count = count_of(old) + (uint32_t)change;
  } while (!atomic_compare_exchange_strong(&block->header, &old, stamp << 32 | count));
#endif
  persist(&block->header, sizeof block->header);
  return count;
}

/* Steps 4 and 5. */
static void log_finish(struct machine *machine, int number, bool committed) {
  struct log *log = &machine->log;
  if (committed) {
    store(&log->cell->block, log->change > 0 ? log->block : NULL);
    persist(&log->cell->block, sizeof log->cell->block);
  }
  store(&machine->seen[number], load(&log->era));
  persist(&machine->seen[number], sizeof machine->seen[number]);
}

/* The new count of the block. */
static uint32_t reference_change(struct shm *shm, struct block *block, struct reference *cell,
                                 int change) {
  struct machine *machine = machine_self(shm);
  int self = tidemark_machine();
  uint64_t era = load(&machine->seen[self]) + 1;
  machine->log.block = block;
  machine->log.cell = cell;
  machine->log.change = change;
  store(&machine->log.era, era); /* BUG_LOG_NO_FLUSH: the count may be durable before */
#ifndef BUG_LOG_NO_FLUSH
  persist(&machine->log, sizeof machine->log);
#endif
  uint32_t count = block_change_count(shm, block, change, era);
  log_finish(machine, self, true);
  return count;
}

/* ---- what a machine does with its references ---- */

struct reference *shm_reference(struct shm *shm, int number) {
  return &machine_self(shm)->reference[number];
}

void *shm_data(const struct reference *reference) {
  return load(&reference->block)->data;
}

struct reference *shm_child(const struct reference *reference) {
  return &load(&reference->block)->child;
}

static struct block *page_find_free(struct shm *shm, struct page *page, uint64_t use) {
  for (size_t i = 0; i < page_blocks(use); i++)
    if (block_is_free(shm, page_block(page, use, i)))
      return page_block(page, use, i);
  return NULL;
}

static bool page_claim(struct page *page, uint64_t use) {
  uint64_t unused = 0;
  if (load(&page->use) != 0 || !atomic_compare_exchange_strong(&page->use, &unused, use))
    return false;
  persist(&page->use, sizeof page->use);
  return true;
}

static struct block *block_find(struct shm *shm, uint64_t use) {
  struct block *block;
  for (int p = 0; p < SHM_PAGES; p++)
    if (load(&shm->page[p].use) == use && (block = page_find_free(shm, &shm->page[p], use)))
      return block;
  for (int p = 0; p < SHM_PAGES; p++)
    if (page_claim(&shm->page[p], use))
      return page_block(&shm->page[p], use, 0);
  return NULL;
}

bool shm_allocate(struct shm *shm, struct reference *reference, size_t bytes) {
  size_t lines = (sizeof(struct block) + bytes + CACHE_LINE - 1) / CACHE_LINE;
  if (lines * CACHE_LINE > SHM_PAGE_BYTES)
    return false;
  struct block *block = block_find(shm, page_use(tidemark_machine(), lines * CACHE_LINE));
  if (block == NULL)
    return false;
  memset(block->data, 0, lines * CACHE_LINE - offsetof(struct block, data));
  reference_change(shm, block, reference, +1);
  return true;
}

void shm_copy(struct shm *shm, const struct reference *from, struct reference *to) {
  reference_change(shm, load(&from->block), to, +1);
}

bool shm_share(struct shm *shm, const struct reference *reference, int machine) {
  struct reference *cell = &shm->machine[machine].inbox[tidemark_machine()];
  if (load(&cell->block) != NULL || reference_is_changing(shm, cell)) /* I1 */
    return false;
  shm_copy(shm, reference, cell);
  return true;
}

struct reference *shm_received(struct shm *shm, int machine) {
  struct reference *cell = &machine_self(shm)->inbox[machine];
  return load(&cell->block) != NULL && !reference_is_changing(shm, cell) ? cell : NULL; /* I1 */
}

/* Empty the cell, but keep the child of a block that goes. */
static struct block *reference_drop(struct shm *shm, struct reference *cell) {
  struct block *block = load(&cell->block);
  return reference_change(shm, block, cell, -1) == 0 ? block : NULL;
}

void shm_release(struct shm *shm, struct reference *reference) {
  for (struct block *gone; (gone = reference_drop(shm, reference)); reference = &gone->child)
    if (load(&gone->child.block) == NULL)
      break;
}

/* ---- recovery ---- */

/* Bit per machine. */
static unsigned failed_machines(void) {
  unsigned failed = 0;
  for (int m = 0; m < tidemark_machines(); m++)
    if (m != tidemark_machine() && tidemark_machine_failed(m))
      failed |= 1u << m;
  return failed;
}

static bool change_was_committed(struct shm *shm, int machine) {
  const struct log *log = &shm->machine[machine].log;
  uint64_t era = load(&log->era);
  if (load(&log->block->header) >> 32 == stamp_of(machine, era))
    return true;
  for (int m = 0; m < SHM_MACHINES; m++)
    if (m != machine && load(&shm->machine[m].seen[machine]) >= era)
      return true;
  return false;
}

static void recover_log(struct shm *shm, int machine) {
  struct machine *failed = &shm->machine[machine];
  if (load(&failed->log.era) > load(&failed->seen[machine]))
    log_finish(failed, machine, change_was_committed(shm, machine));
}

static void recover_references(struct shm *shm, int machine) {
  struct machine *failed = &shm->machine[machine];
  for (int i = 0; i < SHM_REFERENCES; i++)
    if (load(&failed->reference[i].block))
      reference_drop(shm, &failed->reference[i]);
  for (int m = 0; m < SHM_MACHINES; m++)
    if (load(&failed->inbox[m].block) && !reference_is_changing(shm, &failed->inbox[m])) /* I1 */
      reference_drop(shm, &failed->inbox[m]);
}

/* Release the children of blocks that failed machines, or this one in their place, let go; return
 * the pages of failed machines that have become empty. */
static void recover_page(struct shm *shm, struct page *page, unsigned failed) {
  uint64_t use = load(&page->use);
  if (use == 0)
    return;
  bool empty = true;
  for (size_t i = 0; i < page_blocks(use); i++) {
    struct block *block = page_block(page, use, i);
#ifndef BUG_FREE_UNIMPLEMENTED
    uint64_t header = load(&block->header);
    int changer = changer_of(header);
    if (count_of(header) == 0 && load(&block->child.block) &&
        (changer == tidemark_machine() || failed >> changer & 1))
      shm_release(shm, &block->child);
#endif
    empty &= block_is_free(shm, block);
  }
  if (empty && failed >> owner_of(use) & 1) {
    store(&page->use, 0);
    persist(&page->use, sizeof page->use);
  }
}

static void recover(struct shm *shm, unsigned failed) {
  lock_acquire(&shm->recovery_lock); /* if taken over: its owner is among the failed */
  for (int m = 0; m < SHM_MACHINES; m++)
    if (failed >> m & 1)
      recover_log(shm, m);
  for (int m = 0; m < SHM_MACHINES; m++)
    if (failed >> m & 1)
      recover_references(shm, m);
  for (int p = 0; p < SHM_PAGES; p++)
    recover_page(shm, &shm->page[p], failed);
  lock_release(&shm->recovery_lock);
}

/* ---- the monitor ---- */

static void monitor_count(struct shm *shm, struct shm_monitor *monitor) {
  monitor->blocks = monitor->blocks_used = 0;
  for (int i = 0; i < monitor->pages; i++) {
    struct page *page = &shm->page[monitor->page[i]];
    uint64_t use = load(&page->use);
#ifndef BUG_DIVIDE_BY_ZERO
    if (use == 0) /* returned since, perhaps by this monitor in its last turn */
      continue;
#endif
    size_t blocks = page_blocks(use);
    monitor->blocks += blocks;
    for (size_t b = 0; b < blocks; b++)
      monitor->blocks_used += count_of(load(&page_block(page, use, b)->header)) != 0;
  }
}

static void monitor_list(struct shm *shm, struct shm_monitor *monitor) {
  monitor->pages = 0;
  for (int p = 0; p < SHM_PAGES; p++)
    if (load(&shm->page[p].use) != 0)
      monitor->page[monitor->pages++] = p;
}

void shm_monitor(struct shm *shm, struct shm_monitor *monitor) {
  monitor_count(shm, monitor);
  monitor_list(shm, monitor);
  unsigned failed = failed_machines();
  if (failed)
    recover(shm, failed);
}

void shm_verify_empty(struct shm *shm) {
  for (int p = 0; p < SHM_PAGES; p++) {
    struct page *page = &shm->page[p];
    uint64_t use = load(&page->use);
    for (size_t i = 0; use != 0 && i < page_blocks(use); i++)
      tidemark_assert(block_is_free(shm, page_block(page, use, i))); /* BUG_FREE_UNIMPLEMENTED: */
  }
}
