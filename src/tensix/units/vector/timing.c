#include "tensix/units/vector/timing.h"

#include "isa/tensix_facts.h"
#include "tensix/units/state.h"
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
    facts->takes_two_cycles = takes_two_cycles(word);
    facts->awaits = vector_known_uses(&instruction);
    facts->product = tensix_facts[word >> 24].sub_unit == TENSIX_SUB_UNIT_MAD ? vector_writes(&instruction) : 0;
}

/* When what is late for an instruction is there. */
static uint64_t product_there(const struct vector_timing *vector, uint64_t now, const struct timing_word *facts)
{
    return now < vector->product_there && facts->awaits & vector->product ? vector->product_there : now;
}

bool vector_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    const struct vector_timing *vector = &timing->vector;
    struct dst_timing *dst = &timing->matrix.dst;
    uint32_t word = next.word, opcode = word >> 24;
    uint64_t now = timing->now[thread], time = vector->accepts;
    if (opcode != TENSIX_OPCODE_SFPNOP) {
        time = clock_later(time, vector->accepts_others);
        time = clock_later(time, product_there(vector, clock_later(now, time), timing_word(&tensix->words, word)));
    }
    if (accesses_dst(opcode)) {
        uint64_t turn = dst_accessible(dst, thread, DST_VECTOR, opcode != TENSIX_OPCODE_SFPSTORE);
        if (turn > time && turn > now && turn >= dst->accessed) {
            dst->claimed = turn;
        }
        time = clock_later(time, turn);
    }
    return timing_wait_until(timing, thread, time);
}

void vector_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct vector_timing *vector = &timing->vector;
    uint32_t word = passed.word, opcode = word >> 24;
    const struct timing_word *facts = timing_word(&tensix->words, word);
    uint64_t now = timing->now[thread];
    unsigned latency = facts->latency;
    vector->accepts = now + 1;
    if (facts->takes_two_cycles) {
        vector->accepts_others = now + latency;
    } else if (tensix_facts[opcode].sub_unit == TENSIX_SUB_UNIT_MAD) {
        vector->product = facts->product;
        vector->product_there = now + latency;
    }
    if (accesses_dst(opcode)) {
        dst_access(&timing->matrix.dst, thread, DST_VECTOR, now);
    }
    timing_busy(timing, BUSY_VECTOR, thread, now + latency + TIMING_VECTOR_DRAIN);
}
