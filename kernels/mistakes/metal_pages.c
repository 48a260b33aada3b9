/* Kernels of tt-metal's kind: NC puts pages into two circular buffers, B adds them up. Their addresses and sizes come
   from the launch. Unique arguments: NC how many pages, and what the first word is; B how many pages. */
#include "circular_buffer.h"
#include "metal.h"
#include "mistakes.h"

enum { FIRST_STREAM = 8, DELAY = 4000, SCRATCH = 0x50000 };

/* As push_back() and pop_front(), in the line that says so. */
#define PUSH(buffer)                                                                                                   \
    do {                                                                                                               \
        circular_buffer_advance(buffer, 1);                                                                            \
        *stream_register((buffer)->stream, STREAM_PUSHED) = (buffer)->count;                                           \
    } while (0)
#define POP(buffer)                                                                                                    \
    do {                                                                                                               \
        circular_buffer_advance(buffer, 1);                                                                            \
        *stream_register((buffer)->stream, STREAM_POPPED) = (buffer)->count;                                           \
    } while (0)

static inline struct circular_buffer buffer_of(uint32_t index)
{
    return (struct circular_buffer){.stream = FIRST_STREAM + index,
                                    .address = metal.buffers[index].address,
                                    .capacity = metal.buffers[index].pages};
}

static inline volatile uint32_t *page_of(const struct circular_buffer *buffer)
{
    return (volatile uint32_t *)(buffer->address + buffer->position * metal.buffers[0].page);
}

static inline void delay(void)
{
    for (volatile uint32_t i = 0; i < DELAY / 4; i++) {
    }
}

#ifdef PROGRAM_NC

static void fill(volatile uint32_t *page, uint32_t value)
{
    uint32_t words = metal.buffers[0].page / 4;
    for (uint32_t i = 0; i < words; i++) {
        page[i] = value;
    }
    load_complete(&page[words - 1]);
}

void kernel_main(void)
{
    struct circular_buffer early = buffer_of(0), late = buffer_of(1);
    uint32_t pages = metal.unique[0], value = metal.unique[1];
    if (IS_MISTAKE(argument_that_is_not_there)) {
        value += metal.unique[2] & 0; /* first: argument_that_is_not_there */
    }
    for (uint32_t i = 0; i < pages; i++) {
        UNLESS(buffer_overrun) reserve_back(&early, 1);
        fill(page_of(&early), value + i);
        PUSH(&early); /* first: buffer_overrun */
    }
    for (uint32_t i = 0; i < pages; i++) {
        reserve_back(&late, 1);
        delay();
        fill(page_of(&late), value + i);
        PUSH(&late);
    }
    ONLY_IF(request_behind_the_buffer)
    {
        struct noc noc = noc_open(0);
        struct noc_place self = {noc.self, SCRATCH};
        uint32_t behind = early.address + early.capacity * metal.buffers[0].page;
        WRITE(&noc, behind, self, 64); /* first: request_behind_the_buffer */
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    }
    ONLY_IF(behind_all_buffers)
    {
        *(volatile uint32_t *)(metal.buffers[1].address + metal.buffers[1].size) = 0; /* first: behind_all_buffers */
    }
}

#elif defined PROGRAM_B

static uint32_t sum_of(volatile uint32_t *page)
{
    uint32_t sum = 0;
    FENCE();
    for (uint32_t i = 0; i < metal.buffers[0].page / 4; i++) {
        sum += page[i]; /* first: sizes_differ */
    }
    return sum;
}

void kernel_main(void)
{
    struct circular_buffer early = buffer_of(0), late = buffer_of(1);
    uint32_t pages = metal.unique[0], sums[2] = {0, 0};
    early.capacity += IS_MISTAKE(sizes_differ);
    delay();
    delay();
    for (uint32_t i = 0; i < pages; i++) {
        wait_front(&early, 1);
        sums[0] += sum_of(page_of(&early));
        POP(&early);
    }
    for (uint32_t i = 0; i < pages; i++) {
        UNLESS(popped_before_wait) wait_front(&late, 1);
        sums[1] += sum_of(page_of(&late));
        POP(&late); /* first: popped_before_wait */
    }
    ONLY_IF(buffer_underrun)
    {
        POP(&late); /* first: buffer_underrun */
    }
    store_result(0, sums[0]);
    store_result(1, sums[1]);
    store_result(2, 0);
    store_result(3, 0);
}

#endif
