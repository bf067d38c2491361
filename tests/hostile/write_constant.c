// EXPECT: segfault 1
static const char text[] = "constant";
int main(void) {
  char *volatile p = (char *)text;
  p[0] = 'C';
  return 0;
}
