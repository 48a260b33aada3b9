#include "chip/niu_window.h"

#include "noc/coordinates.h"

enum {
    NODE_ID = 0x44,
    ENDPOINT_ID = 0x48,
};

#define HIGH_BASE 0xFFFFFFFFFF000000u
#define DRAM_BASES 0xFFB20000u
#define LOW_BASES 0xFFFFFFFFFFB20000u /* and one 0x10000 above */

void niu_window_create(struct niu_window *window, unsigned x, unsigned y, uint32_t endpoint_id,
                       const struct noc_translation *translation)
{
    window->x = (uint8_t)x;
    window->y = (uint8_t)y;
    window->endpoint_id = endpoint_id;
    for (unsigned noc = 0; noc < NIUS; noc++) {
        niu_reset(&window->niu[noc], noc, x, y, translation);
    }
}

uint32_t niu_node_id(unsigned noc, unsigned x, unsigned y)
{
    bool x_first = noc == 0;
    unsigned own_x = noc ? NOC_WIDTH - 1 - x : x, own_y = noc ? NOC_HEIGHT - 1 - y : y;
    return own_x | own_y << 6 | NOC_WIDTH << 12 | NOC_HEIGHT << 19 | (uint32_t)x_first << 28;
}

static enum step absent(uint32_t offset, unsigned noc, struct diagnostics *diagnostics)
{
    return diagnose(diagnostics, BH_UNSUPPORTED, "NIU %u: the register at offset 0x%x is not emulated", noc, offset);
}

enum step niu_window_read(const struct niu_window *window, unsigned noc, uint32_t offset, uint32_t *value,
                          struct diagnostics *diagnostics)
{
    const struct niu *niu = &window->niu[noc];
    if (offset == NODE_ID) {
        *value = niu_node_id(noc, window->x, window->y);
    } else if (offset == ENDPOINT_ID) {
        *value = window->endpoint_id | noc << 24;
    } else if (offset >= NIU_CONFIG && offset < NIU_CONFIG_END) {
        *value = niu->config[(offset - NIU_CONFIG) / 4];
    } else if (offset >= NIU_COUNTER && offset < NIU_COUNTER_END) {
        *value = niu->counter[(offset - NIU_COUNTER) / 4];
    } else {
        *value = 0;
        return absent(offset, noc, diagnostics);
    }
    return STEP_DONE;
}

enum step niu_window_write(struct niu_window *window, unsigned noc, uint32_t offset, uint32_t value,
                           struct diagnostics *diagnostics)
{
    if (offset < NIU_CONFIG || offset >= NIU_CONFIG_END) {
        return absent(offset, noc, diagnostics);
    }
    window->niu[noc].config[(offset - NIU_CONFIG) / 4] = value;
    return STEP_DONE;
}

bool niu_window_has(uint32_t offset)
{
    return offset == NODE_ID || offset == ENDPOINT_ID || (offset >= NIU_CONFIG && offset < NIU_CONFIG_END) ||
           (offset >= NIU_COUNTER && offset < NIU_COUNTER_END);
}

bool niu_window_dram(uint64_t address, unsigned *noc, uint32_t *offset)
{
    uint32_t behind = (uint32_t)address - DRAM_BASES;
    *noc = behind >> 16;
    *offset = behind & 0xffff;
    return *noc < NIUS && niu_window_has(*offset);
}

bool niu_window_offset(uint64_t address, uint32_t *offset)
{
    if (address >= HIGH_BASE && address < HIGH_BASE + NIU_WINDOW_SIZE) {
        *offset = (uint32_t)(address - HIGH_BASE);
        return true;
    }
    if (address >= LOW_BASES && address < LOW_BASES + 0x20000) {
        *offset = (uint32_t)(address - LOW_BASES) & 0xffff;
        return *offset < NIU_WINDOW_SIZE;
    }
    return false;
}
