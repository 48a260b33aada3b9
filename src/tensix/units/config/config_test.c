/* Configuration and the instructions that read and write it, as chapters "gpr and dma instructions" and "config sync
   instructions" and the ISA documentation's BackendConfiguration.md and the pages of the instructions state them. */
#include "tensix/tensix_fixture.h"

static void select_bank(struct fixture *f, unsigned thread, unsigned bank)
{
    RUN_OK(f, thread, SETC16, .setc16_reg = CFG_STATE_ID_StateID_ADDR32, .setc16_value = bank);
}

static void fill_config(struct fixture *f)
{
    for (unsigned i = 0; i < CONFIG_WORDS; i++) {
        f->state.config.bank[0][i] = 0x10000 + i;
        f->state.config.bank[1][i] = i < GLOBAL_CFGREG_BASE_ADDR32 ? 0x20000 + i : 0x10000 + i;
    }
}

/* Asserts that Config differs from `before` only in words `first` to `last` of `bank`, or of both banks if they are
   global. */
static void assert_only_changed(const struct fixture *f, const struct config_unit *before, unsigned bank,
                                unsigned first, unsigned last)
{
    for (unsigned b = 0; b < CONFIG_BANKS; b++) {
        for (unsigned i = 0; i < CONFIG_WORDS; i++) {
            bool may = i >= first && i <= last && (b == bank || i >= GLOBAL_CFGREG_BASE_ADDR32);
            if (!may) {
                assert_int_equal(f->state.config.bank[b][i], before->bank[b][i]);
            }
        }
    }
}

static bool has_side_effect(unsigned index)
{
    return index == STATE_RESET_EN_ADDR32 || index == PRNG_SEED_Seed_Val_ADDR32 ||
           index == SRC_ACCESS_CFG_math_view_srca_as_one_bank_ADDR32;
}

static void wrcfg_writes_one_word_of_the_threads_bank(void **state)
{
    struct fixture *f = *state;
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
            for (unsigned index = 0; index < CONFIG_WORDS; index++) {
                if (has_side_effect(index)) {
                    continue;
                }
                fill_config(f);
                select_bank(f, thread, bank);
                struct config_unit before = f->state.config;
                f->state.scalar.gpr[thread][index % GPRS] = 0xdead0000 + index;
                RUN_OK(f, thread, WRCFG, .GprAddress = index % GPRS, .CfgReg = index);
                assert_int_equal(f->state.config.bank[bank][index], 0xdead0000 + index);
                if (index >= GLOBAL_CFGREG_BASE_ADDR32) {
                    assert_int_equal(f->state.config.bank[!bank][index], 0xdead0000 + index);
                }
                assert_only_changed(f, &before, bank, index, index);
            }
        }
    }
}

/* 128 bits: aligned groups of four registers and four words, whatever the low bits of either index. */
static void wrcfg_writes_aligned_groups_of_four(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < 16; i++) {
        fill_config(f);
        select_bank(f, 1, 1);
        struct config_unit before = f->state.config;
        for (unsigned j = 0; j < 4; j++) {
            f->state.scalar.gpr[1][20 + j] = 0xabc0 + j;
        }
        RUN_OK(f, 1, WRCFG, .GprAddress = 20 + i / 4, .CfgReg = 76 + i % 4, .wr128b = 1);
        for (unsigned j = 0; j < 4; j++) {
            assert_int_equal(f->state.config.bank[1][76 + j], 0xabc0 + j);
        }
        assert_only_changed(f, &before, 1, 76, 79);
    }
}

static void rdcfg_reads_one_word_of_the_threads_bank(void **state)
{
    struct fixture *f = *state;
    fill_config(f);
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
            select_bank(f, thread, bank);
            for (unsigned index = 0; index < CONFIG_WORDS; index++) {
                RUN_OK(f, thread, RDCFG, .GprAddress = index % GPRS, .CfgReg = index);
                assert_int_equal(f->state.scalar.gpr[thread][index % GPRS], f->state.config.bank[bank][index]);
            }
        }
    }
}

static void setc16_writes_the_threads_own_word(void **state)
{
    struct fixture *f = *state;
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned index = 0; index < THD_STATE_SIZE; index++) {
            struct config_unit expected = f->state.config;
            expected.thread[thread][index] = (uint16_t)(0xff00 + index);
            RUN_OK(f, thread, SETC16, .setc16_reg = index, .setc16_value = 0xff00 + index);
            assert_memory_equal(&f->state.config, &expected, sizeof expected);
        }
    }
}

