#include "noc/translation.h"

#include <string.h>

enum {
    FIRST_DRAM_COLUMN = 17,
    PCIE_COLUMN = 19,
    FIRST_ETHERNET_COLUMN = 20,
    ETHERNET_COLUMNS = 12,
    FIRST_DRAM_ROW = 12,
    PCIE_ROW = 24,
    ETHERNET_ROW = 25,
    FIRST_L2CPU_ROW = 26,
    SECURITY_ROW = 30,
    CHANNEL_TILES = 3,
    SIDE_CHANNELS = DRAM_CHANNELS / 2, /* DRAM channels on one side of the chip */
    NO_CHANNEL = DRAM_CHANNELS,
    WEST = 0,
    EAST = 9,
    PCIE_NOC_X = 2,
    L2CPUS = 4,
    FIRST_TENSIX_ROW = 2,
};

static const uint8_t die_columns[ETHERNET_TILES] = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10};
static const uint8_t channel_rows[SIDE_CHANNELS][CHANNEL_TILES] = {{0, 1, 11}, {2, 10, 3}, {9, 4, 8}, {5, 7, 6}};
static const uint8_t l2cpu_rows[L2CPUS] = {3, 9, 5, 7};

unsigned die_column(unsigned index)
{
    return die_columns[index];
}

unsigned die_index(unsigned noc_x)
{
    return noc_x <= 7 ? 2 * (noc_x - 1) : 2 * (NOC_WIDTH - 1 - noc_x) + 1;
}

/* The columns that have Tensix tiles, in the order of NoC 0. */
static unsigned tensix_column(unsigned index)
{
    unsigned x, y;
    tensix_coordinates(index, &x, &y);
    return x;
}

static void translate_tensix(struct noc_translation *translation)
{
    unsigned harvested = ~translation->arranged.tensix_columns & ALL_TENSIX_COLUMNS, next = 0;
    for (unsigned i = 0; i < TENSIX_COLUMNS; i++) {
        unsigned x = tensix_column(i);
        if (!(harvested >> die_index(x) & 1)) {
            translation->column[tensix_column(next++)] = (uint8_t)x;
        }
    }
    unsigned last = TENSIX_COLUMNS;
    for (unsigned i = 0; i < TENSIX_COLUMNS; i++) {
        if (harvested >> i & 1) {
            translation->column[tensix_column(--last)] = die_columns[i];
        }
    }
}

static void translate_dram(struct noc_translation *translation)
{
    unsigned harvested = ~translation->arranged.dram & ALL_DRAM;
    unsigned bad = harvested ? (unsigned)__builtin_ctz(harvested) : NO_CHANNEL;
    bool west_last = bad < SIDE_CHANNELS;
    translation->column[FIRST_DRAM_COLUMN] = west_last ? EAST : WEST;
    translation->column[FIRST_DRAM_COLUMN + 1] = west_last ? WEST : EAST;
    uint8_t *row = &translation->row[FIRST_DRAM_ROW];
    for (unsigned channel = 0; channel < SIDE_CHANNELS; channel++) {
        if (bad == NO_CHANNEL || channel != bad % SIDE_CHANNELS) {
            memcpy(row, channel_rows[channel], CHANNEL_TILES);
            row += CHANNEL_TILES;
        }
    }
    if (bad != NO_CHANNEL) {
        memcpy(row, channel_rows[bad % SIDE_CHANNELS], CHANNEL_TILES);
    }
}

/* Software sees at most 12 of the 14 Ethernet tiles: the first ones that are present. */
static void translate_ethernet(struct noc_translation *translation)
{
    unsigned next = 0;
    for (unsigned there = 2; there-- > 0;) {
        for (unsigned i = 0; i < ETHERNET_TILES && next < ETHERNET_COLUMNS; i++) {
            if ((translation->arranged.ethernet >> i & 1) == there) {
                translation->column[FIRST_ETHERNET_COLUMN + next++] = die_columns[i];
            }
        }
    }
    translation->row[ETHERNET_ROW] = 1;
}

