/* The CSRs that show a core the progress of the coprocessor and the overlay. Instructions execute when they leave the
   wait gate, so that no unit behind it is ever busy: tt_cfg_bstatus equals tt_cfg_qstatus. Source: ISA documentation
   CSRs.md. */
#include "isa/tensix_table.h"
#include "tile/handlers.h"

/* Bits of the eleven-bit masks of instruction types. */
enum {
    TYPE_REPLAY = 1 << 0,
    TYPE_MOP = 1 << 1,
    TYPE_SCALAR = 1 << 2,
    TYPE_MOVER = 1 << 3,
    TYPE_UNPACK = 1 << 4,
    TYPE_PACK = 1 << 5,
    TYPE_CONFIG = 1 << 6,
    TYPE_SYNC = 1 << 7,
    TYPE_MISCELLANEOUS = 1 << 8, /* and mover, scalar unit, packer, unpacker */
    TYPE_VECTOR = 1 << 9,
    TYPE_MATRIX = 1 << 10,
};
enum { ALL_THREADS_SHIFT = 13, ALL_THREADS_BUSY_SHIFT = 11, SFPU_CC_BITS = 1 << 11 | 1 << 24 };
enum { OPCODE_MOP = 0x01, OPCODE_REPLAY = 0x04, REPLAY_EXECUTE = 1 << 1, REPLAY_LOAD = 1 << 0 };

static uint32_t type_of(uint32_t word)
{
    uint8_t opcode = (uint8_t)(word >> 24);
    if (opcode == OPCODE_MOP) {
        return TYPE_MOP;
    }
    if (opcode == OPCODE_REPLAY) {
        return word & REPLAY_EXECUTE || !(word & REPLAY_LOAD) ? TYPE_REPLAY : 0;
    }
    static const uint16_t types[TENSIX_UNITS] = {
        [TENSIX_SYNC] = TYPE_SYNC,
        [TENSIX_SCALAR] = TYPE_SCALAR | TYPE_MISCELLANEOUS,
        [TENSIX_CONFIG] = TYPE_CONFIG,
        [TENSIX_ADDR] = TYPE_MISCELLANEOUS,
        [TENSIX_UNPACK] = TYPE_UNPACK | TYPE_MISCELLANEOUS,
        [TENSIX_MATRIX] = TYPE_MATRIX,
        [TENSIX_VECTOR] = TYPE_VECTOR,
        [TENSIX_PACK] = TYPE_PACK | TYPE_MISCELLANEOUS,
        [TENSIX_MOVER] = TYPE_MOVER | TYPE_MISCELLANEOUS,
    };
    const struct tensix_instruction *instruction = tensix_by_opcode(opcode);
    return instruction ? types[instruction->unit] : 0;
}

static uint32_t types_in(const struct instruction_fifo *fifo)
{
    uint32_t types = 0;
    for (uint32_t i = 0; i < fifo->count; i++) {
        types |= type_of(fifo->entries[(fifo->head + i) % FIFO_CAPACITY].word);
    }
    return types;
}

/* The types of a thread's instructions that are anywhere in its frontend. */
static uint32_t queued(const struct frontend *frontend)
{
    return types_in(&frontend->fifo) | types_in(&frontend->after_mop) | (frontend->mop.active ? TYPE_MOP : 0) |
           (frontend->replay.mode == REPLAY_EXECUTES ? TYPE_REPLAY : 0) |
           (frontend->at_gate ? type_of(frontend->next.word) : 0);
}

static uint32_t queued_by_all(const struct tensix_state *state)
{
    uint32_t types = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        types |= queued(&state->frontend[thread]);
    }
    return types;
}

/* STREAM_CURR_PHASE (0 to 3) or STREAM_NUM_MSGS_RECEIVED (4 to 7) of the streams that STREAM_ID_SYNC_SEC0..3 name. */
static enum step stream_status(struct tile *tile, unsigned thread, unsigned index, uint32_t *value)
{
    const uint16_t *config = tile->state->tensix.config.thread[thread];
    uint32_t stream = CONFIG_GET(config + index % 4, STREAM_ID_SYNC_SEC0_BankSel);
    uint32_t address = index < 4 ? MMIO_ADDRESS_STREAM_CURR_PHASE : MMIO_ADDRESS_STREAM_NUM_MSGS_RECEIVED;
    return mmio_load(tile, BH_CORE_T0 + thread, address + 0x1000 * stream, 4, value);
}

enum step core_status(void *context, unsigned core, enum rv32_csr csr, uint32_t *value)
{
    struct tile *tile = context;
    const struct tensix_state *state = &tile->state->tensix;
    bool is_t = core >= BH_CORE_T0 && core <= BH_CORE_T2;
    uint32_t all = queued_by_all(state), own = is_t ? queued(&state->frontend[thread_of(core)]) : all;
    switch (csr) {
    case RV32_CSR_tt_cfg_qstatus:
        *value = own | all << ALL_THREADS_SHIFT | (vector_enabled_lanes(&state->vector) ? SFPU_CC_BITS : 0);
        return STEP_DONE;
    case RV32_CSR_tt_cfg_bstatus: *value = own | all << ALL_THREADS_BUSY_SHIFT; return STEP_DONE;
    default: return stream_status(tile, thread_of(core), csr - RV32_CSR_tt_cfg_sstatus0, value);
    }
}
