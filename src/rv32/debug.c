#include "rv32/debug.h"

#include "rv32/execute.h"
#include "util/bits.h"

enum { DR_STATUS, DR_COMMAND, DR_ARGUMENT_0, DR_ARGUMENT_1, DR_RESULT, DR_MODES, DR_ADDRESS_0 = 10 };

enum { STATUS_BREAKPOINT = 1 << 1, STATUS_WATCHPOINT = 1 << 2, STATUS_EBREAK = 1 << 3, STATUS_HIT_SHIFT = 8 };

enum {
    COMMAND_PAUSE = 1 << 0,
    COMMAND_STEP = 1 << 1,
    COMMAND_CONTINUE = 1 << 2,
    COMMAND_READ_REGISTER = 1 << 3,
    COMMAND_WRITE_REGISTER = 1 << 4,
    COMMAND_READ_MEMORY = 1 << 5,
    COMMAND_WRITE_MEMORY = 1 << 6,
    COMMAND_CLEAR_REGISTERS = 1 << 7,
    COMMAND_WRITE_PC = 1 << 8,
    COMMAND_WHEN_PAUSED = 0x1fe,
};

enum { SLOW_MODE = 31 }; /* bit of the command register */
enum { PC_INDEX = 32 };  /* among the general registers */
enum { MODE_BREAKPOINT = 8, MODE_READ = 9, MODE_WRITE = 10, MODE_ACCESS = 11 };

static unsigned mode_of(const struct rv32_debug *debug, unsigned watch)
{
    return debug->modes >> 4 * watch & 15;
}

static void pause(struct rv32_core *core, uint32_t cause)
{
    core->debug.in_self_jump |= core->halt == RV32_SELF_JUMP;
    core->halt = RV32_PAUSED;
    core->debug.cause = cause;
    core->debug.pausing = false;
    core->debug.step_armed = false;
}

void rv32_debug_break(struct rv32_core *core)
{
    pause(core, STATUS_EBREAK);
}

void rv32_debug_reset(struct rv32_core *core)
{
    core->debug = (struct rv32_debug){};
}

/* The status bits of the breakpoints at `pc`. */
static uint32_t breakpoints_at(const struct rv32_debug *debug, uint32_t pc)
{
    uint32_t hits = 0;
    for (unsigned i = 0; i < RV32_WATCHES; i++) {
        if (mode_of(debug, i) == MODE_BREAKPOINT && debug->address[i] == pc) {
            hits |= STATUS_BREAKPOINT | 1u << (STATUS_HIT_SHIFT + i);
        }
    }
    return hits;
}

struct watch {
    const struct rv32_debug *debug;
    uint32_t hits;
};

static void watch_access(void *context, bool store, uint32_t address, unsigned size, uint32_t value)
{
    struct watch *watch = context;
    for (unsigned i = 0; i < RV32_WATCHES; i++) {
        unsigned mode = mode_of(watch->debug, i);
        bool watched = mode == MODE_ACCESS || mode == (store ? MODE_WRITE : MODE_READ);
        if (watched && watch->debug->address[i] - address < size) {
            watch->hits |= STATUS_WATCHPOINT | 1u << (STATUS_HIT_SHIFT + i);
        }
    }
}

uint32_t rv32_debug_run(struct rv32 *rv32, uint32_t budget)
{
    struct rv32_core *core = rv32->core;
    uint32_t total = 0;
    bool yield = false;
    while (total < budget && core->halt == RV32_RUNNING && !yield) {
        struct watch watch = {.debug = &core->debug, .hits = breakpoints_at(&core->debug, core->pc)};
        const struct rv32_hooks hooks = {.context = &watch, .access = watch_access};
        rv32->diagnostics->now.cycle = clock_of(rv32->clock, core->id);
        uint32_t retired = rv32_run_hooked(rv32, 1, &hooks);
        total += retired;
        yield = rv32->yield;
        bool executed = retired || core->halt == RV32_SELF_JUMP;
        bool goes_on = core->halt == RV32_RUNNING || core->halt == RV32_SELF_JUMP;
        if (executed && goes_on && (watch.hits || core->debug.pausing)) {
            pause(core, watch.hits);
        }
        if (!retired) {
            break;
        }
    }
    return total;
}

/* A core in a jump to itself stays there, even if a debugger has overwritten the jump, since the instruction cache
   still holds it: DebugInterface.md asks debuggers to flush the cache. */
static void resume(struct rv32_core *core)
{
    core->halt = core->debug.in_self_jump ? RV32_SELF_JUMP : RV32_RUNNING;
    core->debug.cause = 0;
    core->debug.in_self_jump = false;
    core->debug.step_armed = false;
}

/* On Blackhole it takes two step commands to execute one instruction. If the instruction has to wait, it executes
   later. */
static void step(struct rv32 *rv32)
{
    struct rv32_core *core = rv32->core;
    if (!core->debug.step_armed) {
        core->debug.step_armed = true;
        return;
    }
    resume(core);
    if (core->halt == RV32_SELF_JUMP) {
        pause(core, breakpoints_at(&core->debug, core->pc));
        return;
    }
    core->debug.pausing = true;
    __typeof__(rv32->diagnostics->now) now = rv32->diagnostics->now;
    rv32_debug_run(rv32, 1);
    rv32->diagnostics->now = now;
}

