/* Mappings of files that are no persistent memory: interpose_map.c. */
#ifndef LIBC_MAP_H
#define LIBC_MAP_H

void map_init(void); /* once, before world_seal */

/* That call shares a real file with the program, which would survive a failure whole: ends with what to do. */
_Noreturn void map_refuse_outside(const char *call, int fd);

#endif
