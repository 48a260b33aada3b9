#include "tensix/units/pack/pack.h"

#include "tensix/num/pack_rows.h"
#include "tensix/units/execute.h"
#include "tensix/units/pack/compress.h"
#include "tensix/units/pack/context.h"
#include "tensix/units/pack/convert.h"
#include "tensix/units/pack/operands.h"
#include "tensix/units/pack/output.h"
#include "tensix/units/pack/plan.h"
#include "tensix/units/pack/stages.h"
#include "tensix/units/pack/writes.h"

enum { L1_WORD = 16 };

static bool tile_has_begun(const struct pack_tile *tile, const struct pack_conversion *conversion)
{
    bool short_datums = conversion->out & 2, compress = conversion->compress;
    return tile->data.open && (tile->exponents.open || !short_datums) && (tile->row_starts.open || !compress);
}

static struct pack_tile begin_tile(const struct tensix *tensix, const uint32_t *config, const struct adc *adc,
                                   bool compress, bool short_datums)
{
    struct pack_tile tile = tensix->state->pack.tile;
    struct pack_destination destination = pack_choose_destination(tensix, config, adc, compress, short_datums);
    if (compress && !tile.row_starts.open) {
        tile.row_starts = (struct pack_stream){.open = true, .address = destination.row_starts};
        tile.compressor = (struct pack_compressor){0};
    }
    if (short_datums && !tile.exponents.open) {
        tile.exponents = (struct pack_stream){.open = true, .address = destination.exponents};
        tile.group_datums = 0;
    }
    if (!tile.data.open) {
        tile.data = (struct pack_stream){.open = true, .address = destination.data};
        tile.address = destination.row_starts;
        tile.datums = 0;
    }
    return tile;
}

/* Whether the streams' positions allow packing rows in one pass: at the beginning of a word of L1; for block floats,
   after a whole group. */
static inline bool at_place_for_plain_rows(const struct pack_tile *tile, enum pack_way way)
{
    return way == PACK_PLAIN_BFP ? !tile->group_datums : tile->data.address % L1_WORD == 0;
}

/* Whether the instruction packs whole rows that fit, and that `way` can pack in one pass. */
static bool is_plain(const struct tensix *tensix, enum pack_way way, const struct pack_input *input,
                     struct pack_selection selection)
{
    const struct pack_tile *tile = &tensix->state->pack.tile;
    return way != PACK_IN_STAGES && at_place_for_plain_rows(tile, way) && !input->zero && input->rows &&
           pack_takes_whole_rows(input, selection) && !pack_statistics_enabled(&tensix->state->config);
}

/* convert_rows() and emit() in one pass, for whole rows that fit. */
static inline void pack_plain_rows(struct tensix *tensix, enum pack_way way, const struct pack_conversion *conversion,
                                   const struct pack_rows *rows, bool last)
{
    const struct dst_register_file *dst = &tensix->state->dst;
    struct pack_unit *pack = &tensix->state->pack;
    unsigned count = rows->count;
    uint32_t exponent, bytes = count * ROW_COLUMNS * conversion->bits / 8;
    bool flush = conversion->early == PACK_EARLY_BF16_FLUSHED, adds = conversion->accumulation != PACK_OVERWRITE;
    uint8_t added[PACK_CHUNK_ROWS * sizeof(pack_row)], exponents[PACK_CHUNK_ROWS];
    if (adds) {
        (void)pack_read(tensix, pack->tile.data.address, bytes);
    }
    uint8_t *held = pack_begin_write(tensix, pack->tile.data.address, bytes), *data = adds ? added : held;
    if (way == PACK_PLAIN_BFP) {
        exponent = pack_rows_bf16_to_bfp(dst, rows, flush, conversion->bits, data, exponents);
    } else if (way == PACK_PLAIN_BF16) {
        exponent = pack_rows_bf16_to_bf16(dst, rows, flush, data);
    } else {
        exponent = pack_rows_32b(dst, rows, data);
    }
    if (adds) {
        pack_accumulate(conversion->accumulation, held, added, count * ROW_COLUMNS);
    }
    pack_end_write(tensix, pack->tile.data.address, bytes);
    if (way == PACK_PLAIN_BFP) {
        pack_put(tensix, pack->tile.exponents.address, exponents, count);
        pack->tile.exponents.address += count;
    }
    pack_take_exponent(pack, exponent);
    pack->tile.data.address += bytes;
    pack->tile.datums += count * ROW_COLUMNS;
    pack->tile.bfp = conversion->bfp;
    pack->tile.random = pack->tile.apart = false;
    pack->tile.bits = (uint8_t)conversion->bits;
    if (last && conversion->bfp) {
        uint32_t none[ROW_COLUMNS];
        pack_output_append(tensix, conversion, none, 0, true, true); /* the padding */
    }
}

