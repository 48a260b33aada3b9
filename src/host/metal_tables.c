#include "host/metal_tables.h"

#include <string.h>

#include "noc/coordinates.h"

enum { NOCS = 2, PORTS = 3, DRAM_X = 17, DRAM_Y = 12, TENSIX_Y = 2, PCIE_X = 19, PCIE_Y = 24 };
enum { ETHERNET_X = 20, ETHERNET_Y = 25, ETHERNET_TILES_REPORTED = 12 };
enum { KERNEL_CONFIG_BYTES = 69 * 1024, WORKER = 0x50ec09a3 };
enum core_type { TYPE_ETHERNET = 1, TYPE_PCIE = 2, TYPE_DRAM = 3, TYPE_UNKNOWN = 5 };
enum { NON_WORKER_CORES = 35, VIRTUAL_NON_WORKER_CORES = 29, HARVESTED_COORDINATES = 2, INVALID = 0xff };

/* Which of a channel's three tiles each NoC uses. */
static const uint8_t ports[DRAM_CHANNELS][NOCS] = {{2, 1}, {0, 1}, {0, 1}, {0, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}};

static const uint64_t PCIE_BASE = 4ull << 58, PCIE_END = (4ull << 58) + (1ull << 58) - 1, DRAM_END = 4177920ull * 1024;

struct metal_board metal_board_of(enum bh_board board)
{
    static const char *const names[BH_BOARDS] = {
        [BH_BOARD_FULL] = "full", [BH_BOARD_P100A] = "p100a", [BH_BOARD_P150A] = "p150a"};
    enum bh_board same;
    struct bh_tiles tiles = {};
    (void)bh_board_by_name(names[board], &same, &tiles);
    return (struct metal_board){(unsigned)__builtin_popcount(tiles.tensix_columns),
                                (unsigned)__builtin_popcount(tiles.dram),
                                (uint16_t)(~tiles.tensix_columns & ((1u << TENSIX_COLUMNS) - 1)), tiles.ethernet != 0};
}

/* x of NoC 0 of the i-th column of the die: 1, 16, 2, 15, ... */
static uint8_t die_column_x(unsigned i)
{
    return (uint8_t)(i % 2 ? 16 - i / 2 : 1 + i / 2);
}

/* Tensix tiles have x in 1..7 and 10..16 of translated coordinates. */
static uint8_t column_x(unsigned logical)
{
    return (uint8_t)(logical < 7 ? logical + 1 : logical + 3);
}

bool metal_logical(const struct metal_board *board, unsigned x, unsigned y, unsigned *logical_x, unsigned *logical_y)
{
    unsigned index;
    if (!tensix_index(x, y, &index)) {
        return false;
    }
    *logical_x = x <= 7 ? x - 1 : x - 3;
    *logical_y = y - TENSIX_Y;
    return *logical_x < board->columns;
}

static uint8_t *put(uint8_t *place, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        place[i] = (uint8_t)(value >> 8 * i);
    }
    return place + bytes;
}

static unsigned coordinates(unsigned x, unsigned y)
{
    return y << 6 | x;
}

static unsigned dram_y(unsigned bank, unsigned noc)
{
    return DRAM_Y + bank % 4 * PORTS + ports[bank][noc];
}

unsigned metal_bank_tables(unsigned dram_banks, unsigned l1_banks, uint8_t *tables)
{
    uint8_t *place = tables;
    unsigned width = (l1_banks + TENSIX_ROWS - 1) / TENSIX_ROWS;
    for (unsigned noc = 0; noc < NOCS; noc++) {
        for (unsigned bank = 0; bank < dram_banks; bank++) {
            place = put(place, coordinates(DRAM_X + bank / 4, dram_y(bank, noc)), 2);
        }
    }
    for (unsigned noc = 0; noc < NOCS; noc++) {
        for (unsigned bank = 0; bank < l1_banks; bank++) {
            place = put(place, coordinates(column_x(bank % width), TENSIX_Y + bank / width), 2);
        }
    }
    /* What is added to addresses in a bank: nothing. */
    unsigned offsets = 4 * (dram_banks + l1_banks);
    memset(place, 0, offsets);
    return (unsigned)(place - tables) + offsets;
}

