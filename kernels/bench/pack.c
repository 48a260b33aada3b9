/* bench, T2: PACRs of whole 32x32 tiles, 16 a tile, BENCH_TILES tiles for each of `rows` rounds, always to the same
   place; or BENCH_ROWS PACRs of one row, BENCH_ROWS_AT_ONCE to a tile. */
#include "pack.h"

#include <stdbool.h>

#include "bench.h"

static void configure_format(uint32_t format)
{
    uint32_t datum = format == FORMAT_FP32 ? 4 : 2; /* bytes in Dst */
    uint32_t in_dst = format == FORMAT_FP32 ? FORMAT_FP32 : FORMAT_BF16;
    CONFIG_WRITE(PCK0_ADDR_CTRL_XY_REG_0_Xstride, CONFIG_VALUE(PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_DATA * datum));
    CONFIG_WRITE(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, CONFIG_VALUE(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, FACE_DATA * datum) |
                                                      CONFIG_VALUE(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, TILE_DATA * datum));
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG2_Dstacc, in_dst);
    CONFIG_WRITE(PCK_DEST_RD_CTRL_Read_32b_data, format == FORMAT_FP32);
    CONFIG_WRITE(THCON_SEC0_REG1_Disable_zero_compress, CONFIG_VALUE(THCON_SEC0_REG1_Disable_zero_compress, 1) |
                                                            CONFIG_VALUE(THCON_SEC0_REG1_Out_data_format, format) |
                                                            CONFIG_VALUE(THCON_SEC0_REG1_In_data_format, in_dst));
}

/* With numbers that differ from row to row. */
static void fill_dst(uint32_t format)
{
    enum { STORE_BF16 = 2, STORE_FP32 = 3, TILE_ROWS = 64 };
    TTI_ZEROACC(3, 0, 0, 3, 0);
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_SFPLOADI(0, 0, 0x3f4d);
    for (uint32_t row = 0; row < TILE_ROWS; row += 2) {
        TT_SFPSTORE(0, format == FORMAT_FP32 ? STORE_FP32 : STORE_BF16, 3, row);
        TTI_SFPADDI(0xbd5b, 0, 0);
    }
    tensix_wait_idle();
}

enum { BY_INTERFACE_0 = 1 };
#define PACK_ROW(address_mode, last) TT_OP_PACR(0, 0, 0, address_mode, 0, 0, BY_INTERFACE_0, 0, 0, 0, 0, last)

static void pack_row_by_row(void)
{
    TTI_SETC16(ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + 0, PACK_Y_SOURCE(1) | PACK_Y_DESTINATION(1));
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = 1,
        .inner = BENCH_ROWS_AT_ONCE,
        .start = TT_OP_NOP,
        .body0 = PACK_ROW(0, 0),
        .body1 = TT_OP_NOP,
        .last_inner = PACK_ROW(1, 1),
        .last_outer = PACK_ROW(1, 1),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });
}

void kernel_main(void)
{
    struct pack pack;
    bool row = arguments()->inner == BENCH_PACK_ROW;
    pack_configure(&pack);
    configure_format(arguments()->columns);
    CONFIG_MODIFY(THCON_SEC0_REG1_Pack_L1_Acc, arguments()->inner == BENCH_PACK_ACCUMULATE);
    TTI_STALLWAIT(BLOCK_PACK | BLOCK_CONFIG, WAIT_RISCV_CONFIG);
    fill_dst(arguments()->columns);
    TTI_SETADC(PACKER, 0, 3, 0);
    gpr_set(GPR_PACK_ADDRESS, ((LAYOUT_TENSORS >> 4) - 1) | 1u << 31);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR | WAIT_PACKER);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    if (row) {
        pack_row_by_row();
    }
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        for (uint32_t tile = 0; tile < (row ? BENCH_ROWS / BENCH_ROWS_AT_ONCE : BENCH_TILES); tile++) {
            mop_run_double_loop();
            TTI_SETADCZW(PACKER, 0, 0, 0, 0, 5);
            if (row) {
                tensix_wait_idle();
            }
        }
        tensix_wait_idle();
    }
}