static void end_tile(struct pack_unit *pack, const uint32_t *config, unsigned thread, bool last)
{
    pack->tile.data.open = pack->tile.exponents.open = pack->tile.row_starts.open = false;
    pack->tile.plane = 0;
    if (last) {
        pack->last_thread = (uint8_t)thread;
        pack->last_tile_size = (uint16_t)((pack->tile.data.address - pack->tile.address) / 16);
        uint32_t header = CONFIG_GET(config, THCON_SEC0_REG1_Add_tile_header_size);
        pack->accumulated_tile_size[thread] =
            (uint16_t)(pack->accumulated_tile_size[thread] + pack->last_tile_size + header);
        if (CONFIG_GET(config, THCON_SEC0_REG1_Enable_out_fifo)) {
            pack_push_metadata(pack);
        }
    }
}

/* Executes PACR with `config`: a bank of Config, or its copy for a context. `plan`: the resolved configuration, or
   NULL. */
static enum step pack_as_configured(struct tensix *tensix, unsigned thread, struct args_PACR args,
                                    const uint32_t *config, const struct pack_plan *plan)
{
    struct tensix_state *state = tensix->state;
    struct pack_unit *pack = &state->pack;
    struct adc *adc = &state->addr.adc[pack_adc_thread(thread, &args)][ADC_PACKER];
    struct pack_conversion chosen;
    const struct pack_conversion *conversion = plan ? &plan->conversion : &chosen;
    struct pack_input input;

    enum step step = plan ? STEP_DONE : pack_choose_conversion(tensix, config, &chosen);
    step = step == STEP_DONE && !plan ? pack_check_config(tensix, config, &chosen) : step;
    step = step == STEP_DONE ? pack_choose_input(tensix, config, adc, &args, &input) : step;
    if (step != STEP_DONE) {
        return step;
    }
    struct pack_selection selection = pack_choose_selection(config, &args);
    uint64_t datums = pack_count_datums(&pack->tile, &input, selection);
    bool last = args.Last || args.Flush;
    struct pack_tile begun;
    const struct pack_tile *tile = &pack->tile;
    if (!tile_has_begun(tile, conversion)) {
        begun = begin_tile(tensix, config, adc, conversion->compress, conversion->out & 2);
        tile = &begun;
    }
    bool fits = conversion->compress ? pack_compressed_fits(tile, conversion, datums)
                                     : pack_output_fits(tile, conversion, datums, last);
    if (!fits) {
        step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "packing %llu data of %s to 0x%x leaves L1: check THCON_SEC0_REG1_L1_Dest_addr",
                        (unsigned long long)datums, format_name(conversion->out), tile->data.address);
        if (step != STEP_DONE) {
            return step;
        }
    }

    if (tile == &begun) {
        pack->tile = begun;
    }
    enum pack_way way = plan ? (enum pack_way)plan->way : pack_choose_way(config, conversion);
    if (fits && is_plain(tensix, way, &input, selection)) {
        pack_plain_rows(tensix, way, conversion, &(struct pack_rows){.row = input.row, .count = input.rows}, last);
    } else {
        pack_in_stages(tensix, config, conversion, &input, selection,
                       (struct pack_emission){conversion, !args.Concat, last, fits}, datums);
    }
    if (input.rows) {
        state->timing.pack.row_bytes = (uint32_t)(datums / input.rows) * conversion->bits / 8;
        pack_advance_tile_position(pack, config, input.rows);
    }
    if (last) {
        end_tile(pack, config, thread, args.Last);
    }
    pack_advance(adc, state->config.thread[thread], args.AddrMode);
    return STEP_DONE;
}

