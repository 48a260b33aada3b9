/* docs/formats.md: what becomes of every format in every unit that data pass through. This program asks the units, one
   instruction for each cell of the page, and fails when the page says something else; with the argument --write it
   writes the page instead. */
#include <stdio.h>

#include "tensix/units/pack_fixture.h"

enum { UNPACK_THREAD = 0, MATH_THREAD = 1, UNPACK_BASE = 0x10000, PAGE_SIZE = 1 << 18, NOTES_MAX = 64 };

static const char page_path[] = BHEMU_SOURCE_DIR "/docs/formats.md";
static bool write_page;

/* A format of L1 or of a register file, with the bit beside it that some have. */
struct kind {
    enum data_format format;
    bool variant; /* FP8: e4m3; INT8: unsigned */
    const char *name;
};

static const struct kind kinds[] = {
    {FORMAT_FP32, false, "FP32"},   {FORMAT_TF32, false, "TF32"},   {FORMAT_BF16, false, "BF16"},
    {FORMAT_FP16, false, "FP16"},   {FORMAT_FP8, false, "e5m2"},    {FORMAT_FP8, true, "e4m3"},
    {FORMAT_BFP8, false, "BFP8"},   {FORMAT_BFP4, false, "BFP4"},   {FORMAT_BFP2, false, "BFP2"},
    {FORMAT_BFP8A, false, "BFP8a"}, {FORMAT_BFP4A, false, "BFP4a"}, {FORMAT_BFP2A, false, "BFP2a"},
    {FORMAT_INT32, false, "INT32"}, {FORMAT_INT16, false, "INT16"}, {FORMAT_INT8, false, "INT8"},
    {FORMAT_INT8, true, "UINT8"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The formats that a register file or the packer's stages can be configured for: the kinds without variants. */
static bool is_register_kind(unsigned kind)
{
    return !kinds[kind].variant;
}

/* ---- the page ---- */

struct page {
    char text[PAGE_SIZE];
    size_t length;
    char notes[NOTES_MAX][1100];
    unsigned notes_count;
};

__attribute__((format(printf, 2, 3))) static void put(struct page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(page->text + page->length, PAGE_SIZE - page->length, format, arguments);
    va_end(arguments);
    page->length += (size_t)length;
    assert_true(page->length < PAGE_SIZE);
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool differs_by_cell(const char *word, size_t length)
{
    for (unsigned format = 0; format < FORMATS; format++) {
        const char *name = format_name((enum data_format)format);
        if (strlen(name) == length && memcmp(name, word, length) == 0) {
            return true;
        }
    }
    return word[0] >= '0' && word[0] <= '9';
}

/* The number of a diagnostic among the page's notes; numbers and names of formats in its text do not count. */
static unsigned note_of(struct page *page, const struct bh_diagnostic *diagnostic)
{
    char note[1100];
    size_t length = (size_t)snprintf(note, sizeof note, "%s: ", bh_category_name(diagnostic->category));
    for (const char *at = diagnostic->text; *at;) {
        size_t word = 0;
        while (is_word(at[word])) {
            word++;
        }
        if (word && differs_by_cell(at, word)) {
            note[length++] = '#';
        } else {
            memcpy(note + length, at, word ? word : 1);
            length += word ? word : 1;
        }
        at += word ? word : 1;
    }
    note[length] = 0;
    for (unsigned i = 0; i < page->notes_count; i++) {
        if (strcmp(page->notes[i], note) == 0) {
            return i + 1;
        }
    }
    assert_true(page->notes_count < NOTES_MAX);
    strcpy(page->notes[page->notes_count], note);
    return ++page->notes_count;
}

static void put_cell(struct page *page, const struct fixture *f, enum step step)
{
    if (f->diagnostics.count) {
        put(page, " (%u) |", note_of(page, &f->diagnostics.entries[0]));
    } else {
        assert_int_equal(step, STEP_DONE);
        put(page, " exact |");
    }
}

static void put_rule(struct page *page, unsigned columns)
{
    put(page, "\n|---|");
    for (unsigned i = 0; i < columns; i++) {
        put(page, "---|");
    }
    put(page, "\n");
}

/* A coprocessor as it is after reset, which stops at every diagnostic. */
static void begin(struct fixture *f)
{
    tensix_reset(&f->state);
    f->diagnostics.count = 0;
    f->diagnostics.stopped = false;
    memset(f->diagnostics.warned, 0, sizeof f->diagnostics.warned);
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_STRICT);
}

static void set_thread_config(struct fixture *f, unsigned thread, unsigned word, unsigned shift, unsigned width,
                              uint32_t value)
{
    uint16_t *config = &f->state.config.thread[thread][word];
    *config = (uint16_t)bits_set(*config, shift, width, value);
}

#define SET_THREAD(f, thread, name, value)                                                                             \
    set_thread_config(f, thread, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)

/* ---- UNPACR ---- */

enum target { TO_SRCA, TO_SRCB, TO_DST };

/* A face of 16x16 data. Its bytes are such that, as exponents of a block, they fit into five bits. */
static enum step unpack(struct fixture *f, const struct kind *in, enum data_format out, enum target target)
{
    begin(f);
    memset(f->l1_bytes + UNPACK_BASE, 0x0e, 0x2000);
    for (unsigned section = 0; section < 2; section++) {
        unsigned descriptor = THCON_SEC0_REG0_TileDescriptor_ADDR32 +
                              section * (THCON_SEC1_REG0_TileDescriptor_ADDR32 - THCON_SEC0_REG0_TileDescriptor_ADDR32);
        set_field(f, descriptor, 0, 32, in->format | 1 << 4 | 256u << 16);
        set_field(f, descriptor + 1, 0, 32, 1 | 4 << 16);
    }
    SET(f, THCON_SEC0_REG2_Out_data_format, out);
    SET(f, THCON_SEC1_REG2_Out_data_format, out);
    SET(f, THCON_SEC0_REG3_Base_address, UNPACK_BASE / 16);
    SET(f, THCON_SEC1_REG3_Base_address, UNPACK_BASE / 16);
    SET(f, THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    SET(f, THCON_SEC1_REG2_Disable_zero_compress_cntx0, 1);
    SET(f, THCON_SEC0_REG5_Dest_cntx0_address, 4 * ROW_COLUMNS);
    SET(f, THCON_SEC0_REG5_Tile_x_dim_cntx0, 256);
    SET(f, THCON_SEC0_REG1_Unp_LF8_4b_exp, in->variant);
    SET(f, THCON_SEC1_REG1_Unp_LF8_4b_exp, in->variant);
    SET(f, ALU_FORMAT_SPEC_REG0_SrcAUnsigned, in->variant);
    SET(f, ALU_FORMAT_SPEC_REG0_SrcBUnsigned, in->variant);
    SET(f, THCON_SEC0_REG2_Unpack_if_sel_cntx0, target == TO_DST);
    SET_THREAD(f, UNPACK_THREAD, SRCA_SET_SetOvrdWithAddr, target != TO_DST);
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        f->state.addr.adc[UNPACK_THREAD][unpacker].channel[1].x = 255;
    }
    return RUN(f, UNPACK_THREAD, UNPACR, .Unpack_block_selection = target == TO_SRCB, .OvrdThreadId = 1,
               .SetDatValid = target != TO_DST, .Last = 1);
}

static void put_unpackers(struct page *page, struct fixture *f)
{
    static const char *const names[] = {"SrcA, by unpacker 0", "SrcB, by unpacker 1", "Dst, by unpacker 0"};
    put(page, "## UNPACR\n\nDown: InDataFormat, in L1. Across: Out_data_format, in the register file.\n");
    for (unsigned target = TO_SRCA; target <= TO_DST; target++) {
        put(page, "\n### To %s\n\n| L1 |", names[target]);
        unsigned columns = 0;
        for (unsigned out = 0; out < KINDS; out++) {
            if (is_register_kind(out)) {
                put(page, " %s |", format_name(kinds[out].format));
                columns++;
            }
        }
        put_rule(page, columns);
        for (unsigned in = 0; in < KINDS; in++) {
            put(page, "| %s |", kinds[in].name);
            for (unsigned out = 0; out < KINDS; out++) {
                if (is_register_kind(out)) {
                    put_cell(page, f, unpack(f, &kinds[in], kinds[out].format, (enum target)target));
                }
            }
            put(page, "\n");
        }
    }
}

/* ---- the matrix unit ---- */

#define OPERATIONS(X)                                                                                                  \
    X(MVMUL, .dst = 0)                                                                                                 \
    X(DOTPV, .dst = 0)                                                                                                 \
    X(ELWADD, .dst = 0)                                                                                                \
    X(ELWSUB, .dst = 0)                                                                                                \
    X(ELWMUL, .dst = 0)                                                                                                \
    X(GAPOOL, .dst = 0)                                                                                                \
    X(GMPOOL, .instr_mod19 = 1)                                                                                        \
    X(MOVA2D, .instr_mod = 2)                                                                                          \
    X(MOVB2D, .movb2d_instr_mod = 4)                                                                                   \
    X(MOVD2A, .instr_mod = 2)                                                                                          \
    X(MOVD2B, .instr_mod = 2)                                                                                          \
    X(MOVB2A, .instr_mod = 2)

#define OPERATION(name, ...)                                                                                           \
    static enum step issue_##name(struct fixture *f)                                                                   \
    {                                                                                                                  \
        return RUN(f, MATH_THREAD, name, __VA_ARGS__);                                                                 \
    }
OPERATIONS(OPERATION)

#define ENTRY(name, ...) {#name, issue_##name},
static const struct {
    const char *name;
    enum step (*run)(struct fixture *f);
} operations[] = {OPERATIONS(ENTRY)};
enum { OPERATIONS_COUNT = sizeof operations / sizeof *operations };

/* A bank that belongs to the matrix unit, of data of 1, or of 16 where they are integers. */
static void fill_bank(struct src_register_file *src, enum data_format format)
{
    const unsigned five_bits = 1u << FORMAT_FP16 | 1u << FORMAT_FP8 | 1u << FORMAT_BFP8A | 1u << FORMAT_BFP4A |
                               1u << FORMAT_BFP2A | 1u << FORMAT_INT8;
    uint32_t datum = format == FORMAT_INT8 ? 16u << 23 | 16 << 13 : five_bits >> format & 1 ? 15u << 23 : 127u << 23;
    src->owner[0] = SRC_MATRIX_UNIT;
    src->format[0] = (uint8_t)format;
    for (unsigned row = 0; row < SRC_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            src->rows[0][row][column] = datum;
        }
    }
}

static enum step compute(struct fixture *f, unsigned operation, enum data_format a, enum data_format b, bool dst32,
                         bool integer)
{
    begin(f);
    fill_bank(&f->state.srca, a);
    fill_bank(&f->state.srcb, b);
    SET(f, ALU_ACC_CTRL_Fp32_enabled, dst32);
    SET(f, ALU_ACC_CTRL_INT8_math_enabled, integer);
    return operations[operation].run(f);
}

static void put_operations(struct page *page, struct fixture *f, bool dst32)
{
    put(page, "\n### Dst of %u bits\n\n| SrcA and SrcB |", dst32 ? 32 : 16);
    for (unsigned i = 0; i < OPERATIONS_COUNT; i++) {
        put(page, " %s |", operations[i].name);
    }
    put_rule(page, OPERATIONS_COUNT);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (!is_register_kind(kind)) {
            continue;
        }
        enum data_format format = kinds[kind].format;
        put(page, "| %s |", format_name(format));
        for (unsigned i = 0; i < OPERATIONS_COUNT; i++) {
            put_cell(page, f, compute(f, i, format, format, dst32, false));
        }
        put(page, "\n");
    }
    if (dst32) {
        put(page, "| INT8, with INT8_math_enabled |");
        for (unsigned i = 0; i < OPERATIONS_COUNT; i++) {
            put_cell(page, f, compute(f, i, FORMAT_INT8, FORMAT_INT8, dst32, true));
        }
        put(page, "\n");
    }
}

