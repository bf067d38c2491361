// EXPECT: segfault 1
// ONLY: pm
// SAYS: in the heap before the failure
// A std::string in persistent memory whose text is too long to lie inside it.
#include <new>
#include <string>
#include <tidemark.h>
struct root { long valid; alignas(std::string) unsigned char text[sizeof(std::string)]; };
int main() {
  root *pm = static_cast<root *>(tidemark_region("root", sizeof(root)));
  std::string *s = reinterpret_cast<std::string *>(pm->text);
  if (pm->valid)
    return (*s)[3] != 'e';
  new (s) std::string("some text that does not fit a short string");
  for (size_t i = 0; i < sizeof(std::string); i += 8)
    __builtin_ia32_clflush(pm->text + i);
  pm->valid = 1;
  return 0;
}
