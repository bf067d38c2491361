/* Functions of libc that read or change memory of the program: they do what they do without the checker, and what they
 * do are steps, in every order with what other threads do to the same memory.
 *
 * RUN: %tidemark_cc -O1 -D_GNU_SOURCE %s -o %t
 * RUN: cd %T && %t && for m in sc tso; do %tidemark check --model=$m %t || exit 1; done
 * RUN: %tidemark_cc -O2 -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 %s -o %t.checks && nm -D %t.checks | grep -q snprintf_chk
 * RUN: cd %T && %t.checks && %tidemark check --model=sc %t.checks
 * RUN: %tidemark_cc -O1 -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -DRACE %s -o %t.race
 * RUN: for i in 0 1; do %tidemark check --quiet --model=sc %t.race $i; test $? = 1 || exit 1; done
 * RUN: %tidemark_cc -O1 -D_GNU_SOURCE -DRACE %s -o %t.race
 * RUN: for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do \
 * RUN:   %tidemark check --model=sc %t.race $i > %t.log 2>&1; test $? = 1 || { echo "case $i"; exit 1; }; \
 * RUN:   grep -q 'error.data-race' %t.log || { echo "no race in case $i"; exit 1; }; \
 * RUN:   grep -q 'error.assertion.*before' %t.log || { echo "one order of case $i"; exit 1; }; \
 * RUN:   %tidemark check --model=tso %t.race $i > %t.log 2>&1; test $? = 1 || { echo "case $i, tso"; exit 1; }; \
 * RUN: done
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int by_value(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

#ifdef RACE
static struct {
  char text[16];
  wchar_t wide[4];
  int number;
  unsigned seed;
  int numbers[2];
  time_t now;
  struct timespec time;
  struct tm day;
  char *end;
  size_t room;
} shared = {.text = "old", .wide = L"old", .number = 7, .seed = 7, .numbers = {2, 1}, .now = 7, .time = {7, 7}, .day = {.tm_year = 7}};
static int which;

static void *changes(void *unused) {
  static const time_t then = 1000000000;
  char stored[] = "8";
  FILE *zeros, *file;
  int fd;
  switch (which) {
  case 0:
    snprintf(shared.text, sizeof shared.text, "%d", 5);
    break;
  case 1:
    sprintf(shared.text, "%s", "new");
    break;
  case 2:
    sscanf("8", "%d", &shared.number);
    break;
  case 3:
    qsort(shared.numbers, 2, sizeof(int), by_value);
    break;
  case 4:
    fd = open("/dev/zero", O_RDONLY);
    assert(read(fd, shared.text, 1) == 1);
    close(fd);
    break;
  case 5:
    zeros = fopen("/dev/zero", "r");
    assert(fread(shared.text, 1, 1, zeros) == 1);
    fclose(zeros);
    break;
  case 6:
    time(&shared.now);
    break;
  case 7:
    clock_gettime(CLOCK_REALTIME, &shared.time);
    break;
  case 8:
    localtime_r(&then, &shared.day);
    break;
  case 9:
    strtol("5", &shared.end, 10);
    break;
  case 10:
    rand_r(&shared.seed);
    break;
  case 11:
    assert(asprintf(&shared.end, "new") == 3);
    break;
  case 12:
    assert(posix_memalign((void **)&shared.end, 64, 64) == 0);
    break;
  case 16:
    file = fmemopen(stored, 1, "r");
    assert(fscanf(file, "%d", &shared.number) == 1);
    fclose(file);
    break;
  case 17:
    explicit_bzero(shared.text, 1);
    break;
  case 18:
    strftime(shared.text, sizeof shared.text, "%Y", &(struct tm){0});
    break;
  case 20:
    wmemset(shared.wide, L'n', 2);
    break;
  case 21:
    wcscpy(shared.wide, L"new");
    break;
  case 22:
    shared.wide[0] = 'n';
    break;
  default:
    shared.text[0] = 'n'; /* and the other one calls the library */
  }
  return unused;
}

