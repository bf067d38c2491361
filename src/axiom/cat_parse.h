/* Private to the reader of models: items (cat_parse.c) and expressions (cat_expr.c). */
#ifndef AXIOM_CAT_PARSE_H
#define AXIOM_CAT_PARSE_H

#include "axiom/cat.h"
#include "axiom/scan.h"

struct cat_reader {
  struct scan scan;
  struct model *model;
  struct arena *arena;
  const char *directory;
  int include_depth;
};

struct cat_node *cat_read_expr(struct cat_reader *r);
struct cat_node *cat_read_formula(struct cat_reader *r);
void cat_read_bindings(struct cat_reader *r, struct cat_binding **out, int *count, bool *recursive);
enum cat_domain cat_read_domain(struct cat_reader *r, struct cat_index *low, struct cat_index *high,
                                struct cat_node **set);
bool cat_is_keyword(const struct scan *s);

#endif
