// dlopen and dlsym find the program and the libraries it is linked with, as in a normal run.
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: %clang -fPIC -shared %S/Inputs/dl_own.c -o %t.lib/libown.so
// RUN: %clang -fPIC -shared %S/Inputs/dl_next.c -o %t.lib/libnext.so -Wl,-soname,libnext.so
// RUN: %tidemark_cc -g %s -o %t -L%t.lib -lnext -lown -Wl,-rpath,%t.lib -ldl
// RUN: %t %t.lib/libown.so
// RUN: for o in "" --isolate "--model=cxl" "--model=cxl --isolate"; do %tidemark check $o %t %t.lib/libown.so || exit 1; done
#define _GNU_SOURCE
#include <dlfcn.h>
#include <immintrin.h>
#include <stdlib.h>
#include <tidemark.h>

int own_number(void);
int shadowed(void);
int variable = 3;

int mine(void) {
  return 7;
}

static void in_library(const char *path) {
  void *own = dlopen("libown.so", RTLD_NOW);
  tidemark_assert(own && dlsym(own, "own_number") == (void *)own_number);
  tidemark_assert(dlopen(path, RTLD_LAZY) == own);
  tidemark_assert(dlopen("libown.so", RTLD_LAZY | RTLD_NOLOAD) == own);
  tidemark_assert(dlopen("libnext.so", RTLD_LAZY) && !dlerror());
  tidemark_assert(dlclose(own) == 0 && own_number() == 42);
}

static void in_program(void *handle) {
  tidemark_assert(dlsym(handle, "mine") == (void *)mine);
  tidemark_assert(dlsym(handle, "variable") == &variable);
  tidemark_assert(dlsym(handle, "own_number") == (void *)own_number);
  tidemark_assert(dlsym(handle, "malloc") == (void *)malloc);
  tidemark_assert(!dlerror() && !dlsym(handle, "no_such_symbol") && dlerror() && !dlerror());
}

static void next(void) {
  tidemark_assert(dlsym(RTLD_NEXT, "own_number") == (void *)own_number);
  tidemark_assert(dlsym(RTLD_NEXT, "malloc") == (void *)malloc);
  tidemark_assert(!dlsym(RTLD_NEXT, "mine"));
  tidemark_assert(shadowed() == 11);
}

int main(int argc, char **argv) {
  long *p = tidemark_region("p", 64);
  p[0] = argc;
  _mm_clflush(p);
  in_library(argv[1]);
  in_program(dlopen(NULL, RTLD_NOW));
  in_program(RTLD_DEFAULT);
  tidemark_assert(dlsym(NULL, "main") == (void *)main);
  next();
  void *libc = dlopen("libc.so.6", RTLD_NOW);
  tidemark_assert(libc && dlsym(libc, "malloc") == (void *)malloc);
  return 0;
}
