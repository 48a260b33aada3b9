/* How a core runs: budgets, x0, its memories, the bus and waiting, self-modifying code, jumps to itself and to
   addresses without code. tests/rv32_vectors_test.c tests the results of instructions, csr_test.c the CSRs. */
#include "rv32/fixture.h"

#include <string.h>

static void a_run_retires_exactly_its_budget(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(T0, T0, 1), word_j(0, -4));
    uint64_t total = 0;
    for (uint32_t budget = 1; budget < 50; budget++) {
        assert_int_equal(rv32_run(&fixture->rv32, budget), budget);
        total += budget;
        assert_int_equal(fixture->core.instret, total);
        assert_int_equal(fixture->core.x[T0], (total + 1) / 2);
        assert_int_equal(fixture->core.pc, total % 2 ? 0x104 : 0x100);
    }
    assert_int_equal(rv32_run(&fixture->rv32, 0), 0);
}

static void x0_stays_zero(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(ZERO, ZERO, 5), word_u(RV32_OP_LUI, ZERO, 0x12345000), word_j(ZERO, 4),
            word_i(RV32_OP_LW, ZERO, ZERO, 0x100), word_i(RV32_OP_CSRRS, ZERO, ZERO, 0x301),
            word_r(RV32_OP_AMOADD_W, ZERO, ZERO, ZERO), word_addi(T0, ZERO, 7), word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(fixture->core.x[0], 0);
    assert_int_equal(fixture->core.x[T0], 7);
}

static void jumps_link_and_go_where_they_say(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_u(RV32_OP_AUIPC, T0, 0x1000), word_j(RA, 8), word_addi(A0, A0, 1),
            word_i(RV32_OP_JALR, T1, T0, 0x101));                       /* to 0x1201 without its lowest bit */
    l1_store32(&fixture->l1, 0x1200, word_i(RV32_OP_JALR, T1, T1, -4)); /* the target is taken before the link */
    assert_int_equal(rv32_run(&fixture->rv32, 3), 3);
    assert_int_equal(fixture->core.x[T0], 0x1100);
    assert_int_equal(fixture->core.x[RA], 0x108);
    assert_int_equal(fixture->core.x[T1], 0x110);
    assert_int_equal(fixture->core.x[A0], 0);
    assert_int_equal(fixture->core.pc, 0x1200);
    assert_int_equal(rv32_run(&fixture->rv32, 1), 1);
    assert_int_equal(fixture->core.pc, 0x10c);
    assert_int_equal(fixture->core.x[T1], 0x1204);
}

static void long_jumps_and_branches_reach_both_ways(void **state)
{
    static const int32_t distances[] = {0xffffc, -0x100000, 0x800, -0x800, 0x7fc, 0x1000, -4, 4};
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        int32_t distance = distances[i];
        uint32_t from = distance > 0 ? 0x1000 : 0x140000;
        l1_store32(&fixture->l1, from, word_j(RA, distance));
        rv32_reset(&fixture->core, from);
        rv32_run(&fixture->rv32, 1);
        assert_int_equal(fixture->core.pc, from + (uint32_t)distance);
        if (distance < 0x1000 && distance >= -0x1000) {
            l1_store32(&fixture->l1, from, word_b(RV32_OP_BEQ, ZERO, ZERO, distance));
            rv32_reset(&fixture->core, from);
            rv32_run(&fixture->rv32, 1);
            assert_int_equal(fixture->core.pc, from + (uint32_t)distance);
        }
    }
}

static void local_ram_is_reached_without_the_bus(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_u(RV32_OP_LUI, SP, MEM_LOCAL_BASE + 0x2000), word_addi(T0, ZERO, -1),
            word_s(RV32_OP_SH, T0, -4, SP), word_i(RV32_OP_LW, T1, SP, -4), word_i(RV32_OP_LH, T2, SP, -4),
            word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->accesses, 0);
    assert_int_equal(fixture->core.x[T1], 0xffff);
    assert_int_equal(fixture->core.x[T2], 0xffffffff);
    assert_int_equal(fixture->local_ram[0x1ffd], 0xff);
    assert_int_equal(fixture->local_ram[0x1ffe], 0);
}

