/* The documented times of RISC-V instructions, by programs of a few of them. */
#include "rv32/timed_fixture.h"

static uint64_t cycles_until_end(struct fixture *fixture, const struct sequence *sequence, uint32_t a0)
{
    struct rv32_timing timing;
    prepare(fixture, &timing);
    struct sequence whole = *sequence;
    whole.words[whole.count++] = word_self_jump();
    l1_write(&fixture->l1, 0x100, whole.words, whole.count * 4);
    fixture->core.x[A0] = a0;
    fixture->core.x[A1] = a0;
    fixture->core.x[A2] = a0 + 64;
    return run(fixture);
}

/* How many cycles after the first instruction of the sequence has entered EX1 the one behind the sequence does. */
static uint64_t cycles_from(struct fixture *fixture, const struct sequence *sequence, uint32_t a0)
{
    const struct sequence nothing = {.count = 0};
    return cycles_until_end(fixture, sequence, a0) - cycles_until_end(fixture, &nothing, a0);
}

#define CYCLES_FROM(fixture, a0, ...)                                                                                  \
    cycles_from(fixture,                                                                                               \
                &(const struct sequence){{__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)},   \
                a0)

/* An instruction of which the end of the sequence needs the result: it enters EX1 once T0 is there. */
#define NEEDS_T0 word_addi(T1, T0, 0)

static uint32_t load(unsigned rd, unsigned base, int32_t offset)
{
    return word_i(RV32_OP_LW, rd, base, offset);
}

static uint32_t store(unsigned base, int32_t offset)
{
    return word_s(RV32_OP_SW, S1, offset, base);
}

static void integer_instructions_take_a_cycle_each(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(CYCLES_FROM(fixture, 0, word_addi(T0, T0, 1)), 1);
    assert_int_equal(CYCLES_FROM(fixture, 0, word_addi(T0, T0, 1), word_addi(T0, T0, 1), NEEDS_T0), 3);
    assert_int_equal(CYCLES_FROM(fixture, 0, word_r(RV32_OP_SH1ADD, T0, A0, A1), NEEDS_T0), 2);
}

static void products_and_floats_have_a_latency_of_two(void **state)
{
    struct fixture *fixture = *state;
    uint32_t multiply = word_r(RV32_OP_MUL, T0, A0, A1), other = word_addi(T2, ZERO, 1);
    assert_int_equal(CYCLES_FROM(fixture, 7, multiply, NEEDS_T0), 3);
    assert_int_equal(CYCLES_FROM(fixture, 7, multiply, other, NEEDS_T0), 3);
    assert_int_equal(CYCLES_FROM(fixture, 7, multiply, other), 2);
    assert_int_equal(CYCLES_FROM(fixture, 7, word_r(RV32_OP_MULHU, T0, A0, A1), NEEDS_T0), 3);
    uint32_t sum = word_r(RV32_OP_FADD_S, 1, 2, 3), uses = word_r(RV32_OP_FADD_S, 4, 1, 1);
    assert_int_equal(CYCLES_FROM(fixture, 0, sum, uses), 3);
    assert_int_equal(CYCLES_FROM(fixture, 0, sum, word_r(RV32_OP_FADD_S, 4, 2, 2)), 2);
}

static void divisions_stay_in_ex1(void **state)
{
    struct fixture *fixture = *state;
    uint32_t other = word_addi(T2, ZERO, 1);
    assert_int_equal(CYCLES_FROM(fixture, 7, word_r(RV32_OP_DIVU, T0, A0, ZERO), other), 3);
    assert_int_equal(rv32_division_cycles(RV32_OP_DIVU, 100, 0), 2);
    assert_int_equal(rv32_division_cycles(RV32_OP_REM, 100, 1), 2);
    assert_int_equal(rv32_division_cycles(RV32_OP_DIV, 1u << 31, UINT32_MAX), 2);
    assert_int_equal(rv32_division_cycles(RV32_OP_DIVU, 5, 3), 6);
    assert_int_equal(rv32_division_cycles(RV32_OP_DIVU, 0, 3), 6);
    assert_int_equal(rv32_division_cycles(RV32_OP_DIVU, UINT32_MAX, 3), 33);
    assert_int_equal(rv32_division_cycles(RV32_OP_DIV, (uint32_t)-5, 3), 6);
    assert_int_equal(CYCLES_FROM(fixture, 7, word_r(RV32_OP_DIVU, T0, A0, A2), other), 7);
}

