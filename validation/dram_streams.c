/* Streams between L1s and all banks of DRAM: page after page, the next bank for each. A stream starts a batch of pages,
   then waits until the pages of its reads have come, or those of its writes have left. */
#include <stdio.h>
#include <string.h>

#include "noc/coordinates.h"
#include "validation/banks.h"
#include "validation/transfers.h"
#include "validation/validation.h"

enum { BANKS = 8, CODE = 0x8000, CODE_ROOM = 0x2000, TIMES = 0x150000, RING = 0x20000, BUFFER = 0x1000000 };
enum { TABLE = 0xFFB00800u, TABLE_ROOM = 0x100, ID = 1, MOST_OUTSTANDING = 129, WORKERS = 117, STREAMS = 2 };

struct stream {
    bool reads;
    unsigned noc, first_bank, page, batch;
    uint32_t bytes, base, ring; /* base: in each bank */
    enum bh_core core;
    uint32_t code, times, table;
};

/* Registers besides those of transfers.h. */
enum {
    COMMAND = A0,
    STATUS = A1,
    BASE = A2,
    RING_AT = A3,
    RING_END = A4,
    BANK = A5,
    BANK_COUNT = A6,
    PAGE = A7,
    LEFT = S0,
    BATCH_LEFT = S1,
    COORDINATES = S7,
    PAGES = S8,
    DONE = S10,
    BATCH = S11
};

static uint32_t coordinates(struct place place)
{
    return place.x | place.y << NOC_COORDINATE_BITS;
}

static struct place worker(unsigned number)
{
    enum { ROWS = 10, FIRST_ROW = 2 };
    static const uint8_t columns[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14};
    return (struct place){columns[number / ROWS], FIRST_ROW + number % ROWS};
}

static void emit_setup(struct program *program, const struct stream *stream, struct place here)
{
    emit_li(program, COORDINATES, stream->table);
    for (unsigned i = 0; i < BANKS; i++) {
        struct place tile = bank_tile((i + stream->first_bank) % BANKS, preferred_endpoint(stream->noc));
        emit_li(program, T0, coordinates(tile));
        emit_sw(program, T0, COORDINATES, 4 * (int32_t)i);
    }
    emit_li(program, HERE, coordinates(here));
    emit_li(program, STATUS, niu(stream->noc, 0) + NIU_COUNTER);
    emit_li(program, COMMAND, niu(stream->noc, stream->reads ? 1 : 2));
    for (unsigned word = 0; word <= NOC_AT_DATA; word++) {
        if (word != NOC_CMD_CTRL) {
            emit_sw(program, ZERO, COMMAND, 4 * (int32_t)word);
        }
    }
    emit_li(program, T0, ID << 10);
    emit_sw(program, T0, COMMAND, 4 * NOC_PACKET_TAG);
    emit_li(program, T0, stream->reads ? CTRL_READ : CTRL_WRITE);
    emit_sw(program, T0, COMMAND, 4 * NOC_CTRL);
    emit_li(program, BASE, stream->base);
    emit_li(program, LEFT, stream->bytes);
    emit_li(program, BANK, 0);
    emit_li(program, BANK_COUNT, BANKS);
    emit_li(program, PAGE, stream->page);
    emit_li(program, RING_END, stream->ring + stream->batch * stream->page);
    emit_li(program, DONE, 0);
}

static void emit_clock(struct program *program, uint32_t address)
{
    emit_li(program, T0, 0xFFB121F0);
    emit_lw(program, T1, T0, 0);
    emit_li(program, T0, address);
    emit_sw(program, T1, T0, 0);
}

/* Waits until a counter of the transactions with this ID is below `limit`. */
static void emit_wait_below(struct program *program, unsigned counter, unsigned limit)
{
    uint32_t poll = program->count;
    emit_lw(program, T0, STATUS, 4 * (int32_t)(counter + ID));
    emit_branch(program, RV32_OP_BGEU, T0, limit, poll);
}

