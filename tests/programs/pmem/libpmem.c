/* A program for libpmem, with its header and its shared library: it runs natively with the real one
 * and is checked with ours.
 *
 * RUN: rm -rf %t && mkdir -p %t && %tidemark_cc -Wall -Werror %s -lpmem -o %t/prog
 * RUN: %t/prog %t/pool | %FileCheck --check-prefix=NATIVE %s
 * RUN: %t/prog %t/pool | %FileCheck --check-prefix=AGAIN %s
 * NATIVE: length 0, then 5: hello
 * AGAIN: length 5, then 5: hello
 *
 * RUN: %tidemark check %t/prog /mnt/pmem0/pool 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * CLEAN-DAG: {{[0-9]+}} x 0 {{$}}
 * CLEAN-DAG: {{[0-9]+}} x 5 hello{{$}}
 * CLEAN: no findings; the search is complete
 * CLEAN-NOT: note
 *
 * The pool of the native run is the state before the first execution, and stays as it is.
 * RUN: cp %t/pool %t/before && %tidemark check --pm-path=%t %t/prog %t/pool 2>&1 | %FileCheck --check-prefix=FILLED %s
 * FILLED: 1 different
 * FILLED-NEXT: {{[0-9]+}} x 5 hello{{$}}
 * RUN: cmp %t/pool %t/before
 *
 * RUN: %tidemark_cc -DBROKEN %s -lpmem -o %t/broken
 * RUN: %tidemark check %t/broken /mnt/pmem0/pool > %t/broken.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=BROKEN %s < %t/broken.txt
 * BROKEN: error[assertion]
 * BROKEN: this load of 8 bytes at /mnt/pmem0/pool
 */
#include <libpmem.h>
#include <stdio.h>
#include <string.h>
#include <tidemark.h>

struct text {
  long length;
  char padding[56];
  char bytes[64];
};

int main(int count, char **words) {
  size_t bytes;
  int is_pmem;
  struct text *t =
      pmem_map_file(count > 1 ? words[1] : "", 4096, PMEM_FILE_CREATE, 0600, &bytes, &is_pmem);
  if (!t) {
    fprintf(stderr, "%s\n", pmem_errormsg());
    return 1;
  }
  long found = t->length;
  tidemark_outcome("%ld %s", found, found ? t->bytes : "");
  tidemark_assert(found == 0 || strcmp(t->bytes, "hello") == 0);
#ifdef BROKEN
  memcpy(t->bytes, "hello", 6);
#else
  pmem_memcpy(t->bytes, "hello", 6, PMEM_F_MEM_NODRAIN);
#endif
  if (is_pmem)
    pmem_drain();
  else
    pmem_msync(t, bytes);
  t->length = 5;
  if (is_pmem)
    pmem_persist(&t->length, sizeof t->length);
  else
    pmem_msync(&t->length, sizeof t->length);
  printf("length %ld, then %ld: %s\n", found, t->length, t->bytes);
  return pmem_unmap(t, bytes);
}
