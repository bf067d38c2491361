/* The contract between tidemark-lift, which writes the intermediate form of a C program, and
 * src/cprog, which reads it.  cir.def describes the text and lists its words. */
#ifndef CIR_CIR_H
#define CIR_CIR_H

#define CIR_VERSION 1

/* Blocks and values of a function share one space of numbers: values, then blocks, then values that
 * tidemark-lift makes up for address computations. */
enum { CIR_BLOCK_FIRST = 2000000, CIR_EXTRA_FIRST = 3000000 };

/* Throws an exception that the program may catch. */
#define CIR_CAUGHT "tidemark.throw"

/* A function that calls whatever runs before main. */
#define CIR_CONSTRUCTORS "llvm.global_ctors"

enum cir_op {
#define CIR_OP(identifier, text, shape) CIR_##identifier,
#define CIR_ORDER(identifier, text)
#define CIR_RMW(identifier, text)
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
  CIR_OPS
};

enum cir_order {
#define CIR_OP(identifier, text, shape)
#define CIR_ORDER(identifier, text) ORDER_##identifier,
#define CIR_RMW(identifier, text)
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
  CIR_ORDERS
};

enum cir_rmw {
#define CIR_OP(identifier, text, shape)
#define CIR_ORDER(identifier, text)
#define CIR_RMW(identifier, text) RMW_##identifier,
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
  CIR_RMWS
};

#endif
