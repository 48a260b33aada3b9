#include "tensix/units/matrix_move_plain.h"

#include "tensix/execute.h"
#include "tensix/units/matrix_move_variants.h"
#include "util/host_vectors.h"

#define ANY(name)                                                                                                      \
    enum step any_##name(struct tensix *tensix, unsigned thread, uint32_t word)                                        \
    {                                                                                                                  \
        return execute_##name(tensix, thread, decode_##name(word));                                                    \
    }
EACH_PLAIN_INSTRUCTION(ANY)

/* On x86-64 without vectors worth the name nothing is plain. */
#if defined(__x86_64__) && !defined(__clang__)
#define RUN(name)                                                                                                      \
    enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)                                        \
    {                                                                                                                  \
        return host_vectors == HOST_VECTORS_V4   ? one_##name##_v4(tensix, thread, word)                               \
               : host_vectors == HOST_VECTORS_V3 ? one_##name##_v3(tensix, thread, word)                               \
                                                 : any_##name(tensix, thread, word);                                   \
    }                                                                                                                  \
    static uint32_t many_##name(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count)         \
    {                                                                                                                  \
        return host_vectors == HOST_VECTORS_V4   ? many_##name##_v4(tensix, thread, words, count)                      \
               : host_vectors == HOST_VECTORS_V3 ? many_##name##_v3(tensix, thread, words, count)                      \
                                                 : 0;                                                                  \
    }
#else
#define MATRIX_LEVEL(name) name##_basic
#include "tensix/units/matrix_move_plain.inc"
#define RUN(name)                                                                                                      \
    enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)                                        \
    {                                                                                                                  \
        return one_##name##_basic(tensix, thread, word);                                                               \
    }                                                                                                                  \
    static uint32_t many_##name(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count)         \
    {                                                                                                                  \
        return many_##name##_basic(tensix, thread, words, count);                                                      \
    }
#endif

EACH_PLAIN_INSTRUCTION(RUN)

uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count)
{
    switch (*words >> 24) {
    case TENSIX_OPCODE_MOVA2D: return many_MOVA2D(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVB2A: return many_MOVB2A(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVB2D: return many_MOVB2D(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVD2A: return many_MOVD2A(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVD2B: return many_MOVD2B(tensix, thread, words, count);
    case TENSIX_OPCODE_ZEROACC: return many_ZEROACC(tensix, thread, words, count);
    default: return 0;
    }
}
