#include "tensix/units/vector/timing.h"

#include <string.h>

#include "isa/tensix_facts.h"
#include "tensix/units/state.h"
#include "tensix/units/vector/loadmacro/cycles.h"
#include "tensix/units/vector/loadmacro/stall.h"
#include "time/clock.h"
#include "time/timing.h"

/* SFPSWAP, and SFPSHFT2 where it moves lanes. */
static bool takes_two_cycles(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return (opcode == TENSIX_OPCODE_SFPSWAP || opcode == TENSIX_OPCODE_SFPSHFT2) && vector_takes_two_cycles(word);
}

void vector_look_up(struct timing_word *facts)
{
    const uint32_t word = facts->word, opcode = word >> 24;
    struct vector_scheduled instruction = vector_regular(word);
    facts->is_product = tensix_facts[opcode].sub_unit == TENSIX_SUB_UNIT_MAD;
    facts->takes_two_cycles = takes_two_cycles(word);
    facts->reads_dst = opcode == TENSIX_OPCODE_SFPLOAD || opcode == TENSIX_OPCODE_SFPLOADMACRO;
    facts->writes_dst = opcode == TENSIX_OPCODE_SFPSTORE;
    facts->awaits = vector_known_uses(&instruction, &facts->misses);
    facts->product = facts->is_product ? vector_known_product(&instruction) : 0;
    facts->replaces = facts->is_product ? vector_direct_product(&instruction) : 0;
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

bool vector_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct vector_timing *vector = &timing->vector;
    struct dst_timing *dst = &timing->matrix.dst;
    uint32_t missed = 0;
    uint64_t now = timing->now[thread], time = vector->accepts;
    if (next->word >> 24 != TENSIX_OPCODE_SFPNOP) {
        time = clock_later(time, vector->accepts_others);
        if (clock_later(now, time) < vector->product_there) {
            time = next->awaits & vector->product ? vector->product_there : time;
            missed = next->misses;
        }
    }
    if (next->reads_dst | next->writes_dst) {
        uint64_t turn = dst_accessible(dst, thread, DST_VECTOR, next->reads_dst);
        if (turn > time && turn > now && turn >= dst->accessed) {
            dst->claimed = turn;
        }
        time = clock_later(time, turn);
    } else if (next->word >> 24 != TENSIX_OPCODE_SFPNOP) {
        time = clock_later(time, dst_follows_turn(dst, thread));
    }
    if (timing_wait_until(timing, thread, time)) {
        return true;
    }
    if (missed & vector->replaced) {
        withhold_product(&tensix->state->vector, vector);
    }
    keep_before_product(&tensix->state->vector, vector, next->replaces);
    return false;
}

void vector_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct vector_timing *vector = &timing->vector;
    const uint64_t now = timing->now[thread], later = now + passed->latency;
    vector->accepts = vector->cycle = now + 1;
    if (passed->takes_two_cycles) {
        vector->accepts_others = later;
    } else if (passed->is_product) {
        vector->product = passed->product;
        vector->product_there = later;
    }
    if (passed->reads_dst | passed->writes_dst) {
        dst_access(&timing->matrix.dst, thread, DST_VECTOR, now);
    } else if (passed->word >> 24 != TENSIX_OPCODE_SFPNOP) {
        dst_end_turn(&timing->matrix.dst, thread, later);
    }
    const struct vector_macro *macro = &tensix->state->vector.macro;
    const uint64_t there = macro->active ? clock_later(later, scheduled_there(macro, now)) : later;
    timing_busy(timing, BUSY_VECTOR, thread, there + TIMING_VECTOR_DRAIN);
}
