/* The program's heap against a simple model: blocks keep their contents, never overlap, and every
 * wrong free is seen. */
#include "base/mem.h"
#include "base/rng.h"
#include "process/heap.h"
#include "process/layout.h"
#include "runtime_container.h"

#define BLOCKS 500
#define STEPS 200000

struct block {
  unsigned char *p;
  size_t bytes;
  bool pages; /* from heap_alloc_pages */
};

static struct block blocks[BLOCKS];
static struct rng rng = {.state = 1};

static size_t some_size(void) {
  switch (rng_below(&rng, 4)) {
  case 0:
    return rng_below(&rng, 64);
  case 1:
    return rng_below(&rng, 3000);
  case 2:
    return rng_below(&rng, 20000);
  default:
    return rng_below(&rng, 300000);
  }
}

static unsigned char mark(const struct block *b, size_t i) {
  return (unsigned char)((uintptr_t)b * 7 + b->bytes + i);
}

/* Ends and one byte in each page are enough to notice an overlap. */
static void fill(struct block *b) {
  for (size_t i = 0; i < b->bytes; i += 509)
    b->p[i] = mark(b, i);
  if (b->bytes)
    b->p[b->bytes - 1] = mark(b, b->bytes - 1);
}

static bool intact(const struct block *b, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 509)
    if (i != b->bytes - 1 && b->p[i] != mark(b, i))
      return false;
  return bytes < b->bytes || !bytes || b->p[bytes - 1] == mark(b, bytes - 1);
}

static const char *add(struct block *b) {
  b->bytes = some_size();
  b->pages = false;
  size_t align = 16;
  switch (rng_below(&rng, 4)) {
  case 0:
    b->p = heap_alloc_zeroed(b->bytes);
    for (size_t i = 0; i < b->bytes; i++)
      EXPECT(b->p[i] == 0);
    break;
  case 1:
    align = (size_t)16 << rng_below(&rng, 12);
    b->p = heap_alloc_aligned(align, b->bytes);
    break;
  case 2:
    b->pages = true;
    b->bytes = (b->bytes / LAYOUT_PAGE + 1) * LAYOUT_PAGE;
    b->p = heap_alloc_pages(b->bytes);
    align = LAYOUT_PAGE;
    for (size_t i = 0; i < b->bytes; i++)
      EXPECT(b->p[i] == 0);
    break;
  default:
    b->p = heap_alloc(b->bytes);
  }
  EXPECT(b->p && (uintptr_t)b->p % align == 0);
  size_t have;
  EXPECT(heap_block_bytes(b->p, &have) == HEAP_OK && have >= b->bytes);
  fill(b);
  return NULL;
}

static const char *change(struct block *b) {
  EXPECT(intact(b, b->bytes));
  switch (rng_below(&rng, 4)) {
  case 0: {
    size_t old = b->bytes, bytes = some_size() + 1;
    struct block before = *b;
    unsigned char *p = heap_resize(b->p, bytes);
    EXPECT(p);
    b->p = p;
    for (size_t i = 0; i < old && i < bytes; i += 509)
      EXPECT(i == old - 1 || p[i] == (unsigned char)((uintptr_t)b * 7 + before.bytes + i));
    b->bytes = bytes;
    b->pages = false;
    fill(b);
    return NULL;
  }
  case 1:
    if (b->pages && b->bytes > LAYOUT_PAGE) { /* give back the tail */
      heap_free_pages(b->p + LAYOUT_PAGE, b->bytes - LAYOUT_PAGE);
      b->bytes = LAYOUT_PAGE;
      fill(b);
      return NULL;
    } /* fall through */
  default:
    EXPECT(b->bytes < 2 || heap_free(b->p + 1) == HEAP_NOT_A_BLOCK);
    EXPECT(heap_free(b->p) == HEAP_OK);
    EXPECT(heap_free(b->p) == HEAP_FREED_TWICE);
    b->p = NULL;
    return NULL;
  }
}

static const char *random_operations(void *unused) {
  (void)unused;
  for (int i = 0; i < STEPS; i++) {
    struct block *b = &blocks[rng_below(&rng, BLOCKS)];
    const char *wrong = b->p ? change(b) : add(b);
    if (wrong)
      return wrong;
  }
  for (int i = 0; i < BLOCKS; i++)
    EXPECT(!blocks[i].p || (intact(&blocks[i], blocks[i].bytes) && !heap_free(blocks[i].p)));
  return NULL;
}