void metal_logical_to_virtual(const struct metal_board *board,
                              uint8_t tables[METAL_LOGICAL_COLUMNS + METAL_LOGICAL_ROWS])
{
    memset(tables, 0, METAL_LOGICAL_COLUMNS + METAL_LOGICAL_ROWS);
    for (unsigned i = 0; i < board->columns; i++) {
        tables[i] = column_x(i);
    }
    for (unsigned i = 0; i < TENSIX_ROWS; i++) {
        tables[METAL_LOGICAL_COLUMNS + i] = (uint8_t)(TENSIX_Y + i);
    }
}

/* A list of tiles that are no workers: x, y and type, three bytes each. */
struct list {
    uint8_t *place;
    unsigned left;
};

static void add(struct list *list, unsigned x, unsigned y, enum core_type type)
{
    if (list->left) {
        list->left--;
        list->place[0] = (uint8_t)x;
        list->place[1] = (uint8_t)y;
        list->place[2] = (uint8_t)type;
        list->place += 3;
    }
}

static void end(struct list *list)
{
    while (list->left) {
        add(list, INVALID, INVALID, TYPE_UNKNOWN);
    }
}

/* Firmware reaches everything by translated coordinates; there is nothing for the list of physical ones. */
static void list_cores(const struct metal_board *board, uint8_t *info)
{
    struct list physical = {info + METAL_INFO_non_worker_cores, NON_WORKER_CORES};
    struct list list = {info + METAL_INFO_virtual_non_worker_cores, VIRTUAL_NON_WORKER_CORES};
    end(&physical);
    for (unsigned bank = 0; bank < board->channels; bank++) {
        for (unsigned noc = 0; noc < NOCS; noc++) {
            add(&list, DRAM_X + bank / 4, dram_y(bank, noc), TYPE_DRAM);
        }
    }
    add(&list, PCIE_X, PCIE_Y, TYPE_PCIE);
    for (unsigned i = 0; board->ethernet && i < ETHERNET_TILES_REPORTED; i++) {
        add(&list, ETHERNET_X + i, ETHERNET_Y, TYPE_ETHERNET);
    }
    end(&list);
}

/* Columns that are not there: where they are on the die, and behind the others in translated coordinates. */
static void list_harvested(const struct metal_board *board, uint8_t *info)
{
    unsigned left = board->harvested;
    for (unsigned i = 0; i < HARVESTED_COORDINATES; i++, left &= left - 1) {
        unsigned column = board->columns + i;
        info[METAL_INFO_harvested_coords + i] = left ? die_column_x((unsigned)__builtin_ctz(left)) : INVALID;
        info[METAL_INFO_virtual_harvested_coords + i] = column < TENSIX_COLUMNS ? column_x(column) : INVALID;
    }
}

void metal_core_info(const struct metal_board *board, const struct metal_layout *layout, unsigned logical_x,
                     unsigned logical_y, uint8_t info[METAL_INFO_size])
{
    memset(info, 0, METAL_INFO_size);
    put(info + METAL_INFO_noc_pcie_addr_base, PCIE_BASE, 8);
    put(info + METAL_INFO_noc_pcie_addr_end, PCIE_END, 8);
    put(info + METAL_INFO_noc_dram_addr_end, DRAM_END, 8);
    list_cores(board, info);
    list_harvested(board, info);
    info[METAL_INFO_noc_size_x] = NOC_WIDTH;
    info[METAL_INFO_noc_size_y] = NOC_HEIGHT;
    info[METAL_INFO_worker_grid_size_x] = (uint8_t)board->columns;
    info[METAL_INFO_worker_grid_size_y] = TENSIX_ROWS;
    info[METAL_INFO_absolute_logical_x] = (uint8_t)logical_x;
    info[METAL_INFO_absolute_logical_y] = (uint8_t)logical_y;
    put(info + METAL_INFO_l1_unreserved_start, layout->end + KERNEL_CONFIG_BYTES, 4);
    put(info + METAL_INFO_core_magic_number, WORKER, 4);
}
