/* Runs of plain operations (units/vector/words.h), of sums, and of what sets, saves and restores lane flags, as code of
   the host, for hosts with AVX-512: LRegs and lane flags stay in its registers from the first instruction to the last.
   engine/plan.c has a run translated once it has been executed often.

   Code for lane flags goes by assumptions of how it finds them, as they were when it was translated.

   Code is written into a room of the tile, which can either be written or executed. Where the host does not allow the
   latter, or has no AVX-512, nothing is translated. */
#ifndef BHEMU_TENSIX_ENGINE_AVX512_TRANSLATE_H
#define BHEMU_TENSIX_ENGINE_AVX512_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/engine/trace.h"

struct tensix_state;

/* For a run from each place of a replay buffer on: quanta end anywhere. */
enum { VECTOR_CODE_ROOM = 1 << 18 };

/* A translation takes about as long as some hundred executions of the run without it. Who verifies translations wants
   many of them. */
enum { VECTOR_PATIENCE = 220, VECTOR_VERIFYING_PATIENCE = 2 };

struct trace_compiler {
    uint8_t *room; /* VECTOR_CODE_ROOM bytes from the beginning of a page on; null: nothing is translated */
    uint32_t used;
    uint8_t patience;  /* executions of a run before it is translated: most kernels of a test end before a translation
                          has paid */
    bool verifies;     /* engine/verify.h */
    uint64_t verified; /* instructions of translated code, so far */
    uint32_t refused;  /* translations that needed more registers than there are */
};

enum vector_translated { VECTOR_TRANSLATED, VECTOR_ROOM_FULL, VECTOR_CANNOT_TRANSLATE };

/* Whether there can be code of an operation on this host. */
bool trace_compiles(const struct trace_compiler *compiler, const struct vector_plan *plan);

/* Translates `count` plans each of which trace_compiles(), which `result` then executes for `thread`, for the
   state at hand. VECTOR_ROOM_FULL: nothing is done. All that was translated has to be forgotten, and
   `used` set to 0, before there is room again. VECTOR_CANNOT_TRANSLATE: not for this state. */
enum vector_translated vector_translate(struct trace_compiler *compiler, const struct tensix_state *state,
                                        unsigned thread, const struct vector_plan *plans, uint32_t count,
                                        struct trace_code *result);

#endif
