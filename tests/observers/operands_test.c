/* What observers are told of the registers that instructions use: when, of whom, and in which order. That they are all
   is the matter of src/tensix/units/operands_test.c. */
#include "observed_fixture.h"

enum { THREAD = 1 };
#define MOP_CONFIG 0xFFB80000

static int set_up_timed(void **context)
{
    static const struct bh_tile tiles[] = {{X, Y}};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const struct bh_device_config config = {.on_diagnostic = on_diagnostic, .context = fixture, .mode = BH_MODE_TIMED};
    observer = (struct bh_observer){.kinds = BH_EVENT_ALL, .tiles = tiles, .tile_count = 1, .on_event = record};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK &&
                   bh_device_add_observer(fixture->device, &observer) == BH_OK
               ? 0
               : -1;
}

static uint32_t unrotated(const char *text)
{
    return (tt(text) >> 2) | (tt(text) << 30);
}

/* Goes on behind the next ISSUED event of this instruction. */
static const struct bh_event *issued(const char *text)
{
    const struct bh_event *event;
    do {
        event = next(BH_EVENT_ISSUED, BH_AGENT_THREAD, THREAD);
    } while (event->instruction != unrotated(text));
    return event;
}

/* The next event is this operand, of the same place as the event before. */
static const struct bh_operand *operand(enum bh_operand_file file, bool write, unsigned index, unsigned count)
{
    const struct bh_event *event = &told.event[told.seen], *before = event - 1;
    assert_true(told.seen < told.count);
    assert_int_equal(event->kind, BH_EVENT_OPERAND);
    assert_int_equal(event->operand.file, file);
    assert_int_equal(event->operand.write, write);
    assert_int_equal(event->operand.index, index);
    assert_int_equal(event->operand.count, count);
    assert_place(event, BH_AGENT_THREAD, THREAD, before->place.pc);
    assert_int_equal(event->instruction, before->instruction);
    told.seen++;
    return &event->operand;
}

static void then(enum bh_event_kind kind)
{
    assert_true(told.seen < told.count);
    assert_int_equal(told.event[told.seen++].kind, kind);
}

/* WRCFG.md: a GPR, the bank that StateID chooses, a word. */
static void operands_are_told_before_an_instruction_retires(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt_gpr(10, 7), tt("WRCFG GprAddress=5, wr128b=0, CfgReg=100"), SELF_JUMP);
    run(fixture, LIMIT);
    (void)first(BH_EVENT_ISSUED, BH_AGENT_THREAD, THREAD);
    assert_int_equal(operand(BH_OPERAND_GPR, true, 5, 1)->unit, BH_UNIT_SCALAR);
    (void)issued("WRCFG GprAddress=5, wr128b=0, CfgReg=100");
    const struct bh_operand *told_of = operand(BH_OPERAND_GPR, false, 5, 1);
    assert_int_equal(told_of->part, THREAD);
    assert_int_equal(told_of->unit, BH_UNIT_CONFIG);
    told_of = operand(BH_OPERAND_THREAD_CONFIG, false, 0, 1); /* CFG_STATE_ID_StateID */
    assert_int_equal(told_of->part, THREAD);
    assert_int_equal(told_of->mask, 1);
    told_of = operand(BH_OPERAND_CONFIG, true, 100, 1);
    assert_int_equal(told_of->part, 0);
    assert_int_equal(told_of->mask, UINT32_MAX);
    assert_int_equal(told_of->late, 0);
}

