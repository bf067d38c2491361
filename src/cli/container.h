/* How much of the machine this process may use, where containers and batch systems leave it a part: control groups, of
 * both versions.  The kernel ends whoever takes more memory than that.
 *
 * The files are /proc/self/cgroup and what is mounted at /sys/fs/cgroup, where other ones are given. */
#ifndef CLI_CONTAINER_H
#define CLI_CONTAINER_H

#include <stdint.h>

uint64_t container_memory(const char *groups_file,
                          const char *mounted_at); /* bytes; UINT64_MAX: no limit */
int64_t container_cores(const char *groups_file, const char *mounted_at); /* INT64_MAX: no limit */

/* The machine's own, or what a container leaves of it. */
uint64_t machine_memory(void);
int64_t machine_cores(void);

#endif