/* BabyRISCV/README.md, memory map: T cores have 4 KiB at MEM_LOCAL_BASE; accesses beyond go to the bus. */
static void beyond_local_ram_is_the_bus(void **state)
{
    struct fixture *fixture = *state;
    fixture->core.id = BH_CORE_T1;
    fixture->rv32.local_ram_size = LOCAL_RAM_SIZE_T;
    fixture->loaded = 0x80;
    PROGRAM(fixture, word_u(RV32_OP_LUI, SP, MEM_LOCAL_BASE + 0x1000), word_i(RV32_OP_LBU, T0, SP, -1),
            word_i(RV32_OP_LB, T1, SP, 1), word_s(RV32_OP_SB, SP, 3, SP), word_i(RV32_OP_LW, T2, SP, 0),
            word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->accesses, 3);
    assert_int_equal(fixture->access[0].kind, 'l');
    assert_int_equal(fixture->access[0].core, BH_CORE_T1);
    assert_int_equal(fixture->access[0].address, MEM_LOCAL_BASE + 0x1001);
    assert_int_equal(fixture->access[0].size, 1);
    assert_int_equal(fixture->access[0].pc, 0x108);
    assert_int_equal(fixture->access[0].now_pc, 0x108);
    assert_int_equal(fixture->access[0].now_instruction, word_i(RV32_OP_LB, T1, SP, 1));
    assert_int_equal(fixture->access[0].instret, 2);
    assert_int_equal(fixture->core.x[T1], 0xffffff80);
    assert_int_equal(fixture->access[1].kind, 's');
    assert_int_equal(fixture->access[1].address, MEM_LOCAL_BASE + 0x1003);
    assert_int_equal(fixture->access[1].size, 1);
    assert_int_equal(fixture->access[1].value, 0);
    assert_int_equal(fixture->core.x[T2], 0x80);
}

/* PushTensixInstruction.md: .ttinsn is the Tensix word rotated left by two bits. */
static void ttinsn_pushes_the_word_rotated_back(void **state)
{
    struct fixture *fixture = *state;
    uint32_t tensix = 0x91000002;
    PROGRAM(fixture, tensix << 2 | tensix >> 30, 0, word_self_jump());
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->accesses, 2);
    assert_int_equal(fixture->access[0].kind, 'p');
    assert_int_equal(fixture->access[0].value, tensix);
    assert_int_equal(fixture->access[1].value, 0);
    assert_int_equal(fixture->core.instret, 2);
}

static void what_must_wait_is_tried_again(void **state)
{
    struct fixture *fixture = *state;
    fixture->answer = STEP_WAIT;
    fixture->loaded = 99;
    PROGRAM(fixture, word_u(RV32_OP_LUI, T0, 0xffe80000), word_i(RV32_OP_LW, T1, T0, 8), word_s(RV32_OP_SW, T1, 4, T0),
            0, word_self_jump());
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(fixture->core.waiting);
        assert_int_equal(fixture->core.wait_address, 0xffe80008);
        assert_int_equal(fixture->core.pc, 0x104);
        assert_int_equal(fixture->core.x[T1], 0);
        assert_int_equal(fixture->core.instret, 1);
        assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    }
    fixture->answer = STEP_DONE;
    assert_int_equal(rv32_run(&fixture->rv32, 1), 1);
    assert_false(fixture->core.waiting);
    assert_int_equal(fixture->core.x[T1], 99);

    fixture->answer = STEP_WAIT;
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    assert_int_equal(fixture->core.wait_address, 0xffe80004);
    fixture->answer = STEP_DONE;
    assert_int_equal(rv32_run(&fixture->rv32, 1), 1);

    fixture->answer = STEP_WAIT;
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    assert_int_equal(fixture->core.wait_address, INSTRN_BUF_BASE);
    assert_int_equal(fixture->core.pc, 0x10c);
    fixture->answer = STEP_DONE;
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
}

