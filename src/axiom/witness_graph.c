#include "axiom/witness.h"
void witness_print_dot(const struct witness *w, const char *title, struct str *out) { (void)w; (void)title; (void)out; }
void witness_print_svg(const struct witness *w, const char *title, struct str *out) { (void)w; (void)title; (void)out; }
