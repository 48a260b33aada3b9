#include "rv32/timed.h"

uint32_t rv32_run_timed(struct rv32 *rv32, struct rv32_turn *turn)
{
    const struct rv32_core *core = rv32->core;
    uint64_t limit = turn->until < turn->end ? turn->until : turn->end;
    uint32_t retired = 0;
    turn->event = CLOCK_NEVER;
    while (clock_of(rv32->clock, core->id) < limit && core->halt == RV32_RUNNING) {
        uint64_t now = clock_of(rv32->clock, core->id);
        if (rv32_run(rv32, 1) == 0) {
            break;
        }
        retired++;
        turn->event = now;
        if (turn->stop_at_event || rv32->yield || rv32->diagnostics->stopped) {
            break;
        }
    }
    return retired;
}
