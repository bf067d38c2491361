#include "one_name.h"

static int *const kept = &inline_variable;

int library() {
  inline_local++;
  *kept += next_number();
  return program_function(of_program);
}
