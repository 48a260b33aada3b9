/* NIU registers: what the two NoC interfaces of the tile are told and what they say of themselves. Requests are not
   carried out yet. Sources: ISA documentation NoC/MemoryMap.md, NoC/Counters.md. */
#include "noc/coordinates.h"
#include "tile/handlers.h"

enum {
    INITIATOR_STRIDE = 0x800,
    INITIATOR_END = 0x2000,
    CONFIG = 0x100,
    CONFIG_END = 0x180,
    COUNTERS = 0x200,
    REQS_OUTSTANDING = 0x240,
    COUNTERS_END = 0x300,
    FENCE = 0x400,
    FENCE_END = 0x500,
    PACKET_TAG_BITS = 0xffff,
    TENSIX_TILE = 0x0100,
};

/* Coordinates by which a tile knows itself: those of NoC 1 count from the other corner. */
static uint32_t node_id(const struct tile *tile, unsigned noc)
{
    unsigned x = tile->state->diagnostics.tile_x, y = tile->state->diagnostics.tile_y;
    if (noc) {
        x = NOC_WIDTH - 1 - x;
        y = NOC_HEIGHT - 1 - y;
    }
    bool x_first = noc == 0;
    return x | y << 6 | NOC_WIDTH << 12 | NOC_HEIGHT << 19 | (uint32_t)x_first << 28;
}

static uint32_t endpoint_id(const struct tile *tile, unsigned noc)
{
    unsigned index = 0;
    (void)tensix_index(tile->state->diagnostics.tile_x, tile->state->diagnostics.tile_y, &index);
    return index | TENSIX_TILE << 8 | noc << 24;
}

void niu_reset(struct tile_registers *registers, unsigned x, unsigned y)
{
    unsigned count;
    const struct mmio_register *named = mmio_registers(&count);
    for (unsigned i = 0; i < count; i++) {
        uint32_t offset = named[i].address - mmio_region(MMIO_NIU0)->first;
        if (mmio_region_at(named[i].address) == MMIO_NIU0 && offset >= CONFIG && offset < CONFIG_END) {
            registers->niu[0].config[(offset - CONFIG) / 4] = named[i].reset;
        }
    }
    registers->niu[0].config[(MMIO_ADDRESS_NOC_ID_LOGICAL & 0xff) / 4] = x | y << 6;
    registers->niu[1] = registers->niu[0];
}

/* The plain word behind a named register; any word if the register has none. */
static uint32_t *word_at(struct niu *niu, uint32_t offset)
{
    if (offset >= CONFIG && offset < CONFIG_END) {
        return &niu->config[(offset - CONFIG) / 4];
    }
    return &niu->initiator[offset / INITIATOR_STRIDE % NIU_INITIATORS][offset / 4 % NIU_INITIATOR_REGISTERS];
}

static bool is_fence(uint32_t offset)
{
    return offset >= FENCE && offset < FENCE_END;
}

static bool is_counter(uint32_t offset)
{
    return offset >= COUNTERS && offset < COUNTERS_END;
}

enum step niu_load(const struct mmio_access *access, uint32_t *value)
{
    unsigned noc = access->region - MMIO_NIU0;
    struct niu *niu = &access->tile->state->registers.niu[noc];
    uint32_t offset = access->offset;
    if (is_counter(offset)) {
        /* No request was ever sent or received; what software cleared is clear. */
        unsigned id = (offset - REQS_OUTSTANDING) / 4;
        *value = offset >= REQS_OUTSTANDING && id < NIU_TRANSACTION_IDS ? niu->requests_outstanding[id] : 0;
        return STEP_DONE;
    }
    if (is_fence(offset)) {
        *value = niu->fence[(offset - FENCE) / 4];
        return STEP_DONE;
    }
    bool handled;
    enum step step = mmio_register_load(access, word_at(niu, offset), value, &handled);
    if (handled) {
        return step;
    }
    switch (mmio_register_of(access)->address) {
    case MMIO_ADDRESS_NOC_NODE_ID: *value = node_id(access->tile, noc); break;
    case MMIO_ADDRESS_NOC_ENDPOINT_ID: *value = endpoint_id(access->tile, noc); break;
    default: *value = 0; break; /* NOC_CMD_CTRL: nothing under way; no interrupt */
    }
    return STEP_DONE;
}

enum step niu_store(const struct mmio_access *access, uint32_t value)
{
    unsigned noc = access->region - MMIO_NIU0;
    struct niu *niu = &access->tile->state->registers.niu[noc];
    uint32_t offset = access->offset;
    struct diagnostics *diagnostics = access->tile->tensix.diagnostics;
    if (is_counter(offset)) {
        return diagnose(diagnostics, BH_NON_CONTRACTUAL, "store at 0x%08x: NIU counters are read-only, no effect",
                        access->address);
    }
    if (is_fence(offset)) {
        niu->fence[(offset - FENCE) / 4] = value;
        return STEP_DONE;
    }
    uint32_t *word = word_at(niu, offset);
    bool handled;
    enum step step = mmio_register_store(access, word, value, &handled);
    if (handled) {
        return step;
    }
    switch (mmio_register_of(access)->address) {
    case MMIO_ADDRESS_NOC_PACKET_TAG: *word = value & PACKET_TAG_BITS; return STEP_DONE;
    case MMIO_ADDRESS_NOC_CMD_CTRL:
        if (value & 1) {
            unsigned initiator = offset / INITIATOR_STRIDE;
            return diagnose(diagnostics, BH_UNSUPPORTED,
                            "request initiator %u of NoC %u: NoC requests are not emulated yet (NOC_CTRL 0x%08x)",
                            initiator, noc, niu->initiator[initiator][(MMIO_ADDRESS_NOC_CTRL & 0x7f) / 4]);
        }
        return STEP_DONE;
    case MMIO_ADDRESS_NOC_CLEAR_OUTSTANDING_REQ_CNT:
        for (unsigned id = 0; id < NIU_TRANSACTION_IDS; id++) {
            if (value & 1u << id) {
                niu->requests_outstanding[id] = 0;
            }
        }
        return STEP_DONE;
    default: return STEP_DONE; /* interrupt status: there is none to clear */
    }
}
