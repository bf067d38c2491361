// EXPECT: none 0
// libc asks a daemon first, through a socket of its own.
#include <grp.h>
#include <pwd.h>
int main(void) {
  struct passwd *user = getpwuid(0);
  struct group *group = getgrgid(0);
  return !user || user->pw_uid != 0 || !group || getpwnam("no such user");
}