static void put_matrix_unit(struct page *page, struct fixture *f)
{
    put(page, "\n## Matrix unit\n\nThe banks imply the formats. What a product is exact in, it is exact in at every "
              "fidelity, with either accumulation, and\nwith every broadcast.\n");
    put_operations(page, f, false);
    put_operations(page, f, true);
    put(page, "\n### Formats of SrcA and SrcB that differ, in MVMUL\n\nDown: SrcA. Across: SrcB.\n\n| SrcA |");
    unsigned columns = 0;
    for (unsigned b = 0; b < KINDS; b++) {
        if (is_register_kind(b)) {
            put(page, " %s |", format_name(kinds[b].format));
            columns++;
        }
    }
    put_rule(page, columns);
    for (unsigned a = 0; a < KINDS; a++) {
        if (!is_register_kind(a)) {
            continue;
        }
        put(page, "| %s |", format_name(kinds[a].format));
        for (unsigned b = 0; b < KINDS; b++) {
            if (is_register_kind(b)) {
                put_cell(page, f, compute(f, 0, kinds[a].format, kinds[b].format, false, false));
            }
        }
        put(page, "\n");
    }
}

/* ---- SFPLOAD and SFPSTORE ---- */

static void put_vector_unit(struct page *page, struct fixture *f)
{
    static const char *const modes[16] = {"as SrcB",  "FP16",      "BF16",      "FP32",     "INT32",     "INT8",
                                          "UINT16",   "HI16",      "INT16",     "LO16",     "INT32_ALL", "ZERO",
                                          "INT32_SM", "INT8_COMP", "LO16_ONLY", "HI16_ONLY"};
    put(page, "\n## SFPLOAD and SFPSTORE\n\n| mode | SFPLOAD | SFPSTORE |\n|---|---|---|\n");
    for (unsigned mode = 0; mode < 16; mode++) {
        put(page, "| %u %s |", mode, modes[mode]);
        begin(f);
        put_cell(page, f, RUN(f, MATH_THREAD, SFPLOAD, .lreg_ind = 0, .instr_mod0 = mode));
        begin(f);
        put_cell(page, f, RUN(f, MATH_THREAD, SFPSTORE, .lreg_ind = 0, .instr_mod0 = mode));
        put(page, "\n");
    }
}

