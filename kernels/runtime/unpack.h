/* What an unpack program (T0) does: configures both unpackers for BF16 tiles, and gives them addresses through two
   configuration contexts, so that a tile's addresses can be written while the tile before it is still being unpacked.
   Source: ISA documentation Unpackers/README.md, UNPACR_Regular.md; tt-llk for the order in which registers are set. */
#ifndef BHEMU_KERNELS_UNPACK_H
#define BHEMU_KERNELS_UNPACK_H

#include "arguments.h"
#include "sync.h"

enum unpacker_mask { UNPACKER0 = 1, UNPACKER1 = 2, BOTH_UNPACKERS = 3 };

/* UNPACR of all that the X counters span, from context-selected addresses, handing the bank over to the matrix unit.
   z_increment: added to channel 0's Z, which counts faces. */
#define UNPACK_WORD(unpacker, z_increment) TT_OP_UNPACR(unpacker, z_increment, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1)

struct unpack {
    uint32_t context; /* the configuration context that the next addresses go to */
};

/* x_end: last datum of what one UNPACR unpacks: FACE_DATA - 1 or TILE_DATA - 1. */
static inline void unpack_configure(struct unpack *unpack, uint32_t x_end)
{
    unpack->context = 0;
    tensix_begin();
    TTI_SETADCXY(BOTH_UNPACKERS, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(BOTH_UNPACKERS, 0, 0, 0, 0, 0xf);
    TT_SETADCXX(BOTH_UNPACKERS, x_end, 0);

    /* Faces lie one after the other in SrcA and SrcB, two bytes a datum. */
    CONFIG_WRITE(UNP0_ADDR_CTRL_ZW_REG_1_Zstride, CONFIG_VALUE(UNP0_ADDR_CTRL_ZW_REG_1_Zstride, FACE_DATA * 2));
    CONFIG_WRITE(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, CONFIG_VALUE(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, FACE_DATA * 2));

    /* The matrix unit takes formats from the banks; nothing overrides them, rounding is not stochastic. */
    CONFIG_MODIFY_MASK(ALU_FORMAT_SPEC_REG_SrcA_val_ADDR32, 0x7fff, 0);
    CONFIG_MODIFY_MASK(ALU_ROUNDING_MODE_Fpu_srnd_en_ADDR32,
                       ALU_ROUNDING_MODE_Fpu_srnd_en_MASK | ALU_ROUNDING_MODE_Gasket_srnd_en_MASK |
                           ALU_ROUNDING_MODE_Packer_srnd_en_MASK | ALU_FORMAT_SPEC_REG0_SrcAUnsigned_MASK |
                           ALU_FORMAT_SPEC_REG0_SrcBUnsigned_MASK,
                       0);
    CONFIG_MODIFY(ALU_ACC_CTRL_Zero_Flag_disabled_src, 0);

    /* Tile descriptors: format, uncompressed, X dimension; Y and Z dimensions. Unpacker 0 takes X from its context. */
    uint32_t descriptor = FORMAT_BF16 | 1 << 4;
    TENSIX_CONFIG[THCON_SEC0_REG0_TileDescriptor_ADDR32] = descriptor;
    TENSIX_CONFIG[THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1] = 1 | TILE_FACES << 16;
    TENSIX_CONFIG[THCON_SEC1_REG0_TileDescriptor_ADDR32] = descriptor | FACE_DATA << 16;
    TENSIX_CONFIG[THCON_SEC1_REG0_TileDescriptor_ADDR32 + 1] = 1 | TILE_FACES << 16;
    CONFIG_WRITE(THCON_SEC0_REG5_Tile_x_dim_cntx0, FACE_DATA | FACE_DATA << 16);

    uint32_t format =
        CONFIG_VALUE(THCON_SEC0_REG2_Out_data_format, FORMAT_BF16) | CONFIG_VALUE(THCON_SEC0_REG2_Throttle_mode, 2);
    uint32_t uncompressed = 0x000f000f;
    CONFIG_WRITE(THCON_SEC0_REG2_Out_data_format, format);
    CONFIG_WRITE(THCON_SEC0_REG2_Disable_zero_compress_cntx0, uncompressed);
    CONFIG_WRITE(THCON_SEC1_REG2_Out_data_format, format);
    CONFIG_WRITE(THCON_SEC1_REG2_Disable_zero_compress_cntx0, uncompressed);

    /* Unpacker 0 skips four rows of what it believes to be its destination: address 64 is row 0 of SrcA. */
    CONFIG_WRITE(THCON_SEC0_REG5_Dest_cntx0_address, 64 | 64 << 16);
    CONFIG_WRITE(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr,
                 CONFIG_VALUE(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1));
    TTI_SETC16(SRCA_SET_Base_ADDR32, SRCA_SET_SetOvrdWithAddr_MASK);
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0);
    TTI_STALLWAIT(BLOCK_UNPACK, WAIT_RISCV_CONFIG);
}

/* Begins a tile: waits for a free context and gives the unpackers the tiles' byte addresses in L1. */
static inline void unpack_begin(const struct unpack *unpack, uint32_t address_a, uint32_t address_b)
{
    while (load_complete(semaphore_window(SEMAPHORE_UNPACK_CONTEXT)) >= 2) {
    }
    /* The unpackers add one to an address, in units of 16 bytes: hardware allows for a tile header. */
    TENSIX_CONFIG[THCON_SEC0_REG3_Base_address_ADDR32 + unpack->context] = (address_a >> 4) - 1;
    TENSIX_CONFIG[THCON_SEC1_REG3_Base_address_ADDR32 + unpack->context] = (address_b >> 4) - 1;
    *semaphore_window(SEMAPHORE_UNPACK_CONTEXT) = 0;
    load_complete(semaphore_window(SEMAPHORE_UNPACK_CONTEXT));
    TTI_STALLWAIT(BLOCK_UNPACK, WAIT_RISCV_CONFIG);
}

/* Ends it: the context is free once the coprocessor comes here, and the other one is next. */
static inline void unpack_end(struct unpack *unpack)
{
    TTI_SETADCZW(BOTH_UNPACKERS, 0, 0, 0, 0, 0xf);
    TTI_SEMGET(1 << SEMAPHORE_UNPACK_CONTEXT);
    unpack->context ^= 1;
    if (unpack->context) {
        TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x0101);
    } else {
        TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x0000);
    }
}

#endif
