/* Address counters, as chapter "rwc and addressing" section 5 and the ISA documentation's ADCs.md and the pages of the
   instructions state them; and SETDVALID. */
#include "tensix/tensix_fixture.h"

enum { U0 = 1, U1 = 2, PK = 4 };

static struct adc_channel *channel_of(struct fixture *f, unsigned thread, unsigned unit, unsigned channel)
{
    return &f->state.addr.adc[thread][unit].channel[channel];
}

/* The counters of a channel in the order X, Y, Z, W, each followed by its checkpoint. */
enum { FIELDS = 8 };

static void fields_of(const struct adc_channel *c, uint32_t fields[FIELDS])
{
    const uint32_t all[FIELDS] = {c->x, c->x_cr, c->y, c->y_cr, c->z, c->z_cr, c->w, c->w_cr};
    memcpy(fields, all, sizeof all);
}

/* Fills every counter of every thread with a different value. */
static void fill(struct fixture *f)
{
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
            for (unsigned channel = 0; channel < 2; channel++) {
                uint32_t n = 24 * thread + 8 * unit + 4 * channel;
                *channel_of(f, thread, unit, channel) = (struct adc_channel){.x = n,
                                                                             .x_cr = 0x3ffff - n,
                                                                             .y = n + 1,
                                                                             .y_cr = 0x1fff - n,
                                                                             .z = n + 2,
                                                                             .z_cr = 0x1fff - n,
                                                                             .w = n + 3,
                                                                             .w_cr = 0x1ffe - n};
            }
        }
    }
}

/* The change that an instruction makes to a counter. */
enum operation { SET, INCREMENT, INCREMENT_CR };

static void expect(struct adc_channel *c, unsigned dimension, enum operation operation, uint32_t operand)
{
    uint32_t *values[] = {&c->x, &c->y, &c->z, &c->w};
    uint32_t *crs[] = {&c->x_cr, &c->y_cr, &c->z_cr, &c->w_cr};
    static const uint32_t masks[] = {0x3ffff, 0x1fff, 0x1fff, 0x1fff};
    uint32_t *value = values[dimension], *cr = crs[dimension], mask = masks[dimension];
    switch (operation) {
    case SET: *value = *cr = operand & mask; break;
    case INCREMENT: *value = (*value + operand) & mask; break;
    case INCREMENT_CR: *value = *cr = (*cr + operand) & mask; break;
    }
}

static void assert_adcs_equal(struct fixture *f, const struct addr_unit *expected)
{
    for (unsigned thread = 0; thread < 3; thread++) {
        for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
            for (unsigned channel = 0; channel < 2; channel++) {
                uint32_t is[FIELDS], should[FIELDS];
                fields_of(channel_of(f, thread, unit, channel), is);
                fields_of(&expected->adc[thread][unit].channel[channel], should);
                for (unsigned i = 0; i < FIELDS; i++) {
                    assert_int_equal(is[i], should[i]);
                }
            }
        }
    }
}

/* An instruction on two dimensions of two channels, as a word: operands of three bits from bit 6 on. */
struct pair_case {
    uint8_t opcode, first_dimension;
    enum operation operation;
    bool has_mask;
};

static const struct pair_case pair_cases[] = {
    {TENSIX_OPCODE_SETADCXY, 0, SET, true},          {TENSIX_OPCODE_SETADCZW, 2, SET, true},
    {TENSIX_OPCODE_INCADCXY, 0, INCREMENT, false},   {TENSIX_OPCODE_INCADCZW, 2, INCREMENT, false},
    {TENSIX_OPCODE_ADDRCRXY, 0, INCREMENT_CR, true}, {TENSIX_OPCODE_ADDRCRZW, 2, INCREMENT_CR, true},
};

static void pairs_of_dimensions_follow_the_functional_models(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        const struct pair_case *c = &pair_cases[round % COUNT_OF(pair_cases)];
        uint32_t random = xorshift64_word(&seed);
        uint32_t operands = random & 0xfff, units = random >> 12 & 7, override = random >> 15 & 3;
        uint32_t mask = c->has_mask ? random >> 17 & 15 : 15;
        unsigned thread = (random >> 21) % 3;
        fill(f);
        struct addr_unit expected = f->state.addr;
        for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
            for (unsigned i = 0; i < 4; i++) {
                if ((units >> unit & 1) && (mask >> i & 1)) {
                    expect(&expected.adc[override ? override - 1 : thread][unit].channel[i / 2],
                           c->first_dimension + i % 2, c->operation, operands >> (3 * i) & 7);
                }
            }
        }
        uint32_t word = (uint32_t)c->opcode << 24 | units << 21 | override << 18 | operands << 6;
        word |= c->has_mask ? mask : 0;
        assert_int_equal(tensix_execute(&f->tensix, thread, word, 0), STEP_DONE);
        assert_adcs_equal(f, &expected);
    }
}