/* T2 counts rounds of a jump to the next instruction and a branch back. */
static uint64_t cycles_of_rounds(struct fixture *fixture, int32_t rounds, uint32_t jump)
{
    return CYCLES_FROM(fixture, 0, word_addi(T2, ZERO, rounds), jump, word_addi(T2, T2, -1),
                       word_b(RV32_OP_BNE, T2, ZERO, -8));
}

static void mispredicted_jumps_leave_a_bubble_of_four_cycles(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(CYCLES_FROM(fixture, 0, word_j(ZERO, 4)), 1 + 4);
    assert_int_equal(CYCLES_FROM(fixture, 0, word_b(RV32_OP_BNE, A0, A0, 4)), 1);
    uint32_t nothing = word_addi(ZERO, ZERO, 0);
    assert_int_equal(cycles_of_rounds(fixture, 3, nothing) - cycles_of_rounds(fixture, 2, nothing), 3);
    assert_int_equal(cycles_of_rounds(fixture, 3, word_j(ZERO, 4)) - cycles_of_rounds(fixture, 2, word_j(ZERO, 4)), 3);
    assert_int_equal(cycles_of_rounds(fixture, 2, word_j(ZERO, 4)) - cycles_of_rounds(fixture, 2, nothing), 4);
}

/* CSRs.md: cfg0.DisBp disables the branch predictor, so that no jump goes where it was foreseen to go. */
static void each_jump_leaves_a_bubble_without_the_branch_predictor(void **state)
{
    enum { CSRRSI_CFG0_DIS_BP = 0x7c016073 };
    struct fixture *fixture = *state;
    uint64_t cycles[3];
    for (unsigned rounds = 2; rounds < 5; rounds++) {
        cycles[rounds - 2] = CYCLES_FROM(fixture, 0, CSRRSI_CFG0_DIS_BP, word_addi(T2, ZERO, (int32_t)rounds),
                                         word_addi(T2, T2, -1), word_b(RV32_OP_BNE, T2, ZERO, -4));
    }
    assert_int_equal(cycles[1] - cycles[0], 2 + 4);
    assert_int_equal(cycles[2] - cycles[1], 2 + 4);
}

static void loads_take_as_long_as_their_region(void **state)
{
    static const struct {
        uint32_t address;
        unsigned latency;
    } regions[] = {
        {0xffb00040, 2},                                   /* own local data RAM */
        {0xffec0000, 3}, {0xffe80000, 3}, {0xffe80020, 3}, /* mailbox, PCBuf, semaphore */
        {0xffe00000, 4}, {0xffef0000, 4}, {0xffb11000, 4}, /* GPR, configuration, TDMA-RISC */
        {0xffb121f0, 7}, {0xffb13000, 7}, {0xffb20000, 7}, /* wall clock, PIC, NoC 0 */
        {0xffb30000, 7}, {0xffb40000, 7},                  /* NoC 1, overlay */
        {0xffb14000, 8}, {0xffb1c000, 8}, {0x4000, 8},     /* slow path to local data RAMs, L1 */
    };
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < sizeof regions / sizeof *regions; i++) {
        assert_int_equal(CYCLES_FROM(fixture, regions[i].address, load(T0, A0, 0), NEEDS_T0), regions[i].latency + 1);
        assert_int_equal(CYCLES_FROM(fixture, regions[i].address, load(T0, A0, 0), word_addi(T2, ZERO, 1)), 2);
    }
}

static void atomics_take_twelve_cycles(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(CYCLES_FROM(fixture, 0x4000, word_r(RV32_OP_AMOADD_W, T0, A0, S1), NEEDS_T0), 13);
}

/* Cycles that `count` more loads or stores take, once there are many. */
static uint64_t steady(struct fixture *fixture, uint32_t a0, unsigned count, uint32_t (*access)(unsigned i))
{
    struct sequence few = {.count = 0}, more = {.count = 0};
    for (unsigned i = 0; i < 40; i++) {
        if (i < 40 - count) {
            add(&few, access(i));
        }
        add(&more, access(i));
    }
    return cycles_from(fixture, &more, a0) - cycles_from(fixture, &few, a0);
}

