#include "one_name.h"
#include <cassert>

int of_program = 30;

int program_function(int x) {
  return x + 4;
}

int main(int, char **argv) {
  bool symbolic = argv[1]; /* the library has its own */
  assert(next_number() == 1);
  assert(library() == 34);
  assert(next_number() == (symbolic ? 2 : 3));
  assert(inline_variable == (symbolic ? 5 : 7));
  assert(inline_local == (symbolic ? 7 : 8));
}
