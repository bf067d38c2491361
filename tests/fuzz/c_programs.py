"""Random C programs that use what programs use: structs, unions and bit fields by reference, function
pointers, recursion, switch and goto, the heap, locks of several kinds, threads that exit.

No oracle here: these are for c_checkers.py, which has two checkers.  A program is a list of statements
for each thread over a fixed set of objects; a statement is a line, or a head, statements and a tail.
Under total store order functions of the library are fences to one checker and as weak as POSIX allows
to the other, so programs say whether they use any.
"""

PRELUDE = """\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct item {
  short tag;
  struct { unsigned lo : 4, hi : 12; int wide : 19; } f;
  _Atomic int n;
  int plain;
  struct item *next;
  union { unsigned w; unsigned char b[4]; unsigned short h[2]; } u;
};
static struct item items[2] = {{.tag = -3, .plain = 1}, {.n = 2, .f = {.hi = 5}}};
static struct item *_Atomic head;
static atomic_int x, y;
static _Atomic unsigned char tiny;
static union { _Atomic unsigned word; _Atomic unsigned short half[2]; _Atomic unsigned char byte[4]; } mix;
static int p, q;
static int turns = 3; /* nobody writes it */
static pthread_mutex_t mutex[2], recursive;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t permits;
static _Thread_local int mine = 2;
typedef long (*step)(struct item *, long);
static long count(struct item *i, long v) { i->plain += 1; return v + i->plain; }
static long swap(struct item *i, long v) { long old = i->tag; i->tag = (short)v; return old; }
static long twist(struct item *i, long v) {
  switch (v) {
  case 0: return i->n;
  case 1: case 2: i->u.b[v] = 7; break;
  case -1: goto out;
  default: v ^= i->f.hi;
  }
  v += 1;
out:
  return v;
}
static const step steps[4] = {count, swap, twist, count};
static long sum(long n) { return n > 0 ? n + sum(n - 1) : 0; }
static void initialise(void) { p = p + 1; q = 4; }
static struct item *make(long v) {
  struct item *i = malloc(sizeof *i), fresh = {.tag = 1, .plain = (int)v};
  *i = fresh;
  return i;
}
"""

LOCKS = {
    "mutex": ("pthread_mutex_lock(&mutex[{n}]);", "pthread_mutex_unlock(&mutex[{n}]);"),
    "try": ("if (pthread_mutex_trylock(&mutex[{n}]) == 0) {{", "pthread_mutex_unlock(&mutex[{n}]); }}"),
    "recursive": ("pthread_mutex_lock(&recursive);", "pthread_mutex_unlock(&recursive);"),
    "read": ("pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"),
    "write": ("pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"),
    "tryread": ("if (pthread_rwlock_tryrdlock(&rw) == 0) {{", "pthread_rwlock_unlock(&rw); }}"),
    "permit": ("sem_wait(&permits);", "sem_post(&permits);"),
}
LIBRARY = ("pthread_mutex", "pthread_rwlock", "sem_", "pthread_cond", "pthread_once")


class Program:
    """threads: lists of statements; final: the condition that must not hold; permits: of the semaphore;
    when: the condition for creating the last thread."""

    def __init__(self, threads, final, permits, when):
        self.threads, self.final, self.permits, self.when = threads, final, permits, when

    def uses_library(self):
        return any(word in line for t in self.threads for s in t for line in lines_of(s, 0) for word in LIBRARY)


def lines_of(statement, indent):
    pad = "  " * indent
    if isinstance(statement, str):
        return [pad + statement]
    head, body, tail = statement
    return [pad + head] + [line for s in body for line in lines_of(s, indent + 1)] + [pad + tail]


def reg(rng):
    return f"r{rng.randrange(3)}"


def value(rng):
    return rng.choice([reg(rng), reg(rng), str(rng.choice([0, 1, 1, 2, 3, -1, 255, 70000]))])


def item(rng):
    return rng.choice(["items[0]", "items[1]", f"items[{reg(rng)} & 1]"])


def atomic(rng):
    mixed = "mix." + rng.choice(["word", "word", "half[0]", "half[1]", "byte[1]", "byte[3]"])
    return rng.choice(["x", "x", "y", "y", "tiny", mixed, f"{item(rng)}.n"])


