/* GPRs, from one unit to another: the scalar unit, the configuration unit, and the core. A sum of what they bring. */
#include "circular_buffer.h"
#include "mistakes.h"

enum { WORD = LAYOUT_TENSORS, STORED = LAYOUT_TENSORS + 0x10, COUNTER = LAYOUT_TENSORS + 0x20, STREAM = 8 };
enum { A = 8, B = 9, LOADED = 12, SUM = 13, ADDRESS = 16, STORED_ADDRESS = 17, COUNTER_ADDRESS = 18, OLD = 20 };
enum { BY_CORE = 24, NEVER_SET = 28, OFFSET_HALF = 120, SIZE_32 = 1 };
enum {
    SCRATCH_0 = SCRATCH_SEC0_val_ADDR32,
    SCRATCH_1 = SCRATCH_SEC1_val_ADDR32,
    REG6_FLOP = THCON_SEC0_REG6_Source_address_ADDR32 - 64
};

#define GPRS ((volatile uint32_t *)0xffe00000)

static uint32_t sum;

static void add_gpr(uint32_t gpr)
{
    tensix_wait_idle();
    sum += load_complete(&GPRS[gpr]);
}

static void add_config(uint32_t word)
{
    tensix_wait_idle();
    sum += load_complete(&TENSIX_CONFIG[word]);
}

static void store_word(uint32_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
    load_complete((volatile uint32_t *)address);
}

static void to_config(void)
{
    SET_GPR_LOW(A, 0x00120003u);  /* first: wrcfg_behind_setdmareg */
    SET_GPR_HIGH(A, 0x00120003u); /* first: wrcfg_behind_setdmareg */
    UNLESS(wrcfg_behind_setdmareg) TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR);
    TTI_WRCFG(A, 0, SCRATCH_0); /* second: wrcfg_behind_setdmareg */
    TTI_NOP;
    add_config(SCRATCH_0);
}

static void from_config(void)
{
    TTI_RDCFG(B, SCRATCH_0); /* first: rdcfg_used_at_once */
    UNLESS(rdcfg_used_at_once) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_CONFIG_UNIT);
    TTI_ADDDMAREG(1, B, 5, B); /* second: rdcfg_used_at_once */
    add_gpr(B);
}

static void from_l1(void)
{
    store_word(WORD, 0x1000);
    SET_GPR(ADDRESS, WORD / 16);
    SET_GPR(OFFSET_HALF / 2, 0);
    TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, LOADED, ADDRESS); /* first: loadind_used_at_once */
    UNLESS(loadind_used_at_once) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);
    TTI_ADDDMAREG(1, SUM, 7, LOADED); /* second: loadind_used_at_once */
    add_gpr(SUM);
    TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, LOADED, ADDRESS); /* first: reg2flop_behind_loadind */
    UNLESS(reg2flop_behind_loadind) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);
    TTI_REG2FLOP(1, 0, 0, 0, REG6_FLOP, LOADED); /* second: reg2flop_behind_loadind */
    add_config(THCON_SEC0_REG6_Source_address_ADDR32);
}

static void from_register(void)
{
    *stream_register(STREAM, STREAM_PUSHED) = 9;
    load_complete(stream_register(STREAM, STREAM_PUSHED));
    TTI_LOADREG(LOADED, STREAM_REGISTER(STREAM, STREAM_PUSHED) >> 2 & 0x3ffff); /* first: wrcfg_behind_loadreg */
    UNLESS(wrcfg_behind_loadreg) TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR);
    TTI_WRCFG(LOADED, 0, SCRATCH_1); /* second: wrcfg_behind_loadreg */
    TTI_NOP;
    add_config(SCRATCH_1);
}

static void from_atomic(void)
{
    store_word(COUNTER, 40);
    store_word(STORED, 0);
    SET_GPR(COUNTER_ADDRESS, COUNTER / 16);
    SET_GPR(STORED_ADDRESS, STORED / 16);
    SET_GPR(OLD, 2);
    TTI_ATINCGET(0, 31, 0, OLD, COUNTER_ADDRESS); /* first: storeind_behind_atincget */
    UNLESS(storeind_behind_atincget) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);
    /* first: storeind_not_waited_for second: storeind_behind_atincget */
    TTI_STOREIND(1, 0, 1, OFFSET_HALF, 0, OLD, STORED_ADDRESS);
    UNLESS(storeind_not_waited_for) tensix_wait_idle();
    FENCE();
    sum += *(volatile uint32_t *)STORED; /* second: storeind_not_waited_for */
    tensix_wait_idle();
    sum += load_shared((volatile uint32_t *)COUNTER);
}

static void from_core(void)
{
    GPRS[BY_CORE] = 0x200; /* first: gpr_store_not_read_back */
    UNLESS(gpr_store_not_read_back) load_complete(&GPRS[BY_CORE]);
    TTI_ADDDMAREG(1, BY_CORE, 1, BY_CORE); /* first: gpr_load_too_early second: gpr_store_not_read_back */
    UNLESS(gpr_load_too_early) tensix_wait_idle();
    sum += GPRS[BY_CORE]; /* second: gpr_load_too_early */
}

static void never_set(void)
{
    UNLESS(gpr_never_set) SET_GPR(NEVER_SET, 0);
    TTI_ADDDMAREG(1, NEVER_SET, 3, NEVER_SET); /* first: gpr_never_set */
    tensix_wait_idle();
    sum += load_complete(&GPRS[NEVER_SET]);
}

static void config_never_set(void)
{
    UNLESS(config_never_set)
    {
        TENSIX_CONFIG[SCRATCH_SEC2_val_ADDR32] = 0;
        load_complete(&TENSIX_CONFIG[SCRATCH_SEC2_val_ADDR32]);
    }
    TTI_RDCFG(B, SCRATCH_SEC2_val_ADDR32); /* first: config_never_set */
    TTI_STALLWAIT(BLOCK_SCALAR, WAIT_CONFIG_UNIT);
    add_gpr(B);
}

void kernel_main(void)
{
    tensix_begin();
    to_config();
    from_config();
    from_l1();
    from_register();
    from_atomic();
    from_core();
    never_set();
    config_never_set();
    store_result(0, sum);
    for (uint32_t i = 1; i < 4; i++) {
        store_result(i, 0);
    }
}
