/* The symbolic machine that runs the assembly of one thread, whatever the architecture.
 *
 * A reader (x86_read.c, aarch64_read.c ...) makes instructions of this form; asm_translate runs
 * them: forward jumps become guards, and the code is laid out once more for every time a backward
 * jump may be taken.  What an instruction does is up to the architecture's `execute`, which works
 * on the registers of the current state and emits accesses and fences through the functions below.
 * A register is an expression (its value, 64 bits) and dependency sets (what it comes from). */
#ifndef AXIOM_ASM_H
#define AXIOM_ASM_H

#include "axiom/depend.h"
#include "axiom/scan.h"

enum { ASM_REGISTERS = 72, ASM_OPERANDS = 5, LINK_NONE = -1, LINK_UNCLEAR = -2 };

struct asm_value {
  int value; /* expression */
  int from;  /* dependency set */
  int pick;  /* dependency set of what only chose between values, as the flags do for csel */
};

enum operand_kind {
  OPERAND_REGISTER,
  OPERAND_IMMEDIATE,
  OPERAND_MEMORY,
  OPERAND_NAME,  /* a label, a barrier option, or a location without brackets */
  OPERAND_CHANGE /* only while reading: belongs to the operand before it */
};

/* What happens to a register before it is used, or to the base of an address. */
enum operand_change {
  CHANGE_NONE,
  CHANGE_LSL,
  CHANGE_LSR,
  CHANGE_ASR,
  CHANGE_ROR,
  CHANGE_SXTB,
  CHANGE_SXTH,
  CHANGE_SXTW,
  CHANGE_UXTB,
  CHANGE_UXTH,
  CHANGE_UXTW
};

enum operand_update { UPDATE_NONE, UPDATE_BEFORE, UPDATE_AFTER }; /* of the base register */

struct operand {
  enum operand_kind kind;
  int reg, bits;               /* register; memory: 0, or the size that is written there */
  bool high;                   /* x86: bits 8 to 15 (ah) */
  int64_t value;               /* immediate (symbol: added address), or displacement */
  int symbol;                  /* location whose address is added, or -1 */
  int base, index, index_bits; /* memory: registers or -1 */
  int scale;                   /* memory: factor of the index */
  enum operand_change change;  /* of the register, or of the index */
  int amount;                  /* of the change */
  enum operand_update update;
  const char *name;
  struct place place;
};

struct instruction {
  const char *mnemonic; /* lower case */
  const char *label;    /* only defines this label if mnemonic is NULL */
  bool lock;
  struct operand operands[ASM_OPERANDS];
  int count;
  struct place place;
  const char *text;
};

struct asm_code {
  LIST(struct instruction) list;
  int initial[ASM_REGISTERS];    /* expressions */
  int type_bytes[ASM_REGISTERS]; /* as declared; 0 is an int */
  bool type_unsigned[ASM_REGISTERS];
  struct asm_value final[ASM_REGISTERS]; /* filled by asm_translate */
};

/* What the flags say: nothing, whether the result is zero or negative, a full comparison, only
 * whether the first side is below the second (the carry), all about a sum, or all about a result
 * without carry and overflow. */
enum asm_flags { FLAGS_NONE, FLAGS_RESULT, FLAGS_COMPARE, FLAGS_CARRY, FLAGS_SUM, FLAGS_LOGIC };

struct asm_state {
  int path; /* expression: this point is reached */
  int ctrl; /* dependency set of the branches passed so far */
  enum asm_flags flags;
  int link;                 /* load that a conditional store pairs with, or LINK_... */
  struct asm_value link_at; /* its address; 0 when there is none */
  struct asm_value flag[2]; /* the two sides of the last comparison */
  int flag_bits;            /* their size, where it matters */
  struct asm_value regs[ASM_REGISTERS];
};

struct asm_machine;

struct asm_branch {
  const char *label;     /* NULL: to the end of the thread */
  struct place place;    /* of the label */
  struct asm_value test; /* taken if not 0 */
};

struct mixed_plan;

struct asm_machine {
  struct program *p;
  struct scan *scan;
  const struct asm_arch *arch;
  const struct mixed_plan *mixed; /* NULL: every access is in one piece */
  int thread, id;
  int registers; /* of the architecture, and those that have only names */
  struct asm_code *code;
  const struct instruction *now;
  struct asm_state *at; /* the state before `now` */
};

struct litmus_reader;

struct asm_arch {
  const char *default_model;
  unsigned scan_style;
  int register_count;
  int default_bits; /* of an access that does not say */
  /* Register number by name, any case; -1 if it is none.  `part` says which bits the name means. */
  int (*find_register)(const char *text, size_t length, struct operand *part);
  void (*read_instruction)(struct litmus_reader *r, struct asm_code *code);
  bool (*branch)(struct asm_machine *m, struct asm_branch *b); /* false if `now` is no branch */
  void (*execute)(struct asm_machine *m);
};

struct asm_access {
  struct asm_value address;
  int bits;
  struct tags tags;
  bool atomic; /* half of a locked instruction */
  int pick;    /* dependency set of what decides whether it happens */
};

/* Registers keep their final values in code->final.  Errors go through the scanner. */
void asm_translate(struct asm_machine *m, int unroll);

/* Loads give the value with its sign; `stmt`, if not NULL, gets the (first) read.  Stores take the
 * read they form an atomic pair with, or -1; they give the (first) write. */
struct asm_value asm_load(struct asm_machine *m, const struct asm_access *a, int *stmt);
int asm_store(struct asm_machine *m, const struct asm_access *a, struct asm_value v, int read);

/* The read that piece i of a store pairs with if its first piece pairs with `read`, or -1: a
 * conditional store may be larger than the load that it goes with. */
int asm_partner(const struct asm_machine *m, int read, int i);
void asm_fence(struct asm_machine *m, enum stmt_flavour flavour, struct tags tags);
int asm_emit(struct asm_machine *m, struct stmt s);

/* Whether a conditional store to `address` finds its reservation: an expression with a choice. */
int asm_reservation(struct asm_machine *m, struct asm_value address);

struct asm_value asm_const(struct asm_machine *m, int64_t v);
struct asm_value asm_op(struct asm_machine *m, enum expr_kind op, struct asm_value a,
                        struct asm_value b);
/* yes or no as the test says; the result depends on the one that was picked.  What an access owes to
 * a test is a control dependency: an address that was picked holds back all later writes. */
struct asm_value asm_pick(struct asm_machine *m, struct asm_value test, struct asm_value yes,
                          struct asm_value no);
struct asm_value asm_sign_extend(struct asm_machine *m, struct asm_value v, int bits);
struct asm_value asm_zero_extend(struct asm_machine *m, struct asm_value v, int bits);
struct asm_value asm_shift_right(struct asm_machine *m, struct asm_value v, struct asm_value by);
void asm_set_flags(struct asm_machine *m, enum asm_flags kind, struct asm_value a,
                   struct asm_value b);

void asm_need_operands(struct asm_machine *m, int n);
_Noreturn void asm_fail(struct asm_machine *m, const char *what); /* "'<instruction>' <what>" */

#endif
