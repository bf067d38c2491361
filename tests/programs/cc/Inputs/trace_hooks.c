/* Hooks that print their name, arguments and site, and then do the access.  Linked into a test
 * program they take the place of the library's. */
#include "trace_hooks.h"
#include "abi/abi.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

static int tracing;

/* What the checker does: accesses to the window call hooks. */
extern uint64_t __tidemark_watch __attribute__((weak));

__attribute__((constructor)) static void watch_the_window(void) {
  if (&__tidemark_watch)
    __tidemark_watch = ABI_WATCH_WINDOW;
}

void *window(void) {
  static void *memory;
  if (!memory) {
    memory = mmap((void *)ABI_WINDOW_BASE, 65536, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != (void *)ABI_WINDOW_BASE)
      abort();
  }
  return memory;
}

void trace_on(void) {
  tracing = 1;
}

void trace_off(void) {
  tracing = 0;
}

/* "[+64]" inside the window, "[out]" elsewhere. */
static const char *place(const void *p) {
  static char text[8][32];
  static int next;
  next = (next + 1) % 8;
  if ((uintptr_t)p - ABI_WINDOW_BASE < ABI_WINDOW_BYTES)
    snprintf(text[next], sizeof text[next], "[+%lu]",
             (unsigned long)((uintptr_t)p - ABI_WINDOW_BASE));
  else
    snprintf(text[next], sizeof text[next], "[out]");
  return text[next];
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

__attribute__((format(printf, 2, 3))) static void trace(const struct abi_site *site,
                                                        const char *format, ...) {
  if (!tracing)
    return;
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf(" @ %s:%u:%s\n", base_name(site->file), site->line, site->function);
  fflush(stdout);
}

#define SITE const struct abi_site *site

#define ACCESS(n, type)                                                                            \
  type __tidemark_load##n(const void *p, SITE) {                                                   \
    type v;                                                                                        \
    memcpy(&v, p, n);                                                                              \
    trace(site, "load%d %s", n, place(p));                                                         \
    return v;                                                                                      \
  }                                                                                                \
  void __tidemark_store##n(void *p, type v, SITE) {                                                \
    trace(site, "store%d %s = %#lx", n, place(p), (unsigned long)v);                               \
    memcpy(p, &v, n);                                                                              \
  }                                                                                                \
  type __tidemark_vload##n(const void *p, SITE) {                                                  \
    type v;                                                                                        \
    memcpy(&v, p, n);                                                                              \
    trace(site, "vload%d %s", n, place(p));                                                        \
    return v;                                                                                      \
  }                                                                                                \
  void __tidemark_vstore##n(void *p, type v, SITE) {                                               \
    trace(site, "vstore%d %s = %#lx", n, place(p), (unsigned long)v);                              \
    memcpy(p, &v, n);                                                                              \
  }                                                                                                \
  type __tidemark_atomic_load##n(const void *p, int order, SITE) {                                 \
    trace(site, "atomic_load%d %s order %d", n, place(p), order);                                  \
    return *(const type *)p;                                                                       \
  }                                                                                                \
  void __tidemark_atomic_store##n(void *p, type v, int order, SITE) {                              \
    trace(site, "atomic_store%d %s = %#lx order %d", n, place(p), (unsigned long)v, order);        \
    *(type *)p = v;                                                                                \
  }                                                                                                \
  type __tidemark_cas##n(void *p, type expected, type desired, int order, SITE) {                  \
    trace(site, "cas%d %s %#lx -> %#lx order %d", n, place(p), (unsigned long)expected,            \
          (unsigned long)desired, order);                                                          \
    type old = *(type *)p;                                                                         \
    if (old == expected)                                                                           \
      *(type *)p = desired;                                                                        \
    return old;                                                                                    \
  }                                                                                                \
  type __tidemark_rmw##n(void *p, type operand, int how, int order, SITE) {                        \
    int op = how & ~ABI_RMW_UNUSED;                                                                \
    trace(site, "rmw%d %s %s %#lx order %d%s", n, op_names[op], place(p), (unsigned long)operand,  \
          order, how == op ? "" : " unused");                                                      \
    type old = *(type *)p;                                                                         \
    *(type *)p = (type)combine(op, old, operand, n);                                               \
    return old;                                                                                    \
  }

static const char *const op_names[] = {
#define X(name, text) text,
    ABI_RMW_OPS(X)
#undef X
};

static int64_t sign_extend(uint64_t v, int bytes) {
  return (int64_t)(v << (64 - bytes * 8)) >> (64 - bytes * 8);
}

static uint64_t combine(int op, uint64_t old, uint64_t operand, int bytes) {
  switch (op) {
  case ABI_RMW_XCHG:
    return operand;
  case ABI_RMW_ADD:
    return old + operand;
  case ABI_RMW_SUB:
    return old - operand;
  case ABI_RMW_AND:
    return old & operand;
  case ABI_RMW_NAND:
    return ~(old & operand);
  case ABI_RMW_OR:
    return old | operand;
  case ABI_RMW_XOR:
    return old ^ operand;
  case ABI_RMW_MAX:
    return sign_extend(old, bytes) > sign_extend(operand, bytes) ? old : operand;
  case ABI_RMW_MIN:
    return sign_extend(old, bytes) < sign_extend(operand, bytes) ? old : operand;
  case ABI_RMW_UMAX:
    return old > operand ? old : operand;
  default:
    return old < operand ? old : operand;
  }
}

