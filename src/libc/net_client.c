#include "libc/net_client.h"
#include "access/access.h"
#include "access/space.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libc/net.h"
#include "process/fiber.h"
#include "process/stop.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "thread/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES 200 /* of an answer, as a report shows it */

#define PATIENCE (10 * CLOCK_SECOND) /* that an answer may take, of the program's time */

#define MARKS "what the client has seen" /* the region with a byte for each mark */

enum action { CONNECT, SEND, EXPECT, WAIT, MARK, CLOSE };
enum when { ALWAYS, FIRST, RECOVERY, AFTER, BEFORE };

struct step {
  enum action action;
  enum when when;
  uint64_t mark; /* AFTER, BEFORE; MARK: its own */
  int line;
  uint64_t seconds; /* WAIT */
  struct str text;
};

/* Survives. */
static struct {
  const char *path;
  VEC(struct step) steps;
  VEC(struct str) marks; /* their names: number 1 is the first */
  /* While it is read: what the lines are for. */
  enum when when;
  uint64_t mark;
} script;

/* Goes back with the program. */
static struct {
  size_t next;            /* step */
  struct net_object *end; /* ours of the connection; NULL: none */
  uint64_t since;         /* the last step was taken then */
} client;

/* ---- reading the script ---- */

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void unescape(struct str *to, const char *from, size_t n) {
  static const char letters[] = "rnt\\", meanings[] = "\r\n\t\\";
  for (size_t i = 0; i < n; i++) {
    const char *letter = from[i] == '\\' && i + 1 < n ? strchr(letters, from[i + 1]) : NULL;
    if (from[i] == '\\' && i + 3 < n && from[i + 1] == 'x' && digit(from[i + 2]) >= 0 &&
        digit(from[i + 3]) >= 0) {
      str_append_char(to, (char)(digit(from[i + 2]) * 16 + digit(from[i + 3])));
      i += 3;
    } else if (letter && *letter) {
      str_append_char(to, meanings[letter - letters]);
      i++;
    } else {
      str_append_char(to, from[i]);
    }
  }
}

struct word {
  const char *name;
  enum action action;
  const char *end; /* of what is sent */
};

static const struct word words[] = {
    {"connect", CONNECT, ""}, {"send", SEND, "\r\n"}, {"bytes", SEND, ""},  {"mark", MARK, ""},
    {"expect", EXPECT, ""},   {"wait", WAIT, ""},     {"close", CLOSE, ""},
};

/* The number of a mark; 0: there is none of that name. */
static uint64_t mark_named(const char *name, size_t n) {
  for (size_t i = 0; i < script.marks.length; i++)
    if (script.marks.data[i].length == n && !memcmp(str_text(&script.marks.data[i]), name, n))
      return i + 1;
  return 0;
}

/* "[first]", "[after NAME]", ... */
static bool parse_section(const char *line, size_t n) {
  static const struct {
    const char *name;
    enum when when;
    bool marked;
  } sections[] = {{"[always]", ALWAYS, false},
                  {"[first]", FIRST, false},
                  {"[recovery]", RECOVERY, false},
                  {"[after ", AFTER, true},
                  {"[before ", BEFORE, true}};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    size_t length = strlen(sections[i].name);
    if (n < length || memcmp(line, sections[i].name, length) ||
        (sections[i].marked ? line[n - 1] != ']' : n != length))
      continue;
    script.when = sections[i].when;
    script.mark = sections[i].marked ? mark_named(line + length, n - length - 1) : 0;
    return !sections[i].marked || script.mark;
  }
  return false;
}

static bool parse_line(const char *line, size_t n, int number) {
  if (*line == '[')
    return parse_section(line, n);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i].name);
    if (n < length || memcmp(line, words[i].name, length) || (n > length && line[length] != ' '))
      continue;
    struct step s = {
        .action = words[i].action, .when = script.when, .mark = script.mark, .line = number};
    size_t skipped = n > length ? length + 1 : length;
    unescape(&s.text, line + skipped, n - skipped);
    str_append(&s.text, words[i].end);
    for (const char *c = str_text(&s.text); s.action == WAIT && *c >= '0' && *c <= '9'; c++)
      s.seconds = s.seconds * 10 + (uint64_t)(*c - '0');
    if (s.action == MARK) {
      struct str name = {0};
      str_append(&name, str_text(&s.text));
      vec_push(&script.marks, name);
      s.mark = script.marks.length;
    }
    vec_push(&script.steps, s);
    return true;
  }
  return false;
}

