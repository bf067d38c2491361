/* Sizes as people write them: "512M", "2G", "100000". */
#ifndef BASE_SIZE_H
#define BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes, or with K, M, G, T behind them that many times 1024; false: it is no such text. */
bool size_parse(const char *text, uint64_t *bytes);

#endif
