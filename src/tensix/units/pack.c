#include "tensix/units/pack.h"

#include "tensix/execute.h"
#include "tensix/units/pack_address.h"
#include "tensix/units/pack_convert.h"
#include "tensix/units/pack_output.h"

enum { CTXT_CTRL_NONE, CTXT_CTRL_FLOPS, CTXT_CTRL_RESET };

/* What lies between the data that are read and the data that are packed. */
struct selection {
    uint32_t mask;          /* which of 16 data in turn are kept */
    bool pad_rows, pad_end; /* with zeroes, to a multiple of 16: each row, or all that the tile has so far */
};

static enum step check_contexts(struct tensix *tensix, struct args_PACR args)
{
    if (args.CtxtCtrl == CTXT_CTRL_NONE && args.CfgContext == 0) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                    "PACR with CfgContext %u and CtxtCtrl %u: the packer's configuration contexts", args.CfgContext,
                    args.CtxtCtrl);
}

static enum step check_config(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion)
{
    const char *missing = NULL;
    if (!CONFIG_GET(config, THCON_SEC0_REG1_Disable_zero_compress)) {
        missing = "Disable_zero_compress clear: zero compression";
    } else if (CONFIG_GET(config, THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd)) {
        missing = "All_pack_disable_zero_compress_ovrd";
    } else if (CONFIG_GET(config, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel)) {
        missing = "Auto_set_last_pacr_intf_sel";
    } else if (CONFIG_GET(config, THCON_SEC0_REG1_pack_start_intf_pos)) {
        missing = "pack_start_intf_pos";
    } else if (CONFIG_GET(config, THCON_SEC0_REG1_Enable_out_fifo)) {
        missing = "Enable_out_fifo: the queue of tile sizes";
    } else if (CONFIG_GET(config, THCON_SEC0_REG1_Downsample_rate)) {
        missing = "Downsample_rate";
    } else if (conversion->bfp && CONFIG_GET(config, THCON_SEC0_REG1_Dis_shared_exp_assembler)) {
        missing = "Dis_shared_exp_assembler with a block float format";
    }
    return missing ? diagnose(tensix->diagnostics, BH_UNSUPPORTED, "THCON_SEC0_REG1_%s", missing) : STEP_DONE;
}

static struct selection choose_selection(const uint32_t *config, struct args_PACR args)
{
    uint32_t mask = CONFIG_GET(config, THCON_SEC0_REG1_Downsample_mask);
    unsigned when = args.RowPadZero & 3;
    bool pad = when == 1 || (when == 2 && !args.Concat) || (when == 3 && args.Last);
    bool at_end = args.RowPadZero >> 2;
    return (struct selection){.mask = mask ? mask : 0xffff, .pad_rows = pad && !at_end, .pad_end = pad && at_end};
}

static uint32_t rotated(uint32_t mask, unsigned by)
{
    by %= 16;
    return (mask >> by | mask << (16 - by)) & 0xffff;
}

/* How many data the instruction packs. */
static uint64_t count_datums(const struct pack_unit *pack, const struct pack_input *input, struct selection selection)
{
    uint64_t count = 0;
    for (unsigned row = 0; row < input->rows; row++) {
        uint32_t columns = (UINT32_C(1) << input->columns) - 1;
        count += (unsigned)__builtin_popcount(rotated(selection.mask, row * input->columns) & columns);
        count = selection.pad_rows ? (count + 15) / 16 * 16 : count;
    }
    uint32_t before = pack->data.open ? pack->tile_datums : 0;
    return selection.pad_end ? (before + count + 15) / 16 * 16 - before : count;
}

static void read_row(const struct dst_register_file *dst, bool read_32b, uint32_t row, pack_row datums)
{
    uint32_t high = read_32b ? dst_row32(row) : row;
    if (!dst->valid[high]) {
        memset(datums, 0, sizeof(pack_row));
    } else if (read_32b) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            datums[column] = dst_join32(dst->rows[high][column], dst->rows[high + DST_LOW_HALF][column]);
        }
    } else {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            datums[column] = dst->rows[high][column];
        }
    }
}

