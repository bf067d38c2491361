#include "cli/fix_branches.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/fix_source.h"
#include <string.h>

enum directive { DIRECTIVE_NONE, DIRECTIVE_IF, DIRECTIVE_ELSE, DIRECTIVE_ENDIF };

/* [begin, end) is left out unless it is the branch that is compiled. */
struct branch {
  size_t begin, end;
  bool never; /* #if 0 */
};

struct group {
  VEC(struct branch) branches;
};

typedef VEC(struct group) group_list;

/* The '#' of a line is at p. */
static enum directive directive_at(const char *p, bool *never) {
  p++;
  p += strspn(p, " \t");
  *never = false;
  if (fix_word_at(p, "if")) {
    const char *condition = fix_skip_space(p + 2);
    *never = *condition == '0' && !fix_in_name(condition[1]);
    return DIRECTIVE_IF;
  }
  if (fix_word_at(p, "ifdef") || fix_word_at(p, "ifndef"))
    return DIRECTIVE_IF;
  if (fix_word_at(p, "else") || strncmp(p, "elif", 4) == 0)
    return DIRECTIVE_ELSE;
  return fix_word_at(p, "endif") ? DIRECTIVE_ENDIF : DIRECTIVE_NONE;
}

static void blank(char *text, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i++)
    if (text[i] != '\n' && text[i] != '\r')
      text[i] = ' ';
}

/* Which of them is compiled?  None of them may be. */
static size_t choose(const struct group *g, size_t at) {
  size_t chosen = g->branches.length;
  for (size_t i = g->branches.length; i-- > 0;) {
    const struct branch *b = &g->branches.data[i];
    if (b->begin <= at && at < b->end)
      return i;
    if (!b->never)
      chosen = i;
  }
  return chosen;
}

static void close_group(group_list *open, char *text, size_t at) {
  struct group g = vec_pop(open);
  size_t chosen = choose(&g, at);
  for (size_t i = 0; i < g.branches.length; i++)
    if (i != chosen)
      blank(text, g.branches.data[i].begin, g.branches.data[i].end);
  vec_free(&g.branches);
}

static void follow(group_list *open, enum directive d, struct branch next, size_t line, char *text,
                   size_t at) {
  if (d == DIRECTIVE_IF)
    vec_push(open, ((struct group){0}));
  if (!open->length)
    return; /* an #else or #endif too many */
  struct group *g = &vec_last(open);
  if (d != DIRECTIVE_IF)
    vec_last(&g->branches).end = line;
  if (d == DIRECTIVE_ENDIF)
    close_group(open, text, at);
  else
    vec_push(&g->branches, next);
}

char *fix_active(const char *source, const char *at) {
  char *text = mem_strdup(source);
  group_list open = {0};
  bool begins = true; /* nothing but space stands before p in its line */
  for (const char *p = source; *p;) {
    const char *next = fix_skip_token(p);
    bool never;
    if (next == p && *p == '#' && begins) {
      next = fix_line_end(p);
      enum directive d = directive_at(p, &never);
      struct branch branch = {(size_t)(next - source), strlen(source), never};
      if (d != DIRECTIVE_NONE) {
        blank(text, (size_t)(p - source), branch.begin);
        follow(&open, d, branch, (size_t)(p - source), text, (size_t)(at - source));
      }
    } else if (next == p) {
      begins = *p == '\n' || (begins && strchr(" \t\r", *p));
      next = p + 1;
    }
    p = next;
  }
  for (size_t i = 0; i < open.length; i++) /* without an #endif: all of it stays */
    vec_free(&open.data[i].branches);
  vec_free(&open);
  return text;
}
