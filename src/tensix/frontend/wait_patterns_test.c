/* The wait gate at work: classes that are held and classes that pass, sets of semaphores and of conditions, and the
   eight patterns in which kernels use STALLWAIT and SEMWAIT. Source: chapter "stallwait conditions". */
#include "tensix/tensix_fixture.h"

#define OP(name) ((uint32_t)TENSIX_OPCODE_##name << 24)
#define STALLWAIT(block, condition) (OP(STALLWAIT) | (uint32_t)(block) << 15 | (condition))
#define SEMWAIT(block, semaphores, condition) (OP(SEMWAIT) | (uint32_t)(block) << 15 | (semaphores) << 2 | (condition))
#define SEMINIT(max, value, semaphores) (OP(SEMINIT) | (max) << 20 | (value) << 16 | (semaphores) << 2)
#define SEMPOST(semaphores) (OP(SEMPOST) | (semaphores) << 2)
#define SEMGET(semaphores) (OP(SEMGET) | (semaphores) << 2)
#define SETDMAREG(half, value) (OP(SETDMAREG) | (uint32_t)(value) << 8 | (half))
#define SETC16(word, value) (OP(SETC16) | (uint32_t)(word) << 16 | (value))
#define WRCFG(reg, word) (OP(WRCFG) | (reg) << 16 | (word))
#define INCRWC(d) (OP(INCRWC) | (uint32_t)(d) << 14)
#define ATINCGET(reg, address_reg) (OP(ATINCGET) | 31u << 14 | (reg) << 6 | (address_reg))
#define UNPACR_NOP_SET_DVALID (OP(UNPACR_NOP) | 1u << 8 | 1)

/* Constants under the names that the chapter gives them. */
enum { STALL_TDMA = 0x1, STALL_SYNC = 0x2, STALL_PACK = 0x4, STALL_UNPACK = 0x8, STALL_THCON = 0x20 };
enum { STALL_MATH = 0x40, STALL_CFG = 0x80, STALL_SFPU = 0x100, STALL_THREAD = 0x1ff };
enum { THCON = 0x1, UNPACK0 = 0x2, PACK0 = 0x8, MATH = 0x10, SRCA_CLR = 0x20, SRCB_CLR = 0x40, SRCA_VLD = 0x80 };
enum { SRCB_VLD = 0x100, TRISC_CFG = 0x400, SFPU1 = 0x800 };
enum { STALL_ON_ZERO = 1, STALL_ON_MAX = 2 };
enum { MATH_PACK = 1 << 1, UNPACK_TO_DEST = 1 << 2 };
enum { T0, T1, T2 };

static void push(struct fixture *f, unsigned thread, uint32_t word)
{
    assert_int_equal(frontend_push(&f->tensix, thread, word, 0, false), STEP_DONE);
}

static void drain(struct fixture *f)
{
    tensix_drain(&f->tensix);
    assert_int_equal(f->diagnostics.count, 0);
}

static bool held(const struct fixture *f, unsigned thread)
{
    return f->state.frontend[thread].at_gate;
}

/* One instruction of each class, the bits that hold it, and what it needs nothing else for. */
static const struct {
    uint32_t word;
    uint32_t bits;
} classes[] = {
    {OP(SETADCXX) | 1 << 21, STALL_TDMA},
    {SEMPOST(0x80), STALL_SYNC},
    {OP(ATGETM), STALL_SYNC},
    {OP(CLREXPHIST), STALL_MATH},
    {UNPACR_NOP_SET_DVALID, STALL_TDMA | STALL_UNPACK},
    {SETDMAREG(0, 1), STALL_TDMA | STALL_THCON},
    {OP(FLUSHDMA), STALL_TDMA | STALL_THCON},
    {INCRWC(1), STALL_MATH},
    {SETC16(1, 1), STALL_CFG},
    {OP(RMWCIB0) | 1, STALL_CFG},
    {OP(SFPLOADI), STALL_SFPU},
};

/* A wait on SRCB_VLD never ends here: nobody fills SrcB. */
static void each_class_is_held_by_its_bits_and_passes_all_others(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(classes); i++) {
        for (unsigned mask = 1; mask <= STALL_THREAD; mask++) {
            tensix_reset(&f->state);
            push(f, T1, STALLWAIT(mask, SRCB_VLD));
            push(f, T1, classes[i].word);
            drain(f);
            assert_int_equal(held(f, T1), (classes[i].bits & mask) != 0);
        }
    }
}

