/* Phases of overlay streams: how they are configured and started, handshakes, and when they end. Sources: ISA
   documentation NoC/Overlay/README.md ("Stream state machine"), TransferBetweenTiles.md ("Handshake", "Flow control"),
   LoadConfigurationFromL1.md. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tile/overlay/stream.h"

enum {
    FIRST_DRAM_COMMAND = 5,
    DRAM_COMMAND = 7, /* low bits of STREAM_SCRATCH_0 */
    FIRST_DRAM_STREAM = 8,
    DRAM_STREAMS = 4, /* this many from stream 0 on, and from FIRST_DRAM_STREAM on, can transmit to DRAM */
    VALUE_BITS = 0xffffff,
    INDEX_SHAMT = 24,
    MOST_STEPS = 100000, /* limit on one tile's steps in a row: only an endless circle of empty phases exceeds it */
};

enum step stream_wrong(const struct stream *stream, enum bh_category category, const char *format, ...)
{
    struct diagnostics *diagnostics = stream->site->diagnostics;
    struct diagnostic_origin now = diagnostics->now;
    char text[sizeof diagnostics->entries[0].text];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diagnostics->now = stream->engine->origin;
    enum step step = diagnose(diagnostics, category, "%s", text);
    diagnostics->now = now;
    return step;
}

unsigned stream_capacity(const struct overlay *overlay, unsigned stream)
{
    unsigned multicast_streams = overlay->of_ethernet ? 2 : 4;
    return stream < multicast_streams ? STREAM_DESTINATIONS : 1;
}

unsigned stream_destinations(const struct stream *stream)
{
    unsigned capacity = stream_capacity(stream->site->overlay, stream->number);
    unsigned wanted = *stream->words[INDEX(MCAST_DEST_NUM)];
    return capacity == 1 || !(*stream->words[INDEX(MCAST_DEST)] & MCAST_EN) || wanted == 0 ? 1
           : wanted < capacity                                                             ? wanted
                                                                                           : capacity;
}

bool stream_reaches_dram(unsigned stream)
{
    return stream < DRAM_STREAMS || (stream >= FIRST_DRAM_STREAM && stream < FIRST_DRAM_STREAM + DRAM_STREAMS);
}

bool stream_writes_dram(const struct stream *stream)
{
    return stream_is(stream, REMOTE_RECEIVER) && stream_reaches_dram(stream->number) &&
           (*stream->words[INDEX(SCRATCH_0)] & DRAM_COMMAND) >= FIRST_DRAM_COMMAND;
}

bool stream_is_linked(const struct stream *stream, uint32_t place)
{
    return stream->site->link_units && stream_reaches_dram(stream->number) && stream_is_over_ethernet(place);
}

/* Whether a register names the other end of a link that the tile does not have. */
static bool misses_link(const struct stream *stream, uint32_t place)
{
    return stream_is_over_ethernet(place) && !stream_is_linked(stream, place);
}

static bool several(uint32_t bits)
{
    return bits & (bits - 1);
}

/* The contradiction in a phase's configuration, or null. */
static const char *wrong_phase(const struct stream *stream)
{
    uint32_t(*words)[STREAMS] = stream->words;
    uint32_t config = *words[INDEX(MISC_CFG)];
    uint32_t sources = config & (LOCAL_SOURCES_CONNECTED | SOURCE_ENDPOINT | REMOTE_SOURCE);
    uint32_t receivers = config & (RECEIVER_ENDPOINT | LOCAL_RECEIVER | REMOTE_RECEIVER);
    bool multicasts =
        stream_capacity(stream->site->overlay, stream->number) > 1 && *words[INDEX(MCAST_DEST)] & MCAST_EN;
    bool dram = stream_writes_dram(stream);
    bool no_link = (sources == REMOTE_SOURCE && misses_link(stream, *words[INDEX(REMOTE_SRC)])) ||
                   (receivers == REMOTE_RECEIVER && misses_link(stream, *words[INDEX(REMOTE_DEST)]));
    return !sources || several(sources) || several(receivers)
               ? "it has to name one source (bits 5:3), and at most one receiver (bits 8:6)"
           : dram && !(config & DEST_DATA_BUF_NO_FLOW_CTRL)
               ? "a buffer in DRAM (STREAM_SCRATCH_0) needs DEST_DATA_BUF_NO_FLOW_CTRL"
           : dram && multicasts ? "a buffer in DRAM (STREAM_SCRATCH_0) excludes multicast (STREAM_MCAST_DEST)"
           : no_link ? "streams 0 to 3 and 8 to 11 of Ethernet tiles have a peer over Ethernet, this one has not"
                     : NULL;
}

