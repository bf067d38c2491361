/* Functions of the C library that are written in C: include/tidemark-litmus/library.c is compiled and
 * linked if the program calls one of them. */
#include "lift/lift_internal.h"
#include <llvm-c/Linker.h>
#include <string.h>
#include <unistd.h>

static const char path_end[] = "/tidemark-litmus/library.c";

/* tests/litmus/cprog/output.py compares this with the file. */
static const char *const names[] = {"__errno_location",
                                    "strcat",
                                    "strchr",
                                    "strrchr",
                                    "memchr",
                                    "strstr",
                                    "strdup",
                                    "atoi",
                                    "atol",
                                    "realloc",
                                    "qsort",
                                    "pthread_key_create",
                                    "pthread_key_delete",
                                    "tss_create",
                                    "pthread_setspecific",
                                    "pthread_getspecific",
                                    "tss_set",
                                    "tss_get",
                                    "__cxa_guard_acquire",
                                    "__cxa_guard_release",
                                    "__cxa_guard_abort",
                                    "time",
                                    "clock_gettime",
                                    "gettimeofday",
                                    "timespec_get"};

static LLVMValueRef wanted(LLVMModuleRef m, const char *name) {
  LLVMValueRef f = LLVMGetNamedFunction(m, name);
  return f && LLVMIsDeclaration(f) && LLVMGetFirstUse(f) ? f : NULL;
}

bool lift_library_is_needed(LLVMModuleRef m) {
  for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
    if (wanted(m, names[k]))
      return true;
  return false;
}

char *lift_library_path(int count, char **words) {
  for (int i = 1; i < count; i++) {
    struct str path = {0};
    if (!strncmp(words[i], "-I", 2))
      str_format(&path, "%s%s", words[i] + 2, path_end);
    char *found =
        path.length && !access(str_text(&path), R_OK) ? mem_strdup(str_text(&path)) : NULL;
    str_free(&path);
    if (found)
      return found;
  }
  return NULL;
}

/* Also headers of C++'s library: who calls std::atomic::load wants to see that line, not its own. */
bool lift_is_library(const char *path, size_t length) {
  static const char *const folders[] = {"/include/c++/", "/c++/v1/", "/tidemark-cxx/"};
  size_t n = sizeof path_end - 1;
  bool is_header = false;
  for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
    is_header = is_header || memmem(path, length, folders[i], strlen(folders[i]));
  return is_header || (length >= n && !memcmp(path + length - n, path_end, n));
}

/* What the program defines itself, it keeps; what nobody calls goes. */
bool lift_library_link(LLVMModuleRef m, LLVMModuleRef library) {
  for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f)) {
    size_t n;
    if (!LLVMIsDeclaration(f) && !wanted(m, LLVMGetValueName2(f, &n)))
      LLVMSetLinkage(f, LLVMInternalLinkage);
  }
  if (LLVMLinkModules2(m, library))
    return false;
  for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
    LLVMValueRef f = LLVMGetNamedFunction(m, names[k]);
    if (f && !LLVMIsDeclaration(f))
      LLVMSetLinkage(f, LLVMInternalLinkage);
  }
  return true;
}