static const char *limits(void *unused) {
  (void)unused;
  EXPECT(!heap_alloc(SIZE_MAX) && !heap_alloc(LAYOUT_HEAP_BYTES + 1));
  EXPECT(!heap_alloc_aligned((size_t)1 << 40, 16) && !heap_alloc_pages(SIZE_MAX - 4096));
  EXPECT(heap_free((void *)0x1234) == HEAP_NOT_A_BLOCK);
  EXPECT(heap_free((void *)(LAYOUT_HEAP_BASE + LAYOUT_HEAP_BYTES - 16)) == HEAP_NOT_A_BLOCK);
  void *p = heap_alloc((size_t)2 << 30);
  EXPECT(p && !heap_alloc((size_t)3 << 30));
  EXPECT(heap_free(p) == HEAP_OK);
  EXPECT((p = heap_alloc((size_t)3 << 30)) && heap_free(p) == HEAP_OK);
  EXPECT(heap_alloc(0) && heap_alloc(0) != heap_alloc(0));
  return NULL;
}

/* Addresses on one machine do not depend on the others, and blocks are not theirs to give back;
 * what is older than the machines stays whatever they do. */
static const char *separate_heaps(void *unused) {
  (void)unused;
  char *old = heap_alloc(100);
  memset(old, 7, 100);
  heap_set_machines(2);
  world_seal();
  heap_select(1);
  char *other = heap_alloc(100);
  for (int i = 0; i < 10; i++)
    heap_alloc(100);
  heap_select(0);
  char *own = heap_alloc(100);
  EXPECT(other - own == (ptrdiff_t)LAYOUT_HEAP_BYTES);
  EXPECT(heap_contains(own) && heap_contains(other) && heap_contains(old));
  EXPECT(heap_free(other) == HEAP_NOT_A_BLOCK && heap_free(own) == HEAP_OK);
  char *longer = heap_resize(old, 1000);
  EXPECT(longer && longer != old && longer[0] == 7 && longer[99] == 7);
  EXPECT(heap_free(old) == HEAP_OK && heap_free(old) == HEAP_OK && old[50] == 7);
  EXPECT(heap_free(old + 1) == HEAP_NOT_A_BLOCK);
  world_reset();
  EXPECT(heap_alloc(100) == own);
  return NULL;
}

/* What another one gives back is gone, and changes no address. */
static const char *heaps_apart(void *unused) {
  (void)unused;
  heap_set_machines(2);
  heap_keep_apart();
  world_seal();
  char *first = heap_alloc(100), *second = heap_alloc(100), *large = heap_alloc(100000);
  memset(second, 7, 100);
  heap_select(1);
  EXPECT(heap_free(first) == HEAP_OK && heap_free(first) == HEAP_FREED_TWICE);
  EXPECT(heap_free(first + 1) == HEAP_NOT_A_BLOCK && heap_free(large) == HEAP_OK);
  char *longer = heap_resize(second, 90);
  EXPECT(longer && heap_is_own(longer) && longer[89] == 7);
  heap_select(0);
  size_t bytes;
  EXPECT(heap_free(first) == HEAP_FREED_TWICE && heap_free(second) == HEAP_FREED_TWICE);
  EXPECT(heap_block_bytes(large, &bytes) == HEAP_FREED_TWICE);
  char *third = heap_alloc(100);
  EXPECT(third != first && third != second && heap_alloc(100000) != large);
  EXPECT(heap_free(third) == HEAP_OK && heap_alloc(100) == third);
  world_reset();
  EXPECT(heap_alloc(100) == first && heap_free(first) == HEAP_OK);
  return NULL;
}

static void threads_have_heaps_of_their_own(void **state) {
  (void)state;
  container_test(heaps_apart, NULL);
}

static void machines_have_heaps_of_their_own(void **state) {
  (void)state;
  container_test(separate_heaps, NULL);
}

static void blocks_keep_their_contents(void **state) {
  (void)state;
  container_test(random_operations, NULL);
}

static void too_much_is_refused(void **state) {
  (void)state;
  container_test(limits, NULL);
}

int main(int argc, char **argv) {
  (void)argc;
  container_begin(argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_keep_their_contents),
      cmocka_unit_test(too_much_is_refused),
      cmocka_unit_test(machines_have_heaps_of_their_own),
      cmocka_unit_test(threads_have_heaps_of_their_own),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  container_end();
  return failed;
}
