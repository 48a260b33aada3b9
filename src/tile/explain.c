/* Describes why a tile makes no progress: who waits for whom, and for what (tile/waits.h). */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/tensix_isa.h"
#include "isa/tensix_table.h"
#include "noc/niu.h"
#include "rv32/debug.h"
#include "tensix/units/explain_wait.h"
#include "tensix/units/observe.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/unpack/operands.h"
#include "tile/mmio.h"
#include "tile/prospects.h"
#include "tile/sight.h"
#include "tile/tile.h"
#include "tile/waits.h"

enum { BOTH_UNPACKERS = 3 };

/* The node that is described now. */
struct line {
    struct wait *wait;
    struct text text;
    struct explanation *whole;
};

struct explanation {
    const struct tile *tile;
    const struct tile_sight *sight;
    struct waits *waits;
    bool looked; /* prospects are known */
    struct prospects core[BH_CORE_COUNT], thread[TENSIX_THREADS];
};

static struct line begin_line(struct explanation *whole, enum bh_agent agent, unsigned index, uint32_t pc)
{
    struct wait *wait = &whole->waits->node[agent == BH_AGENT_CORE ? index : wait_thread(index)];
    *wait = (struct wait){.here = true, .agent = (uint8_t)agent, .index = (uint8_t)index, .pc = pc};
    whole->waits->count++;
    return (struct line){.wait = wait, .text = {.buffer = wait->line, .size = sizeof wait->line}, .whole = whole};
}

/* What the wait is for, in the words of the report's first line. */
static void __attribute__((format(printf, 2, 3))) say_what(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line->wait->what, sizeof line->wait->what, format, arguments);
    va_end(arguments);
}

static void __attribute__((format(printf, 2, 3))) say_why(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line->wait->why, sizeof line->wait->why, format, arguments);
    va_end(arguments);
}

/* What of others' prospects ends a wait. */
struct remedy {
    uint8_t fills, frees, posts, takes;
};

static bool helps(const struct prospects *prospects, struct remedy remedy)
{
    return prospects->fills & remedy.fills || prospects->frees & remedy.frees || prospects->posts & remedy.posts ||
           prospects->takes & remedy.takes;
}

static void look_ahead(struct explanation *whole)
{
    for (unsigned core = 0; !whole->looked && core < BH_CORE_COUNT; core++) {
        prospects_of_core(whole->tile, core, &whole->core[core]);
    }
    for (unsigned thread = 0; !whole->looked && thread < TENSIX_THREADS; thread++) {
        prospects_of_thread(whole->tile, thread, &whole->thread[thread]);
    }
    whole->looked = true;
}

/* Adds edges to all that may do what is waited for. What a waiting thread, or a waiting core, would do afterwards does
   not count, nor what the core would push behind it. If nobody may, the wait has no end. */
static void wait_for(struct line *line, struct remedy remedy, const char *what, const char *why)
{
    struct explanation *whole = line->whole;
    struct wait *wait = line->wait;
    unsigned on = 0, self = (unsigned)(wait - whole->waits->node);
    bool unknown = false;
    look_ahead(whole);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        bool own = self == wait_thread(thread);
        unsigned core = BH_CORE_T0 + thread;
        on |= !own && helps(&whole->thread[thread], remedy) ? 1u << wait_thread(thread) : 0;
        on |= !own && self != core && helps(&whole->core[core], remedy) ? 1u << core : 0;
        unknown |= !own && self != core && whole->core[core].unknown;
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        bool feeds = core >= BH_CORE_T0 && core <= BH_CORE_T2;
        on |= !feeds && self != core && helps(&whole->core[core], remedy) ? 1u << core : 0;
        unknown |= !feeds && self != core && whole->core[core].unknown;
    }
    wait->on |= (uint8_t)on;
    wait->outside |= unknown;
    if ((!on && !unknown && !wait->hopeless) || !*wait->what) {
        say_what(line, "%s", what);
        say_why(line, "%s", why);
    }
    wait->hopeless |= !on && !unknown;
}

