/* The back end for hosts with AVX-512: a trace becomes code of the host, in which LRegs and lane flags stay in
   registers from the first operation to the last, and rounds are a loop. The engine has a trace compiled once it has
   been executed often. Code goes by guards (engine/guards.h).

   Code is written into a buffer of the tile, which can either be written or executed. Where the system does not allow
   the latter, or the host has no AVX-512, there is none. */
#ifndef BHEMU_TENSIX_ENGINE_AVX512_LOWER_H
#define BHEMU_TENSIX_ENGINE_AVX512_LOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/engine/trace.h"

struct tensix_state;

/* Bytes: for a hundred traces or more. */
enum { CODE_BUFFER_SIZE = 1 << 18 };

/* Compiling a trace takes about as long as some hundred executions without code. Who verifies code wants much of it. */
enum { COMPILER_PATIENCE = 220, VERIFYING_PATIENCE = 2 };

struct trace_compiler {
    uint8_t *buffer; /* CODE_BUFFER_SIZE bytes from the beginning of a page on; null: there is no generated code */
    uint32_t used;
    uint8_t patience;  /* executions of a trace before it is compiled: most kernels of a test end before that pays */
    bool verifies;     /* engine/verify.h */
    uint64_t verified; /* instructions of generated code, so far */
    uint32_t refused;  /* traces that needed more registers than there are */
};

enum lowering_outcome { TRACE_LOWERED, CODE_BUFFER_FULL, CANNOT_LOWER };

/* Whether there can be code of an operation on this host. */
bool trace_compiles(const struct trace_compiler *compiler, const struct vector_operation *operation);

/* Compiles a trace of `count` operations, each of which trace_compiles(), for `thread` and the state at hand.
   CODE_BUFFER_FULL: nothing is done; all code has to be forgotten, and `used` set to 0, before there is room again.
   CANNOT_LOWER: there is no code for this state. */
enum lowering_outcome lower_trace(struct trace_compiler *compiler, const struct tensix_state *state, unsigned thread,
                                  const struct vector_operation *operations, uint32_t count, struct trace_code *result);

#endif
