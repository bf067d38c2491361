#include "report/run.h"
#include "base/hash.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

void run_add_option(struct run *r, const char *name, const char *value) {
  struct run_option o = {mem_strdup(name), value ? mem_strdup(value) : NULL};
  vec_push(&r->options, o);
}

const char *run_option(const struct run *r, const char *name) {
  for (size_t i = 0; i < r->options.length; i++)
    if (strcmp(r->options.data[i].name, name) == 0)
      return r->options.data[i].value ? r->options.data[i].value : "1";
  return NULL;
}

void run_free(struct run *r) {
  text_free(r->program);
  text_free(r->directory);
  text_free(r->recover);
  text_free(r->model);
  for (size_t i = 0; i < r->arguments.length; i++)
    text_free(r->arguments.data[i]);
  for (size_t i = 0; i < r->options.length; i++) {
    text_free(r->options.data[i].name);
    text_free(r->options.data[i].value);
  }
  vec_free(&r->arguments);
  vec_free(&r->options);
  *r = (struct run){0};
}

uint64_t run_hash_file(const char *path) {
  struct stat st;
  FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rbe") : NULL;
  if (!f) /* a pipe, for one, would be waited for */
    return 0;
  static char block[1 << 16];
  uint64_t h = 1;
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
    h = hash_bytes(h, block, n);
  fclose(f);
  return h;
}