/* Bits of a byte; and a global word, which both banks have. */
static void configuration_is_told_bit_by_bit(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SETC16 setc16_reg=0, setc16_value=1"),
          tt("RMWCIB1 Mask=18, Data=255, CfgRegAddr=70"), tt("RMWCIB0 Mask=1, Data=255, CfgRegAddr=220"), SELF_JUMP);
    run(fixture, LIMIT);
    told.seen = 0;
    (void)issued("SETC16 setc16_reg=0, setc16_value=1");
    assert_int_equal(operand(BH_OPERAND_THREAD_CONFIG, true, 0, 1)->mask, 0xffff);
    (void)issued("RMWCIB1 Mask=18, Data=255, CfgRegAddr=70");
    (void)operand(BH_OPERAND_THREAD_CONFIG, false, 0, 1);
    const struct bh_operand *told_of = operand(BH_OPERAND_CONFIG, true, 70, 1);
    assert_int_equal(told_of->part, 1);
    assert_int_equal(told_of->mask, 18 << 8);
    (void)issued("RMWCIB0 Mask=1, Data=255, CfgRegAddr=220");
    (void)operand(BH_OPERAND_THREAD_CONFIG, false, 0, 1);
    assert_int_equal(operand(BH_OPERAND_CONFIG, true, 220, 1)->part, 0);
    assert_int_equal(operand(BH_OPERAND_CONFIG, true, 220, 1)->part, 1);
}

/* LOADIND.md: the GPRs that it loads are written after it has left, the one that it increments is not. */
static void what_is_loaded_is_told_as_late(void **context)
{
    static const char load[] = "LOADIND SizeSel=1, OffsetIndex=40, AutoIncSpec=2, DataRegIndex=18, AddrRegIndex=16";
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt_gpr(2 * 16, DATA / 16), tt_gpr(2 * 20, 0), tt(load), SELF_JUMP);
    run(fixture, LIMIT);
    told.seen = 0;
    (void)issued(load);
    then(BH_EVENT_ACCESS);
    (void)operand(BH_OPERAND_GPR, false, 16, 1);
    (void)operand(BH_OPERAND_GPR, false, 20, 1);
    assert_int_equal(operand(BH_OPERAND_GPR, true, 20, 1)->late, 0);
    assert_int_equal(operand(BH_OPERAND_GPR, true, 18, 1)->late, 1);
}

static unsigned operands_of(uint32_t instruction)
{
    unsigned count = 0;
    for (unsigned i = 0; i < told.count; i++) {
        count += told.event[i].kind == BH_EVENT_OPERAND && told.event[i].instruction == instruction;
    }
    return count;
}

/* MVMUL waits for both banks: nothing is read yet. */
static void who_waits_has_read_nothing(void **context)
{
    static const char multiply[] = "MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=0, dst=8";
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt(multiply), SELF_JUMP);
    run(fixture, 500);
    assert_int_equal(operands_of(unrotated(multiply)), 0);
    START(fixture, BH_CORE_T0, tt("SETDVALID setvalid=3"), SELF_JUMP);
    run(fixture, LIMIT);
    unsigned found = 0;
    for (unsigned i = 0; i < told.count; i++) {
        const struct bh_operand *of = &told.event[i].operand;
        if (told.event[i].kind == BH_EVENT_OPERAND && told.event[i].instruction == unrotated(multiply)) {
            assert_int_equal(of->unit, BH_UNIT_MATRIX);
            found += of->file == BH_OPERAND_SRCA && !of->write && of->part == 0 && of->index == 0 && of->count == 16;
            found += of->file == BH_OPERAND_SRCB && !of->write && of->part == 0 && of->index == 0 && of->count == 8;
            found += of->file == BH_OPERAND_DST && of->index == 8 && of->count == 8; /* read, and written */
        }
    }
    assert_int_equal(found, 4);
}

