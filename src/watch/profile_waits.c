#include "watch/profile_waits.h"

#include "isa/tensix_table.h"
#include "memory/l1.h"
#include "tile/mmio.h"
#include "util/bits.h"
#include "util/text.h"

/* Conditions of STALLWAIT, C0 to C12. */
static const char *const conditions[] = {
    "the Scalar Unit's requests",
    "unpacker 0",
    "unpacker 1",
    "the packer",
    "the matrix unit",
    "a free SrcA bank",
    "a free SrcB bank",
    "data in SrcA",
    "data in SrcB",
    "the mover",
    "its core's requests",
    "the vector unit",
    "the Configuration Unit",
};

static void add_list(struct text *text, uint32_t bits, const char *const *names, unsigned count)
{
    const char *comma = "";
    for (unsigned i = 0; i < count; i++) {
        if (bits >> i & 1) {
            text_add(text, "%s%s", comma, names[i]);
            comma = ", ";
        }
    }
}

static void add_semaphores(struct text *text, uint32_t bits)
{
    text_add(text, "semaphore");
    const char *comma = " ";
    for (unsigned i = 0; i < 8; i++) {
        if (bits >> i & 1) {
            text_add(text, "%s%u", comma, i);
            comma = ", ";
        }
    }
}

static void add_banks(struct text *text, uint32_t detail)
{
    enum { SRC_A = 1, SRC_B = 2, FOR_MATRIX = 4 };
    static const char *const names[] = {"", "SrcA", "SrcB", "SrcA and SrcB"};
    const char *which = names[detail & (SRC_A | SRC_B)];
    if (!*which) {
        text_add(text, "data on their way to SrcA or SrcB");
    } else {
        text_add(text, detail & FOR_MATRIX ? "data in %s" : "a free bank of %s", which);
    }
}

static void add_unit(struct text *text, uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    const char *unit = instruction ? bh_unit_name((enum bh_unit)instruction->unit) : "its";
    text_add(text, "the %s unit to take %s", unit, instruction ? instruction->name : "it");
}

/* "STREAM_CURR_PHASE (0xffb41000)", "0x00030000 in L1". */
static void add_address(struct text *text, uint32_t address)
{
    const struct mmio_register *named = mmio_register_at(address);
    const char *name = named ? named->name : mmio_counter_name(address);
    if (name) {
        text_add(text, "%s (0x%08x)", name, address);
    } else {
        text_add(text, "0x%08x%s", address, address < L1_SIZE ? " in L1" : "");
    }
}

static void add_what(struct text *text, const struct bh_profile_wait *wait)
{
    uint32_t detail = wait->wait.detail;
    if (wait->wait.reason == BH_PROFILE_POLLS) {
        add_address(text, detail);
        text_add(text, " to change (polling)");
        return;
    }
    switch ((enum bh_wait_reason)wait->wait.reason) {
    case BH_WAIT_STALLWAIT: add_list(text, detail, conditions, COUNT_OF(conditions)); break;
    case BH_WAIT_SEMWAIT: add_semaphores(text, detail); break;
    case BH_WAIT_STREAM: text_add(text, "an overlay stream"); break;
    case BH_WAIT_SRC_BANK: add_banks(text, detail); break;
    case BH_WAIT_MUTEX: text_add(text, "mutex %u", detail); break;
    case BH_WAIT_MEMORY: text_add(text, "a word of L1 to change"); break;
    case BH_WAIT_UNIT: add_unit(text, wait->word); break;
    case BH_WAIT_FIFO: text_add(text, "room in the instruction FIFO"); break;
    case BH_WAIT_MAILBOX: text_add(text, "a mailbox (0x%08x)", detail); break;
    case BH_WAIT_PCBUF: text_add(text, "a PCBuf (0x%08x)", detail); break;
    case BH_WAIT_TTSYNC: text_add(text, "instructions of its thread to execute"); break;
    case BH_WAIT_NOC: text_add(text, "an NIU to take a request"); break;
    default: add_address(text, detail); break;
    }
}

void profile_describe_wait(const struct bh_profile_wait *wait, char *buffer, unsigned size)
{
    struct text text = {.buffer = buffer, .size = size};
    add_what(&text, wait);
    switch (wait->awaited.agent) {
    case BH_AGENT_CORE: text_add(&text, ", by core %s", bh_core_name((enum bh_core)wait->awaited.index)); break;
    case BH_AGENT_THREAD: text_add(&text, ", by thread T%u", wait->awaited.index); break;
    default: break;
    }
}
