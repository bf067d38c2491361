/* A whole file that a user named, as text. */
#ifndef REPORT_FILE_TEXT_H
#define REPORT_FILE_TEXT_H

#include "base/str.h"
#include <stdbool.h>

/* False with one line of explanation: not there, a directory, larger than any report. */
bool file_text_read(const char *path, struct str *out, struct str *error);

#endif
