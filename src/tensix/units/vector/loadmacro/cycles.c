/* The cycles of the vector unit while instructions are scheduled: which ones execute in a cycle, and when a cycle
   passes. Source: ISA documentation SFPLOADMACRO.md; units/vector/loadmacro/macro.h describes the model. */
#include "tensix/units/vector/loadmacro/cycles.h"
#include "tensix/units/vector/loadmacro/stall.h"

#include <string.h>

#include "time/clock.h"

const char *const vector_sub_unit_names[VECTOR_SUB_UNITS] = {"simple", "MAD", "round", "store"};
const uint8_t vector_sub_unit_order[VECTOR_SUB_UNITS] = {VECTOR_STORE, VECTOR_ROUND, VECTOR_MAD, VECTOR_SIMPLE};

bool vector_executes(unsigned opcode)
{
    return tensix_unit_of[opcode] == TENSIX_VECTOR;
}

/* Old values of state that instructions of the cycle have overwritten, for others that have yet to read them. */
struct overlap {
    uint32_t written; /* VECTOR_FLAGS and LRegs of which `before` is valid */
    uint32_t before[SFPU_LREGS][SFPU_LANES];
    uint32_t use_lane_flags_before, lane_flags_before;
};

static void keep_before(struct overlap *overlap, const struct vector_unit *vector, uint32_t writes)
{
    uint32_t first = writes & ~overlap->written;
    for (uint32_t left = first & VECTOR_ALL_LREGS; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        memcpy(overlap->before[i], vector->lreg[i], sizeof overlap->before[i]);
    }
    if (first & VECTOR_FLAGS) {
        overlap->use_lane_flags_before = vector->use_lane_flags;
        overlap->lane_flags_before = vector->lane_flags;
    }
    overlap->written |= first;
}

/* Bits that the instruction has not changed keep the values that others have written. */
static uint32_t merge_bits(uint32_t now, uint32_t before, uint32_t others)
{
    return (now & (now ^ before)) | (others & ~(now ^ before));
}

/* One instruction of a cycle, with the LRegs that it reads and writes. */
struct member {
    uint32_t reads, writes;
    const struct vector_scheduled *instruction; /* null: the second cycle of `swap` */
    struct vector_late *late;
    struct vector_swap *swap;
};

static enum step perform(struct tensix *tensix, const struct member *member)
{
    if (!member->instruction) {
        vector_swap_exchange(&tensix->state->vector, member->swap->vc, member->swap->vd, member->swap->lanes);
        return STEP_DONE;
    }
    tensix_now(tensix, member->instruction->thread,
               (struct pushed){.word = member->instruction->word, .pc = member->instruction->pc});
    return vector_execute_scheduled(tensix, member->instruction, ALL_LANES, member->late, member->swap);
}

/* Executes it on the state before the cycle. */
static enum step perform_on_before(struct tensix *tensix, struct overlap *overlap, const struct member *member)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t hidden = (member->reads | member->writes) & overlap->written;
    uint32_t others[SFPU_LREGS][SFPU_LANES];
    uint32_t use_lane_flags = vector->use_lane_flags, lane_flags = vector->lane_flags;
    for (uint32_t left = hidden & VECTOR_ALL_LREGS; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        memcpy(others[i], vector->lreg[i], sizeof others[i]);
        memcpy(vector->lreg[i], overlap->before[i], sizeof others[i]);
    }
    if (hidden & VECTOR_FLAGS) {
        vector->use_lane_flags = overlap->use_lane_flags_before;
        vector->lane_flags = overlap->lane_flags_before;
    }
    keep_before(overlap, vector, member->writes);
    enum step step = perform(tensix, member);
    for (uint32_t left = hidden & VECTOR_ALL_LREGS; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t now = vector->lreg[i][lane];
            vector->lreg[i][lane] = now != overlap->before[i][lane] ? now : others[i][lane];
        }
    }
    if (hidden & VECTOR_FLAGS) {
        vector->use_lane_flags = merge_bits(vector->use_lane_flags, overlap->use_lane_flags_before, use_lane_flags);
        vector->lane_flags = merge_bits(vector->lane_flags, overlap->lane_flags_before, lane_flags);
    }
    return step;
}

