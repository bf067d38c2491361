#include "report/report.h"
#include "base/hash.h"
#include "base/mem.h"
#include "report/part_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

const char *path_basename(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool place_known(const struct place *p) {
  return p->file || p->object || p->function;
}

/* "x/../y" is shown as "y". */
static void append_path(struct str *out, const char *path) {
  size_t begin = out->length;
  str_append(out, path);
  char *from = out->data + begin, *up;
  while ((up = strstr(from, "/../"))) {
    char *folder = up;
    while (folder > out->data + begin && folder[-1] != '/')
      folder--;
    if (folder == up || strncmp(folder, "../", 3) == 0) {
      from = up + 3;
      continue;
    }
    memmove(folder, up + 4, strlen(up + 4) + 1);
    out->length -= (size_t)(up + 4 - folder);
    from = out->data + begin;
  }
}

void place_text(const struct place *p, bool with_folder, struct str *out) {
  if (p->file) {
    append_path(out, with_folder ? p->file : path_basename(p->file));
    if (p->line)
      str_format(out, ":%u", p->line);
    if (p->line && p->column)
      str_format(out, ":%u", p->column);
  } else if (p->object) {
    str_format(out, "%s+0x%lx", with_folder ? p->object : path_basename(p->object),
               (unsigned long)p->offset);
  } else if (p->function) {
    str_append(out, "an unknown line");
  } else {
    str_append(out, "code without a line (a library, or what runs as the program ends)");
  }
}

#define FUNCTION_SHOWN_MAX 80

static bool after_operator(const char *name, const char *at) {
  while (at > name && strchr("<>-=", at[-1]))
    at--;
  return at - name >= 8 && strncmp(at - 8, "operator", 8) == 0;
}

void function_text(const char *name, struct str *out) {
  int depth = 0, round = 0;
  size_t begin = out->length;
  if (strlen(name) <= FUNCTION_SHOWN_MAX) {
    str_append(out, name);
    return;
  }
  for (const char *p = name; *p; p++) {
    bool bracket = (*p == '<' || *p == '>') && !after_operator(name, p) && !(round && !depth);
    round += (*p == '(') - (*p == ')');
    if (bracket && *p == '<' && depth++ == 0)
      str_append(out, "<...>");
    if (bracket && *p == '>')
      depth--;
    if (depth || bracket)
      continue;
    if (*p == ' ' && !round && !after_operator(name, p)) { /* that was the return type */
      str_truncate(out, begin);
      continue;
    }
    str_append_char(out, *p);
  }
}

/* The path without the directory of the check, if it is below that. */
static const char *below_directory(const struct run *run, const char *path) {
  size_t n = run->directory ? strlen(run->directory) : 0;
  bool below = n > 1 && strncmp(path, run->directory, n) == 0 && path[n] == '/';
  return below ? path + n + 1 : path;
}

struct place place_from_directory(const struct run *run, const struct place *p) {
  struct place q = *p;
  if (q.file)
    q.file = (char *)below_directory(run, q.file);
  return q;
}

/* Debug information of glibc names files of its assembly as ../sysdeps/...; tidemark-std has what takes the place of
 * code in libstdc++. */
bool place_is_users_code(const struct place *p) {
  return p->file && strncmp(p->file, "/usr/", 5) != 0 && strncmp(p->file, "../sysdeps/", 11) != 0 &&
         !strstr(p->file, "/tidemark-std/");
}

bool finding_is_wrong(const struct finding *f) {
  return !finding_kind_is_of_all(f->kind); /* that something is never needed only costs time */
}

const char *finding_level(const struct finding *f) {
  return finding_is_wrong(f) ? "error" : "warning";
}

/* The place, or who has called it from the user's code. */
static const struct place *users_place(const struct place *p, const place_list *stack) {
  for (size_t i = 0; i < stack->length && !place_is_users_code(p); i++)
    if (place_is_users_code(&stack->data[i]))
      return &stack->data[i];
  return p;
}

size_t stack_users_length(const place_list *stack) {
  size_t length = stack->length;
  while (length && !place_is_users_code(&stack->data[length - 1]))
    length--;
  return length ? length : stack->length;
}

const struct place *finding_place(const struct finding *f) {
  const struct place *p = users_place(&f->place, &f->stack);
  if (p == &f->place && !p->file && f->stack.length && !place_known(p))
    return &f->stack.data[0];
  return p;
}

const struct place *part_place(const struct finding_part *x) {
  return users_place(&x->place, &x->stack);
}

void report_free(struct report *r) {
  for (size_t i = 0; i < r->notes.length; i++)
    mem_free(r->notes.data[i], strlen(r->notes.data[i]) + 1);
  vec_free(&r->notes);
  for (size_t i = 0; i < r->silenced.length; i++) {
    finding_free(&r->silenced.data[i].finding);
    mem_free(r->silenced.data[i].by, strlen(r->silenced.data[i].by) + 1);
  }
  vec_free(&r->silenced);
  if (r->sources)
    sources_free(r->sources);
  r->sources = NULL;
}

#define ERROR_FRAMES_MAX 8

void report_error_stack(const struct report *r, struct str *out) {
  const place_list *stack = &r->results->error_stack;
  for (size_t i = 0; i < stack->length && i < ERROR_FRAMES_MAX; i++) {
    const struct place *at = &stack->data[i];
    str_append(out, i ? "\n  from " : "\n  at ");
    place_text(at, false, out);
    if (at->function) {
      str_append(out, " in ");
      function_text(at->function, out);
    }
  }
}

/* ---- texts ---- */

static const char *const headlines[FINDING_KINDS] = {
    [FINDING_ASSERTION] = "assertion failed",
    [FINDING_SEGFAULT] = "segmentation fault",
    [FINDING_ABORT] = "the program aborted",
    [FINDING_HANG] = "the program hangs",
    [FINDING_DEADLOCK] = "deadlock",
    [FINDING_ILLEGAL_ACCESS] = "illegal memory access",
    [FINDING_FATAL_SIGNAL] = "fatal signal",
    [FINDING_EXIT_STATUS] = "the program ended with exit status",
    [FINDING_DATA_RACE] = "data race",
    [FINDING_ROBUSTNESS] = "this store can be lost although a later one survives",
    [FINDING_PERSISTENCY_RACE] = "a failure can tear this store",
    [FINDING_STORE_BUFFER] = "a store buffer can be seen",
    [FINDING_REDUNDANT_FLUSH] = "redundant flush",
    [FINDING_REDUNDANT_FENCE] = "redundant fence",
    [FINDING_POISON] = "poisoned memory was read",
    [FINDING_NONDETERMINISM] = "the program is not deterministic",
    [FINDING_USE_AFTER_FREE] = "use after free",
    [FINDING_LOCK_LEAK] = "a lock is never released",
    [FINDING_WRONG_UNLOCK] = "a lock is released by who does not hold it",
    [FINDING_LOCK_MISUSE] = "misuse of a lock",
    [FINDING_USE_AFTER_RETURN] = "use after return",
    [FINDING_THREAD_MISUSE] = "misuse of a thread",
};

static const char *variable_name(const struct finding *f, uint64_t address) {
  for (size_t i = 0; i < f->variables.length; i++)
    if (f->variables.data[i].address == address)
      return f->variables.data[i].name;
  return NULL;
}

/* "mutex at 0x555555558040" becomes "mutex table_lock" if that is known. */
static void put_message(const struct finding *f, const char *message, struct str *out) {
  static const char at[] = "at 0x";
  for (const char *p; (p = strstr(message, at));) {
    char *end;
    const char *name = variable_name(f, strtoul(p + 3, &end, 16));
    str_append_bytes(out, message, (size_t)((name ? p : end) - message));
    if (name)
      str_append(out, name);
    message = end;
  }
  str_append(out, message);
}

/* The message alone where it already says what the headline would. */
static void put_headline(const struct finding *f, struct str *out) {
  const char *head = headlines[f->kind] ? headlines[f->kind] : finding_kind_text(f->kind);
  const char *message = f->message ? f->message : "";
  size_t n = strlen(head);
  if (!*message || strncmp(message, head, n) != 0) {
    str_append(out, head);
    if (f->kind == FINDING_DATA_RACE && f->variables.length && f->variables.data[0].name)
      str_format(out, " on %s", f->variables.data[0].name);
    if (*message)
      str_append(out, ": ");
  }
  put_message(f, message, out);
}

void finding_headline(const struct finding *f, struct str *out) {
  put_headline(f, out);
  if (f->said)
    str_format(out, "; it said: %s", f->said);
}

void finding_fingerprint(const struct finding *f, struct str *out) {
  const struct place *p = finding_place(f);
  const char *parts[] = {finding_kind_text(f->kind), p->file ? path_basename(p->file) : "",
                         p->function ? p->function : "", f->message ? f->message : ""};
  uint64_t h = 1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    /* Addresses in messages are not part of the bug's identity. */
    const char *text = parts[i];
    while (*text) {
      size_t n = strcspn(text, "0");
      if (n == 0 && text[1] == 'x') {
        text += 2 + strspn(text + 2, "0123456789abcdef");
        continue;
      }
      n += n == 0;
      h = hash_bytes(h, text, n);
      text += n;
    }
    h = hash_u64(h, i);
  }
  for (size_t i = 0; i < f->parts.length; i++) { /* several in one function */
    const struct finding_part *x = &f->parts.data[i];
    const char *function = x->place.function ? x->place.function : "";
    h = hash_bytes(h, function, strlen(function));
    h = hash_u64(h, x->region_offset);
  }
  str_format(out, "%016lx", (unsigned long)h);
}

