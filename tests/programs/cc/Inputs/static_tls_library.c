static __thread char room[16384];

long room_sum(void) {
  long sum = 0;
  for (unsigned i = 0; i < sizeof room; i++)
    sum += room[i];
  room[0]++;
  return sum;
}
