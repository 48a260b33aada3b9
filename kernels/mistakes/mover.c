/* The mover, and configuration that is used right behind the instruction that writes it. Each XMOV copies 16 bytes. */
#include "circular_buffer.h"
#include "mistakes.h"

enum { SOURCE = LAYOUT_TENSORS, TO = LAYOUT_TENSORS + 0x100, STREAM = 8, L1_TO_L1 = 3 };
enum { VALUE = 8, ADDRESS = 16, LOADED = 20, SUM = 21, OFFSET_HALF = 120, SIZE_32 = 1 };
enum {
    FROM_WORD = THCON_SEC0_REG6_Source_address_ADDR32,
    TO_WORD = THCON_SEC0_REG6_Destination_address_ADDR32,
    SIZE_WORD = THCON_SEC0_REG6_Buffer_size_ADDR32
};

static void prepare(void)
{
    volatile uint32_t *source = (volatile uint32_t *)SOURCE;
    for (uint32_t i = 0; i < 16; i++) {
        source[i] = i + 1;
    }
    load_complete(&source[15]);
    TENSIX_CONFIG[FROM_WORD] = SOURCE / 16;
    TENSIX_CONFIG[TO_WORD] = TO / 16;
    TENSIX_CONFIG[SIZE_WORD] = 1 | (uint32_t)L1_TO_L1 << 30;
    load_complete(&TENSIX_CONFIG[SIZE_WORD]);
}

/* The first word that arrived. */
static uint32_t moved(uint32_t number)
{
    TTI_STALLWAIT(BLOCK_ALL, WAIT_MOVER);
    tensix_wait_idle();
    return load_shared((volatile uint32_t *)(TO + number * 16));
}

static void next_source(uint32_t number)
{
    SET_GPR(VALUE, SOURCE / 16 + number);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR);
}

static void set_destination(uint32_t number)
{
    TENSIX_CONFIG[TO_WORD] = TO / 16 + number;
    load_complete(&TENSIX_CONFIG[TO_WORD]);
}

void kernel_main(void)
{
    tensix_begin();
    prepare();

    /* What is copied is loaded into a GPR. */
    SET_GPR(ADDRESS, TO / 16);
    SET_GPR(OFFSET_HALF / 2, 0);
    TTI_XMOV(0, 0); /* first: xmov_not_waited_for */
    UNLESS(xmov_not_waited_for) TTI_STALLWAIT(BLOCK_SCALAR | BLOCK_MOVER, WAIT_MOVER);
    TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, LOADED, ADDRESS); /* second: xmov_not_waited_for */
    TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);
    uint32_t sum = moved(0);

    /* Its source changes by WRCFG, by CFGSHIFTMASK, and by STREAMWRCFG. */
    set_destination(1);
    next_source(1);
    TTI_WRCFG(VALUE, 0, FROM_WORD); /* first: wrcfg_used_at_once */
    UNLESS(wrcfg_used_at_once) TTI_NOP;
    TTI_XMOV(0, 0); /* second: wrcfg_used_at_once */
    sum += moved(1);

    set_destination(2);
    TENSIX_CONFIG[SCRATCH_SEC0_val_ADDR32] = 1;
    load_complete(&TENSIX_CONFIG[SCRATCH_SEC0_val_ADDR32]);
    TTI_CFGSHIFTMASK(1, 3, 31, 0, 0, FROM_WORD); /* first: cfgshiftmask_used_at_once */
    UNLESS(cfgshiftmask_used_at_once) TTI_NOP;
    TTI_XMOV(0, 0); /* second: cfgshiftmask_used_at_once */
    sum += moved(2);

    set_destination(3);
    *stream_register(STREAM, STREAM_PUSHED) = SOURCE / 16 + 3;
    load_complete(stream_register(STREAM, STREAM_PUSHED));
    TTI_SETC16(STREAM_ID_SYNC_SEC0_BankSel_ADDR32, STREAM);
    TTI_NOP;
    TTI_STREAMWRCFG(0, STREAM_PUSHED, FROM_WORD); /* first: streamwrcfg_used_at_once */
    UNLESS(streamwrcfg_used_at_once) TTI_STALLWAIT(BLOCK_MOVER | BLOCK_CONFIG, WAIT_CONFIG_UNIT);
    TTI_XMOV(0, 0); /* second: streamwrcfg_used_at_once */
    sum += moved(3);

    /* Its source changes by STREAMWRCFG, then by one. */
    set_destination(4);
    *stream_register(STREAM, STREAM_PUSHED) = SOURCE / 16;
    load_complete(stream_register(STREAM, STREAM_PUSHED));
    TTI_STREAMWRCFG(0, STREAM_PUSHED, FROM_WORD); /* first: streamwrcfg_overtaken */
    UNLESS(streamwrcfg_overtaken) TTI_STALLWAIT(BLOCK_CONFIG, WAIT_CONFIG_UNIT);
    TTI_RMWCIB0(0xff, (SOURCE / 16 + 1) & 0xff, FROM_WORD); /* second: streamwrcfg_overtaken */
    TTI_STALLWAIT(BLOCK_MOVER | BLOCK_CONFIG, WAIT_CONFIG_UNIT);
    TTI_XMOV(0, 0);
    sum += moved(4);

    /* The core changes it. */
    set_destination(5);
    TENSIX_CONFIG[FROM_WORD] = SOURCE / 16 + 2; /* first: xmov_before_its_configuration */
    UNLESS(xmov_before_its_configuration) TTI_STALLWAIT(BLOCK_MOVER, WAIT_RISCV_CONFIG);
    TTI_XMOV(0, 0); /* first: xmov_result_read_too_early second: xmov_before_its_configuration */
    UNLESS(xmov_result_read_too_early)
    {
        TTI_STALLWAIT(BLOCK_ALL, WAIT_MOVER);
        TTI_NOP;
        tensix_wait_idle();
    }
    FENCE();
    sum += *(volatile uint32_t *)(TO + 5 * 16); /* second: xmov_result_read_too_early */

    store_result(0, sum);
    store_result(1, load_complete((volatile uint32_t *)(0xffe00000 + 4 * LOADED)));
    store_result(2, 0);
    store_result(3, 0);

    /* Once more, where no other thread looks. */
    (void)moved(5);
    set_destination(6);
    TTI_XMOV(0, 0); /* first: xmov_at_the_end */
    UNLESS(xmov_at_the_end)(void) moved(6);
}