/* Diagnoses a phase's wrong or unsupported settings; STEP_DONE: there are none. */
static enum step check_phase(const struct stream *stream)
{
    uint32_t config = *stream->words[INDEX(MISC_CFG)];
    const char *wrong = wrong_phase(stream);
    if (wrong) {
        return stream_wrong(stream, BH_UNDEFINED_BEHAVIOR,
                            "overlay stream %u starts a phase: STREAM_MISC_CFG (0x%x): %s", stream->number, config,
                            wrong);
    }
    if (config & (TOKEN_MODE | COPY_MODE | OOO_PHASE_EXECUTION_EN)) {
        return stream_wrong(stream, BH_UNSUPPORTED,
                            "overlay stream %u starts a phase (STREAM_MISC_CFG 0x%x): %s is not emulated",
                            stream->number, config,
                            config & OOO_PHASE_EXECUTION_EN ? "OOO_PHASE_EXECUTION_EN" : "TOKEN_MODE and COPY_MODE");
    }
    return config & LOCAL_SOURCES_CONNECTED ? stream_check_gather(stream) : STEP_DONE;
}

static void set_busy(const struct stream *stream, bool busy)
{
    uint64_t bit = UINT64_C(1) << stream->number;
    stream->site->overlay->busy = busy ? stream->site->overlay->busy | bit : stream->site->overlay->busy & ~bit;
}

/* Data that software has put into the buffer before the phase, by moving its pointers, count as received: a stream may
   send again what it has sent. If read and write pointer are equal except for the wrap bit, the buffer is full. */
static void begin_with_what_is_there(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    uint32_t *written = stream->words[INDEX(WR_PTR)], *read = stream->words[INDEX(RD_PTR)];
    uint32_t size = *stream->words[INDEX(BUF_SIZE)], headers = stream_headers(stream);
    uint32_t wraps = (*written ^ *read) & PTR_WRAP;
    *written &= BUF_WORDS;
    *read &= BUF_WORDS;
    uint32_t length = *written >= *read && !wraps ? *written - *read : *written + size - *read;
    if (stream_is(stream, SOURCE_ENDPOINT) && headers && length && length <= size && engine->in_flight == 0) {
        engine->in_flight = length;
        engine->arrived = length;
        if (!engine->endless) {
            engine->expected -= (uint16_t)(headers < engine->expected ? headers : engine->expected);
        }
        *written = size ? *written % size : *written;
    }
}

/* Receiver and transmitter shake hands, unless the phase continues the one before. */
static void begin_phase(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    engine->state = STREAM_FORWARDING;
    engine->endless = stream_is(stream, INFINITE_PHASE_EN);
    engine->last = false;
    engine->last_header = false;
    engine->expected = engine->endless ? 1 : (uint16_t)stream_messages_left(stream);
    engine->in_order = 0;
    engine->heard = false;
    engine->incoming = false;
    engine->gathering = false;
    engine->group = 0;
    engine->next_group = 0;
    engine->gathered = 0;
    engine->to_clear = 0;
    engine->respond = stream_is(stream, REMOTE_SOURCE) && !engine->same_source && engine->expected;
    engine->two_way = false;
    if (engine->respond) {
        *stream->words[INDEX(WR_PTR)] = 0;
        *stream->words[INDEX(RD_PTR)] = 0;
        engine->next_message = 0;
    }
    engine->shaking = stream_is(stream, REMOTE_RECEIVER) && !engine->same_destination && engine->expected;
    engine->requested = false;
    if (engine->shaking) {
        *stream->words[INDEX(REMOTE_DEST_WR_PTR)] = 0;
    }
    begin_with_what_is_there(stream);
}

