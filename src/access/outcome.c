#include "access/outcome.h"
#include "base/str.h"
#include "process/share.h"

static struct {
  struct str text;
  bool any; /* tidemark_outcome was called */
} said;

void outcome_reset(void) {
  outcome_truncate((struct outcome_mark){0});
}

void outcome_say(const char *text) {
  if (said.any)
    str_append(&said.text, "; ");
  said.any = true;
  str_append(&said.text, text);
}

const char *outcome_text(void) {
  return said.any ? str_text(&said.text) : NULL;
}

struct outcome_mark outcome_mark(void) {
  return (struct outcome_mark){said.text.length, said.any};
}

void outcome_truncate(struct outcome_mark m) {
  said.any = m.any;
  said.text.length = m.length;
  if (said.text.data)
    said.text.data[m.length] = 0;
}

void outcome_append(const char *text, bool any) {
  said.any = any;
  str_append(&said.text, text);
}

void outcome_share(void) {
  share_register(&said, sizeof said);
}
