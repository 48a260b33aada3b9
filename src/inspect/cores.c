/* The cores: where they are, and their registers. */
#include <string.h>

#include "inspect/sections.h"
#include "isa/rv32_text.h"
#include "isa/tensix_text.h"
#include "util/bits.h"

static const char *state_of(const struct rv32_core *core)
{
    switch ((enum rv32_halt)core->halt) {
    case RV32_IN_RESET: return "in reset";
    case RV32_SELF_JUMP: return "at its end, a jump to itself";
    case RV32_PAUSED: return "paused";
    case RV32_LOST: return "lost at an address without instructions";
    default: return core->waiting ? "waits" : "runs";
    }
}

/* While a core executes, its event knows where it is. */
static uint32_t pc_of(const struct inspection *inspection, unsigned core)
{
    const struct bh_event *event = inspection->event;
    bool executes = event && event->place.agent == BH_AGENT_CORE && event->place.index == core;
    return executes ? event->place.pc : inspection->tile->state->core[core].pc;
}

static void write_place(const struct inspection *inspection, unsigned core, struct out *out)
{
    const struct rv32_core *state = &inspection->tile->state->core[core];
    struct bh_place place = {.agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = pc_of(inspection, core)};
    char text[TENSIX_TEXT_SIZE], source[DUMP_SOURCE_SIZE];
    out_text(out, "state", state_of(state));
    out_hex(out, "pc", place.pc, 8);
    if (l1_contains(place.pc, 4)) {
        uint32_t word = l1_load32(&inspection->tile->l1, place.pc);
        if (rv32_identify(word) == RV32_OP_TTINSN) { /* rotated left by two */
            tensix_disassemble(word >> 2 | word << 30, TENSIX_TEXT_FIELDS, text, sizeof text);
        } else {
            rv32_disassemble(word, place.pc, text, sizeof text);
        }
        out_text(out, "instruction", text);
    } else {
        out_text(out, "instruction", NULL);
    }
    if (state->waiting) {
        out_hex(out, "waits_at", state->wait_address, 8);
    }
    out_text(out, "source", inspection_source(inspection, &place, source));
}

static void write_registers(const struct rv32_core *core, struct out *out)
{
    out_begin_words(out, "x");
    for (unsigned i = 0; i < 32; i++) {
        out_word(out, rv32_x_name(i), core->x[i], 8);
    }
    out_end_words(out);
    out_begin_words(out, "f");
    for (unsigned i = 0; i < 32; i++) {
        out_word(out, rv32_f_name(i), core->x[RV32_F0 + i], 8);
    }
    out_end_words(out);
}

/* Vector registers as four words each; only T2 has them. */
static void write_vectors(const struct rv32_core *core, struct out *out)
{
    static const char *const columns[] = {"register", "word0", "word1", "word2", "word3"};
    out_begin_table(out, "v", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < RV32_VECTOR_REGISTERS; i++) {
        uint32_t words[RV32_VECTOR_BYTES / 4];
        char name[8];
        memcpy(words, core->v + (size_t)i * RV32_VECTOR_BYTES, sizeof words);
        if (!out->as_json && !(words[0] | words[1] | words[2] | words[3])) {
            continue;
        }
        (void)snprintf(name, sizeof name, "v%u", i);
        out_cell_text(out, name);
        for (unsigned j = 0; j < COUNT_OF(words); j++) {
            out_cell_hex(out, words[j], 8);
        }
    }
    out_end_table(out);
}

static void write_csrs(const struct tile *tile, unsigned core, struct out *out)
{
    static const char *const columns[] = {"name", "number", "value"};
    struct rv32 rv32 = tile->core[core];
    out_begin_table(out, "csrs", columns, COUNT_OF(columns));
    for (enum rv32_csr csr = 0; csr < RV32_CSRS; csr++) {
        uint32_t value;
        bool known = rv32_csr_show(&rv32, csr, &value);
        if (!out->as_json && known && value == rv32_csrs[csr].reset) {
            continue;
        }
        out_cell_text(out, rv32_csrs[csr].name);
        out_cell_hex(out, rv32_csrs[csr].number, 3);
        if (known) {
            out_cell_hex(out, value, 8);
        } else {
            out_cell_nothing(out);
        }
    }
    out_end_table(out);
}

void inspect_cores(const struct inspection *inspection, struct out *out)
{
    const struct tile *tile = inspection->tile;
    out_begin(out, "cores", NULL);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        const struct rv32_core *state = &tile->state->core[core];
        if (!inspects_core(inspection, core)) {
            continue;
        }
        out_begin(out, bh_core_name((enum bh_core)core), NULL);
        if (state->halt == RV32_IN_RESET && !out->as_json) {
            out_note(out, "in reset");
            out_end(out);
            continue;
        }
        write_place(inspection, core, out);
        out_number(out, "instructions", state->instret);
        write_registers(state, out);
        if (core == BH_CORE_T2) {
            write_vectors(state, out);
        }
        write_csrs(tile, core, out);
        out_end(out);
    }
    out_end(out);
}
