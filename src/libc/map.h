/* Ordinary mappings of the program: interpose_map.c. */
#ifndef LIBC_MAP_H
#define LIBC_MAP_H

void map_init(void); /* once, before world_seal */

#endif
