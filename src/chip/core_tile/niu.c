/* NIU registers of Ethernet and DRAM tiles, which are those of a Tensix tile. Source: ISA documentation
 * NoC/MemoryMap.md. */
#include "chip/core_tile/core_tile.h"
#include "chip/niu_window.h"
#include "noc/observe.h"
#include "noc/payloads.h"
#include "tile/mmio.h"

#define OFFSET(name) (MMIO_ADDRESS_##name & 0xffff)

static uint32_t *word_at(struct niu *niu, uint32_t offset)
{
    if (offset >= NIU_CONFIG && offset < NIU_CONFIG_END) {
        return &niu->config[(offset - NIU_CONFIG) / 4];
    }
    if (offset >= NIU_FENCE && offset < NIU_FENCE_END) {
        return &niu->fence[(offset - NIU_FENCE) / 4];
    }
    return &niu->initiator[offset / NIU_INITIATOR_STRIDE][offset / 4 % NIU_INITIATOR_REGISTERS];
}

static bool is_word(uint32_t offset)
{
    uint32_t in_initiator = offset % NIU_INITIATOR_STRIDE;
    return (offset >= NIU_CONFIG && offset < NIU_CONFIG_END) || (offset >= NIU_FENCE && offset < NIU_FENCE_END) ||
           in_initiator < OFFSET(NOC_CMD_CTRL);
}

/* The word of a register without side effects, which cores may access directly (struct rv32_bus). */
uint32_t *core_tile_niu_word(struct core_tile *tile, unsigned noc, uint32_t offset, bool stores)
{
    struct niu *niu = &tile->niu[noc];
    if (offset < NIU_INITIATOR_END && is_word(offset)) {
        bool packet_tag = offset % NIU_INITIATOR_STRIDE == OFFSET(NOC_PACKET_TAG);
        bool acts = offset >= NIU_CONFIG && offset < NIU_INITIATOR_STRIDE; /* NIU_TRANS_COUNT_RTZ_CLR, as an example */
        return stores ? acts ? NULL : word_at(niu, offset) : packet_tag ? NULL : word_at(niu, offset);
    }
    if (stores) {
        return NULL;
    }
    if (offset >= NIU_COUNTER && offset < NIU_COUNTER_END) {
        return &niu->counter[(offset - NIU_COUNTER) / 4];
    }
    bool ready = offset < NIU_INITIATOR_END && offset % NIU_INITIATOR_STRIDE == OFFSET(NOC_CMD_CTRL);
    return ready ? word_at(niu, offset) : NULL; /* always 0: requests leave as soon as they start */
}

enum step core_tile_niu_read(struct core_tile *tile, unsigned noc, uint32_t offset, uint32_t *value)
{
    struct niu *niu = &tile->niu[noc];
    if (offset >= NIU_COUNTER && offset < NIU_COUNTER_END) {
        *value = niu->counter[(offset - NIU_COUNTER) / 4];
        return STEP_DONE;
    }
    if (offset < NIU_INITIATOR_END && is_word(offset)) {
        bool packet_tag = offset % NIU_INITIATOR_STRIDE == OFFSET(NOC_PACKET_TAG);
        *value = *word_at(niu, offset) & (packet_tag ? NIU_PACKET_TAG_BITS : UINT32_MAX);
        return STEP_DONE;
    }
    switch (offset % NIU_INITIATOR_STRIDE) {
    case OFFSET(NOC_CMD_CTRL): /* where cores have no times of their own, requests leave as soon as they start */
        *value = tile->rv32[0].timing && niu_busy(niu, offset / NIU_INITIATOR_STRIDE, core_tile_now(tile));
        return STEP_DONE;
    case OFFSET(NOC_NODE_ID):
        *value = niu_node_id(noc, tile->diagnostics.tile_x, tile->diagnostics.tile_y);
        return STEP_DONE;
    case OFFSET(NOC_ENDPOINT_ID): *value = tile->number | tile->kind->type << 8 | noc << 24; return STEP_DONE;
    case OFFSET(NIU_TRANS_COUNT_RTZ_NUM): *value = niu_returned_to_zero_number(niu); return STEP_DONE;
    case OFFSET(NIU_TRANS_COUNT_RTZ_SOURCE): *value = niu->returned_to_zero; return STEP_DONE;
    default: return core_tile_absent(tile, "read", 0xFFB20000u + 0x10000 * noc + offset);
    }
}

bool core_tile_niu_takes(uint32_t offset)
{
    return offset < NIU_INITIATOR_END &&
           (is_word(offset) || offset == OFFSET(NIU_TRANS_COUNT_RTZ_CLR) ||
            offset == OFFSET(NOC_CLEAR_OUTSTANDING_REQ_CNT) || offset % NIU_INITIATOR_STRIDE == OFFSET(NOC_CMD_CTRL));
}

/* When a request starts. A core without times of its own sends what it has started where its turn begins. */
static uint64_t start_time(const struct core_tile *tile)
{
    return tile->rv32[0].timing ? core_tile_now(tile) : tile->clock.now;
}

enum step core_tile_niu_write(struct core_tile *tile, unsigned noc, uint32_t offset, uint32_t value)
{
    struct niu *niu = &tile->niu[noc];
    if (offset >= NIU_INITIATOR_END) {
        return core_tile_absent(tile, "write", 0xFFB20000u + 0x10000 * noc + offset);
    }
    if (offset == OFFSET(NIU_TRANS_COUNT_RTZ_CLR)) {
        niu->returned_to_zero &= (uint16_t)~value;
        return STEP_DONE;
    }
    if (is_word(offset)) {
        niu_configured(niu);
        *word_at(niu, offset) = value;
        return STEP_DONE;
    }
    if (offset == OFFSET(NOC_CLEAR_OUTSTANDING_REQ_CNT)) {
        niu_clear_outstanding(niu, value);
        return STEP_DONE;
    }
    if (offset % NIU_INITIATOR_STRIDE != OFFSET(NOC_CMD_CTRL)) {
        return core_tile_absent(tile, "write", 0xFFB20000u + 0x10000 * noc + offset);
    }
    if (!(value & 1)) {
        return STEP_DONE;
    }
    const char *wrong = tile->kind->starts ? tile->kind->starts(tile, noc) : NULL;
    if (wrong) {
        return diagnose(&tile->diagnostics, BH_UNDEFINED_BEHAVIOR, "NoC %u: %s", noc, wrong);
    }
    enum step step =
        niu_start(niu, &tile->outbox, noc, offset / NIU_INITIATOR_STRIDE, start_time(tile), &tile->diagnostics);
    if (step == STEP_DONE && tile->clock.timed) {
        niu_take(niu, &tile->outbox);
    }
    if (step == STEP_DONE && tile->payloads) {
        payloads_keep(tile->payloads, &tile->outbox, &tile->l1);
    } else if (step == STEP_DONE) {
        payloads_keep_short(&tile->outbox, &tile->l1);
    }
    if (step == STEP_DONE) {
        noc_tell_sent(tile->observed, &tile->outbox);
    }
    return step;
}