/* A MOP of two rounds: template 1, LoopOp in word 5. Its instructions have come out of it, and read the template. */
static void mops_are_read_by_what_comes_out_of_them(void **context)
{
    static const char count[] = "INCRWC rwc_cr=0, rwc_d=1, rwc_b=0, rwc_a=0";
    struct fixture *fixture = *context;
    const uint32_t nop = 0x02000000, word = unrotated(count);
    START(fixture, BH_CORE_T1, lui(T0, MOP_CONFIG), addi(T2, ZERO, 1), sw(T2, T0, 0), addi(T2, ZERO, 3), sw(T2, T0, 4),
          lui(T2, nop), sw(T2, T0, 8), sw(T2, T0, 12), sw(T2, T0, 16), sw(T2, T0, 24), lui(T2, word + 0x800),
          addi(T2, T2, word % 4096), sw(T2, T0, 20), sw(T2, T0, 28), sw(T2, T0, 32),
          tt("MOP mop_type=1, loop_count=0, zmask_lo16_or_loop_count=0"), tt(count), SELF_JUMP);
    run(fixture, LIMIT);
    assert_int_equal(fixture->diagnostics, 0);
    told.seen = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(issued(count)->issue.expanders, BH_EXPANDED_BY_MOP);
        const struct bh_operand *template = operand(BH_OPERAND_MOP, false, 0, 9);
        assert_int_equal(template->part, THREAD);
        assert_int_equal(template->unit, BH_UNIT_FRONTEND);
    }
    assert_int_equal(issued(count)->issue.expanders, 0);
    then(BH_EVENT_REGISTER);
}

/* A slot of the replay buffer is written when it is loaded, and read by the instruction that comes out of it. */
static void slots_of_the_replay_buffer_are_told(void **context)
{
    static const char some[] = "INCRWC rwc_cr=0, rwc_d=1, rwc_b=0, rwc_a=0",
                      *others = "INCRWC rwc_cr=0, rwc_d=2, rwc_b=0, rwc_a=0";
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("REPLAY start_idx=30, len=2, execute_while_loading=0, load_mode=1"), tt(some),
          tt(others), tt("REPLAY start_idx=30, len=2, execute_while_loading=0, load_mode=0"),
          tt("REPLAY start_idx=31, len=1, execute_while_loading=0, load_mode=0"), tt(others), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *event = first(BH_EVENT_OPERAND, BH_AGENT_THREAD, THREAD);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(event->operand.file, BH_OPERAND_REPLAY);
        assert_int_equal(event->operand.write, 1);
        assert_int_equal(event->operand.part, THREAD);
        assert_int_equal(event->operand.index, 30 + i);
        assert_place(event, BH_AGENT_THREAD, THREAD, place(BH_CORE_T1) + 4 * (i + 1));
        event = next(BH_EVENT_OPERAND, BH_AGENT_THREAD, THREAD);
    }
    told.seen = 0;
    static const uint8_t slots[] = {30, 31, 31};
    for (unsigned i = 0; i < 3; i++) {
        event = issued(i ? others : some);
        assert_int_equal(event->issue.expanders, BH_EXPANDED_BY_REPLAY);
        (void)operand(BH_OPERAND_REPLAY, false, slots[i], 1);
    }
    assert_int_equal(issued(others)->issue.expanders, 0);
}

/* SFPLOADMACRO.md: sequence 0 schedules an SFPSTORE for the next cycle, to the address of the load. */
static void scheduled_instructions_are_told_when_they_execute(void **context)
{
    static const char macro[] = "SFPLOADMACRO lreg_ind=1, instr_mod0=0, sfpu_addr_mode=0, dest_reg_addr=16";
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SFPLOADI lreg_ind=0, instr_mod0=8, imm16=768"),
          tt("SFPCONFIG imm16_math=0, config_dest=4, instr_mod1=0"), tt(macro), tt("SFPNOP"), tt("SFPNOP"), SELF_JUMP);
    run(fixture, LIMIT);
    assert_int_equal(fixture->diagnostics, 0);
    const struct bh_event *store = NULL;
    unsigned found = 0;
    for (unsigned i = 0; i < told.count; i++) {
        const struct bh_event *event = &told.event[i];
        if (event->kind == BH_EVENT_OPERAND && event->instruction >> 24 == 0x72) {
            store = event;
            assert_place(event, BH_AGENT_THREAD, THREAD, place(BH_CORE_T1) + 8);
            assert_int_equal(event->operand.unit, BH_UNIT_VECTOR);
            found += event->operand.file == BH_OPERAND_LREG && !event->operand.write && event->operand.index == 1;
            found += event->operand.file == BH_OPERAND_DST && event->operand.write && event->operand.index == 16 &&
                     event->operand.count == 4;
        }
    }
    assert_int_equal(found, 2);
    told.seen = 0;
    assert_true(issued(macro) < store);
}

