#include "tensix/units/pack/context.h"

#include <string.h>

#include "util/bits.h"

unsigned pack_context_of(const struct pack_unit *pack, const struct args_PACR *args)
{
    return args->CtxtCtrl == CTXT_CTRL_FLOPS || args->CtxtCtrl == CTXT_CTRL_HOLD ? pack->context : args->CfgContext;
}

/* Copies the words of register `name`. */
#define COPY_REGISTER(config, bank, to, from, words)                                                                   \
    memcpy((config) + (to##_ADDR32), (bank) + (from##_ADDR32), (words) * sizeof(uint32_t))

/* REG8 has the layout of REG1 for another context, except two fields, and two more that the contexts of a section
   share. */
static void take_reg8(const uint32_t *bank, uint32_t *config)
{
    enum { FLAGS = THCON_SEC0_REG1_Disable_zero_compress_ADDR32, MORE = THCON_SEC0_REG1_Downsample_mask_ADDR32 };
    uint32_t flags = config[FLAGS] & 0xff01ffff;
    flags |= CONFIG_GET(config, THCON_SEC0_REG8_Add_tile_header_size) << THCON_SEC0_REG1_Add_tile_header_size_SHAMT;
    flags |= CONFIG_GET(config, THCON_SEC0_REG8_pack_dis_y_pos_start_offset)
             << THCON_SEC0_REG1_pack_dis_y_pos_start_offset_SHAMT;
    config[FLAGS] = flags;
    uint32_t shared = THCON_SEC0_REG1_Unp_LF8_4b_exp_MASK | THCON_SEC0_REG1_Pac_LF8_4b_exp_MASK;
    config[MORE] = (config[MORE] & ~shared) | (bank[MORE] & shared);
}

void pack_context_config(const uint32_t bank[CONFIG_WORDS], unsigned context, uint32_t config[CONFIG_WORDS])
{
    enum { SECTION = THCON_SEC1_REG1_Row_start_section_size_ADDR32 - THCON_SEC0_REG1_Row_start_section_size_ADDR32 };
    const uint32_t *section = bank + (context & 2 ? SECTION : 0);
    memcpy(config, bank, CONFIG_WORDS * sizeof *config);
    if (context & 1) {
        COPY_REGISTER(config, section, THCON_SEC0_REG1_Row_start_section_size, THCON_SEC0_REG8_Row_start_section_size,
                      4);
        COPY_REGISTER(config, section, THCON_SEC0_REG8_Row_start_section_size, THCON_SEC0_REG8_Row_start_section_size,
                      4);
        take_reg8(section, config);
        COPY_REGISTER(config, section, THCON_SEC0_REG9_Pack_0_2_limit_address, THCON_SEC0_REG9_Pack_1_3_limit_address,
                      2);
    } else {
        COPY_REGISTER(config, section, THCON_SEC0_REG1_Row_start_section_size, THCON_SEC0_REG1_Row_start_section_size,
                      4);
        COPY_REGISTER(config, section, THCON_SEC0_REG9_Pack_0_2_limit_address, THCON_SEC0_REG9_Pack_0_2_limit_address,
                      2);
    }
    config[PACK_COUNTERS_SEC0_pack_per_xy_plane_ADDR32] = bank[PACK_COUNTERS_SEC0_pack_per_xy_plane_ADDR32 + context];
    config[PACK_CONCAT_MASK_SEC0_pack_concat_mask_ADDR32] =
        bank[PACK_CONCAT_MASK_SEC0_pack_concat_mask_ADDR32 + context];
    config[DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32] = bank[DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32 + context];
    /* Two bits for each context: the number of its mapping of rows, or of faces. */
    uint32_t *rows = &config[PCK_EDGE_TILE_ROW_SET_SELECT_select_ADDR32],
             *faces = &config[PCK_EDGE_TILE_FACE_SET_SELECT_select_ADDR32];
    *rows = bits_set(*rows, PCK_EDGE_TILE_ROW_SET_SELECT_select_SHAMT, 8,
                     CONFIG_GET(bank, PCK_EDGE_TILE_ROW_SET_SELECT_select) >> (2 * context));
    *faces = bits_set(*faces, PCK_EDGE_TILE_FACE_SET_SELECT_select_SHAMT, 8,
                      CONFIG_GET(bank, PCK_EDGE_TILE_FACE_SET_SELECT_select) >> (2 * context));
    /* Two interface positions in each section. */
    config[THCON_SEC0_REG1_pack_start_intf_pos_ADDR32] =
        bits_set(config[THCON_SEC0_REG1_pack_start_intf_pos_ADDR32], THCON_SEC0_REG1_pack_start_intf_pos_SHAMT, 4,
                 CONFIG_GET(section, THCON_SEC0_REG1_pack_start_intf_pos) >> (context & 1 ? 2 : 0) & 3);
}

void pack_context_advance(struct pack_unit *pack, const uint32_t *config, bool last)
{
    uint32_t planes = CONFIG_GET(config, PACK_COUNTERS_SEC0_auto_ctxt_inc_xys_cnt);
    if (planes ? pack->context_planes >= planes : last) {
        pack->context = (pack->context + 1) % PACK_CONTEXTS;
        pack->context_planes = 0;
    }
}
