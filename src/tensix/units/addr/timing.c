#include "tensix/units/addr/timing.h"

#include "isa/tensix_facts.h"
#include "tensix/units/state.h"

void addr_look_up(struct timing_word *facts)
{
    switch (facts->word >> 24) {
    case TENSIX_OPCODE_NOP:
    case TENSIX_OPCODE_RSTDMA:
    case TENSIX_OPCODE_SETDVALID:
        facts->holds = NULL;
        facts->passed = NULL;
        break;
    default: break;
    }
}

bool addr_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    (void)next;
    return timing_wait_until(timing, thread, timing_port_accepts(&timing->addr.adc, thread, timing->now[thread]));
}

void addr_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    (void)passed;
    timing->addr.adc.accepts = timing->now[thread] + 1;
}
