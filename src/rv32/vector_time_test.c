/* The cycles of T2's vector instructions. Source: ISA documentation BabyRISCV/README.md: EX1 to EX3; inputs from the
   register file only; an entry of the retire queue for each vector register that is written. */
#include "rv32/fixture.h"
#include "rv32/timed.h"
#include "rv32/vector_time.h"

enum { UNMASKED = 1 << 25, MOST = 16 };
enum { IVV = 0, MVV = 2, IVX = 4 };

static uint32_t arithmetic(unsigned funct6, unsigned kind, unsigned vd, unsigned vs2, unsigned source)
{
    return funct6 << 26 | UNMASKED | vs2 << 20 | source << 15 | kind << 12 | vd << 7 | 0x57;
}

#define VADD(vd, vs2, vs1) arithmetic(0x00, IVV, vd, vs2, vs1)
#define VADD_X(vd, vs2, rs1) arithmetic(0x00, IVX, vd, vs2, rs1)
#define VLE8(vd, rs1) (UNMASKED | (rs1) << 15 | (vd) << 7 | 0x07)
#define VSE8(vd, rs1) (UNMASKED | (rs1) << 15 | (vd) << 7 | 0x27)

/* The cycle in which the core is behind these words, which begin at 0. */
static uint64_t end_of(struct fixture *fixture, const uint32_t *words, unsigned count, uint32_t a0)
{
    struct rv32_timing timing = {0};
    uint32_t program[MOST];
    for (unsigned i = 0; i < count; i++) {
        program[i] = words[i];
    }
    program[count] = word_self_jump();
    fixture->rv32.timing = &timing;
    fixture->rv32.flushable = true;
    fixture->clock = (struct clock){.timed = true};
    rv32_reset(&fixture->core, 0x100);
    fixture->core.id = BH_CORE_T2;
    fixture->core.csr[RV32_CSR_cfg0] |= RV32_CFG0_DIS_LOW_CASH;
    fixture->core.x[A0] = a0;
    l1_write(&fixture->l1, 0x100, program, (count + 1) * 4);
    struct rv32_turn turn = {.until = 1 << 20, .end = 1 << 20};
    rv32_run_timed(&fixture->rv32, &turn);
    assert_int_equal(fixture->core.halt, RV32_SELF_JUMP);
    return clock_of(&fixture->clock, fixture->core.id);
}

#define CYCLES(fixture, a0, ...)                                                                                       \
    (end_of(fixture, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4, a0) -               \
     end_of(fixture, NULL, 0, a0))

static void instructions_that_need_nothing_of_each_other_take_a_cycle(void **state)
{
    assert_int_equal(CYCLES(*state, 0, VADD(1, 2, 3), VADD(4, 5, 6), VADD(7, 8, 9), VADD(10, 11, 12)), 4);
}

/* EX1, EX2, EX3 and the retire queue. */
static void results_are_there_when_they_have_retired(void **state)
{
    assert_int_equal(CYCLES(*state, 0, VADD(1, 2, 3), VADD(4, 1, 6)), 4 + 1);
    assert_int_equal(CYCLES(*state, 0, VADD(1, 2, 3), VADD(4, 5, 6), VADD(7, 1, 1)), 4 + 1);
}

/* A load from L1 takes 8 cycles, and one more until it has retired. */
static void scalars_come_from_the_register_file(void **state)
{
    uint32_t load = word_i(RV32_OP_LW, T0, A0, 0);
    assert_int_equal(CYCLES(*state, 0x4000, load, word_addi(6, T0, 1)), 8 + 1);
    assert_int_equal(CYCLES(*state, 0x4000, load, VADD_X(1, 2, T0)), 9 + 1);
    assert_int_equal(CYCLES(*state, 0x4000, load, VADD_X(1, 2, 7)), 2);
}

static void loads_take_as_long_as_their_memory(void **state)
{
    assert_int_equal(CYCLES(*state, 0x4000, VLE8(1, A0), VADD(2, 1, 1)), 9 + 1);
    assert_int_equal(CYCLES(*state, 0xffb00040, VLE8(1, A0), VADD(2, 1, 1)), 3 + 1);
    assert_int_equal(CYCLES(*state, 0x4000, VLE8(1, A0), VADD(2, 3, 4)), 2);
}

/* As csrrw: nothing enters EX1 before it has retired. */
static void vsetvli_synchronizes(void **state)
{
    uint32_t vsetivli = 0xc0000000u | 16 << 15 | 7 << 12 | 0x57;
    assert_int_equal(CYCLES(*state, 0, vsetivli, VADD(1, 2, 3)), CYCLES(*state, 0, vsetivli) + 1);
    assert_int_equal(CYCLES(*state, 0, vsetivli), CYCLES(*state, 0, word_i(RV32_OP_CSRRS, T0, ZERO, 0x7c0)));
}

static struct rv32_vector_uses uses_of(struct fixture *fixture, uint32_t vtype, uint32_t word)
{
    fixture->core.csr[RV32_CSR_vtype] = vtype;
    return rv32_vector_uses(&fixture->core, word);
}

static void groups_are_as_long_as_vtype_says(void **state)
{
    enum { E8M4 = 2, E16M2 = 8 | 1, VWADD = 0x31, VNSRL = 0x2c, VMACC = 0x2d, VMSEQ = 0x18 };
    struct rv32_vector_uses uses = uses_of(*state, E8M4, VADD(8, 4, 0));
    assert_int_equal(uses.writes, 0xf00);
    assert_int_equal(uses.reads, 0x0ff);
    assert_int_equal(rv32_vector_entries(&uses), 4);
    uses = uses_of(*state, E16M2, arithmetic(VWADD, MVV, 8, 4, 2));
    assert_int_equal(uses.writes, 0xf00);
    assert_int_equal(uses.reads, 0x03c);
    uses = uses_of(*state, E16M2, arithmetic(VNSRL, IVV, 8, 4, 2));
    assert_int_equal(uses.writes, 0x300);
    assert_int_equal(uses.reads, 0x0fc);
    uses = uses_of(*state, E16M2, arithmetic(VMACC, MVV, 8, 4, 2));
    assert_int_equal(uses.reads, 0x33c);
    uses = uses_of(*state, E16M2, arithmetic(VMSEQ, IVV, 8, 4, 2) & ~UNMASKED);
    assert_int_equal(uses.writes, 0x100);
    assert_int_equal(uses.reads, 0x13d);
    uses = uses_of(*state, E16M2, VLE8(8, A0));
    assert_int_equal(uses.writes, 0x100);
    assert_int_equal(uses.scalar[0], A0);
    uses = uses_of(*state, E8M4, VSE8(8, A0));
    assert_int_equal(uses.reads, 0xf00);
    assert_int_equal(uses.writes, 0);
    assert_int_equal(uses.requests, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(instructions_that_need_nothing_of_each_other_take_a_cycle),
        TEST(results_are_there_when_they_have_retired),
        TEST(scalars_come_from_the_register_file),
        TEST(loads_take_as_long_as_their_memory),
        TEST(vsetvli_synchronizes),
        TEST(groups_are_as_long_as_vtype_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