void shell_quote(const char *word, struct str *out) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_=./:,+@%";
  if (*word && word[strspn(word, plain)] == 0) {
    str_append(out, word);
    return;
  }
  str_append_char(out, '\'');
  for (; *word; word++) {
    if (*word == '\'')
      str_append(out, "'\\''");
    else
      str_append_char(out, *word);
  }
  str_append_char(out, '\'');
}

/* A cluster of different programs has no one command: its machines instead. */
static void machine_commands(const struct run *run, struct str *out) {
  for (size_t i = 0; i < run->options.length; i++) {
    const struct run_option *o = &run->options.data[i];
    if (strcmp(o->name, "machine") != 0)
      continue;
    str_append(out, out->length ? " --machine=" : "--machine=");
    shell_quote(o->value ? o->value : "", out);
  }
}

void report_command(const struct run *run, struct str *out) {
  if (run_option(run, "machine")) {
    machine_commands(run, out);
    return;
  }
  const char *relative = below_directory(run, run->program ? run->program : "?");
  struct str program = {0};
  str_format(&program, "%s%s", strchr(relative, '/') ? "" : "./", relative);
  shell_quote(str_text(&program), out);
  str_free(&program);
  for (size_t i = 0; i < run->arguments.length; i++) {
    str_append_char(out, ' ');
    shell_quote(run->arguments.data[i], out);
  }
}

