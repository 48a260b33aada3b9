#include "tensix/units/matrix/parts.h"

#include "tensix/num/clones.h"

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

/* The or of all data of `count` rows: column by column first, so that compilers put the columns of a vector together
   once and not for each row (row mvmul_int8 of the benchmark). */
STATIC_CLONES(uint32_t, bits_of_rows, (const uint32_t rows[][ROW_COLUMNS], unsigned count), (rows, count))
{
    uint32_t in_column[ROW_COLUMNS] = {0}, set = 0;
    for (unsigned i = 0; i < count; i++) {
        AS_VECTOR
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            in_column[column] |= rows[i][column];
        }
    }
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        set |= in_column[column];
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
