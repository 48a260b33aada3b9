/* Dst, SrcA, SrcB and LRegs: rows of numbers. A tile is 64 rows: four faces of 16 rows, the first two beside each
   other, the others below them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "inspect/sections.h"
#include "isa/tensix_text.h"
#include "tensix/num/formats_unpack.h"
#include "util/bits.h"

enum { FACE = 16, TILE_SIDE = 32, LANES_IN_ROW = 8 };

/* The rows that a request is about, of a register file with `all` of them. */
struct range {
    uint32_t first, count;
};

static struct range range_of(const struct dump_request *request, uint32_t all)
{
    uint32_t first = request->first < all ? request->first : all;
    uint32_t count = request->counted && request->count < all - first ? request->count : all - first;
    return (struct range){first, count};
}

/* A row of each register file. false: it was cleared, and reads as zeroes. */
typedef bool read_row(const void *file, enum dump_type type, uint32_t row, double values[ROW_COLUMNS]);

static bool read_dst(const void *file, enum dump_type type, uint32_t row, double values[ROW_COLUMNS])
{
    const struct dst_register_file *dst = file;
    bool wide = dump_is_wide(type);
    uint32_t place = dst_place(dst, wide, row);
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        uint16_t high = dst->valid[place] ? dst->rows[place][i] : 0;
        uint16_t low = wide && dst->valid[place] ? dst->rows[place + DST_LOW_HALF][i] : 0;
        values[i] = dump_dst_value(type, high, low);
    }
    return dst->valid[place];
}

struct src_bank {
    const struct src_register_file *src;
    unsigned bank;
};

static bool read_src(const void *file, enum dump_type type, uint32_t row, double values[ROW_COLUMNS])
{
    const struct src_bank *bank = file;
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        values[i] = dump_src_value(type, bank->src->rows[bank->bank][row][i]);
    }
    return true;
}

/* The rows as they are, or as a tile. Returns whether any was not cleared. */
static bool read_tile(read_row *read, const void *file, enum dump_type type, uint32_t tile,
                      double values[TILE_SIDE][TILE_SIDE])
{
    bool any = false;
    for (uint32_t row = 0; row < DUMP_TILE_ROWS; row++) {
        uint32_t face = row / FACE, down = face / 2 * FACE + row % FACE, right = face % 2 * FACE;
        any |= read(file, type, tile * DUMP_TILE_ROWS + row, &values[down][right]);
    }
    return any;
}

/* Writing. */