static void the_bus_can_end_a_run(void **state)
{
    struct fixture *fixture = *state;
    fixture->yields = true;
    PROGRAM(fixture, 0, 0, word_u(RV32_OP_LUI, T0, 0xffe80000), word_i(RV32_OP_LW, T1, T0, 0), word_self_jump());
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    assert_int_equal(fixture->core.pc, 0x104);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 2);
    assert_int_equal(fixture->core.pc, 0x110);
    assert_int_equal(fixture->core.halt, RV32_RUNNING);
    assert_int_equal(fixture->core.instret, 4);
}

static void a_core_that_resets_itself_keeps_the_reset_pc(void **state)
{
    struct fixture *fixture = *state;
    fixture->resets = true;
    PROGRAM(fixture, word_u(RV32_OP_LUI, T0, 0xffb12000), word_s(RV32_OP_SW, T0, 0x1b0, T0), word_addi(A0, A0, 1));
    assert_int_equal(rv32_run(&fixture->rv32, 100), 2);
    assert_int_equal(fixture->core.pc, 0x800);
    assert_int_equal(fixture->core.halt, RV32_IN_RESET);
    assert_int_equal(fixture->core.instret, 2);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
}

static void self_modified_code_is_seen_at_once(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_i(RV32_OP_LW, T0, ZERO, 0x200), word_j(RA, 12), word_s(RV32_OP_SW, T0, 0x10c, ZERO),
            word_addi(ZERO, ZERO, 0), word_addi(A0, A0, 1), word_b(RV32_OP_BEQ, A1, ZERO, 8), word_self_jump(),
            word_addi(A1, ZERO, 1), word_j(ZERO, -24));
    l1_store32(&fixture->l1, 0x200, word_addi(A0, A0, 100));
    rv32_run(&fixture->rv32, 1000);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(fixture->core.x[A0], 1 + 100 + 1);
}

static void a_store_to_the_next_instruction_is_executed(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned size = 0; size < 3; size++) {
        uint32_t old = word_addi(A0, A0, 0x055), new = word_addi(A0, A0, size == 0 ? 0x0a5 : 0x3a5);
        unsigned shift = size == 2 ? 0 : size == 1 ? 16 : 20 / 8 * 8;
        PROGRAM(fixture, word_j(ZERO, 8), word_self_jump(), old, word_j(ZERO, 4),
                word_s(size == 0   ? RV32_OP_SB
                       : size == 1 ? RV32_OP_SH
                                   : RV32_OP_SW,
                       T0, 0x108 + (int)shift / 8, ZERO),
                word_j(ZERO, -12));
        rv32_reset(&fixture->core, 0x100);
        fixture->core.x[T0] = new >> shift;
        rv32_run(&fixture->rv32, 5);
        rv32_run(&fixture->rv32, 1);
        uint32_t mixed = size == 2   ? new
                         : size == 1 ? (old & 0xffff) | (new & 0xffff0000)
                                     : (old & 0xff00ffff) | (new & 0xff0000);
        assert_int_equal(l1_load32(&fixture->l1, 0x108), mixed);
        assert_int_equal(fixture->core.x[A0], 0x55 + ((int32_t)mixed >> 20));
    }
}

static void an_atomic_that_rewrites_code_is_seen(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_j(ZERO, 4), word_addi(A0, A0, 1), word_r(RV32_OP_AMOSWAP_W, T1, T0, A1), word_j(ZERO, -8));
    fixture->core.x[T0] = 0x104;
    fixture->core.x[A1] = word_self_jump();
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(fixture->core.pc, 0x104);
    assert_int_equal(fixture->core.x[A0], 1);
    assert_int_equal(fixture->core.x[T1], word_addi(A0, A0, 1));
}