const char *finding_token(const struct finding *f) {
  if (finding_kind_is_of_all(f->kind))
    return NULL;
  return f->token && *f->token ? f->token : "-";
}

#define SHORT_TOKEN 100

void report_options(const struct run *run, struct str *out) {
  bool has_machines = false;
  for (size_t i = 0; i < run->options.length; i++) {
    const struct run_option *o = &run->options.data[i];
    has_machines |= strcmp(o->name, "machine") == 0;
    str_format(out, " --%s%s", o->name, o->value ? "=" : "");
    if (o->value)
      shell_quote(o->value, out);
  }
  if (!has_machines) {
    str_append_char(out, ' ');
    report_command(run, out);
  }
}

void finding_replay_command(const struct report *r, size_t number, struct str *out) {
  const struct finding *f = &r->results->findings.data[number - 1];
  if (r->json_path) {
    str_append(out, "tidemark replay ");
    shell_quote(r->json_path, out);
    if (r->results->findings.length > 1)
      str_format(out, " --finding=%zu", number);
    return;
  }
  const char *token = finding_token(f);
  if (strlen(token) > SHORT_TOKEN) {
    str_append(out, "check again with --json=report.json, then: tidemark replay report.json");
    return;
  }
  str_append(out, "tidemark replay --token=");
  shell_quote(token, out);
  report_options(r->run, out);
}

