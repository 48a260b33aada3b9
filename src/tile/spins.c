#include "tile/spins.h"

#include <string.h>

#include "rv32/execute.h"
#include "rv32/operations.h"
#include "tile/mmio.h"

/* Reads of a mailbox (except tests for a value), a PCBuf, or the overlay's list of finished streams. */
bool load_consumes(uint32_t address)
{
    return (address >= 0xffe80000 && address < 0xffe80004) || (address >= 0xffe90000 && address < 0xffeb0000) ||
           (address >= 0xffec0000 && address < 0xffed0000 && !(address & 4)) ||
           address == MMIO_ADDRESS_STREAM_BLOB_NEXT_AUTO_CFG_DONE;
}

/* Registers that change by themselves: a loop that polls the time may end without an outside event. */
bool load_tells_time(uint32_t address)
{
    enum { RXQ_REMOTE_RX_SEQ_NUM = 0x44, QUEUE_OFFSET = 0xfff }; /* of Ethernet tiles: acknowledgements arrive */
    return (address >= MMIO_ADDRESS_WATCHDOG_TIMER && address <= MMIO_ADDRESS_WALL_CLOCK_H) ||
           (address >= 0xFFB94000u && address < 0xFFB97000u && (address & QUEUE_OFFSET) == RXQ_REMOTE_RX_SEQ_NUM) ||
           (address >= MMIO_ADDRESS_PERF_CNT_OUT_L_INSTRN_THREAD && address <= MMIO_ADDRESS_PERF_CNT_OUT_H_FPU);
}

static bool csr_tells_time(uint32_t number)
{
    uint32_t low = number & ~0x80u; /* the counter whose upper half this is */
    return (low >= 0xb00 && low <= 0xb02) || (low >= 0xc00 && low <= 0xc02);
}

void circle_add_word(uint32_t *words, uint8_t *count, uint32_t word)
{
    for (unsigned i = 0; i < *count && i < CIRCLE_WORDS; i++) {
        if (words[i] == word) {
            return;
        }
    }
    if (*count < CIRCLE_WORDS) {
        words[*count] = word;
    }
    *count += *count <= CIRCLE_WORDS;
}

/* Remembers the last polled address, preferring registers to L1, and L1 to local RAM, which holds the stack. */
static void probe_access(void *context, bool store, uint32_t address, unsigned size, uint32_t value)
{
    struct circle_search *search = context;
    enum polled_kind kind = address < L1_SIZE                           ? POLLED_L1
                            : address - MEM_LOCAL_BASE < LOCAL_RAM_SIZE ? POLLED_LOCAL
                                                                        : POLLED_REGISTER;
    if (kind == POLLED_L1) {
        circle_add_word(search->circle.word, &search->circle.words, address & ~3u);
    }
    search->circle.any_access |= address >= 0xffb20000 && address < 0xffb40000;
    search->circle.restless |= address >= 0xffb10000 && address < 0xffb20000;
    if (!store && kind >= search->polled->kind) {
        *search->polled = (struct polled){.kind = (uint8_t)kind, .address = address, .value = value};
    }
}

/* All other readable values change only through other agents, and then show in the core's registers. */
static void probe_effect(void *context, enum rv32_effect effect, uint32_t address)
{
    bool harmless = (effect == RV32_EFFECT_CSR && !csr_tells_time(address)) ||
                    (effect == RV32_EFFECT_BUS_LOAD && !load_consumes(address) && !load_tells_time(address));
    ((struct circle_search *)context)->effect |= !harmless;
}

static void probe_instruction(void *context, uint32_t pc, uint32_t word)
{
    struct circle *circle = &((struct circle_search *)context)->circle;
    (void)word;
    circle->first = pc < circle->first ? pc : circle->first;
    circle->last = pc > circle->last ? pc : circle->last;
}

static bool same_registers(const struct rv32_core *a, const struct rv32_core *b)
{
    return a->pc == b->pc && memcmp(a->x, b->x, RV32_SINK * sizeof *a->x) == 0 &&
           memcmp(a->x + RV32_F0, b->x + RV32_F0, 32 * sizeof *a->x) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0 &&
           memcmp(a->csr, b->csr, sizeof a->csr) == 0;
}

static const struct circle no_circle = {.first = UINT32_MAX};

void circle_search_begin(struct circle_search *search, const struct rv32_core *core, struct polled *polled)
{
    search->found = CIRCLE_SOUGHT;
    search->effect = search->on_trial = false;
    search->run = search->mark = 0;
    search->next_mark = 1;
    search->seen = *core;
    search->polled = polled;
    search->circle = no_circle;
    *polled = (struct polled){};
}

/* The word at `address`, of L1 or the core's local RAM; null: neither. */
static const uint8_t *memory_at(const struct rv32 *rv32, uint32_t address)
{
    if (address < rv32_l1_size(rv32)) {
        return (const uint8_t *)l1_direct(rv32->l1) + address;
    }
    return address - MEM_LOCAL_BASE < rv32->local_ram_size ? rv32->local_ram + (address - MEM_LOCAL_BASE) : NULL;
}