/* The mover and the packer are held; by every other bit they are not, and go to their unit. */
static void the_mover_and_the_packer_are_held_by_their_bits(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t word, bits;
    } cases[] = {{OP(XMOV), STALL_TDMA | 0x10}, {OP(PACR), STALL_TDMA | STALL_PACK}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        for (unsigned mask = 1; mask <= STALL_THREAD; mask++) {
            bool blocked = cases[i].bits & mask;
            tensix_reset(&f->state);
            push(f, T1, STALLWAIT(mask, SRCB_VLD));
            push(f, T1, cases[i].word);
            tensix_drain(&f->tensix);
            if (blocked) {
                assert_true(held(f, T1));
                assert_int_equal(f->diagnostics.count, 0);
            } else { /* executed, or refused by its unit */
                assert_true(!held(f, T1) || f->diagnostics.count);
            }
            f->diagnostics.count = 0;
            f->diagnostics.stopped = false;
        }
    }
}

/* MOP, MOP_CFG, REPLAY and RESOURCEDECL are dealt with before the gate: behind a wait that holds everything, a MOP of
   NOPs is expanded up to its first NOP, and the others leave nothing at the gate. */
static void what_is_dealt_with_before_the_gate_is_never_held(void **state)
{
    struct fixture *f = *state;
    static const uint32_t words[] = {OP(MOP_CFG) | 5, OP(REPLAY) | 1 << 4 | 1, OP(RESOURCEDECL)};
    for (unsigned i = 0; i < COUNT_OF(words); i++) {
        tensix_reset(&f->state);
        push(f, T1, STALLWAIT(STALL_THREAD, SRCB_VLD));
        push(f, T1, words[i]);
        drain(f);
        assert_false(held(f, T1));
    }
}

/* Instructions act when they leave the gate, so that no unit is ever busy: C0 to C4 and C9 to C12 hold nothing. */
static void conditions_on_busy_units_hold_nothing(void **state)
{
    struct fixture *f = *state;
    static const unsigned conditions[] = {0, 1, 2, 3, 4, 9, 10, 11, 12};
    for (unsigned i = 0; i < COUNT_OF(conditions); i++) {
        tensix_reset(&f->state);
        push(f, T1, SETDMAREG(0, 7));
        push(f, T1, INCRWC(1));
        push(f, T1, WRCFG(0, 77));
        push(f, T1, STALLWAIT(STALL_THREAD, 1u << conditions[i]));
        push(f, T1, SETC16(1, 3));
        drain(f);
        assert_int_equal(f->state.config.thread[T1][1], 3);
    }
}

/* All selected conditions must be clear at the same time. */
static void stallwait_waits_for_all_of_its_conditions(void **state)
{
    struct fixture *f = *state;
    push(f, T1, STALLWAIT(STALL_CFG, SRCA_VLD | SRCB_VLD | SRCA_CLR | SRCB_CLR | MATH | SFPU1));
    push(f, T1, SETC16(1, 1));
    drain(f);
    assert_true(held(f, T1));
    push(f, T0, OP(SETDVALID) | 1);
    drain(f);
    assert_true(held(f, T1));
    push(f, T0, OP(SETDVALID) | 2); /* both are valid, and the unpackers' next banks are still theirs */
    drain(f);
    assert_false(held(f, T1));
    push(f, T0, OP(SETDVALID) | 3);
    push(f, T1, STALLWAIT(STALL_CFG, SRCA_VLD | SRCA_CLR));
    push(f, T1, SETC16(1, 2));
    drain(f);
    assert_true(held(f, T1)); /* both banks of SrcA are the matrix unit's */
    push(f, T2, OP(SETRWC) | 1 << 22);
    drain(f);
    assert_false(held(f, T1));
    assert_int_equal(f->state.config.thread[T1][1], 2);
}

static void semwait_waits_for_every_selected_semaphore(void **state)
{
    struct fixture *f = *state;
    push(f, T0, SEMINIT(3, 0, 0x91));
    push(f, T1, SEMWAIT(STALL_CFG, 0x91, STALL_ON_ZERO));
    push(f, T1, SETC16(1, 1));
    static const unsigned posted[] = {0x10, 0x01, 0x80};
    for (unsigned i = 0; i < COUNT_OF(posted); i++) {
        drain(f);
        assert_true(held(f, T1));
        push(f, T2, SEMPOST(posted[i]));
    }
    drain(f);
    assert_false(held(f, T1));
}

