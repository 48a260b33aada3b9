/* Describes why a tile makes no progress: one clause for each core and each thread that has not finished. */

#include "isa/tensix_isa.h"
#include "isa/tensix_table.h"
#include "rv32/debug.h"
#include "tensix/units/explain_wait.h"
#include "tile/mmio.h"
#include "tile/tile.h"
#include "util/text.h"

struct line {
    struct text text;
    struct bh_place *places;
    unsigned places_count;
};

static void add_place(struct line *line, enum bh_agent agent, unsigned index, uint32_t pc)
{
    if (line->places_count < BH_PLACES) {
        line->places[line->places_count++] = (struct bh_place){.agent = agent, .index = (uint8_t)index, .pc = pc};
    }
}

static const char *instruction_name(uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    return instruction ? instruction->name : "an unknown instruction";
}

/* The state of a core for which another one waits. */
static const char *condition(const struct tile *tile, unsigned core)
{
    switch ((enum rv32_halt)tile->state->core[core].halt) {
    case RV32_IN_RESET: return "in reset";
    case RV32_SELF_JUMP: return "at its end, a jump to itself";
    case RV32_PAUSED: return "paused";
    case RV32_LOST: return "lost at an address without instructions";
    case RV32_RUNNING: break;
    }
    return tile->state->core[core].waiting ? "waiting, too" : "still running";
}

/* Mailboxes connect B, T0, T1 and T2, in the order of enum bh_core. */
static void explain_mailbox(const struct tile *tile, unsigned core, bool store, uint32_t address, struct line *line)
{
    unsigned partner = address >> 12 & 3;
    const char *name = bh_core_name((enum bh_core)partner);
    if (!store) {
        text_add(&line->text, "waits for a value in its mailbox from %s, which %s has not sent (it is %s)", name, name,
                 condition(tile, partner));
        return;
    }
    text_add(&line->text, "waits for room to send to %s's mailbox: of what %s has sent, ", name,
             bh_core_name((enum bh_core)core));
    bool first = true;
    for (unsigned to = 0; to < MAILBOX_CORES; to++) {
        unsigned count = tile->state->registers.mailbox[core][to].count;
        if (count) {
            text_add(&line->text, "%s%u not taken by %s (it is %s)", first ? "" : ", ", count,
                     bh_core_name((enum bh_core)to), condition(tile, to));
            first = false;
        }
    }
}

/* Loads and stores of B in the region of a PCBuf, and of a T core in the region of its own. */
static void explain_pc_buf(const struct tile *tile, unsigned core, bool store, uint32_t address, struct line *line)
{
    if (core != BH_CORE_B) {
        text_add(&line->text, "waits for a value in its PCBuf, which B has not written (it is %s)",
                 condition(tile, BH_CORE_B));
        return;
    }
    unsigned thread = (address - mmio_region(MMIO_PC_BUF)->first) >> 16;
    unsigned reader = BH_CORE_T0 + thread;
    text_add(&line->text,
             store ? "waits for room in T%u's PCBuf, which T%u does not empty (it is %s)"
                   : "waits until T%u is done with its PCBuf and its Tensix instructions (T%u is %s)",
             thread, thread, condition(tile, reader));
}

static void explain_access(const struct tile *tile, unsigned core, struct line *line)
{
    const struct rv32_core *state = &tile->state->core[core];
    uint32_t address = state->wait_address, word = l1_contains(state->pc, 4) ? l1_load32(&tile->l1, state->pc) : 0;
    enum { OPCODE_STORE = 0x23 };
    bool store = (word & 0x7f) == OPCODE_STORE;
    enum mmio_region_index region = mmio_region_at(address);
    switch (region) {
    case MMIO_PUSH:
        if (core != BH_CORE_B) {
            text_add(&line->text, "waits for room in its thread's instruction FIFO");
            break;
        }
        text_add(&line->text, "waits for room in T0's instruction FIFO");
        break;
    case MMIO_PUSH1:
    case MMIO_PUSH2:
        if (core == BH_CORE_B) {
            text_add(&line->text, "waits for room in T%u's instruction FIFO", region == MMIO_PUSH1 ? 1u : 2u);
        } else {
            text_add(&line->text, "hangs: only B may push for other threads");
        }
        break;
    case MMIO_TTSYNC:
        if (core == BH_CORE_B) {
            explain_pc_buf(tile, core, store, address, line);
        } else if (address == mmio_region(MMIO_TTSYNC)->first) {
            text_add(&line->text, "waits until its thread has finished all Tensix instructions (CoprocessorDoneCheck)");
        } else {
            text_add(&line->text, "waits until its thread's MOP expander is idle (MOPExpanderDoneCheck)");
        }
        break;
    case MMIO_PC_BUF:
    case MMIO_PC_BUF1:
    case MMIO_PC_BUF2: explain_pc_buf(tile, core, store, address, line); break;
    case MMIO_SEMAPHORES:
        if (core == BH_CORE_B) {
            explain_pc_buf(tile, core, store, address, line);
        } else {
            text_add(&line->text, "waits for a semaphore");
        }
        break;
    case MMIO_MAILBOX0:
    case MMIO_MAILBOX1:
    case MMIO_MAILBOX2:
    case MMIO_MAILBOX3: explain_mailbox(tile, core, store, address, line); break;
    case MMIO_GPR: text_add(&line->text, "waits for Tensix instructions that use GPRs (Auto TTSync)"); break;
    case MMIO_CONFIG:
        text_add(&line->text, "waits for Tensix instructions that use the configuration (Auto TTSync)");
        break;
    default:
        text_add(&line->text, "waits for %s", region == MMIO_UNMAPPED ? "a register" : mmio_region(region)->title);
        break;
    }
    text_add(&line->text, " (0x%08x)", address);
}

