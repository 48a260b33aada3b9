/* SFPLOADMACRO, and the cycles of the vector unit while something is scheduled. Source: ISA documentation
   SFPLOADMACRO.md; vector_macro.h says what of it is here. */
#include "tensix/units/vector_macro.h"

#include <string.h>

#include "tensix/units/vector_scheduled.h"
#include "util/bits.h"

/* The unit of each opcode. */
static const uint8_t units[256] = {
#define TENSIX_BEGIN(name, opcode, unit, ...) [opcode] = TENSIX_##unit,
#define TENSIX_FIELD(...)
#define TENSIX_END(...)
#include "tensix.def"
#undef TENSIX_BEGIN
#undef TENSIX_FIELD
#undef TENSIX_END
};

static const char *const sub_unit_names[VECTOR_SUB_UNITS] = {"simple", "MAD", "round", "store"};

static bool same_in_all_lanes(const uint32_t *lanes)
{
    return memcmp(lanes, lanes + 1, (SFPU_LANES - 1) * sizeof *lanes) == 0;
}

static enum step check_lanes(struct tensix *tensix, const uint32_t *lanes, const char *what)
{
    if (__builtin_expect(same_in_all_lanes(lanes), 1)) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                    "SFPLOADMACRO: %s of LoadMacroConfig differs between lanes; configure it while all lanes are "
                    "enabled",
                    what);
}

enum { SELECT_NOTHING, SELECT_UNDEFINED, SELECT_SFPNOP, SELECT_SFPSTORE, SELECT_TEMPLATE };

/* The word that the eight bits `sequence` select for a sub-unit. SELECT_NOTHING gives none. */
static enum step select_word(struct tensix *tensix, enum vector_sub_unit unit, uint32_t sequence, uint32_t *word)
{
    const struct vector_unit *vector = &tensix->state->vector;
    uint32_t selector = sequence & 7;
    *word = (uint32_t)TENSIX_OPCODE_SFPNOP << 24;
    if (selector == SELECT_UNDEFINED) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: no meaning is documented for 1 as the choice of an instruction (bits 2:0 of "
                        "the sequence of the %s sub-unit)",
                        sub_unit_names[unit]);
    }
    if (selector == SELECT_SFPSTORE) {
        *word = (uint32_t)TENSIX_OPCODE_SFPSTORE << 24;
    } else if (selector >= SELECT_TEMPLATE) {
        const uint32_t *lanes = vector->load_macro.instruction_template[selector - SELECT_TEMPLATE];
        enum step step = check_lanes(tensix, lanes, "an instruction template");
        if (step != STEP_DONE) {
            return step;
        }
        *word = lanes[0];
    }
    unsigned opcode = *word >> 24;
    if (units[opcode] != TENSIX_VECTOR || vector_sub_unit_of(opcode) != unit) {
        *word = (uint32_t)TENSIX_OPCODE_SFPNOP << 24; /* what a sub-unit can not execute only takes its time */
        if (unit == VECTOR_STORE && selector != SELECT_NOTHING) {
            return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                            "SFPLOADMACRO: the store sub-unit executes nothing but SFPSTORE");
        }
    }
    return STEP_DONE;
}

/* What becomes of an SFPSTORE: bits 7:6 of its sequence choose the LReg, Misc the format. */
static struct vector_scheduled schedule_store(uint32_t word, uint32_t sequence, uint32_t vd, uint32_t mod0)
{
    enum { KEEP_VD = 0x80, FROM_MACRO_LREG = 0x40 };
    struct vector_scheduled instruction = vector_schedule(word, vd, sequence);
    if (sequence & KEEP_VD && !(sequence & FROM_MACRO_LREG)) {
        instruction.vd = (uint8_t)bits_get(word, 20, 4);
    }
    instruction.mod0 = (uint8_t)mod0;
    return instruction;
}

