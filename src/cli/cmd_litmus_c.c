#include "cli/cmd_litmus_c.h"
#include "axiom/enumerate.h"
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CROSS_CHECK_MAX = 20 * 1000 }; /* candidates */
enum { EXIT_VIOLATED = 1, EXIT_BOUNDED = 5 };

bool litmus_is_c(const char *file) {
  static const char *const ends[] = {".c", ".cpp", ".cc", ".cxx", ".ll", ".bc"};
  size_t n = strlen(file);
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
    if (n > strlen(ends[i]) && !strcmp(file + n - strlen(ends[i]), ends[i]))
      return true;
  return false;
}

/* ---- the compiler --------------------------------------------------------------------------- */

static const char *beside(struct arena *a, const char *path) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0)
    return path;
  self[n] = 0;
  *strrchr(self, '/') = 0;
  return arena_format(a, "%s/../%s", self, path);
}

static const char *include_folder(struct arena *a) {
  const char *installed = beside(a, "include");
  return access(arena_format(a, "%s/tidemark.h", installed), R_OK) ? beside(a, "../include")
                                                                   : installed;
}

static void drain(int fd, struct str *to) {
  char buffer[65536];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0)
      str_append_bytes(to, buffer, (size_t)n);
  close(fd);
}

/* tidemark-lift's output; its messages go through a file, since somebody may be reading ours. */
static bool lift(const struct c_job *j, struct arena *a, struct str *text, FILE *err,
                 struct diag *d) {
  struct place where = {j->file, 0, 0};
  LIST(const char *) words = {0};
  const char *first[] = {beside(a, "libexec/tidemark-lift"), j->file,
                         arena_format(a, "-I%s", include_folder(a)),
                         arena_format(a, "-I%s/tidemark-cxx", include_folder(a))};
  for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
    list_push(a, &words, first[i]);
  /* std::shared_ptr of libstdc++ looks at both its counts with one load of 8 bytes, but not for tools
   * that it knows: models without parts of accesses could not tell what that load sees. */
  if (!c_model_joins_parts(j->model))
    list_push(a, &words, "-D_GLIBCXX_TSAN=1");
  for (int i = 0; i < j->options->compiler_flag_count; i++)
    list_push(a, &words, j->options->compiler_flags[i]);
  list_push(a, &words, NULL);
  int ends[2];
  FILE *messages = tmpfile();
  if (!messages || pipe(ends)) {
    diag_set(d, where, "cannot start the compiler: %s", strerror(errno));
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(messages), STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t child;
  int error = posix_spawn(&child, words.data[0], &actions, NULL, (char **)words.data, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    fclose(messages);
    diag_set(d, where, "%s: %s", words.data[0], strerror(error));
    return false;
  }
  drain(ends[0], text);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  struct str said = {0};
  rewind(messages);
  drain(dup(fileno(messages)), &said);
  fclose(messages);
  fputs(str_text(&said), err);
  str_free(&said);
  if (!WIFEXITED(status) || WEXITSTATUS(status))
    diag_set(d, where, "the compiler refused it");
  return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* ---- checking ------------------------------------------------------------------------------- */

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool litmus_c_check(const struct c_job *j, struct arena *a, struct c_outcome *o, FILE *err,
                    struct diag *d) {
  double start = cpu_seconds();
  *o = (struct c_outcome){.job = j};
  const char *target = j->options->target;
  o->target = target ? c_target_find(target, j->model) : c_target_of_model(j->model);
  if (!o->target) {
    diag_set(d, (struct place){j->file, 0, 0}, "no target '%s', expected --target=%s", target,
             c_target_names());
    return false;
  }
  struct str text = {0};
  struct c_module *module =
      lift(j, a, &text, err, d) ? c_module_read(text.data, text.length, a, d) : NULL;
  str_free(&text);
  if (!module)
    return false;
  struct c_options options = {.unroll = j->options->unroll, .target = o->target};
  options.thin_air = c_model_has_thin_air(j->model, o->target, a);
  options.coherent = !options.thin_air && c_model_is_coherent(j->model, o->target, a);
  options.control = c_model_knows_control(j->model);
  options.joins_parts = c_model_joins_parts(j->model);
  long candidates = j->options->cross_check ? CROSS_CHECK_MAX : SECOND_OPINION_MAX;
  o->program = c_check_module(module, &options, j->model, j->options->check.core, candidates, a,
                              &o->result, d);
  if (!o->program)
    return false;
  o->ignores_orders = !target && o->program->asks_order && !c_target_has_orders(o->target) &&
                      c_model_delays_writes(j->model, o->target, a);
  if (j->options->minimise_orders && o->result.verdict != C_VIOLATED &&
      !c_minimise_orders(module, &options, j->model, &o->result, a, &o->changes, &o->trials, d))
    return false;
  o->seconds = cpu_seconds() - start;
  return true;
}

int litmus_c_status(const struct c_outcome *o) {
  return o->result.verdict == C_VIOLATED  ? EXIT_VIOLATED
         : o->result.verdict == C_BOUNDED ? EXIT_BOUNDED
                                          : 0;
}
