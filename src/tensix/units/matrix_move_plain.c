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

/* The columns of a row become those that `columns` has the numbers of: all of them, or column 0 for all. */
#ifdef __clang__
#define TAKE_COLUMNS(row, columns) ((row) = (columns)[1] ? (row) : (row)[0] - (row_data){0})
#else
#define TAKE_COLUMNS(row, columns) ((row) = __builtin_shuffle(row, columns))
#endif

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

/* What the formats make of a datum of Src on its way to Dst: as matrix_move.c's struct to_dst, but for halves. */
struct to_cells {
    uint32_t bits, some; /* which bits are moved; which of them a datum needs not to be zero */
    bool fp16, tf32;     /* neither: BF16 */
};

/* How cells of Dst become data of Src. */
struct from_cells {
    bool dst32;      /* rows of 32 bits, of which TF32 takes both halves, everything else one */
    bool fp16, tf32; /* neither: BF16 */
};

/* dst_from_fp16() of look-alikes, and back from cells: the same bits in other places. */
#define CELLS_OF_FP16(row) (((row) >> 16 & 0x8fff) | ((row) >> 1 & 0x7000))
#define FP16_OF_CELLS(cells) (((cells)&0x8fff) << 16 | ((cells)&0x7000) << 1)

/* A row of any format, of which half a row of 32 bits may be all that is moved. */
static inline void row_to_cells(const row_data *source, const struct to_cells *how, bool low_half, bool valid,
                                uint16_t *cells, uint16_t *low_cells)
{
    row_data row = *source & (row_data)((*source & how->some) != 0) & how->bits;
    row_cells high = how->fp16 ? __builtin_convertvector(CELLS_OF_FP16(row), row_cells)
                               : __builtin_convertvector(row >> 16, row_cells);
    if (low_half) {
        *(row_cells *)low_cells = high;
        *(row_cells *)cells = valid ? *(row_cells *)cells : (row_cells){0};
        return;
    }
    *(row_cells *)cells = high;
    if (how->tf32) {
        *(row_cells *)low_cells = __builtin_convertvector((row & 0x8000) | (row >> 8 & 0x60), row_cells);
    }
}

/* The low half of FP32, taken as TF32, lands in the exponent and the low mantissa bits. */
static inline void row_from_cells(const uint16_t *cells, const uint16_t *low_cells, const struct from_cells *how,
                                  bool low_half, row_data *row)
{
    if (!how->tf32) {
        row_data half = __builtin_convertvector(*(const row_cells *)(low_half ? low_cells : cells), row_data);
        *row = half << 16;
        if (how->fp16) {
            *row = FP16_OF_CELLS(half);
        }
        return;
    }
    row_data low = __builtin_convertvector(*(const row_cells *)low_cells, row_data);
    low = (low & 0x8000) | (low & 0x7f) << 8 | (low >> 7 & 0xff);
    row_data high = __builtin_convertvector(*(const row_cells *)cells, row_data);
    *row = high << 16 | (low & 0xe000);
    if (low_half) {
        *row = (low & 0xff) << 23 | (low >> 8 & 0x1f) << 13;
    }
}

/* ---- what is the same for all moves in a row ---- */

/* Whether no setting of which matrix_move.c alone knows has a say. */
static inline bool is_plain(const struct matrix_view *view)
{
    return !CONFIG_GET(view->thread_config, FP16A_FORCE_Enable) &&
           !(view->state->vector.any_lane_config & LANE_CONFIG_BLOCK_DEST_MOV);
}

/* Whether 16-bit rows are the high halves of 32-bit rows only because the vector unit takes them so. */
static inline bool moves_halves(const struct matrix_view *view)
{
    const uint32_t bits = ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK |
                          (uint32_t)ALU_ACC_CTRL_INT8_math_enabled_MASK;
    return (view->config[ALU_ACC_CTRL_Fp32_enabled_ADDR32] & bits) == ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK;
}

/* Which bits a datum needs in order not to be a zero. */
static inline uint32_t some_bits(const struct matrix_view *view)
{
    return CONFIG_GET(view->config, ALU_ACC_CTRL_Zero_Flag_disabled_src) ? UINT32_MAX : 0x7f800000;
}

/* ---- one move ---- */

/* Bits 13:11: the modes of MOVB2D; the others have no bit 11, and bit 12 is reserved. The fields of all are in the same
   places, bit 10 is nobody's. */
