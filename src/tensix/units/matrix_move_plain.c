/* How: what configuration says is read once for as many moves as stand in a row, whose counters stay in a register of
   the host. Each instruction has one function without calls, compiled for every level of the host's vectors. */
#include "tensix/units/matrix_move_plain.h"

#include <string.h>

#include "tensix/execute.h"
#include "tensix/units/matrix_parts.h"
#include "tensix/units/rwc.h"
#include "util/host_vectors.h"

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#define AVX512 __attribute__((target("arch=x86-64-v4")))
#endif

enum { FOUR_ROWS = 4, EIGHT_ROWS = 8 };

/* A row of Src, and of Dst. */
typedef uint32_t row_data __attribute__((vector_size(ROW_COLUMNS * sizeof(uint32_t)), aligned(4), may_alias));
typedef uint16_t row_cells __attribute__((vector_size(ROW_COLUMNS * sizeof(uint16_t)), aligned(2), may_alias));

/* ---- rows ---- */

static inline void from_cells(const uint16_t cells[][ROW_COLUMNS], uint32_t data[][ROW_COLUMNS])
{
    for (unsigned i = 0; i < FOUR_ROWS; i++) {
        *(row_data *)data[i] = __builtin_convertvector(*(const row_cells *)cells[i], row_data) << 16;
    }
}

/* Of each datum `bits`, or zero if it has none of the bits `some`. */
static inline void to_cells(const uint32_t data[][ROW_COLUMNS], unsigned count, uint32_t bits, uint32_t some,
                            uint16_t cells[][ROW_COLUMNS])
{
    for (unsigned i = 0; i < count; i++) {
        row_data row = *(const row_data *)data[i];
        row &= (row_data)((row & some) != 0) & bits;
        *(row_cells *)cells[i] = __builtin_convertvector(row >> 16, row_cells);
    }
}

#ifdef AVX512
AVX512 static inline void from_cells_avx512(const uint16_t cells[][ROW_COLUMNS], uint32_t data[][ROW_COLUMNS])
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < FOUR_ROWS; i++) {
        __m512i row = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)cells[i]));
        _mm512_storeu_si512(data[i], _mm512_slli_epi32(row, 16));
    }
}

AVX512 static inline void to_cells_avx512(const uint32_t data[][ROW_COLUMNS], unsigned count, uint32_t bits,
                                          uint32_t some, uint16_t cells[][ROW_COLUMNS])
{
    __m512i all_bits = _mm512_set1_epi32((int32_t)bits), any_of = _mm512_set1_epi32((int32_t)some);
#pragma GCC unroll 8
    for (unsigned i = 0; i < count; i++) {
        __m512i row = _mm512_loadu_si512(data[i]);
        __mmask16 kept = _mm512_test_epi32_mask(row, any_of);
        __m512i high = _mm512_srli_epi32(_mm512_and_si512(row, all_bits), 16);
        _mm256_storeu_si256((__m256i_u *)cells[i], _mm512_maskz_cvtepi32_epi16(kept, high));
    }
}
#else
#define from_cells_avx512 from_cells
#define to_cells_avx512 to_cells
#endif

/* ---- what is the same for all moves in a row ---- */

/* Whether SrcA has BF16 or what is kept as it is, and no setting of which matrix_move.c alone knows has a say. */
static inline bool is_plain(const struct matrix_view *view, const struct src_register_file *src)
{
    return !CONFIG_GET(view->thread_config, FP16A_FORCE_Enable) &&
           !(view->state->vector.any_lane_config & LANE_CONFIG_BLOCK_DEST_MOV) &&
           matrix_style_of(matrix_view_srca_format(view, src)) == STYLE_BF16;
}

/* Whether 16-bit rows are the high halves of 32-bit rows only because the vector unit takes them so. */
static inline bool moves_halves(const struct matrix_view *view)
{
    const uint32_t bits = ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK |
                          (uint32_t)ALU_ACC_CTRL_INT8_math_enabled_MASK;
    return (view->config[ALU_ACC_CTRL_Fp32_enabled_ADDR32] & bits) == ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK;
}

/* ---- one move ---- */

/* The fields of all four are in the same places, and 2 or 4 in that of the mode stands for a block of rows. */
enum { CHOSEN_FIELDS = 0x007fc3ff, BLOCK_OF_ROWS = 0x2000 };

