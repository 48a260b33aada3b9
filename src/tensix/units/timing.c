#include "tensix/units/timing.h"

#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "tensix/units/state.h"

/* The unit of each opcode. */
static const uint8_t unit_of[256] = {
#define TENSIX_BEGIN(name, opcode, unit, ...) [opcode] = TENSIX_##unit,
#include "tensix.def"
};

bool timing_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    switch (unit_of[next.word >> 24]) {
    case TENSIX_SYNC: return sync_holds(tensix, thread, next);
    case TENSIX_SCALAR: return scalar_holds(tensix, thread, next);
    case TENSIX_CONFIG: return config_holds(tensix, thread, next);
    case TENSIX_ADDR: return addr_holds(tensix, thread, next);
    case TENSIX_UNPACK: return unpack_holds(tensix, thread, next);
    case TENSIX_MATRIX: return matrix_holds(tensix, thread, next);
    case TENSIX_VECTOR: return vector_holds(tensix, thread, next);
    case TENSIX_PACK: return pack_holds(tensix, thread, next);
    case TENSIX_MOVER: return mover_holds(tensix, thread, next);
    default: return false;
    }
}

void timing_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    switch (unit_of[passed.word >> 24]) {
    case TENSIX_SYNC: sync_passed(tensix, thread, passed); break;
    case TENSIX_SCALAR: scalar_passed(tensix, thread, passed); break;
    case TENSIX_CONFIG: config_passed(tensix, thread, passed); break;
    case TENSIX_ADDR: addr_passed(tensix, thread, passed); break;
    case TENSIX_UNPACK: unpack_passed(tensix, thread, passed); break;
    case TENSIX_MATRIX: matrix_passed(tensix, thread, passed); break;
    case TENSIX_VECTOR: vector_passed(tensix, thread, passed); break;
    case TENSIX_PACK: pack_passed(tensix, thread, passed); break;
    case TENSIX_MOVER: mover_passed(tensix, thread, passed); break;
    default: break;
    }
}

void timing_waits(struct tensix *tensix, unsigned thread, struct pushed next)
{
    if (unit_of[next.word >> 24] == TENSIX_SCALAR) {
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
#define AWAITED                                                                                                        \
    (TENSIX_USE_SEMAPHORES | TENSIX_USE_MUTEXES | TENSIX_USE_L1 | TENSIX_USE_REGISTERS | TENSIX_USE_UNDOCUMENTED)

const bool timing_acts[256] = {
#define TENSIX_BEGIN(name, opcode, ...) [opcode] = ((0
#define TENSIX_WRITES(name, what, when) | TENSIX_USE_##what
#define TENSIX_END(name) ) & AWAITED) != 0,
#include "tensix.def"
};
