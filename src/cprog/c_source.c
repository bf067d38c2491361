#include "cprog/c_source.h"
#include <stdio.h>
#include <string.h>

const char *c_source_text(struct place where, struct arena *a) {
  FILE *f = where.file && where.line > 0 ? fopen(where.file, "r") : NULL;
  char text[4096];
  const char *found = NULL;
  for (int line = 1; f && line <= where.line && fgets(text, sizeof text, f); line++)
    if (line == where.line)
      found = arena_text(a, text, strcspn(text, "\r\n"));
  if (f)
    fclose(f);
  return found;
}

const char *c_source_line(struct place where, struct arena *a) {
  const char *line = c_source_text(where, a);
  if (!line)
    return NULL;
  line += strspn(line, " \t");
  size_t n = strlen(line);
  while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
    n--;
  return arena_text(a, line, n);
}

void c_source_texts(struct c_exec *x) {
  struct program *p = x->p;
  for (int s = 0; s < p->stmts.length; s++) {
    struct stmt *st = &p->stmts.data[s];
    const char *text = NULL;
    for (int t = 0; t < s && !text; t++) /* each line is read once */
      if (p->stmts.data[t].place.line == st->place.line && st->place.line &&
          !strcmp(p->stmts.data[t].place.file, st->place.file))
        text = p->stmts.data[t].text;
    if (!text)
      text = c_source_line(st->place, x->arena);
    int64_t address;
    int o =
        st->address >= 0 && expr_is_const(p, st->address, &address) ? c_object_at(x, address) : -1;
    st->text = text ? text : o >= 0 ? x->objects.data[o].name : "";
  }
}