static bool all_zero(const double *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (values[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Text leaves out rows that were cleared, and with them all rows of zeroes if so many follow each other. */
struct left_out {
    uint32_t first, count;
    const char *why;
};

static void tell_left_out(struct out *out, struct left_out *left)
{
    if (left->count == 1) {
        out_note(out, "%u: %s", left->first, left->why);
    } else if (left->count) {
        out_note(out, "%u to %u: %s", left->first, left->first + left->count - 1, left->why);
    }
    left->count = 0;
}

/* Whether it is left out. */
static bool leave_out(struct out *out, struct left_out *left, uint32_t row, const char *why)
{
    if (out->as_json || !why) {
        tell_left_out(out, left);
        return false;
    }
    if (left->count && left->why != why) {
        tell_left_out(out, left);
    }
    if (left->count++ == 0) {
        left->first = row;
        left->why = why;
    }
    return true;
}

static const char cleared[] = "cleared", zeroes[] = "zeroes";

static void write_rows(struct out *out, read_row *read, const void *file, enum dump_type type, struct range range)
{
    struct left_out left = {};
    out_number(out, "first_row", range.first);
    out_begin_list(out, "rows");
    for (uint32_t row = range.first; row < range.first + range.count; row++) {
        double values[ROW_COLUMNS];
        char label[16];
        bool valid = read(file, type, row, values);
        if (!leave_out(out, &left, row, !valid ? cleared : all_zero(values, ROW_COLUMNS) ? zeroes : NULL)) {
            (void)snprintf(label, sizeof label, "%4u:", row);
            out_row(out, label, values, ROW_COLUMNS, type);
        }
    }
    tell_left_out(out, &left);
    out_end_list(out);
}

static void write_tiles(struct out *out, read_row *read, const void *file, enum dump_type type, struct range range)
{
    struct left_out left = {};
    out_number(out, "first_tile", range.first);
    out_begin_list(out, "tiles");
    for (uint32_t tile = range.first; tile < range.first + range.count; tile++) {
        double values[TILE_SIDE][TILE_SIDE];
        bool valid = read_tile(read, file, type, tile, values);
        if (leave_out(out, &left, tile,
                      !valid                                                 ? cleared
                      : all_zero(values[0], sizeof values / sizeof **values) ? zeroes
                                                                             : NULL)) {
            continue;
        }
        if (out->as_json) {
            json_begin_array(&out->json);
        }
        for (unsigned row = 0; row < TILE_SIDE; row++) {
            char label[40];
            (void)snprintf(label, sizeof label, "tile %u row %2u:", tile, row);
            out_row(out, label, values[row], TILE_SIDE, type);
        }
        if (out->as_json) {
            json_end_array(&out->json);
        }
    }
    tell_left_out(out, &left);
    out_end_list(out);
}

static void write_matrix(const struct inspection *inspection, struct out *out, read_row *read, const void *file,
                         enum dump_type type, uint32_t rows)
{
    const struct dump_request *request = inspection->request;
    out_text(out, "format", dump_type_name(type));
    if (request->as_tiles) {
        write_tiles(out, read, file, type, range_of(request, rows / DUMP_TILE_ROWS));
    } else {
        write_rows(out, read, file, type, range_of(request, rows));
    }
}

/* As an array of so many numbers before `values` of it are filled in. */
static bool make_array(const struct inspection *inspection, struct dump_array *array, enum dump_type type,
                       struct range range)
{
    bool as_tiles = inspection->request->as_tiles;
    *array = (struct dump_array){.type = type,
                                 .dimensions = as_tiles ? 3 : 2,
                                 .shape = {range.count, as_tiles ? TILE_SIDE : ROW_COLUMNS, TILE_SIDE}};
    array->values =
        calloc((size_t)range.count * (as_tiles ? TILE_SIDE * TILE_SIDE : ROW_COLUMNS) + 1, sizeof *array->values);
    return array->values;
}

static void fill_array(const struct inspection *inspection, double *values, read_row *read, const void *file,
                       enum dump_type type, struct range range)
{
    for (uint32_t i = 0; i < range.count; i++) {
        if (inspection->request->as_tiles) {
            read_tile(read, file, type, range.first + i,
                      (double(*)[TILE_SIDE])(values + (size_t)i * TILE_SIDE * TILE_SIDE));
        } else {
            read(file, type, range.first + i, values + (size_t)i * ROW_COLUMNS);
        }
    }
}

/* Dst. */

/* As the packer reads it: PCK_DEST_RD_CTRL and In_data_format of the bank that T2 uses. */
static enum dump_type type_of_dst(const struct inspection *inspection)
{
    const struct config_unit *config = &inspection->tile->state->tensix.config;
    const uint32_t *bank = config_bank(config, 2);
    enum dump_type type = dump_type_of((enum data_format)CONFIG_GET(bank, THCON_SEC0_REG1_In_data_format));
    if (inspection->request->type != DUMP_TYPES) {
        return inspection->request->type;
    }
    if (CONFIG_GET(bank, PCK_DEST_RD_CTRL_Read_32b_data)) {
        bool integer = dump_kind_of(type) != DUMP_FLOAT;
        return integer ? DUMP_INT32 : DUMP_FP32;
    }
    return dump_is_wide(type) ? DUMP_BF16 : type;
}

static uint32_t rows_of_dst(enum dump_type type)
{
    return dump_is_wide(type) ? DST_ROWS / 2 : DST_ROWS;
}

static uint32_t all_of_dst(const struct inspection *inspection, enum dump_type type)
{
    return inspection->request->as_tiles ? rows_of_dst(type) / DUMP_TILE_ROWS : rows_of_dst(type);
}

void inspect_dst(const struct inspection *inspection, struct out *out)
{
    const struct dst_register_file *dst = &inspection->tile->state->tensix.dst;
    enum dump_type type = type_of_dst(inspection);
    out_begin(out, "dst", "Dst");
    out_number(out, "bits", dump_is_wide(type) ? 32 : 16);
    if (dst->only_row32 && !dump_is_wide(type)) {
        out_note(out, "the high halves of 32-bit rows (bit 11 of DBG_FEATURE_DISABLE)");
    }
    write_matrix(inspection, out, read_dst, dst, type, rows_of_dst(type));
    out_end(out);
}

bool array_dst(const struct inspection *inspection, struct dump_array *array)
{
    enum dump_type type = type_of_dst(inspection);
    struct range range = range_of(inspection->request, all_of_dst(inspection, type));
    if (!make_array(inspection, array, type, range)) {
        return false;
    }
    fill_array(inspection, array->values, read_dst, &inspection->tile->state->tensix.dst, type, range);
    return true;
}

/* SrcA and SrcB. */

static enum dump_type type_of_src(const struct inspection *inspection, const struct src_register_file *src,
                                  unsigned bank)
{
    enum dump_type asked = inspection->request->type;
    enum dump_type implied = dump_type_of((enum data_format)(src->format[bank] & 0xf));
    return asked != DUMP_TYPES ? asked : dump_type_fits(implied, DUMP_SRC) ? implied : DUMP_TF32;
}

static bool wants_bank(const struct inspection *inspection, unsigned bank)
{
    return inspection->request->bank < 0 || inspection->request->bank == (int)bank;
}

static void write_src(const struct inspection *inspection, struct out *out, const struct src_register_file *src,
                      const char *name, const char *title)
{
    out_begin(out, name, "%s", title);
    out_number(out, "unpacker_bank", src->unpacker_bank);
    out_number(out, "matrix_bank", src->matrix_bank);
    out_begin_list(out, "banks");
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        const struct src_bank file = {src, bank};
        if (!wants_bank(inspection, bank)) {
            continue;
        }
        out_begin(out, NULL, "bank %u", bank);
        if (out->as_json) {
            out_number(out, "bank", bank);
        }
        out_text(out, "owner", src->owner[bank] == SRC_MATRIX_UNIT ? "matrix unit" : "unpackers");
        out_text(out, "implied_format", format_name((enum data_format)(src->format[bank] & 0xf)));
        write_matrix(inspection, out, read_src, &file, type_of_src(inspection, src, bank), SRC_ROWS);
        out_end(out);
    }
    out_end_list(out);
    out_end(out);
}

/* Both banks one behind the other, unless the request names one. */
static bool make_src(const struct inspection *inspection, struct dump_array *array, const struct src_register_file *src)
{
    uint32_t all = inspection->request->as_tiles ? SRC_ROWS / DUMP_TILE_ROWS : SRC_ROWS;
    struct range range = range_of(inspection->request, all);
    unsigned first = inspection->request->bank > 0, end = inspection->request->bank ? SRC_BANKS : 1;
    size_t size = inspection->request->as_tiles ? (size_t)TILE_SIDE * TILE_SIDE : ROW_COLUMNS;
    enum dump_type type = type_of_src(inspection, src, inspection->request->bank < 0 ? src->matrix_bank : first);
    end = inspection->request->bank < 0 ? SRC_BANKS : end;
    if (!make_array(inspection, array, type, (struct range){0, range.count * (end - first)})) {
        return false;
    }
    for (unsigned bank = first; bank < end; bank++) {
        const struct src_bank file = {src, bank};
        fill_array(inspection, array->values + (bank - first) * range.count * size, read_src, &file, type, range);
    }
    return true;
}

void inspect_srca(const struct inspection *inspection, struct out *out)
{
    write_src(inspection, out, &inspection->tile->state->tensix.srca, "srca", "SrcA");
}

void inspect_srcb(const struct inspection *inspection, struct out *out)
{
    write_src(inspection, out, &inspection->tile->state->tensix.srcb, "srcb", "SrcB");
}

bool array_srca(const struct inspection *inspection, struct dump_array *array)
{
    return make_src(inspection, array, &inspection->tile->state->tensix.srca);
}

bool array_srcb(const struct inspection *inspection, struct dump_array *array)
{
    return make_src(inspection, array, &inspection->tile->state->tensix.srcb);
}

/* L1, as unpackers read it. */

struct l1_view {
    const struct l1 *l1;
    const struct dump_request *request;
};

/* The row of a tile, or of a matrix. */
static bool read_l1(const void *file, enum dump_type type, uint32_t row, double values[ROW_COLUMNS])
{
    const struct l1_view *view = file;
    const struct dump_request *request = view->request;
    const enum data_format format = request->format;
    const unsigned bits = format_bits(format), in_tile = row % DUMP_TILE_ROWS;
    bool defined, tile = request->as_tiles, block = format_is_bfp(format);
    uint32_t data = request->first, words[ROW_COLUMNS];
    struct unpack_source source = {.datum_bits = bits};
    data += tile ? row / DUMP_TILE_ROWS * dump_l1_bytes(format, true) : row * dump_l1_bytes(format, false);
    source.exponents = block ? l1_peek(view->l1, data + in_tile) : NULL;
    data += (block ? DUMP_TILE_ROWS : 0) + (tile ? in_tile * ROW_COLUMNS * bits / 8 : 0);
    source.datums = l1_peek(view->l1, data);
    enum unpack_conversion conversion =
        unpack_conversion(format, format, true, request->e4m3, request->unsigned_, &defined);
    (void)unpack_convert(conversion, &source, words, ROW_COLUMNS);
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        values[i] = conversion == UNPACK_RAW32 ? dump_dst_value(type, dst_high_cell(words[i]), dst_low_cell(words[i]))
                                               : dump_src_value(type, words[i]);
    }
    return true;
}

/* As a request has it, in small letters. */
static const char *format_text(const struct dump_request *request, char name[16])
{
    const char *from = request->e4m3                               ? "e4m3"
                       : dump_kind_of(request->type) == DUMP_FLOAT ? format_name(request->format)
                                                                   : dump_type_name(request->type);
    unsigned i = 0;
    for (; i < 15 && from[i]; i++) {
        name[i] = (char)tolower((unsigned char)from[i]);
    }
    name[i] = 0;
    return name;
}

void inspect_l1(const struct inspection *inspection, struct out *out)
{
    char name[16];
    const struct dump_request *request = inspection->request;
    const struct l1_view view = {&inspection->tile->l1, request};
    const struct range range = {0, request->count};
    out_begin(out, "l1", "L1");
    out_hex(out, "address", request->first, 8);
    out_text(out, "format", format_text(request, name));
    if (request->as_tiles) {
        write_tiles(out, read_l1, &view, request->type, range);
    } else {
        write_rows(out, read_l1, &view, request->type, range);
    }
    out_end(out);
}

bool array_l1(const struct inspection *inspection, struct dump_array *array)
{
    const struct dump_request *request = inspection->request;
    const struct l1_view view = {&inspection->tile->l1, request};
    const struct range range = {0, request->count};
    if (!make_array(inspection, array, request->type, range)) {
        return false;
    }
    fill_array(inspection, array->values, read_l1, &view, request->type, range);
    return true;
}

/* LRegs. */

static enum dump_type type_of_lregs(const struct inspection *inspection)
{
    return inspection->request->type != DUMP_TYPES ? inspection->request->type : DUMP_FP32;
}

static void read_lreg(const struct vector_unit *vector, enum dump_type type, uint32_t lreg, double values[SFPU_LANES])
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        values[lane] = dump_lreg_value(type, vector->lreg[lreg][lane]);
    }
}

