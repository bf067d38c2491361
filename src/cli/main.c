#include "cli/tidemark.h"

int main(int argc, char **argv) {
  return tidemark_main(argc, argv);
}