/* Executes PACR in a context other than the first, or in the counted one. */
static enum step pack_in_context(struct tensix *tensix, unsigned thread, struct args_PACR args)
{
    struct pack_unit *pack = &tensix->state->pack;
    uint32_t config[CONFIG_WORDS];
    if (args.CtxtCtrl == CTXT_CTRL_RESET) {
        pack->context = pack->context_planes = 0;
        return STEP_DONE;
    }
    unsigned context = pack_context_of(pack, &args);
    pack_context_config(config_bank(&tensix->state->config, thread), context, config);
    enum step step =
        diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                 "PACR in configuration context %u (CfgContext %u, CtxtCtrl %u): contexts are known by the "
                 "vendor's descriptions of PACR and of configuration fields alone",
                 context, args.CfgContext, args.CtxtCtrl);
    step = step == STEP_DONE ? pack_as_configured(tensix, thread, args, config, NULL) : step;
    if (step == STEP_DONE && args.CtxtCtrl == CTXT_CTRL_FLOPS) {
        pack_context_advance(pack, config, args.Last);
    }
    return step;
}

/* Whatever it does with the rows that it reads. */
void pack_operands(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_sets *sets,
                   struct pack_facts *facts)
{
    const struct args_PACR args = decode_PACR(word);
    const struct pack_unit *pack = &tensix->state->pack;
    const struct adc *adc = &tensix->state->addr.adc[pack_adc_thread(thread, &args)][ADC_PACKER];
    uint32_t config[CONFIG_WORDS];
    struct pack_conversion conversion;
    struct pack_input input;
    *facts = (struct pack_facts){0};
    if (word >> 24 != TENSIX_OPCODE_PACR || args.CtxtCtrl == CTXT_CTRL_RESET) {
        return;
    }
    facts->context = pack_context_of(pack, &args);
    pack_context_config(config_bank(&tensix->state->config, thread), facts->context, config);
    (void)pack_choose_conversion(tensix, config, &conversion);
    if (pack_choose_input(tensix, config, adc, &args, &input) != STEP_DONE) {
        return;
    }
    facts->begins = !tile_has_begun(&pack->tile, &conversion);
    facts->compresses = conversion.compress;
    facts->from_l1 = input.from_l1;
    for (unsigned i = 0; i < input.rows && !input.zero && !input.from_l1; i++) {
        operand_dst_rows(&sets->read.rows, &tensix->state->dst, conversion.read_32b, input.row[i], 1, 1);
    }
}

enum step execute_PACR(struct tensix *tensix, unsigned thread, struct args_PACR args)
{
    const uint32_t *config = config_bank(&tensix->state->config, thread);
    if (args.CtxtCtrl | args.CfgContext) {
        return pack_in_context(tensix, thread, args);
    }
    const struct pack_plan *plan = &tensix->state->pack_plan;
    if (pack_plan_is_quiet(plan, config)) {
        return pack_as_configured(tensix, thread, args, config, plan);
    }
    enum step step = pack_as_configured(tensix, thread, args, config, NULL);
    if (step == STEP_DONE && !pack_plan_holds(plan, config)) {
        pack_make_plan(tensix, config);
    }
    return step;
}

/* Rows of a planned PACR: aligned ones of one group of four, or rows at a distance. */
struct planned_rows {
    unsigned count;
    uint32_t stride, first;
};

/* The instruction's rows. false: the plan does not cover this selection of rows, or other settings of the
   instruction. */
static inline bool ask_for_rows(const uint32_t *config, const struct args_PACR *args, struct planned_rows *rows)
{
    uint32_t others = args->CfgContext | args->CtxtCtrl | args->ZeroWrite | args->Flush | args->RowPadZero >> 2;
    static const uint8_t counts[16] = {[0] = 4, [1] = 1, [3] = 2, [7] = 3, [15] = 4};
    rows->count = counts[args->ReadIntfSel];
    rows->stride = 1;
    if (args->DstAccessMode) {
        bool remap = CONFIG_GET(config, DEST_ACCESS_CFG_remap_addrs);
        rows->stride = remap ? 16 : 8;
        others |= CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_32b_data) &&
                  !(CONFIG_GET(config, DEST_ACCESS_CFG_swizzle_32b) && remap);
    }
    return !others && rows->count;
}

/* Packs in stages, of which all but the last are one function. Not inline, to keep its arrays off the stack of the
   one-pass ways. */
