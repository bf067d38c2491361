#include "instrument/asm_text.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATEMENT_MAX 256

struct reader {
  struct asm_text *text;
  bool intel;
  bool lock, rep, data16; /* prefixes read as statements of their own: "lock; incl $0" */
};

static char *trim(char *s) {
  while (isspace((unsigned char)*s))
    s++;
  for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--)
    s[n - 1] = 0;
  return s;
}

/* "rax", "eax", "ax", "al" are all "ax", "r8d" is "8": as in LLVM's constraints, without size. */
static void plain_register(const char *name, char out[8]) {
  static const char *const legacy[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
  snprintf(out, 8, "%s", name);
  if (name[0] == 'r' && isdigit((unsigned char)name[1])) {
    snprintf(out, 8, "%d", atoi(name + 1));
    return;
  }
  for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++) {
    const char *l = legacy[i];
    bool full =
        strcmp(name, l) == 0 || ((name[0] == 'r' || name[0] == 'e') && !strcmp(name + 1, l));
    bool byte = name[0] == l[0] &&
                (strcmp(name + 1, "l") == 0 || (l[1] != 'x' && name[1] == l[1] && name[2] == 'l'));
    if (full || (byte && (l[1] == 'x' || name[2] == 'l')))
      snprintf(out, 8, "%s", l);
  }
}

/* 0: it is no register whose size the name tells. */
static unsigned register_bytes(const char *name) {
  static const struct {
    const char *prefix;
    unsigned bytes;
  } vectors[] = {{"mm", 8}, {"xmm", 16}, {"ymm", 32}, {"zmm", 64}};
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (strncmp(name, vectors[i].prefix, strlen(vectors[i].prefix)) == 0)
      return vectors[i].bytes;
  if (name[0] == 'r' && isdigit((unsigned char)name[1])) {
    const char *suffix = strchr("bwd", name[n - 1]);
    return suffix ? 1u << (suffix - "bwd") : 8;
  }
  if (n == 3 && name[2] != 'l')
    return name[0] == 'r' ? 8 : name[0] == 'e' ? 4 : 0;
  return n == 2 && (name[1] == 'x' || name[1] == 'i' || name[1] == 'p') ? 2 : 1;
}

/* What a modifier makes of a register: its bytes; 0: it prints something else. */
static unsigned modified_bytes(char modifier) {
  static const char modifiers[] = "bwkqxtg"; /* al, ax, eax, rax, and of vectors xmm0, ymm0, zmm0 */
  const char *at = isalpha((unsigned char)modifier) ? strchr(modifiers, modifier) : NULL;
  return at ? 1u << (at - modifiers) : 0;
}

/* $3 or ${3:q}; the number, and *end behind it; *bytes: what the modifier says, 0 without one.  -1 if it is not one, or
 * not a register as a whole (${3:h} is ah). */
static int numbered(const char *s, const char **end, unsigned *bytes) {
  *bytes = 0;
  if (s[0] != '$')
    return -1;
  bool brace = s[1] == '{';
  if (!isdigit((unsigned char)s[1 + brace]))
    return -1;
  char *after;
  long n = strtol(s + 1 + brace, &after, 10);
  if (brace) {
    if (*after == ':' && (*bytes = modified_bytes(after[1])) != 0)
      after += 2;
    if (*after != '}')
      return -1;
    after++;
  }
  *end = after;
  return (int)n;
}

/* What is between parentheses or brackets: one base register or operand, or something else. */
static void read_base(struct asm_operand *o, char *s) {
  const char *end;
  unsigned of_address;
  s = trim(s);
  o->number = numbered(s, &end, &of_address);
  if (o->number >= 0 && *end == 0) {
    o->kind = ASM_NUMBERED;
  } else if (s[0] == '%' && isalpha((unsigned char)s[1]) && !strpbrk(s, ",:+*")) {
    o->kind = ASM_REGISTER;
    plain_register(s + 1, o->reg);
  } else if (isalpha((unsigned char)s[0]) && !strpbrk(s, ",:+*-")) {
    o->kind = ASM_REGISTER;
    plain_register(s, o->reg);
  } else {
    o->kind = ASM_OTHER;
  }
}

static void read_indirect(struct asm_operand *o, char *s, char open, char close) {
  char *inside = strchr(s, open), *end = strchr(inside, close);
  o->indirect = true;
  o->kind = ASM_OTHER;
  if (!end || end[1] != 0)
    return;
  *end = 0;
  *inside = 0;
  if (*s) { /* displacement in front */
    char *after;
    o->displacement = strtol(s, &after, 0);
    if (*after)
      return;
  }
  read_base(o, inside + 1);
}

/* "qword ptr [rax]": the size is known from elsewhere. */
static char *strip_intel_size(char *s) {
  static const char *const sizes[] = {"byte", "word", "dword", "qword", "xmmword", "oword"};
  char *ptr = strstr(s, "ptr");
  if (!ptr)
    return s;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (strncmp(s, sizes[i], strlen(sizes[i])) == 0)
      return trim(ptr + 3);
  return s;
}

static void read_operand(struct asm_operand *o, char *s, bool intel) {
  *o = (struct asm_operand){.kind = ASM_OTHER, .number = -1};
  s = trim(s);
  if (intel)
    s = strip_intel_size(s);
  if (strchr(s, ':') && s[0] != '$') /* a segment */
    return;
  const char *end;
  char *after;
  if (strchr(s, '[')) {
    read_indirect(o, s, '[', ']');
  } else if (strchr(s, '(')) {
    read_indirect(o, s, '(', ')');
  } else if ((o->number = numbered(s, &end, &o->bytes)) >= 0) {
    o->kind = *end ? ASM_OTHER : ASM_NUMBERED;
  } else if (strncmp(s, "$$", 2) == 0 || isdigit((unsigned char)*s) || *s == '-') {
    o->immediate = strtol(s + (*s == '$' ? 2 : 0), &after, 0);
    o->kind = *after ? ASM_OTHER : ASM_IMMEDIATE;
  } else if (s[0] == '%' || intel) {
    o->kind = ASM_REGISTER;
    plain_register(s + (s[0] == '%'), o->reg);
    o->bytes = register_bytes(s + (s[0] == '%'));
  }
}

