/* Tasks, teams and ordered loops, with the runtime library of src/openmp: without the checker and in every schedule.
 *
 * RUN: %tidemark_cc -O1 -fopenmp -Wall -Wextra -Werror %s -o %t
 * RUN: for n in 1 2 3 5; do OMP_NUM_THREADS=$n %t || exit 1; done
 * RUN: for p in children needs groups loops order copies sinks teams; do %tidemark check --model=sc %t $p || exit 1; done
 * RUN: %tidemark check --model=tso %t needs
 * RUN: %tidemark_cc -O1 -fopenmp -DRACE %s -o %t.race
 * RUN: %tidemark check --model=sc %t.race children > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=CHILDREN %s < %t.log
 * CHILDREN: error[data-race]
 * CHILDREN: in children, thread 0
 * CHILDREN: error[assertion]: assertion failed: a + b == 3
 * RUN: %tidemark check --model=sc %t.race needs > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=NEEDS %s < %t.log
 * NEEDS: error[data-race]
 * RUN: %tidemark check --model=sc %t.race teams > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=TEAMS %s < %t.log
 * TEAMS: error[data-race]
 */
#include <assert.h>
#include <omp.h>
#include <stdbool.h>
#include <string.h>

static void children(void) {
#pragma omp parallel
#pragma omp single
  {
    int a = 0, b = 0;
#pragma omp task shared(a)
    {
#pragma omp task shared(a)
      a = 1;
#pragma omp taskwait
    }
#pragma omp task shared(b)
    b = 2;
#ifndef RACE
#pragma omp taskwait
#endif
    assert(a + b == 3);
#pragma omp taskwait
  }
}

static void needs(void) {
  int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#ifdef RACE
#pragma omp task
#else
#pragma omp task depend(in : x) depend(out : y)
#endif
    y = x + 1;
#pragma omp task depend(in : y) if (0)
#ifndef RACE
    assert(y == 2);
#endif
    ;
  }
}

static void groups(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task shared(done)
      {
#pragma omp task shared(done)
        done = 1;
      }
    }
    assert(done == 1);
  }
}

static void loops(void) {
  int times[5] = {0}, last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3) lastprivate(last)
    for (int i = 4; i >= 0; i--) {
      times[i]++;
      last = i + 10;
    }
    for (int i = 0; i < 5; i++)
      assert(times[i] == 1);
    assert(last == 10);
  }
}

static void order(void) {
  int next = 0;
#pragma omp parallel for ordered schedule(dynamic, 2)
  for (int i = 0; i < 3; i++)
    if (i != 1) {
#pragma omp ordered
      {
        assert(next == (i == 2));
        next++;
      }
    }
}

static void copies(void) {
#pragma omp parallel
  {
    int k = 0;
#pragma omp single copyprivate(k)
    k = 5;
    assert(k == 5);
  }
}

static void sinks(void) {
  int sum = 0;
#pragma omp parallel for ordered(1)
  for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
    sum += i;
#pragma omp ordered depend(source)
  }
  assert(sum == 6);
}

static void teams(void) {
  int times[4] = {0}, count = 0;
#pragma omp target teams distribute num_teams(2) map(tofrom : times, count)
  for (int i = 0; i < 4; i++) {
    times[i] += omp_get_num_teams() * 10 + omp_get_team_num();
#ifdef RACE
    count++;
#endif
  }
  for (int i = 0; i < 4; i++)
    assert(times[i] == 20 + i / 2);
  assert(count >= 0);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"children", children}, {"needs", needs},   {"groups", groups}, {"loops", loops},
               {"order", order},       {"copies", copies}, {"sinks", sinks},   {"teams", teams}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
    if (argc < 2 || strcmp(argv[1], parts[i].name) == 0)
      parts[i].run();
}
