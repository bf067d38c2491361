int own_number(void) {
  return 42;
}

int shadowed(void) {
  return 1;
}
