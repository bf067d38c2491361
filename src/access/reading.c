#include "access/reading.h"
#include <string.h>

/* An instruction, as far as it has been read. */
struct parse {
  const uint8_t *at;
  const uint8_t *start;
  bool short_operand, wide;
  uint8_t repeat;              /* 0xf3, 0xf2 or 0; part of the opcode */
  uint8_t rex_base, rex_index; /* 8 or 0 */
  bool vector_wide;            /* VEX.L */
  bool vex;
  uint8_t map;  /* EVEX: of opcodes */
  uint8_t evex; /* EVEX: bytes of a vector; a short displacement counts these */
  bool stores;
};

enum { NOT_KNOWN = 0 };

static int operand_size(const struct parse *p) {
  return p->wide ? 8 : p->short_operand ? 2 : 4;
}

static int vector_size(const struct parse *p) {
  return p->vector_wide ? 32 : 16;
}

/* A scalar with 0xf3 or 0xf2, else a vector. */
static int floating_size(const struct parse *p) {
  return p->repeat == 0xf3 ? 4 : p->repeat == 0xf2 ? 8 : vector_size(p);
}

static bool is_among(uint8_t byte, const uint8_t *list, size_t n) {
  return memchr(list, byte, n);
}
#define AMONG(byte, ...) \
  is_among(byte, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Each of these returns how many bytes the instruction reads or, with p->stores, writes; *immediate: how many follow
 * the operand. */

static int one_byte_store(const struct parse *p, uint8_t code, uint8_t extension, int *immediate) {
  int size = code & 1 ? operand_size(p) : 1;
  bool constant = (code & 0xfe) == 0xc6;
  *immediate = !constant ? 0 : size == 8 ? 4 : size;
  return (code & 0xfe) == 0x88 || (constant && extension == 0) ? size : NOT_KNOWN; /* mov */
}

/* Not those that go past the caches (movnti, movntdq). */
static int vector_store(const struct parse *p, uint8_t code) {
  switch (code) {
  case 0x11: /* movups, movss, ... */
    return floating_size(p);
  case 0x29: /* movaps */
    return p->repeat ? NOT_KNOWN : vector_size(p);
  case 0x13: /* movlps, movhps */
  case 0x17:
    return p->repeat ? NOT_KNOWN : 8;
  case 0x7e: /* movd, movq */
    return p->repeat || !p->short_operand ? NOT_KNOWN : p->wide ? 8 : 4;
  case 0xd6: /* movq */
    return p->repeat || !p->short_operand ? NOT_KNOWN : 8;
  case 0x7f: /* movdqa, movdqu */
    return p->repeat == 0xf3 || (p->short_operand && !p->repeat) ? vector_size(p) : NOT_KNOWN;
  default:
    return NOT_KNOWN;
  }
}

static int one_byte_opcode(struct parse *p, uint8_t code, uint8_t extension, int *immediate) {
  int size = code & 1 ? operand_size(p) : 1, immediate_size = size == 8 ? 4 : size;
  bool arithmetic =
      code < 0x38 && (code & 6) == 2; /* add, or, adc, sbb, and, sub, xor to register */
  if (p->repeat)
    return NOT_KNOWN;
  p->stores = one_byte_store(p, code, extension, immediate) != NOT_KNOWN;
  if (p->stores)
    return size;
  *immediate = 0;
  if (arithmetic || AMONG(code, 0x38, 0x39, 0x3a, 0x3b, 0x84, 0x85, 0x8a, 0x8b)) /* cmp test mov */
    return size;
  if (code == 0x63) /* movsxd */
    return p->short_operand ? NOT_KNOWN : 4;
  if (code == 0x6b || code == 0x69) { /* imul */
    size = operand_size(p);
    *immediate = code == 0x6b ? 1 : size == 8 ? 4 : size;
    return size;
  }
  if ((code == 0x80 || code == 0x81 || code == 0x83) && extension == 7) { /* cmp */
    *immediate = code == 0x83 ? 1 : immediate_size;
    return size;
  }
  if ((code == 0xf6 || code == 0xf7) && extension == 0) { /* test */
    *immediate = immediate_size;
    return size;
  }
  return NOT_KNOWN;
}

/* Vectors of bytes and words: with 0x66, registers of the MMX without it, which are left out. */
static bool is_vector_of_integers(uint8_t code) {
  return (code >= 0x60 && code <= 0x6d) || (code >= 0x74 && code <= 0x76) ||
         AMONG(code, 0xd4, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xeb, 0xef, 0xf8, 0xf9,
               0xfa, 0xfb, 0xfc, 0xfd, 0xfe);
}

static int vector_opcode(const struct parse *p, uint8_t code) {
  switch (code) {
  case 0x10: /* movups, movss, ... */
  case 0x51:
  case 0x58:
  case 0x59:
  case 0x5c:
  case 0x5d:
  case 0x5e:
  case 0x5f:
    return floating_size(p);
  case 0x28: /* movaps */
  case 0x54:
  case 0x55:
  case 0x56:
  case 0x57:
    return p->repeat ? NOT_KNOWN : vector_size(p);
  case 0x12: /* movlps, movhps */
  case 0x16:
    return p->repeat ? NOT_KNOWN : 8;
  case 0x2e: /* ucomiss, comisd, ... */
  case 0x2f:
    return p->repeat ? NOT_KNOWN : p->short_operand ? 8 : 4;
  case 0x6e: /* movd, movq */
    return p->repeat || !p->short_operand ? NOT_KNOWN : p->wide ? 8 : 4;
  case 0x7e: /* movq */
    return p->repeat == 0xf3 ? 8 : NOT_KNOWN;
  case 0x6f: /* movdqa, movdqu */
    return p->repeat == 0xf3 || (p->short_operand && !p->repeat) ? vector_size(p) : NOT_KNOWN;
  case 0xf0: /* lddqu */
    return p->repeat == 0xf2 ? vector_size(p) : NOT_KNOWN;
  default:
    return is_vector_of_integers(code) && p->short_operand && !p->repeat ? vector_size(p)
                                                                         : NOT_KNOWN;
  }
}

static int two_byte_opcode(struct parse *p, uint8_t code) {
  bool moves_if = (code & 0xf0) == 0x40, sets_if = (code & 0xf0) == 0x90;
  int stored = vector_store(p, code);
  p->stores = stored != NOT_KNOWN || (sets_if && !p->vex);
  if (p->stores)
    return stored != NOT_KNOWN ? stored : p->repeat ? NOT_KNOWN : 1;
  if (p->vex)
    return vector_opcode(p, code);
  if (AMONG(code, 0xb6, 0xb7, 0xbe, 0xbf)) /* movzx, movsx */
    return p->repeat ? NOT_KNOWN : code & 1 ? 2 : 1;
  if (moves_if || code == 0xaf) /* cmov, imul */
    return p->repeat ? NOT_KNOWN : operand_size(p);
  if (code == 0xb8) /* popcnt */
    return p->repeat == 0xf3 ? operand_size(p) : NOT_KNOWN;
  if (code == 0xbc || code == 0xbd) /* bsf, tzcnt, ... */
    return p->repeat == 0xf2 ? NOT_KNOWN : operand_size(p);
  return vector_opcode(p, code);
}

/* ---- prefixes ---- */

/* REX counts only right before the opcode: any other place is left to others. */
static void read_prefixes(struct parse *p) {
  for (; p->at - p->start < 4; p->at++) {
    if (*p->at == 0x66)
      p->short_operand = true;
    else if ((*p->at == 0xf2 || *p->at == 0xf3) && !p->repeat)
      p->repeat = *p->at;
    else
      break;
  }
  if ((*p->at & 0xf0) == 0x40) {
    p->wide = *p->at & 8;
    p->rex_index = *p->at & 2 ? 8 : 0;
    p->rex_base = *p->at & 1 ? 8 : 0;
    p->at++;
  }
}

static uint8_t repeat_of(uint8_t prefix) {
  static const uint8_t repeats[] = {0, 0, 0xf3, 0xf2};
  return repeats[prefix & 3];
}

/* c5 or c4; map 1 (0f) only. */
static bool read_vex(struct parse *p) {
  bool longer = *p->at == 0xc4;
  uint8_t last = p->at[longer ? 2 : 1];
  if (p->at != p->start || (longer && (p->at[1] & 0x1f) != 1))
    return false;
  p->vex = true;
  p->vector_wide = last & 4;
  p->short_operand = (last & 3) == 1;
  p->repeat = repeat_of(last);
  if (longer) {
    p->wide = last & 0x80;
    p->rex_index = p->at[1] & 0x40 ? 0 : 8;
    p->rex_base = p->at[1] & 0x20 ? 0 : 8;
  }
  p->at += longer ? 3 : 2;
  return true;
}

static bool read_evex(struct parse *p) {
  const uint8_t *e = p->at;
  uint8_t length = e[3] >> 5 & 3;
  bool whole = !(e[3] & 0x17) && length < 3; /* no mask, no broadcast */
  if (p->at != p->start || e[1] & 8 || !(e[2] & 4) || !whole)
    return false;
  p->map = e[1] & 7;
  p->evex = (uint8_t)(16 << length);
  p->short_operand = (e[2] & 3) == 1;
  p->repeat = repeat_of(e[2]);
  p->rex_index = e[1] & 0x40 ? 0 : 8;
  p->rex_base = e[1] & 0x20 ? 0 : 8;
  p->at += 4;
  return true;
}

/* Of EVEX only whole vectors, without masks and broadcasts: it reads or writes all of its operand. */
static int evex_opcode(struct parse *p, uint8_t code, int *immediate) {
  p->stores = p->map == 1 && ((code == 0x7f && (p->short_operand || p->repeat)) ||
                              ((code == 0x11 || code == 0x29) && !p->repeat));
  bool integers =
      p->short_operand && AMONG(code, 0x74, 0x75, 0x76, 0xda, 0xdb, 0xde, 0xdf, 0xeb, 0xef);
  bool moves = (code == 0x6f && (p->short_operand || p->repeat)) ||
               ((code == 0x10 || code == 0x28) && !p->repeat);
  bool compares = p->short_operand && AMONG(code, 0x1e, 0x1f, 0x25, 0x3e, 0x3f);
  *immediate = p->map == 3;
  return p->stores || (p->map == 1 && (integers || moves)) || (p->map == 3 && compares) ? p->evex
                                                                                        : NOT_KNOWN;
}

static int read_opcode(struct parse *p, int *immediate) {
  *immediate = 0;
  if (p->evex) {
    uint8_t code = *p->at++;
    return evex_opcode(p, code, immediate);
  }
  if (!p->vex && *p->at != 0x0f) {
    uint8_t code = *p->at++;
    return one_byte_opcode(p, code, *p->at >> 3 & 7, immediate);
  }
  p->at += !p->vex;
  uint8_t code = *p->at++;
  return two_byte_opcode(p, code);
}

/* ---- the operand ---- */

static bool read_operand(struct parse *p, struct reading *r) {
  uint8_t modrm = *p->at++, mod = modrm >> 6, rm = modrm & 7;
  if (mod == 3 || (mod == 0 && rm == 5))
    return false; /* a register, or relative to rip */
  r->base = (int8_t)(rm | p->rex_base);
  r->index = -1;
  r->scale = 1;
  bool no_base = false;
  if (rm == 4) {
    uint8_t sib = *p->at++, index = (uint8_t)((sib >> 3 & 7) | p->rex_index);
    no_base = (sib & 7) == 5 && mod == 0;
    r->base = (int8_t)((sib & 7) | p->rex_base);
    r->index = index == 4 ? -1 : (int8_t)index;
    r->scale = (uint8_t)(1 << (sib >> 6));
  }
  r->displacement = 0;
  if (mod == 1)
    r->displacement = (int8_t)*p->at++ * (p->evex ? p->evex : 1);
  if (mod == 2 || no_base) {
    memcpy(&r->displacement, p->at, 4);
    p->at += 4;
  }
  if (no_base)
    r->base = -1;
  r->elsewhere_rdi = (modrm >> 3 & 7) == 6; /* rsi, or dh */
  return true;
}

/* add (P), LOW; add $4, P; add LOW, HIGH, in any registers. */
bool reading_sums(const uint8_t *code) {
  int rex = (*code & 0xf0) == 0x40 ? *code++ : 0x40;
  if ((rex & 0xa) || code[0] != 0x03 || code[1] >= 0x40 || (code[1] & 7) == 4 || (code[1] & 7) == 5)
    return false;
  int low = (code[1] >> 3 & 7) | (rex & 4) << 1, pointer = (code[1] & 7) | (rex & 1) << 3;
  code += 2;
  if ((code[0] & 0xfe) != 0x48 || code[1] != 0x83 || code[2] != (0xc0 | (pointer & 7)) ||
      (code[0] & 1) != pointer >> 3 || code[3] != 4)
    return false;
  code += 4;
  rex = (*code & 0xf0) == 0x40 ? *code++ : 0x40;
  return !(rex & 0xa) && code[0] == 0x01 && code[1] >= 0xc0 &&
         ((code[1] >> 3 & 7) | (rex & 4) << 1) == low;
}

bool reading_decode(const uint8_t *code, struct reading *r) {
  struct parse p = {.at = code, .start = code};
  int immediate;
  read_prefixes(&p);
  if ((*p.at == 0xc4 || *p.at == 0xc5) && !read_vex(&p))
    return false;
  if (*p.at == 0x62 && !p.vex && !read_evex(&p))
    return false;
  int size = read_opcode(&p, &immediate);
  r->operand = (uint8_t)(p.at - code);
  if (size == NOT_KNOWN || !read_operand(&p, r))
    return false;
  r->size = (uint8_t)size;
  r->stores = p.stores;
  r->trailer = (uint8_t)(p.at - code);
  r->length = (uint8_t)(r->trailer + immediate);
  return r->length <= READING_BYTES_MAX;
}

static uint64_t register_value(const struct bypass_frame *f, int number) {
  const uint64_t values[] = {f->rax, f->rcx, f->rdx, f->rbx, (uintptr_t)(f + 1),
                             f->rbp, f->rsi, f->rdi, f->r8,  f->r9,
                             f->r10, f->r11, f->r12, f->r13, f->r14,
                             f->r15};
  return values[number];
}

uintptr_t reading_address(const struct reading *r, const struct bypass_frame *f) {
  uintptr_t address = (uintptr_t)(intptr_t)r->displacement;
  if (r->base >= 0)
    address += register_value(f, r->base);
  if (r->index >= 0)
    address += register_value(f, r->index) * r->scale;
  return address;
}

int reading_elsewhere(const struct reading *r, const uint8_t *code, uint8_t *to) {
  uint8_t *opcode = to;
  memcpy(to, code, r->operand);
  while (*opcode == 0x66 || *opcode == 0xf2 || *opcode == 0xf3)
    opcode++;
  if ((*opcode & 0xf0) == 0x40)
    *opcode &= (uint8_t)~3;
  else if (*opcode == 0xc4 || *opcode == 0x62)
    opcode[1] |= 0x60;
  to[r->operand] = (uint8_t)((code[r->operand] & 0x38) | (r->elsewhere_rdi ? 7 : 6));
  int immediate = r->length - r->trailer;
  memcpy(to + r->operand + 1, code + r->trailer, (size_t)immediate);
  return r->operand + 1 + immediate;
}