def field(rng):
    return f"{item(rng)}." + rng.choice(["tag", "f.lo", "f.hi", "f.wide", "plain", "u.w", "u.b[1]", "u.b[3]", "u.h[1]"])


def order(rng, kind):
    orders = {"load": ["relaxed", "acquire", "seq_cst"], "store": ["relaxed", "release", "seq_cst"]}
    return "memory_order_" + rng.choice(orders.get(kind, ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]))


def access(rng):
    r, a, v = reg(rng), atomic(rng), value(rng)
    return rng.choice([
        f"{r} = atomic_load_explicit(&{a}, {order(rng, 'load')});",
        f"{r} = atomic_load_explicit(&{a}, {order(rng, 'load')});",
        f"atomic_store_explicit(&{a}, {v}, {order(rng, 'store')});",
        f"atomic_store_explicit(&{a}, {v}, {order(rng, 'store')});",
        f"{r} = atomic_{rng.choice(['exchange', 'fetch_add', 'fetch_or', 'fetch_sub'])}_explicit(&{a}, {v}, {order(rng, 'rmw')});",
        f"{{ int e = {v}; {r} = atomic_compare_exchange_strong(&x, &e, {value(rng)}) ? 1 : e; }}",
        f"{r} = {rng.choice(['p', 'q', field(rng)])};",
        f"{rng.choice(['p', 'q', field(rng)])} = {v};",
        f"{field(rng)} += {v};",
        "atomic_thread_fence(memory_order_seq_cst);",
    ])


def compute(rng):
    r, v = reg(rng), value(rng)
    return rng.choice([
        f"{r} = {r} {rng.choice('+-*&|^')} {v};",
        f"{r} = {reg(rng)} < {v} ? {value(rng)} : {value(rng)};",
        f"{r} = steps[{reg(rng)} & 3](&{item(rng)}, {v});",
        f"{r} = steps[{rng.randrange(4)}](&{item(rng)}, {v});",
        f"{r} = sum({rng.choice([reg(rng) + ' & 3', '4'])});",
        f"{r} = mine; mine += {v};",
        f"{{ struct item copy = {{.tag = {rng.choice([1, 2])}, .u = {{.w = 0x01020304}}}}, other; memcpy(&other, &copy, sizeof copy);"
        f" {r} = other.u.b[{reg(rng)} & 3] + other.tag; }}",
        f"{{ int i = 0; do {{ {r} += i; if ({r} == 3) continue; i++; }} while (i < 2); }}",
    ])


def heap(rng):
    r = reg(rng)
    return rng.choice([
        f"{{ struct item *i = make({value(rng)}); i = atomic_exchange(&head, i); free(i); }}",
        f"{{ struct item *i = atomic_exchange(&head, (struct item *)0); if (i) {{ {r} = i->plain; free(i); }} }}",
        f"{{ struct item *i = atomic_load_explicit(&head, memory_order_acquire); if (i) {r} = i->plain; }}",
    ])


def wait(rng):
    return rng.choice([
        f"while (atomic_load_explicit(&{rng.choice('xy')}, {order(rng, 'load')}) != {rng.choice([0, 1, 2])}) {{ }}",
        ("pthread_mutex_lock(&mutex[0]);",
         [("while (!p) {", ["pthread_cond_wait(&changed, &mutex[0]);"], "}")], "pthread_mutex_unlock(&mutex[0]);"),
        ("pthread_mutex_lock(&mutex[0]);", [f"p = {rng.choice([0, 1, 1])};", f"pthread_cond_{rng.choice(['signal', 'broadcast'])}(&changed);"],
         "pthread_mutex_unlock(&mutex[0]);"),
        "pthread_once(&once, initialise);",
        "sem_wait(&permits);", "sem_post(&permits);",
    ])


def check(rng):
    return rng.choice([f"assert({reg(rng)} != {rng.choice([1, 2, 3, 255])});",
                       f"if ({reg(rng)} == {rng.choice([1, 2])}) pthread_exit(0);"])