__attribute__((noinline)) static void pack_planned_in_stages(struct tensix *tensix, const uint32_t *config,
                                                             const struct pack_conversion *conversion,
                                                             const struct planned_rows *rows, const uint32_t *row,
                                                             bool last)
{
    struct pack_unit *pack = &tensix->state->pack;
    _Alignas(64) pack_row data[PACK_CHUNK_ROWS];
    uint16_t masks[PACK_CHUNK_ROWS];
    struct pack_edges edges = pack_choose_edges(config, pack);
    for (unsigned i = 0; i < rows->count && !edges.none; i++) {
        masks[i] = (uint16_t)pack_edge_mask(&edges, pack->tile_position + i);
    }
    uint32_t fill = CONFIG_GET(config, PCK_EDGE_MODE_mode) ? conversion->minus_infinity : 0;
    uint32_t largest =
        pack_convert_rows(&tensix->state->dst, conversion, row, rows->count, edges.none ? NULL : masks, fill, data);
    pack_take_exponent(pack, largest >> __builtin_ctz(pack_exponent_mask(conversion)));
    pack_output_append(tensix, conversion, data[0], rows->count * ROW_COLUMNS, last, true);
}

/* Whether `rows` rows fit with some room left, and begin at a word of L1. */
static inline bool planned_rows_fit(const struct pack_tile *tile, const struct pack_conversion *conversion,
                                    unsigned rows, enum pack_way way)
{
    return (way == PACK_IN_STAGES || at_place_for_plain_rows(tile, way)) &&
           l1_contains(tile->data.address, rows * 2 * conversion->bits + 2 * L1_WORD) &&
           (!conversion->bfp || l1_contains(tile->exponents.address, 2 * L1_WORD));
}

/* The row of Dst at an address that is a multiple of a row. */
static inline uint32_t row_at(const uint32_t *config, uint32_t address, uint32_t shift)
{
    return ((address >> shift) + CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_Offset)) % DST_ROWS;
}

/* How many PACRs of one row each, of `most` that follow each other, are packed in one pass: more than one if their tile
   goes on behind them, there is room for all, and shared exponents go where none of them stores data. */
static inline unsigned count_joined(const struct pack_tile *tile, const struct pack_plan *plan, uint32_t most)
{
    const uint32_t bytes = PACK_INTERFACES * 2 * plan->conversion.bits, exponents = tile->exponents.address;
    if (most == 1 || plan->way == PACK_IN_STAGES || !l1_contains(tile->data.address, bytes + 2 * L1_WORD)) {
        return 1;
    }
    bool apart = exponents + PACK_INTERFACES <= tile->data.address || exponents >= tile->data.address + bytes;
    bool joins = !plan->conversion.bfp || (apart && l1_contains(exponents, 2 * L1_WORD + PACK_INTERFACES));
    return !joins ? 1 : most < PACK_INTERFACES ? most : PACK_INTERFACES;
}

/* Lets the counters of a PACR of one row go on, to find the rows of those behind it that are packed in the same pass;
   `most` PACRs in all. Returns how many there are; *advanced: the counters have gone on behind the last of them, too.
 */
static inline unsigned find_rows_behind(struct tensix_state *state, unsigned thread, struct adc *adc,
                                        const uint32_t *config, uint32_t addr_mode, uint32_t most, uint32_t *row,
                                        bool *advanced)
{
    const uint32_t shift = state->pack_plan.row_shift;
    const unsigned all = count_joined(&state->pack.tile, &state->pack_plan, most);
    unsigned count = 1;
    while (count < all) {
        pack_advance(adc, state->config.thread[thread], addr_mode);
        uint32_t address = pack_input_address(config, adc);
        if (address & ((1u << shift) - 1)) {
            *advanced = true;
            break;
        }
        row[count++] = row_at(config, address, shift);
    }
    return count;
}

/* Whether four rows are a group, as struct pack_rows has it. */
static inline bool are_group(const uint32_t *row)
{
    return row[0] % PACK_GROUP == 0 && row[1] == row[0] + 1 && row[2] == row[0] + 2 && row[3] == row[0] + 3;
}

/* Executes a PACR of rows that the plan covers, or up to `most` of one row each that are not the last of their tile, in
   one pass. Returns how many. 0: where rows lie, or go to, the plan does not cover, and nothing happened. */