static enum step access_memory(struct rv32 *rv32, bool write)
{
    struct rv32_core *core = rv32->core;
    struct rv32_debug *debug = &core->debug;
    __typeof__(rv32->diagnostics->now) now = rv32->diagnostics->now;
    rv32_attend(rv32, core->pc, core->instret);
    enum step step = write ? rv32_store_elsewhere(rv32, debug->argument[0], 4, debug->argument[1])
                           : rv32_load_elsewhere(rv32, debug->argument[0], 4, &debug->result);
    rv32->diagnostics->now = now;
    debug->busy = step == STEP_WAIT;
    debug->busy_write = write;
    core->waiting = false;
    return step == STEP_STOP ? STEP_STOP : STEP_DONE;
}

static enum step access_register(struct rv32 *rv32, bool write)
{
    struct rv32_core *core = rv32->core;
    uint32_t index = core->debug.argument[0];
    if (index > PC_INDEX || (write && index == PC_INDEX)) {
        return diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                        "the debugger %s register %u of core %s: there are 0 to 31, and for reading 32, the pc",
                        write ? "writes" : "reads", index, bh_core_name((enum bh_core)core->id));
    }
    if (!write) {
        core->debug.result = index == PC_INDEX ? core->pc : core->x[index];
    } else if (index) {
        core->x[index] = core->debug.argument[1];
    }
    return STEP_DONE;
}

/* Pauses a running core, a waiting one as soon as its instruction has completed. */
static void trigger_pause(struct rv32_core *core)
{
    if (core->halt == RV32_SELF_JUMP || (core->halt == RV32_RUNNING && !core->waiting)) {
        pause(core, 0);
    } else if (core->halt == RV32_RUNNING) {
        core->debug.pausing = true;
    }
}

static enum step command(struct rv32 *rv32, uint32_t value)
{
    struct rv32_core *core = rv32->core;
    if (value & COMMAND_PAUSE) {
        trigger_pause(core);
    }
    if (!(value & COMMAND_WHEN_PAUSED)) {
        return STEP_DONE;
    }
    if (core->halt != RV32_PAUSED || core->debug.busy) {
        return diagnose(rv32->diagnostics, BH_NON_CONTRACTUAL,
                        "the debugger's command 0x%08x has no effect: core %s is not paused", value,
                        bh_core_name((enum bh_core)core->id));
    }
    enum step done = STEP_DONE;
    if (value & (COMMAND_READ_REGISTER | COMMAND_WRITE_REGISTER)) {
        done = access_register(rv32, value & COMMAND_WRITE_REGISTER);
    }
    if (value & COMMAND_CLEAR_REGISTERS) {
        memset(core->x, 0, RV32_SINK * sizeof *core->x);
    }
    if (done == STEP_DONE && value & (COMMAND_READ_MEMORY | COMMAND_WRITE_MEMORY)) {
        done = access_memory(rv32, value & COMMAND_WRITE_MEMORY);
    }
    if (done != STEP_DONE) {
        return done;
    }
    if (value & COMMAND_WRITE_PC) { /* a step bit in the same write has no effect of its own */
        core->pc = value >> SLOW_MODE ? core->debug.argument[1] : core->debug.reset_pc;
        core->debug.cause = 0;
        core->debug.in_self_jump = false;
    } else if (value & COMMAND_STEP && !(value & COMMAND_CONTINUE)) {
        step(rv32);
    }
    if (value & COMMAND_CONTINUE) {
        resume(core);
    }
    return STEP_DONE;
}

uint32_t rv32_debug_read(struct rv32 *rv32, unsigned index)
{
    struct rv32_core *core = rv32->core;
    struct rv32_debug *debug = &core->debug;
    switch (index) {
    case DR_STATUS:
        if (debug->busy && core->halt == RV32_PAUSED) {
            (void)access_memory(rv32, debug->busy_write); /* tries the access again, until it completes */
        }
        return core->halt == RV32_PAUSED && !debug->busy ? 1 | debug->cause : 0;
    case DR_COMMAND: return debug->command;
    case DR_ARGUMENT_0:
    case DR_ARGUMENT_1: return debug->argument[index - DR_ARGUMENT_0];
    case DR_RESULT: return debug->result;
    case DR_MODES: return debug->modes;
    default:
        return index >= DR_ADDRESS_0 && index < DR_ADDRESS_0 + RV32_WATCHES ? debug->address[index - DR_ADDRESS_0] : 0;
    }
}

enum step rv32_debug_write(struct rv32 *rv32, unsigned index, uint32_t value)
{
    struct rv32_core *core = rv32->core;
    struct rv32_debug *debug = &core->debug;
    switch (index) {
    case DR_COMMAND: debug->command = value; return command(rv32, value);
    case DR_ARGUMENT_0:
    case DR_ARGUMENT_1: debug->argument[index - DR_ARGUMENT_0] = value; return STEP_DONE;
    case DR_MODES: debug->modes = value; break;
    default:
        if (index < DR_ADDRESS_0 || index >= DR_ADDRESS_0 + RV32_WATCHES) {
            return STEP_DONE; /* read-only, or no such register */
        }
        debug->address[index - DR_ADDRESS_0] = value;
        break;
    }
    uint32_t hits = breakpoints_at(debug, core->pc);
    if (core->halt == RV32_SELF_JUMP && hits) {
        pause(core, hits); /* the core executes this instruction all the time */
    }
    return STEP_DONE;
}
