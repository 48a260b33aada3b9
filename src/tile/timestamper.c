/* The debug timestamper: appends events with the time of their writing to one of two buffers in L1. Source: ISA
   documentation DebugTimestamper.md. */
#include "tile/handlers.h"

enum { EVENT_128 = 0, EVENT_64 = 1, EVENT_32 = 2, FLUSH_64 = 3, EVENT_96 = 4, FLUSH_96 = 7 };
enum { WORDS = 4, UNIT = 16 }; /* L1 is written in units of 16 bytes */

static struct timestamper *timestamper_of(struct tile *tile)
{
    return &tile->state->registers.timestamper;
}

/* First and last unit of a buffer. */
static uint64_t start_of(struct tile *tile, unsigned buffer)
{
    return *debug_word(tile, MMIO_ADDRESS_TIMESTAMP_BUF0_START + 8 * buffer);
}

static uint64_t end_of(struct tile *tile, unsigned buffer)
{
    return *debug_word(tile, MMIO_ADDRESS_TIMESTAMP_BUF0_END + 8 * buffer);
}

static bool is_valid(struct tile *tile, unsigned buffer)
{
    return *debug_word(tile, MMIO_ADDRESS_TIMESTAMP_CNTL) >> buffer & 1;
}

/* The first buffer with room for another unit; 2: none. */
static unsigned buffer_with_room(struct tile *tile)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t next = start_of(tile, i) + timestamper_of(tile)->buffer[i].position;
        if (is_valid(tile, i) && next <= end_of(tile, i)) {
            return i;
        }
    }
    return 2;
}

static enum step flush(struct tile *tile, const uint32_t *data)
{
    struct timestamper *timestamper = timestamper_of(tile);
    unsigned i = buffer_with_room(tile);
    if (i == 2) {
        for (unsigned k = 0; k < 2; k++) {
            timestamper->buffer[k].overflow |= is_valid(tile, k);
        }
        return STEP_DONE;
    }
    uint64_t address = UNIT * (start_of(tile, i) + timestamper->buffer[i].position);
    if (!l1_contains(address, UNIT)) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "timestamp event for buffer %u at 0x%llx, which is not in L1", i, (unsigned long long)address);
    }
    l1_put(&tile->l1, (struct actor){.agent = BH_AGENT_RECORDER}, (uint32_t)address, data, UNIT);
    timestamper->buffer[i].position++;
    timestamper->buffer[i].full |= start_of(tile, i) + timestamper->buffer[i].position > end_of(tile, i);
    return STEP_DONE;
}

/* Builds the words of an event. Returns their number. */
static unsigned make_event(uint32_t header, uint64_t now, uint32_t *words)
{
    words[0] = header;
    words[1] = (uint32_t)now;
    words[2] = (uint32_t)(now >> 32);
    words[3] = 0;
    switch (header & 7) {
    case EVENT_32: words[0] = (header & 0xffff) | (uint32_t)(now & 0x001fffe0) << 11; return 1;
    case EVENT_64: return 2;
    case EVENT_96: return 3;
    case EVENT_128: return 4;
    default: return 0; /* FLUSH_64, FLUSH_96 */
    }
}

enum step timestamp_write(struct tile *tile, uint32_t value, uint64_t now)
{
    static const uint8_t sizes[8] = {
        [EVENT_128] = 128, [EVENT_64] = 64, [EVENT_32] = 32, [FLUSH_64] = 64, [EVENT_96] = 96, [FLUSH_96] = 96};
    struct timestamper *timestamper = timestamper_of(tile);
    uint8_t size = sizes[value & 7];
    if (size == 0) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "TIMESTAMP = 0x%08x: its low three bits are %u, which is no command", value, value & 7);
    }
    if (timestamper->event_size && timestamper->event_size != size) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "TIMESTAMP = 0x%08x: events of %u bits among events of %u bits; flush before", value, size,
                        timestamper->event_size);
    }
    uint32_t event[WORDS];
    unsigned count = make_event(value, now, event);
    struct timestamper next = *timestamper;
    next.event_size = size;
    uint32_t full[WORDS];
    bool write = count == 0;
    for (unsigned i = 0; i < count; i++) {
        next.data[next.position++] = event[i];
        if (next.position == WORDS) {
            __builtin_memcpy(full, next.data, sizeof full);
            next.position = 0;
            next.event_size = 0;
            write = true;
        }
    }
    if (count == 0) {
        for (unsigned i = 0; i < WORDS; i++) {
            full[i] = i < next.position ? next.data[i] : 0;
        }
        next.position = 0;
        next.event_size = 0;
    }
    enum step step = write ? flush(tile, full) : STEP_DONE;
    if (step == STEP_DONE) {
        __builtin_memcpy(timestamper->data, next.data, sizeof next.data);
        timestamper->position = next.position;
        timestamper->event_size = next.event_size;
    }
    return step;
}

/* Bit 31 clears the pending event; the hardware does so in each cycle until the bit is cleared. */
void timestamp_control(struct tile *tile, uint32_t value)
{
    struct timestamper *timestamper = timestamper_of(tile);
    if (value >> 31) {
        for (unsigned i = 0; i < 2; i++) {
            timestamper->buffer[i].full = false;
            timestamper->buffer[i].overflow = false;
        }
        timestamper->position = 0;
        timestamper->event_size = 0;
    }
}

uint32_t timestamp_status(const struct tile *tile)
{
    const struct timestamper *timestamper = &tile->state->registers.timestamper;
    uint32_t position = timestamper->position, size = timestamper->event_size;
    return (uint32_t)timestamper->buffer[0].full | (uint32_t)timestamper->buffer[1].full << 1 |
           (uint32_t)timestamper->buffer[0].overflow << 4 | (uint32_t)timestamper->buffer[1].overflow << 5 |
           (size == 64 ? position / 2 : 0) << 8 | (size == 32 ? position : 0) << 9 |
           (size == 96 ? (WORDS - position) & 3 : 0) << 11 | (timestamper->buffer[0].position & 0x3ffff) << 14;
}

/* Clears the sticky bits that are set in `value`. */
void timestamp_clear(struct tile *tile, uint32_t value)
{
    struct timestamper *timestamper = timestamper_of(tile);
    for (unsigned i = 0; i < 2; i++) {
        if (value >> i & 1) {
            timestamper->buffer[i].full = false;
            timestamper->buffer[i].position = 0;
        }
        if (value >> (4 + i) & 1) {
            timestamper->buffer[i].overflow = false;
        }
    }
}
