/* A circular buffer of two pages between two cores, B and NC, whose counts are registers of an overlay stream. NC
   begins late, so that B has to wait for it. */
#include "circular_buffer.h"
#include "mistakes.h"

enum {
    PAGES = LAYOUT_TENSORS,
    PAGE = TILE_SIZE,
    WORDS = 16,
    CAPACITY = 2,
    STREAM = 9,
    COUNT = 6,
    SOFT_RESET_NC = 0x40000
};

#define WORD(address) (*(volatile uint32_t *)(address))

static struct circular_buffer buffer = {.stream = STREAM, .address = PAGES, .capacity = CAPACITY};

#ifdef PROGRAM_B

void kernel_main(void)
{
    circular_buffer_reset(STREAM);
    completions_clear();
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_NC;
    for (uint32_t page = 0; page < COUNT; page++) {
        UNLESS(page_without_room) reserve_back(&buffer, 1);
        for (uint32_t i = 0; i < WORDS; i++) {
            /* first: page_without_room, page_pushed_too_early second: page_popped_too_early */
            WORD(tile_address(&buffer, 0) + 4 * i) = page + i;
        }
        UNLESS(page_pushed_too_early) load_complete(&WORD(tile_address(&buffer, 0) + 4 * (WORDS - 1)));
        push_back(&buffer, 1);
    }
    while (load_shared((volatile uint32_t *)LAYOUT_COMPLETION + KERNEL_NCRISC) != COMPLETION_DONE) {
    }
}

#elif defined PROGRAM_NC

void kernel_main(void)
{
    uint32_t sum = 0;
    for (volatile uint32_t i = 0; i < 500; i++) {
    }
    for (uint32_t page = 0; page < COUNT; page++) {
        wait_front(&buffer, 1);
        FENCE();
        uint32_t address = tile_address(&buffer, 0);
        ONLY_IF(page_popped_too_early) pop_front(&buffer, 1);
        for (uint32_t i = 0; i < WORDS; i++) {
            /* first: page_popped_too_early second: page_without_room, page_pushed_too_early */
            sum += WORD(address + 4 * i);
        }
        __asm__ volatile("andi zero, %0, 0" : : "r"(sum)); /* the loads have been answered */
        UNLESS(page_popped_too_early) pop_front(&buffer, 1);
    }
    store_result(0, sum);
    store_result(1, 0);
    store_result(2, 0);
    store_result(3, 0);
}

#endif