def by_memory(rng):
    """Ways that only values of memory rule out, and loops that end by counting what is there."""
    x, n = rng.choice(["x", "y", "items[1].n"]), rng.choice([0, 1, 2, 5, 7])
    return rng.choice([
        f"if (atomic_load(&{x}) == {n}) {{",
        f"if (atomic_load(&{x}) < {n} && turns == {rng.choice([2, 3])}) {{",
        "for (int i = 0; i < turns; i++) {",
        f"for (int i = 0; i < 2 && atomic_load(&{x}) != {n}; i++) {{",
        f"for (int i = 0, over = 0; i < 2 && !over; i++, over = atomic_load(&{x}) == {n}) {{",
        f"switch (atomic_load(&{x})) case {n}: {{",
    ])


def statement(rng, depth):
    kind = rng.random()
    if depth < 2 and kind < 0.12:
        head, tail = LOCKS[rng.choice(list(LOCKS))]
        n = rng.randrange(2)
        body = [statement(rng, depth + 1) for _ in range(rng.randrange(1, 3))]
        return (head.format(n=n), body, tail.format(n=n))
    if depth < 2 and kind < 0.22:
        body = [statement(rng, depth + 1) for _ in range(rng.randrange(1, 3))]
        head = rng.choice([f"if ({reg(rng)} == {rng.choice([0, 1, 2])}) {{", "for (int i = 0; i < 2; i++) {", by_memory(rng)])
        return (head, body, "}")
    return (access if kind < 0.65 else compute if kind < 0.8 else heap if kind < 0.87 else wait if kind < 0.94 else check)(rng)


def generate(rng):
    threads = [[statement(rng, 0) for _ in range(rng.randrange(2, 5))] for _ in range(rng.choice([2, 2, 2, 3]))]
    if len(threads) == 3:
        threads = [t[:2] for t in threads]
    places = ["p", "q", "(int)x", "(int)y", "items[0].plain", "items[1].u.w", "(int)items[1].n", "(int)mix.word >> 8", "out[0]", "out[1]"]
    chosen = rng.sample(places, rng.randrange(1, 3))
    final = " && ".join(f"{c} == {rng.choice([0, 1, 2, 3, 4])}" for c in chosen)
    permits = rng.choice([0, 1, 1, 2])
    when = f"atomic_load(&{rng.choice('xy')}) != {rng.choice([0, 1, 2])}" if rng.random() < 0.15 else "1"
    return Program(threads, final, permits, when)


def text_of(program):
    count = len(program.threads)
    lines = [PRELUDE, f"static long out[{max(count, 2)}];"]
    for t, statements in enumerate(program.threads):
        lines.append(f"static void *run{t}(void *arg) {{")
        lines.append("  long r0 = 0, r1 = 1, r2 = (long)arg;")
        lines += [line for s in statements for line in lines_of(s, 1)]
        lines += [f"  out[{t}] = r0 + r1 * 2;", "  (void)r2;", "  return 0;", "}"]
    lines += ["int main(void) {", f"  pthread_t t[{count}];", "  pthread_mutexattr_t kind;",
              "  pthread_mutexattr_init(&kind);", "  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);",
              "  pthread_mutex_init(&recursive, &kind);", f"  sem_init(&permits, 0, {program.permits});"]
    lines += [f"  pthread_create(&t[{t}], 0, run{t}, (void *){t}l);" for t in range(count - 1)]
    lines += [f"  int last = {program.when};", f"  if (last) pthread_create(&t[{count - 1}], 0, run{count - 1}, (void *){count - 1}l);"]
    lines += [f"  pthread_join(t[{t}], 0);" for t in range(count - 1)]
    lines += [f"  if (last) pthread_join(t[{count - 1}], 0);"]
    return "\n".join(lines + [f"  assert(!({program.final}));", "  return 0;", "}"]) + "\n"


def smaller_statements(statements):
    for i, s in enumerate(statements):
        yield statements[:i] + statements[i + 1:]
        if not isinstance(s, str):
            head, body, tail = s
            if "cond_wait" not in str(body):
                yield statements[:i] + body + statements[i + 1:]
            for b in smaller_statements(body):
                yield statements[:i] + [(head, b, tail)] + statements[i + 1:]


def smaller(program):
    for t, statements in enumerate(program.threads):
        for s in smaller_statements(statements):
            yield Program(program.threads[:t] + [s] + program.threads[t + 1:], program.final, program.permits, program.when)
    if program.when != "1":
        yield Program(program.threads, program.final, program.permits, "1")
