#include "tensix/units/matrix/pool.h"

#include "tensix/num/pool.h"
#include "tensix/units/addr/rwc.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/operands.h"
#include "tensix/units/matrix/parts.h"

/* The form in which the unit compares: a sign, nine bits of exponent and ten of mantissa or magnitude, in this order
   with the sign in bit 31. Floating-point exponents have twice the format's bias, since they are sums of two; for
   integers the exponent holds bits 18:10 of the magnitude. */
enum { DATUM_EXPONENT_SHIFT = 10, DATUM_MANTISSA = 0x3ff, DATUM_EXPONENT = 0x1ff };

#define DATUM_SIGN UINT32_C(0x80000000)
#define DATUM_LEAST (DATUM_SIGN | 0x7ffff)

/* The formats of operands, from the configuration. */
struct pooled_data {
    enum matrix_style style;
    bool dst32;
};

/* How Dst holds the maximum. */
enum dst_style { DST_BF16, DST_TF32, DST_FP16, DST_INT32 };

enum { BIAS_8B = 127, BIAS_5B = 15 };

/* Indices occupy the low half of rows of 32 bits, so that the maximum has only the high one; TF32 then returns no
   maximum at all. */
static enum dst_style dst_style_of(const struct pooled_data *data, bool index)
{
    switch (data->style) {
    case STYLE_INT8: return DST_INT32;
    case STYLE_FP16: return data->dst32 && !index ? DST_TF32 : DST_FP16;
    case STYLE_TF32: return index ? DST_INT32 : data->dst32 ? DST_TF32 : DST_BF16;
    case STYLE_BF16: break;
    }
    return data->dst32 && !index ? DST_TF32 : DST_BF16;
}

static uint32_t pack_datum(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    return (sign & DATUM_SIGN) | exponent << DATUM_EXPONENT_SHIFT | mantissa;
}

static uint32_t exponent_of(uint32_t datum)
{
    return datum >> DATUM_EXPONENT_SHIFT & DATUM_EXPONENT;
}

/* An integer with the same order as the data. */
static int32_t comparable(uint32_t datum)
{
    int32_t magnitude = (int32_t)(datum & ~DATUM_SIGN);
    return datum & DATUM_SIGN ? -magnitude : magnitude;
}

/* `value` is 32 bits in the usual order; a cell of 16 bits is its high half. */
static uint32_t datum_of_dst(uint32_t value, enum dst_style style)
{
    uint16_t fp16;
    switch (style) {
    case DST_INT32: return (value & DATUM_SIGN) | (value & 0x7ffff);
    case DST_FP16:
        fp16 = dst_to_fp16((uint16_t)(value >> 16));
        return pack_datum((uint32_t)fp16 << 16, (fp16 >> 10 & 0x1f) + BIAS_5B, fp16 & 0x3ff);
    case DST_BF16: value &= UINT32_C(0xffff0000); break;
    case DST_TF32: break;
    }
    return pack_datum(value, (value >> 23 & 0xff) + BIAS_8B, value >> 13 & DATUM_MANTISSA);
}

/* The inverse. Sums of exponents wrap around; integers keep 13 bits of magnitude. */
static uint32_t dst_of_datum(uint32_t datum, enum dst_style style)
{
    uint32_t exponent = exponent_of(datum), mantissa = datum & DATUM_MANTISSA, sign = datum & DATUM_SIGN;
    if (style == DST_INT32) {
        return sign | (exponent & 7) << 10 | mantissa;
    }
    if (style == DST_FP16) {
        uint32_t fp16 = sign >> 16 | ((exponent - BIAS_5B) & 0x1f) << 10 | mantissa;
        return exponent & 0x3f ? (uint32_t)dst_from_fp16((uint16_t)fp16) << 16 : 0;
    }
    uint32_t value = sign | ((exponent - BIAS_8B) & 0xff) << 23 | mantissa << 13;
    return exponent == 0 ? 0 : style == DST_BF16 ? value & UINT32_C(0xffff0000) : value;
}

/* Converts an FP16 product's exponent, which has twice FP16's bias, to the bias of TF32 in Dst. */
static uint32_t rebias_of(enum dst_style style)
{
    return style == DST_TF32 ? 2 * (BIAS_8B - BIAS_5B) : 0;
}

/* A datum of SrcA times two to the power of a datum of SrcB's exponent. A scale of zero gives the smallest datum; a
   zero stays zero. */
