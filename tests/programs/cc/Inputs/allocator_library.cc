#include <cstddef>
#include <cstdlib>
#include <cstring>

static char room[1 << 20];
static size_t used;

static void *take(size_t bytes) {
  void *p = room + used;
  used += (bytes + 15) & ~(size_t)15;
  return p;
}

extern "C" size_t allocator_used() { return used; }
extern "C" void *malloc(size_t bytes) { return take(bytes); }
extern "C" void *calloc(size_t n, size_t bytes) { return memset(take(n * bytes), 0, n * bytes); }
extern "C" void *realloc(void *old, size_t bytes) {
  void *p = take(bytes);
  return old ? memmove(p, old, bytes) : p;
}
extern "C" void free(void *) {}

void *operator new(size_t bytes) { return take(bytes); }
void *operator new[](size_t bytes) { return take(bytes); }
void operator delete(void *p) noexcept { free(p); }
void operator delete[](void *p) noexcept { free(p); }
void operator delete(void *p, size_t) noexcept { free(p); }
void operator delete[](void *p, size_t) noexcept { free(p); }