static void emit_wait_ready(struct program *program)
{
    uint32_t poll = program->count;
    emit_lw(program, T0, COMMAND, 4 * NOC_CMD_CTRL);
    emit_branch(program, RV32_OP_BNE, T0, ZERO, poll);
}

/* A page between the ring and its bank, then the place of the next page. */
static void emit_page(struct program *program, const struct stream *stream)
{
    RVI(ADDI, T1, BATCH_LEFT, 0);
    uint32_t last = emit_branch(program, RV32_OP_BLTU, BATCH_LEFT, PAGE, 0);
    RVI(ADDI, T1, PAGE, 0);
    emit_bind(program, last);
    RVI(SLLI, T2, BANK, 2);
    RV(ADD, T2, T2, COORDINATES);
    emit_lw(program, T3, T2, 0);
    emit_wait_ready(program);
    emit_sw(program, stream->reads ? BASE : RING_AT, COMMAND, 4 * NOC_TARG_ADDR_LO);
    emit_sw(program, stream->reads ? T3 : HERE, COMMAND, 4 * NOC_TARG_ADDR_HI);
    emit_sw(program, stream->reads ? RING_AT : BASE, COMMAND, 4 * NOC_RET_ADDR_LO);
    emit_sw(program, stream->reads ? HERE : T3, COMMAND, 4 * NOC_RET_ADDR_HI);
    emit_sw(program, T1, COMMAND, 4 * NOC_AT_LEN_BE);
    emit_li(program, T0, 1);
    emit_sw(program, T0, COMMAND, 4 * NOC_CMD_CTRL);
    RV(SUB, BATCH_LEFT, BATCH_LEFT, T1);
    RV(ADD, RING_AT, RING_AT, T1);
    uint32_t inside = emit_branch(program, RV32_OP_BNE, RING_AT, RING_END, 0);
    emit_li(program, RING_AT, stream->ring);
    emit_bind(program, inside);
    RVI(ADDI, BANK, BANK, 1);
    uint32_t next = emit_branch(program, RV32_OP_BLTU, BANK, BANK_COUNT, 0);
    emit_li(program, BANK, 0);
    RV(ADD, BASE, BASE, PAGE);
    emit_bind(program, next);
}

static void emit_batch(struct program *program, const struct stream *stream)
{
    emit_li(program, BATCH, stream->batch * stream->page);
    RVI(ADDI, BATCH_LEFT, LEFT, 0);
    uint32_t few = emit_branch(program, RV32_OP_BLTU, LEFT, BATCH, 0);
    RVI(ADDI, BATCH_LEFT, BATCH, 0);
    emit_bind(program, few);
    RV(SUB, LEFT, LEFT, BATCH_LEFT);
    RVI(ADDI, T0, PAGE, -1);
    RV(ADD, T0, T0, BATCH_LEFT);
    RV(DIVU, PAGES, T0, PAGE);
    if (!stream->reads) {
        emit_li(program, T2, MOST_OUTSTANDING);
        RV(SUB, T2, T2, PAGES);
        emit_wait_below(program, NIU_MST_REQS_OUTSTANDING_ID, T2);
    }
    emit_li(program, T0, stream->batch);
    RV(REMU, T1, DONE, T0);
    RV(MUL, T1, T1, PAGE);
    emit_li(program, RING_AT, stream->ring);
    RV(ADD, RING_AT, RING_AT, T1);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, BATCH_LEFT, ZERO, 0);
    emit_page(program, stream);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_wait_ready(program);
    emit_li(program, T2, 1);
    emit_wait_below(program, stream->reads ? NIU_MST_REQS_OUTSTANDING_ID : NIU_MST_WRITE_REQS_OUTGOING_ID, T2);
    RV(ADD, DONE, DONE, PAGES);
}

static void start(struct bh_device *device, const struct stream *stream, struct place here)
{
    static struct program program_room;
    struct program *program = &program_room;
    *program = (struct program){.address = stream->code};
    emit_clock(program, stream->times);
    emit_setup(program, stream, here);
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, LEFT, ZERO, 0);
    emit_batch(program, stream);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_li(program, T2, 1);
    emit_wait_below(program, NIU_MST_REQS_OUTSTANDING_ID, T2);
    emit_clock(program, stream->times + 4);
    emit_end(program);
    machine_load(device, here, program);
    machine_start(device, here, stream->core, program);
}

