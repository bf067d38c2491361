/* Private to the reader of models: items (cat_parse.c) and expressions (cat_expr.c). */
#ifndef AXIOM_CAT_PARSE_H
#define AXIOM_CAT_PARSE_H

#include "axiom/cat.h"
#include "axiom/scan.h"

struct cat_reader {
  struct scan scan;
  struct model *model;
  struct arena *arena;
  struct model_paths paths;
  int include_depth;
  bool in_library;   /* reading a file that comes with us */
  bool needs_stdlib; /* a name of stdlib.cat occurs */
};

struct cat_node *cat_node(struct cat_reader *r, enum cat_kind kind, struct place where,
                          struct cat_node *a, struct cat_node *b);

struct cat_node *cat_read_expr(struct cat_reader *r);
struct cat_node *cat_read_formula(struct cat_reader *r);
void cat_read_bindings(struct cat_reader *r, struct cat_binding **out, int *count, bool *recursive);
enum cat_domain cat_read_domain(struct cat_reader *r, struct cat_index *low, struct cat_index *high,
                                struct cat_node **set);
bool cat_is_keyword(const struct scan *s);
const char *cat_read_param(struct cat_reader *r);
bool cat_starts_argument(const struct scan *s);
struct cat_node *cat_read_simple(struct cat_reader *r); /* an argument: a name, {...}, (...) ... */

/* Whether the variants that a condition names are set: none is.  "a" && not "b" || ... */
bool cat_read_variant(struct cat_reader *r);
char *cat_read_tag(struct cat_reader *r); /* 'tag */

/* cat_include.c */
typedef LIST(struct cat_item) cat_items;
void cat_read_include(struct cat_reader *r, cat_items *out);
void cat_read_library(struct cat_reader *r, const char *name, cat_items *out);
void cat_read_annotations(struct cat_reader *r, const char *file, cat_items *out);
void cat_read_file(struct cat_reader *r, const char *file, const char *text, size_t length,
                   cat_items *out);

#endif