static void an_atomic_can_rewrite_itself(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_r(RV32_OP_AMOSWAP_W, A0, T0, A1), word_j(ZERO, -4));
    fixture->core.x[T0] = 0x100;
    fixture->core.x[A1] = word_self_jump();
    rv32_run(&fixture->rv32, 100);
    assert_int_equal(fixture->core.pc, 0x100);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(fixture->core.x[A0], word_r(RV32_OP_AMOSWAP_W, A0, T0, A1));
    assert_int_equal(fixture->core.x[0], 0);
}

static void a_reloaded_program_replaces_the_old_one(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(A0, ZERO, 1), word_self_jump());
    rv32_run(&fixture->rv32, 10);
    PROGRAM(fixture, word_addi(A0, ZERO, 2), word_self_jump());
    rv32_reset(&fixture->core, 0x100);
    rv32_run(&fixture->rv32, 10);
    assert_int_equal(fixture->core.x[A0], 2);
}

static void a_jump_to_itself_halts_without_retiring(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(A0, A0, 1), word_self_jump());
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(fixture->core.pc, 0x104);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
}

static void a_branch_to_itself_halts_once_taken(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_b(RV32_OP_BNE, A0, ZERO, 0), word_addi(A0, ZERO, 1), word_b(RV32_OP_BNE, A0, ZERO, 0));
    assert_int_equal(rv32_run(&fixture->rv32, 100), 2);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(fixture->core.pc, 0x108);
}

static void a_jump_outside_l1_is_a_jump_into_nothing(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_addi(A0, ZERO, 1), word_i(RV32_OP_JALR, RA, ZERO, -8));
    const struct bh_diagnostic *entry = stopped_by(fixture, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(entry->pc, 0x104);
    assert_non_null(strstr(entry->text, "jump into nothing: 0xfffffff8"));
    assert_int_equal(fixture->core.x[RA], 0);
    assert_int_equal(fixture->core.instret, 1);
}

static void direct_jumps_outside_l1_are_jumps_into_nothing(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_b(RV32_OP_BNE, ZERO, ZERO, -0x200), word_b(RV32_OP_BEQ, ZERO, ZERO, -0x200));
    const struct bh_diagnostic *entry = stopped_by(fixture, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(entry->pc, 0x104);
    assert_non_null(strstr(entry->text, "jump into nothing: 0xffffff04"));
}

static void a_call_outside_l1_is_a_jump_into_nothing(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_j(RA, -0x104));
    assert_non_null(strstr(stopped_by(fixture, BH_UNDEFINED_BEHAVIOR)->text, "jump into nothing: 0xfffffffc"));
    assert_int_equal(fixture->core.x[RA], 0);
}

static void a_misaligned_jump_is_told(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, word_i(RV32_OP_JALR, RA, ZERO, 0x202));
    assert_non_null(strstr(stopped_by(fixture, BH_UNDEFINED_BEHAVIOR)->text, "jump to 0x00000202"));
}

static void a_reset_pc_outside_l1_is_told(void **state)
{
    struct fixture *fixture = *state;
    rv32_reset(&fixture->core, 0xffb00000);
    assert_non_null(strstr(stopped_by(fixture, BH_UNDEFINED_BEHAVIOR)->text, "jump into nothing"));
}

static void running_off_the_end_of_l1_is_told(void **state)
{
    struct fixture *fixture = *state;
    l1_store32(&fixture->l1, L1_SIZE - 4, word_addi(A0, ZERO, 1));
    rv32_reset(&fixture->core, L1_SIZE - 4);
    assert_non_null(strstr(stopped_by(fixture, BH_UNDEFINED_BEHAVIOR)->text, "ran into nothing"));
    assert_int_equal(fixture->core.x[A0], 1);
    assert_int_equal(fixture->core.pc, L1_SIZE);
}

static void a_core_that_is_lost_stays_so_until_reset(void **state)
{
    struct fixture *fixture = *state;
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_SILICON);
    PROGRAM(fixture, word_i(RV32_OP_JALR, RA, ZERO, -8));
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    assert_int_equal(fixture->core.halt, RV32_LOST);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    PROGRAM(fixture, word_self_jump());
    rv32_reset(&fixture->core, 0x100);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 0);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
}

