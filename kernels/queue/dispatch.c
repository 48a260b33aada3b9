/* queue, dispatcher: NC. */
#include "queue.h"

/* Copies the next command from the ring to where it is in one piece, and gives its pages back. */
static const volatile struct queue_command *next(struct noc *noc, uint32_t fetcher)
{
    static uint32_t taken;
    const volatile struct queue_command *command = (const volatile struct queue_command *)QUEUE_STAGE_AT;
    volatile uint32_t *to = (volatile uint32_t *)QUEUE_STAGE_AT;
    uint32_t pages = 1;
    for (uint32_t page = 0; page < pages; page++, taken++) {
        credits_wait(taken);
        volatile uint32_t *from = (volatile uint32_t *)(QUEUE_RING_AT + taken % QUEUE_RING_PAGES * QUEUE_PAGE);
        for (uint32_t i = 0; i < QUEUE_PAGE / 4; i++) {
            *to++ = i ? from[i] : load_shared(from);
        }
        pages = command->pages;
    }
    (void)load_shared(to - 1);
    noc_write_register(noc, (struct noc_place){fetcher, credits_register(CREDITS_ADD)}, pages << 6);
    return command;
}

/* Writes to the host's ring, and how far it has come. */
static void answer(struct noc *noc, const struct queue_arguments *arguments, uint32_t from, uint32_t size)
{
    static uint32_t answered;
    uint32_t whole = (size + QUEUE_PAGE - 1) / QUEUE_PAGE * QUEUE_PAGE;
    uint32_t left = arguments->ring_size - answered % arguments->ring_size;
    answered += whole > left ? left : 0;
    while (answered + whole - load_shared((volatile uint32_t *)QUEUE_TAKEN_AT) > arguments->ring_size) {
    }
    queue_transfer(noc, NOC_WRITES, arguments->host, arguments->ring + answered % arguments->ring_size, from, size, 0);
    noc_wait(noc, NOC_WR_ACK_RECEIVED);
    answered += whole;
    *(volatile uint32_t *)QUEUE_POINTER_AT = answered;
    (void)load_shared((volatile uint32_t *)QUEUE_POINTER_AT);
    queue_transfer(noc, NOC_WRITES, arguments->host, arguments->answered, QUEUE_POINTER_AT, 4, 0);
    noc_wait(noc, NOC_WR_ACK_RECEIVED);
}

/* Counts of streams have 17 bits. */
static void wait_for_workers(uint32_t count)
{
    volatile uint32_t *done = (volatile uint32_t *)queue_stream(QUEUE_DONE_STREAM, CREDITS_COUNT);
    while (((*done - count) & CREDITS_MASK) > CREDITS_MASK / 2) {
    }
}

void kernel_main(void)
{
    struct queue_arguments arguments = *(const volatile struct queue_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(1);
    const volatile struct queue_command *command;
    while ((command = next(&noc, arguments.other))->kind != QUEUE_STOP) {
        struct noc_place place = {command->at, command->address};
        uint32_t data = QUEUE_STAGE_AT + QUEUE_HEAD;
        switch (command->kind) {
        case QUEUE_WRITE:
            noc_write(&noc, data, place, command->size);
            noc_wait(&noc, NOC_WR_ACK_RECEIVED);
            break;
        case QUEUE_ECHO: answer(&noc, &arguments, data, command->size); break;
        case QUEUE_READ:
            noc_read(&noc, place, QUEUE_ANSWER_AT, command->size);
            noc_wait(&noc, NOC_RD_RESP_RECEIVED);
            answer(&noc, &arguments, QUEUE_ANSWER_AT, command->size);
            break;
        case QUEUE_GO:
            noc_broadcast(&noc, data, (struct noc_place){command->at, QUEUE_GO_AT}, 16, command->count);
            noc_wait(&noc, NOC_WR_ACK_RECEIVED);
            break;
        default: wait_for_workers(command->count); break;
        }
    }
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}
