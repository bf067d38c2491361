/* Built without instrumentation. */
long wait_for(volatile long *p) {
  long turns = 0;
  while (!*p)
    turns++;
  return turns;
}
