/* For programs that talk to Valgrind's pmemcheck, on systems without its header: the same requests, which do nothing.
 * tidemark sees each store, flush and fence by itself and needs to be told nothing about them.  A header of that name that
 * the program or the system has comes first; its requests do nothing under tidemark either. */
#ifndef TIDEMARK_VALGRIND_PMEMCHECK_H
#define TIDEMARK_VALGRIND_PMEMCHECK_H

/* The arguments are evaluated, as in any call; the value is that of a program that does not run under Valgrind. */
static inline __attribute__((unused)) unsigned long tidemark_no_request(int ignored, ...) {
  (void)ignored;
  return 0;
}

#define VALGRIND_PMC_REGISTER_PMEM_MAPPING(address, size) tidemark_no_request(0, address, size)
#define VALGRIND_PMC_REGISTER_PMEM_FILE(file, address, size, offset) \
  tidemark_no_request(0, file, address, size, offset)
#define VALGRIND_PMC_REMOVE_PMEM_MAPPING(address, size) tidemark_no_request(0, address, size)
#define VALGRIND_PMC_CHECK_IS_PMEM_MAPPING(address, size) tidemark_no_request(0, address, size)
#define VALGRIND_PMC_PRINT_PMEM_MAPPINGS ((void)0)
#define VALGRIND_PMC_DO_FLUSH(address, size) tidemark_no_request(0, address, size)
#define VALGRIND_PMC_DO_FENCE ((void)0)
#define VALGRIND_PMC_SET_CLEAN(address, size) tidemark_no_request(0, address, size)
#define VALGRIND_PMC_WRITE_STATS ((void)0)
#define VALGRIND_PMC_EMIT_LOG(text) tidemark_no_request(0, text)

#define VALGRIND_PMC_START_TX ((void)0)
#define VALGRIND_PMC_START_TX_N(tx) tidemark_no_request(0, tx)
#define VALGRIND_PMC_END_TX ((void)0)
#define VALGRIND_PMC_END_TX_N(tx) tidemark_no_request(0, tx)
#define VALGRIND_PMC_ADD_TO_TX(address, size) tidemark_no_request(0, address, size)
#define VALGRIND_PMC_ADD_TO_TX_N(tx, address, size) tidemark_no_request(0, tx, address, size)
#define VALGRIND_PMC_REMOVE_FROM_TX(address, size) tidemark_no_request(0, address, size)
#define VALGRIND_PMC_REMOVE_FROM_TX_N(tx, address, size) tidemark_no_request(0, tx, address, size)
#define VALGRIND_PMC_ADD_THREAD_TX_N(tx) tidemark_no_request(0, tx)
#define VALGRIND_PMC_REMOVE_THREAD_FROM_TX_N(tx) tidemark_no_request(0, tx)
#define VALGRIND_PMC_ADD_TO_GLOBAL_TX_IGNORE(address, size) tidemark_no_request(0, address, size)

#endif
