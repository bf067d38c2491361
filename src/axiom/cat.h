/* The syntax tree of a memory model (.cat), herd's language plus the extensions of docs/models.md.
 *
 * A model is a list of items in source order; includes are already spliced in.  Expressions denote
 * sets of actions, relations between actions, or functions of those; formulas are expressions,
 * too, but of truth values.  Which names exist and what they denote is decided by whoever
 * evaluates the tree (there are two: model_encode.c over Boolean circuits, judge.c over plain bits).
 *
 * Extensions: `some r in E`, `some set S in E`, `some order r on S` declare relations that have to
 * be found; a declared name may be a family over threads, locations, lines or a range of numbers;
 * `execution ... end` holds what every execution has; E is the main one, E[1]..E[k] the others. */
#ifndef AXIOM_CAT_H
#define AXIOM_CAT_H

#include "axiom/arena.h"
#include "axiom/diag.h"
#include <stdbool.h>
#include <stdint.h>

enum cat_kind {
  /* expressions */
  CAT_NAME,  /* text */
  CAT_EMPTY, /* 0 or {} */
  CAT_ANY,   /* _ */
  CAT_UNION,
  CAT_INTER,
  CAT_DIFF,
  CAT_SEQ,
  CAT_PRODUCT,    /* | & \ ; *   arg[0] arg[1] */
  CAT_COMPLEMENT, /* ~ */
  CAT_PLUS,
  CAT_STAR,
  CAT_OPT,
  CAT_INVERSE,   /* ^+ ^* ? ^-1 */
  CAT_IDENTITY,  /* [S] */
  CAT_CALL,      /* arg[0] applied to args */
  CAT_TRY,       /* try arg[0] with arg[1] */
  CAT_LET_IN,    /* let bindings in arg[0] */
  CAT_FUN,       /* fun params -> arg[0] */
  CAT_IF,        /* if set (a formula) then arg[0] else arg[1] */
  CAT_TUPLE,     /* (args) */
  CAT_LITERAL,   /* { args }: a set of what is listed */
  CAT_ADD,       /* arg[0] ++ arg[1]: the set arg[1] with one more member */
  CAT_TAG,       /* 'text */
  CAT_MATCH_SET, /* match arg[0] with {} -> args[0] || x ++ y -> args[1]; binding 0 has x, y */
  CAT_MATCH_TAG, /* match arg[0] with 'tag -> args[i] ...; binding i has the tag, NULL = _ */
  CAT_INDEX,     /* arg[0] [ index ]: a member of a family */
  CAT_FIELD,     /* E.text or E[index].text; arg[0] is the index or NULL */
  CAT_BIG_UNION, /* union x in domain: arg[0] */
  /* formulas */
  CAT_ACYCLIC,
  CAT_IRREFLEXIVE,
  CAT_IS_EMPTY, /* arg[0] */
  CAT_SUBSET,
  CAT_EQUAL,   /* arg[0] arg[1], also for membership: x in S */
  CAT_PAIR_IN, /* (x, y) in r: args = x, y; arg[0] = r */
  CAT_ONE,
  CAT_LONE, /* arg[0] has exactly / at most one member */
  CAT_NOT,
  CAT_AND,
  CAT_OR,
  CAT_IMPLIES,
  CAT_IFF,
  CAT_FORALL,
  CAT_EXISTS, /* text in domain: arg[0] */
  CAT_TRUE
};

enum cat_domain {                 /* what an index or a quantified variable ranges over */
                  DOMAIN_ACTIONS, /* the members of set `set` */
                  DOMAIN_THREADS,
                  DOMAIN_LOCATIONS,
                  DOMAIN_LINES,
                  DOMAIN_RANGE /* low .. high */
};

struct
    cat_index { /* an integer expression: base + offset; base NULL = a constant; "k" = the bound */
  const char *base;
  int offset;
};

struct cat_binding {
  const char *name;           /* NULL: a pattern */
  LIST(const char *) params;  /* a function if not empty; "" takes an argument nobody looks at */
  LIST(const char *) pattern; /* let (a, b) = a tuple */
  bool takes_tuple;
  bool in_library; /* of a file that comes with us: evaluated only if used */
  struct cat_node *body;
  struct place place;
};

struct cat_node {
  enum cat_kind kind;
  struct place place;
  const char *text;
  struct cat_node *arg[2];
  LIST(struct cat_node *) args;
  LIST(struct cat_binding) bindings;
  bool recursive;
  enum cat_domain domain;
  struct cat_node *set;
  struct cat_index low, high; /* CAT_INDEX, CAT_FIELD use low */
  int serial;                 /* unique within the model: key for memo tables */
};

enum cat_item_kind {
  ITEM_LET, /* bindings, recursive */
  ITEM_SOME_REL,
  ITEM_SOME_SET,
  ITEM_SOME_ORDER, /* name, domain..., body = bound */
  ITEM_REQUIRE,    /* body is a formula */
  ITEM_FLAG,       /* body is a formula; reported when true, constrains nothing */
  ITEM_EXECUTION,  /* items */
  ITEM_WITH,       /* with name from body, a set of relations */
  ITEM_ENUM,       /* enum name = tags */
  ITEM_PROCEDURE,  /* name, params in bindings[0], items */
  ITEM_CALL,       /* text (the procedure), arguments in body (a tuple), name or NULL */
  ITEM_FORALL,     /* forall name in body do items end */
  ITEM_MATCH       /* match body with clauses end */
};

enum cat_flag { FLAG_RAISED, FLAG_UNDEFINED, FLAG_ASSERTION }; /* flag, undefined_unless, assert */

struct cat_clause {
  const char *tag; /* NULL: whatever else */
  struct cat_item *items;
  int item_count;
};

struct cat_item {
  enum cat_item_kind kind;
  enum cat_flag flag;
  struct place place;
  const char *name; /* of a declared relation, or of a constraint; never NULL for those */
  const char *text; /* a constraint as written, blanks squeezed */
  LIST(struct cat_binding) bindings;
  bool recursive;
  struct cat_node *body;
  bool family;
  const char *index_name;
  enum cat_domain domain;
  struct cat_index low, high;
  struct cat_item *items;
  int item_count;
  LIST(const char *) tags;
  LIST(struct cat_clause) clauses;
  int serial;
};

struct model {
  struct arena arena;
  const char *file, *title;
  struct cat_item *items;
  int item_count;
  int serials;          /* node serials are below this */
  bool many_executions; /* E[i] occurs */
  bool uses_co;         /* co or something derived from it occurs */
  bool uses_start_end;  /* Start or End occurs: threads need such actions */
  bool computes_deps;   /* says catdep: its dependencies come from the front end all the same */
  uint64_t hash;        /* of the text of all files read */
};

/* Where included files are looked for: beside the file that includes them, then in `extra` (may be
 * NULL), then in `shipped`.  Files of herd's library that say how herd enumerates candidates always
 * come from `shipped`: enumerating is ours to do. */
struct model_paths {
  const char *shipped; /* the models that come with us */
  const char *extra;   /* colon-separated folders */
};

/* Reads a model and its includes; NULL and *d on error.  `directory` holds the models we ship. */
struct model *model_load(const char *path, const char *directory, struct diag *d);
struct model *model_load_from(const char *path, struct model_paths paths, struct diag *d);
struct model *model_parse(const char *file, const char *text, const char *directory,
                          struct diag *d);
void model_destroy(struct model *m);

#endif
