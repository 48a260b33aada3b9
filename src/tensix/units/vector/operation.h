/* Decoded instructions of the vector unit, and of the counters that address its rows: those that do not wait, and that
   need no diagnostic, at least not in the state in which they execute. The engine executes rows of them at once
   (engine/trace.h). */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_OPERATION_H
#define BHEMU_TENSIX_UNITS_VECTOR_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix_isa.h"
#include "tensix/units/vector/vector.h"

struct tensix;
struct tensix_state;

enum vector_operation_kind {
    VECTOR_NOT_DECODED,
    VECTOR_NOTHING,         /* no effect; `immediate`: how many more without any follow in the trace, as far as known */
    VECTOR_WORDS,           /* vd = word_operation(vb, vc, immediate), one of units/vector/words.h */
    VECTOR_WORDS_AND_FLAGS, /* like VECTOR_WORDS, unless it has no operation; then its effect */
    VECTOR_SUM,             /* vd = va * vb + vc; VA_IMMEDIATE: immediate * vb + vc */
    VECTOR_COUNTERS,        /* sets the counters of SrcA, SrcB and Dst: counters.h */
    VECTOR_BY_UNIT          /* executed by its unit, without waiting or diagnostics; EFFECT_CONFIGURE: an SFPCONFIG that
                               `condition` describes */
};

/* The effect of an instruction on lane flags, or between LRegs, after its computation. */
enum vector_effect {
    EFFECT_NONE,
    EFFECT_COMPARE,    /* flags of enabled lanes become the condition */
    EFFECT_NARROW,     /* the same, but flags that are not in use are cleared */
    EFFECT_ENABLE,     /* SFPENCC; immediate: enum vector_enabling, condition: of the new flags */
    EFFECT_COMPLEMENT, /* SFPCOMPC */
    EFFECT_PUSH,
    EFFECT_POP,
    /* The effects below do not change flags. */
    EFFECT_EXCHANGE,  /* exchanges VD and VC where the condition holds; a VC that cannot be written keeps its value */
    EFFECT_CONFIGURE, /* each row of LReg[vc] becomes the first row of LReg[0], in lanes enabled in the first row */
    EFFECT_LOAD,      /* VD is loaded from Dst, at `immediate`, in `format` */
    EFFECT_STORE,     /* VC is stored to Dst */
    EFFECT_COUNT,     /* `immediate` is added to Dst's counter */
    EFFECT_ROUND,     /* VD = `rounding` of VC; random numbers advance */
    EFFECT_CONVERT,   /* VD = `rounding` of VC; WORDS_NONE: its approximate reciprocal */
    EFFECT_LOOK_UP,   /* VD = a piecewise linear function of VC; immediate: Mod of the instruction, vb: format of the
                         coefficients */
    EFFECT_SHUFFLE    /* moves values of VC, or of all LRegs, between lanes or LRegs; immediate: enum vector_shuffle */
};

/* The format of EFFECT_LOOK_UP's coefficients. */
enum vector_look_up { LOOK_UP_8_BITS, LOOK_UP_16_BITS, LOOK_UP_FP32 };

/* The modes of SFPSHFT2 that move values; and SFPTRANSP. */
enum vector_shuffle {
    SHUFFLE_COPY4,
    SHUFFLE_CHAINED_COPY4,
    SHUFFLE_SHFLROR1_AND_COPY4,
    SHUFFLE_SHFLROR1,
    SHUFFLE_SHFLSHR1,
    SHUFFLE_TRANSPOSE
};

/* Conditions on LReg `tested`, as a number, unless said otherwise. */
enum vector_condition {
    CONDITION_NEVER,
    CONDITION_ALWAYS,
    CONDITION_NOT_SET, /* the lane flag is not */
    CONDITION_NEGATIVE,
    CONDITION_NOT_NEGATIVE,
    CONDITION_ZERO,
    CONDITION_NOT_ZERO,
    CONDITION_32,
    CONDITION_NOT_32,
    CONDITION_GREATER, /* vb > vc, as sign-magnitude integers or floats */
    CONDITION_NOT_GREATER,
    CONDITION_UNSORTED /* vd > vc in the lanes of `immediate`, vd < vc in the others */
};

