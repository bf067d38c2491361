/* The members of a crew that are elsewhere (remote.h). */
#include "cli/crew_internal.h"
#include "cli/remote.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* "died TOKEN STATUS", "?" for the token: not in the program. */
static bool died_away(struct crew *c, int i, const struct str *text, int *status) {
  struct job_status *s = crew_status(c, i);
  if (strncmp(str_text(text), "died ", 5) != 0)
    return false;
  const char *token = text->data + 5, *blank = strchr(token, ' ');
  size_t n = blank ? (size_t)(blank - token) : 0;
  *status = blank ? (int)strtol(blank, NULL, 10) : SIGKILL;
  s->running_program = n > 0 && n < sizeof s->token && token[0] != '?';
  s->token[0] = 0;
  if (s->running_program && token[0] != '-') {
    memcpy(s->token, token, n);
    s->token[n] = 0;
  }
  return true;
}

void crew_hear_away(struct crew *c) {
  struct str text = {0};
  int from, status;
  while (remote && c->step == STEP_AGAIN && !c->alone && remote->receive(&from, &text)) {
    int i = c->x->s->jobs + from;
    struct member *m = &c->members[i];
    if (died_away(c, i, &text, &status)) {
      bool left = !parts_of(c->parts, i) && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      str_clear(&m->in);
      crew_forget_member(c, i);
      if (!left)
        crew_after_death(c, i, status);
      continue;
    }
    str_append_bytes(&m->in, text.data, text.length);
    while (c->step == STEP_AGAIN && crew_take_message(c, i))
      continue;
  }
  str_free(&text);
}

static void tell(struct crew *c, int i, volatile bool *flag, const char *word) {
  if (!*flag)
    return;
  *flag = false;
  remote->send(i - c->x->s->jobs, word, strlen(word));
}

/* What was set on their status pages. */
void crew_tell_away(struct crew *c) {
  for (int i = c->x->s->jobs + 1; i <= c->count; i++) {
    struct job_status *s = crew_status(c, i);
    if (!c->members[i].busy) {
      s->split_requested = s->cut_requested = s->stop_requested = false;
      continue;
    }
    tell(c, i, &s->split_requested, "split");
    tell(c, i, &s->cut_requested, "cut");
    tell(c, i, &s->stop_requested, "stop");
  }
}