static void setadc_sets_one_counter_and_its_checkpoint(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 2;
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t random = xorshift64_word(&seed), value = random & 0x3ffff, dimension = random >> 18 & 3;
        uint32_t channel = random >> 20 & 1, units = random >> 21 & 7;
        unsigned thread = round % 3, override = value >> 16;
        fill(f);
        struct addr_unit expected = f->state.addr;
        for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
            if (units >> unit & 1) {
                expect(&expected.adc[override ? override - 1 : thread][unit].channel[channel], dimension, SET, value);
            }
        }
        RUN_OK(f, thread, SETADC, .CntSetMask = units, .ChannelIndex = channel, .DimensionIndex = dimension,
               .Value = value);
        assert_adcs_equal(f, &expected);
    }
}

static void setadcxx_sets_x_of_both_channels_of_the_issuing_thread(void **state)
{
    struct fixture *f = *state;
    for (unsigned units = 0; units < 8; units++) {
        fill(f);
        struct addr_unit expected = f->state.addr;
        for (unsigned unit = 0; unit < ADC_UNITS; unit++) {
            if (units >> unit & 1) {
                expect(&expected.adc[2][unit].channel[0], 0, SET, 1023);
                expect(&expected.adc[2][unit].channel[1], 0, SET, 512);
            }
        }
        RUN_OK(f, 2, SETADCXX, .CntSetMask = units, .x_start = 1023, .x_end2 = 512);
        assert_adcs_equal(f, &expected);
    }
}

/* The chapter's own words, section 5.4: PAC; X0, Y0 and Y1; then all of Z and W. */
static void the_packers_counters_are_set_as_the_matmul_kernel_does(void **state)
{
    struct fixture *f = *state;
    fill(f);
    assert_int_equal(tensix_execute(&f->tensix, 2, 0x5180000b, 0), STEP_DONE);
    assert_int_equal(tensix_execute(&f->tensix, 2, 0x5480000f, 0), STEP_DONE);
    const struct adc_channel *c0 = channel_of(f, 2, ADC_PACKER, 0), *c1 = channel_of(f, 2, ADC_PACKER, 1);
    uint32_t is[FIELDS];
    fields_of(c0, is);
    for (unsigned i = 0; i < FIELDS; i++) {
        assert_int_equal(is[i], 0);
    }
    fields_of(c1, is);
    for (unsigned i = 2; i < FIELDS; i++) {
        assert_int_equal(is[i], 0);
    }
    assert_int_not_equal(c1->x, 0);
}

static void setdvalid_gives_banks_to_the_matrix_unit(void **state)
{
    struct fixture *f = *state;
    f->state.config.bank[0][THCON_SEC0_REG2_Out_data_format_ADDR32] = 5;
    f->state.config.bank[0][THCON_SEC1_REG2_Out_data_format_ADDR32] = 6;
    RUN_OK(f, 0, SETC16, .setc16_reg = SRCA_SET_Base_ADDR32, .setc16_value = 3);
    RUN_OK(f, 0, SETC16, .setc16_reg = SRCB_SET_Base_ADDR32, .setc16_value = 1);
    f->state.srca.unpacker_row[0] = f->state.srca.unpacker_row[1] = 16;
    RUN_OK(f, 0, SETDVALID, .setvalid = 1);
    assert_int_equal(f->state.srca.owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(f->state.srca.owner[1], SRC_UNPACKERS);
    assert_int_equal(f->state.srca.unpacker_bank, 1);
    assert_int_equal(f->state.srca.matrix_bank, 0);
    assert_int_equal(f->state.srca.format[0], 5);
    assert_int_equal(f->state.srca.unpacker_row[0], 48);
    assert_int_equal(f->state.srca.unpacker_row[1], 16);
    assert_int_equal(f->state.srcb.unpacker_bank, 0);
    assert_int_equal(f->state.srcb.owner[0], SRC_UNPACKERS);
    RUN_OK(f, 0, SETDVALID, .setvalid = 3);
    assert_int_equal(f->state.srca.owner[1], SRC_MATRIX_UNIT);
    assert_int_equal(f->state.srca.unpacker_bank, 0);
    assert_int_equal(f->state.srcb.owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(f->state.srcb.owner[1], SRC_UNPACKERS);
    assert_int_equal(f->state.srcb.unpacker_bank, 1);
    assert_int_equal(f->state.srcb.format[0], 6);
    assert_int_equal(f->state.srcb.unpacker_row[0], 16);
    struct tensix_state before = f->state;
    RUN_OK(f, 0, SETDVALID, .setvalid = 0);
    assert_memory_equal(&before.srca, &f->state.srca, sizeof before.srca);
    assert_memory_equal(&before.srcb, &f->state.srcb, sizeof before.srcb);
}

static void rstdma_says_that_it_is_not_there(void **state)
{
    struct fixture *f = *state;
    ASSERT_STOPPED(f, RUN(f, 0, RSTDMA), BH_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(pairs_of_dimensions_follow_the_functional_models),
        FIXTURE_TEST(setadc_sets_one_counter_and_its_checkpoint),
        FIXTURE_TEST(setadcxx_sets_x_of_both_channels_of_the_issuing_thread),
        FIXTURE_TEST(the_packers_counters_are_set_as_the_matmul_kernel_does),
        FIXTURE_TEST(setdvalid_gives_banks_to_the_matrix_unit),
        FIXTURE_TEST(rstdma_says_that_it_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
