/* Shared by the instructions of the vector unit: the lanes in which they execute, and operations on whole LRegs.
   Internal to units/vector/. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_PARTS_H
#define BHEMU_TENSIX_UNITS_VECTOR_PARTS_H

#include "tensix/num/clones.h"
#include "tensix/units/execute.h"
#include "tensix/units/state.h"
#include "tensix/units/vector/operation.h"

enum { LREG_WRITABLE = 8, LREG_ZERO = 9, LREG_ONE, LREG_TEMPLATES = 12, LREG_MACRO = 16, LREG_INDIRECT = 7 };

#define ALL_LANES UINT32_MAX
#define SIGN_BIT 0x80000000u
#define EXPONENT_BITS 0x7f800000u
#define MANTISSA_BITS 0x007fffffu

/* vd = f(vb, vc, immediate) in `lanes`. The LRegs may be the same. */
typedef void lane_operation(uint32_t *vd, const uint32_t *vb, const uint32_t *vc, uint32_t immediate, uint32_t lanes);

/* The lanes whose LaneConfig has `bit` set. */
uint32_t vector_configured_lanes(const struct vector_unit *vector, uint32_t bit);

/* LRegs with the indices that SFPSWAP moves along with LReg[vc] and LReg[vd] while ENABLE_DEST_INDEX is set, a bit
 * each. */
static inline uint32_t vector_swapped_indices(uint32_t vc, uint32_t vd)
{
    enum { INDEX_BANK = 4 };
    return 1u << (INDEX_BANK + (vc & 3)) | 1u << (INDEX_BANK + (vd & 3));
}

/* vector_begin() for destinations from 12 on: in lanes without DISABLE_BACKDOOR_LOAD the instruction does not execute
   but becomes InstructionTemplate[vd - 12]. */
enum step vector_begin_backdoor(struct tensix *tensix, uint32_t vd, uint32_t *executing);

/* vector_begin_result() while ENABLE_DEST_INDEX is set. */
enum step vector_warn_of_index_bank(struct tensix *tensix, uint32_t vd);

/* Begins an instruction whose destination field is `vd`: *lanes becomes the lanes in which it executes, enabled or
   not. */
static inline enum step vector_begin(struct tensix *tensix, uint32_t vd, uint32_t *executing)
{
    *executing = ALL_LANES;
    return __builtin_expect(vd < LREG_TEMPLATES, 1) ? STEP_DONE : vector_begin_backdoor(tensix, vd, executing);
}

/* The same for instructions that write their result to LReg[vd]: all except loads, stores, moves of whole LRegs and
   those that only set flags. */
static inline enum step vector_begin_result(struct tensix *tensix, uint32_t vd, uint32_t *executing)
{
    if (__builtin_expect((tensix->state->vector.any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) && vd - 4 < 4, 0)) {
        enum step step = vector_warn_of_index_bank(tensix, vd);
        if (step != STEP_DONE) {
            return step;
        }
    }
    return vector_begin(tensix, vd, executing);
}

/* LReg[0..7], and LReg[16] within SFPLOADMACRO; writes to the others have no effect. */
static inline bool vector_writable(uint32_t vd)
{
    return vd < LREG_WRITABLE || vd == LREG_MACRO;
}

/* Put before a loop over lanes: lanes are independent even if the LRegs are the same. */
#if defined(__clang__)
#define LANES_ARE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES_ARE_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Defines a lane_operation whose result is `expression`, of the lane's values b and c, of `immediate`, and of the
   lane's number. Most instructions execute in all lanes, which is the fast path. */
#define LANE_OPERATION(name, expression) LANE_OPERATION_BY(STATIC_CLONES, name, expression)

