#include "axiom/mixed.h"
#include "axiom/domain.h"
#include <string.h>

enum { EXTENT_MAX = 4096 };

struct object {
  const char *name;
  int64_t address, size; /* of what is declared */
  bool array;
  int element_bytes; /* of an array, or as declared; 0 if unknown */
  int extent;        /* bytes that are accessed */
  int cell;          /* the greatest size that divides everything seen so far */
  bool cut;
};

struct site { /* an instruction that accesses memory, in all its copies */
  struct place where;
  int cell;
};

struct mixed_plan {
  struct arena *arena;
  LIST(struct object) objects;
  LIST(struct site) sites;
  bool changed;
};

static int common_divisor(int a, int b) {
  while (b) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* What is far behind an object is not in it: sums that are no addresses come that far. */
static struct object *object_at(struct mixed_plan *plan, int64_t address) {
  struct object *found = NULL;
  for (int i = 0; i < plan->objects.length; i++)
    if (plan->objects.data[i].address <= address)
      found = &plan->objects.data[i];
  return found && address - found->address < found->size + EXTENT_MAX ? found : NULL;
}

static void find_objects(struct mixed_plan *plan, const struct program *p) {
  for (int i = 0; i < p->locations.length; i++) {
    const struct location *l = &p->locations.data[i];
    bool array = l->array >= 0;
    struct object o = {.name = l->name,
                       .address = l->address,
                       .array = array,
                       .element_bytes = l->bytes,
                       .cell = array ? l->bytes : 0};
    if (array)
      o.name = arena_text(plan->arena, l->name, strcspn(l->name, "["));
    if (!array || l->index == 0)
      list_push(plan->arena, &plan->objects, o);
    struct object *last = &plan->objects.data[plan->objects.length - 1];
    last->size = l->address + l->bytes - last->address;
  }
}

static struct values addresses_of(const struct program *p, const struct domains *d, int address) {
  if (d)
    return d->expr[address];
  int64_t *only = arena_alloc(p->arena, sizeof *only);
  if (!expr_is_const(p, address, only))
    return (struct values){NULL, 0};
  return (struct values){only, 1};
}

/* The cell size of the access, given what is known of the objects it may reach. */
static int cell_of(struct mixed_plan *plan, const struct stmt *s, struct values addresses) {
  int cell = s->bytes;
  for (int i = 0; i < addresses.count; i++) {
    const struct object *o = object_at(plan, addresses.data[i]);
    if (o) {
      cell = common_divisor(cell, o->cell);
      cell = common_divisor(cell, (int)(addresses.data[i] - o->address));
    }
  }
  return cell;
}

static struct site *site_at(const struct mixed_plan *plan, struct place where) {
  for (int i = 0; i < plan->sites.length; i++) {
    struct site *s = &plan->sites.data[i];
    if (s->where.line == where.line && s->where.column == where.column)
      return s;
  }
  return NULL;
}

/* All objects that one instruction may reach have the same cell size. */
static void visit(struct mixed_plan *plan, const struct stmt *s, struct values addresses) {
  struct site *site = site_at(plan, s->place);
  if (!site) {
    struct site new = {s->place, 0};
    list_push(plan->arena, &plan->sites, new);
    site = &plan->sites.data[plan->sites.length - 1];
  }
  int cell = common_divisor(cell_of(plan, s, addresses), site->cell);
  plan->changed = plan->changed || site->cell != cell;
  site->cell = cell;
  for (int i = 0; i < addresses.count; i++) {
    struct object *o = object_at(plan, addresses.data[i]);
    if (!o)
      continue;
    int end = (int)(addresses.data[i] - o->address) + s->bytes;
    plan->changed = plan->changed || o->cell != cell;
    o->cell = cell;
    o->extent = end > o->extent ? end : o->extent;
  }
}

/* Once the sizes are settled: what does not fit a cell, or does not start where an element does? */
static void mark(struct mixed_plan *plan, const struct stmt *s, struct values addresses) {
  for (int i = 0; i < addresses.count; i++) {
    struct object *o = object_at(plan, addresses.data[i]);
    if (o && (s->bytes > o->cell ||
              (o->array ? o->cell < o->element_bytes : addresses.data[i] != o->address)))
      o->cut = true;
  }
}

static void visit_all(struct mixed_plan *plan, const struct program *p, const struct domains *d,
                      void (*what)(struct mixed_plan *, const struct stmt *, struct values)) {
  for (int i = 0; i < p->stmts.length; i++) {
    const struct stmt *s = &p->stmts.data[i];
    if (s->bytes && (s->kind == STMT_READ || s->kind == STMT_WRITE))
      what(plan, s, addresses_of(p, d, s->address));
  }
}

struct mixed_plan *mixed_survey(const struct program *p, struct arena *a, struct diag *d) {
  struct mixed_plan *plan = arena_alloc(a, sizeof *plan);
  const struct domains *domains = NULL;
  plan->arena = a;
  find_objects(plan, p);
  for (int i = 0; i < p->stmts.length && !domains; i++)
    if (p->stmts.data[i].bytes && !expr_is_const(p, p->stmts.data[i].address, NULL)) {
      domains = domains_compute(p, a, d);
      if (!domains)
        return NULL;
    }
  do {
    plan->changed = false;
    visit_all(plan, p, domains, visit);
  } while (plan->changed);
  visit_all(plan, p, domains, mark);
  for (int i = 0; i < plan->objects.length; i++)
    if (plan->objects.data[i].cut)
      return plan;
  return NULL;
}

bool mixed_object(const struct mixed_plan *plan, const char *name, int *cell_bytes, int *bytes) {
  for (int i = 0; plan && i < plan->objects.length; i++) {
    const struct object *o = &plan->objects.data[i];
    if (o->cut && !strcmp(o->name, name)) {
      *cell_bytes = o->cell;
      *bytes = o->extent;
      return true;
    }
  }
  return false;
}

int mixed_piece(const struct mixed_plan *plan, const struct program *p, int address,
                struct place where) {
  int64_t constant;
  if (!plan)
    return 0;
  if (expr_is_const(p, address, &constant)) {
    int l = program_location_at(p, constant);
    return l < 0 ? 0 : p->locations.data[l].bytes;
  }
  const struct site *site = site_at(plan, where);
  return site ? site->cell : 0;
}
