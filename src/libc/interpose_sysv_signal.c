/* The functions for signals that System V had, by those that came after them. */
#include "libc/signals.h"
#include "process/caller.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>

/* That signal alone; -1: there is none. */
static int change(int how, int sig) {
  sigset_t one;
  sigemptyset(&one);
  if (sigaddset(&one, sig))
    return -1;
  return signals_set_mask(how, &one, NULL);
}

INTERPOSE int sighold(int sig) {
  return CALLED_BY_PROGRAM() ? change(SIG_BLOCK, sig) : REAL(sighold)(sig);
}

INTERPOSE int sigrelse(int sig) {
  return CALLED_BY_PROGRAM() ? change(SIG_UNBLOCK, sig) : REAL(sigrelse)(sig);
}

INTERPOSE int sigignore(int sig) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  return CALLED_BY_PROGRAM() ? signals_set_action(sig, &ignore, NULL) : REAL(sigignore)(sig);
}

INTERPOSE sighandler_t sigset(int sig, sighandler_t handler) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigset)(sig, handler);
  struct sigaction new = {.sa_handler = handler}, old;
  bool hold = handler == SIG_HOLD;
  sigset_t before;
  if (handler == SIG_ERR || sig == SIGKILL || sig == SIGSTOP) {
    errno = EINVAL;
    return SIG_ERR;
  }
  if (signals_set_action(sig, hold ? NULL : &new, &old))
    return SIG_ERR;
  signals_set_mask(SIG_BLOCK, NULL, &before);
  change(hold ? SIG_BLOCK : SIG_UNBLOCK, sig);
  return sigismember(&before, sig) ? SIG_HOLD : old.sa_handler;
}

/* What sigpause is where _XOPEN_SOURCE is defined: it waits for that signal, too. */
INTERPOSE int __xpg_sigpause(int sig);
int __xpg_sigpause(int sig) {
  sigset_t mask;
  if (!CALLED_BY_PROGRAM())
    return REAL(__xpg_sigpause)(sig);
  signals_set_mask(SIG_BLOCK, NULL, &mask);
  if (sigdelset(&mask, sig))
    return -1;
  return signals_suspend(&mask);
}
