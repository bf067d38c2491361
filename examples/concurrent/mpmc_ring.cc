// A bounded ring for many producers and consumers, in the manner of Vyukov's: every cell has a sequence
// number that says whose turn it is there.
//
//     sequence == position       the producer of that position may fill the cell
//     sequence == position + 1   its consumer may empty it
#include <atomic>
#include <cassert>
#include <thread>

static constexpr unsigned CELLS = 2;

class Ring {
  struct Cell {
    std::atomic<unsigned> sequence;
    int value;
  };
  Cell cells[CELLS];
  std::atomic<unsigned> fill_at{0}, empty_at{0};

  // The cell of the next position where it is the turn, or none.
  static Cell *claim(std::atomic<unsigned> &next, Cell *cells, unsigned turn, unsigned &position) {
    position = next.load(std::memory_order_relaxed);
    for (;;) {
      Cell &cell = cells[position % CELLS];
      int ahead = (int)(cell.sequence.load(std::memory_order_acquire) - (position + turn));
      if (ahead < 0)
        return nullptr;
      if (ahead > 0)
        position = next.load(std::memory_order_relaxed);
      else if (next.compare_exchange_strong(position, position + 1, std::memory_order_relaxed))
        return &cell;
    }
  }

public:
  Ring() {
    for (unsigned i = 0; i < CELLS; i++)
      cells[i].sequence.store(i, std::memory_order_relaxed);
  }

  bool put(int value) {
    unsigned position;
    Cell *cell = claim(fill_at, cells, 0, position);
    if (!cell)
      return false;
#ifdef BUG_PUBLISHED_FIRST
    cell->sequence.store(position + 1, std::memory_order_release);
    cell->value = value; // BUG_PUBLISHED_FIRST: a consumer may have looked already
#else
    cell->value = value;
    cell->sequence.store(position + 1, std::memory_order_release);
#endif
    return true;
  }

  bool take(int &value) {
    unsigned position;
    Cell *cell = claim(empty_at, cells, 1, position);
    if (!cell)
      return false;
    value = cell->value;
    cell->sequence.store(position + CELLS, std::memory_order_release);
    return true;
  }
};

static Ring ring;

static void work(int me) {
  int value = 0;
  bool filled = ring.put(me);
  assert(filled);
  if (ring.take(value))
    assert(value == 1 || value == 2);
}

int main() {
  std::thread one(work, 1), two(work, 2);
  one.join();
  two.join();
}
