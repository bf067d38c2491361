#include "cli/help.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/session.h"
#include "finding/analysis_kind.h"
#include <stdio.h>
#include <string.h>

#define WIDTH 80
#define MEANING_COLUMN 30

static const struct command {
  const char *name, *synopsis, *title, *description;
  unsigned use;
} commands[] = {
    {"check", "[options] ./program [arguments]", "explore every failure or schedule of a program",
     "Runs a program that was built with tidemark-cc, lets the power fail at every point that can "
     "matter, and runs it again on everything that persistent memory may then contain. With "
     "--model=cxl machines that share memory fail one by one instead, and the others go on; with "
     "--model=sc and --model=tso nothing fails, and every schedule of the program's threads is "
     "explored. Failed "
     "assertions, crashes, hangs and error exits of any such execution are reported with the line "
     "to look at. Options end at the program; '--' before it is allowed.",
     USE_CHECK},
    {"replay", "report.json [options]", "run one execution of a report again",
     "Reads a JSON report, or one finding of it saved on its own, and runs exactly that execution "
     "again, with the program's output shown. The exit status is 1 if the finding shows up again "
     "and 5 if it does not. Instead of a file, --token=TOKEN with the options and the program of "
     "the check works as well.",
     USE_REPLAY},
    {"merge", "[options] DIR...", "the report of a search in shards",
     "Puts together what 'tidemark check --shard=I/N --save=DIR' left in these directories. The "
     "report "
     "and the exit status are those of one check of everything; it is incomplete if a shard is "
     "missing or not finished.",
     USE_MERGE},
    {"status", "DIR...", "how far a saved search is",
     "Says for each directory of 'tidemark check --save=DIR' what is searched there, how far that "
     "is and how fast, what was found, and, where that can be told, how long it will take. It may "
     "run while the search does.",
     USE_STATUS},
    {"litmus", "[options] test.litmus...", "decide litmus tests under a memory model",
     "For each test: is its outcome allowed? With a witness if it is, and with the constraints "
     "that forbid it if it is not. A small C or C++ program (prog.c) is a test, too: can an "
     "assertion fail, is there a data race?",
     USE_LITMUS},
};

#define COMMANDS (sizeof commands / sizeof *commands)

static const struct {
  int status;
  const char *meaning;
} exit_statuses[] = {
    {EXIT_STATUS_CLEAN, "the search is complete and found nothing"},
    {EXIT_STATUS_FINDINGS, "there are findings (the search may be incomplete: the report says so)"},
    {EXIT_STATUS_USAGE, "a mistake on the command line, or a report file that cannot be written"},
    {EXIT_STATUS_PROGRAM, "the program could not be loaded or run"},
    {EXIT_STATUS_INTERNAL, "an internal error of tidemark"},
    {EXIT_STATUS_INCOMPLETE, "nothing was found, but the search is incomplete"},
};

static const struct {
  const char *name, *meaning;
} variables[] = {
    {"TIDEMARK_OPTIONS", "defaults for options, as name=value:name=value; '\\:' is a colon in a "
                         "value. The command line comes later and wins."},
    {"TIDEMARK_WORKER",
     "the worker executable, if not ../libexec/tidemark-worker beside tidemark."},
    {"NO_COLOR", "if set, the text report has no colours."},
};

