/* tidemark merge DIR...: the report of a search whose shards were searched apart. */
#ifndef CLI_CMD_MERGE_H
#define CLI_CMD_MERGE_H

int cmd_merge(int argc, char **argv);

#endif
