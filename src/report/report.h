/* A report: results, what was run, and what every format needs to say about them.
 *
 * report_prepare (report_prepare.c) turns code addresses into source positions and puts findings and
 * outcomes in an order that depends on nothing but the findings; report_conclude (conclusion.h) makes
 * the notes.  After them, all formats only read. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/str.h"
#include "finding/finding.h"
#include "report/run.h"
#include "report/source.h"

/* A finding that is known and left out of the verdict (silence.h). */
struct silenced {
  struct finding finding;
  char *by; /* "known.supp:3", "old.json" */
  bool baseline;
};

struct report {
  const char *version;
  const struct run *run;
  struct results *results;
  double wall_seconds;
  bool replay;                /* of one execution: it has no search to sum up */
  const char *flush_function; /* what --fix calls, or NULL */
  bool verify_fix;            /* and whether its changes are tried */
  const char *json_path; /* where the JSON report goes: replaying is easiest from there; or NULL */
  bool allow_empty;      /* a program that stores nothing is fine */
  bool internal_error;   /* results->error is ours, not the program's */

  /* Made by report_prepare and report_conclude. */
  bool empty;        /* nothing was stored, so nothing was checked */
  VEC(char *) notes; /* what the verdict does not say by itself, one line each */
  struct sources *sources;

  /* Made by report_silence. */
  VEC(struct silenced) silenced;
  const struct suppressions *suppressions; /* NULL: none were given */
  const struct baseline *baseline;         /* likewise */
};

void report_prepare(struct report *r);
void report_free(struct report *r); /* what was made for it; not the results */

/* Where the program asked for what is refused, one line a frame; nothing if that is not known. */
void report_error_stack(const struct report *r, struct str *out);

/* "assertion failed: found == value" */
void finding_headline(const struct finding *f, struct str *out);

/* The same for the same bug in the next version of the program: no lines, no addresses. */
void finding_fingerprint(const struct finding *f, struct str *out);

/* "-" for an execution without choices; NULL if no single execution shows it. */
const char *finding_token(const struct finding *f);

/* A command line that replays the finding (number: counted from 1). */
void finding_replay_command(const struct report *r, size_t number, struct str *out);

/* The whole command, quoted for a shell: program and arguments. */
void report_command(const struct run *run, struct str *out);
/* The same after the options that say what is checked, each with a blank before it. */
void report_options(const struct run *run, struct str *out);
void shell_quote(const char *word, struct str *out);

bool place_known(const struct place *p);
bool place_is_users_code(const struct place *p); /* and not of the system */
/* "btree.c:41:7", "libx.so+0x1234" or "?"; with_folder: the path as the compiler saw it. */
void place_text(const struct place *p, bool with_folder, struct str *out);

/* The name of a function for readers: of a long one without return type and template arguments. */
void function_text(const char *name, struct str *out);
const char *path_basename(const char *path);
/* The same place, its file relative to where the check was made if it is below.  Borrows texts. */
struct place place_from_directory(const struct run *run, const struct place *p);

/* Or is it only slower than it need be?  Such findings come last. */
bool finding_is_wrong(const struct finding *f);
const char *finding_level(const struct finding *f); /* "error", "warning" */

/* The place in the user's own code: the innermost frame with a source position that is not in a
 * system header, for findings whose own place is inside a library. */
const struct place *finding_place(const struct finding *f);
const struct place *part_place(const struct finding_part *x);
/* Frames up to the outermost of the user's code: how a library came to call that says nothing. */
size_t stack_users_length(const place_list *stack);

/* What became of candidate number `i` of a load. */
enum store_fate { STORE_READ, STORE_LOST, STORE_OLDER, STORE_LATER };
const char *store_fate_text(enum store_fate fate);
enum store_fate store_fate(const struct finding_load *l, size_t i);
/* Did it read anything but the newest store? */
bool load_is_stale(const struct finding_load *l);

/* Can anything fail in this model (pm, cxl), or do only threads take turns (sc, tso)? */
bool report_has_failures(const struct report *r);

/* "thread 1", in a cluster "machine 0, thread 1" */
void actor_text(const struct report *r, int machine, int thread, struct str *out);
/* Small numbers in decimal, others in hexadecimal. */
void value_text(uint64_t value, struct str *out);
/* "thread 1 stood before the store at x.c:7" */
void stand_text(struct sources *s, const struct finding_turn *t, struct str *out);
/* "at the end of the program", "before clwb" */
void failure_moment(const struct finding_failure *x, const char *quote, struct str *out);

/* "pool+0x40" */
void load_address_text(const struct finding_load *l, struct str *out);

/* "1,234,567" and "0.042" */
void count_text(uint64_t n, struct str *out);
/* The same where `digits`, unless it is NULL, has all of them: "1.84 x 10^19" if there are many. */
void total_text(uint64_t n, const char *digits, struct str *out);
void seconds_text(double seconds, struct str *out);

#endif
