// To initialise an atomic variable is not an atomic store, and there is no type to change.
// BUILD
// FIND --analyses=races: persistency-race torn=head field:torn=head~of~queue fix=to_initialise_an_atomic_variable_(head_of_queue)_is_not_an_atomic_store; persistency-race torn=tail fix=to_initialise_an_atomic_variable_(tail_of_queue)_is_not; persistency-race torn=pair fix=to_initialise_an_atomic_variable
#include <atomic>
#include <new>
#include <tidemark.h>

struct pair {
  int number, count;
};

struct queue {
  std::atomic<long> head;
  std::atomic<short> tail{3}; //@tail
  std::atomic<pair> both;

  queue()
      : head(7), //@head
        both(pair{1, 2}) { //@pair
  }
};

int main() {
  queue *q = (queue *)tidemark_region("queue", sizeof *q);
  if (!tidemark_failures())
    new (q) queue();
  else
    tidemark_outcome("%ld %d %d", q->head.load(), q->tail.load(), q->both.load().count);
  return 0;
}
