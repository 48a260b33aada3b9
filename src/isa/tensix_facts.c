#include "isa/tensix_facts.h"

/* What an entry must have: one TENSIX_FACTS line, and lines that say what it reads and what it writes; for the vector
   unit a sub-unit, and where VD stands. */
enum {
#define TENSIX_BEGIN(name, ...) FACTS_OF_##name = 0
#define TENSIX_FACTS(...) +1
#define TENSIX_END(...) ,
#include "tensix.def"
#define TENSIX_BEGIN(name, ...) READ_LINES_OF_##name = 0
#define TENSIX_SOURCE(...) +1
#define TENSIX_READS(...) +1
#define TENSIX_END(...) ,
#include "tensix.def"
#define TENSIX_BEGIN(name, ...) WRITE_LINES_OF_##name = 0
#define TENSIX_RESULT(...) +1
#define TENSIX_WRITES(...) +1
#define TENSIX_END(...) ,
#include "tensix.def"
#define TENSIX_BEGIN(name, opcode, unit, ...) IS_OF_VECTOR_UNIT_##name = TENSIX_##unit == TENSIX_VECTOR,
#include "tensix.def"
    NEEDS_VD_IN_NONE = 0,
    NEEDS_VD_IN_LOAD = 0,
    NEEDS_VD_IN_STORE = 0,
    NEEDS_VD_IN_SIMPLE = 1,
    NEEDS_VD_IN_MAD = 1,
    NEEDS_VD_IN_ROUND = 1
};
#define IS_VD_VD +1
#define IS_VD_VC
#define IS_VD_GPR
#define IS_VD_GPR_GROUP
#define IS_VD_GPR_HALF
#define IS_VD_GPR_OF_HALF
#define IS_VD_GPR_GROUP_OF_HALF
#define IS_VD_DST_ROW
#define IS_VD_SRCA_ROW
#define IS_VD_SRCB_ROW
enum {
#define TENSIX_BEGIN(name, ...) VD_LINES_OF_##name = 0
#define TENSIX_RESULT(name, kind, ...) IS_VD_##kind
#define TENSIX_END(...) ,
#include "tensix.def"
};
#define TENSIX_BEGIN(name, ...)                                                                                        \
    _Static_assert(FACTS_OF_##name == 1, #name ": tensix.def needs one TENSIX_FACTS line for it");                     \
    _Static_assert(READ_LINES_OF_##name > 0,                                                                           \
                   #name ": tensix.def does not say what it reads: TENSIX_SOURCE, or TENSIX_READS, if only NOTHING");  \
    _Static_assert(WRITE_LINES_OF_##name > 0, #name                                                                    \
                   ": tensix.def does not say what it writes: TENSIX_RESULT, or TENSIX_WRITES, if only NOTHING");
#define TENSIX_FACTS(name, sub_unit, ...)                                                                              \
    _Static_assert((TENSIX_SUB_UNIT_##sub_unit != TENSIX_SUB_UNIT_NONE) == IS_OF_VECTOR_UNIT_##name,                   \
                   #name ": instructions of the vector unit have a sub-unit, others have NONE");                       \
    _Static_assert(!NEEDS_VD_IN_##sub_unit || VD_LINES_OF_##name > 0,                                                  \
                   #name ": tensix.def does not say where VD stands: TENSIX_RESULT, if only NEVER");
#include "tensix.def"

enum {
    TENSIX_TTSYNC_0,
    TENSIX_TTSYNC_1,
    TENSIX_TTSYNC_2,
    TENSIX_TTSYNC_3,
    TENSIX_TTSYNC_4,
    TENSIX_TTSYNC_5,
    TENSIX_TTSYNC_6,
    TENSIX_TTSYNC_7,
    TENSIX_TTSYNC_8,
    TENSIX_TTSYNC_9,
    TENSIX_TTSYNC_10,
    TENSIX_TTSYNC_11,
    TENSIX_TTSYNC_12,
    TENSIX_TTSYNC_13,
    TENSIX_TTSYNC_14,
    TENSIX_TTSYNC_15,
};
enum { TENSIX_NOT_DECODED, TENSIX_DECODED };
enum { TENSIX_PROCEEDS, TENSIX_WAITS };

const struct tensix_facts tensix_facts[256] = {
#define TENSIX_FACTS(name, sub_unit_, decoded_, ttsync_, waits_)                                                       \
    [TENSIX_OPCODE_##name] = {.known = true,                                                                           \
                              .sub_unit = TENSIX_SUB_UNIT_##sub_unit_,                                                 \
                              .ttsync = TENSIX_TTSYNC_##ttsync_,                                                       \
                              .decoded = TENSIX_##decoded_,                                                            \
                              .waits = TENSIX_##waits_},
#include "tensix.def"
};

/* From here on a line becomes a statement within its instruction's case, where each field is a variable. */
enum { NEVER, ALWAYS };
#define TENSIX_USE_LREGS(mask) ((uint64_t)(mask))
#define LREG(index) ((uint64_t)1 << (index))
#define CASE(name, ...) case TENSIX_OPCODE_##name: {
#define FIELD(name, field, shift, width)                                                                               \
    const uint32_t field = word >> (shift) & ((1u << (width)) - 1);                                                    \
    (void)field;
#define CASE_END(...)                                                                                                  \
    break;                                                                                                             \
    }

/* Where an operand stands: of several lines the last that holds says it, of those that do not the first. */
#define PLACE(operand, field, when)                                                                                    \
    if (!placed_##operand || (when)) {                                                                                 \
        placed_##operand = true;                                                                                       \
        operands.operand = (field)&15;                                                                                 \
    }
#define PLACE_VB(field, when) PLACE(vb, field, when)
#define PLACE_VC(field, when) PLACE(vc, field, when)
#define PLACE_VD(field, when) PLACE(vd, field, when)
#define PLACE_CHOSEN_VB PLACE_VB
#define PLACE_CHOSEN_VC PLACE_VC
#define PLACE_VA(...)
#define PLACE_GPR(...)
#define PLACE_GPR_GROUP(...)
#define PLACE_GPR_HALF(...)
#define PLACE_GPR_OF_HALF(...)
#define PLACE_GPR_GROUP_OF_HALF(...)
#define PLACE_DST_ROW(...)
#define PLACE_SRCA_ROW(...)
#define PLACE_SRCB_ROW(...)

struct tensix_operands tensix_operands_of(uint32_t word)
{
    struct tensix_operands operands = {};
    bool placed_vb = false, placed_vc = false, placed_vd = false;
    switch (word >> 24) {
#define TENSIX_BEGIN CASE
#define TENSIX_FIELD FIELD
#define TENSIX_SOURCE(name, kind, field, when) PLACE_##kind(field, when)
#define TENSIX_RESULT(name, kind, field, when) PLACE_##kind(field, when)
#define TENSIX_END CASE_END
#include "tensix.def"
    default: break;
    }
    operands.vb = placed_vb ? operands.vb : operands.vd;
    operands.vc = placed_vc ? operands.vc : operands.vd;
    return operands;
}

/* What a field of each kind stands for. */
#define USE_VA(field) LREG(field)
#define USE_VB(field) LREG(operands->vb)
#define USE_VC(field) LREG(operands->vc)
#define USE_VD(field) LREG(operands->vd)
#define USE_CHOSEN_VB USE_VB
#define USE_CHOSEN_VC USE_VC
#define USE_GPR(field) TENSIX_USE_GPR
#define USE_GPR_GROUP(field) TENSIX_USE_GPR
#define USE_GPR_HALF(field) TENSIX_USE_GPR
#define USE_GPR_OF_HALF(field) TENSIX_USE_GPR
#define USE_GPR_GROUP_OF_HALF(field) TENSIX_USE_GPR
#define USE_DST_ROW(field) TENSIX_USE_DST
#define USE_SRCA_ROW(field) TENSIX_USE_SRCA
#define USE_SRCB_ROW(field) TENSIX_USE_SRCB
#define ADD(set, what, when)                                                                                           \
    if (when) {                                                                                                        \
        set |= (what);                                                                                                 \
    }

uint64_t tensix_reads(uint32_t word, const struct tensix_operands *operands)
{
    uint64_t set = 0;
    switch (word >> 24) {
#define TENSIX_BEGIN CASE
#define TENSIX_FIELD FIELD
#define TENSIX_SOURCE(name, kind, field, when) ADD(set, USE_##kind(field), when)
#define TENSIX_READS(name, what, when) ADD(set, TENSIX_USE_##what, when)
#define TENSIX_END CASE_END
#include "tensix.def"
    default: break;
    }
    return set;
}

uint64_t tensix_writes(uint32_t word, const struct tensix_operands *operands)
{
    uint64_t set = 0;
    switch (word >> 24) {
#define TENSIX_BEGIN CASE
#define TENSIX_FIELD FIELD
#define TENSIX_RESULT(name, kind, field, when) ADD(set, USE_##kind(field), when)
#define TENSIX_WRITES(name, what, when) ADD(set, TENSIX_USE_##what, when)
#define TENSIX_END CASE_END
#include "tensix.def"
    default: break;
    }
    return set;
}

#define TENSIX_USE_VB USE_VB()
#define TENSIX_USE_VC USE_VC()
#define TENSIX_USE_VD USE_VD()

uint64_t tensix_reads_seen(uint32_t word, const struct tensix_operands *operands, uint64_t *missed)
{
    uint64_t seen = 0, unseen = 0;
    switch (word >> 24) {
#define TENSIX_BEGIN CASE
#define TENSIX_FIELD FIELD
#define TENSIX_SOURCE(name, kind, field, when) ADD(seen, USE_##kind(field), when)
#define TENSIX_SOURCE_UNSEEN(name, kind, field, when) ADD(unseen, USE_##kind(field), when)
#define TENSIX_READS(name, what, when) ADD(seen, TENSIX_USE_##what, when)
#define TENSIX_READS_UNSEEN(name, what, when) ADD(unseen, TENSIX_USE_##what, when)
#define TENSIX_ASSUMED(name, what, when) ADD(seen, TENSIX_USE_##what, when)
#define TENSIX_END CASE_END
#include "tensix.def"
    default: break;
    }
    *missed = unseen;
    return seen;
}

/* The GPRs that a field of each kind names. */
#define GPRS_GPR(field) (UINT64_C(1) << (field))
#define GPRS_GPR_GROUP(field) (UINT64_C(15) << ((field) & ~3u))
#define GPRS_GPR_HALF(field) GPRS_GPR((field) / 2)
#define GPRS_GPR_OF_HALF(field) GPRS_GPR((field) / 2)
#define GPRS_GPR_GROUP_OF_HALF(field) GPRS_GPR_GROUP((field) / 2)
#define GPRS_VA(field) 0
#define GPRS_VB(field) 0
#define GPRS_VC(field) 0
#define GPRS_VD(field) 0
#define GPRS_CHOSEN_VB(field) 0
#define GPRS_CHOSEN_VC(field) 0
#define GPRS_DST_ROW(field) 0
#define GPRS_SRCA_ROW(field) 0
#define GPRS_SRCB_ROW(field) 0

uint64_t tensix_gprs_read(uint32_t word)
{
    uint64_t gprs = 0;
    switch (word >> 24) {
#define TENSIX_BEGIN CASE
#define TENSIX_FIELD FIELD
#define TENSIX_SOURCE(name, kind, field, when) ADD(gprs, GPRS_##kind(field), when)
#define TENSIX_END CASE_END
#include "tensix.def"
    default: break;
    }
    return gprs;
}

uint64_t tensix_gprs_written(uint32_t word)
{
    uint64_t gprs = 0;
    switch (word >> 24) {
#define TENSIX_BEGIN CASE
#define TENSIX_FIELD FIELD
#define TENSIX_RESULT(name, kind, field, when) ADD(gprs, GPRS_##kind(field), when)
#define TENSIX_END CASE_END
#include "tensix.def"
    default: break;
    }
    return gprs;
}

enum { UNKNOWN = TENSIX_CYCLES_UNKNOWN, VARIES = TENSIX_CYCLES_VARIES };

struct tensix_duration tensix_duration_of(uint32_t word)
{
    struct tensix_duration timing = {};
    switch (word >> 24) {
#define TENSIX_BEGIN(name, opcode, unit, block, issue_, latency_, ...)                                                 \
    case TENSIX_OPCODE_##name: {                                                                                       \
        timing = (struct tensix_duration){.issue = (issue_), .latency = (latency_)};
#define TENSIX_FIELD FIELD
#define TENSIX_CYCLES(name, issue_, latency_, when)                                                                    \
    if (when) {                                                                                                        \
        timing = (struct tensix_duration){.issue = (issue_), .latency = (latency_)};                                   \
    }
#define TENSIX_END CASE_END
#include "tensix.def"
    default: break;
    }
    return timing;
}