enum { COLUMN_0 = 1, ONE_ROW_FOR_ALL = 2, BLOCK_OF_ROWS = 4, RESERVED_BITS = 1 << 10, LOW_HALF = 1 << 23 };

/* Reads an instruction and its address mode. false: it is another, or its address mode is not plain. No plain mode
   moves the extra bit of address modes, so that no move waits for the counters to know its mode. */
static inline bool read_move(const struct matrix_view *view, uint32_t extra_bit, uint32_t opcode, uint32_t word,
                             struct args_MOVD2A *args, uint32_t *mode)
{
    *args = decode_MOVD2A(word);
    return word >> 24 == opcode && !(word & RESERVED_BITS) &&
           rwc_read_mode(view->thread_config, extra_bit, args->addr_mode, mode);
}

static inline uint32_t move_mode(uint32_t word)
{
    return word >> 11 & 7;
}

static inline uint32_t src_row(const rwc_words *counters, unsigned counter, uint32_t field, unsigned count)
{
    return (field + (*counters)[counter]) & (SRC_ROWS - count);
}

static inline uint32_t first_place(const struct matrix_view *view, const rwc_words *counters, uint32_t from,
                                   unsigned count, bool dst32)
{
    return dst_place(&view->state->dst, dst32, (from + (*counters)[RWC_WORD_DST]) & (DST_ROWS - count));
}

/* ---- moves in a row: how many were executed, up to the first to which there is more ---- */

static inline bool bf16_from_dst(const struct dst_register_file *dst, uint32_t place, uint32_t rows[][ROW_COLUMNS],
                                 bool avx512)
{
    uint32_t valid;
    memcpy(&valid, dst->valid + place, sizeof valid);
    if (valid == 0x01010101) {
        (avx512 ? from_cells_avx512 : from_cells)(dst->rows + place, rows);
        return true;
    }
    if (valid == 0) {
        memset(rows, 0, FOUR_ROWS * sizeof(row_data));
        return true;
    }
    return false;
}

static inline void rows_from_dst(const struct dst_register_file *dst, const struct from_cells *how, uint32_t place,
                                 unsigned count, bool low_half, uint32_t rows[][ROW_COLUMNS])
{
    for (unsigned i = 0; i < count; i++, place++) {
        const uint16_t *low_cells = dst->rows[(place + DST_LOW_HALF) & (DST_ROWS - 1)];
        row_data row;
        row_from_cells(dst->rows[place], low_cells, how, low_half, &row);
        *(row_data *)rows[i] = row & (dst->valid[place] ? UINT32_MAX : 0);
    }
}

/* What formats and configuration make of moves from Dst. false: there is more to it. */
static inline bool choose_from(const struct matrix_view *view, const struct src_register_file *src,
                               struct from_cells *how, bool *of_32_bits)
{
    const uint32_t bits = ALU_ACC_CTRL_Fp32_enabled_MASK | (uint32_t)ALU_ACC_CTRL_INT8_math_enabled_MASK;
    enum matrix_style style = matrix_style_of(matrix_view_srca_format(view, src));
    bool halves = moves_halves(view);
    *of_32_bits = view->config[ALU_ACC_CTRL_Fp32_enabled_ADDR32] & bits;
    *how =
        (struct from_cells){.dst32 = *of_32_bits || halves, .fp16 = style == STYLE_FP16, .tf32 = style == STYLE_TF32};
    return is_plain(view) && (*of_32_bits || (style != STYLE_TF32 && (!halves || view->state->dst.only_row32)));
}