static bool parse(const struct str *text, struct str *error) {
  int number = 0;
  for (const char *line = str_text(text), *end; *line; line = *end ? end + 1 : end) {
    end = strchr(line, '\n');
    end = end ? end : line + strlen(line);
    size_t n = (size_t)(end - line);
    n -= n && line[n - 1] == '\r';
    number++;
    if (n && *line != '#' && !parse_line(line, n, number)) {
      str_format(
          error,
          "--client: %s:%d: none of connect, send, bytes, expect, wait, mark, close, [first], "
          "[recovery], [always], [after MARK], [before MARK]",
          script.path, number);
      return false;
    }
  }
  return true;
}

static bool read_script(struct str *text, struct str *error) {
  int fd = open(script.path, O_RDONLY | O_CLOEXEC);
  char block[4096];
  ssize_t n = -1;
  while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
    str_append_bytes(text, block, (size_t)n);
  if (n < 0)
    str_format(error, "--client: cannot read %s: %s", script.path, strerror(errno));
  if (fd >= 0)
    close(fd);
  return n == 0;
}

/* ---- acting ---- */

/* Where a line of the answer ends, `skipped` bytes on; NULL: it is not there yet. */
static const unsigned char *line_end(const struct net_object *o, size_t skipped) {
  return o->length > skipped ? memchr(o->data + o->first + skipped, '\n', o->length - skipped)
                             : NULL;
}

/* The line of so many bytes as patterns see it: without a carriage return at its end. */
static size_t shown_length(const unsigned char *from, size_t n) {
  return n - (n && from[n - 1] == '\r');
}

/* The line, without its end. */
static bool take_line(struct str *to) {
  struct net_object *o = client.end;
  const unsigned char *from = o->data + o->first, *end = line_end(o, 0);
  if (!end)
    return false;
  size_t n = (size_t)(end - from);
  str_append_bytes(to, from, shown_length(from, n));
  o->first += n + 1;
  o->length -= n + 1;
  return true;
}

static bool fits(const char *pattern, const char *text) {
  for (; *pattern; pattern++, text++) {
    if (*pattern == '*') {
      do
        if (fits(pattern + 1, text))
          return true;
      while (*text++);
      return false;
    }
    if (*pattern != '?' ? *pattern != *text : !*text)
      return false;
  }
  return !*text;
}

static void expect(const struct step *s) {
  struct str line = {0};
  char shown[LINE_MAX_BYTES + 1];
  bool answered = take_line(&line), right = answered && fits(str_text(&s->text), str_text(&line));
  size_t n = line.length < LINE_MAX_BYTES ? line.length : LINE_MAX_BYTES;
  memcpy(shown, str_text(&line), n);
  shown[n] = 0;
  str_free(&line); /* an execution that ends leaves nothing */
  if (!answered)
    stop_with(STOP_ASSERTION, NULL, "%s:%d: the client expects '%s', but %s", script.path, s->line,
              str_text(&s->text),
              client.end->peer ? "nothing more was answered" : "the connection was closed");
  if (!right)
    stop_with(STOP_ASSERTION, NULL, "%s:%d: the client expects '%s', the answer is '%s'",
              script.path, s->line, str_text(&s->text), shown);
}

static bool disconnect(void) {
  if (!client.end)
    return false;
  net_end(client.end);
  client.end = NULL;
  return true;
}

/* False: nobody listens there. */
static bool connect_to(const char *place) {
  struct net_object *listener = net_listener(place);
  if (!listener)
    return false;
  disconnect();
  client.end = net_new(NET_STREAM, false);
  net_connect(client.end, listener);
  return true;
}

/* The client is another machine, which does not fail: what it has seen is certain at once.  Where it is
 * kept is memory like any other, so that the search knows at which failures it was there already. */
static uintptr_t place_of(uint64_t mark) {
  struct region *r = space_region(MARKS, (script.marks.length | (LINE_BYTES - 1)) + 1, 0);
  return r ? r->base + mark - 1 : 0;
}

/* That a mark is not there says nothing of the server, whatever it did after its answer: analyses are told only of one
 * that is. */
