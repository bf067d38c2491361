/* Source text as far as --fix has to know it: comments and strings, brackets, statements; expressions are in
 * fix_expression.h.  C is not parsed; what looks unusual is not understood. */
#ifndef CLI_FIX_SOURCE_H
#define CLI_FIX_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A statement: [begin, end) with its ';', and the place in it. */
struct fix_statement {
  const char *source, *begin, *end, *at;
  bool unbraced; /* the body of an if, for, while, else or do */
  /* The place is in the brackets behind if, while, switch or for: begin and end are those of what stands
   * there, or of one of the three parts of a for. */
  const char *head; /* NULL: it is not */
  bool condition;   /* with head: and decides something */
  const char *body; /* with head: behind the '{' that follows; NULL: there is none */
};

const char *fix_position(const char *source, uint32_t line, uint32_t column); /* or NULL */
bool fix_find_statement(const char *source, const char *at, struct fix_statement *s);

/* Is it a declaration in a struct, class or union?  What is stored there (int a = 1;) a constructor stores. */
bool fix_is_in_class(const char *source, const char *at);

/* Does the function around that place consist of statements only of which each has one of the places in it? */
bool fix_is_all_of_function(const char *source, const char *const *places, size_t count);

/* What a constructor stores before its body: a member or a base class ("a" of ": a(1), b{2} {", with the place at its
 * name or '{'), or the pointer to its table of virtual functions (the place is the '{' of the body; the name is
 * empty). */
struct fix_initialiser {
  const char *name, *name_end;
  const char *body; /* behind its '{' */
  bool parts;       /* the place is the '{' behind the name: a part of it is stored */
};

bool fix_find_initialiser(const char *source, const char *at, struct fix_initialiser *i);

/* The end of a line that may go on in the next one: of a directive or a comment. */
const char *fix_line_end(const char *p);
const char *fix_skip_space(const char *p);
/* Behind a comment, a string or a character constant that begins at p; p itself if none does. */
const char *fix_skip_token(const char *p);
/* Behind the bracket that closes the one at p; NULL if there is none. */
const char *fix_skip_brackets(const char *p);
/* Behind a comment, a string or brackets at p; p itself if there are none; NULL: they do not end. */
const char *fix_skip_group(const char *p);
/* Without space at the end; at both ends. */
const char *fix_trim_end(const char *begin, const char *end);
void fix_trim(const char **begin, const char **end);
bool fix_in_name(char c);
bool fix_word_at(const char *p, const char *word);

#endif
