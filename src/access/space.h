/* The watched window: regions, and the lines the running execution has touched.
 *
 *   window.base                                    ABI_WINDOW_BASE + SPACE_OWN_OFFSET
 *   |  regions (SPACE_REGION_BYTES)        |  ...    |  the checker's own memory  |
 *
 * The program never touches the window directly: pages there are inaccessible, and hooks work on an
 * alias of the same memory at SPACE_ALIAS.  Whatever reaches the window without a hook faults and is
 * handled by access/bypass.c; nothing is read or written unseen.
 *
 * The alias holds what the running execution sees (its cache view).  Bytes that an earlier
 * execution may have left in doubt are "unknown" until they are first read or overwritten. */
#ifndef ACCESS_SPACE_H
#define ACCESS_SPACE_H

#include "event/window.h"
#include "memory/line.h"

struct str;

#define SPACE_REGION_BYTES ((size_t)256 << 30)
#define SPACE_SLOT_BYTES ((size_t)1 << 30)
#define SPACE_SLOTS (SPACE_REGION_BYTES / SPACE_SLOT_BYTES)
#define SPACE_OWN_OFFSET ((size_t)512 << 30) /* the checker's memory, from ABI_WINDOW_BASE */
#define SPACE_OWN_BYTES ((size_t)128 << 30)
#define SPACE_UNSHARED_BYTES ((size_t)16 << 30) /* of it, with --isolate: mem_begin_own */
#define SPACE_ALIAS ((uintptr_t)0x30 << ABI_WINDOW_SHIFT)
#define SPACE_INDEX ((uintptr_t)0x31 << ABI_WINDOW_SHIFT) /* of lines; not where libraries are */
#define SPACE_KNOWN (SPACE_INDEX + ((uintptr_t)1 << (ABI_WINDOW_SHIFT - 1)))

/* A line as the search and the running execution see it. */
struct space_line {
  struct line line; /* what earlier executions (cxl: all machines) have stored; see memory/line.h */
  /* The running execution.  Zero before it touches the line: */
  uint64_t *known;       /* bit per byte: the alias holds its value; in space_lines.known */
  uint64_t own;          /* ... because the execution itself has stored it (pm) */
  uint32_t positions;    /* own stores, counted as in struct line */
  uint32_t written_back; /* own positions known to be written back */
  int written_back_by; /* if there are any: by that thread (schedule.traces: others might not have yet) */
  /* Scratch of a fence: newest position that its flushes cover, and which flush. */
  uint32_t covered, covered_by;
  int writer; /* the thread that stored to it; SPACE_WRITERS: several */
  /* The cxl model: */
  uint64_t doubt;      /* bit per byte: a failed machine stored it and may have lost it */
  uint16_t dirty;      /* bit per live machine: has stores that may not be written back */
  bool noted;          /* it is in cxl.touched */
  uint32_t *flushed;   /* by machine: up to which position it has flushed; NULL: none has */
  bool touched;        /* it is on the list of lines to clean after the execution, */
  uint32_t touched_at; /* at that index */
  bool changed;        /* it is on the list of space_tree.c */
  bool observed;       /* loads of its unknown bytes are observations */
};

#define SPACE_WRITERS (-1)

static inline void space_note_writer(struct space_line *l, int thread) {
  l->writer = l->positions == 1 || l->writer == thread ? thread : SPACE_WRITERS;
}

struct region {
  char name[256];
  uintptr_t base;
  size_t bytes;
  const uint8_t *initial; /* contents before the first execution, or NULL: zeros */
  size_t initial_bytes;   /* of them given; what comes after is zero */
  bool must_be_mapped;    /* a file: usable only while the running execution has it mapped */
  bool garbage;           /* what is not given is garbage, not zeros (--fill) */
};

/* shared: the checker's own memory is to be shared with forked children. */
void space_init(bool shared);

/* Region by name, created if it is new, at the address or (0) anywhere; NULL if there is no room or the
 * name is too long. */
struct region *space_region(const char *name, size_t bytes, uintptr_t at);
/* At least to that size; false: there is no room behind it. */
bool space_grow(struct region *r, size_t bytes);
struct region *space_find(const char *name);
struct region *space_region_at(uintptr_t address); /* NULL: no region there */

/* Is [address, address + bytes) inside one region? */
bool space_valid(uintptr_t address, size_t bytes);

void space_must_be_mapped(struct region *r); /* it is a file: access/mapped.h */

static inline void *space_alias(uintptr_t address) {
  return (void *)(address - window.base + SPACE_ALIAS);
}

/* The line at that address.  space_line creates it; pre: inside a region. */
struct space_line *space_line(uintptr_t address);

/* Lines by their number within the regions' part of the window.  For space_line_if_any and loads of known
 * bytes (access/quick.h). */
#define SPACE_LINES_PER_CHUNK 1024
struct space_lines {
  uint32_t *index;            /* 0: no line yet */
  struct space_line **chunks; /* lines never move */
  uint64_t *known;            /* what space_line.known points to */
};
extern struct space_lines space_lines;

static inline struct space_line *space_line_if_any(uintptr_t address) {
  uint32_t index = space_lines.index[(address - window.base) / LINE_BYTES];
  return index ? &space_lines.chunks[index / SPACE_LINES_PER_CHUNK][index % SPACE_LINES_PER_CHUNK]
               : NULL;
}

/* Files that are regions, and those that the running execution has mapped. */
struct space_files {
  uint32_t known, mapped;
  size_t largest; /* bytes of a mapping, in any execution so far */
};
extern struct space_files space_files;
static inline bool space_files_are_mapped(void) {
  return space_files.known == space_files.mapped;
}

size_t space_line_count(void);
struct space_line *space_line_by_index(size_t index);

static inline bool space_is_own(const struct space_line *l, uintptr_t address, int size) {
  uint64_t bytes = (((uint64_t)1 << size) - 1) << (address % LINE_BYTES);
  return (l->own & bytes) == bytes;
}

/* --fill=garbage: from now on fresh memory holds garbage, the same at an address in every execution; every byte is 0x80
 * at least, so that no word is a valid pointer.  space_fresh: the program has asked for these bytes of a region, which
 * are fresh unless they were given out before. */
void space_fill_with_garbage(void);
void space_fresh(struct region *r, uintptr_t address, size_t bytes);

/* Note that the running execution has changed this line's alias or state. */
void space_touch(struct space_line *l);
/* Keep the list of changed lines, for states (space_tree.h); set before an execution begins. */
extern bool space_notes_changes;

/* From now on loads of unknown bytes are observations: in lines that have been stored to so far, or (if `all`) in every
 * line of every region. */
void space_begin_observing(bool all);
bool space_observes_all(void);

/* The region's first bytes have these contents before the first execution; the region may still grow.  Kept by
 * reference, in whole lines. */
void space_set_initial(struct region *r, const uint8_t *initial, size_t bytes);

/* Before an execution: alias back to the initial contents, no byte known. */
void space_reset(void);

/* The bytes of a line that the mask names. */
void space_copy_bytes(uint64_t which, unsigned char *to, const unsigned char *from);

/* pm: bytes that were read and not stored become unknown again, so that reading them once more is an
 * observation. */
void space_forget(void);
/* What the execution itself has stored there counts as read: memory holds the same. */
void space_disown(uintptr_t address, int size);

/* pm: what the execution knows and has stored, as bytes that are equal where that is the same; and back to it, after
 * space_reset. counts: including how often lines were stored to and written back. */
void space_put(struct str *out, bool counts);
void space_set(const char *bytes, size_t n);

void space_share(void); /* register what a run changes, for --isolate */

#endif
