/* Workers of a crew that are somewhere else, each with an agent that runs it (agent.h).
 *
 * Messages are those of finding/job.h.  What the supervisor sets on the status page of a local worker
 * goes to an agent as a message of one word: "split", "cut", "stop", "pieces N"; "quit" ends it.  An
 * agent whose worker dies says "died TOKEN STATUS". */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include "base/str.h"
#include <stdbool.h>

struct remote {
  int rank;   /* ours; 0: the supervisor, others: an agent */
  int count;  /* of agents, ranks 1 to count */
  int beside; /* ranks on this machine, ours among them: they share its memory */
  void (*send)(int to, const char *text, size_t length);
  bool (*receive)(int *from, struct str *text); /* replaces the text; false: there is no message */
};

extern const struct remote *remote; /* NULL: there is nobody else */

#endif