/* (NewValue & Mask) | (OldValue & ~Mask), on one byte. */
static void rmwcib_writes_masked_bits_of_one_byte(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t random = xorshift64_word(&seed), index = xorshift64_word(&seed) % CONFIG_WORDS;
        uint32_t data = random & 0xff, mask = random >> 8 & 0xff, byte = random >> 16 & 3;
        unsigned thread = round % 3, bank = random >> 20 & 1;
        if (has_side_effect(index)) {
            continue;
        }
        fill_config(f);
        f->state.config.bank[0][index] = f->state.config.bank[1][index] = xorshift64_word(&seed);
        select_bank(f, thread, bank);
        struct config_unit before = f->state.config;
        uint32_t word = (uint32_t)(TENSIX_OPCODE_RMWCIB0 + byte) << 24 | mask << 16 | data << 8 | index;
        assert_int_equal(tensix_execute(&f->tensix, thread, word, 0), STEP_DONE);
        uint8_t bytes[4];
        memcpy(bytes, &before.bank[bank][index], 4);
        bytes[byte] = (uint8_t)((data & mask) | (bytes[byte] & ~mask));
        assert_memory_equal(&f->state.config.bank[bank][index], bytes, 4);
        assert_only_changed(f, &before, bank, index, index);
    }
}

static void any_write_to_state_reset_en_but_rmwcib_clears_the_bank(void **state)
{
    struct fixture *f = *state;
    fill_config(f);
    select_bank(f, 0, 1);
    RUN_OK(f, 0, RMWCIB0, .CfgRegAddr = STATE_RESET_EN_ADDR32, .Data = 1, .Mask = 1);
    assert_int_equal(f->state.config.bank[1][0], 0x20000);
    f->state.scalar.gpr[0][5] = 0;
    RUN_OK(f, 0, WRCFG, .GprAddress = 5, .CfgReg = STATE_RESET_EN_ADDR32);
    for (unsigned i = 0; i < CONFIG_WORDS; i++) {
        assert_int_equal(f->state.config.bank[1][i], i < GLOBAL_CFGREG_BASE_ADDR32 ? 0 : 0x10000 + i);
        assert_int_equal(f->state.config.bank[0][i], 0x10000 + i);
    }
}

/* A shift register of 32 bits whose new bit is the inverse of the parity of bits 0, 1, 21 and 31. */
static uint32_t model_shift(uint32_t x, unsigned count)
{
    for (; count; count--) {
        x = x >> 1 | ((x ^ x >> 1 ^ x >> 21 ^ x >> 31 ^ 1) & 1) << 31;
    }
    return x;
}

/* Every way of writing PRNG_SEED seeds the vector unit's generators, lane 31 first, two steps apart. */
static void a_write_to_prng_seed_seeds_every_lane(void **state)
{
    struct fixture *f = *state;
    static const uint32_t seeds[] = {0, 1, 0xffffffff, 0x12345678};
    for (unsigned i = 0; i < COUNT_OF(seeds); i++) {
        f->state.scalar.gpr[1][3] = seeds[i];
        RUN_OK(f, 1, WRCFG, .GprAddress = 3, .CfgReg = PRNG_SEED_Seed_Val_ADDR32);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            assert_int_equal(f->state.vector.prng[lane], model_shift(seeds[i], 32 + 2 * (32 - lane)));
        }
        RUN_OK(f, 2, RMWCIB3, .CfgRegAddr = PRNG_SEED_Seed_Val_ADDR32, .Data = 0x5a, .Mask = 0xf0);
        uint32_t seed = (seeds[i] & 0x0fffffff) | 0x50000000;
        assert_int_equal(f->state.config.bank[0][PRNG_SEED_Seed_Val_ADDR32], seed);
        assert_int_equal(f->state.vector.prng[31], model_shift(seed, 34));
    }
}

static uint32_t model_rotate_right(uint32_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        value = value >> 1 | (value & 1) << 31;
    }
    return value;
}

