// --schedule=all.  The assertion can fail if the reader comes after the flag, which schedules that begin in the order
// of threads do not show, and if a store is lost then.  The two meet in so many words that no search comes to the
// others in time.
#include "../pm.h"
#include <pthread.h>

#define MEET 24

struct root {
  _Alignas(64) uint64_t flag;
  _Alignas(64) uint64_t data;
  _Alignas(64) uint64_t valid;
  struct {
    _Alignas(64) uint64_t word;
  } met[MEET];
};

static struct root *root;

static void *reader(void *unused) {
  int late = root->flag;
  root->data = 1;
  if (!late)
    clflush(&root->data);
  root->valid = 1;
  clflush(&root->valid);
  for (int i = 0; i < MEET; i++)
    root->met[i].word = 1;
  return unused;
}

static void *writer(void *unused) {
  root->flag = 1;
  for (int i = 0; i < MEET; i++)
    root->met[i].word = 2;
  return unused;
}

int main(void) {
  pthread_t thread[2];
  root = tidemark_region("root", sizeof *root);
  if (tidemark_failures()) {
    tidemark_assert(!root->valid || root->data);
    return 0;
  }
  pthread_create(&thread[0], NULL, reader, NULL);
  pthread_create(&thread[1], NULL, writer, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
