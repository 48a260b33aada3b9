/* A tile of zeroes is packed, and its first word loaded into a GPR. */
#include "math.h"
#include "mistakes.h"
#include "mop.h"
#include "pack.h"

enum { OUTPUT = LAYOUT_TENSORS, ADDRESS = 20, LOADED = 21, OFFSET_HALF = 120, SIZE_32 = 1 };

#define GPRS ((volatile uint32_t *)0xffe00000)

void kernel_main(void)
{
    struct math math;
    struct pack pack;
    math_configure(&math);
    pack_configure(&pack);
    SET_GPR(ADDRESS, OUTPUT / 16);
    SET_GPR(OFFSET_HALF / 2, 0);
    SET_GPR(LOADED, 7);
    SET_GPR(GPR_PACK_ADDRESS, ((OUTPUT >> 4) - 1) | 1u << 31);
    TT_SETADC(PACKER, 0, 3, 0);
    TTI_STALLWAIT(BLOCK_CONFIG | BLOCK_PACK, WAIT_SCALAR | WAIT_MATH);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    TTI_MOP(1, 0, 0); /* first: loaded_before_packed */
    UNLESS(loaded_before_packed) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_PACKER);
    TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, LOADED, ADDRESS); /* second: loaded_before_packed */
    TTI_STALLWAIT(BLOCK_ALL, WAIT_SCALAR);
    TTI_NOP;
    tensix_wait_idle();
    store_result(0, load_complete(&GPRS[LOADED]));
    for (uint32_t i = 1; i < 4; i++) {
        store_result(i, 0);
    }
}
