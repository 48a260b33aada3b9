/* The core's stores to GPRs and configuration, and its loads, in the order of the program: Auto TTSync sees to it. */
#include "mistakes.h"

enum { TRACK_ALL = 0x1f, GPR = 20, WORD = THCON_SEC0_REG6_Source_address_ADDR32 };

#define GPRS ((volatile uint32_t *)0xffe00000)

void kernel_main(void)
{
    tensix_begin();
    UNLESS(ttsync_not_enabled) TTI_SETC16(TENSIX_TRISC_SYNC_TrackGlobalCfg_ADDR32, TRACK_ALL);
    tensix_wait_idle();

    GPRS[GPR] = 5;                 /* first: ttsync_not_enabled */
    TTI_ADDDMAREG(1, GPR, 6, GPR); /* first: ttsync_not_enabled second: ttsync_not_enabled */
    FENCE();
    uint32_t sum = GPRS[GPR]; /* second: ttsync_not_enabled */
    TENSIX_CONFIG[WORD] = 300;
    TTI_RDCFG(GPR + 1, WORD);
    TTI_STALLWAIT(BLOCK_ALL, WAIT_CONFIG_UNIT);
    TTI_NOP;
    tensix_wait_idle();
    store_result(0, sum);
    store_result(1, load_complete(&GPRS[GPR + 1]));
    store_result(2, 0);
    store_result(3, 0);
}
