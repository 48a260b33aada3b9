/* vCont: what each thread is to do. The first action of a list that names a thread counts for it. */
#include "gdb/state.h"

enum { SELF_JUMP = 0x0000006f };

struct action {
    char kind; /* c, s, r, t */
    uint32_t from, to;
    unsigned thread; /* 0: all that no action before it has named */
};

enum { ACTIONS = 64 };

static bool take_action(struct bh_gdb *gdb, const char **text, struct action *action)
{
    uint64_t number, end;
    if (!packet_take(text, ";")) {
        return false;
    }
    action->kind = **text;
    ++*text;
    action->thread = 0;
    switch (action->kind) {
    case 'C':
    case 'S': /* with a signal, which no core can take */
        action->kind = action->kind == 'C' ? 'c' : 's';
        if (!packet_number(text, &number)) {
            return false;
        }
        break;
    case 'c':
    case 's':
    case 't': break;
    case 'r':
        if (!packet_number(text, &number) || !packet_take(text, ",") || !packet_number(text, &end)) {
            return false;
        }
        action->from = (uint32_t)number;
        action->to = (uint32_t)end;
        break;
    default: return false;
    }
    if (packet_take(text, ":") && !packet_take(text, "-1")) {
        if (!packet_number(text, &number) || number > gdb->thread_count) {
            return false;
        }
        action->thread = (unsigned)number;
    }
    return true;
}

static const struct action *action_for(const struct action *actions, unsigned count, unsigned thread)
{
    for (unsigned i = 0; i < count; i++) {
        if (actions[i].thread == thread || actions[i].thread == 0) {
            return &actions[i];
        }
    }
    return NULL;
}

/* Whether a step ends where it begins: at a jump to itself, or of a core that does not run. */
static bool stays(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    const struct rv32_core *core = gdb_core(gdb, thread)->core;
    bool paused = core->halt == RV32_PAUSED && thread->paused;
    uint32_t pc = gdb_pc(gdb, thread);
    bool jumps = l1_contains(pc, 4) && l1_load32(gdb_core(gdb, thread)->l1, pc) == SELF_JUMP;
    return (core->halt != RV32_RUNNING && !paused) || jumps;
}

/* Bits of an instruction of 16 bits: `count` from `from` on, to bit `to`. */
static uint32_t move(uint32_t word, unsigned from, unsigned count, unsigned to)
{
    return (word >> from & ((1u << count) - 1)) << to;
}

static uint32_t extend(uint32_t value, unsigned sign)
{
    return (value ^ 1u << sign) - (1u << sign);
}

/* Where gdb thinks that a `.ttinsn` leads. It steps by a breakpoint at the next instruction, and takes words whose
   lower two bits are not both set for compressed instructions, which the cores do not have: a jump, a branch, or
   something of two bytes. */
static uint32_t next_pc_for_gdb(const struct rv32_core *core, uint32_t pc, uint32_t word)
{
    uint32_t kind = (word & 3) << 3 | (word >> 13 & 7), rs1 = word >> 7 & 31, rs2 = word >> 2 & 31;
    switch (kind) {
    case 1 << 3 | 1:   /* c.jal */
    case 1 << 3 | 5: { /* c.j */
        uint32_t offset = move(word, 12, 1, 11) | move(word, 11, 1, 4) | move(word, 9, 2, 8) | move(word, 8, 1, 10) |
                          move(word, 7, 1, 6) | move(word, 6, 1, 7) | move(word, 3, 3, 1) | move(word, 2, 1, 5);
        return pc + extend(offset, 11);
    }
    case 1 << 3 | 6:   /* c.beqz */
    case 1 << 3 | 7: { /* c.bnez */
        uint32_t offset = move(word, 12, 1, 8) | move(word, 10, 2, 3) | move(word, 5, 2, 6) | move(word, 3, 2, 1) |
                          move(word, 2, 1, 5);
        bool zero = core->x[8 + (word >> 7 & 7)] == 0;
        return zero == (kind == (1 << 3 | 6)) ? pc + extend(offset, 8) : pc + 2;
    }
    case 2 << 3 | 4: return rs1 && !rs2 ? core->x[rs1] : pc + 2; /* c.jr, c.jalr */
    default: return pc + 2;
    }
}

/* Whether gdb steps a thread over a `.ttinsn`. */
static bool steps_push(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    const struct rv32 *rv32 = gdb_core(gdb, thread);
    uint32_t pc = gdb_pc(gdb, thread);
    uint32_t word = l1_contains(pc, 4) ? l1_load32(rv32->l1, pc) : 3;
    return (word & 3) != 3 && gdb_breakpoint_at(gdb, next_pc_for_gdb(rv32->core, pc, word));
}

static void apply(struct bh_gdb *gdb, struct gdb_thread *thread, const struct action *action)
{
    bool steps = action->kind == 's' || (action->kind == 'c' && steps_push(gdb, thread));
    thread->action = steps ? GDB_STEPS : action->kind == 'r' ? GDB_STEPS_IN_RANGE : GDB_CONTINUES;
    thread->from = action->from;
    thread->to = action->to;
    thread->stepped = false;
}

static void resume_one(struct bh_gdb *gdb, struct gdb_thread *thread, const struct action *action)
{
    static const struct gdb_stop stopped = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_NONE},
                                 trap = {.cause = GDB_STOPPED, .signal = GDB_SIGNAL_TRAP};
    if (action->kind == 't') {
        if (!thread->held) {
            gdb_hold(gdb, thread, stopped);
        }
    } else if (thread->held && action->kind != 'c' && stays(gdb, thread)) {
        thread->stop = trap;
        thread->untold = true;
    } else if (thread->held) {
        apply(gdb, thread, action);
        gdb_release(gdb, thread);
    }
}

/* All-stop mode: all go on, but for steps that end at once. */
static void resume_all(struct bh_gdb *gdb, const struct action *actions, unsigned count)
{
    unsigned without = 0, steps = 0;
    static const struct action goes_on = {.kind = 'c'};
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        const struct action *action = action_for(actions, count, i);
        without += !action;
        if (action && action->kind != 'c' && stays(gdb, gdb_thread(gdb, i))) {
            gdb->general = gdb->why_thread = i;
            gdb->why = (struct gdb_stop){.cause = GDB_STOPPED, .signal = GDB_SIGNAL_TRAP};
            gdb_answer_stop(gdb, i, gdb->why);
            return;
        }
        steps += action != NULL;
        apply(gdb, gdb_thread(gdb, i), action ? action : &goes_on);
        gdb_thread(gdb, i)->left_out = !action;
    }
    gdb->alone = without && steps;
    gdb->stopped = false;
}

void gdb_resume(struct bh_gdb *gdb, const char *text)
{
    struct action list[ACTIONS];
    unsigned count = 0;
    while (count < ACTIONS && take_action(gdb, &text, &list[count])) {
        count++;
    }
    if (*text || !count) {
        packet_text(&gdb->reply, "E01");
    } else if (gdb->non_stop) {
        for (unsigned i = 1; i <= gdb->thread_count; i++) {
            const struct action *action = action_for(list, count, i);
            if (action) {
                resume_one(gdb, gdb_thread(gdb, i), action);
            }
        }
        packet_text(&gdb->reply, "OK");
    } else if (gdb->violated) {
        gdb->stopped = false;
    } else {
        resume_all(gdb, list, count);
    }
}
