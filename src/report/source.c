#include "report/source.h"
#include "base/str.h"
#include "base/vec.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_BYTES_MAX (16 << 20)

struct source_file {
  char *name;
  struct str text;   /* empty: not there */
  VEC(size_t) lines; /* where each begins */
};

struct sources {
  const char *root;
  VEC(struct source_file) files;
};

struct sources *sources_create(const char *root) {
  struct sources *s = mem_alloc(sizeof *s);
  s->root = root;
  return s;
}

void sources_free(struct sources *s) {
  for (size_t i = 0; i < s->files.length; i++) {
    struct source_file *f = &s->files.data[i];
    mem_free(f->name, strlen(f->name) + 1);
    str_free(&f->text);
    vec_free(&f->lines);
  }
  vec_free(&s->files);
  mem_free(s, sizeof *s);
}

static void read_text(const char *path, struct str *out) {
  struct stat st;
  FILE *f = fopen(path, "re");
  if (!f)
    return;
  if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SOURCE_BYTES_MAX) {
    char block[8192];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
      str_append_bytes(out, block, n);
  }
  fclose(f);
}

static struct source_file *get_file(struct sources *s, const char *name) {
  for (size_t i = 0; i < s->files.length; i++)
    if (strcmp(s->files.data[i].name, name) == 0)
      return &s->files.data[i];
  struct source_file f = {.name = mem_strdup(name)};
  struct str path = {0};
  if (s->root && name[0] != '/')
    str_format(&path, "%s/", s->root);
  str_append(&path, name);
  read_text(str_text(&path), &f.text);
  str_free(&path);
  for (size_t i = 0; i < f.text.length; i++)
    if (i == 0 || f.text.data[i - 1] == '\n')
      vec_push(&f.lines, i);
  vec_push(&s->files, f);
  return &vec_last(&s->files);
}

const char *sources_line(struct sources *s, const char *file, uint32_t line, size_t *length) {
  if (!file || !line)
    return NULL;
  struct source_file *f = get_file(s, file);
  if (line > f->lines.length)
    return NULL;
  const char *text = f->text.data + f->lines.data[line - 1];
  *length = strcspn(text, "\r\n");
  return text;
}

size_t source_word_length(const char *text, size_t length, uint32_t column) {
  if (!column || column > length)
    return 1;
  size_t n = 0;
  while (column - 1 + n < length) {
    unsigned char c = (unsigned char)text[column - 1 + n];
    if (!isalnum(c) && c != '_')
      break;
    n++;
  }
  return n ? n : 1;
}