static const struct command *find_command(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

/* ---- text ---- */

/* Words of `text`, wrapped; the cursor is at column `at`, further lines start at `indent`. */
static void put_wrapped(struct str *out, const char *text, int at, int indent) {
  while (*text) {
    int n = (int)strcspn(text, " ");
    if (at > indent && at + 1 + n > WIDTH) {
      str_format(out, "\n%*s", indent, "");
      at = indent;
    } else if (at > indent) {
      str_append_char(out, ' ');
      at++;
    }
    str_append_bytes(out, text, (size_t)n);
    at += n;
    text += n;
    text += strspn(text, " ");
  }
  str_append_char(out, '\n');
}

static void put_name(const struct option_spec *s, struct str *out) {
  str_format(out, "--%s%s%s", s->name, s->argument ? "=" : "", s->argument ? s->argument : "");
}

static void put_bare_meaning(const struct option_spec *s, struct str *out) {
  if (option_put_models(s, "", ", ", out))
    str_append(out, ": ");
  str_append(out, s->meaning);
}

/* The meaning, with the default and what this version lacks. */
static void put_meaning(const struct option_spec *s, struct str *out) {
  put_bare_meaning(s, out);
  if (*s->fallback)
    str_format(out, " [default: %s]", s->fallback);
  if (s->available && !strcmp(s->available, ""))
    str_append(out, " [not available in this version]");
  else if (s->available)
    str_format(out, " [in this version: %s]", s->available);
}

static void put_option(struct str *out, const struct option_spec *s) {
  struct str name = {0}, meaning = {0};
  put_name(s, &name);
  put_meaning(s, &meaning);
  str_format(out, "  %s", str_text(&name));
  int at = 2 + (int)name.length;
  if (at + 2 > MEANING_COLUMN)
    str_format(out, "\n%*s", MEANING_COLUMN, "");
  else
    str_format(out, "%*s", MEANING_COLUMN - at, "");
  put_wrapped(out, str_text(&meaning), MEANING_COLUMN, MEANING_COLUMN);
  str_free(&name);
  str_free(&meaning);
}

static bool in_group(int option, int group, unsigned use) {
  return (int)option_specs[option].group == group && (option_specs[option].uses & use);
}

static bool group_has_options(int group, unsigned use) {
  for (int i = 0; i < OPTION_COUNT; i++)
    if (in_group(i, group, use))
      return true;
  return false;
}

static void put_exit_statuses(struct str *out) {
  str_append(out, "\nExit status:\n");
  for (size_t i = 0; i < sizeof exit_statuses / sizeof *exit_statuses; i++) {
    str_format(out, "  %d  ", exit_statuses[i].status);
    put_wrapped(out, exit_statuses[i].meaning, 5, 5);
  }
}

static void put_overview(struct str *out) {
  str_append(out, "Usage: tidemark COMMAND ...\n\n");
  put_wrapped(out,
              "What may a program see when the power fails, a machine dies, or its threads run in "
              "another order, and is that still correct?",
              0, 0);
  str_append(out, "\nCommands:\n");
  for (size_t i = 0; i < COMMANDS; i++)
    str_format(out, "  %-8s %-32s %s\n", commands[i].name, commands[i].synopsis, commands[i].title);
  str_append(out,
             "  help     [command]                        explain a command and its options\n");
  str_append(out, "\n  --version                                 print the version\n");
  put_exit_statuses(out);
  str_append(out, "\nA first check:\n"
                  "  tidemark-cc -g -o prog prog.c\n"
                  "  tidemark check ./prog                           # persistent memory\n"
                  "  tidemark check --model=cxl --machines=2 ./prog  # shared CXL memory\n"
                  "  tidemark check --model=sc ./prog                # threads\n"
                  "  tidemark check --model=tso ./prog               # lock-free code for x86\n");
}

bool help_text(const char *name, struct str *out) {
  if (!name) {
    put_overview(out);
    return true;
  }
  const struct command *c = find_command(name);
  if (!c)
    return false;
  str_format(out, "Usage: tidemark %s %s\n\n", c->name, c->synopsis);
  put_wrapped(out, c->description, 0, 0);
  for (int g = 0; g < OPTION_GROUP_COUNT; g++) {
    if (!group_has_options(g, c->use))
      continue;
    str_format(out, "\n%s:\n", option_group_heading(g));
    for (int i = 0; i < OPTION_COUNT; i++)
      if (in_group(i, g, c->use))
        put_option(out, &option_specs[i]);
  }
  if (c->use == USE_LITMUS) {
    str_append(out,
               "\nExit status:\n"
               "  0  every test was decided, and every C program verified\n"
               "  1  a C program is violated, or --expect or --cross-check found a difference\n"
               "  2  something could not be read\n"
               "  4  an internal error of tidemark\n"
               "  5  something is undecided: --timeout, or loops beyond --unroll\n");
    return true;
  }
  put_exit_statuses(out);
  str_append(out, "\nEnvironment:\n");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    str_format(out, "  %-18s ", variables[i].name);
    put_wrapped(out, variables[i].meaning, 21, 21);
  }
  return true;
}

/* ---- man page ---- */

static void put_roff(struct str *out, const char *text) {
  for (const char *p = text; *p; p++) {
    if (*p == '\\')
      str_append(out, "\\e");
    else if (*p == '-')
      str_append(out, "\\-");
    else if ((*p == '\'' || *p == '.') && (p == text || p[-1] == '\n'))
      str_format(out, "\\&%c", *p);
    else
      str_append_char(out, *p);
  }
}

static void man_section(struct str *out, const char *name) {
  str_format(out, ".SH %s\n", name);
}

static void man_item(struct str *out, const char *bold, const char *text) {
  str_append(out, ".TP\n\\fB");
  put_roff(out, bold);
  str_append(out, "\\fR\n");
  put_roff(out, text);
  str_append_char(out, '\n');
}

static void man_header(struct str *out, const char *page, const char *title) {
  struct str upper = {0};
  for (const char *p = page; *p; p++)
    str_append_char(&upper, (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p));
  str_format(out, ".TH %s 1 \"\" \"tidemark %s\" \"Tidemark\"\n", str_text(&upper),
             TIDEMARK_VERSION);
  str_free(&upper);
  man_section(out, "NAME");
  str_append(out, page);
  str_append(out, " \\- ");
  put_roff(out, title);
  str_append_char(out, '\n');
}

