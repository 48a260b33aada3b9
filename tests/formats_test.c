/* docs/formats.md: the result of every format in every unit that processes data. This program executes one instruction
   for each cell of the page, and fails if the page differs; with the argument --write it writes the page instead. */
#include "formats_page.h"
#include "tile/handlers.h"

enum { UNPACK_THREAD = 0, MATH_THREAD = 1, UNPACK_BASE = 0x10000 };

static const char page_path[] = BHEMU_SOURCE_DIR "/docs/formats.md";
static bool write_page;

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

/* Unpacks a face of 16x16 data. Its bytes, as exponents of a block, fit into five bits. */
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
        put(page, "\n### To %s\n\n", names[target]);
        put_format_columns(page, "L1");
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

/* X(instruction, whether the formats of both banks matter, its fields) */
#define OPERATIONS(X)                                                                                                  \
    X(MVMUL, true, .dst = 0)                                                                                           \
    X(DOTPV, true, .dst = 0)                                                                                           \
    X(ELWADD, true, .dst = 0)                                                                                          \
    X(ELWSUB, true, .dst = 0)                                                                                          \
    X(ELWMUL, true, .dst = 0)                                                                                          \
    X(GAPOOL, true, .dst = 0)                                                                                          \
    X(GMPOOL, true, .instr_mod19 = 1)                                                                                  \
    X(MOVA2D, false, .instr_mod = 2)                                                                                   \
    X(MOVB2D, true, .movb2d_instr_mod = 4)                                                                             \
    X(MOVD2A, false, .instr_mod = 2)                                                                                   \
    X(MOVD2B, false, .instr_mod = 2)                                                                                   \
    X(MOVB2A, false, .instr_mod = 2)

#define LOW_HALVES(X)                                                                                                  \
    X(MOVA2D, .instr_mod = 2)                                                                                          \
    X(MOVB2D, .movb2d_instr_mod = 4)                                                                                   \
    X(MOVD2A, .instr_mod = 2)                                                                                          \
    X(MOVD2B, .instr_mod = 2)

#define OPERATION(name, pairs, ...)                                                                                    \
    static enum step issue_##name(struct fixture *f)                                                                   \
    {                                                                                                                  \
        return RUN(f, MATH_THREAD, name, __VA_ARGS__);                                                                 \
    }
OPERATIONS(OPERATION)

#define LOW_HALF(name, ...)                                                                                            \
    static enum step issue_##name##_low(struct fixture *f)                                                             \
    {                                                                                                                  \
        return RUN(f, MATH_THREAD, name, .dest_32b_lo = 1, __VA_ARGS__);                                               \
    }
LOW_HALVES(LOW_HALF)

#define ENTRY(name, pairs, ...) {#name, pairs, issue_##name},
#define LOW_ENTRY(name, ...) {#name ", low half", false, issue_##name##_low},
static const struct {
    const char *name;
    bool pairs;
    enum step (*run)(struct fixture *f);
} operations[] = {OPERATIONS(ENTRY) LOW_HALVES(LOW_ENTRY)};
enum { OPERATIONS_COUNT = sizeof operations / sizeof *operations };

/* Fills a bank that belongs to the matrix unit with data of 1, or of 16 for integers. */
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

/* The operations that read both banks, with a pair of formats: the result of MVMUL, and the operations whose result
   differs. */
static void put_pair(struct page *page, struct fixture *f, enum data_format a, enum data_format b, bool dst32)
{
    unsigned as_mvmul = 0;
    put(page, " ");
    for (unsigned i = 0; i < OPERATIONS_COUNT; i++) {
        if (!operations[i].pairs) {
            continue;
        }
        unsigned note = outcome(page, f, compute(f, i, a, b, dst32, false));
        if (i == 0) {
            as_mvmul = note;
            put_outcome(page, note);
        } else if (note != as_mvmul) {
            put(page, ", %s ", operations[i].name);
            put_outcome(page, note);
        }
    }
    put(page, " |");
}

