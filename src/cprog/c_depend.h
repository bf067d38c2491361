/* Private to the executor of C programs: dependencies between statements, before program_finish. */
#ifndef CPROG_C_DEPEND_H
#define CPROG_C_DEPEND_H

#include "axiom/program.h"

void c_find_dependencies(struct program *p);

#endif
