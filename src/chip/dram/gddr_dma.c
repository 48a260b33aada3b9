#include "chip/dram/gddr_dma.h"

#include <string.h>

#include "time/clock.h"

#define STREAMS_FIRST 0xFC000000u
#define CONTROL_FIRST 0xFC001000u

enum { STREAM_STRIDE = 0x100, UNIT = 16, BURST = NOC_PACKET_BYTES }; /* BURST: as long as the longest packet */

enum stream_register {
#define GDDR_DMA_STREAM(offset, name, kind, reset) STREAM_##name = (offset) / 4,
#include "gddr_dma.def"
#undef GDDR_DMA_STREAM
};

enum control_register {
#define GDDR_DMA_CONTROL(offset, name, kind, reset) CONTROL_##name = (offset) / 4,
#include "gddr_dma.def"
#undef GDDR_DMA_CONTROL
};

enum register_kind { NONE, WORD, START, STATUS, ADDRESS, OPAQUE };

/* TRANSFER_ATTRIBUTES. */
enum {
    SIZE = (1 << 14) - 1, /* in units of 16 bytes */
    WRITE_SRC_INCREMENTS = 1 << 20,
    WRITE_DST_INCREMENTS = 1 << 21,
    READ_SRC_INCREMENTS = 1 << 22,
    READ_DST_INCREMENTS = 1 << 23,
    TRIGGER_INTERRUPT = 1 << 26,
    START_RAW = 1 << 28, /* a write of plain bytes */
    START_DATA = 1 << 29,
    START_REG = 1 << 30,
};
#define START_READ (1u << 31)

/* TXQ_SETTINGS; TX_TRANSFER_ATTRIBUTES. */
enum { COARSE_GRAIN_AUTO_INCR = 1 << 4, DMA_ENABLE = 1 << 0 };

/* Registers. */

static enum register_kind stream_kind(unsigned word)
{
    static const uint8_t kinds[GDDR_DMA_STREAM_WORDS] = {
#define GDDR_DMA_STREAM(offset, name, kind, reset) [(offset) / 4] = kind,
#include "gddr_dma.def"
#undef GDDR_DMA_STREAM
    };
    return word < GDDR_DMA_STREAM_WORDS ? (enum register_kind)kinds[word] : NONE;
}

static enum register_kind control_kind(unsigned word)
{
    static const uint8_t kinds[GDDR_DMA_CONTROL_WORDS] = {
#define GDDR_DMA_CONTROL(offset, name, kind, reset) [(offset) / 4] = kind,
#include "gddr_dma.def"
#undef GDDR_DMA_CONTROL
    };
    return word < GDDR_DMA_CONTROL_WORDS ? (enum register_kind)kinds[word] : NONE;
}

/* Whether the address is of a stream's register, and of which. */
static bool of_stream(uint32_t address, unsigned *stream, unsigned *word)
{
    *stream = (address - STREAMS_FIRST) / STREAM_STRIDE;
    *word = address % STREAM_STRIDE / 4;
    return address - STREAMS_FIRST < GDDR_DMA_STREAMS * STREAM_STRIDE;
}

static void give_reset_values(struct gddr_dma *dma)
{
    for (unsigned stream = 0; stream < GDDR_DMA_STREAMS; stream++) {
#define GDDR_DMA_STREAM(offset, name, kind, reset) dma->stream[stream][STREAM_##name] = reset;
#include "gddr_dma.def"
#undef GDDR_DMA_STREAM
    }
#define GDDR_DMA_CONTROL(offset, name, kind, reset) dma->control[CONTROL_##name] = reset;
#include "gddr_dma.def"
#undef GDDR_DMA_CONTROL
    dma->used = true;
}

static enum step not_emulated(const struct gddr_dma_site *site, const char *what, uint32_t address)
{
    return diagnose(site->diagnostics, BH_UNSUPPORTED,
                    "%s at 0x%08x: of this register of the GDDR DMA engine only the name is public", what, address);
}

