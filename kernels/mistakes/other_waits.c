/* Waits that are there, but wait for something else, or hold something else: T1 and T2. */
#include "mistakes.h"

enum { COUNTER = LAYOUT_TENSORS, HANDED = COUNTER + 0x100, HANDED_OVER = 3, MUTEX = 2, OTHER_MUTEX = 3, ROUNDS = 4 };
enum { VALUE = 8, ADDRESS = 16, COUNT = 20, LOADED = 24, SUM = 25, OFFSET_HALF = 120, SIZE_32 = 1 };

#define MAILBOX(core) ((volatile uint32_t *)(0xffec0000 + (core)*0x1000))
#define GPRS ((volatile uint32_t *)0xffe00000)

static void set_address(uint32_t address)
{
    SET_GPR(ADDRESS, address / 16);
    SET_GPR(OFFSET_HALF / 2, 0);
}

/* Adds to a word, whose mutex the other thread should take, too. */
static void add(uint32_t mutex)
{
    set_address(COUNTER);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        TT_ATGETM(mutex);
        TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, COUNT, ADDRESS); /* first: other_mutex_taken second: other_mutex_taken */
        TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);
        TTI_ADDDMAREG(1, COUNT, 1, COUNT);
        /* first: other_mutex_taken second: other_mutex_taken */
        TTI_STOREIND(1, 0, 1, OFFSET_HALF, 0, COUNT, ADDRESS);
        TTI_STALLWAIT(BLOCK_SYNC, WAIT_SCALAR);
        TT_ATRELM(mutex);
    }
}

#ifdef PROGRAM_T1

void kernel_main(void)
{
    *(volatile uint32_t *)COUNTER = 0;
    *(volatile uint32_t *)HANDED = 1;
    load_complete((volatile uint32_t *)HANDED);
    tensix_begin();
    TTI_SEMINIT(1, 0, 1 << HANDED_OVER);
    tensix_wait_idle();
    *MAILBOX(KERNEL_TRISC2) = 1;
    add(MUTEX);

    set_address(HANDED);
    SET_GPR(VALUE, 7);
    /* first: semaphore_holds_others second: semaphore_holds_others */
    TTI_STOREIND(1, 0, 1, OFFSET_HALF, 0, VALUE, ADDRESS);
    TTI_STALLWAIT(BLOCK_SYNC, WAIT_SCALAR);
    TTI_SEMPOST(1 << HANDED_OVER);
    tensix_wait_idle();
}

#elif defined PROGRAM_T2

void kernel_main(void)
{
    tensix_begin();
    (void)load_complete(MAILBOX(KERNEL_TRISC1));
    add(IS_MISTAKE(other_mutex_taken) ? OTHER_MUTEX : MUTEX);

    set_address(HANDED);
    TTI_SEMWAIT(BLOCK_SYNC | (IS_MISTAKE(semaphore_holds_others) ? BLOCK_MATH : BLOCK_SCALAR), 1 << HANDED_OVER,
                WHILE_ZERO);
    /* first: semaphore_holds_others second: semaphore_holds_others */
    TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, LOADED, ADDRESS);
    TTI_SEMGET(1 << HANDED_OVER);
    TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);

    /* The word once more, with FLUSHDMA in place of STALLWAIT. */
    TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, LOADED, ADDRESS); /* first: other_unit_flushed */
    TTI_FLUSHDMA(IS_MISTAKE(other_unit_flushed) ? WAIT_UNPACKER0 : WAIT_SCALAR);
    TTI_ADDDMAREG(1, SUM, 1, LOADED); /* second: other_unit_flushed */

    SET_GPR(VALUE, 9); /* first: wait_holds_others */
    TTI_STALLWAIT(IS_MISTAKE(wait_holds_others) ? BLOCK_MATH : BLOCK_CONFIG, WAIT_SCALAR);
    TTI_WRCFG(VALUE, 0, SCRATCH_SEC0_val_ADDR32); /* second: wait_holds_others */
    TTI_NOP;
    tensix_wait_idle();
    while (load_shared((volatile uint32_t *)LAYOUT_COMPLETION + KERNEL_TRISC1) != COMPLETION_DONE) {
    }
    store_result(0, load_shared((volatile uint32_t *)COUNTER));
    store_result(1, load_complete(&GPRS[SUM]));
    store_result(2, load_complete(&TENSIX_CONFIG[SCRATCH_SEC0_val_ADDR32]));
    store_result(3, 0);
}

#endif
