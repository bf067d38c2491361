/* tidemark replay: run one execution again, from a report or a token. */
#ifndef CLI_CMD_REPLAY_H
#define CLI_CMD_REPLAY_H

int cmd_replay(int argc, char **argv);

#endif