static void what_is_not_emulated_is_named(void **state)
{
    static const struct {
        uint32_t word;
        enum bh_core core;
        enum bh_category category;
        const char *text;
    } cases[] = {
        {0x58b57553, BH_CORE_B, BH_UNDEFINED_BEHAVIOR, "no instruction"}, /* fsqrt.s */
        {0x18b57553, BH_CORE_B, BH_UNDEFINED_BEHAVIOR, "no instruction"}, /* fdiv.s */
        {0x02b50553, BH_CORE_B, BH_UNDEFINED_BEHAVIOR, "no instruction"}, /* fadd.d */
        {0x0d007057, BH_CORE_T1, BH_UNDEFINED_BEHAVIOR, "only T2"},
        {0x30200073, BH_CORE_NC, BH_UNDEFINED_BEHAVIOR, "mret: core NC is not in an interrupt handler"},
        {0x30200073, BH_CORE_T0, BH_UNDEFINED_BEHAVIOR, "mret"},
        {0x10500073, BH_CORE_B, BH_UNDEFINED_BEHAVIOR, "0x10500073 is no instruction"}, /* wfi */
        {0xffffffff, BH_CORE_B, BH_UNDEFINED_BEHAVIOR, "0xffffffff is no instruction"},
        {0x1005a52f, BH_CORE_B, BH_UNDEFINED_BEHAVIOR, "no instruction"}, /* lr.w */
        {0x48b51533, BH_CORE_B, BH_UNDEFINED_BEHAVIOR, "no instruction"}, /* bclr, Zbs */
    };
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PROGRAM(fixture, word_addi(A0, ZERO, 1), cases[i].word);
        fixture->core.id = (uint8_t)cases[i].core;
        fixture->diagnostics.stopped = false;
        fixture->diagnostics.count = 0;
        rv32_reset(&fixture->core, 0x100);
        uint64_t instret = fixture->core.instret;
        const struct bh_diagnostic *entry = stopped_by(fixture, cases[i].category);
        assert_int_equal(entry->pc, 0x104);
        assert_int_equal(entry->instruction, cases[i].word);
        if (!strstr(entry->text, cases[i].text)) {
            fail_msg("'%s' should say '%s'", entry->text, cases[i].text);
        }
        assert_int_equal(fixture->core.instret, instret + 1);
    }
}

static void unknown_instructions_are_no_operations_where_the_policy_goes_on(void **state)
{
    struct fixture *fixture = *state;
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_SILICON);
    PROGRAM(fixture, 0xffffffff, word_addi(A0, ZERO, 1), word_self_jump());
    assert_int_equal(rv32_run(&fixture->rv32, 100), 2);
    assert_int_equal(fixture->core.x[A0], 1);
    assert_int_equal(fixture->diagnostics.count, 1);
}