static void write_lregs(const struct inspection *inspection, struct out *out)
{
    const struct vector_unit *vector = &inspection->tile->state->tensix.vector;
    struct range range = range_of(inspection->request, SFPU_LREGS);
    enum dump_type type = type_of_lregs(inspection);
    struct left_out left = {};
    out_text(out, "format", dump_type_name(type));
    out_number(out, "first", range.first);
    out_begin_list(out, "lregs");
    for (uint32_t i = range.first; i < range.first + range.count; i++) {
        double values[SFPU_LANES];
        read_lreg(vector, type, i, values);
        if (leave_out(out, &left, i, all_zero(values, SFPU_LANES) ? zeroes : NULL)) {
            continue;
        }
        if (out->as_json) {
            out_row(out, "", values, SFPU_LANES, type);
            continue;
        }
        for (unsigned lane = 0; lane < SFPU_LANES; lane += LANES_IN_ROW) {
            char label[40];
            (void)snprintf(label, sizeof label, "%2u lanes %2u to %2u:", i, lane, lane + LANES_IN_ROW - 1);
            out_row(out, label, values + lane, LANES_IN_ROW, type);
        }
    }
    tell_left_out(out, &left);
    out_end_list(out);
}

static void write_flag_stack(const struct vector_unit *vector, struct out *out)
{
    static const char *const columns[] = {"use_lane_flags", "lane_flags", "missing"};
    unsigned depth = vector->stack_depth < SFPU_STACK ? vector->stack_depth : SFPU_STACK;
    out_begin_table(out, "flag_stack", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < depth; i++) {
        out_cell_hex(out, vector->stack[i].use_lane_flags, 8);
        out_cell_hex(out, vector->stack[i].lane_flags, 8);
        out_cell_hex(out, vector->stack[i].missing, 8);
    }
    out_end_table(out);
}

