#include "process/track.h"
#include "base/check.h"
#include "process/files.h"
#include "process/system_call.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than Debian 12's kernel headers. */
#define FEATURE_WP_ASYNC (1ull << 15)
#define CATEGORY_FOLLOWED (1ull << 0)
#define CATEGORY_WRITTEN (1ull << 1)
#define CATEGORY_PRESENT (1ull << 3)
#define CATEGORY_SWAPPED (1ull << 4)
#define CATEGORY_ZERO_PAGE (1ull << 5)

struct scan_region {
  uint64_t start, end, categories;
};

struct scan_argument {
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define FOUND_MAX 32 /* the kernel allocates as many each time */

#define PAGEMAP_SCAN_REQUEST _IOWR('f', 16, struct scan_argument)

static int fault_fd = -1, pagemap_fd = -1;

static void stop_tracking(void) {
  if (fault_fd >= 0)
    close(fault_fd);
  if (pagemap_fd >= 0)
    close(pagemap_fd);
  fault_fd = pagemap_fd = -1;
}

bool track_start(void) {
  /* Asynchronous protection is resolved inside the kernel, for system calls too; "user mode only"
   * is the form that needs no privilege. */
  long flags = O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY;
  fault_fd = files_to_host((int)syscall(SYS_userfaultfd, flags));
  pagemap_fd = files_to_host(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_WP_ASYNC};
  struct scan_argument probe = {.size = sizeof probe};
  if (fault_fd < 0 || pagemap_fd < 0 || ioctl(fault_fd, UFFDIO_API, &api) ||
      ioctl(pagemap_fd, PAGEMAP_SCAN_REQUEST, &probe) < 0) {
    stop_tracking();
    return false;
  }
  return true;
}

bool track_add(uintptr_t low, uintptr_t high) {
  struct uffdio_register r = {.range = {low, high - low}, .mode = UFFDIO_REGISTER_MODE_WP};
  return system_call(SYS_ioctl, fault_fd, UFFDIO_REGISTER, &r) == 0;
}

void track_protect(uintptr_t low, uintptr_t high) {
  struct uffdio_writeprotect w = {.range = {low, high - low}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
  if (low < high)
    CHECK(!ioctl(fault_fd, UFFDIO_WRITEPROTECT, &w), "write protection: errno %d", errno);
}

size_t track_scan(uintptr_t low, uintptr_t high, struct track_range *out, size_t max,
                  uintptr_t *next) {
  struct scan_region found[FOUND_MAX];
  if (max > FOUND_MAX)
    max = FOUND_MAX;
  struct scan_argument scan = {
      .size = sizeof scan,
      .start = low,
      .end = high,
      .vec = (uintptr_t)found,
      .vec_len = max,
      .category_inverted = CATEGORY_ZERO_PAGE,
      .category_mask = CATEGORY_FOLLOWED | CATEGORY_WRITTEN | CATEGORY_ZERO_PAGE,
      .category_anyof_mask = CATEGORY_PRESENT | CATEGORY_SWAPPED,
      .return_mask = CATEGORY_WRITTEN,
  };
  int n = ioctl(pagemap_fd, PAGEMAP_SCAN_REQUEST, &scan);
  CHECK(n >= 0, "PAGEMAP_SCAN: errno %d", errno);
  for (int i = 0; i < n; i++)
    out[i] = (struct track_range){found[i].start, found[i].end};
  *next = scan.walk_end;
  return (size_t)n;
}
