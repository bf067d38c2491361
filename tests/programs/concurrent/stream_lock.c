/* A stream is locked by who asks for that, and by whatever prints: one that waits for somebody who prints waits for ever. */
#include "twin.h"
#include <stdio.h>

static int lines; /* belongs to who has locked the stream */

static void begin(void) {
  flockfile(stdout);
  lines++;
  putchar_unlocked('a');
}

static void end(void) {
  putchar_unlocked('\n');
  lines--;
  assert(lines == 0);
  funlockfile(stdout);
}

static void *prints(void *unused) {
  printf("%d\n", 1);
  return unused;
}

static void *locks(void *unused) {
  begin();
  end();
  if (ftrylockfile(stdout) == 0) {
    begin(); /* again */
    end();
    funlockfile(stdout);
  }
  return unused;
}

int main(void) {
  pthread_t printer;
  begin();
  pthread_create(&printer, NULL, prints, NULL);
#ifdef FIXED
  end();
  pthread_join(printer, NULL);
#else
  pthread_join(printer, NULL);
  end();
#endif
  run_both(locks, locks);
}