static void explain_polling(const struct tile *tile, unsigned core, struct line *line)
{
    const struct polled *polled = &tile->state->polled[core];
    switch ((enum polled_kind)polled->kind) {
    case POLLED_NOTHING: text_add(&line->text, "runs in a loop"); return;
    case POLLED_LOCAL:
        text_add(&line->text, "runs in a loop that reads 0x%x from 0x%08x, in its local RAM", polled->value,
                 polled->address);
        return;
    case POLLED_L1:
        text_add(&line->text, "polls 0x%08x in L1, reads 0x%x: nobody writes it", polled->address, polled->value);
        return;
    case POLLED_REGISTER: break;
    }
    enum mmio_region_index region = mmio_region_at(polled->address);
    const struct mmio_register *named = mmio_register_at(polled->address);
    if (region == MMIO_SEMAPHORES && core != BH_CORE_B) {
        unsigned semaphore = (polled->address - mmio_region(region)->first) / 4;
        text_add(&line->text, "polls semaphore %u, reads %u: nobody posts or takes from it", semaphore, polled->value);
    } else if (region >= MMIO_MAILBOX0 && region <= MMIO_MAILBOX3) {
        unsigned partner = region - MMIO_MAILBOX0;
        text_add(&line->text, "polls its mailbox from %s, which has not sent anything (it is %s)",
                 bh_core_name((enum bh_core)partner), condition(tile, partner));
    } else {
        text_add(&line->text, "polls 0x%08x (%s), reads 0x%x: nothing changes it", polled->address,
                 named                     ? named->name
                 : region == MMIO_UNMAPPED ? "nothing"
                                           : mmio_region(region)->title,
                 polled->value);
    }
}

static void explain_core(const struct tile *tile, unsigned index, struct line *line)
{
    const struct rv32_core *core = &tile->state->core[index];
    bool abandoned = rv32_debug_abandoned(core), stale = rv32_in_stale_self_jump(&tile->core[index]);
    if (core->halt != RV32_RUNNING && !abandoned && !stale) {
        return;
    }
    text_add(&line->text, "%score %s at 0x%08x ", line->text.length ? "; " : "", bh_core_name((enum bh_core)index),
             core->pc);
    add_place(line, BH_AGENT_CORE, index, core->pc);
    if (abandoned) {
        text_add(&line->text,
                 "is paused by the ebreak or ecall before it, until a debugger resumes it, and there is none");
    } else if (stale) {
        text_add(
            &line->text,
            "keeps to the jump to itself in its instruction cache, over which 0x%08x was written: it needs a reset "
            "or RISCV_IC_INVALIDATE_InvalidateAll",
            l1_load32(&tile->l1, core->pc));
    } else if (core->waiting) {
        explain_access(tile, index, line);
    } else if (!tile->state->polled[index].spins) {
        text_add(&line->text, "runs");
    } else {
        explain_polling(tile, index, line);
    }
}

static void explain_ownership(const struct src_register_file *src, char name, enum src_client wanted, unsigned bank,
                              struct line *line)
{
    if (src->owner[bank] != wanted) {
        text_add(&line->text, ", Src%c bank %u belongs to the %s", name, bank,
                 wanted == SRC_MATRIX_UNIT
                     ? "unpackers: nothing was unpacked into it"
                     : "matrix unit: nobody has given it back (CLEARDVALID, SETRWC or clear_dvalid)");
    }
}

