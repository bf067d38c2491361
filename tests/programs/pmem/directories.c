/* Directories in persistent memory are made, listed, renamed and removed as on a file system, and survive
 * failures; those that really exist are there, too, with what is in them, and stay as they are.
 *
 * RUN: rm -rf %t && mkdir -p %t/pm/real/deep && echo old > %t/pm/real/file && %tidemark_cc %s -o %t/prog
 * RUN: cd %t && %tidemark check --pm-path=%t/pm ./prog > out.txt 2>&1 || (cat out.txt; false)
 * RUN: %FileCheck %s < out.txt
 * RUN: %tidemark check --isolate --pm-path=%t/pm ./prog > out.txt 2>&1 || (cat out.txt; false)
 * RUN: %FileCheck %s < out.txt
 * RUN: test -e pm/real/file && test -d pm/real/deep && test ! -e pm/made
 *
 * CHECK: no findings; the search is complete
 * CHECK-NOT: note: */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <tidemark.h>
#include <unistd.h>

static int is_directory(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void create(const char *path) {
  int fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0600);
  assert(fd >= 0);
  close(fd);
}

static void expect(const char *path, const char *names) {
  char found[256] = "";
  DIR *d = opendir(path);
  assert(d);
  for (struct dirent *e; (e = readdir(d));) {
    strcat(found, e->d_name);
    strcat(found, e->d_type == DT_DIR ? "/ " : " ");
  }
  closedir(d);
  assert(strcmp(found, names) == 0);
}

static int failed_with(int result, int error) {
  return result == -1 && errno == error;
}

static void change(void) {
  assert(is_directory("pm") && is_directory("pm/real") && is_file("pm/real/file"));
  expect("pm/real", "./ ../ deep/ file ");
  assert(failed_with(mkdir("pm/real", 0700), EEXIST) && failed_with(rmdir("pm/real"), ENOTEMPTY));
  assert(failed_with(unlink("pm/real"), EISDIR) && failed_with(rmdir("pm/real/file"), ENOTDIR));
  assert(failed_with(opendir("pm/none") ? 0 : -1, ENOENT));
  assert(mkdir("pm/made", 0700) == 0);
  create("pm/made/a");
  create("pm/made/c");
  create("pm/made/implied/x");
  assert(mkdir("pm/made/b", 0700) == 0);
  expect("pm/made", "./ ../ a b/ c implied/ ");
  assert(rename("pm/made/c", "pm/made/d") == 0 && is_file("pm/made/d") && !is_file("pm/made/c"));
  assert(failed_with(rename("pm/made/c", "pm/made/a"), ENOENT));
  assert(failed_with(rename("pm/made/a", "pm/made/b"), EISDIR));
  assert(rename("pm/made/b", "pm/moved") == 0 && is_directory("pm/moved"));
  assert(rmdir("pm/moved") == 0 && !is_directory("pm/moved"));
}

static void use_descriptors(void) {
  char path[PATH_MAX];
  struct stat st;
  struct statvfs system;
  int d = open("pm/made", O_RDONLY | O_DIRECTORY);
  assert(d >= 0 && fstat(d, &st) == 0 && S_ISDIR(st.st_mode) && fsync(d) == 0);
  int fd = openat(d, "a", O_RDWR);
  assert(fd >= 0 && fstatat(d, "d", &st, 0) == 0 && S_ISREG(st.st_mode));
  assert(renameat(d, "a", d, "e") == 0 && pwrite(fd, "hello", 5, 0) == 5);
  assert(stat("pm/made/e", &st) == 0 && st.st_size == 5); /* the descriptor went with it */
  assert(unlinkat(d, "e", 0) == 0 && faccessat(d, "e", F_OK, 0) == -1);
  DIR *listing = fdopendir(d);
  assert(listing && dirfd(listing) == d);
  int count = 0;
  while (readdir(listing))
    count++;
  assert(count == 4);
  closedir(listing);
  close(fd);
  struct dirent **all;
  assert(scandir("pm/made", &all, NULL, alphasort) == 4 && !strcmp(all[2]->d_name, "d"));
  for (int i = 0; i < 4; i++)
    free(all[i]);
  free(all);
  assert(realpath("pm/./made/d", path) && strstr(path, "/pm/made/d"));
  assert(statvfs("pm", &system) == 0 && system.f_bavail > 0);
}

static void read_real(void) {
  char text[8] = "";
  int fd = open("pm/real/file", O_RDONLY);
  assert(fd >= 0 && read(fd, text, sizeof text) == 4 && strcmp(text, "old\n") == 0);
  close(fd);
}

int main(void) {
  read_real();
  if (tidemark_failures() == 0) {
    change();
    use_descriptors();
  } else if (is_directory("pm/made")) {
    if (is_file("pm/made/implied/x"))
      assert(is_file("pm/made/c") != is_file("pm/made/d"));
    assert(mkdir("pm/made", 0700) == -1 && errno == EEXIST);
  } else {
    expect("pm", "./ ../ real/ ");
  }
  return 0;
}
