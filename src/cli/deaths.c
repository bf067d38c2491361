#include "cli/deaths.h"
#include "base/mem.h"
#include "finding/job.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define CONFIRMED_MAX 50
#define OUTSIDE_MAX 2
#define SKIP_BYTES_MAX 100000 /* one argument of exec holds at most 128 KiB */

static void token_free(char *token) {
  if (token)
    mem_free(token, strlen(token) + 1);
}

void deaths_free(struct deaths *d) {
  for (size_t i = 0; i < d->confirmed.length; i++)
    token_free(d->confirmed.data[i].token);
  vec_free(&d->confirmed);
  token_free(d->suspect.token);
  d->suspect.token = NULL;
}

void deaths_describe(int status, struct str *out) {
  if (WIFSIGNALED(status))
    str_format(out, "signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    str_format(out, "exit status %d", WEXITSTATUS(status));
}

const char *deaths_token_name(const char *token) {
  return *token ? token : "-";
}

void deaths_suspect(struct deaths *d, const char *token, int status, bool looked, bool shared) {
  d->suspect = (struct death){
      .token = mem_strdup(token), .status = status, .looked = looked, .shared = shared};
}

bool deaths_suspected(const struct deaths *d) {
  return d->suspect.token != NULL;
}

static int failures_of(const char *token) {
  int n = 0;
  for (; *token; token++)
    n += *token == 'f';
  return n;
}

/* A run that is replayed is told its choices as they come, so it starts with some of them only; but
 * the run before a failure is another one. */
bool deaths_is_suspect(const struct deaths *d, const char *token) {
  const char *suspect = d->suspect.token;
  size_t n = strlen(token);
  return suspect && strncmp(token, suspect, n) == 0 && failures_of(token) == failures_of(suspect) &&
         (n == 0 || suspect[n] == 0 || suspect[n] == '.' || suspect[n] == '*');
}

void deaths_confirm(struct deaths *d) {
  vec_push(&d->confirmed, d->suspect);
  d->suspect.token = NULL;
}

void deaths_acquit(struct deaths *d) {
  token_free(d->suspect.token);
  d->suspect.token = NULL;
  if (d->suspect.shared) {
    d->shared++;
    d->outside_status = d->suspect.status;
    return;
  }
  deaths_note_outside(d, d->suspect.status);
}

void deaths_note_outside(struct deaths *d, int status) {
  d->outside++;
  d->outside_status = status;
}

bool deaths_known(const struct deaths *d, const char *token) {
  for (size_t i = 0; i < d->confirmed.length; i++)
    if (strcmp(d->confirmed.data[i].token, token) == 0)
      return true;
  return false;
}

void deaths_skip_text(const struct deaths *d, struct str *out) {
  for (size_t i = 0; i < d->confirmed.length; i++)
    str_format(out, "%s%s", i ? ":" : "skip=", deaths_token_name(d->confirmed.data[i].token));
}

/* What was unclear is clear if an execution was found that dies. */
static int count_outside(const struct deaths *d) {
  return d->outside + (d->confirmed.length ? 0 : d->unclear + d->shared);
}

static void describe_outside(const struct deaths *d, struct str *out) {
  str_append(out, "the checking process was killed from outside");
  if (count_outside(d) > 1)
    str_format(out, " %d times", count_outside(d));
  str_append(out, " (");
  deaths_describe(d->outside_status, out);
  if (WIFSIGNALED(d->outside_status) && WTERMSIG(d->outside_status) == SIGKILL)
    str_append(out, "; out of memory?");
  str_append_char(out, ')');
}

bool deaths_too_many(const struct deaths *d, struct str *why) {
  size_t bytes = 0, before = why->length;
  for (size_t i = 0; i < d->confirmed.length; i++)
    bytes += strlen(d->confirmed.data[i].token) + 1;
  if (deaths_known(d, ""))
    str_append(why,
               "the first execution killed the checking process; nothing after it was checked");
  else if (d->confirmed.length > CONFIRMED_MAX || bytes > SKIP_BYTES_MAX)
    str_append(why, "too many executions killed the checking process");
  else if (count_outside(d) > OUTSIDE_MAX)
    describe_outside(d, why);
  return why->length > before;
}

bool deaths_is_foreign(int status) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
  if (!WIFSIGNALED(status))
    return false;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (WTERMSIG(status) == own[i])
      return false;
  return true;
}

/* The finding of a later worker about an execution that it was told to leave out: by its token, or
 * merged with another one. */
static struct finding *find_skipped(struct results *r, const char *token) {
  struct finding *merged = NULL;
  for (size_t i = 0; i < r->findings.length; i++) {
    struct finding *f = &r->findings.data[i];
    if (f->kind == FINDING_FATAL_SIGNAL && strcmp(f->token ? f->token : "", token) == 0)
      return f;
    if (f->message && f->count > 1 && strncmp(f->message, JOB_SKIPPED, strlen(JOB_SKIPPED)) == 0)
      merged = f;
  }
  return merged;
}

/* Later workers may know how the execution came about; how it ended is known only here. */
static void report_one(struct results *r, const struct death *d) {
  struct str message = {0};
  str_append(&message, JOB_SKIPPED " (");
  deaths_describe(d->status, &message);
  str_append(&message, "), twice");
  struct finding *f = find_skipped(r, d->token);
  if (!f) {
    struct finding fresh = {
        .kind = FINDING_FATAL_SIGNAL, .count = 1, .token = mem_strdup(d->token)};
    vec_push(&r->findings, fresh);
    f = &vec_last(&r->findings);
    r->executions++;
    r->program_runs++;
  }
  if (f->message)
    mem_free(f->message, strlen(f->message) + 1);
  f->message = mem_strdup(str_text(&message));
  str_free(&message);
}

/* A run covers the executions that read what it reads.  What it would have been for others, if it dies,
 * nobody knows. */
static void note_what_is_lost(const struct deaths *d, struct results *r) {
  bool lost = false;
  for (size_t i = 0; i < d->confirmed.length; i++)
    lost |= d->confirmed.data[i].looked;
  if (!lost || !r->complete)
    return;
  r->complete = false;
  r->incomplete_why =
      mem_strdup("an execution killed the checking process after it had read what a "
                 "failure left: those that read something else are not covered");
}

void deaths_report(const struct deaths *d, struct results *r) {
  for (size_t i = 0; i < d->confirmed.length; i++)
    report_one(r, &d->confirmed.data[i]);
  note_what_is_lost(d, r);
  if (!count_outside(d) || !r->complete)
    return; /* the reason says it */
  struct str note = {0};
  describe_outside(d, &note);
  str_append(&note, d->in_parts ? "; what it had under way was searched again"
                                : "; the search was started again from its beginning, and this is "
                                  "its result");
  vec_push(&r->notes, mem_strdup(str_text(&note)));
  str_free(&note);
}