/* Adds an edge to one that may end the wait. */
static void wait_on(struct line *line, unsigned node)
{
    line->wait->on |= (uint8_t)(1u << node);
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
        wait_on(line, partner);
        say_what(line, "a value from %s in its mailbox", name);
        say_why(line, "%s is %s", name, condition(tile, partner));
        text_add(&line->text, "waits for a value in its mailbox from %s, which %s has not sent (it is %s)", name, name,
                 condition(tile, partner));
        return;
    }
    say_what(line, "room to send to %s's mailbox", name);
    text_add(&line->text, "waits for room to send to %s's mailbox: of what %s has sent, ", name,
             bh_core_name((enum bh_core)core));
    bool first = true;
    for (unsigned to = 0; to < MAILBOX_CORES; to++) {
        unsigned count = tile->state->registers.mailbox[core][to].count;
        if (count) {
            wait_on(line, to);
            say_why(line, "%s, which is to take values, is %s", bh_core_name((enum bh_core)to), condition(tile, to));
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
        wait_on(line, BH_CORE_B);
        say_what(line, "a value from B in its PCBuf");
        say_why(line, "B is %s", condition(tile, BH_CORE_B));
        text_add(&line->text, "waits for a value in its PCBuf, which B has not written (it is %s)",
                 condition(tile, BH_CORE_B));
        return;
    }
    unsigned thread = (address - mmio_region(MMIO_PC_BUF)->first) >> 16;
    unsigned reader = BH_CORE_T0 + thread;
    wait_on(line, reader);
    wait_on(line, store ? reader : wait_thread(thread));
    say_what(line, store ? "room in T%u's PCBuf" : "T%u to be done", thread);
    say_why(line, "T%u is %s", thread, condition(tile, reader));
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
    unsigned thread = core >= BH_CORE_T0 && core <= BH_CORE_T2 ? core - BH_CORE_T0 : 0;
    switch (region) {
    case MMIO_PUSH:
        wait_on(line, wait_thread(thread));
        say_what(line, "room in T%u's instruction FIFO", thread);
        if (core != BH_CORE_B) {
            text_add(&line->text, "waits for room in its thread's instruction FIFO");
            break;
        }
        text_add(&line->text, "waits for room in T0's instruction FIFO");
        break;
    case MMIO_PUSH1:
    case MMIO_PUSH2:
        if (core == BH_CORE_B) {
            thread = region == MMIO_PUSH1 ? 1u : 2u;
            wait_on(line, wait_thread(thread));
            say_what(line, "room in T%u's instruction FIFO", thread);
            text_add(&line->text, "waits for room in T%u's instruction FIFO", thread);
        } else {
            text_add(&line->text, "hangs: only B may push for other threads");
        }
        break;
    case MMIO_TTSYNC:
        if (core == BH_CORE_B) {
            explain_pc_buf(tile, core, store, address, line);
            break;
        }
        wait_on(line, wait_thread(thread));
        say_what(line, "its thread to finish");
        if (address == mmio_region(MMIO_TTSYNC)->first) {
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
            line->wait->outside = true;
            say_what(line, "a semaphore");
            text_add(&line->text, "waits for a semaphore");
        }
        break;
    case MMIO_MAILBOX0:
    case MMIO_MAILBOX1:
    case MMIO_MAILBOX2:
    case MMIO_MAILBOX3: explain_mailbox(tile, core, store, address, line); break;
    case MMIO_GPR:
        wait_on(line, wait_thread(thread));
        say_what(line, "Tensix instructions that use GPRs");
        text_add(&line->text, "waits for Tensix instructions that use GPRs (Auto TTSync)");
        break;
    case MMIO_CONFIG:
        wait_on(line, wait_thread(thread));
        say_what(line, "Tensix instructions that use the configuration");
        text_add(&line->text, "waits for Tensix instructions that use the configuration (Auto TTSync)");
        break;
    default:
        line->wait->outside = true;
        say_what(line, "%s (0x%08x)", region == MMIO_UNMAPPED ? "a register" : mmio_region(region)->title, address);
        say_why(line, "it does not answer");
        text_add(&line->text, "waits for %s", region == MMIO_UNMAPPED ? "a register" : mmio_region(region)->title);
        break;
    }
    text_add(&line->text, " (0x%08x)", address);
}

/* A counter of requests that this tile has sent: it changes only while one of them is under way. */
static bool counts_own_requests(const struct tile *tile, const char *name)
{
    return name && strncmp(name, "NIU_MST_", 8) == 0 && !tile->state->registers.outbox.count &&
           !tile->state->clock.timed;
}