static void man_footer(struct str *out, const char *see_also) {
  man_section(out, "EXIT STATUS");
  for (size_t i = 0; i < sizeof exit_statuses / sizeof *exit_statuses; i++) {
    char number[2] = {(char)('0' + exit_statuses[i].status), 0};
    man_item(out, number, exit_statuses[i].meaning);
  }
  man_section(out, "ENVIRONMENT");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    man_item(out, variables[i].name, variables[i].meaning);
  man_section(out, "SEE ALSO");
  str_format(out, "%s\n", see_also);
}

static void man_options(struct str *out, unsigned use) {
  man_section(out, "OPTIONS");
  for (int g = 0; g < OPTION_GROUP_COUNT; g++) {
    if (!group_has_options(g, use))
      continue;
    str_format(out, ".SS %s\n", option_group_heading(g));
    for (int i = 0; i < OPTION_COUNT; i++) {
      if (!in_group(i, g, use))
        continue;
      struct str name = {0}, meaning = {0};
      put_name(&option_specs[i], &name);
      put_meaning(&option_specs[i], &meaning);
      man_item(out, str_text(&name), str_text(&meaning));
      str_free(&name);
      str_free(&meaning);
    }
  }
}

bool help_man(const char *name, struct str *out) {
  if (!name) {
    man_header(out, "tidemark", "what may a program see after a failure, or in another schedule?");
    man_section(out, "SYNOPSIS");
    for (size_t i = 0; i < COMMANDS; i++) {
      str_format(out, ".B tidemark %s\n", commands[i].name);
      put_roff(out, commands[i].synopsis);
      str_append(out, "\n.br\n");
    }
    man_section(out, "COMMANDS");
    for (size_t i = 0; i < COMMANDS; i++)
      man_item(out, commands[i].name, commands[i].description);
    man_footer(out, "tidemark\\-check(1), tidemark\\-replay(1), tidemark\\-merge(1), "
                    "tidemark\\-status(1), tidemark\\-litmus(1), tidemark\\-cc(1)");
    return true;
  }
  const struct command *c = find_command(name);
  if (!c)
    return false;
  struct str page = {0};
  str_format(&page, "tidemark-%s", name);
  man_header(out, str_text(&page), c->title);
  str_free(&page);
  man_section(out, "SYNOPSIS");
  str_format(out, ".B tidemark %s\n", name);
  put_roff(out, c->synopsis);
  str_append_char(out, '\n');
  man_section(out, "DESCRIPTION");
  put_roff(out, c->description);
  str_append_char(out, '\n');
  man_options(out, c->use);
  man_footer(out, "tidemark(1)");
  return true;
}

/* ---- tables for the manual ---- */

static void put_cell(struct str *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|')
      str_append_char(out, '\\');
    str_append_char(out, *text);
  }
}

bool help_markdown(const char *name, struct str *out) {
  const struct command *c = name ? find_command(name) : NULL;
  if (!c)
    return false;
  str_append(out, "| option | meaning | default |\n|---|---|---|\n");
  for (int g = 0; g < OPTION_GROUP_COUNT; g++) {
    for (int i = 0; i < OPTION_COUNT; i++) {
      if (!in_group(i, g, c->use))
        continue;
      const struct option_spec *s = &option_specs[i];
      struct str text = {0}, meaning = {0};
      put_name(s, &text);
      put_bare_meaning(s, &meaning);
      str_append(out, "| `");
      put_cell(out, str_text(&text));
      str_append(out, "` | ");
      put_cell(out, str_text(&meaning));
      if (s->available && !*s->available)
        str_append(out, " (not available in this version)");
      else if (s->available) {
        str_append(out, " (in this version: ");
        put_cell(out, s->available);
        str_append(out, ")");
      }
      str_append(out, " | ");
      put_cell(out, s->type == OPTION_FLAG ? "off" : s->fallback);
      str_append(out, " |\n");
      str_free(&text);
      str_free(&meaning);
    }
  }
  return true;
}

/* ---- completion ---- */

/* What users complete, of a value in words: fixed|random|pct:D has fixed, random and pct:. */
static void put_words(struct str *out, const char *values) {
  bool skip = false;
  str_append(out, " COMPREPLY=($(compgen -W '");
  for (const char *p = values; *p; p++) {
    skip = skip && *p != '|';
    if (!skip)
      str_append_char(out, *p == '|' ? ' ' : *p);
    skip |= *p == ':';
  }
  str_append(out, "' -- \"$value\")) ;;\n");
}

