#include "tensix/units/pack/stages.h"

#include "tensix/num/pack_rounding.h"
#include "tensix/units/execute.h"
#include "tensix/units/pack/compress.h"
#include "tensix/units/pack/convert.h"
#include "tensix/units/pack/output.h"
#include "tensix/units/pack/plan.h"
#include "tensix/units/pack/writes.h"

struct pack_selection pack_choose_selection(const uint32_t *config, const struct args_PACR *args)
{
    uint32_t mask = CONFIG_GET(config, THCON_SEC0_REG1_Downsample_mask);
    unsigned when = args->RowPadZero & 3;
    bool pad = when == 1 || (when == 2 && !args->Concat) || (when == 3 && args->Last);
    bool at_end = args->RowPadZero >> 2;
    return (struct pack_selection){.mask = mask ? mask : 0xffff, .pad_rows = pad && !at_end, .pad_end = pad && at_end};
}

bool pack_takes_whole_rows(const struct pack_input *input, struct pack_selection selection)
{
    return input->columns == ROW_COLUMNS && selection.mask == 0xffff && !selection.pad_end;
}

static uint32_t rotated(uint32_t mask, unsigned by)
{
    by %= 16;
    return (mask >> by | mask << (16 - by)) & 0xffff;
}

uint64_t pack_count_datums(const struct pack_tile *tile, const struct pack_input *input,
                           struct pack_selection selection)
{
    uint64_t count = 0;
    if (pack_takes_whole_rows(input, selection)) {
        return (uint64_t)input->rows * ROW_COLUMNS;
    }
    for (unsigned row = 0; row < input->rows; row++) {
        uint32_t columns = (UINT32_C(1) << input->columns) - 1;
        count += (unsigned)__builtin_popcount(rotated(selection.mask, row * input->columns) & columns);
        count = selection.pad_rows ? (count + 15) / 16 * 16 : count;
    }
    uint32_t before = tile->data.open ? tile->datums : 0;
    return selection.pad_end ? (before + count + 15) / 16 * 16 - before : count;
}

/* Counts exponents of a row; `mask`: the exponent's bits in a datum. */
static void count_exponents(struct pack_unit *pack, uint32_t mask, const uint32_t *datums, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t exponent = (datums[i] & mask) >> __builtin_ctz(mask);
        uint8_t *bin = &pack->exponent_histogram[exponent % PACK_HISTOGRAM_BINS];
        *bin = (uint8_t)(*bin + (*bin != 255));
    }
}

/* Counts exponents of the data that the instruction reads; a row that is read in part is copied first. */
static void gather_statistics(struct pack_unit *pack, const struct pack_conversion *conversion, bool histogram,
                              const struct pack_input *input, const pack_row *rows)
{
    uint32_t mask = pack_exponent_mask(conversion);
    pack_row taken[PACK_CHUNK_ROWS];
    if (input->columns != ROW_COLUMNS) {
        memset(taken, 0, sizeof taken);
        for (unsigned row = 0; row < input->rows; row++) {
            memcpy(taken[row], &rows[row][input->first_column], input->columns * sizeof(uint32_t));
        }
        rows = taken;
    }
    pack_take_exponent(pack, pack_largest(mask, rows, input->rows) >> __builtin_ctz(mask));
    for (unsigned row = 0; histogram && row < input->rows; row++) {
        count_exponents(pack, mask, rows[row], input->columns);
    }
}

static void convert_early(struct pack_unit *pack, const struct pack_conversion *conversion, unsigned shift,
                          bool from_dst, pack_row *rows, unsigned count)
{
    if (conversion->random_early) {
        pack_row random[PACK_CHUNK_ROWS];
        stochastic_draw(&pack->gasket_random, random, count);
        pack_early_at_random(conversion->early, shift, random, rows, count);
    }
    if (conversion->early != PACK_EARLY_32B && from_dst) {
        pack_early_rows(conversion->early, shift, rows, count);
    }
}

