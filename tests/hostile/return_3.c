// EXPECT: exit-status 1
int main(void) {
  return 3;
}