static void put_analyses(struct str *out) {
  str_append(out, " COMPREPLY=($(compgen -W '");
#define ANALYSIS(id, bit, name) str_append(out, name " ");
  ANALYSIS_KINDS(ANALYSIS)
#undef ANALYSIS
  str_append(out, "' -- \"${value##*,}\"))\n"
                  "    [[ $value == *,* ]] && COMPREPLY=(\"${COMPREPLY[@]/#/${value%,*},}\") ;;\n");
}

static void put_value(struct str *out, const struct option_spec *s) {
  if (s->type == OPTION_CHOICE && s->available)
    put_words(out, s->available);
  else if (strstr(s->argument, "FILE"))
    str_append(out, " COMPREPLY=($(compgen -f -- \"$value\")) ;;\n");
  else if (s->type == OPTION_CHOICE || strchr(s->argument, '|'))
    put_words(out, s->argument);
  else if (s == &option_specs[OPTION_ANALYSES])
    put_analyses(out);
  else if (s->type == OPTION_FILE)
    str_append(out, " COMPREPLY=($(compgen -f -- \"$value\")) ;;\n");
  else
    str_append(out, " COMPREPLY=() ;;\n");
}

static void put_values(struct str *out) {
  for (size_t c = 0; c < COMMANDS; c++) {
    for (int i = 0; i < OPTION_COUNT; i++) {
      const struct option_spec *s = &option_specs[i];
      if (!(s->uses & commands[c].use) || s->type == OPTION_FLAG)
        continue;
      str_format(out, "  %s:--%s)", commands[c].name, s->name);
      put_value(out, s);
    }
  }
}

static void put_option_names(struct str *out) {
  for (size_t c = 0; c < COMMANDS; c++) {
    str_format(out, "  %s) options='--help", commands[c].name);
    for (int i = 0; i < OPTION_COUNT; i++)
      if (option_specs[i].uses & commands[c].use)
        str_format(out, " --%s%s", option_specs[i].name,
                   option_specs[i].type == OPTION_FLAG ? "" : "=");
    str_append(out, "' ;;\n");
  }
}

void help_completion(struct str *out) {
  str_append(out, "# bash completion of tidemark; made by 'tidemark help --completion'.\n"
                  "_tidemark_value() {\n"
                  "  local value=$3\n"
                  "  case $1:$2 in\n");
  put_values(out);
  str_append(out, "  esac\n"
                  "}\n\n"
                  "_tidemark() {\n"
                  "  local word previous words cword options='' command\n"
                  "  _get_comp_words_by_ref -n = -c word -p previous -w words -i cword "
                  "2>/dev/null || return\n"
                  "  COMPREPLY=()\n"
                  "  if ((cword == 1)); then\n"
                  "    COMPREPLY=($(compgen -W 'check replay merge status litmus help --help "
                  "--version' -- "
                  "\"$word\"))\n"
                  "    return\n"
                  "  fi\n"
                  "  command=${words[1]}\n"
                  "  if [[ $word == --*=* ]]; then\n"
                  "    _tidemark_value \"$command\" \"${word%%=*}\" \"${word#*=}\"\n"
                  "    return\n"
                  "  fi\n"
                  "  case $command in\n");
  put_option_names(out);
  str_append(out, "  help) options='check replay merge status litmus' ;;\n"
                  "  esac\n"
                  "  if [[ $word == -* || $command == help ]]; then\n"
                  "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                  "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
                  "  else\n"
                  "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
                  "    compopt -o filenames 2>/dev/null\n"
                  "  fi\n"
                  "}\n"
                  "complete -F _tidemark tidemark\n");
}

/* ---- the command ---- */

static int show(const struct str *text) {
  struct str error = {0};
  fwrite(text->data, 1, text->length, stdout);
  return output_flush(&error) ? EXIT_STATUS_CLEAN : session_fail(EXIT_STATUS_USAGE, &error);
}

int help_show(const char *command) {
  struct str text = {0};
  if (!help_text(command, &text)) {
    str_format(&text, "no such command: %s (there are check, replay, merge, status, litmus, help)",
               command);
    return session_fail(EXIT_STATUS_USAGE, &text);
  }
  int status = show(&text);
  str_free(&text);
  return status;
}

int cmd_help(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : NULL, *command = argc > 2 ? argv[2] : NULL;
  struct str text = {0};
  bool ok = true;
  if (what && strcmp(what, "--man") == 0)
    ok = help_man(command, &text);
  else if (what && strcmp(what, "--markdown") == 0)
    ok = help_markdown(command, &text);
  else if (what && strcmp(what, "--completion") == 0)
    help_completion(&text);
  else
    return help_show(what);
  if (!ok) {
    str_format(&text, "no such page: %s", command ? command : "(none given)");
    return session_fail(EXIT_STATUS_USAGE, &text);
  }
  int status = show(&text);
  str_free(&text);
  return status;
}