static void mask_edges(uint32_t mask, uint32_t fill, pack_row datums)
{
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        datums[column] = mask >> column & 1 ? datums[column] : fill;
    }
}

static void gather_statistics(struct pack_unit *pack, const struct pack_conversion *conversion, bool histogram,
                              const struct pack_input *input, const pack_row *rows)
{
    unsigned shift = 23, bits = 0xff;
    if (conversion->kind == PACK_NARROW) {
        shift = 10, bits = 0x1f;
    } else if (conversion->kind == PACK_INTEGER && conversion->early != PACK_EARLY_32B) {
        shift = 0;
    }
    uint32_t largest = pack->max_exponent;
    for (unsigned row = 0; row < input->rows; row++) {
        for (unsigned i = 0; i < input->columns; i++) {
            uint32_t exponent = rows[row][input->first_column + i] >> shift & bits;
            largest = exponent > largest ? exponent : largest;
            if (__builtin_expect(histogram, 0)) {
                uint8_t *bin = &pack->exponent_histogram[exponent % PACK_HISTOGRAM_BINS];
                *bin = (uint8_t)(*bin + (*bin != 255));
            }
        }
    }
    pack->max_exponent = (uint8_t)largest;
}

static bool statistics_enabled(const struct config_unit *config)
{
    return CONFIG_GET(config->thread[0], ENABLE_ACC_STATS_Enable) |
           CONFIG_GET(config->thread[1], ENABLE_ACC_STATS_Enable) |
           CONFIG_GET(config->thread[2], ENABLE_ACC_STATS_Enable);
}

/* Dst to what the streams take: all stages but the last, which makes groups of 16. */
static void convert_rows(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion,
                         const struct pack_input *input, pack_row *rows)
{
    struct tensix_state *state = tensix->state;
    for (unsigned i = 0; i < input->rows; i++) {
        read_row(&state->dst, conversion->read_32b, input->row[i], rows[i]);
    }
    pack_early_rows(conversion->early, conversion->shift, rows, input->rows);
    uint32_t fill = CONFIG_GET(config, PCK_EDGE_MODE_mode) ? conversion->minus_infinity : 0;
    for (unsigned i = 0; i < input->rows; i++) {
        uint32_t mask = pack_edge_mask(config, (uint8_t)(state->pack.tile_position + i), state->pack.tile_plane);
        if (mask != 0xffff) {
            mask_edges(mask, fill, rows[i]);
        }
    }
    pack_relu_rows(conversion->relu, conversion->kind, conversion->relu_threshold, conversion->relu_sign, rows,
                   input->rows);
    gather_statistics(&state->pack, conversion, statistics_enabled(&state->config), input, rows);
    enum pack_kind kind = conversion->kind;
    if (conversion->narrow) {
        pack_narrow_rows(rows, input->rows);
        kind = PACK_NARROW;
    }
    if (conversion->exponent_threshold_enabled) {
        pack_exponent_threshold_rows(kind, conversion->exponent_threshold, rows, input->rows);
    }
    pack_late_rows(conversion->late, rows, input->rows);
}

/* Closes up the rows to the data that are packed, and pads them; in place. */
static unsigned select_datums(const struct pack_input *input, struct selection selection, pack_row *rows)
{
    uint32_t *datums = rows[0];
    if (input->columns == ROW_COLUMNS && selection.mask == 0xffff) {
        return input->rows * ROW_COLUMNS;
    }
    unsigned count = 0, seen = 0;
    for (unsigned row = 0; row < input->rows; row++) {
        for (unsigned i = 0; i < input->columns; i++, seen++) {
            uint32_t datum = rows[row][input->first_column + i];
            if (selection.mask >> (seen % 16) & 1) {
                datums[count++] = datum;
            }
        }
        while (selection.pad_rows && count % 16 != 0) {
            datums[count++] = 0;
        }
    }
    return count;
}

/* What is left of `datums` to pack after the rows of Dst are zeroes: of ZeroWrite, and of RowPadZero. */
static void append_zeroes(struct tensix *tensix, const struct pack_conversion *conversion, uint64_t datums, bool last,
                          bool write)
{
    static const uint32_t zeroes[PACK_CHUNK_DATUMS];
    do {
        unsigned count = datums < PACK_CHUNK_DATUMS ? (unsigned)datums : PACK_CHUNK_DATUMS;
        datums -= count;
        pack_output_append(tensix, conversion, zeroes, count, last && datums == 0, write);
    } while (datums);
}