/* As it was? */
static int looks(void) {
  char copy[16];
  FILE *file;
  switch (which) {
  case 2:
  case 16:
    return shared.number == 7;
  case 3:
    return shared.numbers[0] == 2;
  case 6:
    return shared.now == 7;
  case 7:
    return shared.time.tv_sec == 7;
  case 8:
    return shared.day.tm_year == 7;
  case 9:
  case 11:
  case 12:
    return shared.end == NULL;
  case 10:
    return shared.seed == 7;
  case 13:
    snprintf(copy, sizeof copy, "%5.2f%*d%s", 1.5, 3, 4, shared.text);
    return copy[8] == 'o';
  case 14:
    sscanf(shared.text, "%15s", copy);
    return copy[0] == 'o';
  case 15:
    file = fmemopen(copy, sizeof copy, "w");
    fwrite(shared.text, 1, 1, file);
    fclose(file);
    return copy[0] == 'o';
  case 19:
    return strspn(shared.text, "o") == 1;
  case 20:
  case 21:
    return shared.wide[0] == 'o';
  case 22:
    return wcscmp(shared.wide, L"o") > 0;
  default:
    return shared.text[0] == 'o';
  }
}

int main(int argc, char **argv) {
  which = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t t;
  pthread_create(&t, NULL, changes, NULL);
  int before = looks();
  pthread_join(t, NULL);
  assert(before);  /* "before" is in the message */
}
#else
static int format(char *to, size_t room, const char *text, ...) {
  va_list list;
  va_start(list, text);
  int n = vsnprintf(to, room, text, list);
  va_end(list);
  return n;
}

static void texts(void) {
  char to[64], word[8] = "word", rest[8], set[8], one;
  int n = 0, number = 0;
  long wide = 0;
  unsigned char small = 0;
  double real = 0;
  assert(format(to, sizeof to, "%5s|%-6.2s|%.*s|%%|%hhd|%ld|%Lf|%c|%x", word, word, 3, word, 300, 1L << 40, 2.5L, 'c',
                255) == 49);
  assert(!strcmp(to, " word|wo    |wor|%|44|1099511627776|2.500000|c|ff"));
  assert(snprintf(to, 4, "%s", word) == 4 && !strcmp(to, "wor"));
  assert(snprintf(NULL, 0, "%s", word) == 4 && snprintf(to, 0, "x") == 1 && !strcmp(to, "wor"));
  assert(sprintf(to, "%s%n%g", word, &n, 0.5) == 7 && n == 4 && !strcmp(to, "word0.5"));
  assert(sscanf("12 34 5 6.5 ab cd,e x", "%d %ld %hhu %lf %7s %7[^,],%c %*c", &number, &wide, &small, &real, rest, set,
                &one) == 7);
  assert(number == 12 && wide == 34 && small == 5 && real == 6.5 && !strcmp(rest, "ab") && !strcmp(set, "cd") &&
         one == 'e');
  char five[] = "12345";
  assert(sscanf("ab", "%5c", five) == 1 && !strcmp(five, "ab345"));
  char *room = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096 - 5;
  assert(mprotect(room + 5, 4096, PROT_NONE) == 0);
  assert(sscanf("word and more of it than there is room for", "%s", room) == 1 && !strcmp(room, "word"));
  assert(sscanf("x", "%d", &number) == 0 && number == 12 && sscanf("", "%d", &number) == EOF);
  char *end, *made;
  assert(strtol("77z", &end, 8) == 63 && *end == 'z' && strtoul("9", NULL, 10) == 9 && strtod("1.5e1", &end) == 15);
  errno = 0;
  assert(strtoll("99999999999999999999", NULL, 10) > 0 && errno == ERANGE && atoi("-4") == -4 && atof("0.5") == 0.5);
  assert(asprintf(&made, "%s-%d", word, 3) == 6 && !strcmp(made, "word-3"));
  free(made);
  char fields[] = "a,,b", *left = fields;
  assert(!strcmp(strsep(&left, ","), "a") && !*strsep(&left, ",") && !strcmp(strsep(&left, ","), "b"));
  assert(!strsep(&left, ",") && strspn("aab", "a") == 2 && strcspn("aab", "b") == 2 && !strpbrk("aab", "c"));
  explicit_bzero(fields, sizeof fields);
  assert(!fields[0] && !fields[3] && strftime(to, sizeof to, "%Y", &(struct tm){.tm_year = 99}) == 4);
  char list[] = ",,a,b,,c", *state;
  assert(!strcmp(strtok_r(list, ",", &state), "a") && !strcmp(strtok_r(NULL, ",", &state), "b"));
  assert(!strcmp(strtok_r(NULL, ",", &state), "c") && !strtok_r(NULL, ",", &state) && !strtok_r(NULL, ",", &state));
}

