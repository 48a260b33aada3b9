/* What a pack program (T2) does: BF16 tiles from Dst to L1, half by half (see runtime/math.h).
   Source: ISA documentation Packers/README.md, PACR.md; tt-llk for the order in which registers are set. */
#ifndef BHEMU_KERNELS_PACK_H
#define BHEMU_KERNELS_PACK_H

#include "arguments.h"
#include "mop.h"
#include "sync.h"

enum { PACKER = 4, PACK_DST_HALF_ROWS = 512, GPR_PACK_OFFSET = 16, GPR_PACK_ADDRESS = 17 };

struct pack {
    uint32_t half; /* 0 or 1: the half of Dst to be packed next */
};

/* Address modes of PACR: Y of both channels, Z of both channels. */
enum { PACK_Y_SOURCE_CLEAR = 1 << 5, PACK_Y_DESTINATION_CLEAR = 1 << 11, PACK_Z_SOURCE_CLEAR = 1 << 13 };
#define PACK_Y_SOURCE(n) (n)
#define PACK_Y_DESTINATION(n) ((n) << 6)
#define PACK_Z_SOURCE(n) ((n) << 12)

/* Four rows of Dst, by all four read interfaces. */
#define PACK_WORD(address_mode, last) TT_OP_PACR(0, 0, 0, address_mode, 0, 0, 0, 0, 0, 0, 0, last)

/* The packer reads half `half` of Dst from now on. */
static inline void pack_select_half(uint32_t half)
{
    gpr_set(GPR_PACK_OFFSET, half * PACK_DST_HALF_ROWS);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR | WAIT_PACKER);
    TTI_WRCFG(GPR_PACK_OFFSET, 0, DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32);
    TTI_DMANOP;
    TTI_DMANOP;
}

/* Prepares the packer for BF16 tiles, from the first half of Dst. */
static inline void pack_configure(struct pack *pack)
{
    pack->half = 0;
    tensix_begin();
    TTI_SETADCXY(PACKER, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(PACKER, 0, 0, 0, 0, 0xf);
    TTI_SETADCXX(PACKER, ROW_DATA - 1, 0);

    /* Strides of the reading side: rows, faces, tiles; two bytes a datum. */
    CONFIG_WRITE(PCK0_ADDR_CTRL_XY_REG_0_Xstride, CONFIG_VALUE(PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_DATA * 2));
    CONFIG_WRITE(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, CONFIG_VALUE(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, FACE_DATA * 2) |
                                                      CONFIG_VALUE(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, TILE_DATA * 2));

    /* BF16 in Dst, between the stages, and in L1; no ReLU, no exponent threshold, no accumulation in L1. */
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG2_Dstacc, FORMAT_BF16);
    CONFIG_MODIFY_MASK(STACC_RELU_ApplyRelu_ADDR32, STACC_RELU_ApplyRelu_MASK | STACC_RELU_ReluThreshold_MASK, 0);
    CONFIG_MODIFY_MASK(THCON_SEC0_REG1_Pack_L1_Acc_ADDR32,
                       THCON_SEC0_REG1_Pack_L1_Acc_MASK | THCON_SEC0_REG1_Exp_threshold_en_MASK |
                           THCON_SEC0_REG1_Pac_LF8_4b_exp_MASK,
                       0);
    CONFIG_WRITE(THCON_SEC0_REG1_Exp_section_size, CONFIG_VALUE(THCON_SEC0_REG1_Exp_section_size, TILE_FACES));
    CONFIG_WRITE(THCON_SEC0_REG1_Disable_zero_compress, CONFIG_VALUE(THCON_SEC0_REG1_Disable_zero_compress, 1) |
                                                            CONFIG_VALUE(THCON_SEC0_REG1_Out_data_format, FORMAT_BF16) |
                                                            CONFIG_VALUE(THCON_SEC0_REG1_In_data_format, FORMAT_BF16));
    CONFIG_WRITE(PCK_DEST_RD_CTRL_Read_32b_data, 0);
    CONFIG_WRITE(PACK_COUNTERS_SEC0_pack_per_xy_plane,
                 CONFIG_VALUE(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS));
    /* Every row uses mask 0, which lets everything through. */
    CONFIG_WRITE(PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    CONFIG_WRITE(TILE_ROW_SET_MAPPING_0_row_set_mapping_0, 0);

    /* Four rows on; to the next face; back to the first face. */
    TTI_SETC16(ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + 0, PACK_Y_SOURCE(4) | PACK_Y_DESTINATION(4));
    TTI_SETC16(ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + 2, PACK_Y_SOURCE_CLEAR | PACK_Y_DESTINATION(4) | PACK_Z_SOURCE(1));
    TTI_SETC16(ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + 1,
               PACK_Y_SOURCE_CLEAR | PACK_Y_DESTINATION_CLEAR | PACK_Z_SOURCE_CLEAR);
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = TILE_FACES,
        .inner = FACE_ROWS / 4,
        .start = TT_OP_NOP,
        .body0 = PACK_WORD(0, 0),
        .body1 = TT_OP_NOP,
        .last_inner = PACK_WORD(2, 0),
        .last_outer = PACK_WORD(1, 1),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });

    /* ZEROACC below applies one of the thread's own address modes: one that changes nothing. */
    TTI_SETC16(ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + 3, 0);
    TTI_SETC16(ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + 3, 0);
    TTI_SETC16(ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + 3, 0);
    TTI_STALLWAIT(BLOCK_PACK | BLOCK_CONFIG, WAIT_RISCV_CONFIG);
    pack_select_half(0);
}

/* Waits, in the coprocessor, for a half that math has filled. */
static inline void pack_begin_half(void)
{
    TTI_SEMWAIT(BLOCK_TDMA, 1 << SEMAPHORE_MATH_PACK, WHILE_ZERO);
}

/* Packs one tile of the half, 0 to 7, to a byte address in L1, a multiple of 16. */
static inline void pack_tile(uint32_t tile, uint32_t address)
{
    TT_SETADC(PACKER, 0, 3, tile);
    /* The packer adds one, in units of 16 bytes; bit 31 says that the address is new. */
    gpr_set(GPR_PACK_ADDRESS, ((address >> 4) - 1) | 1u << 31);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR | WAIT_PACKER);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    mop_run_double_loop();
    TTI_SETADCZW(PACKER, 0, 0, 0, 0, 5);
}

/* Empties the half: zero again, math may have it; the other one is next. */
static inline void pack_end_half(struct pack *pack)
{
    TTI_STALLWAIT(BLOCK_MATH, WAIT_PACKER);
    TT_ZEROACC(2, 0, 0, 3, pack->half);
    TTI_STALLWAIT(BLOCK_SYNC, WAIT_PACKER | WAIT_MATH);
    TTI_SEMGET(1 << SEMAPHORE_MATH_PACK);
    pack->half ^= 1;
    pack_select_half(pack->half);
}

#endif
