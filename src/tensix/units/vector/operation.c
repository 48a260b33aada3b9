#include "tensix/units/vector/operation.h"

#include "tensix/units/dispatch.h"
#include "tensix/units/vector/parts.h"

#define MAY_BE_DECODED_DECODED(name)                                                                                   \
    _Static_assert(VECTOR_MAY_BE_DECODED((unsigned)TENSIX_OPCODE_##name),                                              \
                   #name ": VECTOR_MAY_BE_DECODED() leaves it out");
#define MAY_BE_DECODED_NOT_DECODED(name)
#define TENSIX_FACTS(name, sub_unit, decoded, ...) MAY_BE_DECODED_##decoded(name)
#include "tensix.def"

struct vector_operation vector_decode(uint32_t word)
{
    struct vector_operation operation = {0};
    switch (word >> 24) {
#define DECODE_DECODED(name)                                                                                           \
    case TENSIX_OPCODE_##name:                                                                                         \
        operation = vector_decode_##name(decode_##name(word));                                                         \
        break;
#define DECODE_NOT_DECODED(name)
#define TENSIX_FACTS(name, sub_unit, decoded, ...) DECODE_##decoded(name)
#include "tensix.def"
    default: break;
    }
    if (operation.vd >= LREG_WRITABLE || tensix_sets_reserved_bits(word)) {
        operation.kind = VECTOR_NOT_DECODED;
    }
    operation.word = word;
    return operation;
}