static uint32_t scaled_datum(const struct pooled_data *data, enum dst_style style, uint32_t a, uint32_t b)
{
    uint32_t a_exponent = a >> 23 & 0xff, b_exponent = b >> 23 & 0xff;
    if (b_exponent == 0) {
        return DATUM_LEAST;
    }
    if (a_exponent == 0) {
        return 0;
    }
    uint32_t mantissa = a >> 13 & DATUM_MANTISSA;
    switch (data->style) {
    case STYLE_INT8: return pack_datum(a, 0, mantissa);
    case STYLE_FP16: return pack_datum(a, (a_exponent & 0x1f) + (b_exponent & 0x1f) + rebias_of(style), mantissa);
    case STYLE_BF16: mantissa &= 0x3f8; break;
    case STYLE_TF32: break;
    }
    return pack_datum(a, a_exponent + b_exponent, mantissa);
}

/* Undefined rows read as the least value: all bits set. */
static uint32_t read_dst(const struct dst_register_file *dst, bool dst32, uint32_t row, unsigned column)
{
    uint32_t place = dst_place(dst, dst32, row);
    if (!dst->valid[place]) {
        return dst32 ? UINT32_MAX : UINT32_C(0xffff0000);
    }
    uint16_t cell = dst->rows[place][column];
    return dst32 ? dst_join32(cell, dst->rows[place + DST_LOW_HALF][column]) : (uint32_t)cell << 16;
}

/* The column's maximum and, with `index`, its row among the first eight in hardware's numbering: the high bits count
   how often the instruction has processed this datum of Dst. */
static uint32_t pool_column(const struct pooled_data *data, const struct pool *pool, enum dst_style style,
                            const uint32_t srca[][ROW_COLUMNS], const uint32_t srcb[ROW_COLUMNS], uint32_t value,
                            unsigned column)
{
    static const uint8_t row_numbers[8] = {0, 3, 6, 1, 4, 7, 2, 5};
    uint32_t maximum = datum_of_dst(value, style);
    uint32_t index = value & 0xff, phase = (value + 0x100) & 0xf00;
    for (unsigned visit = 0; visit < POOL_ROWS; visit++) {
        unsigned row = visit < 8 ? visit ^ 4 : visit; /* rows 4 to 7 come first: later ones win ties */
        uint32_t datum = scaled_datum(data, style, pool->srca_is_zero ? 0 : srca[row][column], srcb[row]);
        if (comparable(datum) >= comparable(maximum)) {
            maximum = datum;
            index = row < 8 ? ((phase >> 4) + row_numbers[row]) & 0xff : index;
        }
    }
    if (!pool->index) {
        return dst_of_datum(maximum, style);
    }
    return (style == DST_INT32 ? 0 : dst_of_datum(maximum, style)) | phase | index;
}

/* Pools any kind of data, column by column. */
static void pool_columns(struct dst_register_file *dst, const struct pooled_data *data, const struct pool *pool,
                         enum dst_style style, const uint32_t srca[][ROW_COLUMNS], const uint32_t srcb[ROW_COLUMNS],
                         uint32_t dst_row)
{
    /* The maximum goes to the first of four rows; the others become zero, or keep counting with indices. */
    for (unsigned i = 0; i < POOL_BLOCK_ROWS; i++) {
        uint32_t place = dst_place(dst, data->dst32, dst_row + i);
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            uint32_t value = read_dst(dst, data->dst32, dst_row + i, column);
            value = i == 0        ? pool_column(data, pool, style, srca, srcb, value, column)
                    : pool->index ? (value + 0x100) & 0xf00
                                  : 0;
            dst->rows[place][column] = dst_high_cell(value);
            if (data->dst32) {
                dst->rows[place + DST_LOW_HALF][column] = dst_low_cell(value);
            }
        }
        dst->valid[place] = 1;
    }
}

/* Pools all columns at once, for floating point without indices, which is what kernels use. */
static void pool_floats(struct dst_register_file *dst, const struct pooled_data *data, enum dst_style style,
                        const uint32_t srca[][ROW_COLUMNS], const uint32_t srcb[ROW_COLUMNS], uint32_t dst_row)
{
    bool narrow = data->style == STYLE_FP16;
    const struct pool_mode mode = {
        .dst = style == DST_FP16   ? POOL_DST_FP16
               : style == DST_TF32 ? POOL_DST_TF32
                                   : POOL_DST_BF16,
        .bits = matrix_style_bits(data->style) & ~DATUM_SIGN,
        .scale_bits = narrow ? 0x1f : 0xff,
        .scale_rebias = narrow ? rebias_of(style) : 0,
    };
    pool_maximum(&mode, srca, srcb, dst, dst_place(dst, data->dst32, dst_row));
}

