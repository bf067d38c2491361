// Pipes, sockets, counters and sets of descriptors do under the checker what they do without it: the same
// assertions hold in both.
//
// RUN: %tidemark_cc -O1 %s -o %t -pthread && %t
// RUN: %tidemark check --allow-empty %t 2>&1 | %FileCheck %s
// RUN: %tidemark_cc -O2 -D_FORTIFY_SOURCE=2 %s -o %t.fortified -pthread
// RUN: %tidemark check --allow-empty %t.fortified 2>&1 | %FileCheck %s
// CHECK: no findings; the search is complete
#define _GNU_SOURCE
#undef NDEBUG
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static short ready(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  assert(poll(&p, 1, 0) >= 0);
  return p.revents;
}

static void *write_later(void *fd) {
  usleep(1000);
  assert(write(*(int *)fd, "later", 5) == 5);
  return NULL;
}

static void pipes(void) {
  int fd[2];
  char text[16];
  pthread_t t;
  assert(pipe(fd) == 0);
  assert(ready(fd[0], POLLIN) == 0 && ready(fd[1], POLLOUT) == POLLOUT);
  assert(write(fd[1], "hello", 5) == 5 && ready(fd[0], POLLIN) == POLLIN);
  assert(read(fd[0], text, 2) == 2 && read(fd[0], text + 2, 9) == 3 && !memcmp(text, "hello", 5));
  pthread_create(&t, NULL, write_later, &fd[1]);
  assert(read(fd[0], text, sizeof text) == 5 && !memcmp(text, "later", 5));
  pthread_join(t, NULL);
  assert(fcntl(fd[0], F_SETFL, O_NONBLOCK) == 0);
  assert(read(fd[0], text, 1) == -1 && errno == EAGAIN);
  int copy = dup(fd[1]);
  close(fd[1]);
  assert(ready(fd[0], POLLIN) == 0 && write(copy, "x", 1) == 1);
  close(copy);
  assert(ready(fd[0], POLLIN) == (POLLIN | POLLHUP));
  assert(read(fd[0], text, 4) == 1 && read(fd[0], text, 4) == 0 && ready(fd[0], POLLIN) == POLLHUP);
  close(fd[0]);
  assert(read(fd[0], text, 1) == -1 && errno == EBADF);
  assert(pipe2(fd, O_NONBLOCK) == 0 && read(fd[0], text, 1) == -1 && errno == EAGAIN);
  close(fd[0]);
  assert(write(fd[1], "x", 1) == -1 && errno == EPIPE && ready(fd[1], POLLOUT) == (POLLOUT | POLLERR));
  close(fd[1]);
}

static void counters(void) {
  uint64_t n = 5;
  int fd = eventfd(0, EFD_NONBLOCK), one = eventfd(2, EFD_SEMAPHORE);
  assert(read(fd, &n, 8) == -1 && errno == EAGAIN && ready(fd, POLLIN) == 0);
  assert(write(fd, &n, 8) == 8 && eventfd_write(fd, 2) == 0);
  assert(ready(fd, POLLIN) == POLLIN && read(fd, &n, 8) == 8 && n == 7);
  assert(eventfd_read(one, &n) == 0 && n == 1 && eventfd_read(one, &n) == 0 && n == 1);
  assert(ready(one, POLLIN) == 0 && read(one, &n, 4) == -1 && errno == EINVAL);
  close(fd);
  close(one);
}

