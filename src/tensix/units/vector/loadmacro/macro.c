/* SFPLOADMACRO: its load, and the scheduling. Source: ISA documentation SFPLOADMACRO.md;
   units/vector/loadmacro/macro.h describes the model. */
#include "tensix/units/vector/loadmacro/macro.h"

#include <string.h>

#include "tensix/units/dispatch.h"
#include "tensix/units/vector/loadmacro/cycles.h"
#include "util/bits.h"

enum { SELECT_NOTHING, SELECT_UNDEFINED, SELECT_SFPNOP, SELECT_SFPSTORE, SELECT_TEMPLATE };

static bool same_in_all_lanes(const uint32_t *lanes)
{
    return memcmp(lanes, lanes + 1, (SFPU_LANES - 1) * sizeof *lanes) == 0;
}

/* Whether the configuration that macro `index` uses is the same in all lanes. */
static bool same_macro_in_all_lanes(const struct vector_unit *vector, unsigned index)
{
    const uint32_t *sequences = vector->load_macro.sequence[index];
    bool same = same_in_all_lanes(sequences) && same_in_all_lanes(vector->load_macro.misc);
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS && same; unit++) {
        uint32_t selector = sequences[0] >> unit * 8 & 7;
        same = selector < SELECT_TEMPLATE ||
               same_in_all_lanes(vector->load_macro.instruction_template[selector - SELECT_TEMPLATE]);
    }
    return same;
}

/* The word that the eight bits `sequence` select for a sub-unit in a lane. SELECT_NOTHING gives no word. */
static enum step select_word(struct tensix *tensix, enum vector_sub_unit unit, uint32_t sequence, unsigned lane,
                             uint32_t *word)
{
    uint32_t selector = sequence & 7;
    *word = (uint32_t)TENSIX_OPCODE_SFPNOP << 24;
    if (selector == SELECT_UNDEFINED) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPLOADMACRO: no meaning is documented for 1 as the choice of an instruction (bits 2:0 of "
                        "the sequence of the %s sub-unit)",
                        vector_sub_unit_names[unit]);
    }
    if (selector == SELECT_SFPSTORE) {
        *word = (uint32_t)TENSIX_OPCODE_SFPSTORE << 24;
    } else if (selector >= SELECT_TEMPLATE) {
        *word = tensix->state->vector.load_macro.instruction_template[selector - SELECT_TEMPLATE][lane];
    }
    unsigned opcode = *word >> 24;
    if (!vector_executes(opcode) || vector_sub_unit_of(opcode) != unit) {
        *word = (uint32_t)TENSIX_OPCODE_SFPNOP
                << 24; /* an instruction that the sub-unit can not execute only occupies it */
        if (unit == VECTOR_STORE && selector != SELECT_NOTHING) {
            return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                            "SFPLOADMACRO: the store sub-unit executes nothing but SFPSTORE");
        }
    }
    return tensix_sets_reserved_bits(*word) ? tensix_check_word(tensix, *word) : STEP_DONE;
}

/* Schedules an SFPSTORE: bits 7:6 of its sequence select the LReg, Misc the format. */
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

/* What an SFPLOADMACRO schedules. */
struct operation {
    struct vector_scheduled instruction[VECTOR_SUB_UNITS];
    uint8_t units;                   /* one bit for each sub-unit with an instruction */
    uint8_t delay[VECTOR_SUB_UNITS]; /* of these instructions */
    uint8_t by_instruction;          /* one bit for each: its delay counts instructions */
};

static uint32_t loaded_lreg(struct args_SFPLOADMACRO args)
{
    return (args.dest_reg_addr & 1) << 2 | (args.lreg_ind & 3);
}

struct args_SFPLOAD vector_load_of_macro(struct args_SFPLOADMACRO args)
{
    return (struct args_SFPLOAD){.lreg_ind = loaded_lreg(args),
                                 .instr_mod0 = args.instr_mod0,
                                 .sfpu_addr_mode = args.sfpu_addr_mode,
                                 .dest_reg_addr = args.dest_reg_addr};
}

