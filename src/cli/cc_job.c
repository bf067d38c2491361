#include "cli/cc_job.h"
#include "cli/cc_run.h"
#include <string.h>

/* One quoted word of -###; backslash escapes '"', '\' and '$'. */
static const char *quoted_word(const char **text) {
  const char *p = *text + 1;
  struct str word = {0};
  str_append(&word, "");
  for (; *p && *p != '"'; p++) {
    if (*p == '\\' && p[1])
      p++;
    str_append_char(&word, *p);
  }
  *text = *p ? p + 1 : p;
  return str_text(&word);
}

static void read_job(struct cc_plan *plan, const char *line) {
  struct cc_job job = {0};
  const char *p = line;
  while (*(p += strspn(p, " ")) == '"')
    arg_push(&job.words, quoted_word(&p));
  vec_push(plan, job);
}

/* -fopenmp means our runtime library (src/openmp).  Who asks with -v for the libraries that it needs, as CMake does,
 * is told so, too. */
static void replace_openmp(struct cc_job *job, const char *ours) {
  for (size_t i = 1; i < job->words.length; i++)
    if (strcmp(job->words.data[i], "-lomp") == 0)
      job->words.data[i] = ours;
}

/* As clang -v shows a command, with quotes only where a word needs them: configure scripts look for
 * " -lc " there. */
static void show_job(struct str *to, const struct cc_job *job) {
  for (size_t i = 0; i < job->words.length; i++) {
    const char *word = job->words.data[i];
    bool quote = i == 0 || strpbrk(word, " \"\\$");
    str_append(to, quote ? " \"" : " ");
    for (; *word; word++) {
      if (strchr("\"\\$", *word))
        str_append_char(to, '\\');
      str_append_char(to, *word);
    }
    if (quote)
      str_append_char(to, '"');
  }
  str_append_char(to, '\n');
}

static bool is_header(const char *line) {
  static const char *const headers[] = {"Target:",
                                        "Thread model:",
                                        "InstalledDir:",
                                        " (in-process)",
                                        "Build config:",
                                        "Found candidate",
                                        "Selected ",
                                        "Configuration file:",
                                        "Candidate multilib:",
                                        NULL};
  for (const char *const *h = headers; *h; h++)
    if (strncmp(line, *h, strlen(*h)) == 0)
      return true;
  return strstr(line, "clang version ") != NULL && !strstr(line, "warning:");
}

int cc_plan_make(struct cc_plan *plan, const struct cc_paths *paths, const struct cc_args *args) {
  struct arg_list command = {0};
  arg_push(&command, paths->clang);
  arg_push(&command, "-###");
  for (size_t i = 0; i < args->clang.length; i++)
    arg_push(&command, args->clang.data[i]);
  struct str output = {0};
  int status = cc_run_capture(&command, &output);
  for (char *line = (char *)str_text(&output), *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    struct str text = {0};
    str_append_bytes(&text, line, (size_t)(end - line));
    str_append(&text, "");
    if (strncmp(line, " \"", 2) == 0) {
      read_job(plan, str_text(&text));
      if (cc_job_links(&vec_last(plan)))
        replace_openmp(&vec_last(plan), args->openmp);
      show_job(&plan->transcript, &vec_last(plan));
    } else {
      if (!is_header(str_text(&text)) && end != line)
        str_format(&plan->remarks, "%s\n", str_text(&text));
      str_format(&plan->transcript, "%s\n", str_text(&text));
    }
    str_free(&text);
    end += *end == '\n';
  }
  vec_free(&command);
  str_free(&output);
  return status;
}

static bool has_word(const struct cc_job *job, const char *word) {
  for (size_t i = 1; i < job->words.length; i++)
    if (strcmp(job->words.data[i], word) == 0)
      return true;
  return false;
}

const char *cc_job_value(const struct cc_job *job, const char *option) {
  for (size_t i = 1; i + 1 < job->words.length; i++)
    if (strcmp(job->words.data[i], option) == 0)
      return job->words.data[i + 1];
  return NULL;
}

bool cc_job_compiles(const struct cc_job *job) {
  return job->words.length > 1 && strcmp(job->words.data[1], "-cc1") == 0 &&
         (has_word(job, "-emit-obj") || has_word(job, "-S") || has_word(job, "-emit-llvm-bc") ||
          has_word(job, "-emit-llvm"));
}

bool cc_job_precompiles(const struct cc_job *job) {
  return job->words.length > 1 && strcmp(job->words.data[1], "-cc1") == 0 &&
         (has_word(job, "-emit-pch") || has_word(job, "-emit-module-interface") ||
          has_word(job, "-emit-reduced-module-interface") || has_word(job, "-emit-header-unit") ||
          has_word(job, "-emit-module"));
}

bool cc_job_links(const struct cc_job *job) {
  return job->words.length > 1 && strncmp(job->words.data[1], "-cc1", 4) != 0 &&
         (has_word(job, "-dynamic-linker") || has_word(job, "-shared") || has_word(job, "-r") ||
          has_word(job, "--eh-frame-hdr"));
}