/* Reads an instruction and its address mode. false: it is another, not of a block, or its address mode is not plain.
   No plain mode moves the extra bit of address modes, so that no move waits for the counters to know its mode. */
static inline bool read_move(const struct matrix_view *view, uint32_t extra_bit, uint32_t opcode, uint32_t word,
                             struct args_MOVD2A *args, uint32_t *mode)
{
    *args = decode_MOVD2A(word);
    return (word & ~(uint32_t)CHOSEN_FIELDS) == (opcode << 24 | BLOCK_OF_ROWS) &&
           rwc_read_mode(view->thread_config, extra_bit, args->addr_mode, mode);
}

static inline uint32_t src_row(const rwc_words *counters, unsigned counter, uint32_t field, unsigned count)
{
    return (field + (*counters)[counter]) & (SRC_ROWS - count);
}

static inline uint32_t first_place(const struct matrix_view *view, const rwc_words *counters, uint32_t from,
                                   unsigned count)
{
    return dst_place(&view->state->dst, false, (from + (*counters)[RWC_WORD_DST]) & (DST_ROWS - count));
}

/* ---- moves in a row: how many were executed, up to the first to which there is more ---- */

/* MOVD2A and MOVD2B of four rows, all of which are valid or none. */
static inline uint32_t from_dst(const struct matrix_view *view, struct src_register_file *src, uint32_t opcode,
                                const uint32_t *words, uint32_t count, bool avx512)
{
    enum { OF_32_BITS = ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK };
    struct tensix_state *state = view->state;
    uint32_t control = view->config[ALU_ACC_CTRL_Fp32_enabled_ADDR32], origin = matrix_view_dst_origin(view), done,
             mode, valid;
    if (control & (OF_32_BITS | ALU_ACC_CTRL_INT8_math_enabled_MASK) || !is_plain(view, src)) {
        return 0;
    }
    bool to_a = src == &state->srca;
    uint32_t(*rows)[ROW_COLUMNS] = matrix_rows(src);
    rwc_words counters = *(rwc_words *)view->rwc;
    uint32_t extra_bit = view->rwc->extra_addr_mod_bit;
    for (done = 0; done < count; done++) {
        struct args_MOVD2A args;
        if (!read_move(view, extra_bit, opcode, words[done], &args, &mode)) {
            break;
        }
        uint32_t place = first_place(view, &counters, origin + args.dst, FOUR_ROWS);
        uint32_t row = src_row(&counters, to_a ? RWC_WORD_SRCA : RWC_WORD_SRCB, args.src, FOUR_ROWS);
        memcpy(&valid, state->dst.valid + place, sizeof valid);
        if (valid == 0) {
            memset(rows + row, 0, FOUR_ROWS * sizeof(row_data));
        } else if (valid == 0x01010101) {
            (avx512 ? from_cells_avx512 : from_cells)(state->dst.rows + place, rows + row);
        } else {
            break;
        }
        state->matrix.last_srca_row = to_a ? row : counters[RWC_WORD_SRCA];
        rwc_step(&counters, mode);
    }
    *(rwc_words *)view->rwc = counters;
    return done;
}

/* MOVA2D of eight rows and MOVB2D of four. `bits`: of a datum, that are moved. */
static inline uint32_t to_dst(const struct matrix_view *view, struct src_register_file *src, uint32_t opcode,
                              uint32_t bits, const uint32_t *words, uint32_t count, bool avx512)
{
    struct tensix_state *state = view->state;
    uint32_t origin = matrix_view_dst_origin(view), done, mode;
    if (!src_matrix_may_use(src) || !is_plain(view, src) || moves_halves(view)) {
        return 0;
    }
    bool of_a = src == &state->srca;
    unsigned block = of_a ? EIGHT_ROWS : FOUR_ROWS;
    uint32_t some = CONFIG_GET(view->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) ? UINT32_MAX : 0x7f800000;
    const uint32_t(*rows)[ROW_COLUMNS] = matrix_rows(src);
    rwc_words counters = *(rwc_words *)view->rwc;
    uint32_t extra_bit = view->rwc->extra_addr_mod_bit;
    for (done = 0; done < count; done++) {
        struct args_MOVD2A args;
        if (!read_move(view, extra_bit, opcode, words[done], &args, &mode)) {
            break;
        }
        uint32_t place = first_place(view, &counters, origin + args.dst, block);
        uint32_t row = src_row(&counters, of_a ? RWC_WORD_SRCA : RWC_WORD_SRCB, args.src, block);
        (avx512 ? to_cells_avx512 : to_cells)(rows + row, block, bits, some, state->dst.rows + place);
        memset(state->dst.valid + place, 1, block);
        state->matrix.last_srca_row = of_a ? row : counters[RWC_WORD_SRCA];
        rwc_step(&counters, mode);
    }
    *(rwc_words *)view->rwc = counters;
    return done;
}

