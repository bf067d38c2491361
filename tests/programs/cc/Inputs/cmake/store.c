static long cells[16];

void store_set(int cell, long value) {
  cells[cell] = value;
}

long store_get(int cell) {
  return cells[cell];
}
