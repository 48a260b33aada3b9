#include "tensix/units/pack/plan.h"

#include "tensix/units/pack/address.h"

/* Whether every row of every plane has the first mask, and this masks no column. */
static bool masks_nothing(const uint32_t *config)
{
    uint32_t row_set = CONFIG_GET(config, PCK_EDGE_TILE_ROW_SET_SELECT_select) & 3;
    return CONFIG_GET(config, PCK_EDGE_OFFSET_SEC0_mask) == 0xffff &&
           config[TILE_ROW_SET_MAPPING_0_row_set_mapping_0_ADDR32 + row_set] == 0 &&
           !CONFIG_GET(config, PCK_EDGE_TILE_FACE_SET_SELECT_enable) &&
           !CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_yz_transposed);
}

enum pack_way pack_choose_way(const uint32_t *config, const struct pack_conversion *conversion)
{
    if (conversion->compress || conversion->narrow || conversion->random_early || conversion->random_bfp ||
        conversion->apart || conversion->exponent_threshold_enabled || conversion->relu != PACK_RELU_NONE ||
        !masks_nothing(config) || CONFIG_GET(config, THCON_SEC0_REG1_Source_interface_selection)) {
        return PACK_IN_STAGES;
    }
    bool from_bf16 = (conversion->early == PACK_EARLY_BF16 || conversion->early == PACK_EARLY_BF16_FLUSHED) &&
                     conversion->late == PACK_LATE_WIDE_TO_BF16;
    bool same_32b = conversion->early == PACK_EARLY_32B && conversion->late == PACK_LATE_IDENTITY &&
                    conversion->bits == 32 && !conversion->bfp;
    return from_bf16 && conversion->out == FORMAT_BF16 ? PACK_PLAIN_BF16
           : from_bf16 && conversion->bfp              ? PACK_PLAIN_BFP
           : same_32b                                  ? PACK_PLAIN_32B
                                                       : PACK_IN_STAGES;
}

enum step pack_check_config(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion)
{
    enum step step = STEP_DONE;
    uint32_t position = CONFIG_GET(config, THCON_SEC0_REG1_pack_start_intf_pos),
             rate = CONFIG_GET(config, THCON_SEC0_REG1_Downsample_rate);
    if (position) {
        step = diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "THCON_SEC0_REG1_pack_start_intf_pos 0x%x: no public document says how it moves the interfaces "
                        "that ReadIntfSel chooses; leave it 0",
                        position);
    }
    if (step == STEP_DONE && rate) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "THCON_SEC0_REG1_Downsample_rate %u: the documentation's model knows Downsample_mask alone, "
                        "which decides here too",
                        rate);
    }
    uint32_t counted = CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_xys_per_tile);
    if (step == STEP_DONE && counted) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "PACK_COUNTERS pack_xys_per_tile %u: the packer may end tiles by itself when so many are "
                        "packed, which is not emulated; leave it 0 and set Last",
                        (unsigned)counted);
    }
    if (step == STEP_DONE && conversion->compress && CONFIG_GET(config, PACK_CONCAT_MASK_SEC0_pack_concat_mask)) {
        step = diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "PACK_CONCAT_MASK 0x%x with zero compression: no public document says which rows it joins; "
                        "use PACR's Concat",
                        (unsigned)CONFIG_GET(config, PACK_CONCAT_MASK_SEC0_pack_concat_mask));
    }
    if (step == STEP_DONE && conversion->apart) {
        step = diagnose(tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
                        "THCON_SEC0_REG1_Dis_shared_exp_assembler with Out_data_format %s: data keep the mantissas of "
                        "their own exponents, of which L1 gets one for sixteen: here the largest",
                        format_name(conversion->out));
    }
    return step;
}

void pack_make_plan(struct tensix *tensix, const uint32_t *config)
{
    struct pack_plan *plan = &tensix->state->pack_plan;
    struct diagnostics strict; /* collects diagnostics, which nobody reads */
    diagnostics_clear(&strict);
    strict.now = tensix->diagnostics->now;
    memset(strict.policy, BH_STOP, sizeof strict.policy);
    struct diagnostics *own = tensix->diagnostics;
    tensix->diagnostics = &strict;
    struct pack_conversion conversion;
    bool quiet = pack_choose_conversion(tensix, config, &conversion) == STEP_DONE &&
                 pack_check_config(tensix, config, &conversion) == STEP_DONE;
    tensix->diagnostics = own;
    uint32_t kept = CONFIG_GET(config, THCON_SEC0_REG1_Downsample_mask);
    bool as_asked = (kept == 0 || kept == 0xffff) && !CONFIG_GET(config, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel);
    plan->way = PACK_IN_STAGES;
    /* PACK_CONCAT_MASK, which compression uses, is not among the words of the key. */
    plan->quiet = quiet && as_asked && !conversion.compress;
    if (plan->quiet) {
        plan->conversion = conversion;
        plan->descales = conversion.early == PACK_EARLY_32B_TO_INT8 || conversion.early == PACK_EARLY_32B_TO_UINT8;
        plan->whole_rows = !conversion.random_early && !conversion.random_bfp && !conversion.apart &&
                           !CONFIG_GET(config, THCON_SEC0_REG1_Source_interface_selection);
        plan->way = (uint8_t)pack_choose_way(config, &conversion);
        plan->row_shift = (uint8_t)pack_input_row_shift(config);
    }
    memcpy(plan->key.formats, config + PACK_KEY_FORMATS, sizeof plan->key.formats);
    memcpy(plan->key.reading, config + PACK_KEY_READING, sizeof plan->key.reading);
    memcpy(plan->key.output, config + PACK_KEY_OUTPUT, sizeof plan->key.output);
}
