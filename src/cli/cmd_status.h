/* tidemark status DIR...: how far a saved search is. */
#ifndef CLI_CMD_STATUS_H
#define CLI_CMD_STATUS_H

int cmd_status(int argc, char **argv);

#endif