static uint32_t store_to_other_line(unsigned i)
{
    return store(A0, (int32_t)(16 * (i % 2)));
}

static uint32_t store_to_next_word(unsigned i)
{
    return store(A0, (int32_t)(4 * i));
}

static uint32_t load_of_next_word(unsigned i)
{
    return load(16 + i % 16, A0, (int32_t)(4 * i));
}

static void stores_to_l1_leave_every_five_cycles(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(steady(fixture, 0x4000, 8, store_to_other_line), 8 * 5);
    assert_int_equal(steady(fixture, 0x4000, 8, store_to_next_word), 8);
    assert_int_equal(steady(fixture, 0xffb00040, 8, store_to_other_line), 8);
    assert_int_equal(steady(fixture, 0xffe00000, 8, store_to_other_line), 8);
}

static void stores_join_only_if_that_is_not_disabled_nor_too_far(void **state)
{
    struct fixture *fixture = *state;
    uint32_t there = store(A0, 0), far = store(A0, 8);
    const uint32_t words[] = {there, far, there, far, there, far, there, far};
    struct sequence sequence = {.count = 0};
    for (unsigned i = 0; i < 8; i++) {
        add(&sequence, words[i]);
    }
    uint64_t eight = cycles_from(fixture, &sequence, 0x4000);
    add(&sequence, there);
    assert_int_equal(cycles_from(fixture, &sequence, 0x4000) - eight, 5);
}

static void four_stores_wait_in_the_queue(void **state)
{
    struct fixture *fixture = *state;
    struct sequence sequence = {.count = 0};
    uint64_t before = 0;
    unsigned free = 0;
    for (unsigned i = 0; i < 8; i++) {
        add(&sequence, store_to_other_line(i));
        uint64_t cycles = cycles_from(fixture, &sequence, 0x4000);
        free += cycles - before == 1;
        before = cycles;
    }
    assert_int_equal(free, 5); /* the first one leaves when the second comes: four more have room behind it */
}

static void the_retire_queue_holds_eight_instructions(void **state)
{
    struct fixture *fixture = *state;
    struct sequence sequence = {.count = 0};
    add(&sequence, load(T0, A0, 0));
    for (unsigned i = 0; i < 7; i++) {
        add(&sequence, word_addi(16 + i, ZERO, 1));
    }
    assert_int_equal(cycles_from(fixture, &sequence, 0x4000), 8);
    add(&sequence, word_addi(24, ZERO, 1));
    assert_int_equal(cycles_from(fixture, &sequence, 0x4000), 10); /* the load has retired after nine */
}

/* Behind a load, whose result keeps them from the register file: blackhole-py's empty interval of three cycles. */
static void what_is_written_twice_is_passed_on_only_to_the_next(void **state)
{
    struct fixture *fixture = *state;
    uint32_t first = word_addi(T1, ZERO, 1), again = word_addi(T1, T1, 1), other = word_addi(24, ZERO, 1);
    uint32_t uses = word_addi(T2, T1, 0), uses_both = word_r(RV32_OP_ADD, T2, T1, T0);
    assert_int_equal(CYCLES_FROM(fixture, 0x4000, load(T0, A0, 0), first, again, uses), 4);
    assert_int_equal(CYCLES_FROM(fixture, 0x4000, load(T0, A0, 0), first, other, uses), 4);
    assert_int_equal(CYCLES_FROM(fixture, 0x4000, load(T0, A0, 0), first, again, other, uses), 11);
    assert_int_equal(CYCLES_FROM(fixture, 0x4000, load(T0, A0, 0), first, again, uses_both), 11);
}

static void four_loads_of_l1_come_every_seven_cycles(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(steady(fixture, 0x4000, 8, load_of_next_word), 14);
    assert_int_equal(steady(fixture, 0xffb00040, 8, load_of_next_word), 8);
}

