#include "access/stacks.h"
#include "base/hash.h"
#include "base/map.h"
#include "process/program.h"
#include "process/share.h"

bool stacks_on;

static struct {
  struct map events, loads; /* 1 + number */
  event_frames_list frames;
} noted;

static uint32_t take(void) {
  struct event_frames frames;
  program_frames(&frames);
  vec_push(&noted.frames, frames);
  return (uint32_t)noted.frames.length;
}

static const struct event_frames *find(const struct map *m, uint64_t key) {
  uint32_t number = map_get(m, key);
  return number ? &noted.frames.data[number - 1] : NULL;
}

static uint64_t load_key(int failures, uintptr_t address, int size, const struct abi_site *site) {
  uint64_t h = hash_u64((uint64_t)failures << 8 | (uint64_t)size, address);
  return hash_u64(h, (uintptr_t)site) | 1;
}

void stacks_note_event(uint32_t event) {
  *map_at(&noted.events, (uint64_t)event + 1) = take();
}

void stacks_note_load(int failures, uintptr_t address, int size, const struct abi_site *site) {
  uint32_t *number = map_at(&noted.loads, load_key(failures, address, size, site));
  if (!*number) /* later ones read the same */
    *number = take();
}

const struct event_frames *stacks_of_event(uint32_t event) {
  return find(&noted.events, (uint64_t)event + 1);
}

const struct event_frames *stacks_of_load(int failures, uintptr_t address, int size,
                                          const struct abi_site *site) {
  return find(&noted.loads, load_key(failures, address, size, site));
}

void stacks_share(void) {
  share_register(&noted, sizeof noted);
}
