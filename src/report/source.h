/* Lines of source files, for reports that show them.  Files are read once and kept. */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct sources;

/* root: where relative names start; NULL: here.  Must stay as long as the sources do. */
struct sources *sources_create(const char *root);
void sources_free(struct sources *s);

/* The line (counted from 1) without its end; NULL if the file or the line is not there. */
const char *sources_line(struct sources *s, const char *file, uint32_t line, size_t *length);

/* How many bytes to underline from `column` on (counted from 1): the word that starts there. */
size_t source_word_length(const char *text, size_t length, uint32_t column);

#endif
