/* A store buffer against a simple model: entries leave in order, loads see the newest store to each
 * byte, and a clflushopt is held back by what it cannot overtake. */
#include "access/store_buffer.h"
#include "base/rng.h"
#include "runtime_container.h"

#define STEPS 20000
#define ENTRIES_MAX 200
#define BASE ((uintptr_t)0x10000)
#define BYTES 256

static struct buffered model[ENTRIES_MAX]; /* oldest first */
static int model_length;
static struct rng rng = {.state = 1};

static struct buffered some_entry(void) {
  struct buffered b = {.kind = (enum buffered_kind)rng_below(&rng, 3)};
  int size = 1 << rng_below(&rng, 4);
  b.piece.address =
      BASE + rng_below(&rng, BYTES / 8) * 8 + rng_below(&rng, 8 / (uint64_t)size) * (uint64_t)size;
  b.piece.size = size;
  b.piece.value = rng_next(&rng);
  if (b.kind == BUFFERED_FLUSH) {
    b.piece.address = LINE_OF(b.piece.address);
    b.piece.size = LINE_BYTES;
  } else if (b.kind == BUFFERED_FENCE) {
    b.piece.address = 0;
    b.piece.size = 0;
  }
  return b;
}

static bool newest_byte(uintptr_t address, uint8_t *byte) {
  for (int i = model_length; i-- > 0;) {
    const struct access_piece *p = &model[i].piece;
    if (model[i].kind == BUFFERED_STORE && address >= p->address &&
        address < p->address + (uintptr_t)p->size) {
      *byte = (uint8_t)(p->value >> (address - p->address) * 8);
      return true;
    }
  }
  return false;
}

static const char *compare_load(const struct thread *t) {
  int size = 1 + (int)rng_below(&rng, 8);
  uintptr_t address = BASE + rng_below(&rng, BYTES / 8) * 8 + rng_below(&rng, (uint64_t)(9 - size));
  uint64_t cache = rng_next(&rng), value = cache;
  uint8_t covered = store_buffer_forward(t, address, size, &value);
  for (int i = 0; i < 8; i++) {
    uint8_t byte = (uint8_t)(cache >> i * 8);
    bool mine = i < size && newest_byte(address + (uintptr_t)i, &byte);
    EXPECT(mine == (covered >> i & 1));
    EXPECT((uint8_t)(value >> i * 8) == byte);
  }
  return NULL;
}

static const char *compare_flush(const struct thread *t) {
  uintptr_t line = LINE_OF(BASE + rng_below(&rng, BYTES));
  uint64_t number = 0;
  for (int i = 0; i < model_length; i++)
    if (model[i].kind == BUFFERED_FENCE || LINE_OF(model[i].piece.address) == line)
      number = model[i].number;
  const struct buffered *before = store_buffer_before_flush(t, line);
  EXPECT((before ? before->number : 0) == number);
  return NULL;
}

static const char *pop(struct thread *t) {
  const struct buffered *oldest = store_buffer_oldest(t);
  EXPECT(oldest && oldest->number == model[0].number);
  struct buffered b = store_buffer_pop(t);
  EXPECT(b.kind == model[0].kind && b.number == model[0].number);
  EXPECT(b.piece.address == model[0].piece.address && b.piece.value == model[0].piece.value);
  memmove(model, model + 1, (size_t)--model_length * sizeof *model);
  return NULL;
}

static const char *like_the_model(void) {
  struct thread t = {0};
  uint64_t numbers = 0;
  EXPECT(store_buffer_empty(&t) && !store_buffer_oldest(&t));
  for (int i = 0; i < STEPS; i++) {
    const char *wrong = NULL;
    uint64_t what = rng_below(&rng, 100), fills = i / 1000 % 2 ? 30 : 50; /* in waves */
    if (what < fills && model_length < ENTRIES_MAX) {
      model[model_length] = some_entry();
      EXPECT(store_buffer_push(&t, &model[model_length])->number == ++numbers);
      model[model_length++].number = numbers;
    } else if (what < 80) {
      wrong = model_length ? pop(&t) : NULL;
    } else {
      wrong = what < 90 ? compare_load(&t) : compare_flush(&t);
    }
    if (wrong)
      return wrong;
    EXPECT(store_buffer_empty(&t) == (model_length == 0));
  }
  return NULL;
}

static void random_operations(void **state) {
  (void)state;
  const char *wrong = like_the_model();
  assert_string_equal(wrong ? wrong : "", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_operations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
