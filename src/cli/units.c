#include "cli/units.h"
#include "base/check.h"
#include "base/hash.h"
#include "explore/dpor_unit.h"
#include "explore/sharing.h"
#include "finding/results_file.h"
#include <stdlib.h>
#include <string.h>

/* An event at the end of prefixes. */
struct node {
  char *step, *other; /* as a part of a prefix; what the unit on its other side begins with */
  uint32_t used;      /* by so many units that are not done */
  uint32_t level;     /* of that unit, */
  char *learnt;       /* and what it begins with */
};

struct units {
  VEC(struct node) nodes;
  uint64_t count; /* of units so far */
  uint64_t again; /* the search has begun again so often */
  struct sharing facts;
  int shard, shards; /* 0: there are none */
  uint32_t trunk;    /* units below that level are explored for all shards */
  bool assigned;     /* whose the others are has been decided */
};

#define TRUNK_SHARE 4 /* units for each shard, if all were divided alike */
#define NOTHING_SPENT "0.0.0"

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

static void free_node(struct node *n) {
  text_free(n->step);
  text_free(n->other);
  text_free(n->learnt);
  n->step = n->other = n->learnt = NULL;
}

static void free_nodes(struct units *u) {
  for (size_t i = 0; i < u->nodes.length; i++)
    free_node(&u->nodes.data[i]);
  u->nodes.length = 0;
}

void units_free(struct parts *p) {
  if (!p->units)
    return;
  free_nodes(p->units);
  vec_free(&p->units->nodes);
  sharing_free(&p->units->facts);
  mem_free(p->units, sizeof *p->units);
  p->units = NULL;
}

/* ---- units ---- */

/* What the unit is, whoever has found it. */
static uint64_t key_of(const struct units *u, const struct part *x) {
  uint64_t key = hash_u64(x->covered << 1 | x->large, x->prefix.length);
  for (size_t i = 0; i < x->prefix.length; i++) {
    const char *step = u->nodes.data[x->prefix.data[i]].step;
    key = hash_bytes(key, step, strlen(step));
  }
  return hash_bytes(key, x->from, strlen(x->from));
}

/* prefix: of which part it shares so many nodes, or NULL. */
static void open_unit(struct units *u, struct part *x, const char *text, uint32_t level,
                      const char *learnt, const struct part *prefix, size_t shared) {
  x->from = mem_strdup(text);
  x->state = u->shards && !u->assigned && level >= u->trunk ? PART_WAITING : PART_OPEN;
  x->number = u->count++;
  x->level = level;
  x->learnt = mem_strdup(learnt);
  for (size_t i = 0; i < shared; i++) {
    vec_push(&x->prefix, prefix->prefix.data[i]);
    u->nodes.data[prefix->prefix.data[i]].used++;
  }
  x->key = key_of(u, x);
}

/* The other side of a node becomes a unit. */
static void open_other(struct units *u, struct part *x, const struct part *prefix, size_t shared) {
  const struct node *n = &u->nodes.data[prefix->prefix.data[shared]];
  open_unit(u, x, n->other, n->level, n->learnt, prefix, shared);
}

static void begin(struct parts *p) {
  open_unit(p->units, parts_insert(p, 0), strchr(DPOR_WHOLE, ';') + 1, 0, "", NULL, 0);
}

void units_init(struct parts *p) {
  CHECK(!p->list.length && !p->units, "there are parts already");
  p->units = mem_alloc(sizeof *p->units);
  *p->units = (struct units){0};
  begin(p);
}

/* ---- shards ---- */

void units_shard(struct parts *p, int shard, int shards) {
  struct units *u = p->units;
  u->shard = shard;
  u->shards = shards;
  for (u->trunk = 1; shards > 1 && 1 << u->trunk < shards * TRUNK_SHARE; u->trunk++)
    continue;
  p->sharded = true;
}

/* When all others are done every shard has found the same units, in the same order. */
static void assign(struct parts *p) {
  struct units *u = p->units;
  int n = 0;
  if (!u->shards || u->assigned)
    return;
  for (size_t i = 0; i < p->list.length; i++)
    if (p->list.data[i].state == PART_OPEN || p->list.data[i].state == PART_TAKEN)
      return;
  for (size_t i = 0; i < p->list.length; i++)
    if (p->list.data[i].state == PART_WAITING)
      p->list.data[i].state = n++ % u->shards == u->shard - 1 ? PART_OPEN : PART_ELSEWHERE;
  u->assigned = true;
}

/* ---- what workers are told ---- */

