/* A small server with one value in persistent memory: "put V" and "get", one line each.  Built with
 * -DEARLY it never makes the value durable; with -DLATE it does so right after the answer; with -DTHREAD the client is a thread of its own. */
#include <arpa/inet.h>
#include <immintrin.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <tidemark.h>
#include <unistd.h>

#define PORT 7000

struct root {
  long value;
};
static struct root *root;

static void answer(int fd, const char *line) {
  char text[64];
  int n;
  if (!strncmp(line, "put ", 4)) {
    root->value = atol(line + 4);
#if !defined EARLY && !defined LATE
    _mm_clflush(&root->value);
    _mm_sfence();
#endif
    n = snprintf(text, sizeof text, "done\r\n");
  } else {
    n = snprintf(text, sizeof text, "value %ld\r\n", root->value);
  }
  if (send(fd, text, (size_t)n, 0) != n)
    abort();
#ifdef LATE
  _mm_clflush(&root->value);
#endif
}

/* Everything that came, cut into lines; false: the client has gone. */
static int serve(int fd) {
  static char have[256];
  static size_t length;
  ssize_t n = read(fd, have + length, sizeof have - 1 - length);
  if (n <= 0)
    return 0;
  length += (size_t)n;
  have[length] = 0;
  for (char *end; (end = strstr(have, "\r\n"));) {
    *end = 0;
    answer(fd, have);
    length -= (size_t)(end + 2 - have);
    memmove(have, end + 2, length + 1);
  }
  return 1;
}

static struct sockaddr_in here(void) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

#ifdef THREAD
static void *client(void *unused) {
  struct sockaddr_in a = here();
  char text[64];
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  (void)unused;
  if (connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
    abort();
  const char *say = tidemark_failures() ? "get\r\n" : "put 5\r\n";
  if (write(fd, say, strlen(say)) < 0)
    abort();
  ssize_t n = recv(fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = 0;
  tidemark_outcome("%.*s", (int)strcspn(text, "\r"), text);
  exit(0);
}
#endif

int main(void) {
  root = tidemark_region("root", sizeof *root);
  struct sockaddr_in a = here();
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), set = epoll_create1(0);
  if (bind(listener, (struct sockaddr *)&a, sizeof a) != 0 || listen(listener, 8) != 0)
    return 1;
  struct epoll_event e = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(set, EPOLL_CTL_ADD, listener, &e);
#ifdef THREAD
  pthread_t t;
  pthread_create(&t, NULL, client, NULL);
#endif
  for (;;) {
    if (epoll_wait(set, &e, 1, 1000) != 1)
      continue; /* a server that looks at the clock once in a while */
    if (e.data.fd == listener) {
      e.data.fd = accept(listener, NULL, NULL);
      epoll_ctl(set, EPOLL_CTL_ADD, e.data.fd, &e);
    } else if (!serve(e.data.fd)) {
      close(e.data.fd);
    }
  }
}
