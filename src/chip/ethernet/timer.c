#include "chip/ethernet/timer.h"

enum {
    CTRL = 0x00 / 4,
    FUTURE_CFR = 0x04 / 4, /* index of the low word; the high word follows, as for all 64-bit registers */
    FUTURE_PTI = 0x0c / 4,
    FUTURE_TIMESTAMP = 0x10 / 4,
    UPDATE_PTI = 0x20 / 4,
    UPDATE_TIMESTAMP = 0x24 / 4,
    UPDATE_STAT = 0x40 / 4,
    PTI_STAT = 0x44 / 4,
    CFR = 0x50 / 4,
    TIME = 0x60 / 4,
};

enum { STAMP_TIME = 0x00 / 4, STAMP_LABEL = 0x08 / 4, STAMP_STATUS = 0x10 / 4 };
enum { CLOCKS_PER_TICK = 27 /* 1.35 GHz and 50 MHz */, FRACTION_BITS = 16, INCREMENT = 0xffffff };

static uint64_t ticks_of(uint64_t clock)
{
    return clock / CLOCKS_PER_TICK;
}

static uint64_t pair(const struct ethernet_timer *timer, unsigned index)
{
    return (uint64_t)timer->words[index + 1] << 32 | timer->words[index];
}

/* Lets the time go on to a tick. */
static void advance(struct ethernet_timer *timer, uint64_t tick)
{
    if (timer->words[CTRL] & 1) {
        unsigned __int128 passed = (unsigned __int128)(tick - timer->since) * timer->increment + timer->fraction;
        timer->time += (uint64_t)(passed >> FRACTION_BITS);
        timer->fraction = (uint32_t)passed & ((1u << FRACTION_BITS) - 1);
    }
    timer->since = tick;
}

/* Applies pending requests: each takes effect one tick after the tick that it names. */
static void settle(struct ethernet_timer *timer, uint64_t tick)
{
    uint64_t at = pair(timer, FUTURE_CFR) + 1;
    if ((timer->waits_for_increment || timer->waits_for_time) && tick >= at) {
        advance(timer, at > timer->since ? at : timer->since);
        if (timer->waits_for_increment) {
            timer->increment = timer->words[FUTURE_PTI] & INCREMENT;
            timer->took_increment = true;
        }
        if (timer->waits_for_time) {
            timer->time = pair(timer, FUTURE_TIMESTAMP);
            timer->fraction = 0;
            timer->took_time = true;
        }
        timer->waits_for_increment = false;
        timer->waits_for_time = false;
    }
    advance(timer, tick);
}

/* Starts or cancels a request for a replacement. If its tick has passed, the request is marked late. */
static void request(const struct ethernet_timer *timer, uint64_t tick, uint32_t value, bool *waits, bool *took,
                    bool *late)
{
    bool wanted = value & 1, past = tick > pair(timer, FUTURE_CFR);
    *waits = wanted && !past;
    *late = wanted && past;
    *took = false;
}

static uint32_t status_of(const struct ethernet_timer *timer)
{
    return (uint32_t)timer->waits_for_increment | (uint32_t)timer->waits_for_time << 1 |
           (uint32_t)timer->took_increment << 8 | (uint32_t)timer->took_time << 9 |
           (uint32_t)timer->late_increment << 16 | (uint32_t)timer->late_time << 17;
}

/* Timestamps. */

void ethernet_timer_stamp(struct ethernet_timer *timer, uint64_t clock, uint32_t label, bool by_rule)
{
    enum { LABEL = 0x1f, BY_RULE = 1 << 5 };
    settle(timer, ticks_of(clock));
    if (timer->count < STAMPS_KEPT) {
        unsigned last = (timer->first + timer->count++) % STAMPS_KEPT;
        timer->stamp[last].time = timer->time;
        timer->stamp[last].label = (label & LABEL) | (by_rule ? BY_RULE : 0);
    }
}

static uint32_t read_stamps(const struct ethernet_timer *timer, unsigned index)
{
    enum { COUNT = 0xf, FULL = 1 << 16, NEARLY_FULL = 1 << 17, EMPTY = 1 << 18 };
    bool any = timer->count;
    switch (index) {
    case STAMP_TIME: return any ? (uint32_t)timer->stamp[timer->first].time : 0;
    case STAMP_TIME + 1: return any ? (uint32_t)(timer->stamp[timer->first].time >> 32) : 0;
    case STAMP_LABEL: return any ? timer->stamp[timer->first].label | 1u << 31 : 0;
    default:
        return (timer->count & COUNT) | (timer->count == STAMPS_KEPT ? FULL : 0) |
               (timer->count >= STAMPS_KEPT - 1 ? NEARLY_FULL : 0) | (any ? 0 : EMPTY);
    }
}

static void write_stamps(struct ethernet_timer *timer, unsigned index, uint32_t value)
{
    enum { FLUSH = 1 << 30 };
    if (index != STAMP_STATUS) {
        return;
    }
    if (value & FLUSH) {
        timer->count = 0;
    } else if (value >> 31 && timer->count) {
        timer->first = (uint8_t)((timer->first + 1) % STAMPS_KEPT);
        timer->count--;
    }
}

/* Registers. */

bool ethernet_timer_has(uint32_t address)
{
    if (address >= STAMPS_BASE && address < STAMPS_END) {
        unsigned index = (address - STAMPS_BASE) / 4;
        return index <= STAMP_LABEL || index == STAMP_STATUS;
    }
    unsigned index = (address - TIMER_BASE) / 4;
    return address >= TIMER_BASE && address < TIMER_END &&
           (index < FUTURE_TIMESTAMP + 2 || index == UPDATE_PTI || index == UPDATE_TIMESTAMP || index == UPDATE_STAT ||
            index == PTI_STAT || index == CFR || index == CFR + 1 || index >= TIME);
}

uint32_t ethernet_timer_read(struct ethernet_timer *timer, uint64_t clock, uint32_t address)
{
    if (address >= STAMPS_BASE) {
        return read_stamps(timer, (address - STAMPS_BASE) / 4);
    }
    uint64_t tick = ticks_of(clock);
    settle(timer, tick);
    unsigned index = (address - TIMER_BASE) / 4;
    switch (index) {
    case UPDATE_STAT: return status_of(timer);
    case PTI_STAT: return timer->increment;
    case CFR: timer->latched_ticks = (uint32_t)(tick >> 32); return (uint32_t)tick;
    case CFR + 1: return timer->latched_ticks;
    case TIME: timer->latched_time = (uint32_t)(timer->time >> 32); return (uint32_t)timer->time;
    case TIME + 1: return timer->latched_time;
    default: return timer->words[index];
    }
}

void ethernet_timer_write(struct ethernet_timer *timer, uint64_t clock, uint32_t address, uint32_t value)
{
    if (address >= STAMPS_BASE) {
        write_stamps(timer, (address - STAMPS_BASE) / 4, value);
        return;
    }
    uint64_t tick = ticks_of(clock);
    settle(timer, tick);
    unsigned index = (address - TIMER_BASE) / 4;
    timer->words[index] = value;
    if (index == UPDATE_PTI) {
        request(timer, tick, value, &timer->waits_for_increment, &timer->took_increment, &timer->late_increment);
    } else if (index == UPDATE_TIMESTAMP) {
        request(timer, tick, value, &timer->waits_for_time, &timer->took_time, &timer->late_time);
    }
}
