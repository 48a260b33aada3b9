#include "tensix/units/matrix/parts.h"

#include "tensix/num/clones.h"

#include <string.h>

#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#endif

uint32_t matrix_style_bits(enum matrix_style style)
{
    return style == STYLE_TF32 ? FPU_TF32_BITS : style == STYLE_BF16 ? FPU_BF16_BITS : FPU_FP16_BITS;
}

struct matrix_setting matrix_setting_of(const struct tensix_state *state, unsigned thread)
{
    enum {
        SPECIAL = ALU_ROUNDING_MODE_Fpu_srnd_en_MASK | ALU_ROUNDING_MODE_GS_LF_MASK | ALU_ROUNDING_MODE_Bfp8_HF_MASK
    };
    const struct matrix_view view = {.config = config_bank(&state->config, thread),
                                     .thread_config = state->config.thread[thread]};
    const uint32_t *config = view.config;
    enum matrix_style srcb_style;
    struct matrix_setting setting = {
        .flush_denormals = !CONFIG_GET(config, ALU_ACC_CTRL_Zero_Flag_disabled_src),
        .special = (config[ALU_ROUNDING_MODE_Fpu_srnd_en_ADDR32] & SPECIAL) |
                   (config[ALU_ACC_CTRL_Zero_Flag_disabled_dst_ADDR32] & ALU_ACC_CTRL_Zero_Flag_disabled_dst_MASK),
    };
    setting.style = matrix_view_style(&view, &state->srca, &state->srcb, &srcb_style, &setting.dst32);
    setting.random = CONFIG_GET(config, ALU_ROUNDING_MODE_Fpu_srnd_en) && setting.style != STYLE_INT8;
    uint32_t phase = state->addr.rwc[thread].fidelity_phase + CONFIG_GET(view.thread_config, FIDELITY_BASE_Phase);
    setting.fpu = (struct fpu_mode){
        .srca_bits = matrix_style_bits(setting.style),
        .srcb_bits = matrix_style_bits(srcb_style),
        .exponent_8b = setting.style == STYLE_BF16 || setting.style == STYLE_TF32,
        .dst32 = setting.dst32,
        .keep_srcb_denormals = !setting.flush_denormals,
        .fidelity_phase = (uint8_t)(phase & 3),
    };
    return setting;
}

enum step matrix_check_special(struct tensix *tensix, unsigned thread, const struct matrix_setting *setting)
{
    const uint32_t *config = config_bank(&tensix->state->config, thread);
    bool lf = CONFIG_GET(config, ALU_ROUNDING_MODE_GS_LF), hf = CONFIG_GET(config, ALU_ROUNDING_MODE_Bfp8_HF);
    enum step step = STEP_DONE;
    if (lf || hf) {
        step = diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "ALU_ROUNDING_MODE_%s: no public document says which bits of the operands it takes; leave it 0",
                        lf ? "GS_LF" : "Bfp8_HF");
    }
    if (step == STEP_DONE && CONFIG_GET(config, ALU_ACC_CTRL_Zero_Flag_disabled_dst)) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "ALU_ACC_CTRL_Zero_Flag_disabled_dst is not emulated: rows of Dst that are not valid read as "
                        "zero all the same");
    }
    return step == STEP_DONE && setting->random ? stochastic_warn(tensix) : step;
}

/* The bits that any datum of `count` rows has. */
STATIC_CLONES(uint32_t, bits_of_rows, (const uint32_t rows[][ROW_COLUMNS], unsigned count), (rows, count))
{
    uint32_t set = 0;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            set |= rows[i][column];
        }
    }
    return set;
}

enum step matrix_check_exponents(struct tensix *tensix, const struct matrix_setting *setting,
                                 const uint32_t rows[][ROW_COLUMNS], unsigned count, const char *file)
{
    if (setting->fpu.exponent_8b || !(bits_of_rows(rows, count) & 0x70000000)) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "%s holds data with eight exponent bits, but its format has five: the upper three are ignored; "
                    "check the formats of the unpacker and of ALU_FORMAT_SPEC",
                    file);
}

#if defined(__x86_64__) && !defined(__clang__)
#define AVX512 __attribute__((target("arch=x86-64-v4")))

enum { SELECT = 0xca }; /* where the first operand has a bit set that of the second, else that of the third */

AVX512 static inline __m256i all16(uint16_t value)
{
    return _mm256_set1_epi16((int16_t)value);
}

/* Rows of 32 bits, of which the compiler would make vectors of two lengths. */
AVX512 static void read_rows32(const struct dst_register_file *dst, uint32_t row, unsigned stride, unsigned count,
                               uint32_t data[][ROW_COLUMNS])
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < count; i++, row += stride) {
        uint32_t place = dst_row32(row);
        __m256i high = _mm256_loadu_si256((const __m256i_u *)dst->rows[place]);
        __m256i low = _mm256_loadu_si256((const __m256i_u *)dst->rows[(place + DST_LOW_HALF) & (DST_ROWS - 1)]);
        low = _mm256_ternarylogic_epi32(
            all16(0x7f00), _mm256_slli_epi16(low, 8),
            _mm256_ternarylogic_epi32(all16(0x8000), low, _mm256_srli_epi16(low, 7), SELECT), SELECT);
        __m512i datum = _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16);
        datum = _mm512_or_si512(datum, _mm512_cvtepu16_epi32(low));
        _mm512_storeu_si512(data[i], _mm512_maskz_mov_epi32(dst->valid[place] ? 0xffff : 0, datum));
    }
}

