/* Carries out a list of NoC requests: commands.h. Waits as firmware does, by the counters of the NIUs
   (ISA documentation, NoC/Counters.md). */
#include "commands.h"
#include "layout.h"

enum { READ, ATOMIC, WRITE, TYPE_MASK = 3, INLINE = 1 << 3, RESPONSE_MARKED = 1 << 4 };
enum {
    ATOMIC_RESP_RECEIVED = 0,
    WR_ACK_RECEIVED = 1,
    RD_RESP_RECEIVED = 2,
    POSTED_ATOMIC_SENT = 7,
    NONPOSTED_WR_REQ_SENT = 10,
    POSTED_WR_REQ_SENT = 11,
    REQS_OUTSTANDING = 16,
    COUNTERS = 48,
};

static volatile uint32_t *niu(uint32_t noc)
{
    return (volatile uint32_t *)(0xffb20000 + (noc << 16));
}

static uint32_t expected[2][16];

/* The counters that say that everything is done. */
static const uint8_t polled[] = {ATOMIC_RESP_RECEIVED, WR_ACK_RECEIVED,       RD_RESP_RECEIVED,
                                 POSTED_ATOMIC_SENT,   NONPOSTED_WR_REQ_SENT, POSTED_WR_REQ_SENT};

static void expect(uint32_t noc, const volatile struct noc_command *command)
{
    uint32_t marked = command->ctrl & RESPONSE_MARKED;
    switch (command->ctrl & TYPE_MASK) {
    case READ: expected[noc][RD_RESP_RECEIVED] += command->responses; break;
    case ATOMIC:
        expected[noc][marked ? ATOMIC_RESP_RECEIVED : POSTED_ATOMIC_SENT] += marked ? command->responses : 1;
        break;
    default:
        expected[noc][marked ? NONPOSTED_WR_REQ_SENT : POSTED_WR_REQ_SENT]++;
        expected[noc][WR_ACK_RECEIVED] += marked ? command->responses : 0;
        break;
    }
}

static void wait(uint32_t noc)
{
    for (unsigned i = 0; i < sizeof polled; i++) {
        while (niu(noc)[0x200 / 4 + polled[i]] != expected[noc][polled[i]]) {
        }
    }
}

static void issue(const volatile struct noc_command *command)
{
    uint32_t noc = command->place & 1;
    volatile uint32_t *initiator = niu(noc) + (command->place >> 1 & 3) * (0x800 / 4);
    while (initiator[0x40 / 4]) {
    }
    for (unsigned i = 0; i < 3; i++) {
        initiator[i] = command->target[i];
        initiator[3 + i] = command->back[i];
    }
    initiator[0x18 / 4] = command->tag;
    initiator[0x1c / 4] = command->ctrl;
    initiator[0x20 / 4] = command->length;
    initiator[0x28 / 4] = command->data;
    initiator[0x40 / 4] = 1;
    expect(noc, command);
    if (command->place & NOC_COMMAND_WAIT) {
        wait(noc);
    }
}

void kernel_main(void)
{
    const volatile struct noc_commands *commands = (const volatile struct noc_commands *)NOC_COMMANDS;
    volatile uint32_t(*counters)[64] = (volatile uint32_t(*)[64])NOC_COUNTERS;
    for (uint32_t noc = 0; noc < 2; noc++) {
        for (unsigned i = 0; i < sizeof polled; i++) {
            expected[noc][polled[i]] = niu(noc)[0x200 / 4 + polled[i]];
        }
    }
    for (uint32_t i = 0; i < commands->count; i++) {
        issue(&commands->command[i]);
    }
    for (uint32_t noc = 0; noc < 2; noc++) {
        wait(noc);
        for (unsigned i = 0; i < sizeof polled; i++) {
            counters[noc][polled[i]] = niu(noc)[0x200 / 4 + polled[i]];
        }
        for (unsigned i = REQS_OUTSTANDING; i < COUNTERS; i++) {
            counters[noc][i] = niu(noc)[0x200 / 4 + i];
        }
    }
}
