#include "inspect/metal.h"

#include "isa/rv32_isa.h"
#include "tile/mmio.h"

enum form {
#define METAL_MESSAGE(form, size, kinds, mask) FORM_##form,
#include "tt_metal.def"
    FORMS
};

static const struct {
    uint8_t size, kinds, mask;
} messages[FORMS] = {
#define METAL_MESSAGE(form, ...) {__VA_ARGS__},
#include "tt_metal.def"
};

enum field {
#define METAL_FIELD(name, bytes, ...) FIELD_##name,
#include "tt_metal.def"
};

static const struct {
    uint8_t bytes, offset[FORMS];
} fields[] = {
#define METAL_FIELD(name, bytes, ...) {bytes, {__VA_ARGS__}},
#include "tt_metal.def"
};

static const struct {
    uint32_t entry[BH_CORE_COUNT], launch;
    enum form form;
} layouts[] = {
#define METAL_LAYOUT(version, b, nc, t0, t1, t2, end, launch, go, go_index, core_info, form)                           \
    {{[BH_CORE_B] = b, [BH_CORE_NC] = nc, [BH_CORE_T0] = t0, [BH_CORE_T1] = t1, [BH_CORE_T2] = t2},                    \
     launch,                                                                                                           \
     FORM_##form},
#include "tt_metal.def"
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

enum { LAUNCHES = 8, LAUNCH_READ_PTR = 0x6c };

/* Where a core's firmware begins: that of B behind a jump at 0, others where the host or B said. */
static uint32_t entry_of(const struct tile *tile, unsigned core)
{
    static const uint32_t registers[BH_CORE_COUNT] = {[BH_CORE_T0] = MMIO_ADDRESS_TRISC0_RESET_PC,
                                                      [BH_CORE_T1] = MMIO_ADDRESS_TRISC1_RESET_PC,
                                                      [BH_CORE_T2] = MMIO_ADDRESS_TRISC2_RESET_PC,
                                                      [BH_CORE_NC] = MMIO_ADDRESS_NCRISC_RESET_PC};
    uint32_t word = l1_load32(&tile->l1, 0);
    if (core == BH_CORE_B) {
        return rv32_identify(word) == RV32_OP_JAL ? (uint32_t)rv32_immediate(RV32_FORMAT_J, word) : 0;
    }
    return tile->state->registers.debug[(registers[core] - mmio_region(MMIO_DEBUG)->first) / 4];
}

/* NC may begin later; B, T0, T1 and T2 tell versions apart. */
static int find_layout(const struct tile *tile)
{
    for (int i = 0; i < LAYOUTS; i++) {
        bool all = true;
        for (unsigned core = BH_CORE_B; core <= BH_CORE_T2; core++) {
            all &= entry_of(tile, core) == layouts[i].entry[core];
        }
        if (all) {
            return i;
        }
    }
    return -1;
}

static uint64_t field_of(const struct tile *tile, unsigned layout, unsigned entry, enum field field)
{
    enum form form = layouts[layout].form;
    uint32_t bytes = fields[field].bytes ? fields[field].bytes : messages[form].mask;
    uint32_t address = layouts[layout].launch + entry * messages[form].size + fields[field].offset[form];
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)*l1_peek(&tile->l1, address + i) << 8 * i;
    }
    return value;
}

bool metal_buffers_find(const struct tile *tile, struct metal_buffers *buffers)
{
    int layout = find_layout(tile);
    if (layout < 0) {
        return false;
    }
    /* The firmware may have gone on to the message behind that of the last launch. */
    unsigned next = l1_load32(&tile->l1, LAUNCH_READ_PTR) % LAUNCHES;
    for (unsigned i = 0; i < 2; i++) {
        unsigned entry = (next + LAUNCHES - i) % LAUNCHES;
        buffers->mask = field_of(tile, (unsigned)layout, entry, FIELD_local_cb_mask);
        buffers->address = (uint32_t)(field_of(tile, (unsigned)layout, entry, FIELD_kernel_config_base) +
                                      field_of(tile, (unsigned)layout, entry, FIELD_local_cb_offset));
        if (buffers->mask) {
            return true;
        }
    }
    return false;
}
