/* Registers of the scalar unit and their arithmetic, as chapters "gpr and dma instructions" and "additional scalar unit
   instructions" and the ISA documentation's pages of the instructions state them. */
#include "tensix/tensix_fixture.h"
#include "tensix/units/scalar/parts.h"
#include "util/aligned.h"

static void setdmareg_sets_half_a_register(void **state)
{
    struct fixture *f = *state;
    for (unsigned half = 0; half < GPR_HALVES; half++) {
        memset(f->state.scalar.gpr, 0xee, sizeof f->state.scalar.gpr);
        struct scalar_unit expected = f->state.scalar;
        uint16_t value = (uint16_t)(0xc000 + half * 77);
        expected.gpr[1][half / 2] = half % 2 ? (uint32_t)value << 16 | 0xeeee : 0xeeee0000u | value;
        uint32_t word = (uint32_t)TENSIX_OPCODE_SETDMAREG << 24 | (uint32_t)value << 8 | half;
        assert_int_equal(tensix_execute(&f->tensix, 1, word, 0), STEP_DONE);
        assert_memory_equal(&f->state.scalar, &expected, sizeof expected);
    }
}

/* The words that the pack thread of the chapter's example pushes. */
static void setdmareg_takes_the_words_of_the_add1_kernel(void **state)
{
    struct fixture *f = *state;
    static const uint32_t words[] = {0x45000038, 0x45000239, 0x4500203a, 0x4500803b};
    for (unsigned i = 0; i < COUNT_OF(words); i++) {
        assert_int_equal(tensix_execute(&f->tensix, 2, words[i], 0), STEP_DONE);
    }
    assert_int_equal(f->state.scalar.gpr[2][28], 0x00020000);
    assert_int_equal(f->state.scalar.gpr[2][29], 0x00800020);
}

static uint32_t model(unsigned opcode, unsigned mode, uint32_t left, uint32_t right, bool *defined)
{
    *defined = true;
    switch (opcode << 4 | mode) {
    case TENSIX_OPCODE_ADDDMAREG << 4: return left + right;
    case TENSIX_OPCODE_SUBDMAREG << 4: return left - right;
    case TENSIX_OPCODE_MULDMAREG << 4: return (left % 65536) * (right % 65536);
    case TENSIX_OPCODE_BITWOPDMAREG << 4: return left & right;
    case TENSIX_OPCODE_BITWOPDMAREG << 4 | 1: return left | right;
    case TENSIX_OPCODE_BITWOPDMAREG << 4 | 2: return left ^ right;
    case TENSIX_OPCODE_SHIFTDMAREG << 4: return left << right % 32;
    case TENSIX_OPCODE_SHIFTDMAREG << 4 | 1: return left >> right % 32;
    case TENSIX_OPCODE_CMPDMAREG << 4: return left > right ? 1 : 0;
    case TENSIX_OPCODE_CMPDMAREG << 4 | 1: return left < right ? 1 : 0;
    case TENSIX_OPCODE_CMPDMAREG << 4 | 2: return left == right ? 1 : 0;
    default: *defined = false; return 0;
    }
}

static const uint32_t edges[] = {0, 1, 2, 31, 32, 63, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};

/* Every instruction and mode, register and immediate, on edge operands and random ones; the three registers may be the
   same. An undefined mode stops, and changes nothing. */
static void arithmetic_follows_the_functional_models(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 5;
    for (unsigned round = 0; round < 100000; round++) {
        uint32_t random = xorshift64_word(&seed);
        unsigned opcode = TENSIX_OPCODE_ADDDMAREG + random % 6, thread = round % 3;
        bool has_mode = opcode >= TENSIX_OPCODE_BITWOPDMAREG;
        unsigned mode = has_mode ? random >> 4 & 7 : 0, constant = random >> 7 & 1;
        unsigned a = random >> 8 & 63, b = random >> 14 & 63, result = random >> 20 & 63;
        uint32_t *gpr = f->state.scalar.gpr[thread];
        gpr[a] = round % 2 ? edges[xorshift64_word(&seed) % COUNT_OF(edges)] : xorshift64_word(&seed);
        gpr[b] = round % 4 < 2 ? edges[xorshift64_word(&seed) % COUNT_OF(edges)] : xorshift64_word(&seed);
        struct scalar_unit expected = f->state.scalar;
        bool defined;
        uint32_t value = model(opcode, mode, gpr[a], constant ? b : gpr[b], &defined);
        uint32_t word = opcode << 24 | constant << 23 | mode << 18 | result << 12 | b << 6 | a;
        enum step step = tensix_execute(&f->tensix, thread, word, 0);
        if (defined) {
            assert_int_equal(step, STEP_DONE);
            expected.gpr[thread][result] = value;
        } else {
            ASSERT_STOPPED(f, step, BH_UNDEFINED_BEHAVIOR);
        }
        assert_memory_equal(&f->state.scalar, &expected, sizeof expected);
    }
}

static void dmanop_and_flushdma_change_nothing(void **state)
{
    struct fixture *f = *state;
    struct tensix_state *before = aligned_zeroed(sizeof *before);
    *before = f->state;
    RUN_OK(f, 0, DMANOP);
    for (unsigned conditions = 0; conditions < 16; conditions++) {
        RUN_OK(f, 0, FLUSHDMA, .FlushSpec = conditions);
    }
    assert_memory_equal(before, &f->state, sizeof *before);
    free(before);
}

