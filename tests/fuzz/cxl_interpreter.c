/* Runs a small random program for several machines that it is given as text, so that thousands of
 * them need one build.
 *
 *      cxl_interpreter PROGRAM
 *
 * PROGRAM is the global order of all operations, separated by spaces.  An operation begins with
 * the machine that executes it, 0 1 2 its main thread, a b c another thread of machine 0 1 2; numbers
 * after @ = , + are hexadecimal, others decimal:
 *
 *      sN@OFF=V     store N = 1, 2, 4, 8 bytes        lN@OFF     load, value read
 *      mN@OFF=V     memcpy N bytes V, V+1, ...        rN@OFF     memcpy out of the region, read
 *      xN@OFF=V     exchange, old value read          aN@OFF=V   fetch_add, old value read
 *      cN@OFF=E,V   compare E and swap V, old value read
 *      f@OFF o@OFF w@OFF   clflush, clflushopt, clwb  S M L      sfence, mfence, lfence
 *      dN@OFF+V     store the last value read plus V  q@M        has machine M failed? read
 *      ?K           skip this machine's next K operations if its last value read is even
 *
 * A machine that reads poison notes "P" before the value.  Every machine gives as its outcome what
 * it has read and which machines have failed by then, "0:12 0/000", machine 0 first.
 *
 * Nothing but the region is shared, so the order comes from the schedule: ready threads take turns,
 * in each round every one once, in the order a 0 b 1 c 2 (other threads are created in the first
 * round, before their machine's main thread yields).  An operation of an earlier thread than the one
 * before it in the text begins a new round.  A machine that has failed just misses its turns, which
 * leaves the order of the others as it is. */
#include "interpreter.h"
#include <pthread.h>
#include <sched.h>

static const char *program;
static unsigned skip;

static void poison_read(void *address) {
  (void)address;
  note(" P", 0);
}

static const char *parse(const char *at, struct operation *o) {
  *o = (struct operation){.turn = *at >= 'a' ? (*at - 'a') * 2 : (*at - '0') * 2 + 1, .kind = at[1]};
  const char *end = parse_operands(at + 2, o, " ");
  return *end ? end + 1 : end;
}

static void run_operation(const struct operation *o) {
  if (o->kind == 'q')
    value_read((uint64_t)tidemark_machine_failed((int)o->offset));
  else
    run_common(o, region + o->offset);
}

static void run_thread(int self) {
  int before = 0;
  struct operation o;
  for (const char *text = program; *text;) {
    text = parse(text, &o);
    if (o.turn < before)
      sched_yield();
    before = o.turn;
    if (o.turn != self)
      continue;
    if (skip)
      skip--;
    else if (o.kind == '?')
      skip = seen->last % 2 ? 0 : o.size;
    else
      run_operation(&o);
  }
  sched_yield();
}

static void *other_thread(void *unused) {
  (void)unused;
  run_thread(tidemark_machine() * 2);
  return NULL;
}

/* Is there a program for other threads? */
static int has_other_threads(void) {
  for (const char *c = program; *c; c++)
    if ((c == program || c[-1] == ' ') && *c >= 'a')
      return 1;
  return 0;
}

static void run_machine(void) {
  pthread_t other;
  int threads = has_other_threads();
  if (threads) {
    pthread_create(&other, NULL, other_thread, NULL);
    sched_yield();
  }
  run_thread(tidemark_machine() * 2 + 1);
  if (threads)
    pthread_join(other, NULL);
}

int main(int argc, char **argv) {
  char failed[17] = "";
  if (argc != 2)
    return 2;
  region = tidemark_region("cxl", REGION_BYTES);
  tidemark_on_poison(poison_read);
  program = argv[1];
  run_machine();
  for (int m = 0; m < tidemark_machines(); m++)
    failed[m] = tidemark_machine_failed(m) ? '1' : '0';
  tidemark_outcome("%d:%s/%s", tidemark_machine(), seen->length ? seen->text + 1 : "-", failed);
  return 0;
}
