/* Reading back what report_json wrote: the run, and one finding's token. */
#ifndef REPORT_REPLAY_FILE_H
#define REPORT_REPLAY_FILE_H

#include "base/str.h"
#include "report/run.h"

struct replay_file {
  struct run run;
  char *token;
  char *kind, *message, *fingerprint;
};

/* `text`: a whole report, or one object of its `findings`.  number: which finding, from 1.
 * False with one line of explanation. */
bool replay_file_read(const char *text, size_t length, size_t number, struct replay_file *out,
                      struct str *error);
void replay_file_free(struct replay_file *f);

#endif
