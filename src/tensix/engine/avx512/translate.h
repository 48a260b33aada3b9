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

#include "tensix/units/vector/vector.h"

struct vector_plan;
struct tensix_state;

/* For a run from each place of a replay buffer on: quanta end anywhere. */
enum { VECTOR_CODE_ROOM = 1 << 18 };

/* Executes a run up to `times` times, at least once, in `lanes` as it begins, those that are enabled. dst_origin:
   struct vector_calling. The vector unit is that of a struct tensix_state. Returns how often it has not. */
typedef uint32_t vector_code(struct vector_unit *vector, uint32_t lanes, uint32_t dst_origin, uint32_t times);

/* What code for loads from Dst and stores to it goes by. Nothing in LaneConfig has a say in them. */
struct vector_dst_assumptions {
    bool any;
    uint8_t thread;      /* whose counter, address modes and configuration */
    bool only_row32;     /* struct dst_register_file */
    uint8_t remainder;   /* of the counter of Dst plus its origin, modulo the rows of an instruction */
    bool by_srcb_format; /* it matters ... */
    uint8_t srcb_format; /* ... which it is */
    uint8_t modes;       /* one bit for each address mode that is applied; it does nothing but ... */
    uint16_t steps[8];   /* ... move the counter of Dst by so much */
    uint32_t extra_addr_mod_bit;
    uint32_t lane_config; /* of which nothing may be set in any lane */
};

/* What code for lane flags goes by: no lanes are switched off by ROW_MASK, UseLaneFlagsForLaneEnable and the stack are
   the same in all lanes, and on the stack is enough, and enough room, for what the run does to it. */
struct vector_assumptions {
    uint32_t use_lane_flags; /* none or all, now and in the entries of the stack that the run looks at */
    uint8_t depth_minimum, depth_maximum;
    bool any;
    bool enclosed;  /* something is on the stack */
    bool outermost; /* it matters that nothing is */
    struct vector_dst_assumptions dst;
};

/* Whether it is so, but for the remainder; *origin: what is added to an address in Dst besides the counter. */
bool vector_dst_is_as_assumed(const struct tensix_state *state, const struct vector_dst_assumptions *assumed,
                              uint32_t *origin);

static inline bool vector_is_as_assumed(const struct vector_unit *vector, const struct vector_assumptions *assumed)
{
    if (!assumed->any) {
        return true;
    }
    uint32_t depth = vector->stack_depth;
    if (vector->use_lane_flags != assumed->use_lane_flags || vector->row_masked || depth < assumed->depth_minimum ||
        depth > assumed->depth_maximum || (depth && vector->stack[depth - 1].missing)) {
        return false;
    }
    for (uint32_t i = depth - assumed->depth_minimum; i < depth; i++) {
        if (vector->stack[i].use_lane_flags != assumed->use_lane_flags) {
            return false;
        }
    }
    return true;
}

/* A translation takes about as long as some hundred executions of the run without it. Who verifies translations wants
   many of them. */
enum { VECTOR_PATIENCE = 220, VECTOR_VERIFYING_PATIENCE = 2 };

struct vector_translator {
    uint8_t *room; /* VECTOR_CODE_ROOM bytes from the beginning of a page on; null: nothing is translated */
    uint32_t used;
    uint8_t patience;  /* executions of a run before it is translated: most kernels of a test end before a translation
                          has paid */
    bool verifies;     /* engine/verify.h */
    uint64_t verified; /* instructions of translated code, so far */
    uint32_t refused;  /* translations that needed more registers than there are */
};

enum vector_translated { VECTOR_TRANSLATED, VECTOR_ROOM_FULL, VECTOR_CANNOT_TRANSLATE };

struct vector_translated_run {
    vector_code *code;
    struct vector_assumptions assumed; /* must hold whenever the code is executed */
};

/* Whether plans of a kind (enum vector_plan_kind) can be translated. */
bool vector_translates(const struct vector_translator *translator, uint8_t kind);

/* Translates `count` plans of kinds that it vector_translates(), which `result` then executes for `thread`, for the
   state at hand. VECTOR_ROOM_FULL: nothing is done. All that was translated has to be forgotten, and
   `used` set to 0, before there is room again. VECTOR_CANNOT_TRANSLATE: not for this state. */
enum vector_translated vector_translate(struct vector_translator *translator, const struct tensix_state *state,
                                        unsigned thread, const struct vector_plan *plans, uint32_t count,
                                        struct vector_translated_run *result);

#endif
