/* The same program built by clang and by tidemark-cc prints the same, at every level.
 *
 * RUN: clang-19 -O1 -Wno-everything %s -o %t.plain -lm && %t.plain > %t.expected
 * RUN: %tidemark_cc -w -O0 %s -o %t.O0 -lm && %t.O0 > %t.O0.out && diff %t.expected %t.O0.out
 * RUN: %tidemark_cc -w -O2 %s -o %t.O2 -lm && %t.O2 > %t.O2.out && diff %t.expected %t.O2.out
 * RUN: %tidemark_cc -w -Os %s -o %t.Os -lm && %t.Os > %t.Os.out && diff %t.expected %t.Os.out
 * RUN: %tidemark_cc -w -O2 --late %s -o %t.late -lm && %t.late > %t.late.out && diff %t.expected %t.late.out
 */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *left, *right;
  int key;
  double weight;
  char name[13];
  unsigned a : 5, b : 17;
};

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static struct node *insert(struct node *n, int key) {
  if (!n) {
    n = calloc(1, sizeof *n);
    n->key = key;
    n->weight = sqrt(key);
    snprintf(n->name, sizeof n->name, "n%d", key);
    n->a = (unsigned)key;
    n->b = (unsigned)key * 7;
  } else if (key < n->key) {
    n->left = insert(n->left, key);
  } else if (key > n->key) {
    n->right = insert(n->right, key);
  }
  return n;
}

static uint64_t digest(const struct node *n) {
  if (!n)
    return 1;
  struct node copy = *n;
  uint64_t h = digest(copy.left) * 31 + digest(copy.right) * 37;
  return h + (uint64_t)(copy.weight * 1000) + strlen(copy.name) + copy.a * 3 + copy.b;
}

static long sum_of(int count, ...) {
  va_list list;
  va_start(list, count);
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum += i % 2 ? (long)va_arg(list, double) : va_arg(list, long);
  va_end(list);
  return sum;
}

static int compare(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static long switch_loop(const unsigned char *code, size_t n) {
  static void *const labels[] = {&&add, &&sub, &&mul, &&skip};
  long value = 1;
  size_t i = 0;
next:
  if (i >= n)
    return value;
  goto *labels[code[i++] & 3];
add:
  value += code[i - 1];
  goto next;
sub:
  value -= 2;
  goto next;
mul:
  value = value * 3 % 1000003;
  goto next;
skip:
  goto next;
}

static jmp_buf back;

static void jumper(int depth) {
  volatile int local = depth;
  if (local == 5)
    longjmp(back, local);
  jumper(local + 1);
}

static float matrix[40][40];
static _Atomic uint64_t counter;

int main(void) {
  struct node *root = NULL;
  int numbers[1000];
  unsigned char code[512];
  for (int i = 0; i < 1000; i++) {
    numbers[i] = (int)(next_random() % 100000);
    root = insert(root, numbers[i]);
    atomic_fetch_add(&counter, (uint64_t)numbers[i]);
  }
  for (size_t i = 0; i < sizeof code; i++)
    code[i] = (unsigned char)next_random();
  printf("%llu %llu\n", (unsigned long long)digest(root), (unsigned long long)counter);
  qsort(numbers, 1000, sizeof *numbers, compare);
  printf("%d %d %d\n", numbers[0], numbers[500], numbers[999]);
  printf("%ld\n", sum_of(4, 1L, 2.5, 3L, 4.5));
  printf("%ld\n", switch_loop(code, sizeof code));
  int jumped = setjmp(back);
  if (!jumped)
    jumper(0);
  printf("jumped %d\n", jumped);
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      for (int k = 0; k < 40; k++)
        matrix[i][j] += (float)(i * k % 7) * (float)(j + k);
  double total = 0;
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      total += matrix[i][j];
  printf("%.3f\n", total);
  double complex z = 1.0 + 2.0 * I;
  z = z * z + conj(z);
  long double wide = 1.0L / 3.0L;
  __int128 product = (__int128)INT64_MAX * 12345;
  printf("%.3f %.3f %.15Lf %llx\n", creal(z), cimag(z), wide,
         (unsigned long long)(product >> 64));
  char text[64];
  strcpy(text, "watch");
  strcat(text, "ed memory");
  memmove(text + 3, text, strlen(text) + 1);
  printf("%s %d\n", text, strcmp(text, "watch"));
  int length = (int)(numbers[10] % 7 + 3);
  int variable[length];
  for (int i = 0; i < length; i++)
    variable[i] = i * i;
  printf("%d %d\n", length, variable[length - 1]);
  return 0;
}
