/* Zones of tt-metal's kernels for its estimator that move pages between L1s and DRAM: each core takes so many pages of
   a buffer that has one in each bank - interleaved: the next bank for each page; sharded: all from the core's own bank.
   Cores of the whole grid wait for each other before: each increments a count on the first tile and fetches it until
   all have come. */
#include <stdio.h>
#include <string.h>

#include "validation/banks.h"
#include "validation/validation.h"
#include "validation/zones.h"

enum { BANKS = 8, BUFFER = 0x1000000, BANK_TILES = 0xFFB00400u, BANK_OFFSETS = BANK_TILES + 2 * BANKS };
enum { ARRIVED = 0x7000, FETCHED = 0x7010, RESULT = 0x7020, ATOMIC_BUFFER = 3 };
enum { CTRL_ATOMIC = 0x2091, INCREMENT = 0x1000 | 31 << 2 };
enum { PAGE = S10, LAST_PAGE = S11, TILES = A5, OFFSETS = A6, BASE = A7 };

struct zone {
    struct pattern pattern;
    bool interleaved;
};

/* As firmware leaves them: which tile shows a bank to the NoC, and where in it the buffer's banks begin. */
static void emit_tables(struct program *program, unsigned noc)
{
    emit_li(program, TILES, BANK_TILES);
    emit_li(program, OFFSETS, BANK_OFFSETS);
    for (unsigned bank = 0; bank < BANKS; bank++) {
        emit_li(program, TEMPORARY, at_place(bank_tile(bank, preferred_endpoint(noc))));
        emit(program, RV32_OP_SH, 0, TILES, TEMPORARY, 2 * (int32_t)bank);
        emit_sw(program, ZERO, OFFSETS, 4 * (int32_t)bank);
    }
}

/* Increments the count on the first tile, and waits for the old one. */
static void emit_arrive(struct program *program, const struct pattern *pattern)
{
    emit_address(program, AT, niu(pattern->noc, ATOMIC_BUFFER));
    emit_li(program, T0, CTRL_ATOMIC);
    emit_sw(program, T0, AT, 4 * NOC_CTRL);
    emit_li(program, T0, ARRIVED);
    emit_sw(program, T0, AT, 4 * NOC_TARG_ADDR_LO);
    emit_sw(program, ZERO, AT, 4 * NOC_TARG_ADDR_MID);
    emit_sw(program, THERE, AT, 4 * NOC_TARG_ADDR_HI);
    emit_li(program, T0, RESULT);
    emit_sw(program, T0, AT, 4 * NOC_RET_ADDR_LO);
    emit_sw(program, ZERO, AT, 4 * NOC_RET_ADDR_MID);
    emit_sw(program, HERE, AT, 4 * NOC_RET_ADDR_HI);
    emit_li(program, T0, INCREMENT);
    emit_sw(program, T0, AT, 4 * NOC_AT_LEN_BE);
    emit_sw(program, ZERO, AT, 4 * NOC_AT_LEN_BE_1);
    emit_sw(program, ONE, AT, 4 * NOC_AT_DATA);
    emit_sw(program, ONE, AT, 4 * NOC_CMD_CTRL);
    emit_li(program, EXPECTED, 1);
    emit_await(program, pattern->noc, NIU_MST_ATOMIC_RESP_RECEIVED);
}

/* Fetches the count until all have come. */
static void emit_wait_for_all(struct program *program, const struct pattern *pattern)
{
    emit_li(program, FROM, ARRIVED);
    emit_li(program, TO, FETCHED);
    emit_li(program, LENGTH, sizeof(uint32_t));
    emit_li(program, EXPECTED, 0);
    emit_li(program, ROUNDS, pattern->senders);
    uint32_t again = program->count;
    emit_read(program, pattern->noc);
    RVI(ADDI, EXPECTED, EXPECTED, 1);
    emit_await(program, pattern->noc, NIU_MST_RD_RESP_RECEIVED);
    emit_lw(program, T0, TO, 0);
    emit_branch(program, RV32_OP_BLTU, T0, ROUNDS, again);
}

/* The address of a page, which the compiler finds anew for each: the bank's offset, and of an interleaved buffer the
   bank's tile. */
