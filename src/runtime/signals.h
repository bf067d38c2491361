/* Signals as the program sees them; see interpose_signal.c. */
#ifndef RUNTIME_SIGNALS_H
#define RUNTIME_SIGNALS_H

#include <stdbool.h>

void signals_seal(void); /* called by world_seal */

bool signals_handled(int sig); /* does the program have a handler for it? */

#endif
