/* Inline assembly: fences and pauses of the processors that there are models for.  Whatever has
 * operands, results or another name is not understood. */
#include "lift/lift_internal.h"
#include <string.h>

/* A statement as normalise leaves it -> the order of the fence that has its effect. */
static const struct {
  const char *text;
  enum cir_order order; /* ORDER_NA: none at all */
} statements[] = {{"nop", ORDER_NA},
                  {"pause", ORDER_NA},
                  {"rep nop", ORDER_NA},
                  {"yield", ORDER_NA},
                  {"mfence", ORDER_SEQ_CST},
                  {"sfence", ORDER_RELEASE},
                  {"lfence", ORDER_ACQUIRE},
                  {"lock addl $$0,0(%esp)", ORDER_SEQ_CST},
                  {"lock addl $$0,0(%rsp)", ORDER_SEQ_CST},
                  {"lock addl $$0,(%esp)", ORDER_SEQ_CST},
                  {"lock addl $$0,(%rsp)", ORDER_SEQ_CST},
                  {"lock addl $$0,-4(%rsp)", ORDER_SEQ_CST},
                  {"lock orl $$0,(%rsp)", ORDER_SEQ_CST},
                  {"lock orq $$0,(%rsp)", ORDER_SEQ_CST},
                  {"dmb ish", ORDER_SEQ_CST},
                  {"dmb sy", ORDER_SEQ_CST},
                  {"dmb ishld", ORDER_ACQUIRE},
                  {"dsb ish", ORDER_SEQ_CST},
                  {"dsb sy", ORDER_SEQ_CST},
                  {"fence", ORDER_SEQ_CST},
                  {"fence rw,rw", ORDER_SEQ_CST},
                  {"fence iorw,iorw", ORDER_SEQ_CST},
                  {"fence r,rw", ORDER_ACQUIRE},
                  {"fence rw,w", ORDER_RELEASE},
                  {"sync", ORDER_SEQ_CST}};

/* Single blanks, none beside commas or at the end; `lock;` and `rep;` are prefixes. */
static void normalise(const char *text, size_t length, struct str *out) {
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    bool prefix = !strcmp(str_text(out), "lock") || !strcmp(str_text(out), "rep");
    if (strchr(" \t\n", c) || (c == ';' && prefix))
      c = ' ';
    char last = out->length ? out->data[out->length - 1] : ' ';
    if (c == ' ' && (last == ' ' || last == ','))
      continue;
    if (c == ',' && last == ' ' && out->length)
      str_truncate(out, out->length - 1);
    str_append_char(out, c);
  }
  while (out->length && strchr(" ;", out->data[out->length - 1]))
    str_truncate(out, out->length - 1);
}

bool lift_asm_order(const char *text, size_t length, enum cir_order *order) {
  struct str statement = {0};
  normalise(text, length, &statement);
  bool found = statement.length == 0; /* a barrier for the compiler */
  *order = ORDER_NA;
  for (unsigned k = 0; k < sizeof statements / sizeof *statements && !found; k++)
    if (!strcmp(statements[k].text, str_text(&statement))) {
      *order = statements[k].order;
      found = true;
    }
  str_free(&statement);
  return found;
}
