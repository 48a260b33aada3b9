/* Semaphores, mutexes, banks of SrcA and of configuration between the three threads. */
#include "math.h"
#include "mistakes.h"
#include "unpack.h"

enum { ITEMS = 0, LATE = 2, STORED = 3, STARTED = 4, MAXIMUM = 2, POSTS = 3, DELAY = 2000 };
enum {
    COUNTER = LAYOUT_TENSORS,
    WORD = COUNTER + 0x100,
    TILE = LAYOUT_TENSORS + 0x1000,
    ROUNDS = 4,
    MUTEX = 2,
    OTHER_MUTEX = 3
};
enum { ADDRESS = 16, COUNT = 20, READ = 21, OFFSET_HALF = 120, SIZE_32 = 1 };

#define MAILBOX(core) ((volatile uint32_t *)(0xffec0000 + (core)*0x1000))
#define GPRS ((volatile uint32_t *)0xffe00000)

static inline void delay(void)
{
    for (volatile uint32_t i = 0; i < DELAY / 4; i++) {
    }
}

#ifndef PROGRAM_T2

static void set_address(void)
{
    SET_GPR(ADDRESS, COUNTER / 16);
    SET_GPR(OFFSET_HALF / 2, 0);
}

#endif

#ifdef PROGRAM_T0

static void unpack_face(void)
{
    volatile uint32_t *words = (volatile uint32_t *)TILE;
    struct unpack unpack;
    for (uint32_t i = 0; i < FACE_DATA / 2; i++) {
        words[i] = 0x3f803f80;
    }
    load_complete(&words[FACE_DATA / 2 - 1]);
    unpack_configure(&unpack, FACE_DATA - 1);
    TENSIX_CONFIG[THCON_SEC0_REG3_Base_address_ADDR32] = (TILE >> 4) - 1;
    TTI_STALLWAIT(BLOCK_UNPACK, WAIT_RISCV_CONFIG);
    TTI_UNPACR(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1); /* first: data_valid_twice */
    ONLY_IF(data_valid_twice) TTI_SETDVALID(1);        /* second: data_valid_twice */
}

void kernel_main(void)
{
    tensix_begin();
    uint32_t started = 0;
    UNLESS(semaphore_initialised_too_late) started = load_complete(MAILBOX(KERNEL_TRISC1));
    TTI_SEMPOST(1 << STARTED); /* second: semaphore_initialised_too_late */
    ONLY_IF(semaphore_initialised_too_late) started = load_complete(MAILBOX(KERNEL_TRISC1));
    for (uint32_t i = 0; i < POSTS; i++) {
        UNLESS(semaphore_posted_at_maximum) TTI_SEMWAIT(BLOCK_SYNC, 1 << ITEMS, WHILE_MAX);
        TTI_SEMPOST(1 << ITEMS); /* first: semaphore_posted_at_maximum */
    }
    unpack_face();
    set_address();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        TTI_ATGETM(MUTEX);
        TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, COUNT, ADDRESS);
        TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);
        TTI_ADDDMAREG(1, COUNT, 1, COUNT);
        TTI_STOREIND(1, 0, 1, OFFSET_HALF, 0, COUNT, ADDRESS);
        TTI_STALLWAIT(BLOCK_SYNC, WAIT_SCALAR);
        TTI_ATRELM(MUTEX);
    }
    tensix_wait_idle();
    delay();
    TTI_SEMPOST(1 << LATE);
    tensix_wait_idle();
    store_result(0, started);
    store_result(3, 0);
}

#elif defined PROGRAM_T1

enum { MOVE_8_ROWS = 2, BANK_WORDS = 224, CONFIG_WORD = THCON_SEC0_REG6_Source_address_ADDR32 };

