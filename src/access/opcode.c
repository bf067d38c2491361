#include "access/opcode.h"
#include <string.h>

#define INSTRUCTION_BYTES 15
#define IS_REX(byte) (((byte)&0xf0) == 0x40)

static bool is_prefix(uint8_t byte) {
  static const uint8_t prefixes[] = {0x66, 0x67, 0x2e, 0x36, 0x3e, 0x26,
                                     0x64, 0x65, 0xf0, 0xf2, 0xf3};
  return IS_REX(byte) || memchr(prefixes, byte, sizeof prefixes);
}

struct opcode opcode_read(uintptr_t instruction) {
  struct opcode o = {.code = (const uint8_t *)instruction};
  for (int i = 0; i < INSTRUCTION_BYTES && is_prefix(*o.code); i++) {
    uint8_t prefix = *o.code++;
    o.short_operand |= prefix == 0x66;
    o.short_address |= prefix == 0x67;
    o.segment |= prefix == 0x64 || prefix == 0x65;
    o.wide = IS_REX(prefix) && prefix & 8; /* only if it is the last */
    if (prefix == 0xf2 || prefix == 0xf3) {
      o.repeat = prefix;
      o.repeats++;
    }
  }
  return o;
}

/* The bits of the ModRM byte that belong to the opcode; -1: the operand is a register. */
static int operation(uint8_t modrm) {
  return modrm >> 6 == 3 ? -1 : modrm >> 3 & 7;
}

bool opcode_is_string(const struct opcode *o) {
  static const uint8_t string[] = {0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf};
  return memchr(string, *o->code, sizeof string);
}

bool opcode_is_comparison(const struct opcode *o) {
  return (*o->code & 0xfe) == 0xa6;
}

int opcode_string_size(const struct opcode *o) {
  return !(*o->code & 1) ? 1 : o->wide ? 8 : o->short_operand ? 2 : 4;
}

bool opcode_is_transfer(const struct opcode *o) {
  int indirect = operation(o->code[1]);
  bool returns = (*o->code & 0xf6) == 0xc2;
  return returns || (*o->code == 0xff && indirect >= 2 && indirect <= 5);
}

bool opcode_is_flush(const struct opcode *o) {
  int flush = operation(o->code[2]);
  return o->code[0] == 0x0f && o->code[1] == 0xae && !o->repeat &&
         (flush == 7 || (flush == 6 && o->short_operand));
}

/* The byte behind 0f 38 or what stands for that in VEX and EVEX; 0: none. */
static uint8_t third_map(const uint8_t *code) {
  if (code[0] == 0x0f && code[1] == 0x38)
    return code[2];
  if (code[0] == 0xc4 && (code[1] & 0x1f) == 2)
    return code[3];
  return code[0] == 0x62 && (code[1] & 7) == 2 ? code[4] : 0;
}

bool opcode_reads_widely(const struct opcode *o) {
  const uint8_t *code = o->code;
  uint8_t third = third_map(code);
  bool gathers = (third & 0xfc) == 0x90 && code[0] != 0x0f;
  bool loads_tile = third == 0x4b;
  bool copies_line = third == 0xf8 && code[0] == 0x0f; /* movdir64b, enqcmd */
  bool restores = (code[0] == 0xdd && operation(code[1]) == 4) ||
                  (code[0] == 0x0f && code[1] == 0xae &&
                   (operation(code[2]) == 1 || operation(code[2]) == 5)) ||
                  (code[0] == 0x0f && code[1] == 0xc7 && operation(code[2]) == 3);
  return gathers || loads_tile || copies_line || restores;
}
