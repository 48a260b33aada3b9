/* The moves that are executed most: whole blocks of rows between SrcA or SrcB and 16-bit rows of Dst that hold BF16,
   with nothing kept out. Everything else, and what is wrong, is matrix_move.c's. Each instruction is one function
   without calls, compiled for every level of the host's vectors. */
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

/* ---- instructions: false, nothing happened, there is more to it ---- */

/* Whether SrcA has BF16 or what is kept as it is, and no setting of which matrix_move.c alone knows has a say. */
static inline bool is_plain(const struct matrix_view *view, const struct src_register_file *src)
{
    return !CONFIG_GET(view->thread_config, FP16A_FORCE_Enable) &&
           !(view->state->vector.any_lane_config & LANE_CONFIG_BLOCK_DEST_MOV) &&
           matrix_style_of(matrix_view_srca_format(view, src)) == STYLE_BF16;
}

static inline uint32_t first_place(const struct matrix_view *view, uint32_t field, unsigned count)
{
    return dst_place(&view->state->dst, false, matrix_view_dst_row(view, field) & (DST_ROWS - count));
}

/* MOVD2A and MOVD2B of four rows, all of which are valid or none. */
static inline bool from_dst(const struct matrix_view *view, struct src_register_file *src, struct args_MOVD2A args,
                            bool avx512)
{
    enum { OF_32_BITS = ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK };
    struct tensix_state *state = view->state;
    uint32_t control = view->config[ALU_ACC_CTRL_Fp32_enabled_ADDR32], mode, valid;
    if ((args.instr_mod ^ 2) | args.dest_32b_lo || control & (OF_32_BITS | ALU_ACC_CTRL_INT8_math_enabled_MASK) ||
        !is_plain(view, src) || !rwc_read_mode(view->thread_config, view->rwc, args.addr_mode, &mode)) {
        return false;
    }
    bool to_a = src == &state->srca;
    uint32_t place = first_place(view, args.dst, FOUR_ROWS), srca_row = view->rwc->srca;
    uint32_t row = (args.src + (to_a ? srca_row : view->rwc->srcb)) & (SRC_ROWS - FOUR_ROWS);
    memcpy(&valid, state->dst.valid + place, sizeof valid);
    if (valid == 0) {
        memset(matrix_rows(src) + row, 0, FOUR_ROWS * sizeof(row_data));
    } else if (valid == 0x01010101) {
        (avx512 ? from_cells_avx512 : from_cells)(state->dst.rows + place, matrix_rows(src) + row);
    } else {
        return false;
    }
    state->matrix.last_srca_row = to_a ? row : srca_row;
    rwc_step(view->rwc, mode);
    return true;
}

/* Whether 16-bit rows are the high halves of 32-bit rows only because the vector unit takes them so. */
static inline bool moves_halves(const struct matrix_view *view)
{
    const uint32_t bits = ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK |
                          (uint32_t)ALU_ACC_CTRL_INT8_math_enabled_MASK;
    return (view->config[ALU_ACC_CTRL_Fp32_enabled_ADDR32] & bits) == ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK;
}

/* MOVA2D of eight rows and MOVB2D of four. `srca_row`: what the instruction leaves as the last one. */
static inline bool to_dst(const struct matrix_view *view, struct src_register_file *src, uint32_t row, uint32_t dst,
                          uint32_t bits, uint32_t addr_mode, unsigned count, uint32_t srca_row, bool avx512)
{
    struct tensix_state *state = view->state;
    uint32_t mode;
    if (!src_matrix_may_use(src) || !is_plain(view, src) || moves_halves(view) ||
        !rwc_read_mode(view->thread_config, view->rwc, addr_mode, &mode)) {
        return false;
    }
    uint32_t place = first_place(view, dst, count);
    uint32_t some = CONFIG_GET(view->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) ? UINT32_MAX : 0x7f800000;
    (avx512 ? to_cells_avx512 : to_cells)(matrix_rows(src) + row, count, bits, some, state->dst.rows + place);
    memset(state->dst.valid + place, 1, count);
    state->matrix.last_srca_row = srca_row;
    rwc_step(view->rwc, mode);
    return true;
}

static inline bool plain_MOVD2A(const struct matrix_view *view, uint32_t word, bool avx512)
{
    return from_dst(view, &view->state->srca, decode_MOVD2A(word), avx512);
}

static inline bool plain_MOVD2B(const struct matrix_view *view, uint32_t word, bool avx512)
{
    return from_dst(view, &view->state->srcb, decode_MOVD2A(word), avx512); /* the fields are MOVD2A's */
}

static inline bool plain_MOVA2D(const struct matrix_view *view, uint32_t word, bool avx512)
{
    struct args_MOVA2D args = decode_MOVA2D(word);
    uint32_t row = (args.src + view->rwc->srca) & (SRC_ROWS - EIGHT_ROWS);
    return !((args.instr_mod ^ 2) | args.dest_32b_lo) &&
           to_dst(view, &view->state->srca, row, args.dst, FPU_TF32_BITS, args.addr_mode, EIGHT_ROWS, row, avx512);
}

static inline bool plain_MOVB2D(const struct matrix_view *view, uint32_t word, bool avx512)
{
    struct args_MOVB2D args = decode_MOVB2D(word);
    struct src_register_file *srcb = &view->state->srcb;
    uint32_t row = (args.src + view->rwc->srcb) & (SRC_ROWS - FOUR_ROWS);
    uint32_t bits = matrix_moved_srcb_bits(matrix_view_srcb_format(view, srcb));
    return !((args.movb2d_instr_mod ^ 4) | args.dest_32b_lo) &&
           to_dst(view, srcb, row, args.dst, bits, args.addr_mode, FOUR_ROWS, view->rwc->srca, avx512);
}

/* run_NAME(): the plain case in line, the others by a jump. */
#define ANY(name)                                                                                                      \
    __attribute__((noinline)) static enum step any_##name(struct tensix *tensix, unsigned thread, uint32_t word)       \
    {                                                                                                                  \
        return execute_##name(tensix, thread, decode_##name(word));                                                    \
    }
#define PLAIN(name, avx512)                                                                                            \
    {                                                                                                                  \
        struct matrix_view view = matrix_view_of(tensix->state, thread);                                               \
        return plain_##name(&view, word, avx512) ? STEP_DONE : any_##name(tensix, thread, word);                       \
    }
#ifdef AVX512
#define RUN(name)                                                                                                      \
    ANY(name)                                                                                                          \
    __attribute__((target("arch=x86-64-v4"), flatten)) static enum step name##_v4(                                     \
        struct tensix *tensix, unsigned thread, uint32_t word) PLAIN(name, true)                                       \
        __attribute__((target("arch=x86-64-v3"), flatten)) static enum step name##_v3(struct tensix *tensix,           \
                                                                                      unsigned thread, uint32_t word)  \
            PLAIN(name, false) enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)             \
    {                                                                                                                  \
        return host_vectors == HOST_VECTORS_V4   ? name##_v4(tensix, thread, word)                                     \
               : host_vectors == HOST_VECTORS_V3 ? name##_v3(tensix, thread, word)                                     \
                                                 : any_##name(tensix, thread, word);                                   \
    }
#else
#define RUN(name)                                                                                                      \
    ANY(name)                                                                                                          \
    __attribute__((flatten)) enum step run_##name(struct tensix *tensix, unsigned thread, uint32_t word)               \
        PLAIN(name, false)
#endif

RUN(MOVA2D)
RUN(MOVB2D)
RUN(MOVD2A)
RUN(MOVD2B)