enum step vector_check_company(struct tensix *tensix, const struct vector_scheduled *const *at, bool swapping)
{
    const struct vector_scheduled *simple = at[VECTOR_SIMPLE], *round = at[VECTOR_ROUND];
    if (!vector_is_idle(simple) && !vector_is_idle(round) && (simple->vd == LREG_MACRO) == (round->vd == LREG_MACRO)) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: the simple and the round sub-unit execute in the same cycle with destinations "
                        "%u and %u; exactly one of them must be LReg[16] (bit 6 of the sequence)",
                        simple->vd, round->vd);
    }
    if (!vector_is_idle(simple) && simple->word >> 24 == TENSIX_OPCODE_SFPSWAP && !vector_is_idle(at[VECTOR_MAD])) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: the MAD sub-unit executes in the same cycle as an SFPSWAP; schedule it for "
                        "another, or an SFPNOP");
    }
    if (swapping && (!vector_is_idle(simple) || !vector_is_idle(round))) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: the %s sub-unit executes in the second cycle of an SFPSWAP; it must be idle",
                        vector_sub_unit_names[vector_is_idle(simple) ? VECTOR_ROUND : VECTOR_SIMPLE]);
    }
    return STEP_DONE;
}

unsigned vector_take_due(struct vector_queue *queue, unsigned now, struct vector_scheduled *due,
                         const struct vector_scheduled **at)
{
    unsigned counts_instructions = 0;
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
        at[unit] = NULL;
        if (queue->waiting[unit] & 1) {
            due[unit] = queue->at[unit][now % VECTOR_DELAYS];
            at[unit] = &due[unit];
            queue->waiting[unit] &= (uint8_t)~1u;
        }
        counts_instructions |= queue->waiting[unit] & queue->by_instruction[unit];
    }
    return counts_instructions;
}

void vector_count_down(struct vector_macro *macro)
{
    for (unsigned i = 0; i < vector_queues(macro); i++) {
        for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
            macro->queue[i].waiting[unit] >>= 1;
            macro->queue[i].by_instruction[unit] >>= 1;
        }
    }
    macro->now = (macro->now + 1) % VECTOR_DELAYS;
}

void vector_turn_over(struct vector_macro *macro)
{
    macro->parity ^= 1;
    for (unsigned i = 0; i < vector_queues(macro); i++) {
        macro->swap[i].columns = 0;
    }
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        struct vector_late *leaving = &macro->late[macro->parity][source];
        leaving->registers = leaving->regular = leaving->waited_for = 0;
    }
}

void vector_end_cycle(struct vector_unit *vector)
{
    struct vector_macro *macro = &vector->macro;
    uint32_t left = 0;
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        struct vector_late *arriving = &macro->late[macro->parity ^ 1][source];
        if (arriving->registers) {
            vector_write_late(vector, arriving);
            arriving->registers = 0;
        }
        left |= macro->late[macro->parity][source].registers;
    }
    for (unsigned i = 0; i < vector_queues(macro); i++) {
        left |= macro->swap[i].columns;
        for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
            left |= macro->queue[i].waiting[unit];
        }
    }
    macro->active = left != 0;
    macro->apart &= macro->active;
}

/* Executes the issued instruction first, since it may be refused, and on the state before the cycle. */
static enum step perform_issue(struct tensix *tensix, struct overlap *overlap, const struct vector_issue *issue,
                               struct vector_late *late, struct vector_swap *swap)
{
    const struct vector_scheduled *instruction = &issue->instruction;
    if (vector_takes_two_cycles(instruction->word) && instruction->vd < LREG_TEMPLATES) {
        return vector_execute_scheduled(tensix, instruction, ALL_LANES, late, swap);
    }
    uint32_t writes = vector_writes(instruction);
    if (tensix->state->vector.any_lane_config & LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX) {
        writes |= 0xf0; /* where a load writes the index */
    }
    keep_before(overlap, &tensix->state->vector, writes);
    return issue->run(tensix, instruction->thread, instruction->word);
}

/* One cycle while columns are joined. `issued`: an instruction is issued to the vector unit, namely that of `issue`
   unless this is null. */
