#include "cli/progress.h"
#include "report/report.h"
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RATE_AFTER_SECONDS 0.5
#define REMAINING_AFTER_SECONDS 2.0

static void add_remaining(double seconds, struct str *out) {
  uint64_t s = (uint64_t)seconds + 1;
  if (s < 100)
    str_format(out, ", about %lu s left", (unsigned long)s);
  else if (s < 100 * 60)
    str_format(out, ", about %lu min left", (unsigned long)(s / 60 + 1));
  else
    str_format(out, ", about %lu h left", (unsigned long)(s / 3600 + 1));
}

void progress_schedules(const struct job_status *status, struct str *out) {
  count_text(status->schedules, out);
  if (status->schedules_wanted) {
    str_append(out, " of ");
    count_text(status->schedules_wanted, out);
  }
  str_append(out, " schedules");
}

void progress_text(const struct job_status *status, double seconds, int width, struct str *out) {
  uint64_t executions = status->executions, findings = status->findings;
  uint64_t done = status->failure_points_done, points = status->failure_points;
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
  if (points) {
    str_append(out, ", ");
    count_text(done, out);
    str_append(out, " of ");
    count_text(points, out);
    str_append(out, " failure points");
    if (done && done < points && seconds > REMAINING_AFTER_SECONDS)
      add_remaining(seconds * (double)(points - done) / (double)done, out);
  }
  if (status->schedules) {
    str_append(out, ", ");
    progress_schedules(status, out);
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

void progress_show(const struct job_status *status, double seconds) {
  struct winsize size = {.ws_col = 80};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    size.ws_col = 80;
  struct str text = {0}, line = {0};
  progress_text(status, seconds, size.ws_col - 1, &text);
  str_format(&line, "\r%s\033[K", str_text(&text));
  put(line.data, line.length);
  str_free(&text);
  str_free(&line);
}

void progress_erase(void) {
  put("\r\033[K", 4);
}
