#include "counter.h"

__thread long counter_last;

int not_exported(void) {
  return 1;
}