enum step stream_phase_advance(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    if (engine->state != STREAM_IDLE && engine->state != STREAM_LOADED) {
        return diagnose(stream->site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "STREAM_PHASE_ADVANCE of overlay stream %u: a phase is under way", stream->number);
    }
    engine->origin = stream->site->diagnostics->now;
    enum step step = check_phase(stream);
    if (step == STEP_DONE) {
        engine->state = STREAM_FLUSHING;
        set_busy(stream, true);
    }
    return step;
}

void stream_stop(const struct stream *stream)
{
    struct overlay *overlay = stream->site->overlay;
    struct noc_outbox *outbox = stream->site->outbox;
    *stream->engine = (struct stream_engine){0};
    memset(overlay->ready[stream->number], 0, sizeof overlay->ready[stream->number]);
    set_busy(stream, false);
    for (uint32_t i = 0; i < outbox->count; i++) {
        if (outbox->request[i].reader == stream->number + 1) {
            outbox->request[i].reader = 0;
        }
    }
}

/* Configuration from L1. */

void stream_load_configuration(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    engine->state = STREAM_LOADING;
    engine->same_source &= !stream_is(stream, NEXT_PHASE_SRC_CHANGE);
    engine->same_destination &= !stream_is(stream, NEXT_PHASE_DEST_CHANGE);
    stream->site->overlay->done &= ~(UINT64_C(1) << stream->number);
    set_busy(stream, true);
}

/* Loads a configuration blob: a word for STREAM_PHASE_AUTO_CFG_HEADER, then words with a register's index and value. */
static bool load(const struct stream *stream)
{
    const struct overlay_site *site = stream->site;
    uint32_t address = *stream->words[INDEX(PHASE_AUTO_CFG_PTR)];
    uint32_t count = (*stream->words[INDEX(PHASE_AUTO_CFG_HEADER)] >> NEXT_PHASE_NUM_CFG_REG_WRITES_SHAMT) + 1;
    if (address % 4 || address > site->l1_size - count * 4) {
        stream->engine->state = STREAM_IDLE;
        set_busy(stream, false);
        (void)stream_wrong(stream, BH_UNDEFINED_BEHAVIOR,
                           "overlay stream %u: the configuration at 0x%x (STREAM_PHASE_AUTO_CFG_PTR), %u words, is not "
                           "in L1",
                           stream->number, address, count);
        return false;
    }
    enum step step =
        stream_set(stream, INDEX(PHASE_AUTO_CFG_HEADER), l1_read32(site->l1, stream_actor(stream), address));
    for (uint32_t i = 1; i < count && step == STEP_DONE; i++) {
        uint32_t word = l1_read32(site->l1, stream_actor(stream), address + 4 * i);
        step = stream_set(stream, word >> INDEX_SHAMT, word & VALUE_BITS);
    }
    bool starts = *stream->words[INDEX(ONETIME_MISC_CFG)] & PHASE_AUTO_ADVANCE;
    stream->engine->state = starts ? STREAM_FLUSHING : STREAM_LOADED;
    if (step == STEP_DONE && starts) {
        step = check_phase(stream);
    }
    if (!starts || step != STEP_DONE) {
        set_busy(stream, false);
    }
    return step == STEP_DONE;
}

/* Forwarding. */

/* Whether all destinations are ready for this phase; takes their ready flags, so that the next phase needs new ones. */
static bool destinations_ready(const struct stream *stream)
{
    uint32_t *ready = stream->site->overlay->ready[stream->number];
    uint32_t phase = *stream->words[INDEX(CURR_PHASE)] & PHASE_BITS;
    unsigned count = stream_destinations(stream);
    for (unsigned i = 0; i < count; i++) {
        if (ready[i] != (phase | HANDSHAKE_READY)) {
            return false;
        }
    }
    memset(ready, 0, count * sizeof *ready);
    return true;
}

