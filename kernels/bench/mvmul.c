/* bench, T1: MVMULs out of the replay buffer, 16 for each of 16 products, for each of `rows` rounds, at fidelity phase 0.
   SrcA and SrcB are given to the matrix unit once, with what the unpackers left there, and never given back. */
#include "math.h"
#include "matmul.h"

enum { SRC_A_AND_B = 3 };

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    matmul_configure(16, RELEASE_NONE);
    ADDRESS_MODE(5, CLEAR, CLEAR, DST_CLEAR);
    TTI_SETC16(DISABLE_IMPLIED_SRCA_FMT_Base_ADDR32, 1);
    TTI_SETC16(DISABLE_IMPLIED_SRCB_FMT_Base_ADDR32, 1);
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG0_SrcA, 5);
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG1_SrcB, 5);
    TTI_SETDVALID(SRC_A_AND_B);
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        mop_run_double_loop();
        tensix_wait_idle();
    }
}