/* MemoryOrdering.md, "Fences": the bits of the instruction are ignored. BabyRISCV has no Zifencei. */
static void every_fence_is_accepted(void **state)
{
    struct fixture *fixture = *state;
    PROGRAM(fixture, 0x0ff0000f, 0x0330000f, 0x8330000f, 0x0100000f, 0xfff0000f, word_self_jump());
    assert_int_equal(rv32_run(&fixture->rv32, 100), 5);
    assert_int_equal(fixture->diagnostics.count, 0);
    PROGRAM(fixture, 0x0000100f, word_self_jump());
    rv32_reset(&fixture->core, 0x100);
    assert_int_equal(rv32_run(&fixture->rv32, 100), 1);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* Records of the hooks' calls. */
struct told {
    unsigned instructions, accesses, effects;
    uint32_t last_pc, last_address;
    enum rv32_effect last_effect;
};

static void told_instruction(void *context, uint32_t pc, uint32_t word)
{
    struct told *told = context;
    told->instructions++;
    told->last_pc = pc;
}

static void told_access(void *context, bool store, uint32_t address, unsigned size, uint32_t value)
{
    struct told *told = context;
    told->accesses++;
}

static void told_effect(void *context, enum rv32_effect effect, uint32_t address)
{
    struct told *told = context;
    told->effects++;
    told->last_effect = effect;
    told->last_address = address;
}

static void hooks_tell_effects(void **state)
{
    struct fixture *fixture = *state;
    struct told told = {0};
    const struct rv32_hooks hooks = {
        .context = &told, .instruction = told_instruction, .access = told_access, .effect = told_effect};
    PROGRAM(fixture, word_u(RV32_OP_LUI, T0, 0xffe80000), word_i(RV32_OP_LW, T1, ZERO, 0x300),
            word_s(RV32_OP_SW, ZERO, 0x300, ZERO), /* the word that is there already */
            word_s(RV32_OP_SB, T0, 0x301, ZERO),   /* zero too */
            word_s(RV32_OP_SW, T0, 0x300, ZERO), word_i(RV32_OP_LW, T1, T0, 4), word_s(RV32_OP_SW, T1, 8, T0), 0x40,
            word_i(RV32_OP_CSRRS, T2, ZERO, 0xb00), word_self_jump());
    assert_int_equal(rv32_run_hooked(&fixture->rv32, 4, &hooks), 4);
    assert_int_equal(told.effects, 0);
    assert_int_equal(told.accesses, 3);
    static const struct {
        enum rv32_effect effect;
        uint32_t address;
    } expected[] = {
        {RV32_EFFECT_MEMORY, 0x300},         {RV32_EFFECT_BUS_LOAD, 0xffe80004}, {RV32_EFFECT_BUS_STORE, 0xffe80008},
        {RV32_EFFECT_PUSH, INSTRN_BUF_BASE}, {RV32_EFFECT_CSR, 0xb00},
    };
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(rv32_run_hooked(&fixture->rv32, 1, &hooks), 1);
        assert_int_equal(told.effects, i + 1);
        assert_int_equal(told.last_effect, expected[i].effect);
        assert_int_equal(told.last_address, expected[i].address);
        assert_int_equal(told.last_pc, 0x110 + 4 * i);
    }
    assert_int_equal(rv32_run_hooked(&fixture->rv32, 1, &hooks), 0);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    assert_int_equal(told.instructions, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_retires_exactly_its_budget),
        TEST(x0_stays_zero),
        TEST(jumps_link_and_go_where_they_say),
        TEST(long_jumps_and_branches_reach_both_ways),
        TEST(local_ram_is_reached_without_the_bus),
        TEST(beyond_local_ram_is_the_bus),
        TEST(ttinsn_pushes_the_word_rotated_back),
        TEST(what_must_wait_is_tried_again),
        TEST(the_bus_can_end_a_run),
        TEST(a_core_that_resets_itself_keeps_the_reset_pc),
        TEST(self_modified_code_is_seen_at_once),
        TEST(a_store_to_the_next_instruction_is_executed),
        TEST(an_atomic_that_rewrites_code_is_seen),
        TEST(an_atomic_can_rewrite_itself),
        TEST(a_reloaded_program_replaces_the_old_one),
        TEST(a_jump_to_itself_halts_without_retiring),
        TEST(a_branch_to_itself_halts_once_taken),
        TEST(a_jump_outside_l1_is_a_jump_into_nothing),
        TEST(direct_jumps_outside_l1_are_jumps_into_nothing),
        TEST(a_call_outside_l1_is_a_jump_into_nothing),
        TEST(a_misaligned_jump_is_told),
        TEST(a_reset_pc_outside_l1_is_told),
        TEST(running_off_the_end_of_l1_is_told),
        TEST(a_core_that_is_lost_stays_so_until_reset),
        TEST(what_is_not_emulated_is_named),
        TEST(unknown_instructions_are_no_operations_where_the_policy_goes_on),
        TEST(every_fence_is_accepted),
        TEST(hooks_tell_effects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
