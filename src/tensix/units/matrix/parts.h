/* Shared by the instructions of the matrix unit: settings from the configuration, row numbers, access to rows of Dst,
   and the end of an instruction. Internal to units/matrix/. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_PARTS_H
#define BHEMU_TENSIX_UNITS_MATRIX_PARTS_H

#include "tensix/num/formats.h"
#include "tensix/num/fpu.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"

/* The interpretation of a datum's bits. SrcA's style applies to all operands: SrcAStyle of the documentation. */
enum matrix_style { STYLE_BF16, STYLE_TF32, STYLE_FP16, STYLE_INT8 };

/* clear_mode of ZEROACC. */
enum zeroacc_mode { ZEROACC_ONE_ROW, ZEROACC_SIXTEEN_ROWS, ZEROACC_HALF_OF_DST, ZEROACC_ALL_OF_DST };

struct matrix_setting {
    enum matrix_style style;
    bool dst32;           /* Dst is used as rows of 32 bits */
    bool flush_denormals; /* data with a zero exponent read as zero */
    bool random;          /* results are to be rounded at random */
    bool special;         /* random rounding, or another setting that matrix_check_special() has to diagnose */
    struct fpu_mode fpu;
};

/* The state that instructions of a thread use: its bank of Config, its ThreadConfig and its counters. */
struct matrix_view {
    struct tensix_state *state;
    const uint32_t *config;
    const uint16_t *thread_config;
    struct rwc *rwc;
};

static inline struct matrix_view matrix_view_of(struct tensix_state *state, unsigned thread)
{
    struct matrix_view view = {state, config_bank(&state->config, thread), state->config.thread[thread],
                               &state->addr.rwc[thread]};
    /* Otherwise compilers recompute these addresses at each use. */
    __asm__("" : "+r"(view.config), "+r"(view.thread_config), "+r"(view.rwc));
    return view;
}

/* SrcA's format from the configuration or, if it may be implied, from the current bank of `implying`. Moves from and
   to SrcB use SrcA's format, too, but take the implied one from SrcB's bank. */
static inline enum data_format matrix_view_srca_format(const struct matrix_view *view,
                                                       const struct src_register_file *implying)
{
    if (!CONFIG_GET(view->thread_config, DISABLE_IMPLIED_SRCA_FMT_Base)) {
        return (enum data_format)implying->format[implying->matrix_bank];
    }
    return (enum data_format)(CONFIG_GET(view->config, ALU_FORMAT_SPEC_REG_SrcA_override)
                                  ? CONFIG_GET(view->config, ALU_FORMAT_SPEC_REG_SrcA_val)
                                  : CONFIG_GET(view->config, ALU_FORMAT_SPEC_REG0_SrcA));
}

static inline enum data_format matrix_srca_format(const struct tensix_state *state, unsigned thread,
                                                  const struct src_register_file *implying)
{
    const struct matrix_view view = {.config = config_bank(&state->config, thread),
                                     .thread_config = state->config.thread[thread]};
    return matrix_view_srca_format(&view, implying);
}

/* Reserved formats are taken as TF32. */
static inline enum matrix_style matrix_style_of(enum data_format format)
{
    static const uint8_t styles[FORMATS] = {
        [FORMAT_FP32] = STYLE_BF16,  [FORMAT_FP16] = STYLE_FP16, [FORMAT_BFP8A] = STYLE_FP16,
        [FORMAT_BFP4A] = STYLE_FP16, [FORMAT_TF32] = STYLE_TF32, [FORMAT_BF16] = STYLE_BF16,
        [FORMAT_BFP8] = STYLE_BF16,  [FORMAT_BFP4] = STYLE_BF16, [FORMAT_INT32] = STYLE_BF16,
        [FORMAT_INT16] = STYLE_BF16, [FORMAT_FP8] = STYLE_FP16,  [FORMAT_BFP2A] = STYLE_FP16,
        [12] = STYLE_TF32,           [13] = STYLE_TF32,          [FORMAT_INT8] = STYLE_FP16,
        [FORMAT_BFP2] = STYLE_BF16,
    };
    return (enum matrix_style)styles[format];
}

/* The bits of a datum in a bank of this style. */
uint32_t matrix_style_bits(enum matrix_style style);

