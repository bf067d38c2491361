#include "cli/build_record.h"
#include "cli/cc_record.h"
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static void read_section(const char *program, struct build_record *r) {
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  elf_version(EV_CURRENT);
  Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
  size_t names;
  if (elf && elf_getshdrstrndx(elf, &names) == 0)
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
      GElf_Shdr header;
      const char *name = gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
      Elf_Data *data = name && strcmp(name, CC_RECORD_SECTION) == 0 ? elf_getdata(s, NULL) : NULL;
      for (size_t i = 0; data && i < data->d_size; i++)
        vec_push(&r->text, ((const char *)data->d_buf)[i]);
    }
  if (elf)
    elf_end(elf);
  if (fd >= 0)
    close(fd);
}

static bool same_command(const struct build_command *a, const struct build_command *b) {
  if (strcmp(a->directory, b->directory) != 0 || a->words.length != b->words.length)
    return false;
  for (size_t i = 0; i < a->words.length; i++)
    if (strcmp(a->words.data[i], b->words.data[i]) != 0)
      return false;
  return true;
}

bool build_record_read(const char *program, struct build_record *r) {
  read_section(program, r);
  for (size_t i = 0; i < r->text.length;) {
    struct build_command c = {.directory = &r->text.data[i]};
    i += strlen(c.directory) + 1;
    for (; i < r->text.length && r->text.data[i]; i += strlen(&r->text.data[i]) + 1)
      vec_push(&c.words, &r->text.data[i]);
    i++;
    bool known = c.words.length == 0;
    for (size_t j = 0; j < r->commands.length; j++)
      known |= same_command(&r->commands.data[j], &c);
    if (known)
      vec_free(&c.words);
    else
      vec_push(&r->commands, c);
  }
  return r->text.length > 0;
}

void build_record_free(struct build_record *r) {
  for (size_t i = 0; i < r->commands.length; i++)
    vec_free(&r->commands.data[i].words);
  vec_free(&r->commands);
  vec_free(&r->text);
}

bool build_word_is_source(const char *word) {
  static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", NULL};
  const char *dot = strrchr(word, '.');
  for (const char *const *e = ends; dot && *e; e++)
    if (strcmp(dot, *e) == 0)
      return word[0] != '-';
  return false;
}
