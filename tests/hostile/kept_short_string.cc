// EXPECT: none 0
// A short string lies inside the object, which has the same address after a failure.
#include <new>
#include <string>
#include <tidemark.h>
struct root { long valid; alignas(std::string) unsigned char text[sizeof(std::string)]; };
int main() {
  root *pm = static_cast<root *>(tidemark_region("root", sizeof(root)));
  std::string *s = reinterpret_cast<std::string *>(pm->text);
  if (pm->valid)
    return *s != "short";
  new (s) std::string("short");
  for (size_t i = 0; i < sizeof(std::string); i += 8)
    __builtin_ia32_clflush(pm->text + i);
  pm->valid = 1;
  return 0;
}