void units_describe(const struct parts *p, const struct part *x, struct str *out) {
  const struct units *u = p->units;
  str_format(out, "unit %lu %lu %u %d %lx %lu %lx %s %zx", (unsigned long)x->number,
             (unsigned long)u->again, x->level, x->large, (unsigned long)x->covered,
             (unsigned long)x->only, (unsigned long)x->expected,
             x->spent ? x->spent : NOTHING_SPENT, x->prefix.length);
  for (size_t i = 0; i < x->prefix.length; i++)
    str_format(out, ";%s", u->nodes.data[x->prefix.data[i]].step);
  str_format(out, ";%s ", x->from);
  size_t before = out->length;
  sharing_tell_shared(&u->facts, out);
  str_format(out, "%s %s\n", out->length == before ? "-" : "", *x->learnt ? x->learnt : "-");
}

static size_t find_unit(const struct parts *p, uint64_t number) {
  size_t i = 0;
  while (i < p->list.length &&
         !((p->list.data[i].state == PART_OPEN || p->list.data[i].state == PART_TAKEN) &&
           p->list.data[i].number == number))
    i++;
  return i;
}

uint64_t units_key(const struct parts *p, uint64_t number) {
  size_t i = find_unit(p, number);
  return i < p->list.length ? p->list.data[i].key : 0;
}

uint64_t units_again(const struct parts *p) {
  return p->units->again;
}

/* ---- what workers say ---- */

struct news {
  char *facts, *learnt, *wanted, *nodes, *rest, *spent, *results; /* rest NULL: all is done */
};

/* "facts F\nlearnt L\nwanted N N\n", for each new node "STEP OTHER\n", "rest TEXT\n" or, if it was not divided, "rest
 * TEXT SPENT\n", "\n" and results.  Takes the text apart. */
static bool take_apart(char *text, struct news *n) {
  char *end = strstr(text, "\n\n");
  *n = (struct news){0};
  if (!end || strncmp(text, "facts ", 6) != 0)
    return false;
  n->results = end + 2;
  *end = 0;
  n->facts = text + 6;
  char *learnt = strstr(n->facts, "\nlearnt "), *wanted = strstr(n->facts, "\nwanted");
  if (!learnt || !wanted)
    return false;
  *wanted = *learnt = 0;
  n->learnt = learnt + strlen("\nlearnt ");
  n->wanted = wanted + strlen("\nwanted");
  char *nodes = strchr(n->wanted, '\n');
  if (!nodes)
    return true;
  *nodes++ = 0;
  char *rest = strncmp(nodes, "rest ", 5) == 0 ? nodes : strstr(nodes, "\nrest ");
  if (!rest)
    return false;
  n->nodes = rest == nodes ? NULL : nodes;
  n->rest = rest + (rest == nodes ? 5 : 6);
  *rest = 0;
  n->spent = strchr(n->rest, ' ');
  if (n->spent)
    *n->spent++ = 0;
  return true;
}

/* The nodes that the unit's prefix has grown by. */
static void add_nodes(struct units *u, struct part *x, char *lines, const char *learnt) {
  char *save = NULL;
  for (char *line = lines ? strtok_r(lines, "\n", &save) : NULL; line;
       line = strtok_r(NULL, "\n", &save)) {
    char *other = strchr(line, ' ');
    CHECK(other, "a node of a unit has no other side");
    *other++ = 0;
    vec_push(&x->prefix, (uint32_t)u->nodes.length);
    vec_push(&u->nodes, ((struct node){.step = mem_strdup(line),
                                       .other = mem_strdup(other),
                                       .used = 1,
                                       .level = x->level + 1,
                                       .learnt = mem_strdup(learnt)}));
  }
}

/* Unit number i is now up to what follows the execution under way.  What comes next is the rest, which begins with that
 * execution ("only N"); or the same unit, in which what follows the first one is covered ("until 1").  Both say which runs
 * these are, and which one the last of them. */
static void give_rest(struct parts *p, size_t i, const struct news *said) {
  bool all = said->nodes && strncmp(said->nodes, "until ", 6) == 0;
  CHECK(said->rest && said->nodes && (all || strncmp(said->nodes, "only ", 5) == 0),
        "a unit does not say how far it goes");
  struct part *next = parts_insert(p, i + 1), *x = &p->list.data[i];
  char *at = strchr(said->nodes, ' ');
  x->only = strtoull(at, &at, 10);
  x->expected = strtoull(at, &at, 16);
  next->covered = strtoull(at, NULL, 16);
  next->large = all ? x->large : true;
  next->spent = all && x->spent ? mem_strdup(x->spent) : NULL;
  open_unit(p->units, next, all ? x->from : said->rest, x->level, all ? x->learnt : said->learnt, x,
            x->prefix.length);
}

