/* Registers that may be accessed directly as words, by address: those NIU and overlay stream registers that
   tables/mmio.def marks as plain, the counters of the NIUs, and NOC_CMD_CTRL, which always reads 0. Cores bypass the
   handlers of their regions, which would do the same. */
#include "tile/handlers.h"

#define NIUS_FIRST 0xFFB20000u
#define OVERLAY_FIRST 0xFFB40000u

enum { NIU_STRIDE = 0x10000, WORDS = 64 };

/* The bit of a plain register of the table among those of the 64 words from FIRST on, or 0. */
#define BIT_OF(kind, address)                                                                                          \
    | ((kind) == MMIO_KIND_STATE && (address) >= FIRST && (address) < FIRST + 4 * WORDS                                \
           ? UINT64_C(1) << ((address)-FIRST) / 4 % WORDS                                                              \
           : 0)

#define MMIO_REGISTER(address, name, load, store, ...) BIT_OF(MMIO_KIND_##load, address)
#define FIRST NIUS_FIRST
static const uint64_t initiator_loads = 0
#include "mmio.def"
    ;
#undef FIRST
#define FIRST (NIUS_FIRST + NIU_CONFIG)
static const uint64_t config_loads = 0
#include "mmio.def"
    ;
#undef FIRST
#define FIRST OVERLAY_FIRST
static const uint64_t stream_loads = 0
#include "mmio.def"
    ;
#undef FIRST
#undef MMIO_REGISTER

#define MMIO_REGISTER(address, name, load, store, ...) BIT_OF(MMIO_KIND_##store, address)
#define FIRST NIUS_FIRST
static const uint64_t initiator_stores = 0
#include "mmio.def"
    ;
#undef FIRST
#undef MMIO_REGISTER

/* Parts of an offset within an NIU's registers: the bits that select an initiator, and those that select a register of
   it. */
enum {
    INITIATOR_BITS = NIU_INITIATOR_END - NIU_INITIATOR_STRIDE,
    REGISTER_BITS = 4 * NIU_INITIATOR_REGISTERS - 1,
};

_Static_assert((int)INITIATOR_BITS == (int)RV32_NIU_INITIATORS && (int)REGISTER_BITS == (int)RV32_NIU_REGISTERS &&
                   4 * NOC_CMD_CTRL == (int)RV32_NIU_CMD_CTRL && (int)NIU_STRIDE == (int)RV32_NIU_BYTES,
               "as rv32_is_command() has them");
_Static_assert((int)NIU_COUNTER == (int)RV32_NIU_COUNTER && (int)NIU_COUNTERS == (int)RV32_NIU_COUNTERS,
               "as rv32_counter() has them");

static inline bool is_initiator(uint32_t offset)
{
    return !(offset % NIU_STRIDE & ~(uint32_t)(INITIATOR_BITS | REGISTER_BITS));
}

static inline uint32_t *initiator_word(struct niu *niu, uint32_t offset, bool stores)
{
    const uint64_t loads = initiator_loads | UINT64_C(1) << NOC_CMD_CTRL;
    uint32_t index = (offset & REGISTER_BITS) / 4;
    uint32_t *word = &niu->initiator[(offset & INITIATOR_BITS) / NIU_INITIATOR_STRIDE][index];
    return __builtin_expect((stores ? initiator_stores : loads) >> index & 1, 1) ? word : NULL;
}

/* `polled`: the counters that are loaded are noted there, a bit each. */
static inline uint32_t *niu_word(struct niu *niu, uint32_t offset, bool stores, uint64_t *polled)
{
    if (is_initiator(offset)) {
        return initiator_word(niu, offset, stores);
    }
    if (stores) {
        return NULL;
    }
    if (offset >= NIU_COUNTER && offset < NIU_COUNTER_END) {
        uint32_t counter = (offset - NIU_COUNTER) / 4;
        *polled |= UINT64_C(1) << counter;
        return &niu->counter[counter];
    }
    uint32_t index = (offset - NIU_CONFIG) / 4;
    return offset >= NIU_CONFIG && index < NIU_CONFIG_REGISTERS && config_loads >> index & 1 ? &niu->config[index]
                                                                                             : NULL;
}

uint32_t *core_word(void *context, unsigned core, uint32_t address, bool stores)
{
    struct tile *tile = context;
    struct tile_registers *registers = &tile->state->registers;
    uint32_t offset = address - NIUS_FIRST;
    (void)core; /* all may */
    if (offset < NIUS * NIU_STRIDE) {
        /* NOC_CMD_CTRL depends on the time. Loads of the others have no effect, but a core that executes one by a
           handler does not count as polling, which rv32_is_command() relies on. */
        if (tile->tensix.timed && (stores ? (offset & REGISTER_BITS) == 4 * NOC_CMD_CTRL : is_initiator(offset))) {
            return NULL;
        }
        unsigned noc = offset / NIU_STRIDE;
        return niu_word(&registers->niu[noc], offset % NIU_STRIDE, stores, &tile->state->doze.counters[noc]);
    }
    offset = address - OVERLAY_FIRST;
    uint32_t index = offset % STREAM_STRIDE / 4;
    if (!stores && offset < STREAMS * STREAM_STRIDE && index < WORDS && stream_loads >> index & 1) {
        return &registers->overlay.words[index][offset / STREAM_STRIDE];
    }
    return NULL;
}

void words_connect(struct tile *tile, struct rv32 *core)
{
    struct tile_state *state = tile->state;
    core->plain_commands = (uint32_t)initiator_stores & ~(1u << NOC_CMD_CTRL);
    for (unsigned noc = 0; noc < NIUS; noc++) {
        struct niu *niu = &state->registers.niu[noc];
        core->niu[noc] = (struct rv32_niu){niu->initiator[0], niu->counter, &state->doze.counters[noc]};
    }
}
