/* REG2FLOP, as chapter "config sync instructions" and the ISA documentation's REG2FLOP_Configuration.md and
   REG2FLOP_ADC.md state it. */
#include "tensix/tensix_fixture.h"

enum { TO_ADC = 2, TO_ADC_OF_THREAD = 3 };

/* Flops are words of Config from THCON_CFGREG_BASE_ADDR32 (64) on, up to the global ones; size 0 writes four, every
   other size one whole word. */
static void flops_are_thcon_words_of_the_threads_bank(void **state)
{
    struct fixture *f = *state;
    uint32_t *gpr = f->state.scalar.gpr[1];
    for (unsigned i = 0; i < GPRS; i++) {
        gpr[i] = 0xaabb0000 + i;
    }
    for (unsigned bank = 0; bank < 2; bank++) {
        RUN_OK(f, 1, SETC16, .setc16_reg = CFG_STATE_ID_StateID_ADDR32, .setc16_value = bank);
        for (unsigned flop = 0; flop < 116; flop++) {
            for (unsigned size = 0; size < 4; size++) {
                memset(f->state.config.bank, 0, sizeof f->state.config.bank);
                unsigned reg = flop % GPRS;
                RUN_OK(f, 1, REG2FLOP, .SizeSel = size, .FlopIndex = flop, .RegIndex = reg);
                for (unsigned i = 0; i < CONFIG_WORDS; i++) {
                    bool written = size ? i == 64 + flop : i / 4 == (64 + flop) / 4;
                    unsigned source = size ? reg : reg / 4 * 4 + i % 4;
                    assert_int_equal(f->state.config.bank[bank][i], written ? 0xaabb0000 + source : 0);
                    assert_int_equal(f->state.config.bank[!bank][i], 0);
                }
            }
        }
    }
}

static void other_flops_and_targets_are_undefined(void **state)
{
    struct fixture *f = *state;
    ASSERT_STOPPED(f, RUN(f, 0, REG2FLOP, .SizeSel = 1, .FlopIndex = 116), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, REG2FLOP, .SizeSel = 1, .TargetSel = 1), BH_UNDEFINED_BEHAVIOR);
}

static void byte_offsets_and_contexts_do_not_matter_to_configuration(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 1; i < 16; i++) {
        f->diagnostics.now.pc = i * 4;
        f->state.scalar.gpr[0][5] = 0xabcd0000 + i;
        assert_int_equal(RUN(f, 0, REG2FLOP, .SizeSel = 1 + i % 3, .ByteOffset = i % 4, .ContextId_2 = i / 4,
                             .FlopIndex = 12, .RegIndex = 5),
                         STEP_DONE);
        assert_int_equal(f->state.config.bank[0][76], 0xabcd0000 + i);
        assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
        assert_int_equal(f->diagnostics.count, i);
    }
}

static uint32_t model_part(uint32_t value, unsigned size, unsigned shift)
{
    switch (size) {
    case 0: return 0;
    case 1: return shift == 0 ? value : 0;
    case 2: return shift == 0 ? value & 0xffff : shift == 2 ? value >> 16 : 0;
    default: return value >> (8 * shift) & 0xff;
    }
}

static void part_of_a_register_goes_to_one_counter(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = 11;
    for (unsigned round = 0; round < 50000; round++) {
        uint32_t random = xorshift64_word(&seed);
        unsigned size = random & 3, shift = random >> 2 & 3, override = random >> 4 & 1, select = random >> 5 & 3;
        unsigned dimension = random >> 7 & 3, cr = random >> 9 & 1, unit = random >> 10 & 3, channel = random >> 12 & 1;
        unsigned thread = round % 3, which = override ? select : thread;
        memset(&f->state.addr, 0, sizeof f->state.addr);
        f->state.scalar.gpr[thread][33] = xorshift64_word(&seed);
        struct addr_unit expected = f->state.addr;
        uint32_t value = model_part(f->state.scalar.gpr[thread][33], size, shift);
        if (which < 3 && unit < 3) {
            struct adc_channel *c = &expected.adc[which][unit].channel[channel];
            switch (dimension) {
            case 0: *(cr ? &c->x_cr : &c->x) = value % (1 << 18); break;
            case 1: *(cr ? &c->y_cr : &c->y) = value % (1 << 13); break;
            case 2: *(cr ? &c->z_cr : &c->z) = value % (1 << 13); break;
            default: *(cr ? &c->w_cr : &c->w) = value % (1 << 13); break;
            }
        }
        RUN_OK(f, thread, REG2FLOP, .SizeSel = size, .TargetSel = override ? TO_ADC_OF_THREAD : TO_ADC,
               .ByteOffset = shift, .ContextId_2 = select, .RegIndex = 33,
               .FlopIndex = channel << 5 | unit << 3 | cr << 2 | dimension);
        assert_memory_equal(&f->state.addr, &expected, sizeof expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(flops_are_thcon_words_of_the_threads_bank),
        FIXTURE_TEST(other_flops_and_targets_are_undefined),
        FIXTURE_TEST(byte_offsets_and_contexts_do_not_matter_to_configuration),
        FIXTURE_TEST(part_of_a_register_goes_to_one_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
