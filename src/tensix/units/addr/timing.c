#include "tensix/units/addr/timing.h"

#include "isa/tensix_facts.h"
#include "tensix/units/state.h"

static bool changes_adcs(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_NOP:
    case TENSIX_OPCODE_RSTDMA:
    case TENSIX_OPCODE_SETDVALID: return false;
    default: return true;
    }
}

bool addr_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return changes_adcs(next.word) &&
           timing_wait_until(timing, thread, timing_port_accepts(&timing->addr.adc, thread, timing->now[thread]));
}

void addr_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    if (changes_adcs(passed.word)) {
        timing->addr.adc.accepts = timing->now[thread] + 1;
    }
}