static void explain_polled_register(const struct tile *tile, unsigned core, const struct polled *polled,
                                    struct line *line)
{
    enum mmio_region_index region = mmio_region_at(polled->address);
    const struct mmio_register *named = mmio_register_at(polled->address);
    if (region == MMIO_SEMAPHORES && core != BH_CORE_B) {
        unsigned semaphore = (polled->address - mmio_region(region)->first) / 4;
        uint8_t bit = (uint8_t)(1u << semaphore % SEMAPHORES);
        char what[40];
        (void)snprintf(what, sizeof what, "semaphore %u, which is %u", semaphore, polled->value);
        wait_for(line, (struct remedy){.posts = bit, .takes = bit}, what, "nothing posts or takes from it");
        text_add(&line->text, "polls semaphore %u, reads %u: nobody posts or takes from it", semaphore, polled->value);
    } else if (region >= MMIO_MAILBOX0 && region <= MMIO_MAILBOX3) {
        unsigned partner = region - MMIO_MAILBOX0;
        const char *name = bh_core_name((enum bh_core)partner);
        wait_on(line, partner);
        say_what(line, "a value from %s in its mailbox", name);
        say_why(line, "%s is %s", name, condition(tile, partner));
        text_add(&line->text, "polls its mailbox from %s, which has not sent anything (it is %s)", name,
                 condition(tile, partner));
    } else {
        const char *counter = mmio_counter_name(polled->address), *name = counter;
        name = name ? name : named ? named->name : region == MMIO_UNMAPPED ? "nothing" : mmio_region(region)->title;
        bool own = counts_own_requests(tile, counter);
        line->wait->outside = !own;
        line->wait->hopeless = own;
        say_what(line, "%s to change, which is 0x%x", name, polled->value);
        say_why(line, own ? "no request of this tile is under way" : "nothing changes it");
        text_add(&line->text, "polls 0x%08x (%s), reads 0x%x: nothing changes it", polled->address, name,
                 polled->value);
    }
}

/* Adds edges to the cores whose code stores to a word of L1. Others may, too. */
static void wait_for_store(struct line *line, unsigned core, uint32_t address)
{
    look_ahead(line->whole);
    for (unsigned other = 0; other < BH_CORE_COUNT; other++) {
        const struct prospects *prospects = &line->whole->core[other];
        for (unsigned i = 0; other != core && i < prospects->stores; i++) {
            if (prospects->stored[i] == (address & ~3u)) {
                wait_on(line, other);
            }
        }
    }
}

static void explain_polling(const struct tile *tile, unsigned core, const struct polled *polled, struct line *line)
{
    switch ((enum polled_kind)polled->kind) {
    case POLLED_NOTHING: text_add(&line->text, "runs in a loop"); return;
    case POLLED_LOCAL:
        text_add(&line->text, "runs in a loop that reads 0x%x from 0x%08x, in its local RAM", polled->value,
                 polled->address);
        return;
    case POLLED_L1:
        line->wait->outside = true;
        wait_for_store(line, core, polled->address);
        say_what(line, "0x%08x in L1 to change, which is 0x%x", polled->address, polled->value);
        say_why(line, "nobody writes it");
        text_add(&line->text, "polls 0x%08x in L1, reads 0x%x: nobody writes it", polled->address, polled->value);
        return;
    case POLLED_REGISTER: break;
    }
    explain_polled_register(tile, core, polled, line);
}

static void explain_core(struct explanation *whole, unsigned index)
{
    const struct tile *tile = whole->tile;
    const struct rv32_core *core = &tile->state->core[index];
    bool abandoned = rv32_debug_abandoned(core), stale = rv32_in_stale_self_jump(&tile->core[index]);
    if (core->halt != RV32_RUNNING && !abandoned && !stale) {
        return;
    }
    struct line line = begin_line(whole, BH_AGENT_CORE, index, core->pc);
    text_add(&line.text, "core %s at 0x%08x ", bh_core_name((enum bh_core)index), core->pc);
    if (abandoned) {
        text_add(&line.text,
                 "is paused by the ebreak or ecall before it, until a debugger resumes it, and there is none");
    } else if (stale) {
        text_add(
            &line.text,
            "keeps to the jump to itself in its instruction cache, over which 0x%08x was written: it needs a reset "
            "or RISCV_IC_INVALIDATE_InvalidateAll",
            l1_load32(&tile->l1, core->pc));
    } else if (core->waiting) {
        explain_access(tile, index, &line);
    } else if (whole->sight->polled[index].spins) {
        explain_polling(tile, index, &whole->sight->polled[index], &line);
    } else {
        line.wait->runs = true;
        text_add(&line.text, "runs");
    }
}