/* The latency of a load from a line of L1, behind loads from that one and others, `count` in all. */
static uint64_t latency_of_second_load(struct fixture *fixture, unsigned count, uint32_t cfg0)
{
    struct sequence sequence = {.count = 0};
    struct rv32_timing timing;
    for (unsigned i = 0; i < count; i++) {
        add(&sequence, load(T0, A0, (int32_t)(16 * i)));
        add(&sequence, NEEDS_T0);
    }
    uint64_t cycles[2];
    add(&sequence, load(T0, A0, 12));
    for (unsigned needs = 0; needs < 2; needs++) {
        struct sequence whole = sequence;
        if (needs) {
            add(&whole, NEEDS_T0);
        }
        add(&whole, word_self_jump());
        prepare(fixture, &timing);
        l1_write(&fixture->l1, 0x100, whole.words, whole.count * 4);
        fixture->core.x[A0] = 0x4000;
        fixture->core.csr[RV32_CSR_cfg0] = cfg0;
        cycles[needs] = run(fixture);
    }
    return cycles[1] - cycles[0];
}

static void the_l0_data_cache_has_four_lines_of_sixteen_bytes(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(latency_of_second_load(fixture, 1, 0), 2);
    assert_int_equal(latency_of_second_load(fixture, 4, 0), 2);
    assert_int_equal(latency_of_second_load(fixture, 5, 0), 8);
    assert_int_equal(latency_of_second_load(fixture, 1, RV32_CFG0_DIS_LOW_CASH), 8);
}

/* A fence, or an instruction for a CSR, has retired before the next instruction enters EX1. */
static void fences_and_csr_instructions_synchronize(void **state)
{
    struct fixture *fixture = *state;
    uint32_t fence = word_i(RV32_OP_FENCE, 0, 0, 0), other = word_addi(T2, ZERO, 1);
    assert_int_equal(CYCLES_FROM(fixture, 0, fence, other), 5);
    assert_int_equal(CYCLES_FROM(fixture, 0, word_i(RV32_OP_CSRRS, T0, ZERO, 0x7c0), other), 5);
    assert_true(CYCLES_FROM(fixture, 0x4000, load(T0, A0, 0), fence, other) > 8);
}

/* A store to L1 that could wait 16 cycles for others to join it does not when a fence is next: nothing can
   (blackhole-py, bench_matmul_compute_only.py, test_mean.py). */
static void a_fence_lets_the_last_store_go(void **state)
{
    struct fixture *fixture = *state;
    uint32_t fence = word_i(RV32_OP_FENCE, 0, 0, 0), other = word_addi(T2, ZERO, 1);
    uint64_t behind_l1 = CYCLES_FROM(fixture, 0x4000, store(A0, 0), fence, other),
             behind_ram = CYCLES_FROM(fixture, 0xffb00040, store(A0, 0), fence, other);
    assert_in_range(behind_l1, behind_ram, behind_ram + 1);
}

/* A fence takes 4 cycles, and 9 right behind a store, wherever to (blackhole-py microbench_sem_cb.py: noc_sem_set takes
   12 cycles more than an empty loop, cb_push_back 31); a store that left the queue long ago does not delay it. */
static void a_fence_behind_a_store_takes_longer(void **state)
{
    struct fixture *fixture = *state;
    uint32_t fence = word_i(RV32_OP_FENCE, 0, 0, 0), other = word_addi(T2, ZERO, 1);
    static const uint32_t places[] = {0x4000, 0xffb00040, 0xffb48028};
    uint64_t alone = CYCLES_FROM(fixture, 0, other, fence, other);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(CYCLES_FROM(fixture, places[i], store(A0, 0), fence, other), alone + 5);
    }
    uint64_t later =
        CYCLES_FROM(fixture, 0xffb00040, store(A0, 0), other, other, other, other, other, other, other, fence, other);
    assert_int_equal(later, alone + 7);
}

/* L1.md: a write of less than 128 bits blocks the bank for five cycles, one of 128 bits for one. */
static void a_narrow_store_keeps_its_bank(void **state)
{
    struct fixture *fixture = *state;
    struct rv32_shared_timing shared = {0};
    uint32_t fence = word_i(RV32_OP_FENCE, 0, 0, 0);
    fixture->rv32.shared_timing = &shared;
    CYCLES_FROM(fixture, 0x4000, store(A0, 0), fence);
    uint64_t narrow = shared.bank[0];
    shared = (struct rv32_shared_timing){0};
    CYCLES_FROM(fixture, 0x4000, store(A0, 0), store(A0, 4), store(A0, 8), store(A0, 12), fence);
    uint64_t later = 3, whole = shared.bank[0];
    assert_int_equal(narrow - TIMING_RV32_STORE_L1, whole - TIMING_RV32_STORE - later);

    /* A load of another core waits for it, one from another bank does not. */
    shared = (struct rv32_shared_timing){0};
    uint64_t free = CYCLES_FROM(fixture, 0x4000, load(T0, A0, 0), NEEDS_T0);
    shared = (struct rv32_shared_timing){.bank[0] = 100};
    assert_true(CYCLES_FROM(fixture, 0x4000, load(T0, A0, 0), NEEDS_T0) > free);
    shared = (struct rv32_shared_timing){.bank[0] = 100};
    assert_int_equal(CYCLES_FROM(fixture, 0x4000, load(T0, A0, 16), NEEDS_T0), free);
    fixture->rv32.shared_timing = NULL;
}

