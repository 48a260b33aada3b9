#include "tile/spins.h"

#include <string.h>

#include "tile/mmio.h"

/* Reads of a mailbox (except tests for a value), a PCBuf, or the overlay's list of finished streams. */
bool load_consumes(uint32_t address)
{
    return (address >= 0xffe80000 && address < 0xffe80004) || (address >= 0xffe90000 && address < 0xffeb0000) ||
           (address >= 0xffec0000 && address < 0xffed0000 && !(address & 4)) ||
           address == MMIO_ADDRESS_STREAM_BLOB_NEXT_AUTO_CFG_DONE;
}

/* Registers that change by themselves: a loop that polls the time may end without an outside event. */
static bool load_tells_time(uint32_t address)
{
    return address >= MMIO_ADDRESS_WATCHDOG_TIMER && address <= MMIO_ADDRESS_WALL_CLOCK_H;
}

static bool csr_tells_time(uint32_t number)
{
    uint32_t low = number & ~0x80u; /* the counter whose upper half this is */
    return (low >= 0xb00 && low <= 0xb02) || (low >= 0xc00 && low <= 0xc02);
}

struct probe {
    bool effect;
    struct polled *polled;
    struct circle circle;
};

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
    struct probe *probe = context;
    enum polled_kind kind = address < L1_SIZE                           ? POLLED_L1
                            : address - MEM_LOCAL_BASE < LOCAL_RAM_SIZE ? POLLED_LOCAL
                                                                        : POLLED_REGISTER;
    if (kind == POLLED_L1) {
        circle_add_word(probe->circle.word, &probe->circle.words, address & ~3u);
    }
    probe->circle.any_access |= address >= 0xffb20000 && address < 0xffb40000;
    probe->circle.restless |= address >= 0xffb10000 && address < 0xffb20000;
    if (!store && kind >= probe->polled->kind) {
        *probe->polled = (struct polled){.kind = (uint8_t)kind, .address = address, .value = value};
    }
}

/* All other readable values change only through other agents, and then show in the core's registers. */
static void probe_effect(void *context, enum rv32_effect effect, uint32_t address)
{
    bool harmless = (effect == RV32_EFFECT_CSR && !csr_tells_time(address)) ||
                    (effect == RV32_EFFECT_BUS_LOAD && !load_consumes(address) && !load_tells_time(address));
    ((struct probe *)context)->effect |= !harmless;
}

static void probe_instruction(void *context, uint32_t pc, uint32_t word)
{
    struct circle *circle = &((struct probe *)context)->circle;
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

bool core_circles(struct rv32 *rv32, uint64_t *cycles, struct polled *polled, struct circle *circle)
{
    static const struct circle nothing = {.first = UINT32_MAX};
    struct rv32_core *core = rv32->core;
    struct probe probe = {.polled = polled, .circle = nothing};
    struct rv32_hooks hooks = {
        .context = &probe, .instruction = probe_instruction, .effect = probe_effect, .access = probe_access};
    *polled = (struct polled){};
    struct rv32_core seen = *core;
    uint64_t mark = 0, next_mark = 1, limit = *cycles, start = clock_of(rv32->clock, core->id);
    *cycles = 0;
    for (uint64_t run = 1; run <= limit; run++) {
        if (core->pc == L1_SIZE - 4) {
            return false; /* a longer run shows better what follows the end of L1 */
        }
        rv32->diagnostics->now.cycle = clock_of(rv32->clock, core->id);
        uint32_t retired = rv32_run_hooked(rv32, 1, &hooks);
        *cycles = clock_of(rv32->clock, core->id) - start;
        if (rv32->diagnostics->stopped || probe.effect) {
            return false;
        }
        if (retired == 0 || core->halt != RV32_RUNNING) {
            *circle = (struct circle){};
            return true;
        }
        if (same_registers(core, &seen)) {
            *circle = probe.circle;
            circle->length = (uint32_t)(run - mark);
            return true;
        }
        if (run == next_mark) { /* Brent's algorithm for a cycle of unknown length */
            seen = *core;
            *polled = (struct polled){};
            probe.circle = nothing;
            mark = run;
            next_mark *= 2;
        }
    }
    return false;
}

bool core_spins(struct rv32 *rv32, uint64_t cycles, struct polled *polled)
{
    struct circle circle;
    return core_circles(rv32, &cycles, polled, &circle);
}
