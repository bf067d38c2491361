// EXPECT: exit-status 1
// exit called inside libc.
#include <err.h>
int main(void) {
  errx(3, "giving up");
}