/* Whether a store or an atomic instruction leaves memory as it is. */
static bool leaves_memory(const struct rv32 *rv32, enum rv32_op op, uint32_t word)
{
    const uint32_t *x = rv32->core->x;
    bool store = rv32_instructions[op].format == RV32_FORMAT_STORE;
    uint32_t address = x[rv32_rs1(word)] + (store ? (uint32_t)rv32_immediate(RV32_FORMAT_STORE, word) : 0);
    uint32_t size = store ? 1u << (word >> 12 & 3) : 4, value = x[rv32_rs2(word)], old = 0;
    const uint8_t *memory = address % size ? NULL : memory_at(rv32, address);
    if (!memory) {
        return false;
    }
    memcpy(&old, memory, size);
    value = store ? value : rv32_atomic(op, old, value);
    return memcmp(&old, &value, size) == 0;
}

/* Whether the next instruction may do more than change registers, and read what reading does not change. */
static bool may_act(const struct rv32 *rv32)
{
    const struct rv32_core *core = rv32->core;
    if (core->pc % 4 || core->pc >= rv32_l1_size(rv32)) {
        return true;
    }
    uint32_t word = l1_load32(rv32->l1, core->pc);
    enum rv32_op op = rv32_identify(word);
    switch ((enum rv32_format)rv32_instructions[op].format) {
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_FLOAD: {
        uint32_t address = core->x[rv32_rs1(word)] + (uint32_t)rv32_immediate(RV32_FORMAT_LOAD, word);
        return !memory_at(rv32, address) && (load_consumes(address) || load_tells_time(address));
    }
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_AMO: return !leaves_memory(rv32, op, word);
    case RV32_FORMAT_CSR:
    case RV32_FORMAT_CSRI:
        return op == RV32_OP_CSRRW || op == RV32_OP_CSRRWI || rv32_rs1(word) || csr_tells_time(word >> 20);
    case RV32_FORMAT_R:
    case RV32_FORMAT_UNARY:
    case RV32_FORMAT_I:
    case RV32_FORMAT_SHIFT:
    case RV32_FORMAT_U:
    case RV32_FORMAT_J:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_B:
    case RV32_FORMAT_FENCE:
    case RV32_FORMAT_FR:
    case RV32_FORMAT_FR4:
    case RV32_FORMAT_FUNARY:
    case RV32_FORMAT_FCMP:
    case RV32_FORMAT_FTOX:
    case RV32_FORMAT_XTOF: return false;
    default: /* among them .ttinsn and all that is no instruction */ return true;
    }
}

/* One instruction. */
static enum circle_found look_on(struct circle_search *search, struct rv32 *rv32, const struct rv32_hooks *hooks)
{
    struct rv32_core *core = rv32->core;
    if (core->pc == L1_SIZE - 4) {
        return NO_CIRCLE; /* a longer run shows better what follows the end of L1 */
    }
    if (search->on_trial && may_act(rv32)) {
        return NO_CIRCLE;
    }
    rv32->diagnostics->now.cycle = clock_of(rv32->clock, core->id);
    uint32_t retired = rv32_run_hooked(rv32, 1, hooks);
    if (rv32->diagnostics->stopped || search->effect || rv32->put_off) {
        return NO_CIRCLE;
    }
    if (retired == 0 || core->halt != RV32_RUNNING) {
        search->circle = (struct circle){};
        return CIRCLE_FOUND;
    }
    search->run++;
    if (same_registers(core, &search->seen)) {
        search->circle.length = (uint32_t)(search->run - search->mark);
        return CIRCLE_FOUND;
    }
    if (search->run == search->next_mark) { /* Brent's algorithm for a cycle of unknown length */
        search->seen = *core;
        *search->polled = (struct polled){};
        search->circle = no_circle;
        search->mark = search->run;
        search->next_mark *= 2;
    }
    return CIRCLE_SOUGHT;
}

void circle_search_run(struct circle_search *search, struct rv32 *rv32, uint32_t cycles)
{
    const struct rv32_hooks hooks = {
        .context = search, .instruction = probe_instruction, .effect = probe_effect, .access = probe_access};
    uint64_t end = clock_of(rv32->clock, rv32->core->id) + cycles;
    while (search->found == CIRCLE_SOUGHT && clock_of(rv32->clock, rv32->core->id) < end) {
        search->found = look_on(search, rv32, &hooks);
    }
}

bool core_spins(struct rv32 *rv32, uint64_t cycles, bool on_trial, struct polled *polled)
{
    struct circle_search search;
    const struct rv32_core core = *rv32->core;
    const struct clock clock = *rv32->clock;
    circle_search_begin(&search, rv32->core, polled);
    search.on_trial = on_trial;
    circle_search_run(&search, rv32, (uint32_t)cycles);
    if (on_trial) {
        *rv32->core = core;
        *rv32->clock = clock;
    }
    return search.found == CIRCLE_FOUND;
}
