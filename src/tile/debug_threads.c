/* Signals of mailboxes, PCBufs, and the frontends of the coprocessor's threads on the debug daisychain. Sources: ISA
   documentation DebugDaisychain.md (Wormhole); tt-exalens (Blackhole) has signals of these names in the same places. */
#include "tile/debug_bus.h"
#include "tile/handlers.h"

/* Whether a core is not waiting at a read of its mailbox from core `from`. */
static bool reads_on(const struct tile *tile, unsigned core, unsigned from)
{
    const struct rv32_core *state = &tile->state->core[core];
    return !(state->halt == RV32_RUNNING && state->waiting &&
             mmio_region_at(state->wait_address) == MMIO_MAILBOX0 + from &&
             tile->state->registers.mailbox[from][core].count == 0);
}

static void put_mailboxes(struct debug_signals *signals, unsigned position, const struct tile *tile, unsigned from)
{
    for (unsigned core = 0; core < MAILBOX_CORES; core++) {
        debug_signals_put(signals, position + core, reads_on(tile, core, from));
    }
}

void debug_signals_b(struct debug_signals *signals, const struct tile *tile)
{
    enum { ANSWER = 94, ANSWER_BITS = 17, READ_ON = 115 };
    debug_signals_put(signals, ANSWER, tile->state->registers.mailbox_answer[BH_CORE_B] & ((1u << ANSWER_BITS) - 1));
    put_mailboxes(signals, READ_ON, tile, BH_CORE_B);
}

/* The front value of a PCBuf: its low bits end group C, the others begin group D. */
enum { PC_BUF_LOW_BITS = 9 };

static uint32_t pc_buf_front(const struct tile *tile, unsigned thread)
{
    const struct pc_buf *pc_buf = &tile->state->registers.pc_buf[thread];
    return pc_buf->values[pc_buf->head];
}

void debug_signals_group_c(struct debug_signals *signals, const struct tile *tile, unsigned thread)
{
    enum { ANSWER = 70, READ_ON = 106, PC_BUF_LOW = 119 };
    unsigned core = BH_CORE_T0 + thread;
    debug_signals_put(signals, ANSWER, tile->state->registers.mailbox_answer[core]);
    put_mailboxes(signals, READ_ON, tile, core);
    debug_signals_put(signals, PC_BUF_LOW, pc_buf_front(tile, thread) & ((1u << PC_BUF_LOW_BITS) - 1));
}

static bool waits_at(const struct tile *tile, unsigned core, enum mmio_region_index region)
{
    const struct rv32_core *state = &tile->state->core[core];
    return state->halt == RV32_RUNNING && state->waiting && mmio_region_at(state->wait_address) == region;
}

static void put_pc_buf(struct debug_signals *signals, const struct tile *tile, unsigned thread)
{
    enum { FRONT = 0, EMPTY = 23, FULL = 24, MOPS = 25, INSTRUCTIONS = 26, B_READS = 28, TTSYNC = 30, T_READS = 31 };
    const struct pc_buf *pc_buf = &tile->state->registers.pc_buf[thread];
    const struct frontend *frontend = &tile->state->tensix.frontend[thread];
    unsigned core = BH_CORE_T0 + thread;
    bool b_reads = waits_at(tile, BH_CORE_B, thread == 0 ? MMIO_PC_BUF : thread == 1 ? MMIO_PC_BUF1 : MMIO_PC_BUF2);
    debug_signals_put(signals, FRONT, pc_buf_front(tile, thread) >> PC_BUF_LOW_BITS);
    debug_signals_put(signals, EMPTY, pc_buf->count == 0);
    debug_signals_put(signals, FULL, pc_buf->count == PC_BUF_CAPACITY);
    debug_signals_put(signals, MOPS, !frontend_mop_idle(frontend));
    debug_signals_put(signals, INSTRUCTIONS, !frontend_idle(frontend));
    debug_signals_put(signals, B_READS, b_reads);
    debug_signals_put(signals, TTSYNC, waits_at(tile, core, MMIO_TTSYNC));
    debug_signals_put(signals, T_READS, waits_at(tile, core, MMIO_PC_BUF));
}

/* The MOP being expanded has been popped from the FIFO; its slot keeps the word until the FIFO is full. */
enum step debug_signals_group_d(struct debug_signals *signals, const struct tile *tile, unsigned thread)
{
    enum { EXPANDS_TEMPLATE = 84, INSTRUCTION = 86, VALID = 118, FULL = 125, EMPTY = 126 };
    const struct frontend *frontend = &tile->state->tensix.frontend[thread];
    const struct instruction_fifo *fifo = &frontend->fifo;
    const struct mop_expander *mop = &frontend->mop;
    bool overwritten = mop->active && fifo->count == FIFO_CAPACITY;
    if (overwritten && diagnose(tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                                "the debug daisychain shows the MOP that thread T%u expands, with its FIFO full: as 0",
                                thread) == STEP_STOP) {
        return STEP_STOP;
    }
    put_pc_buf(signals, tile, thread);
    if (mop->active) {
        debug_signals_put(signals, EXPANDS_TEMPLATE + mop->template_number, 1);
    }
    uint32_t shown = mop->active ? fifo->head + FIFO_CAPACITY - 1 : fifo->head;
    debug_signals_put(signals, INSTRUCTION, overwritten ? 0 : fifo->entries[shown % FIFO_CAPACITY].word);
    debug_signals_put(signals, VALID, mop->active || fifo->count);
    debug_signals_put(signals, FULL, fifo->count == FIFO_CAPACITY);
    debug_signals_put(signals, EMPTY, fifo->count == 0);
    return STEP_DONE;
}

void debug_signals_frontend(struct debug_signals *signals, const struct frontend *frontend)
{
    enum { AT_GATE = 55, NONE_AT_GATE = 87, FULL = 89, EMPTY = 90 };
    if (frontend->at_gate) {
        debug_signals_put(signals, AT_GATE, frontend->next.word);
    }
    debug_signals_put(signals, NONE_AT_GATE, !frontend->at_gate);
    debug_signals_put(signals, FULL, frontend->after_mop.count == FIFO_CAPACITY);
    debug_signals_put(signals, EMPTY, frontend->after_mop.count == 0);
}