static enum step cycle(struct tensix *tensix, const struct vector_issue *issue, bool issued)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_macro *macro = &vector->macro;
    struct vector_scheduled due[VECTOR_SUB_UNITS];
    const struct vector_scheduled *at[VECTOR_SUB_UNITS + 1]; /* the entry of the load sub-unit is not used */
    struct vector_swap swap = macro->swap[0];
    struct overlap overlap;
    overlap.written = 0;
    if (!vector_take_due(&macro->queue[0], macro->now, due, at) || issued) {
        vector_count_down(macro);
    }
    vector_turn_over(macro);
    struct vector_late *leaving = macro->late[macro->parity];
    enum vector_sub_unit issued_to = VECTOR_LOAD;
    if (issue) {
        issued_to = vector_sub_unit_of(issue->instruction.word >> 24);
        at[issued_to] = &issue->instruction;
    }
    enum step step = vector_check_company(tensix, at, swap.columns);
    if (step == STEP_DONE && issue) {
        step = perform_issue(tensix, &overlap, issue, &leaving[issued_to == VECTOR_ROUND], &macro->swap[0]);
        at[issued_to] = NULL;
    }
    if (swap.columns && step == STEP_DONE) {
        uint32_t both = 1u << swap.vc | 1u << swap.vd;
        both |= vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX ? vector_swapped_indices(swap.vc, swap.vd) : 0;
        step = perform_on_before(tensix, &overlap, &(struct member){.reads = both, .writes = both, .swap = &swap});
    }
    for (unsigned i = 0; i < VECTOR_SUB_UNITS && step == STEP_DONE; i++) {
        const struct vector_scheduled *instruction = at[vector_sub_unit_order[i]];
        if (!vector_is_idle(instruction)) {
            bool late = vector_takes_two_cycles(instruction->word);
            step = perform_on_before(tensix, &overlap,
                                     &(struct member){.reads = vector_reads(instruction),
                                                      .writes = late ? 0 : vector_writes(instruction),
                                                      .instruction = instruction,
                                                      .late = &leaving[vector_sub_unit_order[i] == VECTOR_ROUND],
                                                      .swap = &macro->swap[0]});
        }
    }
    vector_end_cycle(vector);
    return step;
}

/* A cycle with columns joined or apart; the issued instruction is discarded in `discarded` columns. */
static enum step any_cycle(struct tensix *tensix, const struct vector_issue *issue, bool issued, uint32_t discarded)
{
    if (__builtin_expect(tensix->state->vector.macro.apart, 0)) {
        return vector_columns_cycle(tensix, issue, issued, discarded);
    }
    return cycle(tensix, discarded ? NULL : issue, issued);
}

/* Whether a cycle without any instruction makes progress. */
static bool time_helps(const struct vector_macro *macro)
{
    unsigned due = 0, counts_instructions = 0;
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        due |= macro->late[macro->parity][source].registers;
    }
    for (unsigned i = 0; i < vector_queues(macro); i++) {
        const struct vector_queue *queue = &macro->queue[i];
        due |= macro->swap[i].columns;
        for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
            due |= queue->waiting[unit] & 1;
            counts_instructions |= queue->waiting[unit] & queue->by_instruction[unit];
        }
    }
    return due || !counts_instructions;
}

bool vector_time_helps(const struct vector_unit *vector)
{
    return vector->macro.active && time_helps(&vector->macro);
}

/* In timed mode, to be called before each cycle. */
static void begin_cycle(struct tensix *tensix, uint64_t cycle)
{
    tensix->state->timing.vector.cycle = cycle;
    tensix->diagnostics->now.cycle = cycle;
}

bool vector_let_time_pass(struct tensix *tensix, uint64_t until)
{
    const struct vector_unit *vector = &tensix->state->vector;
    uint64_t *cycle = &tensix->state->timing.vector.cycle;
    bool passed = false;
    if (!vector->macro.active) {
        return false;
    }
    struct diagnostic_origin now = tensix->diagnostics->now;
    enum step step = STEP_DONE;
    while (step == STEP_DONE && vector_time_helps(vector) && (!tensix->timed || *cycle < until)) {
        if (tensix->timed) {
            begin_cycle(tensix, *cycle);
        }
        step = any_cycle(tensix, NULL, false, 0);
        *cycle += tensix->timed;
        passed |= step == STEP_DONE;
    }
    tensix->diagnostics->now = now;
    return passed;
}

/* Whether hardware makes a regular instruction wait for the result of an earlier one; it never waits for scheduled
   ones. */
