/* Names of C++ functions, as reports and programmers write them: space::type::function. */
#ifndef PROCESS_CXX_NAME_H
#define PROCESS_CXX_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct str;

/* Append the name that a mangled one stands for (Itanium C++ ABI), without arguments of functions and templates.
 * False: it is no such name, or one that this does not read: of an operator, or within a function. */
bool cxx_name(const char *mangled, struct str *out);

/* Does the pattern (*, ?) fit the name, or what follows a `::` in it?  Arguments of templates in the pattern are passed
 * over. */
bool cxx_name_fits(const char *pattern, const char *name);

#endif