static void explain_stream(const struct tile *tile, unsigned thread, const struct latched_wait *wait, struct line *line)
{
    bool phase = wait->condition & 1;
    const uint16_t *config = tile->state->tensix.config.thread[thread];
    uint32_t stream = CONFIG_GET(config + wait->stream, STREAM_ID_SYNC_SEC0_BankSel), value = 0;
    uint32_t address = phase ? MMIO_ADDRESS_STREAM_CURR_PHASE : MMIO_ADDRESS_STREAM_NUM_MSGS_RECEIVED;
    (void)tile->tensix.bus.load(tile->tensix.bus.context, address + 0x1000 * stream, &value);
    text_add(&line->text, ", the %s of overlay stream %u is %u, not yet %u: %s", phase ? "phase" : "number of messages",
             stream, value, wait->target,
             phase ? "nobody has written STREAM_CURR_PHASE or STREAM_PHASE_AUTO_CFG_HEADER"
                   : "nobody pushes messages to it (STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO)");
}

static void explain_latched(const struct tile *tile, unsigned thread, struct line *line)
{
    const struct tensix_state *state = &tile->state->tensix;
    const struct latched_wait *wait = &state->frontend[thread].wait;
    text_add(&line->text, " behind %s 0x%08x pushed at 0x%08x", instruction_name(wait->word), wait->word, wait->pc);
    if (wait->opcode == TENSIX_OPCODE_STALLWAIT) {
        if (wait->condition & 1 << 5) {
            explain_ownership(&state->srca, 'A', SRC_UNPACKERS, state->srca.unpacker_bank, line);
        }
        if (wait->condition & 1 << 6) {
            explain_ownership(&state->srcb, 'B', SRC_UNPACKERS, state->srcb.unpacker_bank, line);
        }
        if (wait->condition & 1 << 7) {
            explain_ownership(&state->srca, 'A', SRC_MATRIX_UNIT, state->srca.matrix_bank, line);
        }
        if (wait->condition & 1 << 8) {
            explain_ownership(&state->srcb, 'B', SRC_MATRIX_UNIT, state->srcb.matrix_bank, line);
        }
    } else if (wait->opcode == TENSIX_OPCODE_SEMWAIT) {
        for (unsigned i = 0; i < SEMAPHORES; i++) {
            unsigned value = state->sync.semaphore[i].value, max = state->sync.semaphore[i].max;
            if (wait->semaphores >> i & 1) {
                if (wait->condition & 1 && value == 0) {
                    text_add(&line->text, ", semaphore %u is 0: nobody has posted it", i);
                }
                if (wait->condition & 2 && value >= max) {
                    text_add(&line->text, ", semaphore %u is at its maximum %u: nobody has taken from it", i, max);
                }
            }
        }
    } else {
        explain_stream(tile, thread, wait, line);
    }
}

static void explain_thread(const struct tile *tile, unsigned thread, struct line *line)
{
    const struct tensix_state *state = &tile->state->tensix;
    const struct frontend *frontend = &state->frontend[thread];
    if (!frontend->at_gate) {
        return;
    }
    uint32_t word = frontend->next.word;
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    text_add(&line->text, "%sthread T%u holds %s 0x%08x pushed at 0x%08x", line->text.length ? "; " : "", thread,
             instruction_name(word), word, frontend->next.pc);
    add_place(line, BH_AGENT_THREAD, thread, frontend->next.pc);
    if (frontend->wait.latched) {
        explain_latched(tile, thread, line);
    } else if (instruction && instruction->unit == TENSIX_UNPACK) {
        explain_ownership(&state->srca, 'A', SRC_UNPACKERS, state->srca.unpacker_bank, line);
        explain_ownership(&state->srcb, 'B', SRC_UNPACKERS, state->srcb.unpacker_bank, line);
    } else if (instruction && instruction->unit == TENSIX_MATRIX) {
        explain_ownership(&state->srca, 'A', SRC_MATRIX_UNIT, state->srca.matrix_bank, line);
        explain_ownership(&state->srcb, 'B', SRC_MATRIX_UNIT, state->srcb.matrix_bank, line);
    } else {
        char why[200];
        bool known = explain_wait(&tile->tensix, thread, word, why, sizeof why) > 0;
        text_add(&line->text, ", %s", known ? why : "which waits in its unit");
    }
}

bool tile_misses_code(const struct tile *tile)
{
    bool misses = false;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        misses |= rv32_in_stale_self_jump(&tile->core[core]);
    }
    return misses;
}

int tile_explain(const struct tile *tile, char *buffer, unsigned size, struct bh_place places[BH_PLACES])
{
    struct line line = {.text = {.buffer = buffer, .size = size}, .places = places};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        explain_core(tile, core, &line);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        explain_thread(tile, thread, &line);
    }
    return (int)line.text.length;
}
