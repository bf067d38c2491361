// Rows of the published tables that examples/ has no field for: a page of a B+-tree like FAST_FAIR's with its
// header (Table 4.1 #7, #8; Table 5.2 #3, #4), and a hash table with a list of versions like P-CLHT's
// (Table 4.1 #29).
// BUILD -DPAGE
// FIND --analyses=robustness: robustness lost=SWITCH survived=PTR missed=RSWITCH after=SWITCH needs=flush+fence; robustness lost=INDEX survived=KEY2 missed=RINDEX after=INDEX needs=flush+fence
// FIND --analyses=races: persistency-race torn=SWITCH read=RSWITCH type:torn=uint32_t fix=make_it_atomic:_declare_; persistency-race torn=INDEX read=RINDEX type:torn=int16_t fix=make_it_atomic:_declare_; persistency-race torn=PTR read=FOUND; persistency-race torn=KEY2 read=FOUND
// BUILD -DVERSIONS
// FIND --analyses=robustness: robustness lost=VERSION survived=TABLE missed=RVERSION after=VERSION before=TABLE
#include "analysis.h"
#include <stdint.h>

struct page {
  struct page *leftmost_ptr, *sibling_ptr;
  uint32_t level, switch_counter;
  int16_t last_index;
  struct {
    _Alignas(64) long key;
    void *ptr;
  } record[4];
};

static void insert_key(struct page *p, long key, void *ptr) {
  if (p->switch_counter % 2 != 0)
    ++p->switch_counter;
  else
    p->switch_counter += 2; //@SWITCH
  int i = p->last_index + 1;
  p->record[i].ptr = ptr; //@PTR
  p->record[i].key = key; //@KEY
  clwb(&p->record[i]);
  sfence();
  p->last_index = (int16_t)i; //@INDEX
}

static void insert_again(struct page *p, long key, void *ptr) {
  p->record[3].ptr = ptr;
  p->record[3].key = key; //@KEY2
  clwb(&p->record[3]);
  sfence();
}

struct table {
  _Alignas(64) struct table *version_list;
  _Alignas(64) long table;
};

int main(void) {
#ifdef PAGE
  struct page *p = tidemark_region("page", sizeof *p);
  if (!tidemark_failures()) {
    insert_key(p, 7, p);
    insert_again(p, 8, p);
    return 0;
  }
  long found = p->record[1].ptr != NULL && p->record[3].key != 0; //@FOUND
  found += p->switch_counter; //@RSWITCH
  found += p->last_index;     //@RINDEX
  tidemark_outcome("%ld", found);
#else
  struct table *t = tidemark_region("table", sizeof *t);
  (void)insert_key, (void)insert_again;
  if (!tidemark_failures()) {
    t->version_list = t; //@VERSION
    t->table = 1;        //@TABLE
    clwb(&t->table);
    sfence();
    return 0;
  }
  if (t->table)
    tidemark_outcome("%d", t->version_list != NULL); //@RVERSION
#endif
  return 0;
}
