#include "report/pool.h"
#include "base/mem.h"
#include "base/str.h"
#include "finding/finding.h"
#include <string.h>

static const char *const creators[] = {"pmemobj_create", "pmemlog_create", "pmemblk_create"};

static const char *creator_of(const struct finding_failure *x) {
  for (size_t i = 0; i < x->stack.length; i++)
    for (size_t k = 0; k < sizeof creators / sizeof *creators; k++)
      if (x->stack.data[i].function && strcmp(x->stack.data[i].function, creators[k]) == 0)
        return creators[k];
  return NULL;
}

static const char *interrupted_in(const struct finding *f) {
  const char *creator = NULL;
  for (size_t i = 0; i < f->failures.length && !creator; i++)
    creator = creator_of(&f->failures.data[i]);
  return f->windows.length || f->parts.length ? NULL : creator;
}

bool pool_concerns(const struct finding *f) {
  return interrupted_in(f) != NULL;
}

void pool_explain(struct finding *f) {
  const char *creator = interrupted_in(f);
  if (!creator)
    return;
  struct str text = {0};
  str_format(
      &text,
      "the power failed while %s made the pool, and the library can neither open nor create a "
      "pool of which only a part is there. Create it under another name and rename it when it "
      "is complete, or remove it and begin again; to leave failures in there out of the "
      "check: --no-failures-in=%s",
      creator, creator);
  if (f->fix)
    mem_free(f->fix, strlen(f->fix) + 1);
  f->fix = mem_strdup(str_text(&text));
  str_free(&text);
}
