/* Why a tile does not get on: one clause for each core and each thread that has something left to do. */
#include <stdarg.h>
#include <stdio.h>

#include "isa/tensix_isa.h"
#include "isa/tensix_table.h"
#include "tensix/units/explain_wait.h"
#include "tile/tile.h"

struct line {
    char *buffer;
    unsigned size, length;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    unsigned room = line->length < line->size ? line->size - line->length : 0;
    int wanted = vsnprintf(room ? line->buffer + line->length : NULL, room, format, arguments);
    va_end(arguments);
    line->length += wanted > 0 ? (unsigned)wanted : 0;
}

static const char *instruction_name(uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    return instruction ? instruction->name : "an unknown instruction";
}

/* The registers that a core usually waits on, by their documented names. */
static const char *register_name(unsigned core, uint32_t address)
{
    switch (address & 0xffff0000) {
    case 0xffe40000: return "room in T0's instruction FIFO";
    case 0xffe50000: return "room in T1's instruction FIFO";
    case 0xffe60000: return "room in T2's instruction FIFO";
    case 0xffe00000: return "Tensix GPRs (Auto TTSync)";
    case 0xffef0000: return "Tensix configuration (Auto TTSync)";
    case 0xffec0000: return "a mailbox";
    case 0xffe80000:
        if (core != BH_CORE_B && address == 0xffe80004) {
            return "CoprocessorDoneCheck";
        }
        if (core != BH_CORE_B && address == 0xffe80008) {
            return "MOPExpanderDoneCheck";
        }
        return address == 0xffe80000 ? "its PCBuf" : "a semaphore";
    case 0xffe90000:
    case 0xffea0000: return "a PCBuf";
    default: return "a register";
    }
}

static void explain_core(const struct tile *tile, unsigned index, struct line *line)
{
    const struct rv32_core *core = &tile->state->core[index];
    if (core->halt != RV32_RUNNING) {
        return;
    }
    add(line, "%score %s at 0x%08x ", line->length ? "; " : "", bh_core_name((enum bh_core)index), core->pc);
    if (core->waiting) {
        uint32_t address = core->wait_address;
        const char *what = address == INSTRN_BUF_BASE && index != BH_CORE_B ? "room in its thread's instruction FIFO"
                                                                            : register_name(index, address);
        add(line, "waits for %s (0x%08x)", what, address);
    } else {
        add(line, "spins");
    }
}

static void explain_ownership(const struct src_register_file *src, char name, enum src_client wanted, unsigned bank,
                              struct line *line)
{
    if (src->owner[bank] != wanted) {
        add(line, ", Src%c bank %u belongs to the %s", name, bank,
            wanted == SRC_MATRIX_UNIT ? "unpackers: nothing was unpacked into it"
                                      : "matrix unit: nobody has given it back (CLEARDVALID, SETRWC or clear_dvalid)");
    }
}

static void explain_latched(const struct tile *tile, unsigned thread, struct line *line)
{
    const struct tensix_state *state = &tile->state->tensix;
    const struct latched_wait *wait = &state->frontend[thread].wait;
    add(line, " behind %s 0x%08x pushed at 0x%08x", instruction_name(wait->word), wait->word, wait->pc);
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
                    add(line, ", semaphore %u is 0: nobody has posted it", i);
                }
                if (wait->condition & 2 && value >= max) {
                    add(line, ", semaphore %u is at its maximum %u: nobody has taken from it", i, max);
                }
            }
        }
    } else {
        add(line, ", the stream has not reached %u", wait->target);
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
    add(line, "%sthread T%u holds %s 0x%08x pushed at 0x%08x", line->length ? "; " : "", thread, instruction_name(word),
        word, frontend->next.pc);
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
        add(line, ", %s", known ? why : "which waits in its unit");
    }
}

int tile_explain(const struct tile *tile, char *buffer, unsigned size)
{
    struct line line = {.buffer = buffer, .size = size};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        explain_core(tile, core, &line);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        explain_thread(tile, thread, &line);
    }
    return (int)line.length;
}
