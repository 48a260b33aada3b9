#include "tensix/units/timing.h"

#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/state.h"

#define HOOKS_OF(unit) .holds = unit##_holds, .passed = unit##_passed
#define HOOKS_OF_NONE
#define HOOKS_OF_FRONTEND
#define HOOKS_OF_SYNC HOOKS_OF(sync)
#define HOOKS_OF_SCALAR HOOKS_OF(scalar)
#define HOOKS_OF_CONFIG HOOKS_OF(config)
#define HOOKS_OF_ADDR HOOKS_OF(addr)
#define HOOKS_OF_UNPACK HOOKS_OF(unpack)
#define HOOKS_OF_MATRIX HOOKS_OF(matrix)
#define HOOKS_OF_VECTOR HOOKS_OF(vector)
#define HOOKS_OF_PACK HOOKS_OF(pack)
#define HOOKS_OF_MOVER HOOKS_OF(mover)

/* What the unit of each opcode says of its instructions; null: nothing. */
static const struct {
    bool (*holds)(struct tensix *tensix, unsigned thread, const struct timing_word *next);
    void (*passed)(struct tensix *tensix, unsigned thread, const struct timing_word *passed);
} hooks[256] = {
#define TENSIX_BEGIN(name, opcode, unit, ...) [opcode] = {HOOKS_OF_##unit},
#include "tensix.def"
};

void timing_waits(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    if (tensix_unit_of[next->word >> 24] == TENSIX_SCALAR) {
        scalar_waits(tensix, thread, next);
    }
}

/* The cycles of each opcode. */
enum { UNKNOWN = 1, VARIES = 1 };

static const struct tensix_duration durations[256] = {
#define TENSIX_BEGIN(name, opcode, unit, block, issue_, latency_, ...)                                                 \
    [opcode] = {.issue = (issue_), .latency = (latency_)},
#include "tensix.def"
};

/* For each opcode, in how many ways words choose other cycles. */
static const uint8_t choose_cycles[256] = {
#define TENSIX_BEGIN(name, opcode, ...) [opcode] = (0
#define TENSIX_CYCLES(...) +1
#define TENSIX_END(name) ),
#include "tensix.def"
};

unsigned timing_issue_cycles(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return choose_cycles[opcode] ? tensix_duration_of(word).issue : durations[opcode].issue;
}

unsigned timing_latency(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return choose_cycles[opcode] ? tensix_duration_of(word).latency : durations[opcode].latency;
}

#define TENSIX_USE_LREGS(mask) 0
#define ACTS_ON(used)                                                                                                  \
    (((used)&TENSIX_USE_L1 ? TIMING_ACTS_ON_L1 : 0) |                                                                  \
     ((used) & (TENSIX_USE_SEMAPHORES | TENSIX_USE_MUTEXES) ? TIMING_ACTS_ON_SYNC : 0) |                               \
     ((used) & (TENSIX_USE_REGISTERS | TENSIX_USE_UNDOCUMENTED) ? TIMING_ACTS_ON_REGISTERS : 0))

/* Until they succeed, nothing of other threads enters the Scalar Unit. */
#define FREES_ITS_UNIT(opcode)                                                                                         \
    ((opcode) == TENSIX_OPCODE_ATCAS || (opcode) == TENSIX_OPCODE_ATINCGETPTR ? TIMING_ACTS_ON_SYNC : 0)

const uint8_t timing_acts[256] = {
#define TENSIX_BEGIN(name, opcode, ...) [opcode] = FREES_ITS_UNIT(opcode)
#define TENSIX_WRITES(name, what, when) | ACTS_ON(TENSIX_USE_##what)
#define TENSIX_END(name) ,
#include "tensix.def"
};

void timing_look_up(struct timing_word set[2], uint32_t word)
{
    const struct tensix_operands no_lregs = {0};
    const uint32_t opcode = word >> 24, unit = tensix_unit_of[opcode];
    struct timing_word facts = {
        .run = tensix_sets_reserved_bits(word) ? NULL : tensix_dispatch[opcode].run,
        .holds = hooks[opcode].holds,
        .passed = hooks[opcode].passed,
        .word = word,
        .issue = (uint8_t)timing_issue_cycles(word),
        .latency = (uint8_t)timing_latency(word),
        .known = true,
        .stays_in_tile = unit == TENSIX_VECTOR || unit == TENSIX_MATRIX || unit == TENSIX_ADDR,
        .is_expanded = opcode == TENSIX_OPCODE_MOP || opcode == TENSIX_OPCODE_MOP_CFG || opcode == TENSIX_OPCODE_REPLAY,
    };
    const bool gives_banks = tensix_writes(word, &no_lregs) & TENSIX_USE_SRC_BANKS;
    facts.is_quiet = facts.stays_in_tile && !gives_banks && !timing_acts[opcode];
    switch (unit) {
    case TENSIX_VECTOR: vector_look_up(&facts); break;
    case TENSIX_MATRIX: matrix_look_up(&facts); break;
    case TENSIX_ADDR: addr_look_up(&facts); break;
    default: break;
    }
    set[1] = set[0];
    set[0] = facts;
}