/* Split at commas outside parentheses and braces. */
static bool read_operands(struct asm_statement *out, char *s, bool intel) {
  int depth = 0;
  char *start = s;
  for (char *p = s;; p++) {
    depth += (*p == '(' || *p == '{' || *p == '[') - (*p == ')' || *p == '}' || *p == ']');
    if (*p && (*p != ',' || depth))
      continue;
    bool last = !*p;
    *p = 0;
    if (*trim(start)) {
      if (out->count == ASM_OPERANDS_MAX)
        return false;
      read_operand(&out->operands[out->count++], start, intel);
    }
    if (last)
      break;
    start = p + 1;
  }
  for (int i = 0; intel && i < out->count / 2; i++) {
    struct asm_operand swapped = out->operands[i];
    out->operands[i] = out->operands[out->count - 1 - i];
    out->operands[out->count - 1 - i] = swapped;
  }
  return true;
}

/* True if the word was a prefix and has been remembered. */
static bool read_prefix(struct reader *r, const char *word) {
  if (strcmp(word, "lock") == 0)
    r->lock = true;
  else if (strncmp(word, "rep", 3) == 0)
    r->rep = true;
  else if (strcmp(word, "data16") == 0)
    r->data16 = true;
  else
    return strcmp(word, "ds") == 0 || strcmp(word, "notrack") == 0;
  return true;
}

/* .byte is only read as a prefix, or as a whole pause. */
static bool read_directive(struct reader *r, const char *s) {
  char *after;
  if (strncmp(s, ".byte", 5) == 0 && isspace((unsigned char)s[5])) {
    long value = strtol(s + 6, &after, 0);
    after = trim(after);
    if (value == 0xf3 && strcmp(after, ", 0x90") == 0)
      return read_prefix(r, "rep");
    if (*after)
      return false;
    r->data16 |= value == 0x66;
    r->lock |= value == 0xf0;
    r->rep |= value == 0xf3;
    return value == 0x66 || value == 0xf0 || value == 0xf3 || value == 0x3e;
  }
  if (strncmp(s, ".intel_syntax", 13) == 0)
    r->intel = true;
  else if (strncmp(s, ".att_syntax", 11) == 0)
    r->intel = false;
  else
    return strncmp(s, ".p2align", 8) == 0 || strncmp(s, ".align", 6) == 0;
  return true;
}

static char *skip_labels(char *s) {
  for (;;) {
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.");
    if (!n || s[n] != ':')
      return s;
    s = trim(s + n + 1);
  }
}

static bool read_statement(struct reader *r, char *s) {
  s = skip_labels(trim(s));
  for (;;) {
    if (!*s)
      return true;
    if (*s == '.')
      return read_directive(r, s);
    size_t length = strcspn(s, " \t");
    char word[24];
    if (length >= sizeof word)
      return false;
    snprintf(word, sizeof word, "%.*s", (int)length, s);
    s = trim(s + length);
    if (read_prefix(r, word))
      continue;
    if (r->text->count == ASM_STATEMENTS_MAX)
      return false;
    struct asm_statement *out = &r->text->statements[r->text->count++];
    *out = (struct asm_statement){.lock = r->lock, .rep = r->rep, .data16 = r->data16};
    r->lock = r->rep = r->data16 = false;
    memcpy(out->mnemonic, word, sizeof word);
    return read_operands(out, s, r->intel);
  }
}

/* LLVM writes dialect alternatives as $(att$|intel$); keep one of them.  Lower case on the way. */
static bool choose_dialect(char *out, size_t size, const char *s, size_t length, bool intel) {
  int alternative = -1; /* outside */
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    if (s[i] == '$' && i + 1 < length && strchr("(|)", s[i + 1])) {
      char c = s[++i];
      alternative = c == '(' ? 0 : c == '|' ? alternative + 1 : -1;
      continue;
    }
    if (alternative >= 0 && alternative != (intel ? 1 : 0))
      continue;
    if (n + 1 >= size)
      return false;
    out[n++] = (char)tolower((unsigned char)s[i]);
  }
  out[n] = 0;
  return true;
}

bool asm_text_read(struct asm_text *text, const char *template, size_t length, bool intel) {
  char all[4096];
  *text = (struct asm_text){0};
  if (!choose_dialect(all, sizeof all, template, length, intel))
    return false;
  struct reader reader = {.text = text, .intel = intel};
  for (char *p = all, *end; *p; p = end) {
    size_t n = strcspn(p, ";\n");
    end = p + n + (p[n] != 0);
    char statement[STATEMENT_MAX];
    if (n >= sizeof statement)
      return false;
    snprintf(statement, sizeof statement, "%.*s", (int)n, p);
    statement[strcspn(statement, "#")] = 0;
    if (!read_statement(&reader, statement))
      return false;
  }
  /* A prefix without an instruction, except the pause that was written in bytes. */
  if (reader.rep && text->count < ASM_STATEMENTS_MAX) {
    struct asm_statement *out = &text->statements[text->count++];
    *out = (struct asm_statement){.mnemonic = "nop", .rep = true};
    reader.rep = false;
  }
  return !reader.lock && !reader.data16;
}
