/* The tidemark command, whatever starts it. */
#ifndef CLI_TIDEMARK_H
#define CLI_TIDEMARK_H

int tidemark_main(int argc, char **argv);

#endif