void noc_translation_create(struct noc_translation *translation, struct noc_tiles tiles)
{
    *translation = (struct noc_translation){.tiles = tiles};
    noc_translation_arrange(translation, tiles, PCIE_NOC_X);
}

void noc_translation_arrange(struct noc_translation *translation, struct noc_tiles arranged, unsigned pcie_x)
{
    *translation =
        (struct noc_translation){.tiles = translation->tiles, .arranged = arranged, .pcie_x = (uint8_t)pcie_x};
    for (unsigned i = 0; i < NOC_WIDTH; i++) {
        translation->column[i] = (uint8_t)i;
    }
    for (unsigned i = 0; i < NOC_HEIGHT; i++) {
        translation->row[i] = (uint8_t)i;
    }
    translate_tensix(translation);
    translate_dram(translation);
    translation->column[PCIE_COLUMN] = (uint8_t)pcie_x;
    translation->row[PCIE_ROW] = 0;
    translate_ethernet(translation);
    memcpy(&translation->row[FIRST_L2CPU_ROW], l2cpu_rows, sizeof l2cpu_rows);
    translation->row[SECURITY_ROW] = 2;
}

bool noc_translate(const struct noc_translation *translation, unsigned x, unsigned y, unsigned *noc_x, unsigned *noc_y)
{
    if (x >= TRANSLATED || y >= TRANSLATED) {
        return false;
    }
    *noc_x = y < FIRST_TENSIX_ROW || translation->off ? x : translation->column[x];
    *noc_y = translation->off ? y : translation->row[y];
    return noc_tile_kind(*noc_x, *noc_y) != TILE_NONE;
}

/* The first entry in [first, first + count) that the table translates to `to`; `to` itself if there is none. */
static unsigned inverse(const uint8_t *table, unsigned first, unsigned count, unsigned to)
{
    for (unsigned i = first; i < first + count; i++) {
        if (table[i] == to) {
            return i;
        }
    }
    return to;
}

void noc_logical(const struct noc_translation *translation, unsigned noc_x, unsigned noc_y, unsigned *x, unsigned *y)
{
    const uint8_t *column = translation->column, *row = translation->row;
    *x = noc_x;
    *y = noc_y;
    if (translation->off) {
        return;
    }
    switch (noc_tile_kind(noc_x, noc_y)) {
    case TILE_TENSIX: *x = inverse(column, 1, NOC_WIDTH - 1, noc_x); break;
    case TILE_DRAM:
        *x = inverse(column, FIRST_DRAM_COLUMN, 2, noc_x);
        *y = inverse(row, FIRST_DRAM_ROW, SIDE_CHANNELS * CHANNEL_TILES, noc_y);
        break;
    case TILE_PCIE:
        if (noc_x == translation->pcie_x) {
            *x = PCIE_COLUMN;
            *y = PCIE_ROW;
        }
        break;
    case TILE_ETHERNET:
        *x = inverse(column, FIRST_ETHERNET_COLUMN, ETHERNET_COLUMNS, noc_x);
        *y = *x == noc_x ? noc_y : ETHERNET_ROW;
        break;
    case TILE_L2CPU: *y = inverse(row, FIRST_L2CPU_ROW, L2CPUS, noc_y); break;
    case TILE_SECURITY: *y = SECURITY_ROW; break;
    case TILE_ARC:
    case TILE_NONE: break;
    }
}

bool noc_tile_present(const struct noc_translation *translation, unsigned noc_x, unsigned noc_y)
{
    switch (noc_tile_kind(noc_x, noc_y)) {
    case TILE_TENSIX: return translation->tiles.tensix_columns >> die_index(noc_x) & 1;
    case TILE_ETHERNET: return translation->tiles.ethernet >> die_index(noc_x) & 1;
    case TILE_DRAM: return translation->tiles.dram >> dram_channel_at(noc_x, noc_y) & 1;
    case TILE_NONE: return false;
    default: return true;
    }
}
