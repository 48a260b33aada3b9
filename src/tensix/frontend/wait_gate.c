/* The wait gate, and the three instructions that latch a wait in it: STALLWAIT, SEMWAIT, STREAMWAIT.
   Instructions act atomically when they leave the gate, so conditions about units that are still busy (C0..C4, C9..C12)
   never hold anything here, but in timed mode (wait_gate_holds_timed()), with jitter (units/lag.h), and where an
   unpacker waits for a bank (units/unpack/begun.h); those about ownership of SrcA and SrcB, semaphores and streams do.
   Sources: chapters "stallwait conditions" and "config sync instructions"; ISA documentation STALLWAIT.md, SEMWAIT.md,
   STREAMWAIT.md. */
#include "isa/tensix_isa.h"
#include "tensix/frontend/frontend.h"
#include "tensix/units/execute.h"
#include "tensix/units/state.h"

enum { BLOCK_MATH = 1 << 6, DEFAULT_CONDITION = 0x0f };
enum { C1_UNPACK = 1, UNPACK_BITS = 3 }; /* C1 and C2: a bit for each unpacker */
enum { C5_SRCA_CLEAR = 1 << 5, C6_SRCB_CLEAR = 1 << 6, C7_SRCA_VALID = 1 << 7, C8_SRCB_VALID = 1 << 8 };
enum { SEMAPHORE_IS_ZERO = 1, SEMAPHORE_IS_MAX = 2 };

/* Where the overlay streams' registers lie, and the two that STREAMWAIT can watch. */
#define NOC_OVERLAY_START_ADDR 0xFFB40000u
enum { NOC_STREAM_REG_SPACE_SIZE = 0x1000, STREAM_CURR_PHASE_REG_INDEX = 29, STREAM_NUM_MSGS_RECEIVED_REG_INDEX = 259 };

bool wait_gate_blocks(const struct latched_wait *wait, unsigned opcode)
{
    return tensix_block_holds(wait->block, (uint8_t)opcode);
}

uint32_t wait_gate_units(const struct latched_wait *wait)
{
    enum { C0_TO_C3 = 0xf, C9 = 9 };
    uint32_t condition = wait->opcode == TENSIX_OPCODE_STALLWAIT ? wait->condition : 0;
    _Static_assert(BUSY_SCALAR == 0 && BUSY_UNPACK0 == 1 && BUSY_UNPACK1 == 2 && BUSY_PACK == 3, "as C0 to C3");
    return (condition & C0_TO_C3) | (condition >> C9 & 1) << BUSY_MOVER;
}

static bool stallwait_holds(const struct tensix_state *state, unsigned thread, uint32_t condition)
{
    const struct src_register_file *a = &state->srca, *b = &state->srcb;
    if (unpack_owes(state, condition >> C1_UNPACK & UNPACK_BITS, thread)) {
        return true;
    }
    const uint32_t banks = C5_SRCA_CLEAR | C6_SRCB_CLEAR | C7_SRCA_VALID | C8_SRCB_VALID;
    if (!(condition & banks)) {
        return false;
    }
    return (condition & C5_SRCA_CLEAR && a->owner[a->unpacker_bank] != SRC_UNPACKERS) ||
           (condition & C6_SRCB_CLEAR && b->owner[b->unpacker_bank] != SRC_UNPACKERS) ||
           (condition & C7_SRCA_VALID && a->owner[a->matrix_bank] != SRC_MATRIX_UNIT) ||
           (condition & C8_SRCB_VALID && b->owner[b->matrix_bank] != SRC_MATRIX_UNIT);
}

static bool semwait_holds(const struct sync_unit *sync, uint32_t semaphores, uint32_t condition)
{
    for (uint32_t left = semaphores; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if ((condition & SEMAPHORE_IS_ZERO && sync->semaphore[i].value == 0) ||
            (condition & SEMAPHORE_IS_MAX && sync->semaphore[i].value >= sync->semaphore[i].max)) {
            return true;
        }
    }
    return false;
}

/* The overlay register that a latched STREAMWAIT watches. */
static enum step read_watched_stream(const struct tensix *tensix, unsigned thread, const struct latched_wait *wait,
                                     uint32_t *value)
{
    const uint16_t *config = tensix->state->config.thread[thread];
    uint32_t stream = CONFIG_GET(config + wait->stream, STREAM_ID_SYNC_SEC0_BankSel); /* SEC0..3 follow each other */
    uint32_t index = wait->condition & 1 ? STREAM_CURR_PHASE_REG_INDEX : STREAM_NUM_MSGS_RECEIVED_REG_INDEX;
    return tensix->bus.load(tensix->bus.context,
                            NOC_OVERLAY_START_ADDR + stream * NOC_STREAM_REG_SPACE_SIZE + index * 4, value);
}