/* Plans the instructions to be scheduled in a lane. */
static enum step plan_lane(struct tensix *tensix, struct args_SFPLOADMACRO args, unsigned lane,
                           struct operation *operation)
{
    enum { STORE_MOD0 = 0, USES_LOAD_MOD0 = 4, DELAY_KIND = 8 };
    const struct vector_unit *vector = &tensix->state->vector;
    uint32_t index = args.lreg_ind >> 2, vd = loaded_lreg(args);
    uint32_t sequences = vector->load_macro.sequence[index][lane], misc = vector->load_macro.misc[lane];
    uint32_t store_mod0 = misc >> (USES_LOAD_MOD0 + index) & 1 ? args.instr_mod0 : bits_get(misc, STORE_MOD0, 4);
    operation->units = 0;
    operation->by_instruction = (uint8_t)bits_get(misc, DELAY_KIND, 4);
    for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
        uint32_t sequence = sequences >> unit * 8 & 0xff, word;
        enum step step = select_word(tensix, (enum vector_sub_unit)unit, sequence, lane, &word);
        if (step != STEP_DONE) {
            return step;
        }
        operation->instruction[unit] =
            unit == VECTOR_STORE ? schedule_store(word, sequence, vd, store_mod0) : vector_schedule(word, vd, sequence);
        operation->delay[unit] = (uint8_t)bits_get(sequence, 3, 3);
        operation->units |= (uint8_t)(((sequence & 7) != SELECT_NOTHING) << unit);
    }
    return STEP_DONE;
}

/* Plans those of each column. */
static enum step plan_columns(struct tensix *tensix, struct args_SFPLOADMACRO args, struct operation *operations)
{
    enum { STORE = 1 << VECTOR_STORE };
    for (unsigned column = 0; column < VECTOR_COLUMNS; column++) {
        enum step step = plan_lane(tensix, args, column, &operations[column]);
        if (step == STEP_DONE && (operations[column].units ^ operations[0].units) & STORE) {
            step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                            "SFPLOADMACRO: the sequence of lane %u has an SFPSTORE and that of lane %u has none; all "
                            "lanes must schedule one, or none",
                            operations[0].units & STORE ? 0 : column, operations[0].units & STORE ? column : 0);
        }
        if (step != STEP_DONE) {
            return step;
        }
    }
    return STEP_DONE;
}

/* Adds instructions to the queue; those that wait for the same cycle already are discarded. */
static void schedule(struct vector_macro *macro, struct vector_queue *queue, const struct operation *operation)
{
    for (uint32_t left = operation->units; left; left &= left - 1) {
        unsigned unit = (unsigned)__builtin_ctz(left), delay = operation->delay[unit];
        queue->at[unit][(macro->now + delay) % VECTOR_DELAYS] = operation->instruction[unit];
        queue->waiting[unit] |= (uint8_t)(1u << delay);
        unsigned others = queue->by_instruction[unit] & ~(1u << delay), kind = operation->by_instruction >> unit & 1;
        queue->by_instruction[unit] = (uint8_t)(others | kind << delay);
        macro->active = true;
    }
}

/* From here on each column has a queue. */
static void part_columns(struct vector_macro *macro)
{
    macro->apart = true;
    for (unsigned column = 1; column < VECTOR_COLUMNS; column++) {
        macro->queue[column] = macro->queue[0];
    }
}

enum step execute_SFPLOADMACRO(struct tensix *tensix, unsigned thread, struct args_SFPLOADMACRO args)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_macro *macro = &vector->macro;
    struct operation operations[VECTOR_COLUMNS];
    uint32_t address = 0;
    bool same = __builtin_expect(same_macro_in_all_lanes(vector, args.lreg_ind >> 2), 1);
    enum step step = same ? plan_lane(tensix, args, 0, operations) : plan_columns(tensix, args, operations);
    if (step == STEP_DONE) {
        step = vector_load(tensix, thread, vector_load_of_macro(args), &address);
    }
    if (step != STEP_DONE) {
        return step;
    }
    macro->thread = (uint8_t)thread;
    if (!same && !macro->apart) {
        part_columns(macro);
    }
    for (unsigned column = 0; column < (macro->apart ? VECTOR_COLUMNS : 1); column++) {
        struct operation *operation = &operations[same ? 0 : column];
        for (unsigned unit = 0; unit < VECTOR_SUB_UNITS; unit++) {
            operation->instruction[unit].address = (uint16_t)address;
            operation->instruction[unit].thread = (uint8_t)thread;
            operation->instruction[unit].pc = tensix->diagnostics->now.pc;
        }
        schedule(macro, &macro->queue[column], operation);
    }
    macro->apart &= macro->active;
    return STEP_DONE;
}

TENSIX_RUN(SFPLOADMACRO)