/* MOVD2A and MOVD2B: the moves that are `usual`, whole blocks of BF16, or any. Low halves only of data of 32 bits. */
__attribute__((always_inline)) static inline uint32_t move_from_dst(const struct matrix_view *view,
                                                                    struct src_register_file *src, uint32_t opcode,
                                                                    const struct from_cells *how, bool of_32_bits,
                                                                    bool usual, const uint32_t *words, uint32_t count,
                                                                    bool avx512)
{
    struct tensix_state *state = view->state;
    bool to_a = src == &state->srca;
    uint32_t origin = matrix_view_dst_origin(view), extra_bit = view->rwc->extra_addr_mod_bit, done, mode;
    uint32_t(*rows)[ROW_COLUMNS] = matrix_rows(src);
    rwc_words counters = *(rwc_words *)view->rwc;
    for (done = 0; done < count; done++) {
        struct args_MOVD2A args;
        uint32_t moved = move_mode(words[done]);
        bool low_half = words[done] & LOW_HALF;
        if (!read_move(view, extra_bit, opcode, words[done], &args, &mode) || (moved & ~(uint32_t)BLOCK_OF_ROWS) ||
            (low_half && !of_32_bits) || (usual && moved != BLOCK_OF_ROWS)) {
            break;
        }
        unsigned block = usual || moved ? FOUR_ROWS : 1;
        uint32_t place = first_place(view, &counters, origin + args.dst, block, !usual && how->dst32);
        uint32_t row = src_row(&counters, to_a ? RWC_WORD_SRCA : RWC_WORD_SRCB, args.src, block);
        if (!usual) {
            rows_from_dst(&state->dst, how, place, block, low_half, rows + row);
        } else if (!bf16_from_dst(&state->dst, place, rows + row, avx512)) {
            break;
        }
        state->matrix.last_srca_row = to_a ? row : counters[RWC_WORD_SRCA];
        rwc_step(&counters, mode);
    }
    *(rwc_words *)view->rwc = counters;
    return done;
}

static inline uint32_t from_dst(const struct matrix_view *view, struct src_register_file *src, uint32_t opcode,
                                const uint32_t *words, uint32_t count, bool avx512)
{
    struct from_cells how;
    bool of_32_bits;
    if (!choose_from(view, src, &how, &of_32_bits)) {
        return 0;
    }
    uint32_t done = 0;
    if (!how.fp16 && !how.tf32 && !how.dst32) {
        done = move_from_dst(view, src, opcode, &how, of_32_bits, true, words, count, avx512);
    }
    if (done < count) {
        done += move_from_dst(view, src, opcode, &how, of_32_bits, false, words + done, count - done, avx512);
    }
    return done;
}

static inline void rows_to_dst(struct dst_register_file *dst, const struct to_cells *how, uint32_t place,
                               unsigned count, const uint32_t rows[][ROW_COLUMNS], uint32_t mode, bool low_half)
{
    const row_data in_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const row_data columns = in_order & (mode & COLUMN_0 ? 0 : UINT32_MAX);
    for (unsigned i = 0; i < count; i++, place++) {
        row_data row = *(const row_data *)rows[mode & ONE_ROW_FOR_ALL ? 0 : i];
        TAKE_COLUMNS(row, columns);
        uint16_t *low_cells = dst->rows[(place + DST_LOW_HALF) & (DST_ROWS - 1)];
        row_to_cells(&row, how, low_half, dst->valid[place], dst->rows[place], low_cells);
    }
}

/* What formats and configuration make of moves to Dst. false: there is more to it. */
static inline bool choose_to(const struct matrix_view *view, const struct src_register_file *src, uint32_t bits,
                             struct to_cells *how)
{
    enum data_format format = matrix_view_srca_format(view, src);
    *how = (struct to_cells){.bits = bits,
                             .some = some_bits(view),
                             .fp16 = matrix_style_of(format) == STYLE_FP16,
                             .tf32 = format == FORMAT_TF32};
    return is_plain(view) && (!moves_halves(view) || view->state->dst.only_row32);
}

/* The rows of Dst that an instruction writes. 0: its mode is reserved. */
static inline unsigned rows_to_write(uint32_t mode, bool of_a)
{
    if (of_a) {
        return mode == BLOCK_OF_ROWS ? EIGHT_ROWS : mode == 0;
    }
    return !(mode & BLOCK_OF_ROWS) ? mode & ONE_ROW_FOR_ALL ? EIGHT_ROWS : 1 : mode & ONE_ROW_FOR_ALL ? 0 : FOUR_ROWS;
}

