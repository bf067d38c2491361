// Fields that a member function names without saying whose they are, and those of std::atomic.
// BUILD
// FIND --analyses=robustness: robustness lost=count field:lost=count~of~base; robustness lost=next survived=slot field:lost=next~of~list type:lost=list~* field:survived=slot~of~list field:missed=next~of~list field:read=slot~of~list
// FIND --analyses=races: persistency-race torn=count field:torn=count~of~base type:torn=short; persistency-race torn=next field:torn=next~of~list type:torn=list~* fix=make_it_atomic:_declare_next_of_list_as
#include <atomic>
#include <immintrin.h>
#include <tidemark.h>

namespace store {
struct other {
  long next, slot;
};

struct base {
  short count;
};

class list : base {
  list *next;
  long pad[7];
  std::atomic<long> slot;

public:
  void fill() {
    count++; //@count
    next = this; //@next
    slot.store(1, std::memory_order_release); //@slot
    _mm_clflush(&slot);
  }
  bool look() {
    long seen = slot.load();
    return seen && count && next;
  }
};
} // namespace store

store::other *unused;

int main() {
  auto *l = static_cast<store::list *>(tidemark_region("list", sizeof(store::list)));
  if (!tidemark_failures())
    l->fill();
  else
    tidemark_outcome("%d", l->look());
  return 0;
}