/* Both conditions: neither empty nor full, any of them. */
static void semwait_with_both_conditions_waits_for_the_middle(void **state)
{
    struct fixture *f = *state;
    for (unsigned value = 0; value < 4; value++) {
        tensix_reset(&f->state);
        push(f, T0, SEMINIT(2, value, 1));
        drain(f);
        push(f, T1, SEMWAIT(STALL_CFG, 1, STALL_ON_ZERO | STALL_ON_MAX));
        push(f, T1, SETC16(1, 1));
        drain(f);
        assert_int_equal(held(f, T1), value != 1);
    }
}

/* 1: registers before configuration. 5: the packer before its configuration. */
static void patterns_1_and_5_configure_after_the_scalar_unit_and_the_packer(void **state)
{
    struct fixture *f = *state;
    push(f, T2, SETDMAREG(56, 0x1234));
    push(f, T2, SETDMAREG(57, 0x5678));
    push(f, T2, STALLWAIT(STALL_CFG, THCON));
    push(f, T2, WRCFG(28, 76));
    push(f, T2, STALLWAIT(STALL_CFG, THCON | PACK0));
    push(f, T2, WRCFG(28, 24));
    drain(f);
    assert_int_equal(f->state.config.bank[0][76], 0x56781234);
    assert_int_equal(f->state.config.bank[0][24], 0x56781234);
    assert_false(held(f, T2));
}

/* 2: MOVD2A and MOVD2B do not wait for their bank on their own. */
static void pattern_2_waits_for_srca_and_srcb(void **state)
{
    struct fixture *f = *state;
    push(f, T1, STALLWAIT(STALL_MATH, SFPU1 | SRCA_VLD | SRCB_VLD));
    push(f, T1, INCRWC(4));
    drain(f);
    assert_int_equal(f->state.addr.rwc[T1].dst, 0);
    push(f, T0, OP(SETDVALID) | 1);
    drain(f);
    assert_int_equal(f->state.addr.rwc[T1].dst, 0);
    push(f, T0, OP(SETDVALID) | 2);
    drain(f);
    assert_int_equal(f->state.addr.rwc[T1].dst, 4);
}

/* 3: the unpack thread has filled Dst; the math thread waits for it. */
static void pattern_3_hands_dst_from_unpack_to_math(void **state)
{
    struct fixture *f = *state;
    push(f, T1, SEMWAIT(STALL_SYNC, UNPACK_TO_DEST, STALL_ON_ZERO));
    push(f, T1, STALLWAIT(STALL_SYNC, MATH | SFPU1));
    push(f, T1, SEMGET(UNPACK_TO_DEST));
    push(f, T1, INCRWC(1));
    drain(f);
    assert_int_equal(f->state.addr.rwc[T1].dst, 0);
    push(f, T0, STALLWAIT(STALL_SYNC, UNPACK0));
    push(f, T0, SEMPOST(UNPACK_TO_DEST));
    drain(f);
    assert_int_equal(f->state.addr.rwc[T1].dst, 1);
    assert_int_equal(f->state.sync.semaphore[2].value, 0);
}

enum { PRODUCED = 0x1000, CONSUMED = 0x2000, ITEMS = 10000, SLOTS = 2 };

/* Pushes word `*at` of a loop body if there is room, and goes on to the next. */
static void push_loop(struct fixture *f, unsigned thread, const uint32_t *body, unsigned length, unsigned *at)
{
    if (*at < ITEMS * length && frontend_push(&f->tensix, thread, body[*at % length], 0, false) == STEP_DONE) {
        ++*at;
    }
}

/* 4: the math thread fills a slot of Dst, the pack thread empties it. Ten thousand items, none lost, early or twice:
   words in L1 count what was produced and consumed. */
