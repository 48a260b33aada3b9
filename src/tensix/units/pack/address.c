#include "tensix/units/pack/address.h"

/* The distance between rows of neighbouring interfaces in strided mode. In hardware it is eight rows (the vendor's
   description of PACR: 0, 8, 16, 24); DEST_ACCESS_CFG_remap_addrs moves row 16 to where row 8 would be. Only the case
   of 32-bit rows with swizzle_32b is documented, and it agrees when rows are counted before the swizzle (Adj32 of
   Dst.md); the same is assumed without swizzle_32b. */
static enum step choose_stride(struct tensix *tensix, const uint32_t *config, uint32_t *stride)
{
    bool read_32b = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_32b_data);
    bool swizzle = CONFIG_GET(config, DEST_ACCESS_CFG_swizzle_32b),
         remap = CONFIG_GET(config, DEST_ACCESS_CFG_remap_addrs);
    *stride = remap ? 16 : 8;
    if (!read_32b || (swizzle && remap)) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "PACR: DstAccessMode 1 with 32-bit Dst, DEST_ACCESS_CFG_swizzle_32b %d and remap_addrs %d: "
                    "documented with both set only; taken to read rows %u apart",
                    swizzle, remap, *stride);
}

/* Zeroes without any interface: ADC X counts data over more than one row. */
static enum step choose_zeroes(struct tensix *tensix, const struct adc *adc, struct pack_input *input)
{
    uint32_t first = adc->channel[0].x, last = adc->channel[1].x;
    if (first != 0 || (last + 1) % ROW_COLUMNS != 0) {
        enum step step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                                  "ZeroWrite with ReadIntfSel 0 and ADC X %u to %u: X starts at 0 and ends a row of 16",
                                  first, last);
        if (step != STEP_DONE) {
            return step;
        }
    }
    input->rows = (last + 1) / ROW_COLUMNS;
    input->columns = ROW_COLUMNS;
    return STEP_DONE;
}

static enum step choose_columns(struct tensix *tensix, const struct adc *adc, struct pack_input *input)
{
    uint32_t first = adc->channel[0].x, last = adc->channel[1].x;
    if (first > last || last >= ROW_COLUMNS) {
        enum step step =
            diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                     "ADC X %u to %u is not a range within the 16 columns of a row: set it with SETADCXX", first, last);
        if (step != STEP_DONE) {
            return step;
        }
        first %= ROW_COLUMNS;
        last = first + (last - first) % (ROW_COLUMNS - first);
    }
    input->first_column = first;
    input->columns = last - first + 1;
    return STEP_DONE;
}

/* Auto_set_last_pacr_intf_sel: the last PACR of a plane packs as many rows as the plane has left. */
static uint32_t interfaces_left(const struct tensix *tensix, const uint32_t *config, uint32_t interfaces)
{
    uint32_t rows = CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    uint32_t position = tensix->state->pack.tile_position, left = rows - position;
    bool is_last = position < rows && left < (uint32_t)__builtin_popcount(interfaces);
    return is_last ? (1u << left) - 1 : interfaces;
}

static enum step choose_rows(struct tensix *tensix, const uint32_t *config, uint32_t start,
                             const struct args_PACR *args, struct pack_input *input)
{
    uint32_t interfaces = args->ReadIntfSel ? args->ReadIntfSel : 0xf;
    if (CONFIG_GET(config, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel)) {
        interfaces = interfaces_left(tensix, config, interfaces);
    }
    uint32_t stride = 1;
    enum step step = STEP_DONE;
    if (args->DstAccessMode) {
        step = choose_stride(tensix, config, &stride);
    } else if (interfaces << (start & 3) > 0xf) {
        step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "ReadIntfSel 0x%x from Dst row %u leaves the aligned group of four rows", args->ReadIntfSel,
                        start);
    }
    if (step != STEP_DONE) {
        return step;
    }
    for (unsigned i = 0; i < PACK_INTERFACES; i++) {
        if (interfaces >> i & 1) {
            input->row[input->rows++] = (start + i * stride) % DST_ROWS;
        }
    }
    return STEP_DONE;
}

/* Input from L1 instead of Dst: InputAddressGenerator.md. It is not documented what Blackhole's four interfaces do
   then; here one of them packs what the documentation's single packer packs, up to a row. */