static bool stream_wait_holds(const struct tensix *tensix, unsigned thread, const struct latched_wait *wait)
{
    uint32_t value;
    return read_watched_stream(tensix, thread, wait, &value) != STEP_DONE || value < wait->target;
}

bool wait_gate_holds(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_state *state = tensix->state;
    const struct latched_wait *wait = &state->frontend[thread].wait;
    switch (wait->opcode) {
    case TENSIX_OPCODE_STALLWAIT: return stallwait_holds(state, thread, wait->condition);
    case TENSIX_OPCODE_SEMWAIT: return semwait_holds(&state->sync, wait->semaphores, wait->condition);
    default: return stream_wait_holds(tensix, thread, wait);
    }
}

/* The gate looks at a latched wait all the time, so that one whose condition is met is forgotten at once: it need not
   be latched. In timed mode it holds what it blocks for a cycle. */
static void latch(struct tensix *tensix, unsigned thread, struct latched_wait wait)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    wait.latched = true;
    wait.block = wait.block ? wait.block : BLOCK_MATH;
    wait.word = tensix->diagnostics->now.instruction;
    wait.pc = tensix->diagnostics->now.pc;
    frontend->wait = wait;
}

enum step execute_STALLWAIT(struct tensix *tensix, unsigned thread, struct args_STALLWAIT args)
{
    uint32_t condition = args.wait_res ? args.wait_res : DEFAULT_CONDITION;
    if (!tensix->defers && !stallwait_holds(tensix->state, thread, condition)) {
        return STEP_DONE;
    }
    latch(tensix, thread,
          (struct latched_wait){
              .opcode = TENSIX_OPCODE_STALLWAIT, .block = (uint16_t)args.stall_res, .condition = (uint16_t)condition});
    return STEP_DONE;
}

enum step execute_SEMWAIT(struct tensix *tensix, unsigned thread, struct args_SEMWAIT args)
{
    if (args.wait_sem_cond == 0) {
        /* Without a condition hardware latches what a STALLWAIT without one does: here it waits for nothing. */
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SEMWAIT with no condition: set bit 0 (while zero) or bit 1 (while at maximum)");
    }
    if (!tensix->timed && !semwait_holds(&tensix->state->sync, args.sem_sel, args.wait_sem_cond)) {
        return STEP_DONE;
    }
    latch(tensix, thread,
          (struct latched_wait){.opcode = TENSIX_OPCODE_SEMWAIT,
                                .block = (uint16_t)args.stall_res,
                                .semaphores = (uint8_t)args.sem_sel,
                                .condition = (uint16_t)args.wait_sem_cond});
    return STEP_DONE;
}

enum step execute_STREAMWAIT(struct tensix *tensix, unsigned thread, struct args_STREAMWAIT args)
{
    const uint16_t *config = tensix->state->config.thread[thread];
    uint32_t high =
        args.target_sel ? CONFIG_GET(config, STREAMWAIT_NUM_MSGS_HI_Val) : CONFIG_GET(config, STREAMWAIT_PHASE_HI_Val);
    latch(tensix, thread,
          (struct latched_wait){.opcode = TENSIX_OPCODE_STREAMWAIT,
                                .block = (uint16_t)args.stall_res,
                                .condition = (uint16_t)(1u << args.target_sel),
                                .target = high << 10 | (args.target_value & 0x3ff),
                                .stream = (uint8_t)args.wait_stream_sel});
    return STEP_DONE;
}

enum step execute_NOP(struct tensix *tensix, unsigned thread, struct args_NOP args)
{
    return STEP_DONE;
}

/* What belongs to an expander has come past it: core B pushed a MOP behind the MOP expander, or a replay buffer holds
   a REPLAY. */
static enum step past_its_expander(struct tensix *tensix, const char *name)
{
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s reached the wait gate: it was pushed or replayed behind the expander that handles it", name);
}

enum step execute_MOP(struct tensix *tensix, unsigned thread, struct args_MOP args)
{
    return past_its_expander(tensix, "MOP");
}

enum step execute_MOP_CFG(struct tensix *tensix, unsigned thread, struct args_MOP_CFG args)
{
    return past_its_expander(tensix, "MOP_CFG");
}

enum step execute_REPLAY(struct tensix *tensix, unsigned thread, struct args_REPLAY args)
{
    return past_its_expander(tensix, "REPLAY");
}

TENSIX_RUN(STALLWAIT)
TENSIX_RUN(SEMWAIT)
TENSIX_RUN(NOP)
TENSIX_RUN(MOP)
TENSIX_RUN(MOP_CFG)
TENSIX_RUN(REPLAY)
TENSIX_RUN(STREAMWAIT)