static void put_pairs(struct page *page, struct fixture *f, bool dst32)
{
    put(page, "\n### Formats of SrcA and SrcB that differ, Dst of %u bits\n\n", dst32 ? 32 : 16);
    put(page, "Down: SrcA. Across: SrcB. Of MVMUL, DOTPV, ELWADD, ELWSUB, ELWMUL, GAPOOL, GMPOOL and MOVB2D those are "
              "named that do not as\nMVMUL does.\n\n");
    put_format_columns(page, "SrcA");
    for (unsigned a = 0; a < KINDS; a++) {
        if (!is_register_kind(a)) {
            continue;
        }
        put(page, "| %s |", format_name(kinds[a].format));
        for (unsigned b = 0; b < KINDS; b++) {
            if (is_register_kind(b)) {
                put_pair(page, f, kinds[a].format, kinds[b].format, dst32);
            }
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
    put_pairs(page, f, false);
    put_pairs(page, f, true);
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
    put(page, "\n### Mode 0\n\n| SrcB | SFPLOAD | SFPSTORE |\n|---|---|---|\n");
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (!is_register_kind(kind)) {
            continue;
        }
        put(page, "| %s |", format_name(kinds[kind].format));
        begin(f);
        SET(f, ALU_FORMAT_SPEC_REG1_SrcB, kinds[kind].format);
        put_cell(page, f, RUN(f, MATH_THREAD, SFPLOAD, .lreg_ind = 0));
        put_cell(page, f, RUN(f, MATH_THREAD, SFPSTORE, .lreg_ind = 0));
        put(page, "\n");
    }
}

/* ---- the window of the T cores on Dst ---- */

static void put_window(struct page *page, struct fixture *f)
{
    static struct tile_state state;
    struct tile tile = {.state = &state, .tensix = f->tensix};
    tile.tensix.state = &state.tensix;
    put(page, "\n## Loads and stores of T cores\n\nRISC_DEST_ACCESS_CTRL_SEC_fmt, and how many bytes an access has.\n\n"
              "| fmt | load of 4 | of 2 | of 1 | store of 4 | of 2 | of 1 |\n|---|---|---|---|---|---|---|\n");
    static const char *const names[8] = {"0 FP32", "1 INT32", "2 FP16", "3 BF16", "4 INT16", "5 INT8", "6", "7"};
    for (unsigned fmt = 0; fmt < 8; fmt++) {
        put(page, "| %s |", names[fmt]);
        for (unsigned i = 0; i < 6; i++) {
            begin(f);
            tensix_reset(&state.tensix);
            state.tensix.config.bank[0][RISC_DEST_ACCESS_CTRL_SEC0_fmt_ADDR32] =
                fmt << RISC_DEST_ACCESS_CTRL_SEC0_fmt_SHAMT;
            const struct mmio_access access = {.tile = &tile, .agent = BH_CORE_T0, .size = 4 >> i % 3};
            uint32_t value = 0;
            put_cell(page, f, i < 3 ? dst_load(&access, &value) : dst_store(&access, value));
        }
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

/* Dst read in one format, and taken for another one by the late conversion, which does not change it. */
static void put_intermediate_table(struct page *page, struct fixture *f, bool dst32)
{
    put(page, "\n### Dst of %u bits, In_data_format that differs\n\n", dst32 ? 32 : 16);
    put(page, "Down: Dstacc. Across: In_data_format and Out_data_format.\n\n");
    put_format_columns(page, "Dst");
    for (unsigned from = 0; from < KINDS; from++) {
        if (!is_register_kind(from)) {
            continue;
        }
        put(page, "| %s |", format_name(kinds[from].format));
        for (unsigned to = 0; to < KINDS; to++) {
            if (is_register_kind(to)) {
                configure_packer(f, kinds[from].format, &kinds[to], dst32);
                SET(f, THCON_SEC0_REG1_In_data_format, kinds[to].format);
                put_cell(page, f, pack(f));
            }
        }
        put(page, "\n");
    }
}

static void put_l1_source_table(struct page *page, struct fixture *f)
{
    put(page, "\n### Of L1\n\nDown: In_data_format. Across: Out_data_format.\n\n| L1 |");
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
            configure_packer(f, kinds[from].format, &kinds[to], false);
            SET(f, THCON_SEC0_REG1_Source_interface_selection, 1);
            put_cell(page, f, RUN(f, THREAD, PACR, .ReadIntfSel = 1, .Last = 1));
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
    /* The formats that units/pack/fixture.h's kernels would use for this output. */
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
    put_intermediate_table(page, f, false);
    put_intermediate_table(page, f, true);
    put_l1_source_table(page, f);
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
    put_window(page, f);
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