static void pairs(void) {
  int fd[2], count;
  char a[8] = "", b[8] = "";
  struct iovec out[2] = {{"abc", 3}, {"defg", 4}}, in[2] = {{a, 5}, {b, 5}};
  struct msghdr m = {.msg_iov = out, .msg_iovlen = 2};
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
  assert(writev(fd[0], out, 2) == 7 && ioctl(fd[1], FIONREAD, &count) == 0 && count == 7);
  assert(recv(fd[1], a, 2, MSG_PEEK) == 2 && readv(fd[1], in, 2) == 7);
  assert(!strcmp(a, "abcde") && !strcmp(b, "fg"));
  assert(sendmsg(fd[1], &m, 0) == 7 && recv(fd[0], a, 7, MSG_WAITALL) == 7);
  assert(recv(fd[0], a, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  struct timeval t = {.tv_usec = 1000};
  assert(setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0);
  assert(recv(fd[0], a, 1, 0) == -1 && errno == EAGAIN);
  assert(shutdown(fd[1], SHUT_WR) == 0 && recv(fd[0], a, 1, 0) == 0 && send(fd[0], "x", 1, 0) == 1);
  assert(ready(fd[0], POLLIN | POLLOUT) == (POLLIN | POLLOUT) && read(fd[1], a, 1) == 1);
  close(fd[1]);
  assert(send(fd[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  assert(ready(fd[0], POLLIN) == (POLLIN | POLLHUP));
  close(fd[0]);
}

static void selects(void) {
  int fd[2];
  fd_set in, out;
  struct timeval none = {0}, some = {.tv_usec = 100};
  assert(pipe(fd) == 0 && select(0, NULL, NULL, NULL, &some) == 0);
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(fd[0], &in);
  FD_SET(fd[1], &out);
  assert(select(fd[1] + 1, &in, &out, NULL, &none) == 1 && !FD_ISSET(fd[0], &in) && FD_ISSET(fd[1], &out));
  assert(write(fd[1], "x", 1) == 1);
  FD_SET(fd[0], &in);
  assert(select(fd[1] + 1, &in, NULL, NULL, NULL) == 1 && FD_ISSET(fd[0], &in));
  close(fd[0]);
  close(fd[1]);
}

static void *connect_to(void *address) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  char c;
  assert(connect(fd, address, sizeof(struct sockaddr_in)) == 0);
  assert(send(fd, "a", 1, 0) == 1 && recv(fd, &c, 1, 0) == 1 && c == 'b');
  assert(recv(fd, &c, 1, 0) == 0);
  close(fd);
  return NULL;
}

static void servers(void) {
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
  struct sockaddr_in a, other;
  socklen_t n = sizeof a;
  struct epoll_event e = {.events = EPOLLIN, .data.u64 = 17};
  pthread_t t;
  char c;
  assert(getaddrinfo("127.0.0.1", "0", &hints, &found) == 0);
  int fd = socket(found->ai_family, found->ai_socktype, found->ai_protocol), set = epoll_create1(0);
  assert(bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, 4) == 0);
  freeaddrinfo(found);
  assert(getsockname(fd, (struct sockaddr *)&a, &n) == 0 && n == sizeof a && a.sin_port);
  assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0 && epoll_wait(set, &e, 1, 0) == 0);
  assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == -1 && errno == EEXIST);
  pthread_create(&t, NULL, connect_to, &a);
  assert(epoll_wait(set, &e, 1, -1) == 1 && e.data.u64 == 17 && e.events == EPOLLIN);
  n = sizeof other;
  int client = accept4(fd, (struct sockaddr *)&other, &n, SOCK_NONBLOCK);
  assert(client >= 0 && other.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
  e = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.fd = client};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, client, &e) == 0 && epoll_wait(set, &e, 1, -1) == 1);
  assert(e.data.fd == client && epoll_wait(set, &e, 1, 0) == 0); /* an edge */
  assert(recv(client, &c, 1, 0) == 1 && c == 'a' && recv(client, &c, 1, 0) == -1 && errno == EAGAIN);
  assert(send(client, "b", 1, 0) == 1);
  e = (struct epoll_event){.events = EPOLLOUT | EPOLLONESHOT};
  assert(epoll_ctl(set, EPOLL_CTL_MOD, client, &e) == 0 && epoll_wait(set, &e, 1, 0) == 1);
  assert(epoll_wait(set, &e, 1, 0) == 0);
  close(client);
  pthread_join(t, NULL);
  assert(epoll_ctl(set, EPOLL_CTL_DEL, client, &e) == -1 && errno == EBADF);
  close(fd);
  client = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(client, (struct sockaddr *)&a, sizeof a) == -1 && errno == ECONNREFUSED);
  close(client);
  close(set);
}

/* One port for each family, as servers have it that listen everywhere. */
static void families(void) {
  struct sockaddr_in a = {.sin_family = AF_INET};
  socklen_t n = sizeof a;
  int four = socket(AF_INET, SOCK_STREAM, 0), six = socket(AF_INET6, SOCK_STREAM, 0), yes = 1;
  assert(bind(four, (struct sockaddr *)&a, sizeof a) == 0 && listen(four, 1) == 0);
  assert(getsockname(four, (struct sockaddr *)&a, &n) == 0);
  struct sockaddr_in6 b = {.sin6_family = AF_INET6, .sin6_port = a.sin_port};
  if (six >= 0) { /* not every machine has it */
    assert(setsockopt(six, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == 0);
    assert(bind(six, (struct sockaddr *)&b, sizeof b) == 0 && listen(six, 1) == 0);
  }
  int again = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(again, (struct sockaddr *)&a, sizeof a) == -1 && errno == EADDRINUSE);
  close(again);
  close(six);
  close(four);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  pipes();
  counters();
  pairs();
  selects();
  servers();
  families();
  return 0;
}