/* Part number i is now up to where it was divided. */
static void add_rest(struct parts *p, size_t i, size_t shared, const struct news *said) {
  struct units *u = p->units;
  size_t count = p->list.data[i].prefix.length;
  struct part *next = parts_insert(p, i + 1);
  open_unit(u, next, said->rest, p->list.data[i].level + (count > shared), said->learnt,
            &p->list.data[i], count);
  next->spent = said->spent ? mem_strdup(said->spent) : NULL;
  for (size_t n = count; n > shared; n--) {
    uint32_t node = p->list.data[i].prefix.data[n - 1];
    struct part *x = parts_insert(p, i + 2 + (count - n));
    x->state = PART_UNWANTED;
    x->node = node;
    if (n == count)
      open_other(u, x, &p->list.data[i], n - 1);
  }
}

static void add_wanted(struct parts *p, size_t i, size_t shared, char *numbers) {
  for (char *end; (numbers = *numbers == ' ' ? numbers + 1 : numbers), *numbers; numbers = end) {
    size_t n = strtoul(numbers, &end, 10);
    CHECK(end != numbers, "what a unit wants is no number");
    if (n >= shared)
      return; /* where it was divided: its other side is open already */
    uint32_t node = p->list.data[i].prefix.data[n];
    for (size_t k = i; k < p->list.length; k++)
      if (p->list.data[k].state == PART_UNWANTED && p->list.data[k].node == node)
        open_other(p->units, &p->list.data[k], &p->list.data[i], n);
  }
}

/* Where nobody can find anything any more. */
static void forget_unused(struct parts *p) {
  for (size_t i = p->list.length; i-- > 0;) {
    const struct part *x = &p->list.data[i];
    if (x->state == PART_UNWANTED && !p->units->nodes.data[x->node].used)
      parts_remove(p, i);
  }
}

static void let_go(struct units *u, struct part *x) {
  for (size_t i = 0; i < x->prefix.length; i++) {
    struct node *n = &u->nodes.data[x->prefix.data[i]];
    if (--n->used == 0)
      free_node(n);
  }
  vec_free(&x->prefix);
}

static void begin_again(struct parts *p) {
  while (p->list.length)
    parts_remove(p, p->list.length - 1);
  free_nodes(p->units);
  sharing_restart(&p->units->facts);
  p->units->again++;
  p->units->assigned = false;
  begin(p);
}

static void take_news(struct parts *p, size_t i, struct news *n, struct results *r) {
  struct units *u = p->units;
  size_t shared = p->list.data[i].prefix.length;
  add_nodes(u, &p->list.data[i], n->nodes, n->learnt);
  if (n->rest)
    add_rest(p, i, shared, n);
  add_wanted(p, i, shared, n->wanted);
  let_go(u, &p->list.data[i]);
  parts_set_done(p, i, r);
  forget_unused(p);
  parts_grow_together(p);
}

enum units_news units_take(struct parts *p, uint64_t number, const char *what, const char *body,
                           struct units_said *said, struct str *why) {
  size_t i = find_unit(p, number), bytes = strlen(body) + 1;
  struct news n;
  struct results r = {0};
  enum units_news news = UNITS_GOOD;
  *said = (struct units_said){0};
  if (i == p->list.length)
    return UNITS_UNKNOWN;
  char *text = mem_strdup(body);
  bool going = strcmp(what, "going") == 0;
  if (!take_apart(text, &n) || (!going && !results_read(n.results, &r, why))) {
    if (!why->length)
      str_append(why, "it does not say what is left");
    news = UNITS_BAD;
  } else if (r.error) {
    said->failed = r;
    r = (struct results){0};
  } else {
    said->executions = r.executions;
    said->found = r.findings.length > 0;
    bool good = sharing_hear(&p->units->facts, n.facts);
    news = good && strcmp(what, "broken") != 0 ? UNITS_GOOD : UNITS_AGAIN;
    if (news == UNITS_AGAIN) {
      begin_again(p);
    } else if (going) {
      give_rest(p, i, &n);
    } else if (strcmp(what, "partial") == 0) {
      struct part *x = &p->list.data[i];
      x->state = PART_OPEN;
      x->worker = PARTS_NOBODY;
      x->partial = true;
      x->results = r;
      r = (struct results){0};
    } else
      take_news(p, i, &n, &r);
    assign(p);
  }
  results_free(&r);
  mem_free(text, bytes);
  return news;
}

void units_hear(struct parts *p, const char *body) {
  size_t bytes = strlen(body) + 1;
  char *text = mem_strdup(body);
  struct news n;
  if (take_apart(text, &n))
    sharing_hear(&p->units->facts, n.facts);
  mem_free(text, bytes);
}

void units_forget_reliance(struct parts *p) {
  sharing_restart(&p->units->facts);
}
