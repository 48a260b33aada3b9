/* A constant goes through a GPR to a word of configuration. */
#include "mistakes.h"

enum { GPR = 20 };

void kernel_main(void)
{
    tensix_begin();
    SET_GPR_LOW(GPR, 0x12345678u);
    SET_GPR_HIGH(GPR, 0x12345678u); /* first: wrcfg_behind_setdmareg */
    UNLESS(wrcfg_behind_setdmareg) TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR);
    TTI_WRCFG(GPR, 0, SCRATCH_SEC0_val_ADDR32); /* second: wrcfg_behind_setdmareg */
    TTI_NOP;
    tensix_wait_idle();
    store_result(0, TENSIX_CONFIG[SCRATCH_SEC0_val_ADDR32]);
    for (uint32_t i = 1; i < 4; i++) {
        store_result(i, 0);
    }
}
