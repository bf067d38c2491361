// Fields that a member function names without saying whose they are, and those of std::atomic.
// BUILD
// FIND --analyses=robustness: robustness lost=count field:lost=count~of~base; robustness lost=next survived=slot field:lost=next~of~list type:lost=list~* field:survived=slot~of~list field:missed=next~of~list field:read=slot~of~list
// FIND --analyses=races: persistency-race torn=count field:torn=count~of~base type:torn=short; persistency-race torn=next field:torn=next~of~list type:torn=list~* fix=make_it_atomic:_declare_next_of_list_as
// BUILD -DTEMPLATE
// FIND --analyses=races: persistency-race torn=item field:torn=item~of~box<long> type:torn=long; persistency-race torn=full field:torn=full~of~box<long>
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

namespace {
struct bag {
  void *item, *full;
};

template <class T> struct box {
  T item, pad[7], full;
  template <class U> void put(U value) {
    item = value; //@item
    full = value; //@full
  }
};
} // namespace

store::other *unused;
bag kept; // a whole one, or nothing is known of its fields

int main() {
#ifdef TEMPLATE
  auto *b = static_cast<box<long> *>(tidemark_region("box", sizeof(box<long>)));
  if (!tidemark_failures())
    b->put(1);
  else
    tidemark_outcome("%d", b->full && b->item && !kept.item);
  return 0;
#endif
  auto *l = static_cast<store::list *>(tidemark_region("list", sizeof(store::list)));
  if (!tidemark_failures())
    l->fill();
  else
    tidemark_outcome("%d", l->look());
  return 0;
}
