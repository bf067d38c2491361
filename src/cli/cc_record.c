#include "cli/cc_record.h"
#include "cli/cc_run.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put_word(struct str *out, const char *word) {
  str_append(out, "\t.ascii \"");
  for (; *word; word++) {
    unsigned char c = (unsigned char)*word;
    if (c < ' ' || c > '~' || strchr("\"\\;#", c)) /* ; and # end a statement for some readers */
      str_format(out, "\\%03o", c);
    else
      str_append_char(out, (char)c);
  }
  str_append(out, "\\000\"\n");
}

/* The driver by its full path, under the name by which it was called. */
static void put_driver(struct str *out, const char *called) {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  const char *slash = strrchr(called, '/'), *name = slash ? slash + 1 : called;
  struct str driver = {0};
  if (n > 0) {
    path[n] = 0;
    char *end = strrchr(path, '/');
    str_append_bytes(&driver, path, end ? (size_t)(end - path) + 1 : 0);
  }
  str_append(&driver, name);
  put_word(out, str_text(&driver));
  str_free(&driver);
}

void cc_record_command(struct cc_args *args, int count, char **words) {
  char here[4096];
  struct str *out = &args->record;
  if (!getcwd(here, sizeof here))
    return;
  str_append(out, "\t.pushsection " CC_RECORD_SECTION ",\"\",@progbits\n");
  put_word(out, here);
  put_driver(out, words[0]);
  for (int i = 1; i < count; i++)
    put_word(out, words[i]);
  str_append(out, "\t.ascii \"\\000\"\n\t.popsection\n");
}

void cc_record_link(struct cc_job *job, const struct cc_args *args, const char *clang) {
  const char *assembly = cc_temporary(".s"), *object = cc_temporary(".o");
  FILE *f = assembly && object && args->record.length ? fopen(assembly, "w") : NULL;
  if (!f)
    return; /* the program is linked all the same */
  fputs(str_text(&args->record), f);
  fputs("\t.section .note.GNU-stack,\"\",@progbits\n", f);
  fclose(f);
  struct arg_list command = {0};
  const char *const words[] = {clang, "-c", "-x", "assembler", assembly, "-o", object};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    arg_push(&command, words[i]);
  if (cc_run(&command) == 0)
    arg_push(&job->words, object);
  vec_free(&command);
}
