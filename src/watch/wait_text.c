#include "watch/wait_text.h"

#include "chip/dram/gddr_dma.h"
#include "isa/tensix_table.h"
#include "memory/l1.h"
#include "tile/mmio.h"
#include "util/bits.h"

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
void wait_add_address(struct text *text, uint32_t address)
{
    const struct mmio_register *named = mmio_register_at(address);
    const char *name = named ? named->name : mmio_counter_name(address);
    name = name ? name : gddr_dma_register_name(address);
    if (name) {
        text_add(text, "%s (0x%08x)", name, address);
    } else {
        text_add(text, "0x%08x%s", address, address < L1_SIZE ? " in L1" : "");
    }
}

void wait_add(struct text *text, struct bh_wait wait, uint32_t word)
{
    switch ((enum bh_wait_reason)wait.reason) {
    case BH_WAIT_STALLWAIT: add_list(text, wait.detail, conditions, COUNT_OF(conditions)); break;
    case BH_WAIT_SEMWAIT: add_semaphores(text, wait.detail); break;
    case BH_WAIT_STREAM: text_add(text, "an overlay stream"); break;
    case BH_WAIT_SRC_BANK: add_banks(text, wait.detail); break;
    case BH_WAIT_MUTEX: text_add(text, "mutex %u", wait.detail); break;
    case BH_WAIT_MEMORY: text_add(text, "a word of L1 to change"); break;
    case BH_WAIT_UNIT: add_unit(text, word); break;
    case BH_WAIT_FIFO: text_add(text, "room in the instruction FIFO"); break;
    case BH_WAIT_MAILBOX: text_add(text, "a mailbox (0x%08x)", wait.detail); break;
    case BH_WAIT_PCBUF: text_add(text, "a PCBuf (0x%08x)", wait.detail); break;
    case BH_WAIT_TTSYNC: text_add(text, "instructions of its thread to execute"); break;
    case BH_WAIT_NOC: text_add(text, "an NIU to take a request"); break;
    default: wait_add_address(text, wait.detail); break;
    }
}
