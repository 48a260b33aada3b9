/* Instructions before the wait gates, and those that MOP and REPLAY execute. */
#include "inspect/sections.h"
#include "isa/tensix_text.h"
#include "util/bits.h"

static void write_instruction(struct out *out, uint32_t word)
{
    char text[TENSIX_TEXT_SIZE];
    tensix_disassemble(word, TENSIX_TEXT_FIELDS, text, sizeof text);
    out_cell_hex(out, word, 8);
    out_cell_text(out, text);
}

static void write_thread(struct out *out, unsigned thread)
{
    char name[12];
    (void)snprintf(name, sizeof name, "T%u", thread);
    out_cell_text(out, name);
}

/* An instruction on its way, and where in the source it was pushed. */
static void write_pushed(const struct inspection *inspection, struct out *out, unsigned thread, const char *stage,
                         const struct pushed *pushed)
{
    const struct bh_place place = {.agent = BH_AGENT_THREAD, .index = (uint8_t)thread, .pc = pushed->pc};
    char source[DUMP_SOURCE_SIZE];
    write_thread(out, thread);
    out_cell_text(out, stage);
    out_cell_hex(out, pushed->pc, 8);
    write_instruction(out, pushed->word);
    out_cell_text(out, inspection_source(inspection, &place, source));
}

/* What waits for a bank of Src within an unpacker. */
static void write_begun(const struct inspection *inspection, struct out *out, unsigned thread)
{
    static const char *const stages[] = {"unpacker 0", "unpacker 1"};
    const struct tensix_state *state = &inspection->tile->state->tensix;
    for (unsigned unpacker = 0; unpacker < UNPACKERS; unpacker++) {
        for (unsigned i = 0; i < state->unpack.begun[unpacker]; i++) {
            const struct unpack_begun_one *one = &state->begun.of[unpacker][i];
            const struct pushed pushed = {.word = one->origin.instruction, .pc = one->origin.pc};
            if (one->thread == thread) {
                write_pushed(inspection, out, thread, stages[unpacker], &pushed);
            }
        }
    }
}

void inspect_fifos(const struct inspection *inspection, struct out *out)
{
    static const char *const columns[] = {"thread", "stage", "pc", "word", "instruction", "source"};
    out_begin_table(out, "fifos", columns, COUNT_OF(columns));
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct frontend *frontend = &inspection->tile->state->tensix.frontend[thread];
        const struct latched_wait *wait = &frontend->wait;
        const struct pushed latched = {.word = wait->word, .pc = wait->pc};
        if (!inspects_thread(inspection, thread)) {
            continue;
        }
        write_begun(inspection, out, thread);
        if (wait->latched) {
            write_pushed(inspection, out, thread, "latched wait", &latched);
        }
        if (frontend->at_gate) {
            write_pushed(inspection, out, thread, "wait gate", &frontend->next);
        }
        for (uint32_t i = 0; i < frontend->after_mop.count; i++) {
            write_pushed(inspection, out, thread, "behind MOP", fifo_entry(&frontend->after_mop, i));
        }
        for (uint32_t i = 0; i < frontend->fifo.count; i++) {
            write_pushed(inspection, out, thread, "FIFO", fifo_entry(&frontend->fifo, i));
        }
    }
    out_end_table(out);
}

/* The words of the MOP expander's configuration, which have other meanings for each template; all but the first two are
   instructions. */
static const struct {
    const char *template0, *template1;
} mop_words[MOP_CONFIG_WORDS] = {
    {NULL, "OuterCount"},  {"Flags", "InnerCount"}, {"InsnB", "StartOp"},
    {"InsnA0", "EndOp0"},  {"InsnA1", "EndOp1"},    {"InsnA2", "LoopOp"},
    {"InsnA3", "LoopOp1"}, {"SkipA0", "Loop0Last"}, {"SkipB", "Loop1Last"},
};
enum { FIRST_INSTRUCTION = 2 };

static void write_mop(const struct mop_expander *mop, unsigned thread, struct out *out)
{
    static const char *const columns[] = {"word", "template0", "template1", "value", "instruction"};
    out_begin(out, NULL, "thread T%u", thread);
    if (out->as_json) {
        out_number(out, "thread", thread);
    }
    out_bool(out, "active", mop->active);
    if (mop->active) {
        out_number(out, "template", mop->template_number);
        out_number(out, "outer_left", mop->outer);
        out_number(out, "inner_left", mop->inner);
        out_hex(out, "mask", mop->mask, 8);
        out_hex(out, "pc", mop->pc, 8);
    }
    out_hex(out, "zmask_high", mop->zmask_high, 4);
    out_begin_table(out, "config", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < MOP_CONFIG_WORDS; i++) {
        char text[TENSIX_TEXT_SIZE];
        tensix_disassemble(mop->config[i], TENSIX_TEXT_FIELDS, text, sizeof text);
        out_cell_number(out, i);
        out_cell_text(out, mop_words[i].template0);
        out_cell_text(out, mop_words[i].template1);
        out_cell_hex(out, mop->config[i], 8);
        out_cell_text(out, i < FIRST_INSTRUCTION ? NULL : text);
    }
    out_end_table(out);
    out_end(out);
}

void inspect_mop(const struct inspection *inspection, struct out *out)
{
    out_begin(out, "mop", "MOP expanders");
    out_begin_list(out, "threads");
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (inspects_thread(inspection, thread)) {
            write_mop(&inspection->tile->state->tensix.frontend[thread].mop, thread, out);
        }
    }
    out_end_list(out);
    out_end(out);
}

static void write_replay(const struct replay_expander *replay, unsigned thread, struct out *out)
{
    static const char *const columns[] = {"index", "word", "instruction"};
    static const char *const modes[] = {[REPLAY_PASSES] = "passes",
                                        [REPLAY_LOADS] = "loads",
                                        [REPLAY_LOADS_AND_PASSES] = "loads and passes",
                                        [REPLAY_EXECUTES] = "executes"};
    out_begin(out, NULL, "thread T%u", thread);
    if (out->as_json) {
        out_number(out, "thread", thread);
    }
    out_text(out, "mode", modes[replay->mode % COUNT_OF(modes)]);
    if (replay->mode != REPLAY_PASSES) {
        out_number(out, "next", replay->index);
        out_number(out, "left", replay->left);
        out_hex(out, "pc", replay->pc, 8);
    }
    out_begin_table(out, "buffer", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
        if (out->as_json || replay->words[i]) {
            out_cell_number(out, i);
            write_instruction(out, replay->words[i]);
        }
    }
    out_end_table(out);
    out_end(out);
}

void inspect_replay(const struct inspection *inspection, struct out *out)
{
    out_begin(out, "replay", "replay expanders");
    out_begin_list(out, "threads");
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (inspects_thread(inspection, thread)) {
            write_replay(&inspection->tile->state->tensix.frontend[thread].replay, thread, out);
        }
    }
    out_end_list(out);
    out_end(out);
}