static inline struct matrix_places places_of(const struct matrix_view *view, uint32_t dst)
{
    return (struct matrix_places){
        .srca = view->rwc->srca & 0x30, .srcb = view->rwc->srcb & 0x38, .dst = matrix_view_dst_row(view, dst) & 0x3fc};
}

static inline struct pooled_data pooled_data_of(const struct matrix_view *view)
{
    struct pooled_data data;
    enum matrix_style srcb_style;
    data.style = matrix_view_style(view, &view->state->srca, &view->state->srcb, &srcb_style, &data.dst32);
    return data;
}

enum step matrix_pool(struct tensix *tensix, unsigned thread, struct pool pool)
{
    struct tensix_state *state = tensix->state;
    struct dst_register_file *dst = &state->dst;
    if (!matrix_may_use_both(state)) {
        return STEP_WAIT;
    }
    const struct matrix_view view = matrix_view_of(state, thread);
    const struct pooled_data data = pooled_data_of(&view);
    enum dst_style style = dst_style_of(&data, pool.index);
    if (data.style == STYLE_FP16 && style == DST_TF32) {
        enum step step = diagnose(
            tensix->diagnostics, BH_NON_CONTRACTUAL,
            "pooling FP16 into Dst of 32 bits: the documentation has it among what is supported, but its model "
            "compares exponents of different bias; here they are brought to that of TF32");
        if (step != STEP_DONE) {
            return step;
        }
    }
    const struct matrix_places places = places_of(&view, pool.dst);
    uint32_t srca_row = places.srca, srcb_row = places.srcb, dst_row = places.dst;
    const uint32_t(*srca)[ROW_COLUMNS] = matrix_rows(&state->srca) + srca_row;
    const uint32_t *srcb = matrix_rows(&state->srcb)[srcb_row];

    if (pool.index | pool.srca_is_zero | pool.by_columns || style == DST_INT32) {
        pool_columns(dst, &data, &pool, style, srca, srcb, dst_row);
    } else {
        pool_floats(dst, &data, style, srca, srcb, dst_row);
    }
    state->matrix.last_srca_row = srca_row;
    src_banks_clear_dvalid(tensix, thread, pool.clear_dvalid);
    rwc_advance(tensix, thread, pool.addr_mode);
    return STEP_DONE;
}

enum step execute_GMPOOL(struct tensix *tensix, unsigned thread, struct args_GMPOOL args)
{
    if (!args.instr_mod19) {
        enum step step =
            diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                     "GMPOOL with instr_mod19 0, of a single row: no public document says which row it pools "
                     "and where to; use instr_mod19 1");
        if (step != STEP_DONE) {
            return step;
        }
    }
    return matrix_pool(tensix, thread,
                       (struct pool){.dst = args.dst,
                                     .addr_mode = args.pool_addr_mode,
                                     .clear_dvalid = args.clear_dvalid,
                                     .index = args.max_pool_index_en});
}

/* The maximum joins that of the first row; indices also count in the rows behind it. The legacy instructions, which
   have the same fields, take zeroes for SrcA. */
void matrix_pool_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    const struct args_GMPOOL args = decode_GMPOOL(word);
    const struct matrix_view view = matrix_view_of(state, thread);
    const struct matrix_places places = places_of(&view, args.dst);
    bool dst32 = pooled_data_of(&view).dst32;
    if (word >> 24 == TENSIX_OPCODE_GMPOOL) {
        operand_src_rows(&sets->read.rows, false, state->srca.matrix_bank, places.srca, POOL_ROWS);
    }
    operand_src_rows(&sets->read.rows, true, state->srcb.matrix_bank, places.srcb, 1);
    operand_dst_rows(&sets->read.rows, &state->dst, dst32, places.dst, 1, args.max_pool_index_en ? POOL_BLOCK_ROWS : 1);
    operand_dst_rows(&sets->written.rows, &state->dst, dst32, places.dst, 1, POOL_BLOCK_ROWS);
}

TENSIX_RUN(GMPOOL)