/* The functional model of the chapter, on random operands of every mode. */
/* The vendor's description of SRC_ACCESS_CFG: SrcA or SrcB seen as one bank of 128 rows. */
static void other_views_of_srca_and_srcb_are_refused(void **state)
{
    struct fixture *f = *state;
    RUN_OK(f, 0, WRCFG, .GprAddress = 0, .CfgReg = SRC_ACCESS_CFG_math_view_srca_as_one_bank_ADDR32);
    f->state.scalar.gpr[0][0] = 2;
    RUN(f, 0, WRCFG, .GprAddress = 0, .CfgReg = SRC_ACCESS_CFG_math_view_srca_as_one_bank_ADDR32);
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_UNSUPPORTED);
    assert_true(f->diagnostics.stopped);
}

static void cfgshiftmask_follows_the_functional_model(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 4;
    for (unsigned round = 0; round < 50000; round++) {
        uint32_t random = xorshift64_word(&seed);
        uint32_t operation = random & 7, width = random >> 3 & 31, rotate = random >> 8 & 31;
        uint32_t select = random >> 13 & 3, keep = random >> 15 & 1, bank = random >> 16 & 1;
        uint32_t index = 64 + (random >> 17) % 96;
        unsigned thread = round % 3;
        fill_config(f);
        uint32_t scratch[3];
        for (unsigned i = 0; i < 3; i++) {
            scratch[i] = xorshift64_word(&seed);
            config_write(&f->tensix, 0, SCRATCH_SEC0_val_ADDR32 + i, scratch[i], UINT32_MAX);
        }
        uint32_t old = f->state.config.bank[bank][index] = xorshift64_word(&seed);
        select_bank(f, thread, bank);
        struct config_unit before = f->state.config;
        RUN_OK(f, thread, CFGSHIFTMASK, .CfgReg = index, .disable_mask_on_old_val = keep, .operation = operation,
               .mask_width = width, .right_cshift_amt = rotate, .scratch_sel = select);
        uint32_t mask = width == 31 ? UINT32_MAX : (1u << (width + 1)) - 1;
        uint32_t s = model_rotate_right(scratch[select < 3 ? select : thread] & mask, rotate);
        if (!keep) {
            old &= ~model_rotate_right(mask, rotate);
        }
        const uint32_t results[] = {old | s, old & s, old ^ s, old + s, old | ~s, old & ~s, old ^ ~s, old - s};
        assert_int_equal(f->state.config.bank[bank][index], results[operation]);
        assert_only_changed(f, &before, bank, index, index);
    }
}

/* A bus that records the access. */
struct asked {
    uint32_t address, value;
    enum step step;
};

static enum step answer(void *context, uint32_t address, uint32_t *value)
{
    struct asked *asked = context;
    asked->address = address;
    *value = asked->value;
    return asked->step;
}

/* Stream registers are words at 0xFFB4_0000, 0x1000 bytes for each stream. */
static void streamwrcfg_copies_a_stream_register(void **state)
{
    struct fixture *f = *state;
    struct asked asked = {.value = 0x12345678, .step = STEP_DONE};
    f->tensix.bus = (struct tensix_bus){.context = &asked, .load = answer};
    for (unsigned select = 0; select < 4; select++) {
        RUN_OK(f, 2, SETC16, .setc16_reg = STREAM_ID_SYNC_SEC0_BankSel_ADDR32 + select, .setc16_value = 10 + select);
    }
    select_bank(f, 2, 1);
    for (unsigned select = 0; select < 4; select++) {
        fill_config(f);
        struct config_unit before = f->state.config;
        RUN_OK(f, 2, STREAMWRCFG, .CfgReg = 77, .StreamRegAddr = 297, .stream_id_sel = select);
        assert_int_equal(asked.address, 0xffb40000 + (10 + select) * 0x1000 + 297 * 4);
        assert_int_equal(f->state.config.bank[1][77], 0x12345678);
        assert_only_changed(f, &before, 1, 77, 77);
    }
    asked.step = STEP_WAIT;
    asked.value = 1;
    assert_int_equal(RUN(f, 2, STREAMWRCFG, .CfgReg = 77), STEP_WAIT);
    assert_int_equal(f->state.config.bank[1][77], 0x12345678);
}