static bool is_there(uint64_t mark) {
  uint8_t there = 0;
  thread_current()->ignores++;
  access_read(&there, place_of(mark), sizeof there, NULL);
  if (--thread_current()->ignores == 0)
    access_ignored();
  if (there)
    access_read(&there, place_of(mark), sizeof there, NULL);
  return there;
}

static uint64_t newest_mark(void) {
  uint64_t mark = script.marks.length;
  while (mark > 0 && !is_there(mark))
    mark--;
  return mark;
}

static void store_mark(uint64_t mark) {
  uint8_t there = 1;
  if (newest_mark() < mark)
    access_write(place_of(mark), &there, sizeof there, ACCESS_ATOMIC, NULL);
}

static void set_mark(uint64_t mark) {
  if (client.end)
    net_learn(client.end);
  store_mark(mark);
  access_flush(ABI_CLFLUSH, place_of(mark), NULL);
}

static bool is_for_now(const struct step *s) {
  if (s->when == ALWAYS)
    return true;
  if ((s->when == FIRST) != (access_failures() == 0))
    return false;
  return s->action == MARK || (s->when != AFTER && s->when != BEFORE) ||
         (s->when == AFTER) == (newest_mark() >= s->mark);
}

/* Is it too early for that step?  The server may only be waiting for time to pass. */
static bool is_early(const struct step *s) {
  uint64_t passed = clock_time() - client.since;
  if (!thread_time_can_pass())
    return false;
  if (s->action == WAIT)
    return passed < s->seconds * CLOCK_SECOND;
  return s->action == EXPECT && client.end->peer && !line_end(client.end, 0) && passed < PATIENCE;
}

/* Nobody else can go on: what the client does now wakes somebody (true), or it waits, too. */
static bool act(void) {
  while (client.next < script.steps.length) {
    const struct step *s = &script.steps.data[client.next];
    bool wakes = s->action == CONNECT || s->action == SEND;
    if (!is_for_now(s)) {
      client.next++;
      continue;
    }
    if (s->action == CONNECT
            ? !connect_to(s->text.length ? str_text(&s->text) : NULL)
            : !client.end && (s->action == SEND || s->action == EXPECT) && !connect_to(NULL))
      return false;
    if (is_early(s))
      return false;
    client.next++;
    client.since = clock_time();
    if (s->action == SEND)
      net_send(client.end, str_text(&s->text), s->text.length);
    else if (s->action == CLOSE)
      wakes = disconnect();
    else if (s->action == EXPECT)
      expect(s);
    else if (s->action == MARK)
      set_mark(s->mark);
    if (wakes)
      return true;
  }
  if (!disconnect())
    stop_finished(0);
  return true;
}

/* Does the line that begins there fit?  Then its length with its end, otherwise 0. */
static size_t fitting_line(const struct step *s, size_t skipped) {
  const unsigned char *from = client.end->data + client.end->first + skipped;
  const unsigned char *end = line_end(client.end, skipped);
  if (!end)
    return 0;
  struct str line = {0};
  str_append_bytes(&line, from, shown_length(from, (size_t)(end - from)));
  bool fit = fits(str_text(&s->text), str_text(&line));
  str_free(&line);
  return fit ? (size_t)(end - from) + 1 : 0;
}

/* The server has answered, and goes on.  From now on the client may have seen the answer, and if a mark follows in the
 * script it may be there; that it is there is certain when the server waits for it (act).  So a mark is stored now and
 * flushed then: what a failure in between leaves of it is either. */
static void foresee(const struct net_object *reader) {
  size_t skipped = 0;
  if (reader != client.end)
    return;
  for (size_t i = client.next; i < script.steps.length; i++) {
    const struct step *s = &script.steps.data[i];
    if (s->action != EXPECT && s->action != MARK)
      return;
    if (!is_for_now(s))
      continue;
    size_t n = s->action == EXPECT ? fitting_line(s, skipped) : 0;
    if (s->action == MARK)
      store_mark(s->mark);
    else if (!n)
      return;
    skipped += n;
  }
}

bool net_client_init(const char *path, struct str *error) {
  struct str text = {0};
  world_include(&client, sizeof client);
  if (!*path)
    return true;
  script.path = path;
  bool good = read_script(&text, error) && parse(&text, error);
  str_free(&text);
  thread_on_idle = act;
  net_answered = foresee;
  return good;
}
