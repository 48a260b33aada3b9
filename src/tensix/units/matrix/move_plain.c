#include "tensix/units/matrix/move_plain.h"

#include "tensix/units/execute.h"
#include "tensix/units/matrix/move_variants.h"
#include "util/host_vectors.h"

/* On x86-64 without vectors worth the name nothing is plain. */
#if defined(__x86_64__) && !defined(__clang__)
uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count, uint32_t times)
{
    return host_vectors == HOST_VECTORS_V4   ? run_moves_v4(tensix, thread, words, count, times)
           : host_vectors == HOST_VECTORS_V3 ? run_moves_v3(tensix, thread, words, count, times)
                                             : 0;
}
#else
#define MATRIX_LEVEL(name) name##_basic
#include "tensix/units/matrix/move_plain.inc"

uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count, uint32_t times)
{
    return run_moves_basic(tensix, thread, words, count, times);
}
#endif

/* One by one. */
#define RUN(name)                                                                                                      \
    enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)                                        \
    {                                                                                                                  \
        return matrix_may_run(word) && matrix_run_moves(tensix, thread, &word, 1, 1)                                   \
                   ? STEP_DONE                                                                                         \
                   : execute_##name(tensix, thread, decode_##name(word));                                              \
    }
RUN(MOVA2D)
RUN(MOVB2A)
RUN(MOVB2D)
RUN(MOVD2A)
RUN(MOVD2B)
RUN(MOVDBGA2D)
RUN(ZEROACC)