/* SrcB's own format. */
static inline enum data_format matrix_view_srcb_format(const struct matrix_view *view,
                                                       const struct src_register_file *srcb)
{
    if (!CONFIG_GET(view->thread_config, DISABLE_IMPLIED_SRCB_FMT_Base)) {
        return (enum data_format)srcb->format[srcb->matrix_bank];
    }
    return (enum data_format)(CONFIG_GET(view->config, ALU_FORMAT_SPEC_REG_SrcB_override)
                                  ? CONFIG_GET(view->config, ALU_FORMAT_SPEC_REG_SrcB_val)
                                  : CONFIG_GET(view->config, ALU_FORMAT_SPEC_REG1_SrcB));
}

static inline enum data_format matrix_srcb_format(const struct tensix_state *state, unsigned thread)
{
    const struct matrix_view view = {.config = config_bank(&state->config, thread),
                                     .thread_config = state->config.thread[thread]};
    return matrix_view_srcb_format(&view, &state->srcb);
}

/* The bits of a datum that SrcB's own format keeps: five exponent bits of FP16, seven mantissa bits of the BF16
   family. */
static inline uint32_t matrix_moved_srcb_bits(enum data_format format)
{
    if (format == FORMAT_FP16) {
        return FPU_FP16_BITS;
    }
    return matrix_style_of(format) == STYLE_BF16 ? FPU_BF16_BITS : FPU_TF32_BITS;
}

/* Returns the style of SrcA. *srcb_style: that of SrcB's own format; *dst32: Dst is used as rows of 32 bits. */
static inline enum matrix_style matrix_view_style(const struct matrix_view *view, const struct src_register_file *srca,
                                                  const struct src_register_file *srcb, enum matrix_style *srcb_style,
                                                  bool *dst32)
{
    const uint32_t *config = view->config;
    if (CONFIG_GET(view->thread_config, FP16A_FORCE_Enable)) {
        *dst32 = false;
        return *srcb_style = STYLE_FP16;
    }
    bool int8 = CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled);
    *dst32 = int8 || CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled);
    *srcb_style = matrix_style_of(matrix_view_srcb_format(view, srcb));
    return int8 ? STYLE_INT8 : matrix_style_of(matrix_view_srca_format(view, srca));
}

/* The settings of an instruction that computes with SrcA and SrcB. */
struct matrix_setting matrix_setting_of(const struct tensix_state *state, unsigned thread);

/* Diagnoses special settings: random rounding, and operand widths that no document describes. */
enum step matrix_check_special(struct tensix *tensix, unsigned thread, const struct matrix_setting *setting);

/* Diagnoses data of another style: a row, in a style with five exponent bits, that has any of the three bits above
   them set. */
enum step matrix_check_exponents(struct tensix *tensix, const struct matrix_setting *setting,
                                 const uint32_t rows[][ROW_COLUMNS], unsigned count, const char *file);

/* The row of Dst to which an instruction's field and the RWC are added. */
static inline uint32_t matrix_view_dst_origin(const struct matrix_view *view)
{
    return CONFIG_GET(view->thread_config, DEST_TARGET_REG_CFG_MATH_Offset) +
           CONFIG_GET(view->config, DEST_REGW_BASE_Base);
}

/* The row of Dst that an instruction addresses: origin, field and RWC. */
static inline uint32_t matrix_view_dst_row(const struct matrix_view *view, uint32_t field)
{
    return (field + matrix_view_dst_origin(view) + view->rwc->dst) & (DST_ROWS - 1);
}

static inline uint32_t matrix_dst_row(struct tensix_state *state, unsigned thread, uint32_t field)
{
    const struct matrix_view view = {state, config_bank(&state->config, thread), state->config.thread[thread],
                                     &state->addr.rwc[thread]};
    return matrix_view_dst_row(&view, field);
}

/* The first rows of SrcA, SrcB and Dst that an instruction computes with. */
struct matrix_places {
    uint32_t srca, srcb, dst;
};

/* The rows of the bank that the matrix unit uses now. */
static inline uint32_t (*matrix_rows(struct src_register_file *src))[ROW_COLUMNS]
{
    return src->rows[src->matrix_bank];
}

/* Whether the matrix unit owns both of its current banks. */
static inline bool matrix_may_use_both(const struct tensix_state *state)
{
    return src_matrix_may_use(&state->srca) && src_matrix_may_use(&state->srcb);
}

/* Converts between FP16 and an FP32 layout that keeps its five exponent bits unconverted. */
static inline uint32_t look_alike_of_fp16(uint16_t fp16)
{
    return (uint32_t)(fp16 & 0x8000) << 16 | (uint32_t)(fp16 & 0x7fff) << 13;
}

static inline uint16_t fp16_of_look_alike(uint32_t datum)
{
    return (uint16_t)((datum >> 16 & 0x8000) | (datum >> 13 & 0x7fff));
}

#endif