static void begin_tile(struct tensix *tensix, const uint32_t *config, const struct adc *adc,
                       const struct pack_conversion *conversion, struct pack_unit *pack)
{
    bool short_datums = conversion->out & 2;
    if (pack->data.open && (pack->exponents.open || !short_datums)) {
        return;
    }
    struct pack_destination destination = pack_choose_destination(tensix, config, adc, short_datums);
    if (short_datums && !pack->exponents.open) {
        pack->exponents = (struct pack_stream){.open = true, .address = destination.exponents};
        pack->group_datums = 0;
    }
    if (!pack->data.open) {
        pack->data = (struct pack_stream){.open = true, .address = destination.data};
        pack->tile_address = short_datums ? destination.exponents : destination.data;
        pack->tile_datums = 0;
    }
}

static void end_tile(struct pack_unit *pack, const uint32_t *config, unsigned thread, bool last)
{
    pack->data.open = pack->exponents.open = false;
    pack->tile_plane = 0;
    if (last) {
        pack->last_thread = (uint8_t)thread;
        pack->last_tile_size = (uint16_t)((pack->data.address - pack->tile_address) / 16);
        uint32_t header = CONFIG_GET(config, THCON_SEC0_REG1_Add_tile_header_size);
        pack->accumulated_tile_size[thread] =
            (uint16_t)(pack->accumulated_tile_size[thread] + pack->last_tile_size + header);
    }
}

enum step execute_PACR(struct tensix *tensix, unsigned thread, struct args_PACR args)
{
    struct tensix_state *state = tensix->state;
    struct pack_unit *pack = &state->pack;
    const uint32_t *config = config_bank(&state->config, thread);
    struct adc *adc = &state->addr.adc[pack_adc_thread(thread, args)][ADC_PACKER];
    struct pack_conversion conversion;
    struct pack_input input;

    if (args.CtxtCtrl == CTXT_CTRL_RESET) {
        return STEP_DONE; /* resets the context that CtxtCtrl 1 counts, and does nothing else */
    }
    enum step step = check_contexts(tensix, args);
    step = step == STEP_DONE ? pack_choose_conversion(tensix, config, &conversion) : step;
    step = step == STEP_DONE ? check_config(tensix, config, &conversion) : step;
    step = step == STEP_DONE ? pack_choose_input(tensix, config, adc, args, &input) : step;
    if (step != STEP_DONE) {
        return step;
    }
    struct selection selection = choose_selection(config, args);
    uint64_t datums = count_datums(pack, &input, selection);
    bool last = args.Last || args.Flush;
    struct pack_unit begun = *pack;
    begin_tile(tensix, config, adc, &conversion, &begun);
    bool fits = pack_output_fits(&begun, &conversion, datums, last);
    if (!fits) {
        step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "packing %llu data of %s to 0x%x leaves L1: check THCON_SEC0_REG1_L1_Dest_addr",
                        (unsigned long long)datums, format_name(conversion.out), begun.data.address);
        if (step != STEP_DONE) {
            return step;
        }
    }

    *pack = begun;
    unsigned taken = 0;
    _Alignas(64) pack_row rows[PACK_CHUNK_ROWS + 1];
    if (!input.zero && input.rows) {
        convert_rows(tensix, config, &conversion, &input, rows);
        taken = select_datums(&input, selection, rows);
        pack_output_append(tensix, &conversion, rows[0], taken, last && taken == datums, fits);
    }
    if (taken < datums || (last && taken == 0)) {
        append_zeroes(tensix, &conversion, datums - taken, last, fits);
    }
    if (input.rows) {
        pack_advance_tile_position(pack, config, input.rows);
    }
    if (last) {
        end_tile(pack, config, thread, args.Last);
    }
    pack_apply_addr_mod(adc, state->config.thread[thread], args.AddrMode);
    return STEP_DONE;
}