/* Lanes that have the same are in one line. */
static void write_lane_config(const struct vector_unit *vector, struct out *out)
{
    static const char *const columns[] = {"lanes", "lane_config"};
    uint32_t told = 0;
    out_begin_table(out, "lane_config", columns, COUNT_OF(columns));
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t alike = 0;
        for (unsigned i = lane; i < SFPU_LANES; i++) {
            alike |= (uint32_t)(vector->lane_config[i] == vector->lane_config[lane]) << i;
        }
        if (!(told >> lane & 1)) {
            out_cell_hex(out, alike, 8);
            out_cell_hex(out, vector->lane_config[lane], 5);
        }
        told |= alike;
    }
    out_end_table(out);
}

/* LoadMacroConfig, where it is not zero: instruction templates and sequences. */
static void write_load_macro(const struct vector_unit *vector, struct out *out)
{
    static const char *const columns[] = {"macro", "lanes", "template", "instruction", "sequence"};
    out_begin_table(out, "load_macro", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < SFPU_MACROS * SFPU_LANES; i++) {
        unsigned macro = i / SFPU_LANES, lane = i % SFPU_LANES;
        const uint32_t *templates = vector->load_macro.instruction_template[macro];
        const uint32_t *sequences = vector->load_macro.sequence[macro];
        uint32_t alike = 0;
        for (unsigned other = 0; other < SFPU_LANES; other++) {
            bool same = templates[other] == templates[lane] && sequences[other] == sequences[lane];
            alike |= (uint32_t)same << other;
        }
        bool told = alike & ((1u << lane) - 1); /* with a lane before */
        if (told || !(templates[lane] | sequences[lane])) {
            continue;
        }
        char text[TENSIX_TEXT_SIZE];
        tensix_disassemble(templates[lane], TENSIX_TEXT_FIELDS, text, sizeof text);
        out_cell_number(out, macro);
        out_cell_hex(out, alike, 8);
        out_cell_hex(out, templates[lane], 8);
        out_cell_text(out, text);
        out_cell_hex(out, sequences[lane], 8);
    }
    out_end_table(out);
}