static inline uint32_t plain_MOVD2A(const struct matrix_view *view, const uint32_t *words, uint32_t count, bool avx512)
{
    return from_dst(view, &view->state->srca, TENSIX_OPCODE_MOVD2A, words, count, avx512);
}

static inline uint32_t plain_MOVD2B(const struct matrix_view *view, const uint32_t *words, uint32_t count, bool avx512)
{
    return from_dst(view, &view->state->srcb, TENSIX_OPCODE_MOVD2B, words, count, avx512);
}

static inline uint32_t plain_MOVA2D(const struct matrix_view *view, const uint32_t *words, uint32_t count, bool avx512)
{
    return to_dst(view, &view->state->srca, TENSIX_OPCODE_MOVA2D, FPU_TF32_BITS, words, count, avx512);
}

static inline uint32_t plain_MOVB2D(const struct matrix_view *view, const uint32_t *words, uint32_t count, bool avx512)
{
    struct src_register_file *srcb = &view->state->srcb;
    uint32_t bits = matrix_moved_srcb_bits(matrix_view_srcb_format(view, srcb));
    return to_dst(view, srcb, TENSIX_OPCODE_MOVB2D, bits, words, count, avx512);
}

/* Of each a function for one, which goes on by a jump where there is more to it, and a function for many in a row. */
#define ANY(name)                                                                                                      \
    __attribute__((noinline)) static enum step any_##name(struct tensix *tensix, unsigned thread, uint32_t word)       \
    {                                                                                                                  \
        return execute_##name(tensix, thread, decode_##name(word));                                                    \
    }
#define ONE(name, avx512)                                                                                              \
    {                                                                                                                  \
        struct matrix_view view = matrix_view_of(tensix->state, thread);                                               \
        return plain_##name(&view, &word, 1, avx512) ? STEP_DONE : any_##name(tensix, thread, word);                   \
    }
#define MANY(name, avx512)                                                                                             \
    {                                                                                                                  \
        struct matrix_view view = matrix_view_of(tensix->state, thread);                                               \
        return plain_##name(&view, words, count, avx512);                                                              \
    }
#ifdef AVX512
#define LEVEL(name, level, architecture, avx512)                                                                       \
    __attribute__((target(architecture), flatten)) static enum step one_##name##_##level(                              \
        struct tensix *tensix, unsigned thread, uint32_t word) ONE(name, avx512)                                       \
        __attribute__((target(architecture), flatten)) static uint32_t many_##name##_##level(                          \
            struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count) MANY(name, avx512)
#define RUN(name)                                                                                                      \
    ANY(name)                                                                                                          \
    LEVEL(name, v4, "arch=x86-64-v4", true)                                                                            \
    LEVEL(name, v3, "arch=x86-64-v3", false)                                                                           \
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
#define RUN(name)                                                                                                      \
    ANY(name)                                                                                                          \
    __attribute__((flatten)) enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)               \
        ONE(name, false) __attribute__((flatten)) static uint32_t many_##name(                                         \
            struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count) MANY(name, false)
#endif

RUN(MOVA2D)
RUN(MOVB2D)
RUN(MOVD2A)
RUN(MOVD2B)

uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count)
{
    switch (*words >> 24) {
    case TENSIX_OPCODE_MOVA2D: return many_MOVA2D(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVB2D: return many_MOVB2D(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVD2A: return many_MOVD2A(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVD2B: return many_MOVD2B(tensix, thread, words, count);
    default: return 0;
    }
}
