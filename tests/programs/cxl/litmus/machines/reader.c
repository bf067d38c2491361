/* Says what the first word holds, after its argument. */
#include "../../cxl.h"

static int starts = 5; /* the writer has a variable of that name, too */

int main(int argc, char **argv) {
  starts++;
  SHOW("%s %d %lu %d", argc == 2 ? argv[1] : "?", starts, NUMBER(X), tidemark_machines());
}