static enum step not_there(const struct gddr_dma_site *site, const char *what, uint32_t address)
{
    return diagnose(site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s at 0x%08x: the GDDR DMA engine has no register there that is known", what, address);
}

/* Copies. */

/* Of a stream's copies under way, or of all. */
enum { ANY_STREAM = GDDR_DMA_STREAMS };

static unsigned under_way(const struct gddr_dma *dma, unsigned stream, bool read)
{
    unsigned count = 0;
    for (unsigned i = 0; i < dma->count; i++) {
        count +=
            !dma->copy[i].done && dma->copy[i].read == read && (stream == ANY_STREAM || dma->copy[i].stream == stream);
    }
    return count;
}

static void tell_copy(const struct gddr_dma_site *site, const struct gddr_dma_copy *copy)
{
    const struct actor actor = {.agent = BH_AGENT_DMA, .index = copy->stream};
    const uint8_t *l1 = l1_direct(site->l1) + copy->l1;
    if (site->observed) {
        observed_access(site->observed, actor, copy->read ? BH_SPACE_DRAM : BH_SPACE_L1, false,
                        copy->read ? copy->gddr : copy->l1, copy->size, l1);
        observed_access(site->observed, actor, copy->read ? BH_SPACE_L1 : BH_SPACE_DRAM, true,
                        copy->read ? copy->l1 : copy->gddr, copy->size, l1);
    }
}

/* Moves the bytes. GDDR that was never written reads as zeroes. */
static void carry_out(const struct gddr_dma_site *site, const struct gddr_dma_copy *copy)
{
    uint8_t *l1 = l1_direct(site->l1) + copy->l1;
    if (copy->read) {
        (void)dram_read(site->dram, site->channel, copy->gddr, l1, copy->size);
        l1_written(site->l1, copy->l1, copy->size);
    } else if (!dram_write(site->dram, site->channel, copy->gddr, l1, copy->size)) {
        (void)diagnose(site->diagnostics, BH_UNSUPPORTED, "there is no memory for channel %u of GDDR", site->channel);
    }
}

uint64_t gddr_dma_next_end(const struct gddr_dma *dma)
{
    uint64_t next = CLOCK_NEVER;
    for (unsigned i = 0; i < dma->count; i++) {
        next = clock_sooner(next, dma->copy[i].ends);
    }
    return next;
}

void gddr_dma_settle(const struct gddr_dma_site *site)
{
    struct gddr_dma *dma = site->dma;
    unsigned kept = 0;
    for (unsigned i = 0; i < dma->count; i++) {
        if (dma->copy[i].ends <= site->now) {
            if (!dma->copy[i].done) {
                carry_out(site, &dma->copy[i]);
            }
            tell_copy(site, &dma->copy[i]);
        } else {
            dma->copy[kept++] = dma->copy[i];
        }
    }
    dma->count = (uint16_t)kept;
}

/* Those of one kind and stream end in their order. */
static uint64_t behind_earlier(const struct gddr_dma *dma, const struct gddr_dma_copy *copy, uint64_t ends)
{
    for (const struct gddr_dma_copy *one = dma->copy; one < copy; one++) {
        bool before = one->read == copy->read && one->stream == copy->stream;
        ends = before ? clock_later(ends, one->ends) : ends;
    }
    return ends;
}

/* The first copy of which not all is booked; null: there is none. */
static struct gddr_dma_copy *first_to_book(const struct gddr_dma *dma)
{
    for (unsigned i = 0; i < dma->count; i++) {
        if (dma->copy[i].booked < dma->copy[i].size) {
            return (struct gddr_dma_copy *)&dma->copy[i];
        }
    }
    return NULL;
}

uint64_t gddr_dma_asks(const struct gddr_dma *dma)
{
    const struct gddr_dma_copy *copy = first_to_book(dma);
    return copy ? clock_later(copy->started * MILLI, dma->asks_at) : CLOCK_NEVER;
}

/* A read brings its last bytes after the latency of GDDR. A write has ended when the controller has taken its bytes,
   for which it has as much room as NIUs have for writes. */
void gddr_dma_book(struct gddr_dma *dma, struct noc_timing *timing, unsigned channel)
{
    const uint64_t room = TIMING_DRAM_WRITES_HELD * TIMING_DRAM_FLIT_MILLI;
    struct gddr_dma_copy *copy = first_to_book(dma);
    uint64_t asks = gddr_dma_asks(dma), port = asks;
    uint32_t left = copy->size - copy->booked, size = left < BURST ? left : BURST, flits = noc_flits(size);
    uint64_t begin = noc_dram(timing, channel, &port, asks, flits, copy->read);
    uint64_t moved = begin + TIMING_DRAM_PACKET_MILLI + flits * TIMING_DRAM_FLIT_MILLI;
    dma->asks_at = clock_later(begin, port);
    copy->booked += size;
    if (copy->booked == copy->size) {
        uint64_t taken = clock_later(asks + flits * MILLI, moved > room ? moved - room : 0);
        uint64_t ends = copy->read ? moved + TIMING_DRAM_READ * MILLI : taken + TIMING_DRAM_WRITE * MILLI;
        copy->ends = behind_earlier(dma, copy, (ends + MILLI - 1) / MILLI);
    }
}

static void add(const struct gddr_dma_site *site, struct gddr_dma_copy *copy)
{
    struct gddr_dma *dma = site->dma;
    copy->started = site->now;
    copy->ends = site->timed ? CLOCK_NEVER : site->now;
    if (!site->timed) {
        carry_out(site, copy);
        copy->booked = copy->size;
        copy->done = true;
        if (!site->observed) {
            return;
        }
    }
    dma->copy[dma->count++] = *copy;
}

/* Where the next copy is from and to: the addresses that were stored, or those that increments have come to. */
static void place(uint32_t *words, uint32_t attributes, struct gddr_dma_copy *copy)
{
    bool read = copy->read;
    bool gddr_increments = attributes & (read ? READ_SRC_INCREMENTS : WRITE_DST_INCREMENTS);
    bool l1_increments = attributes & (read ? READ_DST_INCREMENTS : WRITE_SRC_INCREMENTS);
    uint32_t *low = &words[read ? STREAM_READ_AUTO_INC_CUR_SRC_LOW : STREAM_WRITE_AUTO_INC_CUR_DEST_LOW];
    uint32_t *high = &words[read ? STREAM_READ_AUTO_INC_CUR_SRC_HIGH : STREAM_WRITE_AUTO_INC_CUR_DEST_HIGH];
    uint32_t *l1 = &words[read ? STREAM_READ_AUTO_INC_DEST : STREAM_WRITE_AUTO_INC_CUR_SRC];
    uint32_t stored_low = words[read ? STREAM_READ_TRANSFER_SOURCE_LOW : STREAM_WRITE_DEST_ADDR_LOW];
    uint32_t stored_high = words[read ? STREAM_READ_TRANSFER_SOURCE_HIGH : STREAM_WRITE_DEST_ADDR_HIGH];
    copy->gddr = gddr_increments ? (uint64_t)*high << 32 | *low : (uint64_t)stored_high << 32 | stored_low;
    copy->l1 = l1_increments ? *l1 : words[read ? STREAM_READ_TRANSFER_DEST : STREAM_WRITE_TRANSFER_START_ADDR];
    if (gddr_increments) {
        uint64_t next =
            copy->gddr + words[read ? STREAM_READ_AUTO_INCR_SRC_OFFSET : STREAM_WRITE_AUTO_INCR_DEST_OFFSET];
        *low = (uint32_t)next;
        *high = (uint32_t)(next >> 32);
    }
    if (l1_increments) {
        *l1 += words[read ? STREAM_READ_AUTO_INCR_DEST_OFFSET : STREAM_WRITE_AUTO_INCR_SRC_OFFSET];
    }
}

/* What is wrong with a copy; null: nothing. */
static const char *wrong_with(const struct gddr_dma_site *site, const struct gddr_dma_copy *copy)
{
    const struct gddr_dma *dma = site->dma;
    unsigned most = copy->read ? GDDR_DMA_READS : GDDR_DMA_WRITES;
    return !(dma->control[CONTROL_TX_TRANSFER_ATTRIBUTES] & DMA_ENABLE)        ? "dma_enable is 0"
           : copy->size == 0                                                   ? "its size is 0"
           : (copy->gddr | copy->l1) % UNIT                                    ? "addresses are multiples of 16"
           : copy->l1 > site->l1_size || copy->size > site->l1_size - copy->l1 ? "it leaves the L1 of the core"
           : copy->gddr > DRAM_CHANNEL_SIZE || copy->size > DRAM_CHANNEL_SIZE - copy->gddr
               ? "it leaves the channel of GDDR"
           : under_way(dma, copy->stream, copy->read) >= most ? "the stream has as many under way as it can count"
                                                              : NULL;
}

static enum step start_copy(const struct gddr_dma_site *site, unsigned stream, uint32_t attributes, bool read)
{
    uint32_t *words = site->dma->stream[stream];
    struct gddr_dma_copy copy = {.read = read, .stream = (uint8_t)stream, .size = (attributes & SIZE) * UNIT};
    place(words, attributes, &copy);
    const char *wrong = wrong_with(site, &copy);
    if (wrong) {
        return diagnose(site->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "GDDR DMA, stream %u: %s of %u bytes %s 0x%llx of GDDR, L1 0x%05x: %s", stream,
                        read ? "read" : "write", copy.size, read ? "from" : "to", (unsigned long long)copy.gddr,
                        copy.l1, wrong);
    }
    add(site, &copy);
    return STEP_DONE;
}

static enum step start(const struct gddr_dma_site *site, unsigned stream, uint32_t attributes)
{
    enum { INCREMENTS = WRITE_SRC_INCREMENTS | WRITE_DST_INCREMENTS | READ_SRC_INCREMENTS | READ_DST_INCREMENTS };
    bool coarse = site->dma->stream[stream][STREAM_TXQ_SETTINGS] & COARSE_GRAIN_AUTO_INCR;
    const char *unknown = attributes & (START_DATA | START_REG) ? "forwarding data, or writing remote registers"
                          : attributes & TRIGGER_INTERRUPT      ? "an interrupt at its end"
                          : attributes & INCREMENTS && !coarse  ? "increments without coarse_grain_auto_incr_en"
                                                                : NULL;
    if (unknown) {
        return diagnose(site->diagnostics, BH_UNSUPPORTED,
                        "GDDR DMA, stream %u, TRANSFER_ATTRIBUTES 0x%08x: how %s works is not public", stream,
                        attributes, unknown);
    }
    enum step step = attributes & START_READ ? start_copy(site, stream, attributes, true) : STEP_DONE;
    return step == STEP_DONE && attributes & START_RAW ? start_copy(site, stream, attributes, false) : step;
}

/* What registers show. */

static uint32_t stream_status(const struct gddr_dma *dma, unsigned stream)
{
    enum { WRITE = 1 << 0, RAW_WRITE = 1 << 3, READ = 1 << 4, READS = 8, WRITES = 16, RAW_WRITES = 28 };
    unsigned reads = under_way(dma, stream, true), writes = under_way(dma, stream, false);
    return (reads ? READ : 0) | reads << READS | (writes ? WRITE | RAW_WRITE : 0) | writes << WRITES |
           (uint32_t)writes << RAW_WRITES;
}

/* TX_READ_STATUS, or TX_WRITE_STATUS: ready as long as each stream takes another copy. */
static uint32_t control_status(const struct gddr_dma *dma, bool read)
{
    enum { READY = 1 << 0, BUSY = 1 << 1, READS = 8, RAW = 1 << 10, WRITES = 12, RAW_WRITES = 24, MOST = 15 };
    unsigned most = read ? GDDR_DMA_READS : GDDR_DMA_WRITES, all = under_way(dma, ANY_STREAM, read);
    bool ready = true;
    for (unsigned stream = 0; stream < GDDR_DMA_STREAMS; stream++) {
        ready &= under_way(dma, stream, read) < most;
    }
    uint32_t status = (ready ? READY : 0) | (all ? BUSY : 0), shown = all < most ? all : most;
    return read ? status | shown << READS
                : status | (all ? RAW : 0) | shown << WRITES | (shown < MOST ? shown : MOST) << RAW_WRITES;
}

static uint32_t shown_by_stream(const struct gddr_dma *dma, unsigned stream, unsigned word)
{
    return word == STREAM_STATUS ? stream_status(dma, stream) : dma->stream[stream][word];
}

static uint32_t shown_by_control(const struct gddr_dma *dma, unsigned word)
{
    return word == CONTROL_TX_READ_STATUS    ? control_status(dma, true)
           : word == CONTROL_TX_WRITE_STATUS ? control_status(dma, false)
                                             : dma->control[word];
}

const char *gddr_dma_register_name(uint32_t address)
{
    static const char *const streams[GDDR_DMA_STREAM_WORDS] = {
#define GDDR_DMA_STREAM(offset, name, kind, reset) [(offset) / 4] = #name " of a GDDR DMA stream",
#include "gddr_dma.def"
#undef GDDR_DMA_STREAM
    };
    static const char *const control[GDDR_DMA_CONTROL_WORDS] = {
#define GDDR_DMA_CONTROL(offset, name, kind, reset) [(offset) / 4] = #name,
#include "gddr_dma.def"
#undef GDDR_DMA_CONTROL
    };
    unsigned stream, word;
    if (of_stream(address, &stream, &word)) {
        return word < GDDR_DMA_STREAM_WORDS ? streams[word] : NULL;
    }
    word = (address - CONTROL_FIRST) / 4;
    return address >= CONTROL_FIRST && word < GDDR_DMA_CONTROL_WORDS ? control[word] : NULL;
}

/* Accesses. */

static enum register_kind find(const struct gddr_dma_site *site, uint32_t address, unsigned *stream, unsigned *word)
{
    if (!site->dma->used) {
        give_reset_values(site->dma);
    }
    if (of_stream(address, stream, word)) {
        return stream_kind(*word);
    }
    *stream = GDDR_DMA_STREAMS;
    *word = (address - CONTROL_FIRST) / 4;
    return address >= CONTROL_FIRST ? control_kind(*word) : NONE;
}

enum step gddr_dma_read(const struct gddr_dma_site *site, uint32_t address, uint32_t *value)
{
    unsigned stream, word;
    enum register_kind kind = find(site, address, &stream, &word);
    *value = 0;
    gddr_dma_settle(site);
    if (kind == NONE) {
        return not_there(site, "load", address);
    }
    if (kind == OPAQUE) {
        return not_emulated(site, "load", address);
    }
    *value = stream < GDDR_DMA_STREAMS ? shown_by_stream(site->dma, stream, word) : shown_by_control(site->dma, word);
    return STEP_DONE;
}

/* Automatic increments begin at an address that is stored. */
static void seed(uint32_t *words, unsigned word)
{
    static const uint8_t current[GDDR_DMA_STREAM_WORDS] = {
        [STREAM_WRITE_TRANSFER_START_ADDR] = STREAM_WRITE_AUTO_INC_CUR_SRC,
        [STREAM_WRITE_DEST_ADDR_LOW] = STREAM_WRITE_AUTO_INC_CUR_DEST_LOW,
        [STREAM_WRITE_DEST_ADDR_HIGH] = STREAM_WRITE_AUTO_INC_CUR_DEST_HIGH,
        [STREAM_READ_TRANSFER_SOURCE_LOW] = STREAM_READ_AUTO_INC_CUR_SRC_LOW,
        [STREAM_READ_TRANSFER_SOURCE_HIGH] = STREAM_READ_AUTO_INC_CUR_SRC_HIGH,
        [STREAM_READ_TRANSFER_DEST] = STREAM_READ_AUTO_INC_DEST,
    };
    words[current[word]] = words[word];
}

enum step gddr_dma_write(const struct gddr_dma_site *site, uint32_t address, uint32_t value)
{
    unsigned stream, word;
    enum register_kind kind = find(site, address, &stream, &word);
    uint32_t *words = stream < GDDR_DMA_STREAMS ? site->dma->stream[stream] : site->dma->control;
    gddr_dma_settle(site);
    switch (kind) {
    case NONE: return not_there(site, "store", address);
    case OPAQUE: return not_emulated(site, "store", address);
    case STATUS: return STEP_DONE; /* read-only */
    case START: {
        enum step step = start(site, stream, value);
        words[word] = step == STEP_DONE ? value : words[word];
        return step;
    }
    case ADDRESS:
        words[word] = value;
        seed(words, word);
        return STEP_DONE;
    default: words[word] = value; return STEP_DONE;
    }
}