/* SETDMAREG in signal mode: the status of these four packers. */
static const struct pack_status packers[PACKERS_READ] = {
    {0x1111, 0x0010, 0x80000001, {1, 2, 3, 4, 5, [15] = 9, [16] = 17, [31] = 32}, 29},
    {0x2222, 0x0020, 0x00000002, {11}, 30},
    {0x3333, 0xffff, 0x00000003, {21}, 31},
    {0x4444, 0x0040, 0x00000004, {31, [31] = 77}, 32},
};

struct signals {
    uint32_t word[4];
};

static uint32_t signal_config[CONFIG_WORDS];

static struct signals model_signals(unsigned source, unsigned which)
{
    struct signals s = {};
    static const uint8_t config_words[] = {70, 98, 118, 146};
    switch (source) {
    case 0: return (struct signals){{0x11110010, 0x22220020, 0x3333ffff, 0x44440040}};
    case 1: return (struct signals){{0x80000001, 2, 3, 4}};
    case 2 ... 5: {
        static const uint16_t sizes[] = {0x11, 0x21, 0, 0x41};
        uint32_t config = signal_config[config_words[source - 2]];
        s.word[0] = sizes[source - 2];
        s.word[1] = (config >> 4 & 15) << 16 | (config & 1) << 20;
        s.word[2] = packers[source - 2].all_zero_flags;
        return s;
    }
    case 6 ... 7: memcpy(&s, packers[which & 3].exponent_histogram + 16 * (source - 6), 16); return s;
    case 8: return (struct signals){{1 << 0 | 1 << 2}};
    case 9: return (struct signals){{29}};
    default: return s;
    }
}

static void signal_mode_writes_every_source_in_every_size(void **state)
{
    uint64_t seed = 6;
    for (unsigned round = 0; round < 100000; round++) {
        uint32_t random = xorshift64_word(&seed);
        unsigned in_half = random & 7, source = random >> 3 & 15, which = random >> 7 & 15;
        unsigned out_half = random >> 11 & 127, size = random >> 18 & 3;
        for (unsigned i = 0; i < CONFIG_WORDS; i++) {
            signal_config[i] = xorshift64_word(&seed);
        }
        uint32_t gpr[GPRS], expected[GPRS];
        for (unsigned i = 0; i < GPRS; i++) {
            expected[i] = gpr[i] = xorshift64_word(&seed);
        }
        struct signals s = model_signals(source, which);
        uint32_t *quad = &expected[out_half / 2 & 0x3c];
        switch (size) {
        case 0: memcpy((uint16_t *)expected + out_half, (uint16_t *)s.word + in_half, 2); break;
        case 1: expected[out_half / 2] = s.word[in_half / 2]; break;
        case 2: memcpy(quad, s.word, 16); break;
        default: /* reserved parts of the tile header keep their values */
            memcpy(quad, s.word, 2);
            memcpy((uint8_t *)quad + 6, (uint8_t *)s.word + 6, 1);
            memcpy((uint8_t *)quad + 8, (uint8_t *)s.word + 8, 4);
        }
        struct args_SETDMAREG args = {
            .Payload_SigSelSize = size, .Payload_SigSel = random & 0x7ff, .SetSignalsMode = 1, .RegIndex16b = out_half};
        scalar_write_signals(gpr, signal_config, packers, args);
        assert_memory_equal(gpr, expected, sizeof expected);
    }
}

/* Blackhole has packer 0; the others read as zero. Source 8 resets the accumulated sizes of the packers in its mask. */
static void signal_mode_reads_packer_0_as_the_thread_sees_it(void **state)
{
    struct fixture *f = *state;
    struct pack_unit *pack = &f->state.pack;
    pack->last_thread = 2;
    pack->last_tile_size = 0x88;
    pack->accumulated_tile_size[1] = 0x1111;
    pack->accumulated_tile_size[2] = 0x2222;
    for (unsigned thread = 1; thread < 3; thread++) {
        RUN_OK(f, thread, SETDMAREG, .SetSignalsMode = 1, .Payload_SigSelSize = 2, .RegIndex16b = 40);
        assert_int_equal(f->state.scalar.gpr[thread][20], thread == 1 ? 0x11110000 : 0x22220088);
        assert_int_equal(f->state.scalar.gpr[thread][21], 0);
        assert_int_equal(f->state.scalar.gpr[thread][23], 0);
    }
    unsigned reset = 8 << 3;
    RUN_OK(f, 2, SETDMAREG, .SetSignalsMode = 1, .Payload_SigSelSize = 1, .Payload_SigSel = reset | 0xe << 7);
    assert_int_equal(pack->accumulated_tile_size[2], 0x2222);
    RUN_OK(f, 2, SETDMAREG, .SetSignalsMode = 1, .Payload_SigSelSize = 1, .Payload_SigSel = reset | 0x1 << 7);
    assert_int_equal(pack->accumulated_tile_size[1], 0);
    assert_int_equal(pack->accumulated_tile_size[2], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(setdmareg_sets_half_a_register),
        FIXTURE_TEST(setdmareg_takes_the_words_of_the_add1_kernel),
        FIXTURE_TEST(arithmetic_follows_the_functional_models),
        FIXTURE_TEST(dmanop_and_flushdma_change_nothing),
        FIXTURE_TEST(signal_mode_reads_packer_0_as_the_thread_sees_it),
        cmocka_unit_test(signal_mode_writes_every_source_in_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
