/* bench, T0: UNPACRs of whole 32x32 tiles to SrcA, BENCH_TILES for each of `rows` rounds, or BENCH_ROWS of 16 data. The
   bank is never handed over, so that nobody needs to take it. Peers expand loops of up to 127. */
#include "unpack.h"
#include "mop.h"

#include <stdbool.h>

#include "bench.h"

/* As UNPACK_WORD, without SetDatValid. */
#define UNPACK_AGAIN TT_OP_UNPACR(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1)

/* Rows of a row-major tensor are 256 bytes apart: four tiles of 16-bit data. */
static uint32_t modes(uint32_t how)
{
    switch (how) {
    case BENCH_UNPACK_ROW_MAJOR:
        return CONFIG_VALUE(THCON_SEC0_REG2_Tileize_mode, 1) | CONFIG_VALUE(THCON_SEC0_REG2_Shift_amount_cntx1, 1);
    case BENCH_UNPACK_TRANSPOSED: return CONFIG_VALUE(THCON_SEC0_REG2_Haloize_mode, 1);
    default: return 0;
    }
}

static void configure_format(uint32_t format, uint32_t how)
{
    uint32_t in_src = format == FORMAT_FP32 ? FORMAT_TF32 : format;
    TENSIX_CONFIG[THCON_SEC0_REG0_TileDescriptor_ADDR32] = format | 1 << 4;
    CONFIG_WRITE(THCON_SEC0_REG2_Out_data_format, CONFIG_VALUE(THCON_SEC0_REG2_Out_data_format, in_src) |
                                                      CONFIG_VALUE(THCON_SEC0_REG2_Throttle_mode, 2) | modes(how));
    if (how == BENCH_UNPACK_ROW_MAJOR) { /* all of a tile is one plane */
        TENSIX_CONFIG[THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1] = 1 | 1 << 16;
        CONFIG_WRITE(THCON_SEC0_REG5_Tile_x_dim_cntx0, TILE_DATA | TILE_DATA << 16);
    }
    TENSIX_CONFIG[THCON_SEC0_REG3_Base_address_ADDR32] = (LAYOUT_TENSORS >> 4) - 1;
}

void kernel_main(void)
{
    struct unpack unpack;
    bool row = arguments()->inner == BENCH_UNPACK_ROW;
    unpack_configure(&unpack, row ? ROW_DATA - 1 : TILE_DATA - 1);
    configure_format(arguments()->columns, arguments()->inner);
    mop_program_repeat(row ? BENCH_ROWS_AT_ONCE : BENCH_TILES, UNPACK_AGAIN, TT_OP_NOP);
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        for (uint32_t i = 0; i < (row ? BENCH_ROWS / BENCH_ROWS_AT_ONCE : 1); i++) {
            mop_run_double_loop();
            tensix_wait_idle();
        }
    }
}
