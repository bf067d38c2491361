// EXPECT: none 0
#include <locale.h>
#include <string.h>
int main(void) {
  if (strcmp(setlocale(LC_ALL, 0), "C"))
    return 1;
  return setlocale(LC_ALL, "C.UTF-8") == 0;
}
