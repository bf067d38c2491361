#include "report/file_text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX ((off_t)1 << 30)

bool file_text_read(const char *path, struct str *out, struct str *error) {
  struct stat st;
  FILE *f = fopen(path, "re");
  if (!f || fstat(fileno(f), &st) != 0) {
    str_format(error, "cannot read %s: %s", path, strerror(errno));
  } else if (S_ISDIR(st.st_mode)) {
    str_format(error, "cannot read %s: it is a directory", path);
  } else if (st.st_size > FILE_BYTES_MAX) {
    str_format(error, "cannot read %s: it is too large for a report", path);
  } else {
    char block[1 << 16];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
      str_append_bytes(out, block, n);
    bool ok = !ferror(f);
    if (!ok)
      str_format(error, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    return ok;
  }
  if (f)
    fclose(f);
  return false;
}