/* By CLONES or by STATIC_CLONES. */
#define LANE_OPERATION_BY(clones, name, expression)                                                                    \
    clones(void, name, (uint32_t * vd, const uint32_t *vb, const uint32_t *vc, uint32_t immediate, uint32_t lanes),    \
           (vd, vb, vc, immediate, lanes))                                                                             \
    {                                                                                                                  \
        if (__builtin_expect(lanes == ALL_LANES, 1)) {                                                                 \
            LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                   \
            {                                                                                                          \
                uint32_t b = vb[lane], c = vc[lane];                                                                   \
                (void)b, (void)c;                                                                                      \
                vd[lane] = (expression);                                                                               \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                       \
        {                                                                                                              \
            uint32_t b = vb[lane], c = vc[lane];                                                                       \
            uint32_t d = (expression);                                                                                 \
            (void)b, (void)c;                                                                                          \
            vd[lane] = lanes >> lane & 1 ? d : vd[lane];                                                               \
        }                                                                                                              \
    }

/* Executes an instruction that is one lane_operation. *written, unless null: the lanes that got a result. */
static inline enum step vector_lanewise(struct tensix *tensix, uint32_t vd, uint32_t vb, uint32_t vc,
                                        uint32_t immediate, lane_operation *operation, uint32_t *written)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing, lanes = 0;
    enum step step = vector_begin_result(tensix, vd, &executing);
    if (step == STEP_DONE && vector_writable(vd)) {
        lanes = executing & vector_enabled_lanes(vector);
        operation(vector->lreg[vd], vector->lreg[vb], vector->lreg[vc], immediate, lanes);
    }
    if (written) {
        *written = lanes;
    }
    return step;
}

/* The LReg that an instruction reads as VB (VC): `usual`, unless SFPLOADMACRO has chosen another. */
static inline uint32_t vector_source_b(const struct vector_unit *vector, uint32_t usual)
{
    return __builtin_expect(vector->macro.source_b != 0, 0) ? vector->macro.source_b - 1u : usual;
}

static inline uint32_t vector_source_c(const struct vector_unit *vector, uint32_t usual)
{
    return __builtin_expect(vector->macro.source_c != 0, 0) ? vector->macro.source_c - 1u : usual;
}

/* vector_decode_NAME() of each instruction that is DECODED in tables/tensix.def, defined by its unit. */
#define VECTOR_DECODE_DECODED(name) struct vector_operation vector_decode_##name(struct args_##name args);
#define VECTOR_DECODE_NOT_DECODED(name)
#define TENSIX_FACTS(name, sub_unit, decoded, ...) VECTOR_DECODE_##decoded(name)
#include "tensix.def"
#undef VECTOR_DECODE_DECODED
#undef VECTOR_DECODE_NOT_DECODED

/* By enum vector_word_operation (units/vector/words.h). */
extern lane_operation *const vector_lane_operations[];

/* The operation vd = operation(vb, vc, immediate), given by enum vector_word_operation. */
static inline struct vector_operation vector_lanewise_operation(unsigned word_operation, uint32_t vd, uint32_t vb,
                                                                uint32_t vc, uint32_t immediate)
{
    return (struct vector_operation){
        .kind = VECTOR_WORDS,
        .word_operation = (uint8_t)word_operation,
        .vd = (uint8_t)vd,
        .vb = (uint8_t)vb,
        .vc = (uint8_t)vc,
        .immediate = immediate,
    };
}

/* The same for instructions whose VB is VD, or chosen by SFPLOADMACRO. */
static inline struct vector_operation vector_updating_operation(unsigned word_operation, uint32_t vd, uint32_t vc,
                                                                uint32_t immediate)
{
    struct vector_operation operation = vector_lanewise_operation(word_operation, vd, vd, vc, immediate);
    operation.chooses_vb = true;
    return operation;
}

/* The same; afterwards lane flags of enabled lanes become a condition of VD. */
static inline struct vector_operation vector_comparing_operation(struct vector_operation operation,
                                                                 enum vector_condition condition)
{
    operation.kind = VECTOR_WORDS_AND_FLAGS;
    operation.effect = EFFECT_COMPARE;
    operation.condition = (uint8_t)condition;
    operation.tested = operation.vd;
    return operation;
}

/* The operation of an instruction that only changes lane flags. Its destination is ignored. */
static inline struct vector_operation vector_effect_operation(enum vector_effect effect, uint32_t vd)
{
    return (struct vector_operation){.kind = VECTOR_WORDS_AND_FLAGS, .effect = (uint8_t)effect, .vd = (uint8_t)vd};
}

/* The operation of an effect that reads VC, writes VD, or both. */
static inline struct vector_operation vector_moving_operation(enum vector_effect effect, uint32_t vd, uint32_t vc,
                                                              uint32_t immediate)
{
    struct vector_operation operation = vector_effect_operation(effect, vd);
    operation.vc = (uint8_t)vc;
    operation.immediate = immediate;
    return operation;
}

/* Executes an instruction through its operation, with the VB that SFPLOADMACRO has chosen; the caller updates the
   flags. */
static inline enum step vector_execute_operation(struct tensix *tensix, struct vector_operation operation,
                                                 uint32_t *written)
{
    uint32_t vb = operation.chooses_vb ? vector_source_b(&tensix->state->vector, operation.vb) : operation.vb;
    return vector_lanewise(tensix, operation.vd, vb, operation.vc, operation.immediate,
                           vector_lane_operations[operation.word_operation], written);
}

/* FlagStack: its top entry, with `missing` lanes whose stack is empty; and replacing it in those of `lanes` that have
   one. */
struct vector_flags vector_stack_top(const struct vector_unit *vector);
void vector_stack_replace(struct vector_unit *vector, uint32_t lanes, struct vector_flags top);

/* SFPPUSHC and SFPPOPC in `lanes`. */
enum step vector_push(struct tensix *tensix, uint32_t lanes, uint32_t mod1);
enum step vector_pop(struct tensix *tensix, uint32_t lanes, uint32_t mod1);

/* SFPLOAD for SFPLOADMACRO; *address: its address in Dst. */
enum step vector_load(struct tensix *tensix, unsigned thread, struct args_SFPLOAD args, uint32_t *address);

/* The load that it is. */
struct args_SFPLOAD vector_load_of_macro(struct args_SFPLOADMACRO args);

/* SFPSTORE to an address in Dst, in those of `executing` lanes that are enabled. */
void vector_store(struct tensix *tensix, unsigned thread, uint32_t vd, uint32_t mod0, uint32_t address,
                  uint32_t executing);

/* SFPSWAP's two cycles: determines in which of `executing` lanes it exchanges; exchanges. */
enum step vector_swap_compare(struct tensix *tensix, struct args_SFPSWAP args, uint32_t executing, uint32_t *lanes);
void vector_swap_exchange(struct vector_unit *vector, uint32_t vc, uint32_t vd, uint32_t lanes);

/* Lanes of an LReg whose highest bit is set, and lanes that are not zero. */
uint32_t vector_negative_lanes(const uint32_t *lreg);
uint32_t vector_nonzero_lanes(const uint32_t *lreg);

/* Lanes in which `smaller` < `larger` as sign-magnitude integers, or as floats in the total order -NaN < -Inf < ... <
   -0 < +0 < ... < +Inf < +NaN. */
uint32_t vector_smaller_lanes(const uint32_t *smaller, const uint32_t *larger);

/* AdvancePRNG of the documentation in `lanes`; numbers[] gets its return value in all lanes. */
void vector_advance_prng(struct vector_unit *vector, uint32_t lanes, uint32_t *numbers);

/* Copies `value` in `lanes` to the LReg that the low four bits of LReg[7] select lane by lane, if it can be written. */
void vector_write_indirect(struct vector_unit *vector, const uint32_t *value, uint32_t lanes);

/* `there` in the lanes of `lanes`, `elsewhere` in the others. */
static inline uint32_t vector_select(uint32_t lanes, uint32_t there, uint32_t elsewhere)
{
    return (there & lanes) | (elsewhere & ~lanes);
}

/* Sets LaneFlags to `flags` in `lanes`. */
static inline void vector_set_flags(struct vector_unit *vector, uint32_t lanes, uint32_t flags)
{
    vector->lane_flags = vector_select(lanes, flags, vector->lane_flags);
}

/* Copies `value` to LReg[vd] in `lanes`, if it can be written. */
void vector_write(struct vector_unit *vector, uint32_t vd, const uint32_t *value, uint32_t lanes);

#endif
