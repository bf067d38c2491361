/* `tidemark litmus`: tests against axiomatic memory models.  docs/litmus.md is its manual. */
#ifndef CLI_CMD_LITMUS_H
#define CLI_CMD_LITMUS_H

int cmd_litmus(int argc, char **argv); /* argv[0] = "litmus"; returns the exit status */

#endif