static void emit_page(struct program *program, const struct zone *zone)
{
    unsigned offset = OFFSETS;
    if (zone->interleaved) {
        RVI(ANDI, T0, PAGE, BANKS - 1);
        RVI(SLLI, T0, T0, 1);
        RV(ADD, T1, T0, TILES);
        RVI(LHU, THERE, T1, 0);
        RV(ADD, T0, T0, T0);
        RV(ADD, T0, T0, OFFSETS);
        offset = T0;
    }
    emit_lw(program, T0, offset, 0);
    RVI(ADDI, PAGE, PAGE, 1);
    RV(ADD, zone->pattern.reads ? FROM : TO, BASE, T0);
}

static void emit_pages(struct program *program, const struct zone *zone)
{
    RVI(ADDI, LAST_PAGE, PAGE, (int32_t)zone->pattern.each);
    uint32_t top = program->count;
    emit_page(program, zone);
    emit_packet(program, &zone->pattern);
    emit_branch(program, RV32_OP_BNE, PAGE, LAST_PAGE, top);
    emit_await(program, zone->pattern.noc, zone->pattern.reads ? NIU_MST_RD_RESP_RECEIVED : NIU_MST_WR_ACK_RECEIVED);
}

static void start(struct bh_device *device, const struct zone *zone, unsigned number)
{
    static struct program program_room;
    struct program *program = &program_room;
    const struct pattern *pattern = &zone->pattern;
    struct place here = pattern->sender[number];
    unsigned bank = number % BANKS;
    *program = (struct program){.address = ZONE_CODE};
    emit_tables(program, pattern->noc);
    emit_setup(program, pattern, here);
    emit_li(program, THERE, at_place(pattern->sender[0]));
    emit_arrive(program, pattern);
    emit_wait_for_all(program, pattern);
    unsigned fetched = pattern->reads ? EXPECTED : ZERO;
    RVI(ADDI, S8, fetched, 0);
    emit_setup(program, pattern, here);
    RV(ADD, EXPECTED, EXPECTED, S8);
    emit_li(program, THERE, at_place(bank_tile(bank, preferred_endpoint(pattern->noc))));
    emit_li(program, BASE, BUFFER);
    emit_li(program, PAGE, bank);
    emit_mark(program);
    emit_pages(program, zone);
    emit_mark(program);
    emit_end(program);
    machine_load(device, here, program);
    machine_start(device, here, pattern->reads ? BH_CORE_NC : BH_CORE_B, program);
}

/* From the first core's begin to the last one's end. Rows of few small packets of all cores say that this was measured:
   they take as long as one core alone, and 1220 cycles more, whatever the packets are; those are the cycles within
   which the cores see that all have come. The median of the cores is what tt-metal's stats_collector.py reports of its
   other programs; here it would be no more than a core alone takes. */
static double window(struct bh_device *device, const struct pattern *pattern)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (unsigned i = 0; i < pattern->senders; i++) {
        uint32_t begin = machine_word(device, pattern->sender[i], ZONE_TIMES + 4),
                 end = machine_word(device, pattern->sender[i], ZONE_TIMES + 12);
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    return last - first;
}

static bool zone(const struct measured *row, double *value)
{
    static struct zone zone;
    bool reads = strstr(row->what, "_FROM_") != NULL, all = strstr(row->what, " ALL_") != NULL;
    zone = (struct zone){.interleaved = strstr(row->what, "interleaved") != NULL,
                         .pattern = {.reads = reads,
                                     .noc = 1,
                                     .control = reads ? CTRL_READ : CTRL_WRITE,
                                     .bytes = (unsigned)measured_number(row, "bytes", 0),
                                     .each = (unsigned)measured_number(row, "num_transactions", 1),
                                     .answers = 1,
                                     .senders = all ? GRID : 1,
                                     .peers = 1}};
    for (unsigned i = 0; i < zone.pattern.senders; i++) {
        zone.pattern.sender[i] = grid_tile(i % GRID_WIDTH, i / GRID_WIDTH);
    }
    struct bh_device *device = machine_create();
    for (unsigned i = 0; i < zone.pattern.senders; i++) {
        start(device, &zone, i);
    }
    machine_run(device);
    *value = window(device, &zone.pattern);
    bh_device_destroy(device);
    return true;
}

const struct validation_program validation_dram_zones[] = {{"transfer ONE_TO_ONE unicast DRAM", zone},
                                                           {"transfer ONE_FROM_ONE unicast DRAM", zone},
                                                           {"transfer ONE_TO_ALL unicast DRAM", zone},
                                                           {"transfer ONE_FROM_ALL unicast DRAM", zone},
                                                           {"transfer ALL_TO_ALL unicast DRAM", zone},
                                                           {"transfer ALL_FROM_ALL unicast DRAM", zone},
                                                           {0}};
