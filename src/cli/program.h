/* Command lines given as text, and the executables they name. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>

typedef VEC(char *) word_list;

/* Split as a shell does: blanks, '...', "...", backslash; nothing is expanded.  False with an
 * explanation if a quote is not closed or there is no word.  The list owns its words. */
bool words_split(const char *text, word_list *out, struct str *error);
void words_push(word_list *words, const char *word);
void words_free(word_list *words);

/* The executable that `name` means: a path as it is, a bare name looked up in PATH.  False with an
 * explanation if there is none that could be run. */
bool program_find(const char *name, struct str *path, struct str *error);

#endif