/* MOVA2D and MOVB2D: the moves that are `usual`, whole blocks of BF16, or any. */
__attribute__((always_inline)) static inline uint32_t
move_to_dst(const struct matrix_view *view, const struct src_register_file *src, bool of_a, uint32_t opcode,
            const struct to_cells *how, bool usual, const uint32_t *words, uint32_t count, bool avx512)
{
    struct tensix_state *state = view->state;
    uint32_t origin = matrix_view_dst_origin(view), extra_bit = view->rwc->extra_addr_mod_bit, done, mode;
    const uint32_t(*rows)[ROW_COLUMNS] = src->rows[src->matrix_bank];
    rwc_words counters = *(rwc_words *)view->rwc;
    for (done = 0; done < count; done++) {
        struct args_MOVD2A args;
        uint32_t moved = move_mode(words[done]);
        bool low_half = words[done] & LOW_HALF, one_row = moved & ONE_ROW_FOR_ALL;
        unsigned block = !usual ? rows_to_write(moved, of_a) : of_a ? EIGHT_ROWS : FOUR_ROWS;
        if (!read_move(view, extra_bit, opcode, words[done], &args, &mode) ||
            (usual ? low_half || moved != BLOCK_OF_ROWS : !block || (how->tf32 && low_half))) {
            break;
        }
        uint32_t place = first_place(view, &counters, origin + args.dst, block, !usual && (how->tf32 || low_half));
        uint32_t row =
            src_row(&counters, of_a ? RWC_WORD_SRCA : RWC_WORD_SRCB, args.src, !usual && one_row ? 1 : block);
        if (usual) {
            (avx512 ? to_cells_avx512 : to_cells)(rows + row, block, how->bits, how->some, state->dst.rows + place);
        } else {
            rows_to_dst(&state->dst, how, place, block, rows + row, moved, low_half);
        }
        memset(state->dst.valid + place, 1, block);
        state->matrix.last_srca_row = of_a ? row : counters[RWC_WORD_SRCA];
        rwc_step(&counters, mode);
    }
    *(rwc_words *)view->rwc = counters;
    return done;
}

/* `bits`: of a datum, that are moved. */
static inline uint32_t to_dst(const struct matrix_view *view, const struct src_register_file *src, uint32_t opcode,
                              uint32_t bits, const uint32_t *words, uint32_t count, bool avx512)
{
    struct to_cells how;
    if (!src_matrix_may_use(src) || !choose_to(view, src, bits, &how)) {
        return 0;
    }
    bool of_a = src == &view->state->srca;
    uint32_t done = 0;
    if (!how.fp16 && !how.tf32) {
        done = move_to_dst(view, src, of_a, opcode, &how, true, words, count, avx512);
    }
    if (done < count) {
        done += move_to_dst(view, src, of_a, opcode, &how, false, words + done, count - done, avx512);
    }
    return done;
}

/* MOVB2A: the row of SrcB is where others have that of Dst, with six bits. */
static inline uint32_t b_to_a(const struct matrix_view *view, const uint32_t *words, uint32_t count)
{
    enum { RESERVED_OF_B2A = 0xfc0 | 1 << 12 };
    struct tensix_state *state = view->state;
    uint32_t done, mode, some = some_bits(view);
    if (!src_matrix_may_use(&state->srcb)) {
        return 0;
    }
    uint32_t(*to)[ROW_COLUMNS] = matrix_rows(&state->srca), (*from)[ROW_COLUMNS] = matrix_rows(&state->srcb);
    rwc_words counters = *(rwc_words *)view->rwc;
    uint32_t extra_bit = view->rwc->extra_addr_mod_bit;
    for (done = 0; done < count; done++) {
        struct args_MOVD2A args;
        if (!read_move(view, extra_bit, TENSIX_OPCODE_MOVB2A, words[done], &args, &mode) ||
            (words[done] & (RESERVED_OF_B2A | LOW_HALF))) {
            break;
        }
        unsigned block = move_mode(words[done]) ? FOUR_ROWS : 1;
        uint32_t a = src_row(&counters, RWC_WORD_SRCA, args.src, block);
        uint32_t b = src_row(&counters, RWC_WORD_SRCB, args.dst, block);
        for (unsigned i = 0; i < block; i++) {
            row_data row = *(const row_data *)from[b + i];
            *(row_data *)to[a + i] = row & (row_data)((row & some) != 0);
        }
        state->matrix.last_srca_row = a;
        rwc_step(&counters, mode);
    }
    *(rwc_words *)view->rwc = counters;
    return done;
}

static inline uint32_t plain_MOVB2A(const struct matrix_view *view, const uint32_t *words, uint32_t count, bool avx512)
{
    return b_to_a(view, words, count);
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
RUN(MOVB2A)
RUN(MOVB2D)
RUN(MOVD2A)
RUN(MOVD2B)

uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count)
{
    switch (*words >> 24) {
    case TENSIX_OPCODE_MOVA2D: return many_MOVA2D(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVB2A: return many_MOVB2A(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVB2D: return many_MOVB2D(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVD2A: return many_MOVD2A(tensix, thread, words, count);
    case TENSIX_OPCODE_MOVD2B: return many_MOVD2B(tensix, thread, words, count);
    default: return 0;
    }
}