/* ---- PACR ---- */

enum reading { READ_PLAIN, READ_ROUND_10B, READ_INT8, READINGS };

static void configure_packer(struct fixture *f, enum data_format from, const struct kind *to, bool dst32)
{
    begin(f);
    configure(f, from, to->format, dst32);
    SET(f, THCON_SEC0_REG1_Pac_LF8_4b_exp, to->variant);
    SET(f, PCK_DEST_RD_CTRL_Read_unsigned, to->format == FORMAT_INT8 && to->variant);
}

static enum step pack(struct fixture *f)
{
    return RUN(f, THREAD, PACR, .Last = 1);
}

static void put_packer_table(struct page *page, struct fixture *f, bool dst32, enum reading reading)
{
    static const char *const names[READINGS] = {"", ", Round_10b_mant", ", Read_int8"};
    put(page, "\n### Dst of %u bits%s\n\n| Dst |", dst32 ? 32 : 16, names[reading]);
    for (unsigned to = 0; to < KINDS; to++) {
        put(page, " %s |", kinds[to].name);
    }
    put_rule(page, KINDS);
    for (unsigned from = 0; from < KINDS; from++) {
        if (!is_register_kind(from)) {
            continue;
        }
        put(page, "| %s |", format_name(kinds[from].format));
        for (unsigned to = 0; to < KINDS; to++) {
            configure_packer(f, kinds[from].format, &kinds[to], dst32);
            SET(f, PCK_DEST_RD_CTRL_Round_10b_mant, reading == READ_ROUND_10B);
            SET(f, PCK_DEST_RD_CTRL_Read_int8, reading == READ_INT8);
            put_cell(page, f, pack(f));
        }
        put(page, "\n");
    }
}

