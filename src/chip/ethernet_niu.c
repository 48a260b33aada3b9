/* NIU registers of an Ethernet tile: those of a Tensix tile. Source: ISA documentation NoC/MemoryMap.md. */
#include "chip/ethernet.h"
#include "chip/niu_window.h"
#include "tile/mmio.h"

enum {
    INITIATOR_STRIDE = 0x800,
    INITIATOR_END = 0x2000,
    CONFIG = 0x100,
    CONFIG_END = 0x180,
    COUNTERS = 0x200,
    COUNTERS_END = COUNTERS + 4 * NIU_COUNTERS,
    FENCE = 0x400,
    FENCE_END = 0x500,
    PACKET_TAG_BITS = 0xffff,
    ETHERNET_TILE = 0x0200,
};

#define OFFSET(name) (MMIO_ADDRESS_##name & 0xffff)

static uint32_t *word_at(struct niu *niu, uint32_t offset)
{
    if (offset >= CONFIG && offset < CONFIG_END) {
        return &niu->config[(offset - CONFIG) / 4];
    }
    if (offset >= FENCE && offset < FENCE_END) {
        return &niu->fence[(offset - FENCE) / 4];
    }
    return &niu->initiator[offset / INITIATOR_STRIDE][offset / 4 % NIU_INITIATOR_REGISTERS];
}

static bool is_word(uint32_t offset)
{
    uint32_t in_initiator = offset % INITIATOR_STRIDE;
    return (offset >= CONFIG && offset < CONFIG_END) || (offset >= FENCE && offset < FENCE_END) ||
           in_initiator < OFFSET(NOC_CMD_CTRL);
}

enum step ethernet_niu_read(struct ethernet *ethernet, unsigned noc, uint32_t offset, uint32_t *value)
{
    struct niu *niu = &ethernet->niu[noc];
    if (offset >= COUNTERS && offset < COUNTERS_END) {
        *value = niu->counter[(offset - COUNTERS) / 4];
        return STEP_DONE;
    }
    if (offset < INITIATOR_END && is_word(offset)) {
        *value = *word_at(niu, offset);
        return STEP_DONE;
    }
    switch (offset % INITIATOR_STRIDE) {
    case OFFSET(NOC_CMD_CTRL): *value = 0; return STEP_DONE; /* requests leave as soon as they start */
    case OFFSET(NOC_NODE_ID):
        *value = niu_node_id(noc, ethernet->diagnostics.tile_x, ethernet->diagnostics.tile_y);
        return STEP_DONE;
    case OFFSET(NOC_ENDPOINT_ID): *value = ethernet->channel | ETHERNET_TILE << 8 | noc << 24; return STEP_DONE;
    case OFFSET(NIU_TRANS_COUNT_RTZ_NUM): *value = niu_returned_to_zero_number(niu); return STEP_DONE;
    case OFFSET(NIU_TRANS_COUNT_RTZ_SOURCE): *value = niu->returned_to_zero; return STEP_DONE;
    default: return ethernet_absent(ethernet, "read", 0xFFB20000u + 0x10000 * noc + offset);
    }
}

enum step ethernet_niu_write(struct ethernet *ethernet, unsigned noc, uint32_t offset, uint32_t value)
{
    struct niu *niu = &ethernet->niu[noc];
    if (offset >= INITIATOR_END) {
        return ethernet_absent(ethernet, "write", 0xFFB20000u + 0x10000 * noc + offset);
    }
    if (offset == OFFSET(NIU_TRANS_COUNT_RTZ_CLR)) {
        niu->returned_to_zero &= (uint16_t)~value;
        return STEP_DONE;
    }
    if (is_word(offset)) {
        bool packet_tag = offset % INITIATOR_STRIDE == OFFSET(NOC_PACKET_TAG);
        *word_at(niu, offset) = packet_tag ? value & PACKET_TAG_BITS : value;
        return STEP_DONE;
    }
    if (offset == OFFSET(NOC_CLEAR_OUTSTANDING_REQ_CNT)) {
        niu_clear_outstanding(niu, value);
        return STEP_DONE;
    }
    if (offset % INITIATOR_STRIDE != OFFSET(NOC_CMD_CTRL)) {
        return ethernet_absent(ethernet, "write", 0xFFB20000u + 0x10000 * noc + offset);
    }
    return value & 1 ? niu_start(niu, &ethernet->outbox, noc, offset / INITIATOR_STRIDE, &ethernet->diagnostics)
                     : STEP_DONE;
}