/* Converts data of Dst for the streams: all stages but the last, which makes groups of 16. */
static void convert_rows(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion,
                         const struct pack_input *input, pack_row *rows)
{
    struct tensix_state *state = tensix->state;
    if (input->from_l1) {
        uint32_t bytes = input->columns * pack_l1_datum_bytes(conversion->in);
        pack_read_l1(pack_read(tensix, input->l1_address, bytes), conversion->in, input->columns,
                     &rows[0][input->first_column]);
    } else {
        pack_read_rows(&state->dst, conversion->read_32b, input->row, rows, input->rows);
    }
    if (conversion->shift_by_plane) {
        for (unsigned i = 0; i < input->rows; i++) {
            unsigned shift = pack_shift_of_plane(config, pack_plane_of_row(config, &state->pack, i));
            convert_early(&state->pack, conversion, shift, !input->from_l1, rows + i, 1);
        }
    } else {
        convert_early(&state->pack, conversion, conversion->shift, !input->from_l1, rows, input->rows);
    }
    uint32_t fill = CONFIG_GET(config, PCK_EDGE_MODE_mode) ? conversion->minus_infinity : 0;
    struct pack_edges edges = pack_choose_edges(config, &state->pack);
    for (unsigned i = 0; i < input->rows && !edges.none; i++) {
        uint16_t mask = (uint16_t)pack_edge_mask(&edges, state->pack.tile_position + i);
        pack_mask_rows(&mask, fill, rows + i, 1);
    }
    if (conversion->relu != PACK_RELU_NONE) {
        pack_relu_rows(conversion->relu, conversion->kind, conversion->relu_threshold, conversion->relu_sign, rows,
                       input->rows);
    }
    gather_statistics(&state->pack, conversion, pack_statistics_enabled(&state->config), input, rows);
    enum pack_kind kind = conversion->kind;
    if (conversion->narrow) {
        pack_narrow_rows(rows, input->rows);
        kind = PACK_NARROW;
    }
    if (conversion->exponent_threshold_enabled) {
        pack_exponent_threshold_rows(kind, conversion->exponent_threshold, rows, input->rows);
    }
    if (conversion->late != PACK_LATE_IDENTITY) {
        pack_late_rows(conversion->late, rows, input->rows);
    }
}

/* Moves the selected data of the rows together and pads them, in place. */
static unsigned select_datums(const struct pack_input *input, struct pack_selection selection, pack_row *rows)
{
    uint32_t *datums = rows[0];
    if (pack_takes_whole_rows(input, selection)) {
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

static void emit(struct tensix *tensix, struct pack_emission emission, uint32_t *datums, unsigned count, bool more)
{
    bool last = emission.last && !more, row_ends = emission.row_ends && !more;
    if (emission.conversion->compress) {
        pack_compress(tensix, emission.conversion, datums, count, row_ends, last, emission.write);
    } else {
        pack_output_append(tensix, emission.conversion, datums, count, last, emission.write);
    }
}

/* Packs the zeroes that follow the rows of Dst: of ZeroWrite, and of RowPadZero. */
static void emit_zeroes(struct tensix *tensix, struct pack_emission emission, uint64_t datums)
{
    do {
        uint32_t zeroes[PACK_CHUNK_DATUMS] = {0};
        unsigned count = datums < PACK_CHUNK_DATUMS ? (unsigned)datums : PACK_CHUNK_DATUMS;
        datums -= count;
        emit(tensix, emission, zeroes, count, datums != 0);
    } while (datums);
}

void pack_in_stages(struct tensix *tensix, const uint32_t *config, const struct pack_conversion *conversion,
                    const struct pack_input *input, struct pack_selection selection, struct pack_emission emission,
                    uint64_t datums)
{
    unsigned taken = 0;
    _Alignas(64) pack_row rows[PACK_CHUNK_ROWS + 1];
    if (!input->zero && input->rows) {
        convert_rows(tensix, config, conversion, input, rows);
        taken = select_datums(input, selection, rows);
        emit(tensix, emission, rows[0], taken, taken < datums);
    }
    if (taken < datums || (emission.last && taken == 0)) {
        emit_zeroes(tensix, emission, datums - taken);
    }
}
