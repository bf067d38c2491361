/* Private to `tidemark litmus`: C programs, from the compiler to the report. */
#ifndef CLI_CMD_LITMUS_C_H
#define CLI_CMD_LITMUS_C_H

#include "cli/cmd_litmus_report.h"
#include "cprog/c_orders.h"

struct c_job {
  const struct litmus_options *options;
  const char *file;
  const char *model_name;
  const struct model *model;
};

struct c_outcome {
  const struct c_job *job;
  struct c_program *program;
  const struct c_target *target;
  bool ignores_orders; /* the program asks for some, and the model has none to offer */
  struct c_result result;
  c_order_changes changes; /* --minimise-orders */
  int trials;
  double seconds;
};

bool litmus_is_c(const char *file);

/* Compiles and checks; false and *d on error.  Compiler messages go to `err`. */
bool litmus_c_check(const struct c_job *j, struct arena *a, struct c_outcome *o, FILE *err,
                    struct diag *d);

int litmus_c_status(const struct c_outcome *o); /* exit status */

void litmus_c_print(const struct c_outcome *o, FILE *out);
json_t *litmus_c_json(const struct c_outcome *o);

/* cmd_litmus_c_orders.c */
void litmus_c_print_orders(const struct c_outcome *o, FILE *out);
json_t *litmus_c_json_orders(const struct c_outcome *o);

#endif