/* What software issues in the cycle of a scheduled instruction is told as itself. */
static void instructions_beside_scheduled_ones_are_told_as_themselves(void **context)
{
    static const char beside[] = "SFPMOV lreg_c=3, lreg_dest=4, instr_mod1=0";
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SFPLOADI lreg_ind=0, instr_mod0=8, imm16=768"),
          tt("SFPCONFIG imm16_math=0, config_dest=4, instr_mod1=0"),
          tt("SFPLOADMACRO lreg_ind=1, instr_mod0=0, sfpu_addr_mode=0, dest_reg_addr=16"), tt(beside), SELF_JUMP);
    run(fixture, LIMIT);
    assert_int_equal(fixture->diagnostics, 0);
    const struct bh_event *event = issued(beside);
    while (event->kind != BH_EVENT_OPERAND || event->operand.file != BH_OPERAND_LREG || event->operand.write ||
           event->operand.index != 3) {
        event = next(BH_EVENT_OPERAND, BH_AGENT_THREAD, THREAD);
    }
    assert_place(event, BH_AGENT_THREAD, THREAD, place(BH_CORE_T1) + 12);
    assert_int_equal(event->instruction, unrotated(beside));
}

/* Both modes tell the same of one thread. */
static struct bh_operand functional[EVENTS];

static unsigned run_a_program(struct fixture *fixture, struct bh_operand *of)
{
    unsigned count = 0;
    START(fixture, BH_CORE_T1, tt("SETDVALID setvalid=3"),
          tt("ELWADD clear_dvalid=3, dest_accum_en=1, instr_mod19=0, addr_mode=0, dst=32"),
          tt("SFPLOAD lreg_ind=2, instr_mod0=0, sfpu_addr_mode=0, dest_reg_addr=32"),
          tt("SFPADDI imm16_math=16256, lreg_dest=2, instr_mod1=0"), tt("SFPNOP"),
          tt("SFPSTORE lreg_ind=2, instr_mod0=0, sfpu_addr_mode=0, dest_reg_addr=36"), tt_gpr(8, 5),
          tt("RDCFG GprAddress=6, CfgReg=80"),
          tt("ZEROACC clear_mode=1, use_32_bit_mode=0, clear_zero_flags=0, addr_mode=0, where=3"), SELF_JUMP);
    run(fixture, LIMIT);
    for (unsigned i = 0; i < told.count; i++) {
        if (told.event[i].kind == BH_EVENT_OPERAND) {
            of[count++] = told.event[i].operand;
        }
    }
    return count;
}

static void timed_mode_tells_the_same(void **context)
{
    struct fixture *fixture = *context, *timed;
    void *other;
    struct bh_operand operands[64];
    unsigned count = run_a_program(fixture, functional);
    assert_in_range(count, 20, 64);
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    assert_int_equal(set_up_timed(&other), 0);
    timed = other;
    assert_int_equal(run_a_program(timed, operands), count);
    assert_memory_equal(operands, functional, count * sizeof *operands);
    assert_int_equal(bh_device_remove_observer(timed->device, &observer), BH_OK);
    tear_down(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBSERVED_TEST(operands_are_told_before_an_instruction_retires),
        OBSERVED_TEST(configuration_is_told_bit_by_bit),
        OBSERVED_TEST(what_is_loaded_is_told_as_late),
        OBSERVED_TEST(who_waits_has_read_nothing),
        OBSERVED_TEST(mops_are_read_by_what_comes_out_of_them),
        OBSERVED_TEST(slots_of_the_replay_buffer_are_told),
        OBSERVED_TEST(scheduled_instructions_are_told_when_they_execute),
        OBSERVED_TEST(instructions_beside_scheduled_ones_are_told_as_themselves),
        OBSERVED_TEST(timed_mode_tells_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
