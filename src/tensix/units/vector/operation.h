/* Instructions of the vector unit, and of the counters by which it finds its rows, in decoded form: those that do not
   wait, and for which no diagnostic is possible, or at least not in the state that they find when they execute. Rows of
   them are what the engine executes at once (engine/trace.h). */
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
    VECTOR_NOTHING,         /* what has no effect */
    VECTOR_WORDS,           /* vd = word_operation(vb, vc, immediate), one of units/vector/words.h */
    VECTOR_WORDS_AND_FLAGS, /* the same, if it has an operation, then its effect */
    VECTOR_SUM,             /* vd = va * vb + vc; VA_IMMEDIATE: immediate * vb + vc */
    VECTOR_BY_UNIT          /* what its unit does, which does not wait and has no diagnostic */
};

/* What an instruction does to lane flags, or between LRegs, after it has computed. */
enum vector_effect {
    EFFECT_NONE,
    EFFECT_COMPARE,    /* those of enabled lanes become the condition */
    EFFECT_NARROW,     /* the same, but they are cleared where lane flags do not decide */
    EFFECT_ENABLE,     /* SFPENCC; immediate: enum vector_enabling, condition: what they become */
    EFFECT_COMPLEMENT, /* SFPCOMPC */
    EFFECT_PUSH,
    EFFECT_POP,
    /* The others do nothing to them. */
    EFFECT_EXCHANGE,  /* where the condition is met, VD and VC change places; a VC that cannot be written stays */
    EFFECT_CONFIGURE, /* each row of LReg[vc] gets the first of LReg[0], in lanes that the first row enables */
    EFFECT_LOAD,      /* VD is loaded from Dst, at `immediate`, in `format` */
    EFFECT_STORE,     /* VC is stored to Dst */
    EFFECT_COUNT,     /* `immediate` is added to Dst's counter */
    EFFECT_ROUND,     /* VD = `rounding` of VC; random numbers advance */
    EFFECT_CONVERT,   /* VD = `rounding` of VC; WORDS_NONE: its approximate reciprocal */
    EFFECT_LOOK_UP,   /* VD = a piecewise linear function of VC; immediate: Mod of the instruction, vb: of what */
    EFFECT_SHUFFLE    /* values of VC, or of all LRegs, move between lanes or LRegs; immediate: enum vector_shuffle */
};

/* What coefficients are that EFFECT_LOOK_UP chooses. */
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

/* Of LReg `tested`, as a number, unless said otherwise. */
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
    CONDITION_GREATER, /* vb comes after vc, as sign-magnitude integers or floats */
    CONDITION_NOT_GREATER,
    CONDITION_UNSORTED /* vd comes after vc, in the lanes of `immediate`, or before it, in others */
};

/* What becomes of UseLaneFlagsForLaneEnable. */
enum vector_enabling { ENABLE_UNCHANGED, ENABLE_INVERTED, ENABLE_ALL_LANES, ENABLE_LANE_FLAGS };

/* In place of an LReg's number. */
enum { VA_IMMEDIATE = SFPU_LREGS };

struct vector_operation {
    uint32_t word; /* of which this is the operation */
    uint32_t immediate;
    uint32_t x_sign, z_sign; /* VECTOR_SUM: the signs of VA and VC are inverted by these masks first */
    uint8_t kind;            /* enum vector_operation_kind */
    uint8_t handler;         /* what executes it, and where VD, VB and VC lie in the vector unit: engine/portable.h */
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

/* The operation of an instruction; VECTOR_NOT_DECODED for all others. */
struct vector_operation vector_decode(uint32_t word);

/* Opcodes from the vector unit's first on, and those of the others that have operations: a test that is cheaper than to
   look an instruction up. */
enum { VECTOR_FIRST_OPCODE = TENSIX_OPCODE_SFPLOAD };
#define VECTOR_MAY_BE_DECODED(opcode)                                                                                  \
    ((opcode) >= VECTOR_FIRST_OPCODE || (opcode) == TENSIX_OPCODE_INCRWC || (opcode) == TENSIX_OPCODE_SETRWC)

/* Whether an instruction is one of the vector unit, or comes behind all of those. */
static inline bool vector_has_opcode(uint32_t word)
{
    return word >> 24 >= VECTOR_FIRST_OPCODE;
}

/* Whether an instruction may have a operation. */
static inline bool vector_may_be_decoded(uint32_t word)
{
    return VECTOR_MAY_BE_DECODED(word >> 24);
}

/* Warns if `word`, executed in the cycle after `before`, reads what that has not written yet. */
enum step vector_check_pair(struct tensix *tensix, uint32_t before, uint32_t word);

#endif