static void explain_ownership(const struct src_register_file *src, char name, enum src_client wanted, unsigned bank,
                              struct line *line)
{
    if (src->owner[bank] != wanted) {
        uint8_t set = name == 'A' ? SRC_SET_A : SRC_SET_B;
        bool fill = wanted == SRC_MATRIX_UNIT;
        wait_for(line, fill ? (struct remedy){.fills = set} : (struct remedy){.frees = set},
                 name == 'A' ? "SrcA" : "SrcB", fill ? "nothing unpacks to it" : "nothing gives it back");
        text_add(&line->text, ", Src%c bank %u belongs to the %s", name, bank,
                 wanted == SRC_MATRIX_UNIT
                     ? "unpackers: nothing was unpacked into it"
                     : "matrix unit: nobody has given it back (CLEARDVALID, SETRWC or clear_dvalid)");
    }
}

/* What the unpackers (bits of 1 << unpacker) have begun for the thread, and which bank they wait for. */
static void explain_begun(const struct tensix_state *state, unsigned unpackers, unsigned thread, struct line *line)
{
    for (unsigned unpacker = 0; unpacker < UNPACKERS; unpacker++) {
        if (unpackers >> unpacker & 1 && unpack_owes(state, 1u << unpacker, thread)) {
            const struct src_register_file *src = unpacker ? &state->srcb : &state->srca;
            const struct diagnostic_origin *first = &state->begun.of[unpacker][0].origin;
            text_add(&line->text, ", unpacker %u has begun %s 0x%08x pushed at 0x%08x", unpacker,
                     instruction_name(first->instruction), first->instruction, first->pc);
            explain_ownership(src, unpacker ? 'B' : 'A', SRC_UNPACKERS, unpack_awaited_bank(src, first->instruction),
                              line);
        }
    }
}

static void explain_stream(const struct tile *tile, unsigned thread, const struct latched_wait *wait, struct line *line)
{
    line->wait->outside = true;
    bool phase = wait->condition & 1;
    const uint16_t *config = tile->state->tensix.config.thread[thread];
    uint32_t stream = CONFIG_GET(config + wait->stream, STREAM_ID_SYNC_SEC0_BankSel), value = 0;
    uint32_t address = phase ? MMIO_ADDRESS_STREAM_CURR_PHASE : MMIO_ADDRESS_STREAM_NUM_MSGS_RECEIVED;
    (void)tile->tensix.bus.load(tile->tensix.bus.context, address + 0x1000 * stream, &value);
    say_what(line, "the %s of overlay stream %u", phase ? "phase" : "messages", stream);
    say_why(line, phase ? "nobody writes it" : "nobody pushes any");
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
        explain_begun(state, wait->condition >> 1 & BOTH_UNPACKERS, thread, line);
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
                char what[20];
                (void)snprintf(what, sizeof what, "semaphore %u", i);
                if (wait->condition & 1 && value == 0) {
                    wait_for(line, (struct remedy){.posts = (uint8_t)(1u << i)}, what, "nothing posts it");
                    text_add(&line->text, ", semaphore %u is 0: nobody has posted it", i);
                }
                if (wait->condition & 2 && value >= max) {
                    wait_for(line, (struct remedy){.takes = (uint8_t)(1u << i)}, what, "nothing takes from it");
                    text_add(&line->text, ", semaphore %u is at its maximum %u: nobody has taken from it", i, max);
                }
            }
        }
    } else {
        explain_stream(tile, thread, wait, line);
    }
}