/* CFGSHIFTMASK, WRCFG of 128 bits and STREAMWRCFG write as WRCFG does, with its side effects. */
static void every_instruction_that_writes_whole_words_clears_the_bank(void **state)
{
    struct fixture *f = *state;
    struct asked asked = {.value = 0, .step = STEP_DONE};
    f->tensix.bus = (struct tensix_bus){.context = &asked, .load = answer};
    select_bank(f, 0, 1);
    for (unsigned which = 0; which < 3; which++) {
        fill_config(f);
        switch (which) {
        case 0: RUN_OK(f, 0, CFGSHIFTMASK, .CfgReg = STATE_RESET_EN_ADDR32, .mask_width = 31); break;
        case 1: RUN_OK(f, 0, WRCFG, .GprAddress = 8, .CfgReg = STATE_RESET_EN_ADDR32, .wr128b = 1); break;
        default: RUN_OK(f, 0, STREAMWRCFG, .CfgReg = STATE_RESET_EN_ADDR32, .StreamRegAddr = 297); break;
        }
        for (unsigned i = 0; i < CONFIG_WORDS; i++) {
            assert_int_equal(f->state.config.bank[1][i], i < GLOBAL_CFGREG_BASE_ADDR32 ? 0 : 0x10000 + i);
            assert_int_equal(f->state.config.bank[0][i], 0x10000 + i);
        }
    }
}

static void an_index_out_of_range_is_undefined(void **state)
{
    struct fixture *f = *state;
    struct config_unit before = f->state.config;
    ASSERT_STOPPED(f, RUN(f, 0, WRCFG, .CfgReg = CONFIG_WORDS), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, WRCFG, .CfgReg = 2047, .wr128b = 1), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, RDCFG, .CfgReg = CONFIG_WORDS), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, SETC16, .setc16_reg = THD_STATE_SIZE), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, RMWCIB0, .CfgRegAddr = 255), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, RMWCIB3, .CfgRegAddr = 224), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, CFGSHIFTMASK, .CfgReg = 224), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, STREAMWRCFG, .CfgReg = 224), BH_UNDEFINED_BEHAVIOR);
    assert_memory_equal(&before, &f->state.config, sizeof before);
}

struct field {
    uint32_t words, word_bits, address, shift, width, mask;
};

/* Kernels compose words from a field's address, shift and mask: these must agree, and the field must lie in its
   word. */
static void every_field_lies_in_its_word(void **state)
{
    static const struct field fields[] = {
#define FIELD(words, bits, name) {words, bits, name##_ADDR32, name##_SHAMT, name##_WIDTH, (uint32_t)name##_MASK},
#define CONFIG_FIELD(name, ...) FIELD(CONFIG_WORDS, 32, name)
#define THREAD_CONFIG_FIELD(name, ...) FIELD(THD_STATE_SIZE, 16, name)
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
#undef FIELD
    };
    for (unsigned i = 0; i < COUNT_OF(fields); i++) {
        const struct field *field = &fields[i];
        assert_true(field->address < field->words);
        assert_true(field->shift + field->width <= field->word_bits);
        assert_int_equal(field->mask, (uint32_t)(((UINT64_C(1) << field->width) - 1) << field->shift));
        for (unsigned j = 0; j < i; j++) {
            bool same_word = fields[j].words == field->words && fields[j].address == field->address;
            assert_false(same_word && (fields[j].mask & field->mask));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(wrcfg_writes_one_word_of_the_threads_bank),
        FIXTURE_TEST(wrcfg_writes_aligned_groups_of_four),
        FIXTURE_TEST(rdcfg_reads_one_word_of_the_threads_bank),
        FIXTURE_TEST(setc16_writes_the_threads_own_word),
        FIXTURE_TEST(rmwcib_writes_masked_bits_of_one_byte),
        FIXTURE_TEST(any_write_to_state_reset_en_but_rmwcib_clears_the_bank),
        FIXTURE_TEST(a_write_to_prng_seed_seeds_every_lane),
        FIXTURE_TEST(other_views_of_srca_and_srcb_are_refused),
        FIXTURE_TEST(cfgshiftmask_follows_the_functional_model),
        FIXTURE_TEST(streamwrcfg_copies_a_stream_register),
        FIXTURE_TEST(every_instruction_that_writes_whole_words_clears_the_bank),
        FIXTURE_TEST(an_index_out_of_range_is_undefined),
        FIXTURE_TEST(every_field_lies_in_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
