#include "tile/spins.h"

#include <string.h>

#include "tile/mmio.h"

/* A load from the tile's registers that takes something away from somebody: from a mailbox (unless it only asks whether
   there is a value), a PCBuf, or the overlay's list of streams that are done. */
static bool load_consumes(uint32_t address)
{
    return (address >= 0xffe80000 && address < 0xffe80004) || (address >= 0xffe90000 && address < 0xffeb0000) ||
           (address >= 0xffec0000 && address < 0xffed0000 && !(address & 4)) ||
           address == MMIO_ADDRESS_STREAM_BLOB_NEXT_AUTO_CFG_DONE;
}

/* What changes by itself: a loop that looks at the time may end without anybody else's doing. */
static bool load_tells_time(uint32_t address)
{
    return address >= MMIO_ADDRESS_WALL_CLOCK_L && address <= MMIO_ADDRESS_WALL_CLOCK_H;
}

static bool csr_tells_time(uint32_t number)
{
    uint32_t low = number & ~0x80u; /* that whose upper half it is */
    return (low >= 0xb00 && low <= 0xb02) || (low >= 0xc00 && low <= 0xc02);
}

struct probe {
    bool effect;
    struct polled *polled;
};

/* Remembers what a loop looks at: a register rather than L1, that rather than local RAM, where the stack is. */
static void probe_access(void *context, bool store, uint32_t address, unsigned size, uint32_t value)
{
    struct probe *probe = context;
    enum polled_kind kind = address < L1_SIZE                           ? POLLED_L1
                            : address - MEM_LOCAL_BASE < LOCAL_RAM_SIZE ? POLLED_LOCAL
                                                                        : POLLED_REGISTER;
    if (!store && kind >= probe->polled->kind) {
        *probe->polled = (struct polled){.kind = (uint8_t)kind, .address = address, .value = value};
    }
}

/* What else can be read changes by somebody else's doing only, and then shows in the core's registers. */
static void probe_effect(void *context, enum rv32_effect effect, uint32_t address)
{
    bool harmless = (effect == RV32_EFFECT_CSR && !csr_tells_time(address)) ||
                    (effect == RV32_EFFECT_BUS_LOAD && !load_consumes(address) && !load_tells_time(address));
    ((struct probe *)context)->effect |= !harmless;
}

static bool same_registers(const struct rv32_core *a, const struct rv32_core *b)
{
    return a->pc == b->pc && memcmp(a->x, b->x, RV32_SINK * sizeof *a->x) == 0 &&
           memcmp(a->x + RV32_F0, b->x + RV32_F0, 32 * sizeof *a->x) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0 &&
           memcmp(a->csr, b->csr, sizeof a->csr) == 0;
}

bool core_spins(struct rv32 *rv32, uint64_t clock, uint64_t cycles, struct polled *polled)
{
    struct rv32_core *core = rv32->core;
    struct probe probe = {.polled = polled};
    struct rv32_hooks hooks = {.context = &probe, .effect = probe_effect, .access = probe_access};
    *polled = (struct polled){};
    struct rv32_core seen = *core;
    uint64_t next_mark = 1;
    for (uint64_t run = 1; run <= cycles; run++) {
        rv32->diagnostics->now.cycle = clock + run - 1;
        uint32_t retired = rv32_run_hooked(rv32, 1, &hooks);
        if (rv32->diagnostics->stopped || probe.effect) {
            return false;
        }
        if (retired == 0 || core->halt != RV32_RUNNING) {
            return true;
        }
        if (same_registers(core, &seen)) {
            return true;
        }
        if (run == next_mark) { /* Brent's way of finding a loop of unknown length */
            seen = *core;
            *polled = (struct polled){};
            next_mark *= 2;
        }
    }
    return false;
}
