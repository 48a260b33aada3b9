/* bench, T1: MVMULs out of the replay buffer, 16 for each of 16 products, for each of `rows` rounds, at fidelity phase
   0. SrcA and SrcB are filled once, by way of Dst, and never given back. */
#include "math.h"
#include "matmul.h"

enum { UNPACKER_A, UNPACKER_B, CLEAR_SOURCE = 1, STORE_BF16 = 2, MOVE_4_ROWS = 2, SOURCE_ROWS = 64 };

static void fill_sources(void)
{
    TTI_UNPACR_NOP(UNPACKER_A, 0, 0, 1, 0, 0, 0, 0, CLEAR_SOURCE);
    TTI_UNPACR_NOP(UNPACKER_B, 0, 0, 1, 0, 0, 0, 0, CLEAR_SOURCE);
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_SFPLOADI(0, 0, 0x3f4d);
    for (uint32_t row = 0; row < SOURCE_ROWS; row += 2) {
        TT_SFPSTORE(0, STORE_BF16, 3, row);
        TTI_SFPADDI(0xbd5b, 0, 0);
    }
    tensix_wait_idle();
    for (uint32_t row = 0; row < SOURCE_ROWS; row += 4) {
        TT_MOVD2A(0, row, 3, MOVE_4_ROWS, row);
        TT_MOVD2B(0, row, 3, MOVE_4_ROWS, row);
    }
    TTI_ZEROACC(3, 0, 0, 3, 0);
    tensix_wait_idle();
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    TTI_SETC16(DISABLE_IMPLIED_SRCA_FMT_Base_ADDR32, 1);
    TTI_SETC16(DISABLE_IMPLIED_SRCB_FMT_Base_ADDR32, 1);
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG0_SrcA, FORMAT_BF16);
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG1_SrcB, FORMAT_BF16);
    fill_sources();
    matmul_configure(16, RELEASE_NONE);
    ADDRESS_MODE(5, CLEAR, CLEAR, DST_CLEAR);
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        mop_run_double_loop();
        tensix_wait_idle();
    }
}