static enum step choose_l1_input(struct tensix *tensix, const uint32_t *config, const struct adc *adc,
                                 const struct args_PACR *args, struct pack_input *input)
{
    enum { LOW_BITS = 18, ADDRESS_BITS = 21, L1_WORD = 16 };
    if (args->ReadIntfSel != 1) {
        return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "THCON_SEC0_REG1_Source_interface_selection 1 (packing from L1) with ReadIntfSel 0x%x: no "
                        "document says what interfaces of Dst other than the first read of L1; set ReadIntfSel 1",
                        args->ReadIntfSel);
    }
    enum step step = choose_columns(tensix, adc, input);
    if (step != STEP_DONE) {
        return step;
    }
    unsigned bytes = 1u << (pack_input_row_shift(config) - 4);
    uint32_t low = pack_input_address(config, adc) +
                   adc->channel[0].x * (CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 0xf);
    uint32_t address = CONFIG_GET(config, THCON_SEC0_REG1_L1_source_addr) << LOW_BITS;
    address += low & ((1u << LOW_BITS) - 1) & ~(uint32_t)(L1_WORD - 1);
    address += bytes * (adc->channel[0].x & (L1_WORD / bytes - 1));
    input->l1_address = address & ((1u << ADDRESS_BITS) - 1);
    input->rows = 1;
    input->from_l1 = true;
    if (!l1_contains(input->l1_address, (uint64_t)bytes * input->columns)) {
        input->zero = true; /* the policy continues */
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "packing %u data from 0x%x, which is not in L1: check THCON_SEC0_REG1_L1_source_addr and the "
                        "strides of PCK0_ADDR_CTRL",
                        input->columns, input->l1_address);
    }
    return STEP_DONE;
}

enum step pack_choose_input(struct tensix *tensix, const uint32_t *config, const struct adc *adc,
                            const struct args_PACR *args, struct pack_input *input)
{
    *input = (struct pack_input){.zero = args->ZeroWrite};
    if (args->Flush) {
        return STEP_DONE;
    }
    if (args->ZeroWrite && !args->ReadIntfSel) {
        return choose_zeroes(tensix, adc, input);
    }
    if (CONFIG_GET(config, THCON_SEC0_REG1_Source_interface_selection) && !args->ZeroWrite) {
        return choose_l1_input(tensix, config, adc, args, input);
    }
    uint32_t address = pack_input_address(config, adc), row_shift = pack_input_row_shift(config);
    uint32_t row = address >> row_shift;
    if (row << row_shift != address && !args->ZeroWrite) {
        enum step step =
            diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                     "the packer's input address 0x%x is not that of a row of Dst, and what it reads is not "
                     "documented: check PCK0_ADDR_BASE_REG_0 and the strides of PCK0_ADDR_CTRL",
                     address);
        if (step != STEP_DONE) {
            return step;
        }
    }
    uint32_t start = (row + CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_Offset)) % DST_ROWS;
    enum step step = choose_columns(tensix, adc, input);
    return step == STEP_DONE ? choose_rows(tensix, config, start, args, input) : step;
}

