#include "axiom/diag.h"
#include <stdarg.h>
#include <stdio.h>

void diag_set(struct diag *d, struct place where, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(d->message, sizeof d->message, format, args);
  va_end(args);
  d->place = where;
  snprintf(d->file, sizeof d->file, "%s", where.file ? where.file : "");
  d->place.file = d->file;
}
