#include "cli/progress.h"
#include "report/report.h"
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RATE_AFTER_SECONDS 0.5

static void add_schedules(const struct job_status *status, struct str *out) {
  count_text(status->schedules, out);
  if (status->schedules_wanted) {
    str_append(out, " of ");
    count_text(status->schedules_wanted, out);
  } else if (status->schedules_estimate > status->schedules) {
    bool countless = status->schedules_estimate >= JOB_COUNTLESS;
    str_append(out, countless ? " of more than " : " of about ");
    count_text(status->schedules_estimate, out);
    str_append(out, countless ? "" : " or more");
  }
  bool one = status->schedules == 1 && !status->schedules_wanted;
  str_append(out, one ? " schedule" : " schedules");
}

static void add_put_off(const struct job_status *status, struct str *out) {
  if (!status->put_off)
    return;
  str_append(out, ", ");
  count_text(status->put_off, out);
  str_append(out, status->put_off == 1 ? " takes long and is left for last"
                                       : " take long and are left for last");
}

/* A failure point that was begun may take most of the search, so no share of them is "done". */
static void add_failure_points(const struct job_status *status, struct str *out) {
  str_append(out, "at failure point ");
  count_text(status->failure_points_begun, out);
  str_append(out, " of ");
  count_text(status->failure_points, out);
}

static void add_rounded(double n, const char *unit, struct str *out) {
  count_text((uint64_t)(n + 0.5), out);
  str_append(out, unit);
}

static void add_time(double seconds, struct str *out) {
  if (seconds < 100)
    add_rounded(seconds, " s", out);
  else if (seconds < 100 * 60)
    add_rounded(seconds / 60, " min", out);
  else
    add_rounded(seconds / 3600, " h", out);
}

static bool can_tell_rest(const struct job_status *status, double seconds) {
  return status->failure_points_begun >= 2 && seconds >= RATE_AFTER_SECONDS && !status->schedules;
}

void progress_note(const struct job_status *status, struct curve *time, double seconds) {
  if (!can_tell_rest(status, seconds))
    return;
  double before = (double)(status->failure_points_begun - 1);
  time->factor_max = (double)status->growth_max;
  curve_add(time, before / (double)(status->failure_points + 1), seconds);
}

/* How far it is and how long it will take, if it goes on as it did so far. */
static void add_rest(const struct job_status *status, struct curve *time, double seconds,
                     struct str *out) {
  progress_note(status, time, seconds);
  double all = can_tell_rest(status, seconds) ? curve_end(time) : 0;
  if (all > seconds) {
    str_append(out, " (");
    add_rounded(100 * seconds / all, " %, ", out);
    add_time(all - seconds, out);
    str_append(out, " left)");
  }
}

static void add_looked_ahead(const struct job_status *status, struct str *out) {
  if (!status->looked_ahead)
    return;
  str_append(out, ", all with ");
  count_text(status->looked_ahead - 1, out);
  str_append(out, status->looked_ahead == 2 ? " older value seen" : " older values seen");
}

/* What is left is what was put off. */
static void add_rest_put_off(const struct job_status *status, struct str *out) {
  bool one = status->put_off == 1;
  str_append(out, " (");
  count_text(status->put_off, out);
  str_append(out, " of ");
  count_text(status->failure_points, out);
  str_format(out, " failure points of the first execution take%s long; the others are done)",
             one ? "s" : "");
}

void progress_reached(const struct job_status *status, const struct curve *time, double seconds,
                      struct str *out) {
  uint64_t begun = status->failure_points_begun;
  if (status->rest_put_off) {
    add_rest_put_off(status, out);
  } else if (begun && (begun < status->failure_points || status->put_off)) {
    str_append(out, " (stopped ");
    add_failure_points(status, out);
    str_append(out, " of the first execution");
    add_put_off(status, out);
    double all = can_tell_rest(status, seconds) ? curve_end(time) : 0;
    if (all > seconds && !status->put_off) {
      str_append(out, ", about ");
      add_time(all - seconds, out);
      str_append(out, " before the end");
    }
    str_append_char(out, ')');
  } else if (status->schedules) {
    str_append(out, " (");
    add_schedules(status, out);
    str_append(out,
               status->schedules == 1 && !status->schedules_wanted ? " is done)" : " are done)");
  }
}

void progress_text(const struct job_status *status, struct curve *time, double seconds, int width,
                   struct str *out) {
  uint64_t executions = status->executions, findings = status->findings;
  count_text(executions, out);
  str_append(out, executions == 1 ? " execution" : " executions");
  if (seconds > RATE_AFTER_SECONDS) {
    str_append(out, " (");
    count_text((uint64_t)((double)executions / seconds), out);
    str_append(out, "/s)");
  }
  str_append(out, ", ");
  count_text(findings, out);
  str_append(out, findings == 1 ? " finding" : " findings");
  if (status->failure_points_begun) {
    str_append(out, ", ");
    add_failure_points(status, out);
    add_put_off(status, out);
    if (!status->put_off)
      add_rest(status, time, seconds, out);
    add_looked_ahead(status, out);
  }
  if (status->schedules) {
    str_append(out, ", ");
    add_schedules(status, out);
  }
  if (width > 0 && out->length > (size_t)width) {
    out->length = (size_t)width;
    out->data[width] = 0;
  }
}

static void put(const char *bytes, size_t n) {
  ssize_t ignored = write(STDERR_FILENO, bytes, n);
  (void)ignored;
}

int progress_terminal_width(void) {
  struct winsize size = {.ws_col = 0};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? 80 : size.ws_col;
}

void progress_show(const struct job_status *status, struct curve *time, double seconds) {
  struct str text = {0}, line = {0};
  progress_text(status, time, seconds, progress_terminal_width() - 1, &text);
  str_format(&line, "\r%s\033[K", str_text(&text));
  put(line.data, line.length);
  str_free(&text);
  str_free(&line);
}

void progress_erase(void) {
  put("\r\033[K", 4);
}
