/* Unpackers, packer, mover and L1: how long a known number of bytes takes. */
#include "validation/documented.h"

enum { BODY = 0x10000, LINE = 16, FACE_BYTES = 512, MOVED_LINES = 32, BF16 = 5, FACE = 256 };

/* Both unpackers: a face of BF16 at BODY, uncompressed, into Src, at a throttle mode. */
#define SECTION(first, mode)                                                                                           \
    {first + 64, BF16 | 1 << 4 | FACE << 16}, {first + 65, 1 | 4 << 16}, {first + 72, BF16 | (mode) << 4},             \
        {first + 73, 1},                                                                                               \
    {                                                                                                                  \
        first + 76, BODY / LINE - 1                                                                                    \
    }
#define UNPACKERS(mode)                                                                                                \
    {                                                                                                                  \
        SECTION(0, mode), SECTION(48, mode), {56, 32u << 16}, {57, 512}, {58, 32u << 16}, {59, 512},                   \
        {                                                                                                              \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

#define FROM_0 "UNPACR Unpack_block_selection=0, OvrdThreadId=1, Last=1"
#define FROM_1 "UNPACR Unpack_block_selection=1, OvrdThreadId=1, Last=1"
#define WHOLE_FACE "SETADCXX CntSetMask=3, x_end2=255"
#define ONE_LINE "SETADCXX CntSetMask=3, x_end2=7"

static double unpack_cycles(const char *setup, unsigned mode)
{
    static const struct setting modes[3][15] = {UNPACKERS(0), UNPACKERS(1), UNPACKERS(2)};
    const struct thread_work work[THREADS] = {{.setup = setup, .pattern = FROM_0, .config = modes[mode]}};
    return cycles_of_round(work);
}

static double unpack_setup(const struct documented_figure *figure)
{
    (void)figure;
    return unpack_cycles(ONE_LINE, 0);
}

static double unpack_rate(const struct documented_figure *figure)
{
    return FACE_BYTES / unpack_cycles(WHOLE_FACE, (unsigned)figure->number);
}

/* How much faster two threads unpack, each with an unpacker of its own. */
static double unpackers(const struct documented_figure *figure)
{
    static const struct setting config[] = UNPACKERS(0);
    const struct thread_work work[THREADS] = {{.setup = WHOLE_FACE, .pattern = FROM_0, .config = config},
                                              {.setup = WHOLE_FACE, .pattern = FROM_1, .config = config}};
    (void)figure;
    return 2 * unpack_cycles(WHOLE_FACE, 0) / cycles_of_round(work);
}

/* The mover, figure->number as its direction: 0 zeros, 3 copies. */
static double mover_cycles(const struct documented_figure *figure)
{
    const struct setting config[] = {
        {88, BODY / LINE}, {89, (BODY + 0x10000) / LINE}, {90, MOVED_LINES | (uint32_t)figure->number << 30}, {0, 0}};
    const struct thread_work work[THREADS] = {{.pattern = "XMOV", .config = config}};
    return cycles_of_round(work);
}

static double mover_of_eight(const struct documented_figure *figure)
{
    return mover_cycles(figure) * 8 / MOVED_LINES;
}

static double mover_bits(const struct documented_figure *figure)
{
    return 8.0 * LINE * MOVED_LINES / mover_cycles(figure);
}

/* Rows of 16 BF16 from Dst to L1, by the read interfaces of figure->text. */
static double pack_cycles(const char *pattern)
{
    static const struct setting config[] = {{1, (uint32_t)BF16 << 25},
                                            {12, 32u << 16},
                                            {13, 512 | 2048u << 16},
                                            {24, 0xffff},
                                            {28, 16u << 8},
                                            {68, 4u << 16},
                                            {69, 0x80000000u | (0x20000 / LINE - 1)},
                                            {70, 1 | BF16 << 4 | BF16 << 8},
                                            {0, 0}};
    const struct thread_work work[THREADS] = {
        {.setup = "SETADCXX CntSetMask=4, x_end2=15", .pattern = pattern, .config = config}};
    return cycles_of_round(work);
}

#define PACK_ONE "PACR ReadIntfSel=1"
#define PACK_FOUR "PACR ReadIntfSel=15"

static double interface_rate(const struct documented_figure *figure)
{
    (void)figure;
    return 16 / pack_cycles(PACK_ONE);
}

/* How many rows four interfaces pack in the time in which one packs one. */
static double interfaces(const struct documented_figure *figure)
{
    (void)figure;
    return 4 * pack_cycles(PACK_ONE) / pack_cycles(PACK_FOUR);
}

/* KiB that a host can write, one after the other. */
static double l1_capacity(const struct documented_figure *figure)
{
    struct bh_device *device = machine_create();
    uint32_t word = 1, address = 0;
    (void)figure;
    while (bh_write(device, 1, 2, address, &word, sizeof word) == BH_OK) {
        address += 1024;
    }
    bh_device_destroy(device);
    return address / 1024.0;
}

static double dram_banks(const struct documented_figure *figure)
{
    enum bh_board board;
    struct bh_tiles tiles;
    unsigned count = 0;
    (void)bh_board_by_name(figure->text, &board, &tiles);
    for (; tiles.dram; tiles.dram &= (uint8_t)(tiles.dram - 1)) {
        count++;
    }
    return count;
}

/* The tiles that show what was written to the first one of a column. */
static double dram_ports(const struct documented_figure *figure)
{
    struct bh_device *device = machine_create();
    uint32_t word = 0x12345678, seen;
    unsigned count = 0;
    (void)figure;
    machine_write(device, (struct place){17, 12}, 64, &word, sizeof word);
    for (unsigned y = 12; y < 24; y++) {
        count += bh_read(device, 17, y, 64, &seen, sizeof seen) == BH_OK && seen == word;
    }
    bh_device_destroy(device);
    return count;
}

const struct documented_figure documented_data[] = {
    {"D0221", unpack_setup, 0, 0, 0},
    {"D0222", unpack_rate, 0, 0, 0},
    {"D0223", unpack_rate, 0, 0, 1},
    {"D0224", unpack_rate, 0, 0, 2},
    {"D0225", unpackers, 0, 0, 0},
    {"D0226", measure_mean, "UNPACR CfgContextCntInc=1, SearchCacheFlush=0", 0, 0},
    {"D0232", measure_mean, "PACR_SETREG Push=1", 0, 0},
    {"D0234", interfaces, 0, 0, 0},
    {"D0235", interface_rate, 0, 0, 0},
    {"D0241", l1_capacity, 0, 0, 0},
    {"D0244", mover_of_eight, 0, 0, 3},
    {"D0245", mover_bits, 0, 0, 3},
    {"D0247", mover_bits, 0, 0, 0},
    {"D0263", dram_banks, "p150a", 0, 0},
    {"D0264", dram_banks, "p100a", 0, 0},
    {"D0265", dram_ports, 0, 0, 0},
    {0},
};