enum store_fate store_fate(const struct finding_load *l, size_t i) {
  if (l->stores.data[i].chosen)
    return STORE_READ;
  for (size_t j = 0; j < i; j++)
    if (l->stores.data[j].chosen)
      return STORE_OLDER;
  return l->stores.data[i].unmade ? STORE_LATER : STORE_LOST;
}

const char *store_fate_text(enum store_fate fate) {
  static const char *const texts[] = {[STORE_READ] = "read",
                                      [STORE_LOST] = "lost",
                                      [STORE_OLDER] = "older",
                                      [STORE_LATER] = "later"};
  return texts[fate];
}

bool load_is_stale(const struct finding_load *l) {
  size_t newest = 0; /* of those that had been made */
  while (newest < l->stores.length && l->stores.data[newest].unmade)
    newest++;
  return newest < l->stores.length && !l->stores.data[newest].chosen;
}

static bool is_cluster(const struct report *r) {
  return r->run->model && strcmp(r->run->model, "cxl") == 0;
}

void actor_text(const struct report *r, int machine, int thread, struct str *out) {
  if (is_cluster(r))
    str_format(out, "machine %d, ", machine);
  str_format(out, "thread %d", thread);
}

void value_text(uint64_t value, struct str *out) {
  str_format(out, value < 1u << 20 ? "%lu" : "0x%lx", (unsigned long)value);
}

void failure_moment(const struct finding_failure *x, const char *quote, struct str *out) {
  if (!x->before)
    return;
  bool is_end = strncmp(x->before, "the end", 7) == 0, is_instruction = !strchr(x->before, ' ');
  str_append(out, is_end ? "at " : is_instruction ? "before this " : "before ");
  if (!is_instruction)
    quote = "";
  str_format(out, "%s%s%s", quote, x->before, quote);
}

void stand_text(struct sources *s, const struct finding_turn *t, struct str *out) {
  str_format(out, t->drain ? "thread %d's store buffer still held " : "thread %d stood before ",
             t->thread);
  turn_text(s, t, "the ", out);
  if (place_known(&t->place)) {
    str_append(out, " at ");
    place_text(&t->place, false, out);
  }
}

void load_address_text(const struct finding_load *l, struct str *out) {
  if (l->region)
    str_format(out, "%s+0x%lx", l->region, (unsigned long)l->region_offset);
  else
    str_format(out, "0x%lx", (unsigned long)l->address);
}

static void put_digits(const char *digits, struct str *out) {
  size_t length = strlen(digits);
  for (size_t i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0)
      str_append_char(out, ',');
    str_append_char(out, digits[i]);
  }
}

void count_text(uint64_t n, struct str *out) {
  char digits[24];
  snprintf(digits, sizeof digits, "%lu", (unsigned long)n);
  put_digits(digits, out);
}

#define DIGITS_MAX 18 /* more are not read */

void total_text(uint64_t n, const char *digits, struct str *out) {
  if (!digits)
    count_text(n, out);
  else if (strlen(digits) <= DIGITS_MAX)
    put_digits(digits, out);
  else
    str_format(out, "%c.%c%c x 10^%zu", digits[0], digits[1], digits[2], strlen(digits) - 1);
}

void seconds_text(double seconds, struct str *out) {
  char text[32];
  snprintf(text, sizeof text, seconds < 10 ? "%.3f" : "%.1f", seconds);
  str_append(out, text);
}