enum option {
    RELU_ZERO,
    RELU_MIN,
    RELU_MAX,
    EXPONENT_THRESHOLD,
    ACCUMULATION,
    COMPRESSION,
    ROUND_EARLY,
    ROUND_LATE,
    OPTIONS
};

static void set_option(struct fixture *f, enum option option)
{
    switch (option) {
    case RELU_ZERO: SET(f, STACC_RELU_ApplyRelu, 1); break;
    case RELU_MIN: SET(f, STACC_RELU_ApplyRelu, 2); break;
    case RELU_MAX: SET(f, STACC_RELU_ApplyRelu, 3); break;
    case EXPONENT_THRESHOLD: SET(f, THCON_SEC0_REG1_Exp_threshold_en, 1); break;
    case ACCUMULATION: SET(f, THCON_SEC0_REG1_Pack_L1_Acc, 1); break;
    case COMPRESSION: SET(f, THCON_SEC0_REG1_Disable_zero_compress, 0); break;
    case ROUND_EARLY: SET(f, ALU_ROUNDING_MODE_Gasket_srnd_en, 1); break;
    default: SET(f, ALU_ROUNDING_MODE_Packer_srnd_en, 1); break;
    }
}

static void put_packer_options(struct page *page, struct fixture *f)
{
    static const char *const names[OPTIONS] = {"ReLU 1",      "ReLU 2",           "ReLU 3",         "Exp_threshold_en",
                                               "Pack_L1_Acc", "zero compression", "Gasket_srnd_en", "Packer_srnd_en"};
    /* The formats that pack_fixture.h's kernels would use for that output. */
    static const struct {
        enum data_format from;
        bool dst32;
        unsigned to;
    } rows[] = {{FORMAT_FP32, true, 0},   {FORMAT_TF32, true, 1},   {FORMAT_BF16, false, 2},  {FORMAT_BF16, true, 2},
                {FORMAT_FP16, false, 3},  {FORMAT_FP16, false, 4},  {FORMAT_FP16, false, 5},  {FORMAT_BF16, false, 6},
                {FORMAT_BF16, false, 7},  {FORMAT_BF16, false, 8},  {FORMAT_BFP8, true, 6},   {FORMAT_FP16, false, 9},
                {FORMAT_FP16, false, 10}, {FORMAT_FP16, false, 11}, {FORMAT_INT32, true, 12}, {FORMAT_INT16, false, 13},
                {FORMAT_INT8, true, 14},  {FORMAT_INT8, true, 15}};
    put(page, "\n### Options\n\n| Dst, to L1 |");
    for (unsigned option = 0; option < OPTIONS; option++) {
        put(page, " %s |", names[option]);
    }
    put_rule(page, OPTIONS);
    for (unsigned row = 0; row < sizeof rows / sizeof *rows; row++) {
        put(page, "| %s of %u bits, to %s |", format_name(rows[row].from), rows[row].dst32 ? 32 : 16,
            kinds[rows[row].to].name);
        for (unsigned option = 0; option < OPTIONS; option++) {
            configure_packer(f, rows[row].from, &kinds[rows[row].to], rows[row].dst32);
            set_option(f, (enum option)option);
            put_cell(page, f, pack(f));
        }
        put(page, "\n");
    }
}

