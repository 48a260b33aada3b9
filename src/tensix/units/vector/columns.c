/* A cycle of the vector unit while its columns differ in LoadMacroConfig: instructions execute one after the other on
   the state before the cycle, and the changes that each makes in the lanes of its columns are merged. Source: ISA
   documentation SFPLOADMACRO.md, whose functional model reads LoadMacroConfig[Lane]. */
#include <stddef.h>
#include <string.h>

#include "tensix/units/vector/loadmacro/cycles.h"
#include "util/bits.h"

/* The state of the lanes comes first in struct vector_unit, and its schedule last. */
enum { LANE_STATE = offsetof(struct vector_unit, macro) };

/* The state of the lanes before and after the cycle, and the current instruction. */
struct columns {
    struct vector_unit before, after; /* without their member `macro` */
    struct vector_scheduled due[VECTOR_COLUMNS][VECTOR_SUB_UNITS];
    const struct vector_scheduled *at[VECTOR_COLUMNS][VECTOR_SUB_UNITS + 1];
    struct vector_swap swap[VECTOR_COLUMNS];
    uint32_t dst_stack_pointer[3]; /* of `after`, before the current sub-unit's instructions */
};

static void copy_lanes(struct vector_unit *to, const struct vector_unit *from)
{
    memcpy(to, from, LANE_STATE);
}

/* To be called before the instructions of one sub-unit. */
static void begin_unit(struct columns *columns)
{
    memcpy(columns->dst_stack_pointer, columns->after.dst_stack_pointer, sizeof columns->dst_stack_pointer);
}

static uint32_t lanes_of(uint32_t columns)
{
    return columns * 0x01010101;
}

/* Merges the bits, or words, that `now` has changed in `lanes`. */
static void keep_bits(uint32_t *after, uint32_t before, uint32_t now, uint32_t lanes)
{
    *after = vector_select(lanes & (before ^ now), now, *after);
}

static void keep_words(uint32_t *after, const uint32_t *before, const uint32_t *now, uint32_t lanes)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (lanes >> lane & 1 && now[lane] != before[lane]) {
            after[lane] = now[lane];
        }
    }
}

/* The lanes whose stack has an entry i. */
static uint32_t holders(const struct vector_unit *vector, unsigned i)
{
    return i < vector->stack_depth ? ~vector->stack[i].missing : 0;
}

static void keep_stack(struct vector_unit *after, const struct vector_unit *before, const struct vector_unit *now,
                       uint32_t lanes)
{
    uint32_t depth = 0, holding[SFPU_STACK];
    for (unsigned i = 0; i < SFPU_STACK; i++) {
        const struct vector_flags *from = &before->stack[i], *to = &now->stack[i];
        holding[i] = holders(after, i);
        keep_bits(&holding[i], holders(before, i), holders(now, i), lanes);
        keep_bits(&after->stack[i].use_lane_flags, from->use_lane_flags, to->use_lane_flags, lanes);
        keep_bits(&after->stack[i].lane_flags, from->lane_flags, to->lane_flags, lanes);
        depth = holding[i] ? i + 1 : depth;
    }
    for (unsigned i = 0; i < SFPU_STACK; i++) {
        after->stack[i].missing = i < depth ? ~holding[i] : 0;
    }
    after->stack_depth = depth;
}

/* Merges the changes of an instruction in `lanes`, and restores the state before the cycle. */
static void keep_changes(struct columns *columns, struct vector_unit *now, uint32_t lanes)
{
    struct vector_unit *after = &columns->after;
    const struct vector_unit *before = &columns->before;
    for (unsigned i = 0; i < SFPU_LREGS; i++) {
        keep_words(after->lreg[i], before->lreg[i], now->lreg[i], lanes);
    }
    keep_bits(&after->use_lane_flags, before->use_lane_flags, now->use_lane_flags, lanes);
    keep_bits(&after->lane_flags, before->lane_flags, now->lane_flags, lanes);
    keep_stack(after, before, now, lanes);
    keep_words(after->lane_config, before->lane_config, now->lane_config, lanes);
    keep_words(after->prng, before->prng, now->prng, lanes);
    for (unsigned i = 0; i < SFPU_MACROS; i++) {
        keep_words(after->load_macro.instruction_template[i], before->load_macro.instruction_template[i],
                   now->load_macro.instruction_template[i], lanes);
        keep_words(after->load_macro.sequence[i], before->load_macro.sequence[i], now->load_macro.sequence[i], lanes);
    }
    keep_words(after->load_macro.misc, before->load_macro.misc, now->load_macro.misc, lanes);
    for (unsigned i = 0; i < COUNT_OF(now->dst_stack_pointer); i++) {
        uint32_t moved = now->dst_stack_pointer[i] - before->dst_stack_pointer[i];
        if (moved) { /* once for all lanes */
            after->dst_stack_pointer[i] = (columns->dst_stack_pointer[i] + moved) & (DST_ROWS - 1);
        }
    }
    copy_lanes(now, before);
}

/* Merges late results of `lanes` into the others. */
static void keep_late(struct vector_late *all, const struct vector_late *late, uint32_t lanes)
{
    uint32_t left = late->registers;
    for (unsigned i = 0; i < VECTOR_LATE_REGISTERS && left; i++, left &= left - 1) {
        uint32_t kept = late->lanes[i] & lanes;
        all->lanes[i] = vector_select(lanes, kept, all->lanes[i]);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            if (kept >> lane & 1) {
                all->vd[i][lane] = late->indirect ? late->vd[i][lane] : (uint8_t)__builtin_ctz(left);
                all->value[i][lane] = late->value[i][lane];
            }
        }
    }
    all->registers |= late->registers;
    all->regular |= late->regular;
    all->waited_for |= late->waited_for;
}

