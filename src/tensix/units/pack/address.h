/* Input and output addresses of the packer, and the update of address counters. Source: ISA documentation PACR.md
   (Blackhole), InputAddressGenerator.md, OutputAddressGenerator.md, EdgeMasking.md. */
#ifndef BHEMU_TENSIX_UNITS_PACK_ADDRESS_H
#define BHEMU_TENSIX_UNITS_PACK_ADDRESS_H

#include "isa/tensix_isa.h"
#include "tensix/units/state.h"

static const struct actor pack_actor = {.agent = BH_AGENT_PACKER};

struct pack_input {
    unsigned rows;                  /* at most PACK_INTERFACES, unless `zero` */
    uint32_t row[PACK_INTERFACES];  /* of Dst */
    unsigned first_column, columns; /* of each row */
    bool zero;                      /* input is zeroes instead of Dst */
    bool from_l1;                   /* input is one row from L1 instead of Dst */
    uint32_t l1_address;            /* of the first selected datum */
};

struct pack_destination {
    uint32_t row_starts, exponents, data; /* byte addresses in L1 */
};

/* The thread whose ADC the instruction uses. */
static inline unsigned pack_adc_thread(unsigned thread, const struct args_PACR *args)
{
    return !args->OvrdThreadId ? thread : args->AddrCntContext == 3 ? 0 : args->AddrCntContext;
}

/* Determines the instruction's input. Anything but STEP_DONE: a diagnostic was given. */
enum step pack_choose_input(struct tensix *tensix, const uint32_t *config, const struct adc *adc,
                            const struct args_PACR *args, struct pack_input *input);

/* The destination of a tile that begins now. `compressed`: with row start indices; `short_datums`: of fewer than 16
   bits. */
struct pack_destination pack_choose_destination(const struct tensix *tensix, const uint32_t *config,
                                                const struct adc *adc, bool compressed, bool short_datums);

/* Applies ADDR_MOD_PACK entry `mode` of the thread's configuration to Y and Z of both channels. */
void pack_apply_addr_mod(struct adc *adc, const uint16_t *thread_config, unsigned mode);

/* The bits of an entry that make it do more than an addition. */
enum {
    PACK_ADDR_MOD_SPECIAL = ADDR_MOD_PACK_SEC0_YsrcCR_MASK | ADDR_MOD_PACK_SEC0_YsrcClear_MASK |
                            ADDR_MOD_PACK_SEC0_YdstCR_MASK | ADDR_MOD_PACK_SEC0_YdstClear_MASK |
                            ADDR_MOD_PACK_SEC0_ZsrcClear_MASK | ADDR_MOD_PACK_SEC0_ZdstClear_MASK,
};

/* pack_apply_addr_mod(), inline for entries that only add. */
static inline void pack_advance(struct adc *adc, const uint16_t *thread_config, unsigned mode)
{
    const uint16_t *entry = thread_config + mode; /* the four entries follow one another and have the same fields */
    if (*(entry + ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32) & PACK_ADDR_MOD_SPECIAL) {
        pack_apply_addr_mod(adc, thread_config, mode);
        return;
    }
    struct adc_channel *input = &adc->channel[0], *output = &adc->channel[1];
    input->y = (input->y + CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YsrcIncr)) & ADC_Y_MASK;
    input->z = (input->z + CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_ZsrcIncr)) & ADC_Z_MASK;
    output->y = (output->y + CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YdstIncr)) & ADC_Y_MASK;
    output->z = (output->z + CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_ZdstIncr)) & ADC_Z_MASK;
}

/* The address in Dst, in bytes, given by the counters of the input channel. */
static inline uint32_t pack_input_address(const uint32_t *config, const struct adc *adc)
{
    const struct adc_channel *channel = &adc->channel[0];
    return CONFIG_GET(config, PCK0_ADDR_BASE_REG_0_Base) +
           channel->y * CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_0_Ystride) +
           channel->z * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Zstride) +
           channel->w * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
}

/* log2 of the bytes of a row of Dst in that address: 16 data of 4, 2 or 1. */
static inline unsigned pack_input_row_shift(const uint32_t *config)
{
    unsigned format = CONFIG_GET(config, THCON_SEC0_REG1_In_data_format) & 3;
    return format == 0 ? 6 : format == 1 ? 5 : 4;
}

/* The plane of the tile (Z of the tile position, from ZOffset on) that contains row `row` of an instruction. */
uint32_t pack_plane_of_row(const uint32_t *config, const struct pack_unit *pack, unsigned row);

/* Edge masks: the columns that are packed, and those that are masked. */
struct pack_edges {
    bool none;       /* no column of any row is masked */
    bool transposed; /* the position counts planes, the plane counts rows */
    uint8_t plane;
    const uint32_t *config;
    uint32_t row_set; /* the 2-bit mask numbers of the 16 rows, where they depend on the plane */
};

struct pack_edges pack_choose_edges(const uint32_t *config, const struct pack_unit *pack);

/* The unmasked columns of the row at tile position `position`. */
uint32_t pack_edge_mask(const struct pack_edges *edges, unsigned position);

/* Advances the tile position by `rows`. It returns to zero only if it lands exactly on the number of rows of a
   plane. */
static inline void pack_advance_tile_position(struct pack_unit *pack, const uint32_t *config, unsigned rows)
{
    pack->tile_position = (uint8_t)(pack->tile_position + rows);
    if (pack->tile_position == CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane)) {
        pack->tile_position = 0;
        pack->tile.plane++;
        pack->context_planes++;
    }
}

#endif
