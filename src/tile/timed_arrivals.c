#include "tile/timed_arrivals.h"

#include <string.h>

#include "rv32/timed.h"
#include "tile/timed.h"

uint64_t tile_next_arrival(const struct tile *tile)
{
    uint64_t units = frontend_next_arrival(&tile->state->tensix), sent = inbox_next(tile->inbox);
    return clock_sooner(clock_sooner(units, sent), stores_next(tile));
}

uint64_t tile_next_act(const struct tile *tile)
{
    uint64_t own = tile->state->doze.cores ? CLOCK_NEVER : tile->ahead_until, arrival = next_arrival(tile);
    return own < arrival ? own : arrival;
}

struct noc_watch polled_by(const struct tile *tile, uint32_t cores)
{
    struct noc_watch watch = {.first = UINT32_MAX};
    memcpy(watch.counters, tile->state->doze.counters, sizeof watch.counters);
    for (; cores; cores &= cores - 1) {
        unsigned core = (unsigned)__builtin_ctz(cores);
        const struct rv32_polling *polling = &tile->state->timing[core].polling;
        watch.l1 |= !rv32_polls(&tile->state->core[core], &tile->state->timing[core]);
        if (polling->jump) {
            watch.first = 4 * polling->first < watch.first ? 4 * polling->first : watch.first;
            watch.last = 4 * polling->jump + 3 > watch.last ? 4 * polling->jump + 3 : watch.last;
        }
    }
    return watch;
}

bool units_rest(const struct tile *tile, const struct tile_schedule *schedule)
{
    const uint32_t threads = ((1u << CLOCK_AGENTS) - 1) & ~((1u << BH_CORE_COUNT) - 1);
    const struct tensix_state *tensix = &tile->state->tensix;
    return schedule->units_rest ||
           (!((schedule->going | schedule->waiting) & threads) && frontend_next_arrival(tensix) == CLOCK_NEVER &&
            !vector_schedule_active(&tensix->vector));
}
