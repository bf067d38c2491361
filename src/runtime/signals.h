/* Signals as the program sees them; see interpose_signal.c. */
#ifndef RUNTIME_SIGNALS_H
#define RUNTIME_SIGNALS_H

void signals_seal(void); /* called by world_seal */

#endif
