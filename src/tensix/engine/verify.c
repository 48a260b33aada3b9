#include "tensix/engine/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensix/engine/engine.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/state.h"

/* All that generated code can read or write. */
struct copied_state {
    struct vector_unit vector;
    struct dst_register_file dst;
    struct rwc rwc;
};

static void copy_state(struct copied_state *copy, const struct tensix_state *state, unsigned thread)
{
    copy->vector = state->vector;
    copy->dst = state->dst;
    copy->rwc = state->addr.rwc[thread];
}

static void restore_state(struct tensix_state *state, unsigned thread, const struct copied_state *copy)
{
    state->vector = copy->vector;
    state->dst = copy->dst;
    state->addr.rwc[thread] = copy->rwc;
}

/* The first difference, as text. */
struct difference {
    bool any;
    char text[100];
};

__attribute__((format(printf, 2, 3))) static void note(struct difference *difference, const char *format, ...)
{
    va_list arguments;
    if (!difference->any) {
        va_start(arguments, format);
        vsnprintf(difference->text, sizeof difference->text, format, arguments);
        va_end(arguments);
    }
    difference->any = true;
}

static void compare_words(struct difference *difference, const char *name, uint32_t compiled, uint32_t expected)
{
    if (compiled != expected) {
        note(difference, "%s is 0x%08x instead of 0x%08x", name, compiled, expected);
    }
}

static void compare_lanes(struct difference *difference, const char *name, const uint32_t *compiled,
                          const uint32_t *expected)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (compiled[lane] != expected[lane]) {
            note(difference, "%s, lane %u, is 0x%08x instead of 0x%08x", name, lane, compiled[lane], expected[lane]);
        }
    }
}

/* Entries of the stack that are not in use have whatever was there. */
static void compare_stacks(struct difference *difference, const struct vector_unit *compiled,
                           const struct vector_unit *expected)
{
    compare_words(difference, "the depth of FlagStack", compiled->stack_depth, expected->stack_depth);
    for (unsigned i = 0; i < expected->stack_depth; i++) {
        const struct vector_flags *one = &compiled->stack[i], *other = &expected->stack[i];
        compare_words(difference, "FlagStack's UseLaneFlagsForLaneEnable", one->use_lane_flags & ~one->missing,
                      other->use_lane_flags & ~other->missing);
        compare_words(difference, "FlagStack's LaneFlags", one->lane_flags & ~one->missing,
                      other->lane_flags & ~other->missing);
        compare_words(difference, "the lanes without an entry in FlagStack", one->missing, other->missing);
    }
}

static void compare_vector_units(struct difference *difference, const struct vector_unit *compiled,
                                 const struct vector_unit *expected)
{
    char name[16];
    for (unsigned lreg = 0; lreg < SFPU_LREGS; lreg++) {
        snprintf(name, sizeof name, "LReg[%u]", lreg);
        compare_lanes(difference, name, compiled->lreg[lreg], expected->lreg[lreg]);
    }
    compare_lanes(difference, "the generator of random numbers", compiled->prng, expected->prng);
    compare_lanes(difference, "LaneConfig", compiled->lane_config, expected->lane_config);
    compare_words(difference, "UseLaneFlagsForLaneEnable", compiled->use_lane_flags, expected->use_lane_flags);
    compare_words(difference, "LaneFlags", compiled->lane_flags, expected->lane_flags);
    compare_stacks(difference, compiled, expected);
    if (memcmp(&compiled->load_macro, &expected->load_macro, sizeof expected->load_macro) != 0) {
        note(difference, "LoadMacroConfig differs");
    }
    if (memcmp(compiled->dst_stack_pointer, expected->dst_stack_pointer, sizeof expected->dst_stack_pointer) != 0) {
        note(difference, "the stack pointer of Dst differs");
    }
}

/* Rows that are not valid read as zeros, whatever they have. */
static void compare_dst(struct difference *difference, const struct dst_register_file *compiled,
                        const struct dst_register_file *expected)
{
    for (unsigned row = 0; row < DST_ROWS; row++) {
        if (compiled->valid[row] != expected->valid[row]) {
            note(difference, "row %u of Dst is%s valid", row, compiled->valid[row] ? "" : " not");
        }
        for (unsigned column = 0; expected->valid[row] && column < ROW_COLUMNS; column++) {
            unsigned one = compiled->rows[row][column], other = expected->rows[row][column];
            if (one != other) {
                note(difference, "Dst, row %u, column %u, is 0x%04x instead of 0x%04x, as kept", row, column, one,
                     other);
            }
        }
    }
}

static void report(struct tensix *tensix, const char *what, const uint32_t *row, uint32_t count, uint32_t times)
{
    enum { WORD_TEXT = 10 };
    char words[TRACE_LONGEST * WORD_TEXT + 1] = "";
    for (uint32_t i = 0; i < count; i++) {
        snprintf(words + (size_t)i * (WORD_TEXT - 1), WORD_TEXT, " %08x", row[i]);
    }
    diagnose(tensix->diagnostics, BH_INTERNAL_ERROR,
             "after generated code executed a row of %u instructions %u times, %s; please report it with the row:%s",
             count, times, what, words);
}

uint32_t verify_code(struct tensix *tensix, unsigned thread, const struct trace *trace, const struct trace_code *code,
                     uint32_t dst_origin, uint32_t times)
{
    struct tensix_state *state = tensix->state;
    struct copied_state before, after;
    struct difference difference = {.any = false};
    copy_state(&before, state, thread);
    uint32_t executed = times - code->code(&state->vector, vector_enabled_lanes(&state->vector), dst_origin, times);
    tensix->engine->compiler.verified += executed * trace->decoded;
    copy_state(&after, state, thread);
    restore_state(state, thread, &before);
    for (uint32_t i = 0; i < executed * trace->decoded; i++) {
        uint32_t word = trace->words[i % trace->decoded];
        if (tensix_execute(tensix, thread, word, tensix->diagnostics->now.pc) != STEP_DONE) {
            note(&difference, "instruction 0x%08x has not executed one by one", word);
        }
    }
    compare_vector_units(&difference, &after.vector, &state->vector);
    compare_dst(&difference, &after.dst, &state->dst);
    compare_words(&difference, "the counter of Dst", after.rwc.dst, state->addr.rwc[thread].dst);
    if (difference.any) {
        report(tensix, difference.text, trace->words, trace->decoded, executed);
    }
    return executed;
}
