/* What a program does to files stays in its execution: every execution begins with the files that were there, several
 * workers do not disturb each other, and nothing is left behind.
 *
 * RUN: rm -rf %t.folder %t.native && mkdir -p %t.folder/old && echo kept > %t.folder/kept && echo listed > %t.folder/old/listed
 * RUN: %tidemark_cc -g %s -o %t && cp -r %t.folder %t.native && (cd %t.native && %t)
 * RUN: cd %t.folder && %tidemark check --model=sc --jobs=1 %t 2>&1 | %FileCheck %s
 * RUN: cd %t.folder && %tidemark check --model=tso --jobs=1 %t 2>&1 | %FileCheck %s
 * RUN: cd %t.folder && %tidemark check --model=sc --isolate --jobs=1 %t 2>&1 | %FileCheck %s
 * RUN: cd %t.folder && env TIDEMARK_SCATTER=3 %tidemark check --model=sc --jobs=3 %t 2>&1 | %FileCheck %s
 * CHECK: no findings; the search is complete
 *
 * RUN: test "$(cat %t.folder/kept)" = kept && test "$(ls %t.folder %t.folder/old | tr '\n' ' ')" = "$(echo "%t.folder: kept old  %t.folder/old: listed ")"
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int a, b;

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    a = b + 1;
    b = a;
  }
  return NULL;
}

static long bytes_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

static void streams(void) {
  char line[16];
  FILE *f = fopen("new", "w");
  assert(f && fileno(f) > 2 && fprintf(f, "one %d\n", 1) > 0 && fclose(f) == 0);
  assert((f = fopen("new", "a")) && fputs("two\n", f) >= 0 && fclose(f) == 0);
  assert((f = fopen("new", "r")) && fgets(line, sizeof line, f) && strcmp(line, "one 1\n") == 0);
  assert(fgets(line, sizeof line, f) && strcmp(line, "two\n") == 0 && fclose(f) == 0);
  assert(bytes_of("new") == 10 && fopen("new", "wx") == NULL && errno == EEXIST);
}

static void existing(void) {
  char text[8] = {0};
  int reader = open("kept", O_RDONLY), writer = open("kept", O_RDWR);
  assert(pread(writer, text, 5, 0) == 5 && strcmp(text, "kept\n") == 0);
  assert(pwrite(writer, "lost", 4, 0) == 4 && ftruncate(writer, 4) == 0);
  struct stat opened, named;
  assert(fstat(writer, &opened) == 0 && stat("kept", &named) == 0 && opened.st_nlink == 1);
  assert(opened.st_ino == named.st_ino && opened.st_dev == named.st_dev && opened.st_size == 4);
  assert(bytes_of("kept") == 4 && close(writer) == 0);
  writer = open("kept", O_RDONLY);
  assert(read(writer, text, 5) == 4 && memcmp(text, "lost", 4) == 0);
  assert(open("kept", O_RDWR | O_CREAT | O_EXCL, 0600) < 0 && errno == EEXIST);
  close(reader);
  close(writer);
}

static void names(void) {
  char name[] = "tempXXXXXX";
  int fd = mkstemp(name);
  assert(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0 && access(name, R_OK) == 0);
  assert(rename(name, "moved") == 0 && access(name, R_OK) < 0 && bytes_of("moved") == 1);
  assert(unlink("moved") == 0 && unlink("moved") < 0 && errno == ENOENT);
  assert(unlink("kept") == 0 && access("kept", F_OK) < 0 && open("kept", O_RDONLY) < 0);
  assert(open("nowhere/file", O_CREAT | O_WRONLY, 0600) < 0 && errno == ENOENT);
}

static void folders(void) {
  int found = 0, count = 0;
  assert(mkdir("made", 0700) == 0 && mkdir("made", 0700) < 0 && errno == EEXIST);
  assert(fclose(fopen("made/inside", "w")) == 0 && fclose(fopen("old/more", "w")) == 0);
  assert(rmdir("made") < 0 && errno == ENOTEMPTY);
  DIR *d = opendir("old");
  assert(d);
  for (struct dirent *e; (e = readdir(d)); count++)
    found += !strcmp(e->d_name, "listed") || !strcmp(e->d_name, "more");
  assert(found == 2 && count == 4 && closedir(d) == 0);
  assert(unlink("made/inside") == 0 && rmdir("made") == 0 && access("made", F_OK) < 0);
}

int main(void) {
  pthread_t t;
  assert(bytes_of("new") < 0 && bytes_of("kept") == 5 && bytes_of("old/more") < 0);
  streams();
  existing();
  pthread_create(&t, NULL, work, NULL);
  work(NULL);
  pthread_join(t, NULL);
  assert(bytes_of("kept") == 4 && bytes_of("new") == 10);
  names();
  folders();
  return 0;
}
