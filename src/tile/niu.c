/* NIU registers in the tile's memory map; noc/niu.h has their behaviour. Sources: ISA documentation NoC/MemoryMap.md,
   NoC/Counters.md. */
#include "noc/coordinates.h"
#include "noc/observe.h"
#include "noc/traffic.h"
#include "tile/handlers.h"

enum {
    COUNTERS_END = 0x300, /* end of the counters' range in the memory map; the last two read as 0 */
    TENSIX_TILE = 0x0100,
};

/* The tile's coordinates as its NIU shows them: on NoC 1 they count from the opposite corner. */
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

void nius_reset(struct tile_registers *registers, unsigned x, unsigned y)
{
    struct noc_translation all;
    noc_translation_create(&all, (struct noc_tiles){ALL_TENSIX_COLUMNS, ALL_ETHERNET, ALL_DRAM});
    for (unsigned noc = 0; noc < NIUS; noc++) {
        niu_reset(&registers->niu[noc], noc, x, y, &all);
    }
}

/* The plain word of a named register; an arbitrary word if the register has none. */
static uint32_t *word_at(struct niu *niu, uint32_t offset)
{
    if (offset >= NIU_CONFIG && offset < NIU_CONFIG_END) {
        return &niu->config[(offset - NIU_CONFIG) / 4];
    }
    return &niu->initiator[offset / NIU_INITIATOR_STRIDE % NIU_INITIATORS][offset / 4 % NIU_INITIATOR_REGISTERS];
}

static bool is_fence(uint32_t offset)
{
    return offset >= NIU_FENCE && offset < NIU_FENCE_END;
}

static bool is_counter(uint32_t offset)
{
    return offset >= NIU_COUNTER && offset < COUNTERS_END;
}

/* NOC_CMD_CTRL. In functional mode requests leave as soon as they start. */
static bool is_busy(const struct mmio_access *access)
{
    const struct tile *tile = access->tile;
    unsigned initiator = access->offset / NIU_INITIATOR_STRIDE % NIU_INITIATORS;
    return tile->tensix.timed && niu_busy(&tile->state->registers.niu[access->region - MMIO_NIU0], initiator,
                                          tile_clock(tile, access->agent));
}

enum step niu_load(const struct mmio_access *access, uint32_t *value)
{
    unsigned noc = access->region - MMIO_NIU0;
    struct niu *niu = &access->tile->state->registers.niu[noc];
    uint32_t offset = access->offset;
    if (is_counter(offset)) {
        unsigned index = (offset - NIU_COUNTER) / 4;
        *value = index < NIU_COUNTERS ? niu->counter[index] : 0;
        return STEP_DONE;
    }
    if (is_fence(offset)) {
        *value = niu->fence[(offset - NIU_FENCE) / 4];
        return STEP_DONE;
    }
    bool handled;
    enum step step = mmio_register_load(access, word_at(niu, offset), value, &handled);
    if (handled) {
        return step;
    }
    switch (mmio_register_of(access)->address) {
    case MMIO_ADDRESS_NOC_PACKET_TAG: *value = *word_at(niu, offset) & NIU_PACKET_TAG_BITS; break;
    case MMIO_ADDRESS_NOC_NODE_ID: *value = node_id(access->tile, noc); break;
    case MMIO_ADDRESS_NOC_ENDPOINT_ID: *value = endpoint_id(access->tile, noc); break;
    case MMIO_ADDRESS_NIU_TRANS_COUNT_RTZ_NUM: *value = niu_returned_to_zero_number(niu); break;
    case MMIO_ADDRESS_NIU_TRANS_COUNT_RTZ_SOURCE: *value = niu->returned_to_zero; break;
    case MMIO_ADDRESS_NOC_CMD_CTRL: *value = is_busy(access); break;
    default: *value = 0; break;
    }
    return STEP_DONE;
}

enum step tile_start_request(struct tile *tile, unsigned noc, unsigned initiator, uint64_t now)
{
    struct tile_registers *registers = &tile->state->registers;
    const struct tile_carrier *carrier = tile->carrier;
    enum step step =
        niu_start(&registers->niu[noc], &registers->outbox, noc, initiator, now, &tile->state->diagnostics);
    if (step != STEP_DONE) {
        return step;
    }
    noc_tell_sent(tile->observed, &registers->outbox);
    if (carrier && carrier->carry(carrier->context, carrier->initiator, now)) {
        return STEP_DONE;
    }
    if (tile->state->clock.timed) {
        niu_take(&registers->niu[noc], &registers->outbox);
    }
    if (tile->inbox) {
        payloads_keep(&tile->inbox->payloads, &registers->outbox, &tile->l1);
    } else {
        payloads_keep_short(&registers->outbox, &tile->l1);
    }
    return STEP_DONE;
}

/* While too many requests are in flight the core waits, as it would wait for NOC_CMD_CTRL to become 0. */
static enum step start(const struct mmio_access *access, unsigned initiator)
{
    unsigned noc = access->region - MMIO_NIU0;
    enum step step = tile_start_request(access->tile, noc, initiator, tile_clock(access->tile, access->agent));
    if (step == STEP_WAIT && access->agent == MMIO_NOC) {
        return diagnose(access->tile->tensix.diagnostics, BH_UNSUPPORTED,
                        "request initiator %u of NoC %u, started from outside: more than %u requests are under way",
                        initiator, noc, NOC_OUTBOX_SIZE);
    }
    return step;
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
        niu->fence[(offset - NIU_FENCE) / 4] = value;
        return STEP_DONE;
    }
    if (offset < NIU_INITIATOR_END && offset % NIU_INITIATOR_STRIDE == 4 * NOC_CMD_CTRL) {
        return value & 1 ? start(access, offset / NIU_INITIATOR_STRIDE) : STEP_DONE;
    }
    if (offset >= NIU_CONFIG && offset < NIU_CONFIG_END) {
        niu_configured(niu);
    }
    uint32_t *word = word_at(niu, offset);
    bool handled;
    enum step step = mmio_register_store(access, word, value, &handled);
    if (handled) {
        return step;
    }
    switch (mmio_register_of(access)->address) {
    case MMIO_ADDRESS_NOC_CLEAR_OUTSTANDING_REQ_CNT: niu_clear_outstanding(niu, value); return STEP_DONE;
    case MMIO_ADDRESS_NIU_TRANS_COUNT_RTZ_CLR: niu->returned_to_zero &= (uint16_t)~value; return STEP_DONE;
    default: return STEP_DONE; /* read-only, without a word about stores */
    }
}