__attribute__((always_inline)) static inline uint32_t pack_planned_rows(struct tensix *tensix, unsigned thread,
                                                                        const struct args_PACR *args,
                                                                        const uint32_t *config,
                                                                        struct planned_rows rows, uint32_t most)
{
    struct tensix_state *state = tensix->state;
    struct pack_unit *pack = &state->pack;
    const struct pack_plan *plan = &state->pack_plan;
    const struct pack_conversion *conversion = &plan->conversion;
    struct adc *adc = &state->addr.adc[pack_adc_thread(thread, args)][ADC_PACKER];
    uint32_t address = pack_input_address(config, adc), shift = plan->row_shift;
    rows.first = row_at(config, address, shift);
    bool whole_rows = adc->channel[0].x == 0 && adc->channel[1].x == ROW_COLUMNS - 1;
    bool of_one_group = args->DstAccessMode || rows.first % PACK_INTERFACES + rows.count <= PACK_INTERFACES;
    if (!whole_rows || (address & ((1u << shift) - 1)) || !of_one_group) {
        return 0;
    }

    enum pack_way way = (enum pack_way)plan->way;
    bool short_datums = conversion->out & 2;
    bool begins = !pack->tile.data.open || (short_datums && !pack->tile.exponents.open);
    struct pack_tile begun;
    const struct pack_tile *tile = &pack->tile;
    if (begins) {
        begun = begin_tile(tensix, config, adc, false, short_datums);
        tile = &begun;
    }
    if (!planned_rows_fit(tile, conversion, rows.count, way)) {
        return 0;
    }
    if (begins) {
        pack->tile = begun;
    }

    uint32_t row[PACK_INTERFACES];
    for (unsigned i = 0; i < PACK_INTERFACES; i++) {
        row[i] = (rows.first + i * rows.stride) % DST_ROWS;
    }
    const unsigned rows_of_each = rows.count;
    unsigned joined = 1;
    bool advanced = false;
    if (most > 1) {
        joined = find_rows_behind(state, thread, adc, config, args->AddrMode, most, row, &advanced);
        rows.count = joined;
    }
    if (way == PACK_IN_STAGES) {
        pack_planned_in_stages(tensix, config, conversion, &rows, row, args->Last);
    } else {
        bool group = rows.count == PACK_GROUP && (joined > 1 ? are_group(row) : rows.stride == 1);
        pack_plain_rows(tensix, way, conversion, &(struct pack_rows){row, rows.count, group}, args->Last);
    }
    state->timing.pack.row_bytes = ROW_COLUMNS * conversion->bits / 8;
    for (unsigned i = 0; i < joined; i++) {
        pack_advance_tile_position(pack, config, rows_of_each);
    }
    if (args->Last) {
        end_tile(pack, config, thread, true);
    }
    if (!advanced) {
        pack_advance(adc, state->config.thread[thread], args->AddrMode);
    }
    return joined;
}

/* PACRs of one row each (rows pack_row_bf16 to pack_row_bfp4 of the benchmark). Apart, so that those of more rows keep
   the registers of the host. Returns how many have executed. */
static __attribute__((noinline)) uint32_t pack_single_rows(struct tensix *tensix, unsigned thread, uint32_t word,
                                                           const uint32_t *config, struct planned_rows rows,
                                                           uint32_t times)
{
    const struct args_PACR args = decode_PACR(word);
    uint32_t done = 0;
    for (uint32_t some = 1; some && done < times; done += some) {
        some = pack_planned_rows(tensix, thread, &args, config, rows, times - done);
    }
    return done;
}

uint32_t pack_as_planned(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t times)
{
    const struct tensix_state *state = tensix->state;
    const uint32_t *config = config_bank(&state->config, thread);
    const struct args_PACR args = decode_PACR(word);
    struct planned_rows rows;
    uint32_t done = 0;
    if (!state->pack_plan.whole_rows || !pack_plan_is_quiet(&state->pack_plan, config) ||
        !ask_for_rows(config, &args, &rows) || pack_statistics_enabled(&state->config)) {
        return 0;
    }
    if (times > 1 && rows.count == 1 && !args.Last) {
        return pack_single_rows(tensix, thread, word, config, rows, times);
    }
    while (done < times && pack_planned_rows(tensix, thread, &args, config, rows, 1)) {
        done++;
    }
    return done;
}

enum step run_PACR(struct tensix *tensix, unsigned thread, uint32_t word)
{
    if (pack_as_planned(tensix, thread, word, 1)) {
        return STEP_DONE;
    }
    __asm__("" : "+r"(word)); /* decoded again: otherwise the compiler keeps fields that both paths need in memory */
    return execute_PACR(tensix, thread, decode_PACR(word));
}