static void a_load_waits_for_a_store_to_the_same_place(void **state)
{
    struct fixture *fixture = *state;
    uint64_t same = CYCLES_FROM(fixture, 0xffb00040, store(A0, 0), load(T0, A0, 0)),
             other = CYCLES_FROM(fixture, 0xffb00040, store(A0, 0), load(T0, A0, 4));
    assert_int_equal(other, 2);
    assert_true(same > other);
}

/* It waits for its own store to leave the queue, and behind that store at the port of L1; a load from elsewhere in L1
   overtakes a store that still waits for others to join it. */
static void a_load_from_l1_waits_for_a_store_to_the_same_place(void **state)
{
    struct fixture *fixture = *state;
    uint64_t other = CYCLES_FROM(fixture, 0x4000, store(A0, 0), load(T0, A0, 32), NEEDS_T0),
             same = CYCLES_FROM(fixture, 0x4000, store(A0, 0), load(T0, A0, 0), NEEDS_T0),
             later = CYCLES_FROM(fixture, 0x4000, store(A0, 0), word_addi(T1, ZERO, 1), word_addi(T1, ZERO, 2),
                                 word_addi(T1, ZERO, 3), load(T0, A0, 0), NEEDS_T0);
    assert_int_equal(same, other + TIMING_RV32_STORE_TO_LOAD + TIMING_RV32_STORE_L1);
    assert_int_equal(later, same + 3);
}

/* L1 takes a store in five cycles; what else is stored to is not L1's port (MemoryOrdering.md: the branches of the
   memory subsystem are independent). */
static void stores_to_l1_keep_only_others_to_l1(void **state)
{
    struct fixture *fixture = *state;
    uint64_t alone = CYCLES_FROM(fixture, 0xffb00040, store(A0, 0), load(T0, A0, 0)),
             behind_l1 = CYCLES_FROM(fixture, 0xffb00040, store(ZERO, 0x400), store(A0, 0), load(T0, A0, 0));
    assert_in_range(behind_l1, alone + 1, alone + 2);
}

static void mcycle_shows_when_it_is_read(void **state)
{
    struct fixture *fixture = *state;
    uint32_t first = word_i(RV32_OP_CSRRS, T0, ZERO, 0xb00), second = word_i(RV32_OP_CSRRS, T2, ZERO, 0xb00);
    const struct sequence sequence = {{first, word_r(RV32_OP_DIVU, T1, A0, A2), second}, 3};
    cycles_until_end(fixture, &sequence, 7);
    assert_int_equal(fixture->core.x[T2] - fixture->core.x[T0], 4 + 6);
}

/* What reaches beyond registers and local RAM waits for its time; the rest goes on. */
static void accesses_of_others_happen_before(void **state)
{
    struct fixture *fixture = *state;
    struct rv32_timing timing;
    prepare(fixture, &timing);
    PROGRAM(fixture, word_addi(T2, ZERO, 1), word_addi(T2, T2, 1), load(T0, A0, 0), word_self_jump());
    fixture->core.x[A0] = 0xffb121f0;
    struct rv32_turn turn = {.until = 1, .end = 1000};
    assert_int_equal(rv32_run_timed(&fixture->rv32, &turn), 2);
    assert_int_equal(turn.event, CLOCK_NEVER);
    assert_int_equal(fixture->accesses, 0);
    uint64_t time = clock_of(&fixture->clock, 0);
    assert_int_equal(fixture->core.pc, 0x108);
    turn.until = time + 1;
    assert_int_equal(rv32_run_timed(&fixture->rv32, &turn), 1);
    assert_int_equal(turn.event, time);
    assert_int_equal(fixture->accesses, 1);
}