enum step execute_SFPLOADMACRO(struct tensix *tensix, unsigned thread, struct args_SFPLOADMACRO args)
{
    enum { STORE_MOD0 = 0, USES_LOAD_MOD0 = 4, DELAY_KIND = 8 };
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_macro *macro = &vector->macro;
    uint32_t index = args.lreg_ind >> 2, vd = (args.dest_reg_addr & 1) << 2 | (args.lreg_ind & 3), address = 0;
    const uint32_t *sequences = vector->load_macro.sequence[index], *misc = vector->load_macro.misc;
    struct vector_scheduled scheduled[VECTOR_SUB_UNITS];
    enum step step = check_lanes(tensix, sequences, "a sequence");
    if (step == STEP_DONE) {
        step = check_lanes(tensix, misc, "Misc");
    }
    uint32_t store_mod0 = misc[0] >> (USES_LOAD_MOD0 + index) & 1 ? args.instr_mod0 : bits_get(misc[0], STORE_MOD0, 4);
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS && step == STEP_DONE; unit++) {
        uint32_t sequence = sequences[0] >> unit * 8 & 0xff, word;
        step = select_word(tensix, (enum vector_sub_unit)unit, sequence, &word);
        scheduled[unit] =
            unit == VECTOR_STORE ? schedule_store(word, sequence, vd, store_mod0) : vector_schedule(word, vd, sequence);
    }
    if (step == STEP_DONE) {
        step = vector_load(tensix, thread,
                           (struct args_SFPLOAD){.lreg_ind = vd,
                                                 .instr_mod0 = args.instr_mod0,
                                                 .sfpu_addr_mode = args.sfpu_addr_mode,
                                                 .dest_reg_addr = args.dest_reg_addr},
                           &address);
    }
    if (step != STEP_DONE) {
        return step;
    }
    macro->thread = (uint8_t)thread;
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
        uint32_t sequence = sequences[0] >> unit * 8 & 0xff, delay = bits_get(sequence, 3, 3);
        if ((sequence & 7) == SELECT_NOTHING) {
            continue;
        }
        /* What waits for the same cycle is forgotten. */
        struct vector_scheduled *place = &macro->queue[unit][(macro->now + delay) % VECTOR_DELAYS];
        *place = scheduled[unit];
        place->address = (uint16_t)address;
        place->thread = (uint8_t)thread;
        place->pc = tensix->diagnostics->now.pc;
        macro->waiting[unit] |= (uint8_t)(1u << delay);
        uint32_t kind = misc[0] >> (DELAY_KIND + unit) & 1;
        macro->by_instruction[unit] = (uint8_t)((macro->by_instruction[unit] & ~(1u << delay)) | kind << delay);
        macro->active = true;
    }
    return STEP_DONE;
}

/* What instructions of one cycle have overwritten that others have yet to read. */
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

/* Where the instruction has changed nothing, what others have written stays. */
static uint32_t merge_bits(uint32_t now, uint32_t before, uint32_t others)
{
    return (now & (now ^ before)) | (others & ~(now ^ before));
}

/* What one instruction of a cycle does, given as a function of whom it reads and writes. */
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
    return vector_execute_scheduled(tensix, member->instruction, member->late, member->swap);
}

/* Performs it on what was there before the cycle. */
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

static bool is_idle(const struct vector_scheduled *instruction)
{
    return !instruction || instruction->word >> 24 == TENSIX_OPCODE_SFPNOP;
}

/* Which instructions must not meet in one cycle. */
static enum step check_company(struct tensix *tensix, const struct vector_scheduled *const *at, bool swapping)
{
    const struct vector_scheduled *simple = at[VECTOR_SIMPLE], *round = at[VECTOR_ROUND];
    if (!is_idle(simple) && !is_idle(round) && (simple->vd == LREG_MACRO) == (round->vd == LREG_MACRO)) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: the simple and the round sub-unit execute in the same cycle with destinations "
                        "%u and %u; exactly one of them must be LReg[16] (bit 6 of the sequence)",
                        simple->vd, round->vd);
    }
    if (!is_idle(simple) && simple->word >> 24 == TENSIX_OPCODE_SFPSWAP && !is_idle(at[VECTOR_MAD])) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: the MAD sub-unit executes in the same cycle as an SFPSWAP; schedule it for "
                        "another, or an SFPNOP");
    }
    if (swapping && (!is_idle(simple) || !is_idle(round))) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: the %s sub-unit executes in the second cycle of an SFPSWAP; it must be idle",
                        sub_unit_names[is_idle(simple) ? VECTOR_ROUND : VECTOR_SIMPLE]);
    }
    return STEP_DONE;
}

/* An instruction that software issues, and how. */
struct issue {
    struct vector_scheduled instruction;
    enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word);
};

