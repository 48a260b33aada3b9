/* What unpacker 0 and the matrix unit share: T1 unpacks with the address counters of T0, and writes to the bank of SrcA
   that it unpacked to. */
#include "math.h"
#include "mistakes.h"
#include "unpack.h"

enum { TILE = LAYOUT_TENSORS, ONES = 0x3f803f80, GPR_FORMAT = 20, SEMAPHORE = 3 };

#define MAILBOX(core) ((volatile uint32_t *)(0xffec0000 + (core)*0x1000))

#ifdef PROGRAM_T0

void kernel_main(void)
{
    volatile uint32_t *words = (volatile uint32_t *)TILE;
    for (uint32_t i = 0; i < TILE_SIZE / 4; i++) {
        words[i] = ONES;
    }
    load_complete(&words[TILE_SIZE / 4 - 1]);
    struct unpack unpack;
    unpack_configure(&unpack, TILE_DATA - 1);
    TENSIX_CONFIG[THCON_SEC0_REG3_Base_address_ADDR32] = (TILE >> 4) - 1;
    load_complete(&TENSIX_CONFIG[THCON_SEC0_REG3_Base_address_ADDR32]);
    tensix_wait_idle();
    *MAILBOX(KERNEL_TRISC1) = 1;

    /* A face is enough. */
    TTI_SETADCXX(UNPACKER0, FACE_DATA - 1, 0); /* first: counters_of_another_thread */
    tensix_wait_idle();
    *MAILBOX(KERNEL_TRISC1) = 2;

    /* A semaphore, from the core. */
    volatile uint32_t *semaphore = semaphore_window((enum semaphore)SEMAPHORE);
    TTI_SEMINIT(2, 0, 1 << SEMAPHORE);
    tensix_wait_idle();
    UNLESS(semaphore_got_by_core) *semaphore = 0;
    *semaphore = 1; /* first: semaphore_got_by_core */
    store_result(0, load_complete(semaphore));
    store_result(2, 0);
    store_result(3, 0);
}

#elif defined PROGRAM_T1

enum { MOVE_8_ROWS = 2, MOVE_4_ROWS = 2, DST_BF16 = 3 };

/* The first datum of a row of Dst. */
#define DST(row) (((const volatile uint16_t *)0xffbd8000)[(row)*ROW_DATA])

void kernel_main(void)
{
    struct math math;
    (void)load_complete(MAILBOX(KERNEL_TRISC0));
    math_configure(&math);
    CONFIG_MODIFY(RISC_DEST_ACCESS_CTRL_SEC1_fmt, DST_BF16);
    TTI_SETC16(SRCA_SET_Base_ADDR32, SRCA_SET_SetOvrdWithAddr_MASK);
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0);
    uint32_t format =
        CONFIG_VALUE(THCON_SEC0_REG2_Out_data_format, FORMAT_BF16) | CONFIG_VALUE(THCON_SEC0_REG2_Throttle_mode, 2);
    SET_GPR(GPR_FORMAT, format);
    tensix_wait_idle();

    uint32_t announced = 0;
    UNLESS(counters_of_another_thread) announced = load_complete(MAILBOX(KERNEL_TRISC0));
    /* first: format_changed second: counters_of_another_thread */
    UNLESS(bank_not_filled) TTI_UNPACR(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
    ONLY_IF(bank_not_filled) TTI_SETDVALID(1); /* first: bank_not_filled */
    UNLESS(format_changed) TTI_STALLWAIT(BLOCK_CONFIG, WAIT_UNPACKER0);
    TTI_WRCFG(GPR_FORMAT, 0, THCON_SEC0_REG2_Out_data_format_ADDR32); /* second: format_changed */
    TTI_NOP;
    ONLY_IF(counters_of_another_thread) announced = load_complete(MAILBOX(KERNEL_TRISC0));
    TT_MOVA2D(0, 0, MATH_STAY, MOVE_8_ROWS, 0); /* second: bank_not_filled */
    TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A);

    /* Four rows of the next bank come from Dst instead. */
    tensix_wait_idle();
    TTI_UNPACR(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1); /* first: moved_before_valid */
    UNLESS(moved_before_valid) TTI_STALLWAIT(BLOCK_MATH, WAIT_SRCA_VALID);
    TTI_MOVD2A(0, 8, MATH_STAY, MOVE_4_ROWS, 16); /* second: moved_before_valid */
    TTI_STALLWAIT(BLOCK_MATH, WAIT_MATH | WAIT_SRCA_VALID);
    TT_MOVA2D(0, 0, MATH_STAY, MOVE_8_ROWS, 32);
    TT_MOVA2D(0, 8, MATH_STAY, MOVE_8_ROWS, 40);
    TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A);
    tensix_wait_idle();
    store_result(1, DST(0) + DST(32) + DST(40) + DST(44) + announced);
}

#endif