/* A FENCE behind which a store to L1 takes its bank does so when it is the core's turn. */
static void stores_are_released_in_turn(void **state)
{
    struct fixture *fixture = *state;
    struct rv32_timing timing;
    prepare(fixture, &timing);
    PROGRAM(fixture, store(A0, 0), word_i(RV32_OP_FENCE, ZERO, ZERO, 0), word_self_jump());
    fixture->core.x[A0] = 0x4000;
    struct rv32_turn turn = {.until = 1000, .end = 1000, .stop_at_event = true};
    assert_int_equal(rv32_run_timed(&fixture->rv32, &turn), 1);
    turn.until = clock_of(&fixture->clock, 0);
    assert_int_equal(rv32_run_timed(&fixture->rv32, &turn), 0);
    turn.until = 1000;
    assert_int_equal(rv32_run_timed(&fixture->rv32, &turn), 1);
}

static void a_turn_ends_behind_an_event_that_somebody_waits_for(void **state)
{
    struct fixture *fixture = *state;
    struct rv32_timing timing;
    prepare(fixture, &timing);
    PROGRAM(fixture, store(A0, 0), word_addi(T2, ZERO, 1), word_self_jump());
    fixture->core.x[A0] = 0x4000;
    struct rv32_turn turn = {.until = 1000, .end = 1000, .stop_at_event = true};
    assert_int_equal(rv32_run_timed(&fixture->rv32, &turn), 1);
    assert_true(turn.event < 1000);
    assert_int_equal(rv32_run_timed(&fixture->rv32, &turn), 1);
    assert_int_equal(turn.event, CLOCK_NEVER);
}

static void count_instruction(void *context, uint32_t pc, uint32_t word)
{
    (void)pc;
    (void)word;
    ++*(unsigned *)context;
}

static void hooks_change_no_cycles(void **state)
{
    struct fixture *fixture = *state;
    const struct sequence sequence = {{load(T0, A0, 0), NEEDS_T0, store(A0, 4), word_j(ZERO, 4), load(T2, A0, 4)}, 5};
    uint64_t cycles = cycles_until_end(fixture, &sequence, 0x4000);
    struct rv32_timing timing;
    prepare(fixture, &timing);
    fixture->core.x[A0] = 0x4000;
    unsigned count = 0;
    const struct rv32_hooks hooks = {.context = &count, .instruction = count_instruction};
    struct rv32_turn turn = {.until = 1000, .end = 1000};
    assert_int_equal(rv32_interpret_timed_hooked(&fixture->rv32, &turn, &hooks), 5);
    assert_int_equal(count, 6); /* with the jump at the end */
    assert_int_equal(clock_of(&fixture->clock, 0), cycles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(integer_instructions_take_a_cycle_each),
        TEST(products_and_floats_have_a_latency_of_two),
        TEST(divisions_stay_in_ex1),
        TEST(mispredicted_jumps_leave_a_bubble_of_four_cycles),
        TEST(each_jump_leaves_a_bubble_without_the_branch_predictor),
        TEST(loads_take_as_long_as_their_region),
        TEST(atomics_take_twelve_cycles),
        TEST(stores_to_l1_leave_every_five_cycles),
        TEST(stores_join_only_if_that_is_not_disabled_nor_too_far),
        TEST(four_stores_wait_in_the_queue),
        TEST(the_retire_queue_holds_eight_instructions),
        TEST(what_is_written_twice_is_passed_on_only_to_the_next),
        TEST(four_loads_of_l1_come_every_seven_cycles),
        TEST(the_l0_data_cache_has_four_lines_of_sixteen_bytes),
        TEST(fences_and_csr_instructions_synchronize),
        TEST(a_fence_lets_the_last_store_go),
        TEST(a_fence_behind_a_store_takes_longer),
        TEST(a_narrow_store_keeps_its_bank),
        TEST(a_load_waits_for_a_store_to_the_same_place),
        TEST(a_load_from_l1_waits_for_a_store_to_the_same_place),
        TEST(stores_to_l1_keep_only_others_to_l1),
        TEST(mcycle_shows_when_it_is_read),
        TEST(accesses_of_others_happen_before),
        TEST(hooks_change_no_cycles),
        TEST(stores_are_released_in_turn),
        TEST(a_turn_ends_behind_an_event_that_somebody_waits_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