static void pattern_4_hands_dst_from_math_to_pack(void **state)
{
    struct fixture *f = *state;
    f->state.scalar.gpr[T1][1] = PRODUCED / 16;
    f->state.scalar.gpr[T2][1] = CONSUMED / 16;
    const uint32_t math[] = {SEMWAIT(STALL_MATH | STALL_SFPU | STALL_SYNC | STALL_THCON, MATH_PACK, STALL_ON_MAX),
                             SETDMAREG(4, 1),
                             SETDMAREG(5, 0),
                             ATINCGET(2, 1),
                             INCRWC(0),
                             STALLWAIT(STALL_SYNC, MATH | SFPU1),
                             SEMPOST(MATH_PACK)};
    const uint32_t pack[] = {SEMWAIT(STALL_TDMA, MATH_PACK, STALL_ON_ZERO),
                             SETDMAREG(4, 1),
                             SETDMAREG(5, 0),
                             ATINCGET(2, 1),
                             STALLWAIT(STALL_SYNC, PACK0),
                             SEMGET(MATH_PACK)};
    push(f, T1, SEMINIT(SLOTS, 0, MATH_PACK));
    unsigned math_at = 0, pack_at = 0, most = 0;
    uint64_t seed = 12;
    while (l1_load32(&f->l1, CONSUMED) < ITEMS) {
        uint32_t random = xorshift64_word(&seed);
        push_loop(f, T1, math, COUNT_OF(math), &math_at);
        push_loop(f, T2, pack, COUNT_OF(pack), &pack_at);
        frontend_step(&f->tensix, random & 1 ? T1 : T2);
        frontend_step(&f->tensix, random & 2 ? T1 : T2);
        uint32_t ahead = l1_load32(&f->l1, PRODUCED) - l1_load32(&f->l1, CONSUMED);
        assert_true(ahead <= SLOTS);
        most = ahead > most ? ahead : most;
    }
    drain(f);
    assert_int_equal(most, SLOTS);
    assert_int_equal(l1_load32(&f->l1, PRODUCED), ITEMS);
    assert_int_equal(l1_load32(&f->l1, CONSUMED), ITEMS);
    assert_int_equal(f->state.sync.semaphore[1].value, 0);
}

/* 6: the other half of Dst, once what writes it has drained. 8: a post that means that the result is there. */
static void patterns_6_and_8_drain_math_before_post_and_flip(void **state)
{
    struct fixture *f = *state;
    push(f, T1, INCRWC(2));
    push(f, T1, STALLWAIT(STALL_SYNC, 2064));
    push(f, T1, SEMPOST(MATH_PACK));
    push(f, T1, STALLWAIT(STALL_CFG, 0x810));
    push(f, T1, SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 512));
    drain(f);
    assert_int_equal(f->state.sync.semaphore[1].value, 1);
    assert_int_equal(f->state.config.thread[T1][DEST_TARGET_REG_CFG_MATH_Offset_ADDR32], 512);
}

/* 7: the unpacker starts once its core's writes have arrived. */
static void pattern_7_unpacks_after_the_cores_writes(void **state)
{
    struct fixture *f = *state;
    push(f, T0, STALLWAIT(STALL_UNPACK, TRISC_CFG));
    push(f, T0, UNPACR_NOP_SET_DVALID);
    drain(f);
    assert_int_equal(f->state.srca.owner[0], SRC_MATRIX_UNIT);
    assert_int_equal(f->state.srca.unpacker_bank, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(each_class_is_held_by_its_bits_and_passes_all_others),
        FIXTURE_TEST(the_mover_and_the_packer_are_held_by_their_bits),
        FIXTURE_TEST(what_is_dealt_with_before_the_gate_is_never_held),
        FIXTURE_TEST(conditions_on_busy_units_hold_nothing),
        FIXTURE_TEST(stallwait_waits_for_all_of_its_conditions),
        FIXTURE_TEST(semwait_waits_for_every_selected_semaphore),
        FIXTURE_TEST(semwait_with_both_conditions_waits_for_the_middle),
        FIXTURE_TEST(patterns_1_and_5_configure_after_the_scalar_unit_and_the_packer),
        FIXTURE_TEST(pattern_2_waits_for_srca_and_srcb),
        FIXTURE_TEST(pattern_3_hands_dst_from_unpack_to_math),
        FIXTURE_TEST(pattern_4_hands_dst_from_math_to_pack),
        FIXTURE_TEST(patterns_6_and_8_drain_math_before_post_and_flip),
        FIXTURE_TEST(pattern_7_unpacks_after_the_cores_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
