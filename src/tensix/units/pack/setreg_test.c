/* PACR_SETREG, as its description in tt-llk (Blackhole) and the ISA documentation's PACR_SETREG.md and TDMA-RISC.md
   state it. */
#include "tensix/units/pack/fixture.h"

struct register_write {
    uint32_t address, value, count;
    enum step answer;
};

static enum step store(void *context, uint32_t address, uint32_t value)
{
    struct register_write *write = context;
    if (write->answer == STEP_DONE) {
        *write = (struct register_write){address, value, write->count + 1, STEP_DONE};
    }
    return write->answer;
}

static void connect(struct fixture *f, struct register_write *write)
{
    *write = (struct register_write){.answer = STEP_DONE};
    f->tensix.bus = (struct tensix_bus){.context = write, .store = store};
}

/* Bits 18:3 are the value, bit 2 selects the half. */
static void set_value(struct fixture *f, uint32_t half, uint32_t value)
{
    uint32_t word = TENSIX_OPCODE_PACR_SETREG << 24 | 1u << 22 | value << 3 | half << 2;
    assert_int_equal(tensix_execute(&f->tensix, THREAD, word, 0), STEP_DONE);
    assert_int_equal(f->diagnostics.count, 0);
}

static void it_writes_the_value_that_was_set_in_halves(void **state)
{
    struct fixture *f = *state;
    struct register_write write;
    connect(f, &write);
    set_value(f, 0, 0x5678);
    set_value(f, 1, 0x1234);
    /* Address 0: bits 9:0 and 21:20; address 1: bits 19:10 and 23:22. */
    pack_set_register_addresses(&f->state.pack, 2u << 22 | 1u << 20 | 0x123 << 10 | 0x0a0);
    RUN_OK(f, THREAD, PACR_SETREG, .Push = 1, .Flush = 1, .AddrSel = 0, .StreamId = 5);
    assert_int_equal(write.address, 0xffb00000 + (1 << 18) + (5 << 12) + (0x0a0 << 2));
    assert_int_equal(write.value, 0x12345678);
    RUN_OK(f, THREAD, PACR_SETREG, .Push = 1, .Flush = 1, .AddrSel = 1, .StreamId = 0x3f);
    assert_int_equal(write.count, 1); /* 0xffbbf48c: beyond the window, nothing happens */
    pack_set_register_addresses(&f->state.pack, 1u << 22 | 0x123 << 10);
    RUN_OK(f, THREAD, PACR_SETREG, .Push = 1, .Flush = 1, .AddrSel = 1, .StreamId = 0x3f);
    assert_int_equal(write.address, 0xffb00000 + (1 << 18) + (0x3f << 12) + (0x123 << 2));
}

static void push_and_flush_are_both_needed(void **state)
{
    struct fixture *f = *state;
    struct register_write write;
    connect(f, &write);
    pack_set_register_addresses(&f->state.pack, 1u << 20);
    RUN_OK(f, THREAD, PACR_SETREG, .Push = 1);
    RUN_OK(f, THREAD, PACR_SETREG, .Flush = 1);
    assert_int_equal(write.count, 0);
}

static void an_address_below_the_window_is_undefined_behaviour(void **state)
{
    struct fixture *f = *state;
    struct register_write write;
    connect(f, &write);
    ASSERT_STOPPED(f, RUN(f, THREAD, PACR_SETREG, .Push = 1, .Flush = 1, .StreamId = 0x10), BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(write.count, 0);
}

static void it_flushes_what_the_packer_holds_back(void **state)
{
    struct fixture *f = *state;
    struct register_write write;
    connect(f, &write);
    configure(f, FORMAT_BF16, FORMAT_BFP8, false);
    f->state.dst.rows[0][0] = 0x4000;
    packer_adc(f)->channel[1].x = 0;
    memset(f->l1_bytes + DESTINATION, 0xee, 96);
    RUN_OK(f, THREAD, PACR, .ReadIntfSel = 1);
    assert_filled(f, DESTINATION, 96, 0xee);
    pack_set_register_addresses(&f->state.pack, 1u << 20);
    write.answer = STEP_WAIT;
    assert_int_equal(RUN(f, THREAD, PACR_SETREG, .Push = 1, .Flush = 1), STEP_WAIT);
    assert_filled(f, DESTINATION, 96, 0xee);
    write.answer = STEP_DONE;
    RUN_OK(f, THREAD, PACR_SETREG, .Push = 1, .Flush = 1);
    assert_int_equal(f->l1_bytes[DESTINATION], 128);
    assert_int_equal(f->l1_bytes[DESTINATION + 64], 0x40);
    assert_filled(f, DESTINATION + 65, 15, 0);
    assert_filled(f, DESTINATION + 80, 16, 0xee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(it_writes_the_value_that_was_set_in_halves),
        FIXTURE_TEST(push_and_flush_are_both_needed),
        FIXTURE_TEST(an_address_below_the_window_is_undefined_behaviour),
        FIXTURE_TEST(it_flushes_what_the_packer_holds_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
