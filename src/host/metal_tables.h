/* What a host tells tt-metal's firmware of the chip before it starts: which tile of the NoC a bank is, how logical
   coordinates become those of the NoC, and what the tile itself is.
   Sources: chapters "dram" (2.3), "ldm layouts", "logical to virtual coordinates"; tt-metal dev_msgs.h and
   firmware_common.h; tt-metal's blackhole_140_arch.yaml (which of a channel's tiles each NoC uses). */
#ifndef BHEMU_HOST_METAL_TABLES_H
#define BHEMU_HOST_METAL_TABLES_H

#include "bhemu/device.h"
#include "host/metal_layout.h"

/* The board as tt-metal sees it: harvested tiles are not counted, and lie behind the others. */
struct metal_board {
    unsigned columns, channels; /* of Tensix tiles, of DRAM */
    uint16_t harvested;         /* columns that are not there, as in struct bh_tiles */
    bool ethernet;
};

struct metal_board metal_board_of(enum bh_board board);

/* The logical coordinates of a Tensix tile; false: there is none at (x, y). */
bool metal_logical(const struct metal_board *board, unsigned x, unsigned y, unsigned *logical_x, unsigned *logical_y);

/* The tables of so many banks, which firmware was made for: at most METAL_BANK_TABLES_BYTES. Returns their size. L1
   banks are the Tensix tiles of as many columns as it takes, row by row. */
unsigned metal_bank_tables(unsigned dram_banks, unsigned l1_banks, uint8_t *tables);

enum { METAL_LOGICAL_COLUMNS = 20, METAL_LOGICAL_ROWS = 12 };

/* Columns, then rows. */
void metal_logical_to_virtual(const struct metal_board *board,
                              uint8_t tables[METAL_LOGICAL_COLUMNS + METAL_LOGICAL_ROWS]);

/* core_info of the tile with these logical coordinates. */
void metal_core_info(const struct metal_board *board, const struct metal_layout *layout, unsigned logical_x,
                     unsigned logical_y, uint8_t info[METAL_INFO_size]);

#endif
