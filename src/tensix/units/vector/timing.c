#include "tensix/units/vector/timing.h"

#include <string.h>

#include "isa/tensix_facts.h"
#include "tensix/units/state.h"
#include "tensix/units/vector/loadmacro/cycles.h"
#include "tensix/units/vector/loadmacro/stall.h"
#include "time/clock.h"
#include "time/timing.h"

static bool accesses_dst(uint32_t opcode)
{
    return opcode == TENSIX_OPCODE_SFPLOAD || opcode == TENSIX_OPCODE_SFPSTORE || opcode == TENSIX_OPCODE_SFPLOADMACRO;
}

/* SFPSWAP, and SFPSHFT2 where it moves lanes. */
static bool takes_two_cycles(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return (opcode == TENSIX_OPCODE_SFPSWAP || opcode == TENSIX_OPCODE_SFPSHFT2) && vector_takes_two_cycles(word);
}

void vector_look_up(struct timing_word *facts, uint32_t word)
{
    struct vector_scheduled instruction = vector_regular(word);
    bool multiplies = tensix_facts[word >> 24].sub_unit == TENSIX_SUB_UNIT_MAD;
    facts->takes_two_cycles = takes_two_cycles(word);
    facts->awaits = vector_known_uses(&instruction, &facts->misses);
    facts->product = multiplies ? vector_known_product(&instruction) : 0;
    facts->replaces = multiplies ? vector_direct_product(&instruction) : 0;
}

/* The instruction executes in the cycle after a product that it reads, and is not made to wait: the product becomes a
   result that is late. */
static void withhold_product(struct vector_unit *vector, struct vector_timing *timing)
{
    struct vector_macro *macro = &vector->macro;
    struct vector_late *late = &macro->late[macro->parity][VECTOR_LATE_MAD];
    uint32_t *lreg = vector->lreg[__builtin_ctz(timing->replaced)];
    late->registers = late->regular = late->waited_for = timing->replaced;
    late->indirect = false;
    late->lanes[0] = UINT32_MAX;
    memcpy(late->value[0], lreg, sizeof late->value[0]);
    memcpy(lreg, timing->before, sizeof timing->before);
    macro->active = true;
}

/* A product may have to be withheld from the next instruction, but not while there is a schedule, which does that. */
static void keep_before_product(const struct vector_unit *vector, struct vector_timing *timing, uint32_t replaces)
{
    timing->replaced = vector_schedule_active(vector) ? 0 : replaces;
    if (timing->replaced) {
        memcpy(timing->before, vector->lreg[__builtin_ctz(timing->replaced)], sizeof timing->before);
    }
}

/* When the last instruction that the schedule executes by itself is there. */
static uint64_t scheduled_there(const struct vector_macro *macro, uint64_t now)
{
    uint64_t there = now;
    unsigned by_instruction = 0;
    for (unsigned column = 0; column < vector_queues(macro); column++) {
        for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
            by_instruction |= macro->queue[column].waiting[unit] & macro->queue[column].by_instruction[unit] & ~1u;
        }
    }
    for (unsigned column = 0; column < vector_queues(macro); column++) {
        for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
            const struct vector_queue *queue = &macro->queue[column];
            for (unsigned left = queue->waiting[unit] & (by_instruction ? 1 : UINT8_MAX); left; left &= left - 1) {
                unsigned delay = (unsigned)__builtin_ctz(left);
                uint32_t word = queue->at[unit][(macro->now + delay) % VECTOR_DELAYS].word;
                there = clock_later(there, now + 1 + delay + timing_latency(word));
            }
        }
    }
    return there;
}

bool vector_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct vector_timing *vector = &timing->vector;
    struct dst_timing *dst = &timing->matrix.dst;
    uint32_t word = next.word, opcode = word >> 24, missed = 0;
    uint64_t now = timing->now[thread], time = vector->accepts;
    const struct timing_word *facts = timing_word(tensix->words, word);
    if (opcode != TENSIX_OPCODE_SFPNOP) {
        time = clock_later(time, vector->accepts_others);
        if (clock_later(now, time) < vector->product_there) {
            time = facts->awaits & vector->product ? vector->product_there : time;
            missed = facts->misses;
        }
    }
    if (accesses_dst(opcode)) {
        uint64_t turn = dst_accessible(dst, thread, DST_VECTOR, opcode != TENSIX_OPCODE_SFPSTORE);
        if (turn > time && turn > now && turn >= dst->accessed) {
            dst->claimed = turn;
        }
        time = clock_later(time, turn);
    }
    if (timing_wait_until(timing, thread, time)) {
        return true;
    }
    if (missed & vector->replaced) {
        withhold_product(&tensix->state->vector, vector);
    }
    keep_before_product(&tensix->state->vector, vector, facts->replaces);
    return false;
}

void vector_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct vector_timing *vector = &timing->vector;
    uint32_t word = passed.word, opcode = word >> 24;
    const struct timing_word *facts = timing_word(tensix->words, word);
    uint64_t now = timing->now[thread];
    unsigned latency = facts->latency;
    vector->accepts = vector->cycle = now + 1;
    if (facts->takes_two_cycles) {
        vector->accepts_others = now + latency;
    } else if (tensix_facts[opcode].sub_unit == TENSIX_SUB_UNIT_MAD) {
        vector->product = facts->product;
        vector->product_there = now + latency;
    }
    if (accesses_dst(opcode)) {
        dst_access(&timing->matrix.dst, thread, DST_VECTOR, now);
    }
    uint64_t there = now + latency;
    const struct vector_macro *macro = &tensix->state->vector.macro;
    if (macro->active) {
        there = clock_later(there, scheduled_there(macro, now));
    }
    timing_busy(timing, BUSY_VECTOR, thread, there + TIMING_VECTOR_DRAIN);
}
