/* Transfers between DRAM and L1s. On silicon, programs of a few cores and one bank took either as long as the channel's
   64 GB/s at 1.35 GHz say, or three quarters of that: eight cores that read took 142071 cycles in one run, and 186808
   in the next one of the same day. The fast ones read 59 bytes a cycle, which would be 79 GB/s, more than a channel
   has: they have probably run before AICLK went up to 1.35 GHz. The model is that of the slow ones, and of all longer
   ones. */
#include <stdio.h>
#include <string.h>

#include "noc/coordinates.h"
#include "validation/banks.h"
#include "validation/transfers.h"
#include "validation/validation.h"

enum { CODE = 0x8000, TIMES = 0x150000, LOCAL = 0x20000, LOCAL_PAGES = 64, PAGE = 2048, MIB = 1 << 20, BANKS = 7 };
enum { FIRST_ROW = 2, ROWS = 10, TABLE = 0xFFB00800u };

/* Tensix columns of a device that has 12 of them. */
static const uint8_t columns[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14};

/* A loop over the pages of one core. */
struct pages {
    bool reads, direct; /* direct: the tile of the bank is known; else it is looked up in a table of them */
    unsigned noc, bank, first, bytes, count;
    struct place core, tile;
};

/* Registers besides those of the transfer. */
enum { BASE = S0, BANK_COUNT = S1, BANK = A6, FIRST = S10, PAGE_COUNT = S11, DONE = S8 };

static struct place core_at(unsigned number)
{
    return (struct place){columns[number / ROWS], FIRST_ROW + number % ROWS};
}

static uint32_t coordinates(struct place place)
{
    return place.x | place.y << NOC_COORDINATE_BITS;
}

static void emit_place(struct program *program, const struct pages *pages)
{
    RV(ADD, A1, FIRST, DONE);
    if (pages->direct) {
        RV(MUL, T0, A1, LENGTH);
        RVI(ADDI, A0, BASE, 0);
        RV(ADD, A0, A0, T0);
        RVI(ADDI, THERE, A7, 0);
    } else {
        RV(MUL, A1, A1, BANK_COUNT);
        RV(ADD, A1, A1, BANK);
        RVI(ADDI, A0, BASE, 0);
        RVI(ADDI, A2, BANK_COUNT, 0);
        RVI(ADDI, T0, A1, 0);
        RV(REMU, A1, T0, A2);
        RV(DIVU, T0, T0, A2);
        RVI(SLLI, T0, T0, 11);
        RV(ADD, A0, A0, T0);
        RVI(ADDI, T1, A1, 0);
        RVI(SLLI, T1, T1, 1);
        emit_li(program, T2, TABLE);
        RV(ADD, T2, T2, T1);
        RVI(LHU, THERE, T2, 0);
    }
    RVI(ANDI, T5, DONE, LOCAL_PAGES - 1);
    RV(MUL, T5, T5, LENGTH);
    emit_li(program, T6, LOCAL);
    RV(ADD, T5, T5, T6);
    RVI(ADDI, pages->reads ? FROM : TO, A0, 0);
    RVI(ADDI, pages->reads ? TO : FROM, T5, 0);
}

static void emit_table(struct program *program, const struct pages *pages)
{
    emit_li(program, AT, TABLE);
    for (unsigned bank = 0; bank < BANKS; bank++) {
        emit_li(program, TEMPORARY, coordinates(bank_tile(bank, preferred_endpoint(pages->noc))));
        emit(program, RV32_OP_SH, 0, AT, TEMPORARY, 2 * (int32_t)bank);
    }
}

static void start(struct bh_device *device, const struct pages *pages)
{
    static struct program program_room;
    struct program *program = &program_room;
    unsigned counter = pages->reads ? NIU_MST_RD_RESP_RECEIVED : NIU_MST_WR_ACK_RECEIVED;
    *program = (struct program){.address = CODE};
    emit_table(program, pages);
    emit_li(program, HERE, coordinates(pages->core));
    emit_li(program, AT, niu(pages->noc, WRITE_BUFFER));
    emit_sw(program, HERE, AT, 4 * NOC_TARG_ADDR_HI);
    emit_li(program, LENGTH, pages->bytes);
    emit_li(program, BASE, 0x1000000);
    emit_li(program, BANK_COUNT, BANKS);
    emit_li(program, BANK, pages->bank);
    emit_li(program, FIRST, pages->first);
    emit_li(program, PAGE_COUNT, pages->count);
    emit_li(program, EXPECTED, 0);
    emit_li(program, DONE, 0);
    emit_li(program, AT, 0xFFB121F0);
    emit_lw(program, A4, AT, 0);
    emit_li(program, A7, coordinates(pages->tile));
    uint32_t top = program->count, leave = emit_branch(program, RV32_OP_BEQ, DONE, PAGE_COUNT, 0);
    emit_place(program, pages);
    if (pages->reads) {
        emit_read(program, pages->noc);
    } else {
        emit_write(program, pages->noc, CTRL_WRITE);
    }
    RVI(ADDI, EXPECTED, EXPECTED, 1);
    RVI(ADDI, DONE, DONE, 1);
    emit_jump(program, top);
    emit_bind(program, leave);
    emit_await(program, pages->noc, counter);
    emit_li(program, AT, 0xFFB121F0);
    emit_lw(program, A5, AT, 0);
    emit_li(program, AT, TIMES);
    emit_sw(program, A4, AT, 0);
    emit_sw(program, A5, AT, 4);
    emit_end(program);
    machine_load(device, pages->core, program);
    machine_start(device, pages->core, BH_CORE_B, program);
}

/* From the first core's begin to the last one's end. */
static double window(const struct pages *pages, unsigned cores)
{
    struct bh_device *device = machine_create();
    uint32_t first = UINT32_MAX, last = 0;
    for (unsigned i = 0; i < cores; i++) {
        start(device, &pages[i]);
    }
    machine_run(device);
    for (unsigned i = 0; i < cores; i++) {
        uint32_t begin = machine_word(device, pages[i].core, TIMES),
                 end = machine_word(device, pages[i].core, TIMES + 4);
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    bh_device_destroy(device);
    return last - first;
}

static bool banks(const struct measured *row, double *value)
{
    static struct pages pages[sizeof columns * ROWS];
    bool spread = strstr(row->what, "spread") != NULL, reads = strstr(row->what, " read") != NULL;
    const char *named = strstr(row->what, "endpoint");
    unsigned cores = (unsigned)measured_number(row, "cores", 1), noc = strstr(row->what, "NoC1") != NULL;
    unsigned kib = 2;
    const char *size = strstr(row->what, "packet size") ? strrchr(row->what, ' ') : NULL;
    if (size && sscanf(size, " %uK", &kib) != 1) {
        return false;
    }
    for (unsigned i = 0; i < cores; i++) {
        unsigned bank = spread ? i % BANKS : 0, turn = spread ? i / BANKS : i, bytes = kib * 1024, count = MIB / bytes;
        unsigned endpoint = named ? (unsigned)(named[strlen("endpoint")] - '0') : preferred_endpoint(noc);
        pages[i] = (struct pages){.reads = reads,
                                  .direct = named || kib != 2,
                                  .noc = noc,
                                  .bank = bank,
                                  .first = turn * count,
                                  .bytes = bytes,
                                  .count = count,
                                  .core = core_at(i),
                                  .tile = bank_tile(bank, endpoint)};
    }
    *value = window(pages, cores);
    return true;
}

const struct validation_program validation_dram[] = {
    {"DRAM spread", banks}, {"DRAM single bank", banks}, {"DRAM packet size", banks}, {0}};
