/* Mailboxes: one FIFO from each of B, T0, T1, T2 to each of them. All mailboxes that one core writes hold four values
   together. A write to a full one waits, as does a read of an empty one; a read with address bit 2 set only tests
   whether there is a value. (On hardware a write passes further buffers of unknown size: programs must not rely on
   them.) Source: ISA documentation Mailboxes.md. */
#include "tile/handlers.h"

/* The other core of an access: mailbox i is the one with core i; cores B, T0, T1, T2 are 0..3. */
static unsigned partner(const struct mmio_access *access)
{
    return access->region - MMIO_MAILBOX0;
}

static unsigned values_sent(const struct tile_registers *registers, unsigned core)
{
    unsigned sum = 0;
    for (unsigned to = 0; to < MAILBOX_CORES; to++) {
        sum += registers->mailbox[core][to].count;
    }
    return sum;
}

enum step mailbox_load(const struct mmio_access *access, uint32_t *value)
{
    struct mailbox *mailbox = &access->tile->state->registers.mailbox[partner(access)][access->agent];
    if (access->address & 4) {
        *value = mailbox->count != 0;
        return STEP_DONE;
    }
    if (mailbox->count == 0) {
        return STEP_WAIT;
    }
    *value = mailbox->values[mailbox->head];
    mailbox->head = (mailbox->head + 1) % MAILBOX_CAPACITY;
    mailbox->count--;
    if (access->agent == BH_CORE_B) {
        access->tile->state->registers.mailbox_answer[partner(access)] = *value;
    }
    return STEP_DONE;
}

enum step mailbox_store(const struct mmio_access *access, uint32_t value)
{
    struct tile_registers *registers = &access->tile->state->registers;
    if (values_sent(registers, access->agent) >= MAILBOX_CAPACITY) {
        return STEP_WAIT;
    }
    struct mailbox *mailbox = &registers->mailbox[access->agent][partner(access)];
    mailbox->values[(mailbox->head + mailbox->count) % MAILBOX_CAPACITY] = value;
    mailbox->count++;
    return STEP_DONE;
}