void kernel_main(void)
{
    *(volatile uint32_t *)COUNTER = 0;
    load_complete((volatile uint32_t *)COUNTER);
    tensix_begin();
    /* first: semaphore_initialised_too_late */
    TTI_SEMINIT(MAXIMUM, 0, 1 << ITEMS | 1 << LATE | 1 << STORED | 1 << STARTED);
    tensix_wait_idle();
    *MAILBOX(KERNEL_TRISC0) = 7;
    *MAILBOX(KERNEL_TRISC2) = 7;

    TTI_ATGETM(OTHER_MUTEX); /* first: mutex_held_at_the_end */
    set_address();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        UNLESS(mutex_not_taken) TTI_ATGETM(MUTEX);
        TTI_LOADIND(SIZE_32, OFFSET_HALF, 0, COUNT, ADDRESS);
        TTI_STALLWAIT(BLOCK_SCALAR, WAIT_SCALAR);
        TTI_ADDDMAREG(1, COUNT, 1, COUNT);
        TTI_STOREIND(1, 0, 1, OFFSET_HALF, 0, COUNT, ADDRESS);
        TTI_STALLWAIT(BLOCK_SYNC, WAIT_SCALAR);
        TTI_ATRELM(MUTEX); /* first: mutex_not_taken */
    }

    /* A word in L1, for the core of T2. */
    SET_GPR(ADDRESS, WORD / 16);
    SET_GPR(COUNT, 1000);
    TTI_STOREIND(1, 0, 1, OFFSET_HALF, 0, COUNT, ADDRESS); /* first: posted_before_stored */
    UNLESS(posted_before_stored) TTI_STALLWAIT(BLOCK_SYNC, WAIT_SCALAR);
    TTI_SEMPOST(1 << STORED);
    UNLESS(mutex_held_at_the_end) TTI_ATRELM(OTHER_MUTEX);
    tensix_wait_idle();

    TENSIX_CONFIG[CONFIG_WORD] = 1;
    TENSIX_CONFIG[BANK_WORDS + CONFIG_WORD] = 5; /* first: bank_not_read_back */
    UNLESS(bank_not_read_back) load_complete(&TENSIX_CONFIG[BANK_WORDS + CONFIG_WORD]);
    TTI_SETC16(CFG_STATE_ID_StateID_ADDR32, 1); /* first: state_id_used_at_once */
    UNLESS(state_id_used_at_once)
    {
        TTI_NOP;
        TTI_NOP;
        TTI_NOP;
    }
    TTI_RDCFG(READ, CONFIG_WORD); /* second: state_id_used_at_once, bank_not_read_back */
    TTI_STALLWAIT(BLOCK_ALL, WAIT_CONFIG_UNIT);
    TTI_SETC16(CFG_STATE_ID_StateID_ADDR32, 0);
    TTI_NOP;
    TTI_NOP;
    TTI_NOP;

    struct math math;
    math_configure(&math);
    TT_MOVA2D(0, 0, MATH_STAY, MOVE_8_ROWS, 0);
    TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A);                             /* first: src_released_twice */
    ONLY_IF(src_released_twice) TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A); /* second: src_released_twice */
    tensix_wait_idle();
    store_result(1, load_complete(&GPRS[READ]));
}

#elif defined PROGRAM_T2

void kernel_main(void)
{
    tensix_begin();
    (void)load_complete(MAILBOX(KERNEL_TRISC1));
    delay();
    for (uint32_t i = 0; i < POSTS; i++) {
        TTI_SEMWAIT(BLOCK_SYNC, 1 << ITEMS, WHILE_ZERO);
        TTI_SEMGET(1 << ITEMS);
    }
    UNLESS(semaphore_got_at_zero) TTI_SEMWAIT(BLOCK_SYNC, 1 << LATE, WHILE_ZERO);
    TTI_SEMGET(1 << LATE); /* first: semaphore_got_at_zero */
    tensix_wait_idle();
    while (load_complete(semaphore_window((enum semaphore)STORED)) == 0) {
    }
    FENCE();
    uint32_t stored = *(volatile uint32_t *)WORD; /* second: posted_before_stored */
    while (load_shared((volatile uint32_t *)LAYOUT_COMPLETION + KERNEL_TRISC0) != COMPLETION_DONE ||
           load_shared((volatile uint32_t *)LAYOUT_COMPLETION + KERNEL_TRISC1) != COMPLETION_DONE) {
    }
    uint32_t count = load_shared((volatile uint32_t *)COUNTER);
    store_result(2, stored + count);
}

#endif