AVX512 static void write_rows32(struct dst_register_file *dst, uint32_t row, unsigned stride, unsigned count,
                                const uint32_t data[][ROW_COLUMNS])
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < count; i++, row += stride) {
        uint32_t place = dst_row32(row);
        __m512i datum = _mm512_loadu_si512(data[i]);
        __m256i low = _mm512_cvtepi32_epi16(datum);
        low = _mm256_ternarylogic_epi32(
            all16(0x7f80), _mm256_slli_epi16(low, 7),
            _mm256_ternarylogic_epi32(all16(0x8000), low, _mm256_srli_epi16(low, 8), SELECT), SELECT);
        _mm256_storeu_si256((__m256i_u *)dst->rows[place], _mm512_cvtepi32_epi16(_mm512_srli_epi32(datum, 16)));
        _mm256_storeu_si256((__m256i_u *)dst->rows[(place + DST_LOW_HALF) & (DST_ROWS - 1)], low);
        dst->valid[place] = 1;
    }
}
#endif

STATIC_CLONES(void, read_dst_rows,
              (const struct dst_register_file *dst, const struct matrix_setting *setting, uint32_t row, unsigned stride,
               unsigned count, uint32_t data[restrict][ROW_COLUMNS]),
              (dst, setting, row, stride, count, data))
{
    bool dst32 = setting->dst32, exponent_8b = setting->fpu.exponent_8b, row32 = dst32 || dst->only_row32;
    for (unsigned i = 0; i < count; i++, row += stride) {
        uint32_t place = row32 ? dst_row32(row) : row;
        const uint16_t *restrict cells = dst->rows[place];
        const uint16_t *restrict low = dst->rows[(place + DST_LOW_HALF) & (DST_ROWS - 1)];
        uint32_t valid = dst->valid[place] ? UINT32_MAX : 0;
        if (dst32) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                data[i][column] = dst_join32(cells[column], low[column]) & valid;
            }
        } else if (exponent_8b) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                data[i][column] = (uint32_t)cells[column] << 16 & valid;
            }
        } else {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                data[i][column] = look_alike_of_fp16(dst_to_fp16(cells[column])) & valid;
            }
        }
    }
}

void matrix_read_dst(const struct dst_register_file *dst, const struct matrix_setting *setting, uint32_t row,
                     unsigned stride, unsigned count, uint32_t data[][ROW_COLUMNS])
{
#ifdef AVX512
    if (setting->dst32 && host_has_avx512()) {
        read_rows32(dst, row, stride, count, data);
        return;
    }
#endif
    read_dst_rows(dst, setting, row, stride, count, data);
}

STATIC_CLONES(void, write_dst_rows,
              (struct dst_register_file * dst, const struct matrix_setting *setting, uint32_t row, unsigned stride,
               unsigned count, const uint32_t data[restrict][ROW_COLUMNS]),
              (dst, setting, row, stride, count, data))
{
    bool dst32 = setting->dst32, exponent_8b = setting->fpu.exponent_8b, row32 = dst32 || dst->only_row32;
    for (unsigned i = 0; i < count; i++, row += stride) {
        uint32_t place = row32 ? dst_row32(row) : row;
        uint16_t *restrict cells = dst->rows[place];
        uint16_t *low = dst->rows[(place + DST_LOW_HALF) & (DST_ROWS - 1)];
        dst->valid[place] = 1;
        if (dst32) {
            /* Halves of its own: written to two rows in turn, which may overlap for all the compiler knows, the
             * loop would not be made one of vectors. */
            uint16_t high_half[ROW_COLUMNS], low_half[ROW_COLUMNS];
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                high_half[column] = dst_high_cell(data[i][column]);
                low_half[column] = dst_low_cell(data[i][column]);
            }
            memcpy(cells, high_half, sizeof high_half);
            memcpy(low, low_half, sizeof low_half);
        } else if (exponent_8b) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                cells[column] = (uint16_t)(data[i][column] >> 16);
            }
        } else {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                cells[column] = dst_from_fp16(fp16_of_look_alike(data[i][column]));
            }
        }
    }
}

void matrix_write_dst(struct dst_register_file *dst, const struct matrix_setting *setting, uint32_t row,
                      unsigned stride, unsigned count, const uint32_t data[][ROW_COLUMNS])
{
#ifdef AVX512
    if (setting->dst32 && host_has_avx512()) {
        write_rows32(dst, row, stride, count, data);
        return;
    }
#endif
    write_dst_rows(dst, setting, row, stride, count, data);
}
