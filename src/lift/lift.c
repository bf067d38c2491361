/* tidemark-lift SOURCE [compiler flags]: the intermediate form of a program on standard output: C,
 * C++, or what LLVM has made of it (.ll, .bc; flags do not matter then).
 *
 * A program of its own, so that `tidemark` need not load LLVM.  Exit status 0, or 2 after the
 * compiler has said what is wrong with the source. */
#include "lift/lift_internal.h"
#include <errno.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_SOURCE = 2 };

enum language { C, CXX, IR };

static enum language language_of(const char *file) {
  static const struct {
    const char *end;
    enum language language;
  } languages[] = {{".cpp", CXX}, {".cc", CXX}, {".cxx", CXX}, {".ll", IR}, {".bc", IR}};
  size_t n = strlen(file);
  for (unsigned i = 0; i < sizeof languages / sizeof *languages; i++) {
    size_t m = strlen(languages[i].end);
    if (n > m && !strcmp(file + n - m, languages[i].end))
      return languages[i].language;
  }
  return C;
}

/* clang's standard output; its messages go where ours go.  The words are a file and flags. */
static int compile(int count, char **words, struct str *bitcode) {
  VEC(const char *) command = {0};
  static const char *const fixed[] = {
      "clang-19", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names",
#ifdef __x86_64__
      "-mcx16", /* atomics of 16 bytes are instructions */
#endif
  };
  for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
    vec_push(&command, fixed[i]);
  vec_push(&command, "-x");
  vec_push(&command, language_of(words[0]) == CXX ? "c++" : "c");
  for (int i = 1; i < count; i++)
    vec_push(&command, words[i]);
  static const char *const last[] = {"-c", "-emit-llvm", "-o", "-"};
  for (unsigned i = 0; i < sizeof last / sizeof *last; i++)
    vec_push(&command, last[i]);
  vec_push(&command, words[0]);
  vec_push(&command, NULL);
  int ends[2];
  pid_t child;
  if (pipe(ends)) {
    fprintf(stderr, "tidemark-lift: pipe: %s\n", strerror(errno));
    return EXIT_SOURCE;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  int error = posix_spawnp(&child, command.data[0], &actions, NULL, (char **)command.data, environ);
  close(ends[1]);
  if (error) {
    fprintf(stderr, "tidemark-lift: clang-19: %s (Debian package clang-19)\n", strerror(error));
    return EXIT_SOURCE;
  }
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0)
      str_append_bytes(bitcode, buffer, (size_t)n);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EXIT_SOURCE;
}

static int compile_module(int count, char **words, LLVMModuleRef *m) {
  struct str bitcode = {0};
  int status = compile(count, words, &bitcode);
  if (status)
    return status;
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.data, bitcode.length, words[0]);
  str_free(&bitcode);
  if (!LLVMParseBitcode2(buffer, m))
    return 0;
  fprintf(stderr, "tidemark-lift: the compiler wrote no bitcode (is there a flag that changes its "
                  "output?)\n");
  return EXIT_SOURCE;
}

/* Sizes are numbers in a module, so that it cannot be read as one for another machine. */
static bool is_for_our_machine(LLVMModuleRef m, const char *file) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(m);
  bool low = LLVMByteOrder(data) == LLVMLittleEndian;
  if (LLVMPointerSize(data) == 8 && low)
    return true;
  fprintf(
      stderr,
      "%s: compiled for a machine with pointers of %u bits and the %s byte first; compile it for "
      "one of 64 bits with the lowest byte first\n",
      file, 8 * LLVMPointerSize(data), low ? "lowest" : "highest");
  return false;
}

static int load_module(const char *file, LLVMModuleRef *m) {
  LLVMMemoryBufferRef buffer;
  char *message = NULL;
  if (!LLVMCreateMemoryBufferWithContentsOfFile(file, &buffer, &message) &&
      !LLVMParseIRInContext(LLVMGetGlobalContext(), buffer, m, &message))
    return is_for_our_machine(*m, file) ? 0 : EXIT_SOURCE;
  fprintf(stderr, "%s: %s\n", file, message);
  LLVMDisposeMessage(message);
  return EXIT_SOURCE;
}

static int read_module(int count, char **words, LLVMModuleRef *m) {
  return language_of(words[0]) == IR ? load_module(words[0], m) : compile_module(count, words, m);
}

/* Functions that are not there are refused later, where they are called. */
static int add_library(LLVMModuleRef m, int count, char **words) {
  LLVMModuleRef library;
  char *path = lift_library_is_needed(m) ? lift_library_path(count, words) : NULL;
  if (!path)
    return 0;
  char *only[] = {path};
  int status = read_module(1, only, &library);
  if (!status && !lift_library_link(m, library)) {
    fprintf(stderr, "tidemark-lift: %s does not fit the program\n", path);
    status = EXIT_SOURCE;
  }
  return status;
}

int main(int argc, char **argv) {
  struct lift l = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: tidemark-lift SOURCE [compiler flags]\n");
    return EXIT_SOURCE;
  }
  int status = read_module(argc - 1, argv + 1, &l.module);
  if (!status)
    status = add_library(l.module, argc, argv);
  if (status)
    return status;
  lift_file(&l, argv[1]);
  lift_prepare(l.module);
  lift_module(&l);
  printf("tidemark-cir %d\n", CIR_VERSION);
  for (size_t i = 0; i < l.files.length; i++)
    printf("file %zu %s\n", i, l.files.data[i]);
  fwrite(str_text(&l.out), 1, l.out.length, stdout);
  if (fflush(stdout)) {
    fprintf(stderr, "tidemark-lift: cannot write: %s\n", strerror(errno));
    return EXIT_SOURCE;
  }
  return 0;
}