static void put_packer(struct page *page, struct fixture *f)
{
    put(page, "\n## PACR\n\nDown: the format that Dst is read as, Dstacc and In_data_format both. Across: "
              "Out_data_format, in L1; for UINT8 with\nRead_unsigned.\n");
    for (unsigned dst32 = 0; dst32 < 2; dst32++) {
        for (unsigned reading = READ_PLAIN; reading < READINGS; reading++) {
            put_packer_table(page, f, dst32, (enum reading)reading);
        }
    }
    put_packer_options(page, f);
}

/* ---- the whole ---- */

static void compose(struct page *page, struct fixture *f)
{
    put(page,
        "# Formats\n\n"
        "What the emulated units do with every format: the bits that silicon gives (\"exact\"), or a diagnostic, by "
        "its\n"
        "number in the list at the end. `tests/formats_test.c` makes this page, by executing an instruction for each\n"
        "cell, and checks that it is up to date; `build/tests/test.formats --write` writes it anew.\n\n"
        "[conformance/numeric.md](conformance/numeric.md) says what \"exact\" was compared with. e5m2 and e4m3 are "
        "FP8; a "
        "block\nformat (BFP) has exponents of eight bits, or of five where its name ends in a.\n\n");
    put_unpackers(page, f);
    put_matrix_unit(page, f);
    put_vector_unit(page, f);
    put_packer(page, f);
    put(page,
        "\n## Diagnostics\n\n`#` stands for what differs from cell to cell. Where a policy lets the program go on "
        "(`docs/architecture.md`), the\nunit does what the text says, or what is most plausible.\n\n");
    for (unsigned i = 0; i < page->notes_count; i++) {
        put(page, "%u. %s\n", i + 1, page->notes[i]);
    }
}

static void the_page_says_what_the_units_do(void **state)
{
    static struct page page, committed;
    compose(&page, *state);
    FILE *file = fopen(page_path, write_page ? "w" : "r");
    assert_non_null(file);
    if (write_page) {
        assert_int_equal(fwrite(page.text, 1, page.length, file), page.length);
    } else {
        committed.length = fread(committed.text, 1, PAGE_SIZE - 1, file);
        for (size_t i = 0, line = 1; i <= page.length; i++) {
            if (page.text[i] != committed.text[i]) {
                fail_msg(
                    "docs/formats.md, line %zu, is not what the units do: run test.formats --write and look at the "
                    "difference",
                    line);
            }
            line += page.text[i] == '\n';
        }
        assert_int_equal(committed.length, page.length);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    write_page = argc > 1 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {FIXTURE_TEST(the_page_says_what_the_units_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