void inspect_lregs(const struct inspection *inspection, struct out *out)
{
    const struct vector_unit *vector = &inspection->tile->state->tensix.vector;
    out_begin(out, "lregs", "LRegs");
    write_lregs(inspection, out);
    out_hex(out, "use_lane_flags_for_lane_enable", vector->use_lane_flags, 8);
    out_hex(out, "lane_flags", vector->lane_flags, 8);
    out_hex(out, "enabled_lanes", vector_enabled_lanes(vector), 8);
    write_flag_stack(vector, out);
    write_lane_config(vector, out);
    write_load_macro(vector, out);
    out_bool(out, "macro_scheduled", vector_schedule_active(vector));
    out_end(out);
}

bool array_lregs(const struct inspection *inspection, struct dump_array *array)
{
    struct range range = range_of(inspection->request, SFPU_LREGS);
    *array =
        (struct dump_array){.type = type_of_lregs(inspection), .dimensions = 2, .shape = {range.count, SFPU_LANES}};
    array->values = calloc((size_t)range.count * SFPU_LANES + 1, sizeof *array->values);
    for (uint32_t i = 0; array->values && i < range.count; i++) {
        read_lreg(&inspection->tile->state->tensix.vector, array->type, range.first + i,
                  array->values + (size_t)i * SFPU_LANES);
    }
    return array->values;
}
