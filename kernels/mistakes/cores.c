/* Words of L1 between cores: by release from reset, mailboxes, flags and atomics. */
#include "mistakes.h"

enum { ARGUMENT = LAYOUT_TENSORS, BY_MAILBOX = ARGUMENT + 0x40, UNFENCED = ARGUMENT + 0x80, FLAG = ARGUMENT + 0xc0 };
enum { BY_FLAG = ARGUMENT + 0x100, BOTH = ARGUMENT + 0x140, COUNTER = ARGUMENT + 0x180, ROUNDS = 8 };
enum { FIRST_DONE = ARGUMENT + 0x1c0, SOFT_RESET_T0 = 0x1000 };
enum { KEPT = ARGUMENT + 0x200, MAYBE = ARGUMENT + 0x240, BY_MAYBE = ARGUMENT + 0x280, LAST = BY_MAYBE };

#define WORD(address) (*(volatile uint32_t *)(address))
#define MAILBOX(core) ((volatile uint32_t *)(0xffec0000 + (core)*0x1000))

static inline void count(void)
{
    if (IS_MISTAKE(counter_not_atomic)) {
        WORD(COUNTER)++; /* first: counter_not_atomic second: counter_not_atomic */
    } else {
        /* amoadd.w */
        /* first: counter_cleared_again second: counter_cleared_again */
        __asm__ volatile(".insn r 0x2f, 2, 0, zero, %1, %0" : : "r"(1), "r"(COUNTER) : "memory");
    }
}

#ifdef PROGRAM_B

void kernel_main(void)
{
    for (uint32_t address = ARGUMENT; address < LAST + 0x40; address += 4) {
        WORD(address) = 0;
    }
    WORD(ARGUMENT) = 3; /* first: released_before_arguments */
    UNLESS(released_before_arguments) load_complete(&WORD(ARGUMENT));
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_T0;

    /* What a mailbox announces: once without the producer's order, once without the consumer's. */
    WORD(BY_MAILBOX) = 30; /* first: mailbox_before_data */
    UNLESS(mailbox_before_data) load_complete(&WORD(BY_MAILBOX));
    *MAILBOX(KERNEL_TRISC0) = 1;
    WORD(UNFENCED) = 300; /* first: mailbox_without_fence */
    load_complete(&WORD(UNFENCED));
    *MAILBOX(KERNEL_TRISC0) = 2;

    /* A word that T0 has loaded before. */
    (void)load_complete(MAILBOX(KERNEL_TRISC0));
    WORD(KEPT) = 1; /* first: line_not_emptied */
    load_complete(&WORD(KEPT));
    *MAILBOX(KERNEL_TRISC0) = 3;
    ONLY_IF(mailbox_left_full) * MAILBOX(KERNEL_TRISC0) = 4; /* first: mailbox_left_full */

    /* What a flag announces to those who look at it in time. */
    WORD(BY_MAYBE) = 300000; /* first: flag_not_looked_at */
    WORD(MAYBE) = 1;

    /* What a flag announces: stores to L1 are processed in order. */
    WORD(BY_FLAG) = 3000; /* first: polled_without_fence */
    WORD(FLAG) = 1;       /* first: polled_without_fence */

    WORD(BOTH) = 30000; /* first: two_write_one_word */
    load_complete(&WORD(BOTH));
    WORD(FIRST_DONE) = 1;

    for (uint32_t i = 0; i < ROUNDS; i++) {
        count();
    }
    while (load_shared((volatile uint32_t *)LAYOUT_COMPLETION + KERNEL_TRISC0) != COMPLETION_DONE) {
    }
    store_result(1, load_shared(&WORD(COUNTER)));
    store_result(2, load_shared(&WORD(BOTH)));
    store_result(3, 0);
}

#elif defined PROGRAM_T0

static void wait_for_flag(void)
{
    if (IS_MISTAKE(polled_without_fence)) {
        while (WORD(FLAG) == 0) { /* second: polled_without_fence */
        }
    } else {
        while (load_shared(&WORD(FLAG)) == 0) {
        }
    }
}

void kernel_main(void)
{
    uint32_t sum = WORD(ARGUMENT); /* second: released_before_arguments */
    (void)load_complete(MAILBOX(KERNEL_BRISC));
    FENCE();
    sum += WORD(BY_MAILBOX); /* second: mailbox_before_data */
    if (IS_MISTAKE(mailbox_without_fence)) {
        (void)*MAILBOX(KERNEL_BRISC);
    } else {
        (void)load_complete(MAILBOX(KERNEL_BRISC));
        FENCE();
    }
    sum += WORD(UNFENCED); /* second: mailbox_without_fence */

    sum += load_complete(&WORD(KEPT)) & 0;
    *MAILBOX(KERNEL_BRISC) = 1;
    (void)load_complete(MAILBOX(KERNEL_BRISC));
    UNLESS(line_not_emptied) FENCE();
    sum += WORD(KEPT) & 0; /* second: line_not_emptied */

    uint32_t there = 1;
    UNLESS(flag_not_looked_at) there = load_shared(&WORD(MAYBE));
    if (there) {
        sum += WORD(BY_MAYBE) & 0; /* second: flag_not_looked_at */
    }
    wait_for_flag();
    sum += WORD(BY_FLAG); /* second: polled_without_fence */
    UNLESS(two_write_one_word)
    {
        while (load_shared(&WORD(FIRST_DONE)) == 0) {
        }
    }
    WORD(BOTH) = 40000; /* second: two_write_one_word */
    load_complete(&WORD(BOTH));
    ONLY_IF(counter_cleared_again)
    {
        for (volatile uint32_t i = 0; i < 500; i++) {
        }
        WORD(COUNTER) = 0; /* first: counter_cleared_again second: counter_cleared_again */
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        count();
    }
    store_result(0, sum);
}

#endif