/* Takes what is due out of the queues, and counts down. */
static void take_due(struct vector_macro *macro, bool issued, struct vector_scheduled *due,
                     const struct vector_scheduled **at)
{
    unsigned counts_instructions = 0;
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
        at[unit] = NULL;
        if (macro->waiting[unit] & 1) {
            due[unit] = macro->queue[unit][macro->now % VECTOR_DELAYS];
            at[unit] = &due[unit];
            macro->waiting[unit] &= (uint8_t)~1u;
        }
        counts_instructions |= macro->waiting[unit] & macro->by_instruction[unit];
    }
    if (issued || !counts_instructions) {
        for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
            macro->waiting[unit] >>= 1;
            macro->by_instruction[unit] >>= 1;
        }
        macro->now = (macro->now + 1) % VECTOR_DELAYS;
    }
}

static bool anything_left(const struct vector_macro *macro)
{
    uint32_t left = macro->swap.pending;
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
        left |= macro->waiting[unit];
    }
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        left |= macro->late[macro->parity][source].registers;
    }
    return left != 0;
}

/* Executes the instruction that is issued: first of all, as it may be refused, on what was there before the cycle. */
static enum step perform_issue(struct tensix *tensix, struct overlap *overlap, const struct issue *issue,
                               struct vector_late *late, struct vector_swap *swap)
{
    const struct vector_scheduled *instruction = &issue->instruction;
    if (vector_takes_two_cycles(instruction->word) && instruction->vd < LREG_TEMPLATES) {
        return vector_execute_scheduled(tensix, instruction, late, swap);
    }
    uint32_t writes = vector_writes(instruction);
    if (tensix->state->vector.any_lane_config & LANE_CONFIG_CAPTURE_DEFAULT_DEST_INDEX) {
        writes |= 0xf0; /* where a load puts the place */
    }
    keep_before(overlap, &tensix->state->vector, writes);
    return issue->run(tensix, instruction->thread, instruction->word);
}

/* One cycle. `issued`: an instruction is issued to the vector unit, that of `issue` unless it is null. */
static enum step cycle(struct tensix *tensix, const struct issue *issue, bool issued)
{
    static const uint8_t order[] = {VECTOR_STORE, VECTOR_ROUND, VECTOR_MAD, VECTOR_SIMPLE};
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_macro *macro = &vector->macro;
    struct vector_scheduled due[VECTOR_SUB_UNITS];
    const struct vector_scheduled *at[VECTOR_SUB_UNITS + 1]; /* that of the load sub-unit is not looked at */
    struct vector_late *arriving = macro->late[macro->parity], *leaving = macro->late[macro->parity ^ 1];
    struct vector_swap swap = macro->swap;
    struct overlap overlap;
    overlap.written = 0;
    take_due(macro, issued, due, at);
    macro->parity ^= 1;
    macro->swap.pending = false;
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        leaving[source].registers = 0;
    }
    enum vector_sub_unit issued_to = VECTOR_LOAD;
    if (issue) {
        issued_to = vector_sub_unit_of(issue->instruction.word >> 24);
        at[issued_to] = &issue->instruction;
    }
    enum step step = check_company(tensix, at, swap.pending);
    if (step == STEP_DONE && issue) {
        step = perform_issue(tensix, &overlap, issue, &leaving[issued_to == VECTOR_ROUND], &macro->swap);
        at[issued_to] = NULL;
    }
    if (swap.pending && step == STEP_DONE) {
        uint32_t both = 1u << swap.vc | 1u << swap.vd;
        both |= vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX ? 0xf0 : 0;
        step = perform_on_before(tensix, &overlap, &(struct member){.reads = both, .writes = both, .swap = &swap});
    }
    for (unsigned i = 0; i < COUNT_OF(order) && step == STEP_DONE; i++) {
        const struct vector_scheduled *instruction = at[order[i]];
        if (!is_idle(instruction)) {
            bool late = vector_takes_two_cycles(instruction->word);
            step = perform_on_before(tensix, &overlap,
                                     &(struct member){.reads = vector_reads(instruction),
                                                      .writes = late ? 0 : vector_writes(instruction),
                                                      .instruction = instruction,
                                                      .late = &leaving[order[i] == VECTOR_ROUND],
                                                      .swap = &macro->swap});
        }
    }
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        if (arriving[source].registers) {
            vector_write_late(vector, &arriving[source]);
            arriving[source].registers = 0;
        }
    }
    macro->active = anything_left(macro);
    return step;
}