/* "Transmit to nowhere": drops messages as soon as they are complete. */
static bool drop_messages(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    bool any = false;
    while (engine->count && engine->arrived >= engine->message[engine->first].length) {
        stream_drop_message(stream);
        any = true;
    }
    return any;
}

/* Whether the destinations have given back all space. */
static bool destinations_done(const struct stream *stream)
{
    const struct overlay *overlay = stream->site->overlay;
    if (!stream_is(stream, REMOTE_RECEIVER) || !stream_is(stream, NEXT_PHASE_DEST_CHANGE)) {
        return true;
    }
    bool data = !stream_is(stream, DEST_DATA_BUF_NO_FLOW_CTRL), headers = stream_counts_headers(stream);
    for (unsigned i = 0; i < stream_destinations(stream); i++) {
        uint32_t space = *stream->words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + i];
        if ((data && space != *stream->words[INDEX(REMOTE_DEST_BUF_SIZE)]) ||
            (headers && overlay->info_space[stream->number][i] != stream_remote_header_places(stream))) {
            return false;
        }
    }
    return true;
}

static bool end_phase(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    bool left = !engine->endless && stream_messages_left(stream);
    if (engine->expected || engine->count || engine->reads || left || engine->respond || engine->freed ||
        engine->freed_info || engine->lent || !destinations_done(stream)) {
        return false;
    }
    engine->same_source = !stream_is(stream, NEXT_PHASE_SRC_CHANGE);
    engine->same_destination = !stream_is(stream, NEXT_PHASE_DEST_CHANGE);
    if (*stream->words[INDEX(ONETIME_MISC_CFG)] & PHASE_AUTO_CONFIG) {
        stream_load_configuration(stream);
    } else {
        engine->state = STREAM_IDLE;
        stream->site->overlay->done |= UINT64_C(1) << stream->number;
        set_busy(stream, false);
    }
    return true;
}

static bool forward(const struct stream *stream)
{
    struct stream_engine *engine = stream->engine;
    bool any = stream_answer_source(stream);
    if (engine->shaking && destinations_ready(stream)) {
        engine->shaking = false;
        any = true;
    }
    any |= stream_ask_destinations(stream);
    any |= stream_is(stream, LOCAL_SOURCES_CONNECTED) ? stream_gather(stream) : stream_load_messages(stream);
    if (stream_is(stream, RECEIVER_ENDPOINT)) {
        any |= stream_clear_messages(stream);
    } else if (!stream_is(stream, LOCAL_RECEIVER | REMOTE_RECEIVER)) {
        any |= drop_messages(stream);
    } else if (!engine->shaking) {
        any |= stream_transmit(stream);
    }
    any |= stream_tell_space(stream);
    return end_phase(stream) || any;
}

static bool go_on(const struct stream *stream)
{
    switch ((enum stream_state)stream->engine->state) {
    case STREAM_LOADING: return load(stream);
    case STREAM_FLUSHING: begin_phase(stream); return true;
    case STREAM_FORWARDING: return forward(stream);
    default: return false;
    }
}

/* Stops a configuration in L1 that leads back to itself through phases without messages, and so would never end. */
static void stop_circle(const struct stream *stream)
{
    (void)stream_wrong(
        stream, BH_UNDEFINED_BEHAVIOR,
        "overlay stream %u: its configuration in L1 goes round in circles through phases without messages",
        stream->number);
    stream_stop(stream);
}

void overlay_settle(const struct overlay_site *site)
{
    struct overlay *overlay = site->overlay;
    bool again = overlay->busy != 0;
    overlay->waiting = false;
    for (unsigned steps = 0; again && !site->diagnostics->stopped;) {
        again = false;
        for (uint64_t bits = overlay->busy; bits; bits &= bits - 1) {
            struct stream stream = overlay_stream(site, (unsigned)__builtin_ctzll(bits));
            again |= go_on(&stream);
            if (++steps > MOST_STEPS) {
                stop_circle(&stream);
            }
        }
    }
}

void overlay_go_on(const struct overlay_site *site)
{
    if (site->overlay->waiting) {
        overlay_settle(site);
    }
}
