// Code of others that has something else where a frame pointer would be (regexec of libc has -8 there when it calls free)
// is no fault of the program.
// RUN: %tidemark_cc -g -O1 %s -o %t && %t
// RUN: %tidemark check --model=sc %t && %tidemark check --model=tso %t && %tidemark check --allow-empty %t
#include <assert.h>
#include <regex.h>
#include <stdlib.h>

/* Calls free with that frame pointer. */
void free_with(void *p, unsigned long frame_pointer);
__asm__("free_with:\n"
        "push %rbp\n"
        "mov %rsi, %rbp\n"
        "sub $16, %rsp\n"
        "call free@plt\n"
        "add $16, %rsp\n"
        "pop %rbp\n"
        "ret\n");

int main(void) {
  static const unsigned long frame_pointers[] = {0, 1, 8, -1ul, -8ul, -16ul, -24ul, 1ul << 63};
  char here;
  for (unsigned i = 0; i < sizeof frame_pointers / sizeof *frame_pointers; i++)
    free_with(malloc(10), frame_pointers[i]);
  for (int i = -64; i < 64; i++)
    free_with(malloc(10), (unsigned long)&here + (unsigned long)(long)i);
  regex_t e;
  regmatch_t match[2];
  assert(regcomp(&e, "^a(b+)c$", REG_EXTENDED) == 0 && regexec(&e, "abbc", 2, match, 0) == 0);
  assert(match[1].rm_so == 1 && match[1].rm_eo == 3);
  regfree(&e);
}