/* Whether a cycle without any instruction brings something nearer. */
static bool time_helps(const struct vector_macro *macro)
{
    unsigned due = macro->swap.pending, counts_instructions = 0;
    for (unsigned source = 0; source < VECTOR_LATE_SOURCES; source++) {
        due |= macro->late[macro->parity][source].registers;
    }
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
        due |= macro->waiting[unit] & 1;
        counts_instructions |= macro->waiting[unit] & macro->by_instruction[unit];
    }
    return due || !counts_instructions;
}

void vector_let_time_pass(struct tensix *tensix)
{
    const struct vector_macro *macro = &tensix->state->vector.macro;
    if (!macro->active) {
        return;
    }
    struct diagnostic_origin now = tensix->diagnostics->now;
    while (macro->active && time_helps(macro) && cycle(tensix, NULL, false) == STEP_DONE) {
    }
    tensix->diagnostics->now = now;
}

/* Whether hardware makes a regular instruction wait for the result of one: scheduled ones nobody waits for. */
static bool must_wait(const struct vector_macro *macro, const struct vector_scheduled *instruction)
{
    const struct vector_late *late = macro->late[macro->parity];
    const struct vector_late *product = &late[VECTOR_LATE_MAD], *shuffled = &late[VECTOR_LATE_ROUND];
    if (product->regular && product->registers & (vector_reads(instruction) | vector_writes(instruction))) {
        return true;
    }
    bool two_cycles = (shuffled->regular && shuffled->registers) || (macro->swap.regular && macro->swap.pending);
    return two_cycles && instruction->word >> 24 != TENSIX_OPCODE_SFPNOP;
}

static enum step issue_to_vector_unit(struct tensix *tensix, const struct issue *issue)
{
    struct vector_macro *macro = &tensix->state->vector.macro;
    const struct vector_scheduled *instruction = &issue->instruction;
    if (must_wait(macro, instruction)) {
        enum step step = cycle(tensix, NULL, false);
        if (step != STEP_DONE) {
            return step;
        }
        tensix_now(tensix, instruction->thread, (struct pushed){.word = instruction->word, .pc = instruction->pc});
    }
    enum vector_sub_unit unit = vector_sub_unit_of(instruction->word >> 24);
    if (unit != VECTOR_LOAD && macro->waiting[unit] & 1) {
        enum step step =
            diagnose(tensix->diagnostics, BH_HAZARD,
                     "this instruction is discarded: in the same cycle the %s sub-unit executes what an SFPLOADMACRO "
                     "has scheduled; issue it in another cycle, or change the delays of the sequence",
                     sub_unit_names[unit]);
        return step == STEP_DONE ? cycle(tensix, NULL, true) : step;
    }
    return cycle(tensix, issue, true);
}

/* Another unit's instruction. That of the thread whose macros are under way takes a cycle; while it waits, time passes.
   Of others only those matter that may look at Dst, for which their thread has had to wait. */
static enum step issue_elsewhere(struct tensix *tensix, unsigned thread, uint32_t word,
                                 enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word))
{
    enum { C11_VECTOR_BUSY = 1 << 11 };
    unsigned opcode = word >> 24;
    if (thread != tensix->state->vector.macro.thread) {
        if (units[opcode] == TENSIX_MATRIX || units[opcode] == TENSIX_PACK) {
            vector_let_time_pass(tensix);
        }
        return run(tensix, thread, word);
    }
    enum step step = run(tensix, thread, word);
    if (step == STEP_WAIT || (opcode == TENSIX_OPCODE_STALLWAIT && word & C11_VECTOR_BUSY)) {
        vector_let_time_pass(tensix);
    } else if (step == STEP_DONE) {
        step = cycle(tensix, NULL, false);
    }
    return step;
}

enum step vector_cycle(struct tensix *tensix, unsigned thread, uint32_t word,
                       enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word))
{
    if (units[word >> 24] != TENSIX_VECTOR) {
        return issue_elsewhere(tensix, thread, word, run);
    }
    struct issue issue = {.instruction = vector_regular(word), .run = run};
    issue.instruction.thread = (uint8_t)thread;
    issue.instruction.pc = tensix->diagnostics->now.pc;
    return issue_to_vector_unit(tensix, &issue);
}
