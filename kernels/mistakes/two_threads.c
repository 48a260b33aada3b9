/* T2 packs a tile of zeroes; when it is done, T1 changes the packer's configuration, and its core a datum of Dst. */
#include "math.h"
#include "mistakes.h"
#include "mop.h"
#include "pack.h"

enum { OUTPUT = LAYOUT_TENSORS, READY = 1, PACKED = 2 };

#define MAILBOX(core) ((volatile uint32_t *)(0xffec0000 + (core)*0x1000))

#ifdef PROGRAM_T1

enum { DST_BF16 = 3 };

#define DST(row) (((volatile uint16_t *)0xffbd8000)[(row)*ROW_DATA])

static void wait_for(uint32_t what)
{
    while (load_complete(MAILBOX(KERNEL_TRISC2)) != what) {
    }
}

void kernel_main(void)
{
    tensix_begin();
    CONFIG_MODIFY(RISC_DEST_ACCESS_CTRL_SEC1_fmt, DST_BF16);
    tensix_wait_idle();
    *MAILBOX(KERNEL_TRISC2) = READY;
    wait_for(READY);

    UNLESS(relu_of_another_thread) UNLESS(datum_of_another_thread) wait_for(PACKED);
    UNLESS(datum_of_another_thread)
    {
        /* first: relu_of_another_thread second: relu_of_another_thread */
        TTI_RMWCIB0(STACC_RELU_ApplyRelu_MASK, 0, STACC_RELU_ApplyRelu_ADDR32);
        ONLY_IF(relu_of_another_thread) wait_for(PACKED);
    }
    DST(8) = 0; /* first: datum_of_another_thread second: datum_of_another_thread */
    ONLY_IF(datum_of_another_thread)
    {
        wait_for(PACKED);
        TTI_RMWCIB0(STACC_RELU_ApplyRelu_MASK, 0, STACC_RELU_ApplyRelu_ADDR32);
    }
    tensix_wait_idle();
    store_result(1, DST(8));
}

#elif defined PROGRAM_T2

static uint32_t sum_of_output(void)
{
    uint32_t sum = 0;
    FENCE();
    for (uint32_t i = 0; i < TILE_SIZE; i += 4) {
        sum += *(volatile uint32_t *)(OUTPUT + i);
    }
    return sum;
}

void kernel_main(void)
{
    struct math math;
    struct pack pack;
    math_configure(&math);
    pack_configure(&pack);
    SET_GPR(GPR_PACK_ADDRESS, ((OUTPUT >> 4) - 1) | 1u << 31);
    TT_SETADC(PACKER, 0, 3, 0);
    TTI_STALLWAIT(BLOCK_CONFIG | BLOCK_PACK, WAIT_SCALAR | WAIT_MATH);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    tensix_wait_idle();
    (void)load_complete(MAILBOX(KERNEL_TRISC1));
    *MAILBOX(KERNEL_TRISC1) = READY;

    /* first: relu_of_another_thread, datum_of_another_thread second: relu_of_another_thread, datum_of_another_thread */
    TTI_MOP(1, 0, 0);
    tensix_wait_idle();
    *MAILBOX(KERNEL_TRISC1) = PACKED;
    store_result(0, sum_of_output());
    store_result(2, 0);
    store_result(3, 0);
}

#endif
