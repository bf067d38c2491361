#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" size_t allocator_used();

int main(int argc, char **argv) {
  std::vector<std::string *> all;
  for (int i = 0; i < 100; i++)
    all.push_back(new std::string(1000, 'x'));
  for (std::string *s : all)
    delete s;
  char *p = static_cast<char *>(std::malloc(10));
  std::free(p);
  bool checked = argc > 1 && std::strcmp(argv[1], "checked") == 0;
  return checked ? allocator_used() != 0 : allocator_used() == 0;
}