ACCESS(1, uint8_t)
ACCESS(2, uint16_t)
ACCESS(4, uint32_t)
ACCESS(8, uint64_t)

void __tidemark_load_n(void *to, const void *p, size_t n, SITE) {
  trace(site, "load_n %s %zu", place(p), n);
  memcpy(to, p, n);
}

void __tidemark_store_n(void *p, const void *from, size_t n, SITE) {
  trace(site, "store_n %s %zu", place(p), n);
  memcpy(p, from, n);
}

void __tidemark_ntstore(void *p, const void *from, size_t n, SITE) {
  trace(site, "ntstore %s %zu", place(p), n);
  memcpy(p, from, n);
}

void __tidemark_atomic_load16(void *to, const void *p, int order, SITE) {
  trace(site, "atomic_load16 %s order %d", place(p), order);
  memcpy(to, p, 16);
}

void __tidemark_atomic_store16(void *p, const void *from, int order, SITE) {
  trace(site, "atomic_store16 %s order %d", place(p), order);
  memcpy(p, from, 16);
}

void __tidemark_cas16(void *old, void *p, const void *expected, const void *desired, int order,
                      SITE) {
  trace(site, "cas16 %s order %d", place(p), order);
  memcpy(old, p, 16);
  if (memcmp(old, expected, 16) == 0)
    memcpy(p, desired, 16);
}

void __tidemark_atomic_fence(int order, SITE) {
  trace(site, "atomic_fence order %d", order);
}

void __tidemark_fence(int kind, SITE) {
  trace(site, "%s", kind == ABI_MFENCE ? "mfence" : kind == ABI_SFENCE ? "sfence" : "lfence");
}

void __tidemark_flush(int kind, const void *p, SITE) {
  trace(site, "%s %s",
        kind == ABI_CLFLUSH      ? "clflush"
        : kind == ABI_CLFLUSHOPT ? "clflushopt"
                                 : "clwb",
        place(p));
}

void __tidemark_pause(SITE) {
  trace(site, "pause");
}

uint64_t __tidemark_rdtsc(SITE) {
  trace(site, "rdtsc");
  return 0x500000007;
}

uint64_t __tidemark_random(SITE) {
  trace(site, "random");
  return 42;
}

void __tidemark_unknown_asm(const char *text, SITE) {
  trace(site, "unknown_asm \"%s\"", text);
}

/* Library functions: print name, places and size, and call the real one. */
#define F0(type, name, formal, actual, format, ...)                                                \
  type __tidemark_##name formal {                                                                  \
    trace(site, #name format, ##__VA_ARGS__);                                                      \
    return name actual;                                                                            \
  }
#define TWO_N(type, name, a_type, b_type)                                                          \
  F0(type, name, (a_type a, b_type b, size_t n, SITE), (a, b, n), " %s %s %zu", place(a),          \
     place(b), n)
#define TWO(type, name, a_type, b_type)                                                            \
  F0(type, name, (a_type a, b_type b, SITE), (a, b), " %s %s", place(a), place(b))

TWO_N(void *, memcpy, void *, const void *)
TWO_N(void *, memmove, void *, const void *)
TWO_N(void *, mempcpy, void *, const void *)
TWO_N(int, memcmp, const void *, const void *)
TWO_N(int, bcmp, const void *, const void *)
TWO_N(void, bcopy, const void *, void *)
TWO_N(char *, strncpy, char *, const char *)
TWO_N(char *, stpncpy, char *, const char *)
TWO_N(char *, strncat, char *, const char *)
TWO_N(int, strncmp, const char *, const char *)
TWO_N(int, strncasecmp, const char *, const char *)
TWO(char *, strcpy, char *, const char *)
TWO(char *, stpcpy, char *, const char *)
TWO(char *, strcat, char *, const char *)
TWO(int, strcmp, const char *, const char *)
TWO(int, strcasecmp, const char *, const char *)
TWO(char *, strstr, const char *, const char *)
F0(void *, memset, (void *a, int c, size_t n, SITE), (a, c, n), " %s %d %zu", place(a), c, n)
F0(void *, memccpy, (void *a, const void *b, int c, size_t n, SITE), (a, b, c, n), " %s %s %d %zu",
   place(a), place(b), c, n)
F0(void, bzero, (void *a, size_t n, SITE), (a, n), " %s %zu", place(a), n)
F0(void *, memchr, (const void *a, int c, size_t n, SITE), (a, c, n), " %s %d %zu", place(a), c, n)
F0(void *, memrchr, (const void *a, int c, size_t n, SITE), (a, c, n), " %s %d %zu", place(a), c,
   n)
F0(size_t, strlen, (const char *a, SITE), (a), " %s", place(a))
F0(size_t, strnlen, (const char *a, size_t n, SITE), (a, n), " %s %zu", place(a), n)
F0(char *, strchr, (const char *a, int c, SITE), (a, c), " %s %d", place(a), c)
F0(char *, strrchr, (const char *a, int c, SITE), (a, c), " %s %d", place(a), c)
F0(char *, strdup, (const char *a, SITE), (a), " %s", place(a))
F0(char *, strndup, (const char *a, size_t n, SITE), (a, n), " %s %zu", place(a), n)