static bool must_wait(const struct vector_macro *macro, const struct vector_scheduled *instruction)
{
    const struct vector_late *late = macro->late[macro->parity];
    uint32_t products = late[VECTOR_LATE_MAD].waited_for, missed;
    if (products && products & vector_known_uses(instruction, &missed)) {
        return true;
    }
    bool two_cycles = late[VECTOR_LATE_ROUND].waited_for;
    for (unsigned i = 0; i < vector_queues(macro); i++) {
        two_cycles |= macro->swap[i].columns && macro->swap[i].regular;
    }
    return two_cycles && instruction->word >> 24 != TENSIX_OPCODE_SFPNOP;
}

/* The columns in which a sub-unit executes a scheduled instruction in the next cycle. */
static uint32_t busy_columns(const struct vector_macro *macro, enum vector_sub_unit unit)
{
    if (unit == VECTOR_LOAD) {
        return 0;
    }
    if (!macro->apart) {
        return macro->queue[0].waiting[unit] & 1 ? VECTOR_ALL_COLUMNS : 0;
    }
    uint32_t columns = 0;
    for (unsigned column = 0; column < VECTOR_COLUMNS; column++) {
        columns |= (macro->queue[column].waiting[unit] & 1u) << column;
    }
    return columns;
}

static enum step issue_to_vector_unit(struct tensix *tensix, const struct vector_issue *issue)
{
    const struct vector_macro *macro = &tensix->state->vector.macro;
    const struct vector_scheduled *instruction = &issue->instruction;
    if (tensix->timed) { /* who has to wait has waited: vector_holds() */
        begin_cycle(tensix, tensix->state->timing.now[instruction->thread]);
    } else if (must_wait(macro, instruction)) {
        enum step step = any_cycle(tensix, NULL, false, 0);
        if (step != STEP_DONE) {
            return step;
        }
        tensix_now(tensix, instruction->thread, (struct pushed){.word = instruction->word, .pc = instruction->pc});
    }
    enum vector_sub_unit unit = vector_sub_unit_of(instruction->word >> 24);
    uint32_t busy = busy_columns(macro, unit);
    const struct vector_late *product = &macro->late[macro->parity][VECTOR_LATE_MAD];
    enum step step = vector_check_products(tensix, instruction, product->regular, product->waited_for);
    if (step != STEP_DONE) {
        return step;
    }
    if (busy) {
        step =
            diagnose(tensix->diagnostics, BH_HAZARD,
                     "this instruction is discarded%s: in the same cycle the %s sub-unit executes what an SFPLOADMACRO "
                     "has scheduled; issue it in another cycle, or change the delays of the sequence",
                     busy == VECTOR_ALL_COLUMNS ? "" : " in some lanes", vector_sub_unit_names[unit]);
        if (step != STEP_DONE) {
            return step;
        }
    }
    return any_cycle(tensix, issue, true, busy);
}

/* Issues another unit's instruction, in functional mode. If its thread has started the macros, it takes a cycle; while
   it waits, time passes. Of other threads only instructions that may access Dst matter, which have had to wait. */
static enum step issue_elsewhere(struct tensix *tensix, unsigned thread, uint32_t word,
                                 enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word))
{
    enum { C11_VECTOR_BUSY = 1 << 11 };
    unsigned opcode = word >> 24;
    if (thread != tensix->state->vector.macro.thread) {
        if (tensix_unit_of[opcode] == TENSIX_MATRIX || tensix_unit_of[opcode] == TENSIX_PACK) {
            (void)vector_let_time_pass(tensix, CLOCK_NEVER);
        }
        return run(tensix, thread, word);
    }
    enum step step = run(tensix, thread, word);
    if (step == STEP_WAIT || (opcode == TENSIX_OPCODE_STALLWAIT && word & C11_VECTOR_BUSY)) {
        (void)vector_let_time_pass(tensix, CLOCK_NEVER);
    } else if (step == STEP_DONE) {
        step = any_cycle(tensix, NULL, false, 0);
    }
    return step;
}

enum step vector_cycle(struct tensix *tensix, unsigned thread, uint32_t word,
                       enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word))
{
    if (tensix_unit_of[word >> 24] != TENSIX_VECTOR) {
        return tensix->timed ? run(tensix, thread, word) : issue_elsewhere(tensix, thread, word, run);
    }
    struct vector_issue issue = {.instruction = vector_regular(word), .run = run};
    issue.instruction.thread = (uint8_t)thread;
    issue.instruction.pc = tensix->diagnostics->now.pc;
    return issue_to_vector_unit(tensix, &issue);
}