/* A mutex is released by the thread that holds it, if its instructions say so; what others wait for is outside. */
static void explain_unit(const struct tile *tile, unsigned thread, uint32_t word, struct line *line)
{
    const struct sync_unit *sync = &tile->state->tensix.sync;
    unsigned index = word & 0xffff;
    bool mutex = word >> 24 == TENSIX_OPCODE_ATGETM || word >> 24 == TENSIX_OPCODE_ATRELM;
    char why[200];
    bool known = explain_wait(&tile->tensix, thread, word, why, sizeof why) > 0;
    text_add(&line->text, ", %s", known ? why : "which waits in its unit");
    if (mutex && sync_mutex_exists(index) && sync->mutex_owner[index] != MUTEX_FREE) {
        unsigned owner = sync->mutex_owner[index];
        look_ahead(line->whole);
        bool releases =
            (line->whole->thread[owner].releases | line->whole->core[BH_CORE_T0 + owner].releases) >> index & 1;
        bool unknown = line->whole->core[BH_CORE_T0 + owner].unknown;
        say_what(line, "mutex %u", index);
        say_why(line, "T%u holds it and does not release it", owner);
        line->wait->hopeless = owner == thread || !(releases || unknown);
        wait_on(line, wait_thread(owner));
    } else if (mutex) {
        say_what(line, "mutex %u", index);
        say_why(line, "there is none");
        line->wait->hopeless = true;
    } else {
        line->wait->outside = true; /* a word of L1, a register */
    }
}

/* A thread all of whose instructions have passed. */
static void explain_unpackers(struct explanation *whole, unsigned thread)
{
    const struct tensix_state *state = &whole->tile->state->tensix;
    if (unpack_owes(state, BOTH_UNPACKERS, thread)) {
        const unsigned unpacker = !unpack_owes(state, 1, thread);
        struct line line = begin_line(whole, BH_AGENT_THREAD, thread, state->begun.of[unpacker][0].origin.pc);
        text_add(&line.text, "thread T%u has passed all instructions", thread);
        explain_begun(state, BOTH_UNPACKERS, thread, &line);
        line.wait->runs = !line.wait->hopeless && !line.wait->outside && !line.wait->on;
    }
}

static void explain_thread(struct explanation *whole, unsigned thread)
{
    const struct tile *tile = whole->tile;
    const struct tensix_state *state = &tile->state->tensix;
    const struct frontend *frontend = &state->frontend[thread];
    if (!frontend->at_gate) {
        whole->waits->going |= frontend_idle(frontend) ? 0 : 1u << wait_thread(thread);
        if (frontend_idle(frontend)) {
            explain_unpackers(whole, thread);
        }
        return;
    }
    uint32_t word = frontend->next.word;
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    struct line line = begin_line(whole, BH_AGENT_THREAD, thread, frontend->next.pc);
    text_add(&line.text, "thread T%u holds %s 0x%08x pushed at 0x%08x", thread, instruction_name(word), word,
             frontend->next.pc);
    if (frontend->wait.latched) {
        explain_latched(tile, thread, &line);
    } else if (instruction && instruction->unit == TENSIX_UNPACK) {
        bool b = word >> 23 & 1; /* unpacker 1 */
        const struct src_register_file *src = b ? &state->srcb : &state->srca;
        if (state->unpack.begun[b]) {
            explain_begun(state, 1u << b, thread, &line);
        } else {
            explain_ownership(src, b ? 'B' : 'A', SRC_UNPACKERS, unpack_awaited_bank(src, word), &line);
        }
    } else if (instruction && instruction->unit == TENSIX_MATRIX) {
        const uint32_t banks = tensix_gate_wait(state, thread).detail; /* that it needs and has not got */
        if (banks & SRC_SET_A) {
            explain_ownership(&state->srca, 'A', SRC_MATRIX_UNIT, state->srca.matrix_bank, &line);
        }
        if (banks & SRC_SET_B) {
            explain_ownership(&state->srcb, 'B', SRC_MATRIX_UNIT, state->srcb.matrix_bank, &line);
        }
    } else {
        explain_unit(tile, thread, word, &line);
    }
    line.wait->runs = !line.wait->hopeless && !line.wait->outside && !line.wait->on;
}

bool tile_misses_code(const struct tile *tile)
{
    bool misses = false;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        misses |= rv32_in_stale_self_jump(&tile->core[core]);
    }
    return misses;
}

void tile_explain(const struct tile *tile, const struct tile_sight *sight, struct waits *waits)
{
    struct explanation whole = {.tile = tile, .sight = sight, .waits = waits};
    *waits = (struct waits){};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        explain_core(&whole, core);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        explain_thread(&whole, thread);
    }
}
