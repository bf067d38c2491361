#include "cli/cmd_litmus_tests.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NESTED_MAX = 16 };

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool add(struct test_list *l, const char *folder, const char *text, int depth);

static bool add_lines(struct test_list *l, const char *folder, FILE *f, int depth) {
  bool fine = true;
  char *line = NULL;
  size_t capacity = 0;
  while (fine && getline(&line, &capacity, f) >= 0) {
    line[strcspn(line, "#\r\n")] = 0;
    char *start = line + strspn(line, " \t");
    size_t n = strlen(start);
    while (n && (start[n - 1] == ' ' || start[n - 1] == '\t'))
      start[--n] = 0;
    if (n)
      fine = add(l, folder, arena_text(l->arena, start, n), depth);
  }
  free(line);
  return fine;
}

static bool add_list(struct test_list *l, const char *path, int depth) {
  if (depth > NESTED_MAX) {
    fprintf(stderr, "%s: lists of tests are nested more than %d deep; does one contain itself?\n",
            path, NESTED_MAX);
    return false;
  }
  if (!strcmp(path, "-"))
    return add_lines(l, "", stdin, depth + 1);
  FILE *f = fopen(path, "r");
  if (!f) {
    fprintf(stderr, "%s: cannot open the list of tests: %s\n", path, strerror(errno));
    return false;
  }
  bool fine =
      add_lines(l, arena_text(l->arena, path, (size_t)(last_part(path) - path)), f, depth + 1);
  fclose(f);
  return fine;
}

static const char *in_folder(struct test_list *l, const char *folder, const char *text) {
  return text[0] == '/' ? text : arena_format(l->arena, "%s%s", folder, text);
}

/* "@all" is the file all, unless there is one that is really called @all. */
static bool add(struct test_list *l, const char *folder, const char *text, int depth) {
  const char *path = in_folder(l, folder, text);
  bool named_so = last_part(text)[0] == '@';
  if (named_so && !access(path, F_OK))
    return add_list(l, path, depth);
  if (text[0] == '@')
    return add_list(l, in_folder(l, folder, text + 1), depth);
  if (named_so)
    return add_list(l, path, depth);
  list_push(l->arena, &l->paths, path);
  return true;
}

bool test_list_add(struct test_list *l, const char *argument) {
  return add(l, "", argument, 0);
}
