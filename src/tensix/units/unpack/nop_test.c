/* UNPACR_NOP. Sources: ISA documentation UNPACR_NOP_ZEROSRC.md, UNPACR_NOP_SETDVALID.md, UNPACR_NOP_OverlayClear.md;
   descriptions of Blackhole's fields in the vendor's kernel library. */
#include "tensix/units/dispatch.h"
#include "tensix/units/unpack/fixture.h"

enum { POP, CLR_SRC, NOP, POP_STREAM };

static enum step unpacr_nop(struct fixture *fixture, struct args_UNPACR_NOP args)
{
    return execute_UNPACR_NOP(&fixture->tensix, 0, args);
}

static void it_clears_the_unpackers_bank_and_gives_it_away(void **state)
{
    struct fixture *fixture = *state;
    struct src_register_file *srcb = &fixture->state->srcb;
    memset(srcb->rows, 0xff, sizeof srcb->rows);
    struct args_UNPACR_NOP args = {.Unpacker_Select = 1, .Unpack_Pop = CLR_SRC, .Set_Dvalid = 1};
    assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
    assert_int_equal(srcb->rows[0][0][0], 0);
    assert_int_equal(srcb->rows[0][63][15], 0);
    assert_int_equal(srcb->rows[1][0][0], 0xffffffff);
    assert_int_equal(srcb->owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(srcb->format[0], FORMAT_BF16);
    assert_int_equal(srcb->unpacker_bank, 1);
    assert_int_equal(unpacr_nop(fixture, args), STEP_WAIT);
}

static void it_awaits_the_matrix_units_bank_or_the_unpackers(void **state)
{
    struct fixture *fixture = *state;
    struct src_register_file *srca = &fixture->state->srca;
    srca->owner[0] = SRC_MATRIX_UNIT;
    srca->unpacker_bank = 1;
    assert_int_equal(unpacr_nop(fixture, (struct args_UNPACR_NOP){.Unpack_Pop = CLR_SRC}), STEP_WAIT);
    assert_int_equal(unpacr_nop(fixture, (struct args_UNPACR_NOP){.Unpack_Pop = CLR_SRC, .Stall_Clr_Cntrl = 1}),
                     STEP_DONE);
}

static void it_clears_to_other_values(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        unsigned value, format;
        uint32_t datum;
    } cases[] = {{0, 0, 0}, {1, 0, 0xffffe000}, {2, 0, 0x07800000}, {2, 1, 0x3f800000}, {2, 2, 0x08002000}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
            struct args_UNPACR_NOP args = {.Unpacker_Select = unpacker,
                                           .Unpack_Pop = CLR_SRC,
                                           .Src_ClrVal_Ctrl = cases[i].value,
                                           .Clr_to1_fmt_Ctrl = cases[i].format};
            assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
            const struct src_register_file *src = unpacker ? &fixture->state->srcb : &fixture->state->srca;
            assert_int_equal(src->rows[0][31][7], cases[i].datum);
        }
    }
}