static void wide_texts(void) {
  wchar_t to[16], *word = wmemset(to, L'x', 15) + 4;
  assert(wcscpy(to, L"wide") == to && wcslen(to) == 4 && wcsnlen(to, 2) == 2 && wcscat(to, L"r") == to);
  assert(!wcscmp(to, L"wider") && wcscmp(to, L"wides") < 0 && wcscmp(to, L"wide") > 0 && !wcsncmp(to, L"wild", 2));
  assert(wcschr(to, L'r') == word && wcschr(to, 0) == word + 1 && !wcschr(to, L'x') && wmemchr(to, L'x', 15) == to + 6);
  assert(wmemcpy(to + 8, to, 6) == to + 8 && !wmemcmp(to, to + 8, 6) && wmempcpy(to, to + 1, 1) == to + 1);
  assert(wmemmove(to + 1, to, 4) == to + 1 && !wcscmp(to, L"iiide") && wcsncpy(to, L"ab", 4) == to && !to[3]);
}

static void streams(void) {
  char stored[] = "one\ntwo\n\nfour", to[32], *line = NULL;
  size_t room = 0;
  FILE *file = fmemopen(stored, sizeof stored - 1, "r");
  assert(fgets(to, 3, file) == to && !strcmp(to, "on"));
  assert(fgets(to, sizeof to, file) == to && !strcmp(to, "e\n"));
  assert(getline(&line, &room, file) == 4 && !strcmp(line, "two\n") && room > 4);
  assert(fgets(to, sizeof to, file) == to && !strcmp(to, "\n"));
  assert(fread(to, 2, 5, file) == 2 && !memcmp(to, "four", 4));
  assert(!fgets(to, sizeof to, file) && feof(file) && getline(&line, &room, file) == -1);
  fclose(file);
  free(line);
  int number = 0;
  char numbers[] = "17 words";
  file = fmemopen(numbers, sizeof numbers - 1, "r");
  assert(fscanf(file, "%d %4s", &number, to) == 2 && number == 17 && !strcmp(to, "word"));
  assert(fscanf(file, "%d", &number) == 0 && number == 17);
  fclose(file);
  file = tmpfile();
  assert(fwrite("abcdef", 2, 3, file) == 3 && fputs("gh\n", file) >= 0 && fprintf(file, "%s%d", "i", 9) == 2);
  rewind(file);
  assert(fread(to, 1, sizeof to, file) == 11 && !memcmp(to, "abcdefgh\ni9", 11));
  fclose(file);
}

static void others(void) {
  int numbers[] = {5, 3, 9, 1};
  qsort(numbers, 4, sizeof(int), by_value);
  assert(numbers[0] == 1 && numbers[1] == 3 && numbers[2] == 5 && numbers[3] == 9);
  unsigned seed = 1, again = 1;
  assert(rand_r(&seed) == rand_r(&again) && seed == again && seed != 1);
  struct tm day;
  time_t when = 86400;
  assert(gmtime_r(&when, &day) == &day && day.tm_year == 70 && day.tm_yday == 1);
  assert(time(&when) >= when);
}

/* Each thread looks at its part of a text only, and not at what the other one stores behind it. */
static char parts[] = "12,first|34,second";

static void own_part(char *mine, long number) {
  assert(strtol(mine, NULL, 10) == number && atoi(mine) == number && strtod(mine, NULL) == (double)number);
  assert(strcspn(mine, ",") == 2 && strspn(mine, "0123456789") == 2 && strpbrk(mine, ",") == mine + 2);
  mine[3] = 'x';
}

static void *works(void *second) {
  texts();
  wide_texts();
  streams();
  others();
  if (second)
    own_part(second, 34);
  return NULL;
}

int main(void) {
  works(NULL);
  pthread_t t;
  pthread_create(&t, NULL, works, parts + 9);
  texts(); /* not streams: what one thread reads of one is a step for all of them */
  others();
  own_part(parts, 12);
  pthread_join(t, NULL);
}
#endif
