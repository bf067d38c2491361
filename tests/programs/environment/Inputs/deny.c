/* deny CALL=ERRNO... -- COMMAND: run it in a sandbox in which these system calls (numbers) fail. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int deny(unsigned call, unsigned error) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {4, code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
  int i = 1;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    char *error = strchr(argv[i], '=');
    if (!error || deny((unsigned)atoi(argv[i]), (unsigned)atoi(error + 1)))
      return 99;
  }
  execv(argv[i + 1], argv + i + 1);
  return 98;
}
