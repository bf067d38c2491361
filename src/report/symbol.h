/* From code addresses to source positions, with libdw.
 *
 * Objects are opened once and kept until symbols_free.  Nothing here fails: what cannot be resolved
 * stays object+offset. */
#ifndef REPORT_SYMBOL_H
#define REPORT_SYMBOL_H

#include "finding/finding.h"

struct symbols;

struct symbols *symbols_create(void);
void symbols_free(struct symbols *s);

typedef VEC(char *) text_list;

/* Appends the frames at `offset` of `object`, innermost (inlined) first; at least one. */
void symbols_frames(struct symbols *s, const char *object, uint64_t offset, place_list *out);

/* Fill in file, line, column and function if only object and offset are known. */
void symbols_resolve(struct symbols *s, struct place *p);

/* The variable at `offset` of `object`, "table" or "table+8"; NULL: none is known there. */
char *symbols_variable(struct symbols *s, const char *object, uint64_t offset);

/* What a field of that name and size is, in a record of that name (NULL: in any); false: there is none, or
 * they are of different types.  owner, "struct node", is NULL if there are several. */
struct symbols_field {
  char *owner, *type;
  bool bits;  /* a bit-field, of whatever size */
  bool array; /* the type is that of its elements */
};
bool symbols_field(struct symbols *s, const char *object, const char *record, const char *name,
                   int size, struct symbols_field *out);

/* Appends the folders in which the units of an object were compiled, those that are new. */
void symbols_folders(struct symbols *s, const char *object, text_list *out);

/* Appends the source file of each unit of an object, with its folder unless that is not known. */
void symbols_units(struct symbols *s, const char *object, text_list *out);

/* The same for those that have no hooks for sure: assembly, and what another compiler has made. */
void symbols_foreign_units(struct symbols *s, const char *object, text_list *out);

#endif