/* What the workers of a program do. */
struct program_of_streams {
    bool mixed, reads, rotated;
    enum bh_core core; /* of a single stream */
    unsigned workers, streams, page, batch, first_noc;
    uint32_t bytes; /* of a worker */
};

static struct stream stream_of(const struct program_of_streams *all, unsigned number, unsigned slot)
{
    uint32_t bytes = all->bytes / all->streams;
    return (struct stream){.reads = all->mixed ? slot == 0 : all->reads,
                           .noc = (all->first_noc + number + slot) % NIUS,
                           .first_bank = all->rotated ? number % BANKS : 0,
                           .page = all->page,
                           .batch = all->batch,
                           .bytes = bytes,
                           .base = BUFFER + (number * all->bytes + slot * bytes) / BANKS,
                           .ring = RING + slot * all->batch * all->page,
                           .core = all->streams == 1 ? all->core
                                   : slot            ? BH_CORE_NC
                                                     : BH_CORE_B,
                           .code = CODE + slot * CODE_ROOM,
                           .times = TIMES + slot * 8,
                           .table = TABLE + slot * TABLE_ROOM};
}

/* Decimal GB/s, from the first stream's begin to the last one's end. */
static double bandwidth(const struct program_of_streams *all)
{
    const double gigahertz = 1.35;
    struct bh_device *device = machine_create();
    uint32_t first = UINT32_MAX, last = 0;
    for (unsigned i = 0; i < all->workers; i++) {
        for (unsigned slot = 0; slot < all->streams; slot++) {
            const struct stream stream = stream_of(all, i, slot);
            start(device, &stream, worker(i));
        }
    }
    machine_run(device);
    for (unsigned i = 0; i < all->workers * all->streams; i++) {
        uint32_t times = TIMES + i % all->streams * 8;
        uint32_t begin = machine_word(device, worker(i / all->streams), times),
                 end = machine_word(device, worker(i / all->streams), times + 4);
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    bh_device_destroy(device);
    return (double)all->bytes * all->workers * gigahertz / (last - first);
}

static bool streams(const struct measured *row, double *value)
{
    bool both = strstr(row->what, "both") != NULL, sustained = strstr(row->what, "sustained") != NULL;
    const struct program_of_streams all = {.reads = strstr(row->what, " read") != NULL,
                                           .core = strstr(row->what, "BRISC") ? BH_CORE_B : BH_CORE_NC,
                                           .workers = (unsigned)measured_number(row, "workers", 1),
                                           .streams = both ? STREAMS : 1,
                                           .page = 2048,
                                           .batch = 32,
                                           .bytes = sustained ? 4 << 20 : 512 << 10};
    *value = bandwidth(&all);
    return true;
}

/* Writes and reads at once, writes of large pages by both cores, and writes whose pages another core hands over. */
static bool others(const struct measured *row, double *value)
{
    struct program_of_streams all = {
        .workers = WORKERS, .streams = STREAMS, .page = 2048, .batch = 32, .bytes = 512 << 10};
    unsigned page, workers;
    if (strstr(row->what, "mixed")) {
        all.mixed = all.rotated = true;
    } else if (strstr(row->what, "16KiB pages write b")) {
        all.page = 16384;
        all.batch = 16;
        all.bytes = 4 << 20;
    } else if (sscanf(row->what, "DRAM bandwidth other: noc_output %uK %u", &page, &workers) == 2) {
        all.core = BH_CORE_NC;
        all.workers = workers;
        all.streams = all.first_noc = 1;
        all.page = page * 1024;
        all.batch = 8;
        all.bytes = BANKS * 16 * all.page;
    } else {
        return false;
    }
    *value = bandwidth(&all);
    return true;
}

const struct validation_program validation_dram_streams[] = {
    {"DRAM bandwidth other", others}, {"DRAM bandwidth", streams}, {"DRAM sustained", streams}, {0}};