/* Comment on the field in the vendor's kernel library: an immediate value of 32 bits for SrcA, and one for SrcB. */
static void it_clears_to_the_value_of_a_register(void **state)
{
    struct fixture *fixture = *state;
    SET(UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val, 0x40490fdb);
    SET(UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val, 0xc02df854);
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        struct args_UNPACR_NOP args = {.Unpacker_Select = unpacker, .Unpack_Pop = CLR_SRC, .Src_ClrVal_Ctrl = 3};
        assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
    }
    assert_int_equal(fixture->state->srca.rows[0][63][15], 0x40490000);
    assert_int_equal(fixture->state->srcb.rows[0][0][0], 0xc02de000);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void it_may_clear_both_banks(void **state)
{
    struct fixture *fixture = *state;
    struct src_register_file *srca = &fixture->state->srca;
    memset(srca->rows, 0xff, sizeof srca->rows);
    assert_int_equal(unpacr_nop(fixture, (struct args_UNPACR_NOP){.Unpack_Pop = CLR_SRC, .Bank_Clr_Ctrl = 1}),
                     STEP_DONE);
    assert_int_equal(srca->rows[0][5][5], 0);
    assert_int_equal(srca->rows[1][5][5], 0);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void a_flavour_gives_the_bank_away_and_does_nothing_else(void **state)
{
    struct fixture *fixture = *state;
    struct src_register_file *srca = &fixture->state->srca;
    srca->rows[0][0][0] = 0x3f800000;
    SET_THREAD(SRCA_SET_Base, 2);
    assert_int_equal(unpacr_nop(fixture, (struct args_UNPACR_NOP){.Unpack_Pop = CLR_SRC, .Clr_to1_fmt_Ctrl = 3}),
                     STEP_DONE);
    assert_int_equal(srca->rows[0][0][0], 0x3f800000);
    assert_int_equal(srca->owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(srca->unpacker_row[0], 32);
}

static void it_may_do_nothing(void **state)
{
    struct fixture *fixture = *state;
    fixture->state->srca.rows[0][0][0] = 0x3f800000;
    fixture->state->srca.owner[0] = SRC_MATRIX_UNIT;
    assert_int_equal(unpacr_nop(fixture, (struct args_UNPACR_NOP){.Unpack_Pop = NOP}), STEP_DONE);
    assert_int_equal(fixture->state->srca.rows[0][0][0], 0x3f800000);
}

static enum step remember_store(void *context, uint32_t address, uint32_t value)
{
    uint32_t *stored = context;
    stored[0] = address;
    stored[1] = value;
    return STEP_DONE;
}

static void it_pops_a_message_of_a_stream(void **state)
{
    struct fixture *fixture = *state;
    uint32_t stored[2] = {};
    fixture->tensix.bus = (struct tensix_bus){.context = stored, .store = remember_store};
    SET_THREAD(NOC_OVERLAY_MSG_CLEAR_StreamId_1, 9);
    assert_int_equal(unpacr_nop(fixture, (struct args_UNPACR_NOP){.Unpacker_Select = 1, .Unpack_Pop = POP}), STEP_DONE);
    assert_int_equal(stored[0], 0xffb40000 + 9 * 0x1000 + 0x428);
    assert_int_equal(stored[1], 1);
    struct args_UNPACR_NOP args = {.Unpack_Pop = POP_STREAM, .Stream_Id = 17, .Msg_Clr_Cnt = 1};
    assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
    assert_int_equal(stored[0], 0xffb40000 + 17 * 0x1000 + 0x428);
}

/* "uint32_t Addr = 0xFFB00000 + Unpackers.SetRegBase[AddrSel] + (AddrMid << 12);" */
static void it_writes_a_register_of_the_tile(void **state)
{
    struct fixture *fixture = *state;
    uint32_t stored[2] = {};
    fixture->tensix.bus = (struct tensix_bus){.context = stored, .store = remember_store};
    struct args_UNPACR_NOP args = {.Unpack_Pop = POP_STREAM,
                                   .Src_ClrVal_Ctrl = 1,
                                   .Stream_Id = 0x45,
                                   .Msg_Clr_Cnt = 8 | 5,
                                   .Set_Dvalid = 3,
                                   .Clr_to1_fmt_Ctrl = 2,
                                   .Bank_Clr_Ctrl = 1};
    SET(THCON_SEC1_REG10_Unpacker_Reg_Wr_Addr, 1u << 22 | 0x123 << 10);
    assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_int_equal(stored[0], 0xffb00000 + (1 << 18) + (5 << 12) + (0x123 << 2));
    assert_int_equal(stored[1], 5 << 8 | 3 << 4 | 2 << 2 | 1);
    SET(THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr, 0x00a);
    args.Stream_Id = 0;
    args.Msg_Clr_Cnt = 5;
    assert_int_equal(unpacr_nop(fixture, args), STEP_STOP); /* 0xffb00028 */
    assert_int_equal(fixture->diagnostics.entries[fixture->diagnostics.count - 1].category, BH_UNDEFINED_BEHAVIOR);
}

/* "AccValue = (AccValue + Value11) & 0x1ffff", and a value of zero clears without a write. */
static void it_writes_sums(void **state)
{
    struct fixture *fixture = *state;
    uint32_t stored[2] = {};
    fixture->tensix.bus = (struct tensix_bus){.context = stored, .store = remember_store};
    SET(THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr, 1u << 20);
    struct args_UNPACR_NOP args = {.Unpacker_Select = 1, .Unpack_Pop = POP, .Src_ClrVal_Ctrl = 3, .Set_Dvalid = 2};
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
        assert_int_equal(stored[1], 32 * i);
    }
    assert_int_equal(fixture->state->unpack.register_sum[1], 96);
    fixture->state->unpack.register_sum[1] = 0x1ffff;
    assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
    assert_int_equal(stored[1], 31);
    args.Set_Dvalid = 0;
    assert_int_equal(unpacr_nop(fixture, args), STEP_DONE);
    assert_int_equal(stored[1], 31);
    assert_int_equal(fixture->state->unpack.register_sum[1], 0);
}

static void reserved_bits_are_undefined(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(unpacr_nop(fixture, (struct args_UNPACR_NOP){.Unpack_Pop = CLR_SRC, .Set_Dvalid = 4}), STEP_STOP);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_UNDEFINED_BEHAVIOR);
}

/* 0x43800201 of llk_unpack_tilize.h: SrcB, UNP_NOP (2) for Set_Dvalid, UNP_ZEROSRC. Cards clear SrcB, and keep it. */
static void bit_9_is_ignored(void **state)
{
    struct fixture *fixture = *state;
    fixture->state->srcb.rows[0][3][5] = 0x3f800000;
    assert_int_equal(tensix_execute(&fixture->tensix, 0, 0x43800201, 0), STEP_DONE);
    assert_int_equal(fixture->diagnostics.count, 1);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_int_equal(fixture->state->srcb.rows[0][3][5], 0);
    assert_int_equal(fixture->state->srcb.owner[0], SRC_UNPACKERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_clears_the_unpackers_bank_and_gives_it_away),
        TEST(it_awaits_the_matrix_units_bank_or_the_unpackers),
        TEST(it_clears_to_other_values),
        TEST(it_clears_to_the_value_of_a_register),
        TEST(it_may_clear_both_banks),
        TEST(a_flavour_gives_the_bank_away_and_does_nothing_else),
        TEST(it_may_do_nothing),
        TEST(it_pops_a_message_of_a_stream),
        TEST(it_writes_a_register_of_the_tile),
        TEST(it_writes_sums),
        TEST(reserved_bits_are_undefined),
        TEST(bit_9_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
