/* tidemark check: search a program for executions that go wrong. */
#ifndef CLI_CMD_CHECK_H
#define CLI_CMD_CHECK_H

/* argv[0] is the name of the command; the result is the exit status. */
int cmd_check(int argc, char **argv);

#endif
