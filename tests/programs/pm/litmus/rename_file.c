// A new version of a file is written beside it and renamed over it, twice: what is at the path is the old or
// the new one, whole, and the other path names the new one or nothing.
// OPTIONS: --pm-path=/nowhere/pm --failures=2
// OUTCOMES: final=- new=-; final=0 new=-; final=1 new=-; final=1 new=0; final=1 new=2; final=2 new=-; final=2 new=0; final=2 new=3; final=3 new=-
// COUNTS: 89 executions, 29 runs, 19 failure points
#include "../pm.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FINAL "/nowhere/pm/final"
#define NEW "/nowhere/pm/new"

static const char *version_at(const char *path, char *text) {
  int fd = open(path, O_RDONLY);
  if (fd < 0)
    return "-";
  long version = 0;
  if (read(fd, &version, sizeof version) < 0)
    return "unreadable";
  close(fd);
  sprintf(text, "%ld", version);
  return text;
}

static void write_version(const char *path, long version) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(fd, &version, sizeof version) != sizeof version)
    _exit(1);
  close(fd);
}

int main(void) {
  char final[32], new[32];
  if (tidemark_failures() == 0) {
    write_version(FINAL, 1);
    write_version(NEW, 2);
    if (rename(NEW, FINAL))
      return 1;
    write_version(NEW, 3);
    if (rename(NEW, FINAL))
      return 2;
  } else {
    tidemark_outcome("final=%s new=%s", version_at(FINAL, final), version_at(NEW, new));
  }
  return 0;
}
