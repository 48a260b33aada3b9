#include "tensix/units/vector/words.h"
#include "tensix/units/vector/words_in_c.h"

#define VECTOR_WORD_OPERATION(name, expression) LANE_OPERATION_BY(CLONES, lanewise_##name, expression)
VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION

lane_operation *const vector_lane_operations[] = {
#define VECTOR_WORD_OPERATION(name, expression) [WORDS_##name] = lanewise_##name,
    VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION
};
