/* Source locations as constants of the module: one struct abi_site per place, equal ones shared.
 *
 * The place of an instruction inlined from a system header (an intrinsic, std::atomic) is the line
 * of the user's code that used it. */
#ifndef INSTRUMENT_SITE_H
#define INSTRUMENT_SITE_H

#include "instrument/pass.h"

struct site_table *site_table_create(void);
void site_table_destroy(struct site_table *table);

/* A pointer to the constant, for the place of `instruction`. */
LLVMValueRef site_of(struct pass *pass, LLVMValueRef instruction);

/* A private constant string, shared. */
LLVMValueRef site_text(struct pass *pass, const char *text);

struct place {
  const char *file;
  unsigned line, column;
  char function[256];
};

/* For messages to the user; file is "" without debug information. */
void site_place(struct pass *pass, LLVMValueRef instruction, struct place *place);

#endif
