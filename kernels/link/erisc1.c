/* link: E1 of an Ethernet tile serves the Tensix tile of its arguments (runtime/link.h). */
#include "ethernet.h"
#include "link.h"

enum { QUEUE = 0 };

struct end {
    struct link_arguments arguments;
    struct noc noc;
    uint32_t sent, come, taken, returned; /* slots */
};

static uint32_t word(uint32_t address)
{
    return load_shared((const volatile uint32_t *)address);
}

/* Puts a number into this tile's L1, from where it is sent. */
static void stage(uint32_t value)
{
    *(volatile uint32_t *)LINK_STAGE = value;
    (void)word(LINK_STAGE);
}

static void tell_other_end(uint32_t address, uint32_t value)
{
    stage(value);
    eth_write(QUEUE, LINK_STAGE, address, 16);
}

static void tell_worker(struct end *end, uint32_t address, uint32_t value)
{
    stage(value);
    noc_write(&end->noc, LINK_STAGE,
              (struct noc_place){end->arguments.worker, LINK_WORDS + end->arguments.id * LINK_WORDS_SIZE + address}, 4);
    noc_wait(&end->noc, NOC_WR_ACK_RECEIVED);
}

/* The worker posts a slot only when one is free at the other end. */
static void send_slot(struct end *end)
{
    uint32_t place = end->sent % LINK_SLOTS * LINK_SLOT_SIZE;
    eth_write(QUEUE, LINK_OUT + place, LINK_IN + place, LINK_SLOT_SIZE);
    tell_other_end(LINK_ARRIVED, ++end->sent);
}

static void step(struct end *end)
{
    uint32_t come = word(LINK_ARRIVED), returned = word(LINK_RETURNED), taken = word(LINK_TAKEN);
    if (word(LINK_POSTED) != end->sent) {
        send_slot(end);
    }
    if (come != end->come) {
        eth_wait_arrived(QUEUE);
        tell_worker(end, LINK_HAS_COME, end->come = come);
    }
    if (taken != end->taken) {
        tell_other_end(LINK_RETURNED, end->taken = taken);
    }
    if (returned != end->returned) {
        tell_worker(end, LINK_IS_FREE, end->returned = returned);
    }
}

void kernel_main(void)
{
    struct end end = {.arguments = *(const volatile struct link_arguments *)LAYOUT_ARGUMENTS, .noc = noc_open(0)};
    while (end.returned != end.arguments.sends || end.taken != end.arguments.receives) {
        step(&end);
    }
}