struct pack_destination pack_choose_destination(const struct tensix *tensix, const uint32_t *config,
                                                const struct adc *adc, bool compressed, bool short_datums)
{
    const struct adc_channel *channel = &adc->channel[1];
    uint32_t bytes = CONFIG_GET(config, PCK0_ADDR_BASE_REG_1_Base) +
                     channel->y * CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_1_Ystride) +
                     channel->z * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_1_Zstride) +
                     channel->w * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
    /* From here on in units of 16 bytes; the strides are in bytes on Blackhole only. */
    uint32_t address = CONFIG_GET(config, THCON_SEC0_REG1_L1_Dest_addr) +
                       !CONFIG_GET(config, THCON_SEC0_REG1_Sub_l1_tile_header_size) + (bytes >> 4);
    if (CONFIG_GET(config, THCON_SEC0_REG1_Add_l1_dest_addr_offset)) {
        address += tensix->state->pack.l1_dest_addr_offset;
    }
    if (address > CONFIG_GET(config, THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1) {
        address -= CONFIG_GET(config, THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
    }
    struct pack_destination destination = {.row_starts = (address & 0x1ffff) << 4};
    if (compressed) {
        address += CONFIG_GET(config, THCON_SEC0_REG1_Row_start_section_size);
    }
    destination.exponents = (address & 0x1ffff) << 4;
    if (short_datums) { /* FP8 and INT8 too, though they have no exponents */
        address += CONFIG_GET(config, THCON_SEC0_REG1_Exp_section_size);
    }
    destination.data = (address & 0x1ffff) << 4;
    return destination;
}

/* The change of Y and Z of one channel by an entry. */
struct channel_step {
    uint32_t y_incr, y_cr, y_clear, z_incr, z_clear;
};

static void step_channel(struct adc_channel *channel, struct channel_step step)
{
    if (step.y_clear) {
        channel->y = channel->y_cr = 0;
    } else if (step.y_cr) {
        channel->y = channel->y_cr = (channel->y_cr + step.y_incr) & ADC_Y_MASK;
    } else {
        channel->y = (channel->y + step.y_incr) & ADC_Y_MASK;
    }
    if (step.z_clear) {
        channel->z = channel->z_cr = 0;
    } else {
        channel->z = (channel->z + step.z_incr) & ADC_Z_MASK;
    }
}

void pack_apply_addr_mod(struct adc *adc, const uint16_t *thread_config, unsigned mode)
{
    /* The four entries follow one another and have the same fields. */
    const uint16_t *entry = thread_config + mode;
    step_channel(&adc->channel[0], (struct channel_step){
                                       .y_incr = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YsrcIncr),
                                       .y_cr = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YsrcCR),
                                       .y_clear = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YsrcClear),
                                       .z_incr = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_ZsrcIncr),
                                       .z_clear = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_ZsrcClear),
                                   });
    step_channel(&adc->channel[1], (struct channel_step){
                                       .y_incr = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YdstIncr),
                                       .y_cr = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YdstCR),
                                       .y_clear = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_YdstClear),
                                       .z_incr = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_ZdstIncr),
                                       .z_clear = CONFIG_GET(entry, ADDR_MOD_PACK_SEC0_ZdstClear),
                                   });
}

/* TILE_ROW_SET_MAPPING of a plane: the same for all planes, or selected by the plane's face set. */
static uint32_t row_set_of_plane(const uint32_t *config, uint32_t plane)
{
    uint32_t row_set = CONFIG_GET(config, PCK_EDGE_TILE_ROW_SET_SELECT_select) & 3;
    if (CONFIG_GET(config, PCK_EDGE_TILE_FACE_SET_SELECT_enable)) {
        uint32_t face = (CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset) + plane) & 15;
        uint32_t face_set = CONFIG_GET(config, PCK_EDGE_TILE_FACE_SET_SELECT_select) & 3;
        row_set = config[TILE_FACE_SET_MAPPING_0_face_set_mapping_0_ADDR32 + face_set] >> (2 * face) & 3;
    }
    return config[TILE_ROW_SET_MAPPING_0_row_set_mapping_0_ADDR32 + row_set];
}

uint32_t pack_plane_of_row(const uint32_t *config, const struct pack_unit *pack, unsigned row)
{
    bool transposed = CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_yz_transposed);
    uint32_t plane = transposed ? (pack->tile_position + row) & 0xff : pack->tile.plane;
    return CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset) + plane;
}

struct pack_edges pack_choose_edges(const uint32_t *config, const struct pack_unit *pack)
{
    struct pack_edges edges = {
        .transposed = CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_yz_transposed),
        .plane = pack->tile.plane,
        .config = config,
        .row_set = row_set_of_plane(config, pack->tile.plane),
    };
    bool first_passes_all = CONFIG_GET(config, PCK_EDGE_OFFSET_SEC0_mask) == 0xffff;
    edges.none = first_passes_all && edges.row_set == 0 && !edges.transposed;
    return edges;
}

uint32_t pack_edge_mask(const struct pack_edges *edges, unsigned position)
{
    uint32_t row = position, row_set = edges->row_set;
    if (edges->transposed) {
        row = edges->plane;
        row_set = row_set_of_plane(edges->config, position & 0xff);
    }
    uint32_t mask = row_set >> (2 * (row & 15)) & 3;
    return edges->config[PCK_EDGE_OFFSET_SEC0_mask_ADDR32 + mask] & 0xffff;
}
