// Reports name fields and the type to use.
// BUILD
// FIND --analyses=robustness: robustness lost=next survived=slot field:lost=next~of~struct~node type:lost=struct~node~* field:survived=slots~of~struct~list type:survived=uint32_t field:missed=next~of~struct~node field:read=slots~of~struct~list
// FIND --analyses=races: persistency-race torn=next type:torn=struct~node~* fix=make_it_atomic:_declare_next_of_struct_node_as; persistency-race torn=count type:torn=uint16_t fix=make_it_atomic:_declare_count_of_struct_list_as; persistency-race torn=slot field:torn=slots~of~struct~list type:torn=uint32_t fix=make_it_atomic:_declare_the_elements_of_slots_of_struct_list_as_; persistency-race torn=call field:torn=call~of~struct~list type:torn=long~(*)(void~*,~int)
// BUILD -DHELPER
// FIND --analyses=robustness: robustness lost=put survived=slot field:lost=next~of~struct~node type:lost=struct~node~* field:survived=slots~of~struct~list
#include "analysis.h"
#include <stdint.h>

struct node {
  struct node *next;
  long pad[7];
};

struct list {
  uint16_t count;
  uint32_t slots[4];
  long (*call)(void *, int);
  long pad[7];
  struct node node;
};

/* A store in it is named by the load that misses it. */
static void put(struct node **where, struct node *what) {
  *where = what; //@put
}

int main(void) {
  struct list *list = tidemark_region("list", sizeof *list);
  if (!tidemark_failures()) {
#ifdef HELPER
    put(&list->node.next, &list->node);
#else
    (void)put;
    list->node.next = &list->node; //@next
#endif
    list->slots[1] = 7; //@slot
    clflush(list->slots);
    list->count = 1; //@count
    list->call = (long (*)(void *, int))8; //@call
    return 0;
  }
  int count = list->count;
  struct node *next = list->node.next;
  unsigned slot = list->slots[1];
  tidemark_outcome("%d %d %u %d", count, next != NULL, slot, list->call != NULL);
  return 0;
}
