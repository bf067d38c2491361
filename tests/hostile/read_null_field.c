// EXPECT: segfault 1
#include <stddef.h>
struct node {
  long pad[4];
  struct node *next;
};
int main(void) {
  struct node *volatile n = NULL;
  return n->next != NULL;
}