/* Executes an instruction in the lanes of the columns `which`. */
static enum step execute_in(struct tensix *tensix, struct columns *columns, const struct vector_scheduled *instruction,
                            uint32_t which)
{
    struct vector_macro *macro = &tensix->state->vector.macro;
    struct vector_late late = {};
    struct vector_swap swap = {};
    uint32_t lanes = lanes_of(which);
    enum step step = vector_execute_scheduled(tensix, instruction, lanes, &late, &swap);
    if (late.registers | late.waited_for) {
        bool round = vector_sub_unit_of(instruction->word >> 24) == VECTOR_ROUND;
        keep_late(&macro->late[macro->parity][round], &late, lanes);
    }
    if (swap.columns) {
        swap.columns = (uint8_t)which;
        macro->swap[__builtin_ctz(which)] = swap;
    }
    keep_changes(columns, &tensix->state->vector, lanes);
    return step;
}

/* Executes the issued instruction first, since it may be refused. */
static enum step perform_issue(struct tensix *tensix, struct columns *columns, const struct vector_issue *issue,
                               uint32_t discarded)
{
    struct vector_unit *vector = &tensix->state->vector;
    const struct vector_scheduled *instruction = &issue->instruction;
    uint32_t which = ~discarded & VECTOR_ALL_COLUMNS;
    begin_unit(columns);
    if (vector_takes_two_cycles(instruction->word) && instruction->vd < LREG_TEMPLATES) {
        return execute_in(tensix, columns, instruction, which);
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (lanes_of(discarded) >> lane & 1) { /* only a store */
            vector->lane_config[lane] |= LANE_CONFIG_BLOCK_DEST_WR_FROM_SFPU;
            vector->any_lane_config |= LANE_CONFIG_BLOCK_DEST_WR_FROM_SFPU;
        }
    }
    enum step step = issue->run(tensix, instruction->thread, instruction->word);
    keep_changes(columns, vector, lanes_of(which));
    return step;
}

/* The second cycles of SFPSWAP. */
static void perform_swaps(struct vector_unit *vector, struct columns *columns)
{
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        const struct vector_swap *swap = &columns->swap[i];
        if (swap->columns) {
            vector_swap_exchange(vector, swap->vc, swap->vd, swap->lanes);
            keep_changes(columns, vector, lanes_of(swap->columns));
        }
    }
}

/* Executes a sub-unit's due instructions: once for all columns in which they are the same. */
static enum step perform_due(struct tensix *tensix, struct columns *columns, enum vector_sub_unit unit)
{
    enum step step = STEP_DONE;
    begin_unit(columns);
    for (uint32_t left = VECTOR_ALL_COLUMNS; left && step == STEP_DONE;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        const struct vector_scheduled *instruction = columns->at[first][unit];
        uint32_t which = 0;
        for (unsigned column = first; column < VECTOR_COLUMNS; column++) {
            const struct vector_scheduled *other = columns->at[column][unit];
            bool same = other == instruction || (other && instruction && !memcmp(other, instruction, sizeof *other));
            which |= (uint32_t)same << column;
        }
        left &= ~which;
        if (!vector_is_idle(instruction)) {
            tensix_now(tensix, instruction->thread, (struct pushed){.word = instruction->word, .pc = instruction->pc});
            step = execute_in(tensix, columns, instruction, which);
        }
    }
    return step;
}

/* Takes due instructions out of the queues, and diagnoses combinations that must not be in the same cycle. */
static enum step take_due(struct tensix *tensix, struct columns *columns, const struct vector_issue *issue, bool issued,
                          uint32_t discarded)
{
    struct vector_macro *macro = &tensix->state->vector.macro;
    unsigned counts_instructions = 0, swapping = 0;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        counts_instructions |= vector_take_due(&macro->queue[i], macro->now, columns->due[i], columns->at[i]);
        columns->swap[i] = macro->swap[i];
        swapping |= macro->swap[i].columns;
    }
    if (issued || !counts_instructions) {
        vector_count_down(macro);
    }
    enum step step = STEP_DONE;
    for (unsigned i = 0; i < VECTOR_COLUMNS && step == STEP_DONE; i++) {
        const struct vector_scheduled *at[VECTOR_SUB_UNITS + 1];
        memcpy(at, columns->at[i], sizeof at);
        if (issue && !(discarded >> i & 1)) {
            at[vector_sub_unit_of(issue->instruction.word >> 24)] = &issue->instruction;
        }
        step = vector_check_company(tensix, at, swapping >> i & 1);
    }
    return step;
}

enum step vector_columns_cycle(struct tensix *tensix, const struct vector_issue *issue, bool issued, uint32_t discarded)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct columns columns;
    enum step step = take_due(tensix, &columns, issue, issued, discarded);
    vector_turn_over(&vector->macro);
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        struct vector_late *leaving = &vector->macro.late[vector->macro.parity][source];
        leaving->indirect = true;
        memset(leaving->lanes, 0, sizeof leaving->lanes);
    }
    copy_lanes(&columns.before, vector);
    copy_lanes(&columns.after, vector);
    if (step == STEP_DONE && issue && discarded != VECTOR_ALL_COLUMNS) {
        step = perform_issue(tensix, &columns, issue, discarded);
    }
    if (step == STEP_DONE) {
        perform_swaps(vector, &columns);
    }
    for (unsigned i = 0; i < VECTOR_SUB_UNITS && step == STEP_DONE; i++) {
        step = perform_due(tensix, &columns, (enum vector_sub_unit)vector_sub_unit_order[i]);
    }
    copy_lanes(vector, &columns.after);
    vector_configure(vector);
    vector_end_cycle(vector);
    return step;
}