/* What an SFPCONFIG of VECTOR_BY_UNIT does: something else to LaneConfig; or the words that `vc` names become
   `immediate`, or LReg[0] & immediate, in all lanes. */
enum vector_configuration { CONFIGURE_LANES_OTHERWISE, CONFIGURE_IMMEDIATE, CONFIGURE_FROM_LREG };

/* The effect on UseLaneFlagsForLaneEnable. */
enum vector_enabling { ENABLE_UNCHANGED, ENABLE_INVERTED, ENABLE_ALL_LANES, ENABLE_LANE_FLAGS };

/* In place of the number of an LReg. */
enum { VA_IMMEDIATE = SFPU_LREGS };

struct vector_operation {
    uint32_t word; /* the decoded instruction */
    uint32_t immediate;
    union {
        struct {
            uint32_t x_sign, z_sign; /* VECTOR_SUM: masks that invert the signs of VA and VC */
        };
        struct {
            uint32_t srca, srcb; /* VECTOR_COUNTERS, with Dst's in `immediate` */
        };
        uint32_t
            row_masked; /* EFFECT_CONFIGURE, of LaneConfig by CONFIGURE_IMMEDIATE: lanes that ROW_MASK switches off */
    };
    uint8_t kind;    /* enum vector_operation_kind */
    uint8_t handler; /* the function that executes it, and the offsets of VD, VB and VC in the vector unit:
                        engine/portable.h */
    uint16_t d, b, c;
    uint8_t word_operation; /* enum vector_word_operation; WORDS_NONE: none */
    uint8_t vd, vb, vc;
    union {
        uint8_t va;       /* VECTOR_SUM */
        uint8_t tested;   /* VECTOR_WORDS_AND_FLAGS */
        uint8_t format;   /* EFFECT_LOAD, EFFECT_STORE: enum mod0 */
        uint8_t rounding; /* EFFECT_ROUND, EFFECT_CONVERT: enum vector_word_operation; vb: enum rounding */
    };
    union {
        bool chooses_vb;   /* VECTOR_WORDS: SFPLOADMACRO may choose another VB */
        uint8_t addr_mode; /* EFFECT_LOAD, EFFECT_STORE */
    };
    uint8_t effect : 4, condition : 4; /* VECTOR_WORDS_AND_FLAGS: enum vector_effect, enum vector_condition */
};

/* Decodes an instruction; VECTOR_NOT_DECODED for all others. */
struct vector_operation vector_decode(uint32_t word);

/* Whether *second writes all that *first does, an SFPCONFIG that nothing between them has read. */
bool vector_configures_anew(const struct vector_operation *first, const struct vector_operation *second);

/* Opcodes from the vector unit's first on, and the others that can be decoded: tensix_may_be_traced() tests them. */
enum { VECTOR_FIRST_OPCODE = TENSIX_OPCODE_SFPLOAD };
#define VECTOR_MAY_BE_DECODED(opcode)                                                                                  \
    ((opcode) >= VECTOR_FIRST_OPCODE || (opcode) == TENSIX_OPCODE_INCRWC || (opcode) == TENSIX_OPCODE_SETRWC ||        \
     (opcode) == TENSIX_OPCODE_NOP || (opcode) == TENSIX_OPCODE_DMANOP)

/* Whether an instruction's opcode is at or behind the vector unit's first one. */
static inline bool vector_has_opcode(uint32_t word)
{
    return word >> 24 >= VECTOR_FIRST_OPCODE;
}

/* Warns if `word`, executed in the cycle after `before`, reads a result that is not written yet. */
enum step vector_check_pair(struct tensix *tensix, uint32_t before, uint32_t word);

#endif
