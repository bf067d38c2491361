/* The client of a server that is checked (--client): a script of what it sends and what it expects.
 *
 * It acts only when no thread can go on without it, so that what the server does with one message is
 * over before the next, and time passes only when it has nothing to say.  But an answer that was sent may have been seen,
 * so that a mark behind it may be reached.  When it is through, the
 * execution is over.  The script has a line for each action:
 *
 *      connect [PORT | PATH]   otherwise to whoever began to listen first, before the first message
 *      send TEXT               and the end of a line, \r\n
 *      bytes TEXT              without; \r \n \t \\ \xNN mean what they do in C, in both
 *      expect PATTERN          the next line of the answer, within 10 seconds; * and ? stand for anything
 *      wait SECONDS            of the program's time, if somebody in it waits for that
 *      mark NAME               what came before has been seen (an acknowledgement, say)
 *      close
 *      [first] [recovery] [always]   the actions from here on are for executions before any failure,
 *                              after one, or both
 *      [after NAME] [before NAME]    after a failure that came when the client was, or was not, at that
 *                              mark
 *
 * and comments, which begin with #. */
#ifndef LIBC_NET_CLIENT_H
#define LIBC_NET_CLIENT_H

#include <stdbool.h>

struct str;

/* Before world_seal.  "": there is none.  False with the reason: it cannot be read. */
bool net_client_init(const char *path, struct str *error);

#endif
