// EXPECT: none 0
// What is loaded is found; what is not stays away, and the program is told.
#include <dlfcn.h>
#include <string.h>
int main(void) {
  void *libc = dlopen("libc.so.6", RTLD_NOW);
  if (!libc || !dlsym(libc, "strlen") || dlerror())
    return 1;
  if (dlopen("libnowhere.so.9", RTLD_NOW))
    return 2;
  const char *why = dlerror();
  if (!why || !strstr(why, "cannot load libraries") || dlerror())
    return 3;
  return dlopen("libnowhere.so.9", RTLD_NOW | RTLD_NOLOAD) != NULL;
}
