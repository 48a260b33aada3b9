/* Mailboxes, PCBufs, manual TTSync and semaphores: communication between cores. */
#include "isa/tensix_isa.h"
#include "tile/fixture.h"

enum { B = BH_CORE_B, T0 = BH_CORE_T0, T1 = BH_CORE_T1, T2 = BH_CORE_T2 };

#define SETC16 ((uint32_t)TENSIX_OPCODE_SETC16 << 24)

static uint32_t mailbox(unsigned core)
{
    return 0xFFEC0000 + 0x1000 * core;
}

static enum step try_load(struct fixture *fixture, unsigned core, uint32_t address)
{
    uint32_t value;
    return mmio_load(&fixture->tile, core, address, 4, &value);
}

/* Mailboxes.md */

static void a_mailbox_is_a_fifo_from_one_core_to_another(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned from = B; from <= T2; from++) {
        for (unsigned to = B; to <= T2; to++) {
            for (unsigned i = 0; i < 4; i++) {
                store(fixture, from, mailbox(to) + 8 * i, 100 * from + 10 * to + i);
            }
            for (unsigned i = 0; i < 4; i++) {
                assert_int_equal(load(fixture, to, mailbox(from)), 100 * from + 10 * to + i);
            }
            assert_int_equal(try_load(fixture, to, mailbox(from)), STEP_WAIT);
        }
    }
}

static void a_mailbox_can_be_asked_without_waiting(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(load(fixture, T1, mailbox(B) + 4), 0);
    store(fixture, B, mailbox(T1), 7);
    assert_int_equal(load(fixture, T1, mailbox(B) + 4), 1);
    assert_int_equal(load(fixture, T1, mailbox(B) + 0xffc), 1);
    assert_int_equal(load(fixture, T0, mailbox(B) + 4), 0);
    assert_int_equal(load(fixture, T1, mailbox(B)), 7);
    assert_int_equal(load(fixture, T1, mailbox(B) + 4), 0);
}

static void all_mailboxes_of_a_writer_hold_four_values_together(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, T2, mailbox(B), 1);
    store(fixture, T2, mailbox(T0), 2);
    store(fixture, T2, mailbox(T1), 3);
    store(fixture, T2, mailbox(T1), 4);
    assert_int_equal(mmio_store(&fixture->tile, T2, mailbox(B), 4, 5), STEP_WAIT);
    store(fixture, B, mailbox(T0), 6); /* another writer is not concerned */
    assert_int_equal(load(fixture, T1, mailbox(T2)), 3);
    store(fixture, T2, mailbox(B), 5);
    assert_int_equal(load(fixture, B, mailbox(T2)), 1);
    assert_int_equal(load(fixture, B, mailbox(T2)), 5);
}

/* PCBufs.md */

static void a_pc_buf_holds_sixteen_values(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned thread = 0; thread < 3; thread++) {
        uint32_t b_side = 0xFFE80000 + 0x10000 * thread;
        for (unsigned i = 0; i < 16; i++) {
            store(fixture, B, b_side + 0x100 * i, 16 * thread + i);
        }
        assert_int_equal(mmio_store(&fixture->tile, B, b_side, 4, 0), STEP_WAIT);
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(load(fixture, T0 + thread, 0xFFE80000), 16 * thread + i);
        }
        assert_int_equal(try_load(fixture, T0 + thread, 0xFFE80000), STEP_WAIT);
    }
}

static void a_write_to_a_pc_buf_by_its_reader_is_discarded(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, T1, 0xFFE80000, 1);
    assert_int_equal(try_load(fixture, T1, 0xFFE80000), STEP_WAIT);
}

/* "The RISCV B read behavior ... waits for all three of" */
static void b_reads_a_pc_buf_when_its_reader_is_done(void **context)
{
    struct fixture *fixture = *context;
    struct rv32_core *t1 = &fixture->state->core[T1];
    t1->halt = RV32_RUNNING;
    assert_int_equal(try_load(fixture, B, 0xFFE90000), STEP_WAIT); /* T1 does not wait */
    t1->waiting = true;
    t1->wait_address = 0xFFE80000;
    assert_int_equal(load(fixture, B, 0xFFE90000), 0);
    store(fixture, B, 0xFFE90000, 5);
    assert_int_equal(try_load(fixture, B, 0xFFE90000), STEP_WAIT); /* a value for T1 is queued */
    assert_int_equal(load(fixture, T1, 0xFFE80000), 5);
    fixture->state->tensix.frontend[1].next = (struct pushed){0x02000000, 0};
    fixture->state->tensix.frontend[1].at_gate = true;
    assert_int_equal(try_load(fixture, B, 0xFFE90000), STEP_WAIT); /* T1's thread is busy */
}

static void overrides_answer_for_a_pc_buf(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, 0xFFB12090, 1u << 20 | 1u << 21 | 0xa5u << 22);
    assert_int_equal(load(fixture, T2, 0xFFE80000), 0xa5);
    assert_int_equal(load(fixture, B, 0xFFEA0000), 0);
    assert_int_equal(try_load(fixture, T1, 0xFFE80000), STEP_WAIT);
    store(fixture, B, 0xFFEA0000, 3);
    assert_int_equal(load(fixture, T2, 0xFFE80000), 3);
}

/* ManualTTSync.md */

/* SETC16 behind STALLWAIT(STALL_CFG, SRCA_VLD). */
static void hold_thread(struct frontend *frontend)
{
    frontend->wait =
        (struct latched_wait){.latched = true, .opcode = TENSIX_OPCODE_STALLWAIT, .block = 0x80, .condition = 0x80};
    frontend->next = (struct pushed){.word = SETC16};
    frontend->at_gate = true;
}

static void ttsync_waits_for_the_thread(void **context)
{
    struct fixture *fixture = *context;
    struct frontend *frontend = &fixture->state->tensix.frontend[0];
    (void)load(fixture, T0, 0xFFE80004);
    (void)load(fixture, T0, 0xFFE80008);
    store(fixture, T0, 0xFFE80004, 1);
    hold_thread(frontend);
    assert_int_equal(try_load(fixture, T0, 0xFFE80004), STEP_WAIT);
    (void)load(fixture, T0, 0xFFE80008);
    (void)load(fixture, T1, 0xFFE80004);
    frontend->mop.active = true;
    assert_int_equal(try_load(fixture, T0, 0xFFE80008), STEP_WAIT);
    store(fixture, B, 0xFFB12090, 3); /* OverrideEn and OverrideBusy */
    (void)load(fixture, T0, 0xFFE80004);
    (void)load(fixture, T0, 0xFFE80008);
    uint32_t value;
    assert_refused(fixture, mmio_load(&fixture->tile, T0, 0xFFE8000C, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
}

/* When the core continues, its thread has executed every instruction that could execute. */
static void ttsync_has_the_thread_execute(void **context)
{
    struct fixture *fixture = *context;
    const struct tensix_state *tensix = &fixture->state->tensix;
    store(fixture, T0, INSTRN_BUF_BASE, SETC16 | 1 << 16 | 0x1234);
    (void)load(fixture, T0, 0xFFE80004);
    assert_int_equal(tensix->config.thread[0][1], 0x1234);
    store(fixture, T0, INSTRN_BUF_BASE, 0xff000001); /* no instruction has this opcode */
    uint32_t value;
    assert_refused(fixture, mmio_load(&fixture->tile, T0, 0xFFE80004, 4, &value), BH_UNDEFINED_BEHAVIOR, "opcode 0xff");
}

/* SyncUnit.md, "RISCV access to semaphores" */

static void semaphores_are_posted_and_got(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < 8; i++) {
        uint32_t address = 0xFFE80020 + 4 * i;
        store(fixture, T0, address, 1); /* decrementing zero has no effect */
        assert_int_equal(load(fixture, T1, address), 0);
        for (unsigned k = 0; k < 20; k++) {
            assert_int_equal(load(fixture, T2, address), k < 15 ? k : 15);
            store(fixture, T1, address, 0xfffffffe);
        }
        store(fixture, T1, address, 0x80000001);
        assert_int_equal(load(fixture, T1, address), 14);
    }
    uint32_t value;
    assert_refused(fixture, mmio_load(&fixture->tile, T0, 0xFFE80040, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
}

/* B sends eight numbers through a PCBuf to T0, which doubles each and sends it to T1 by mailbox, which adds one and
   sends it back to B, which sums up. These are more values than any FIFO holds, and no core gets stuck. */
static void a_round_of_messages_arrives(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t b[] = {
        0xffe802b7, /* lui  t0, 0xffe80      PCBuf 0 */
        0xffec2337, /* lui  t1, 0xffec2      mailbox with T1 */
        0x00800393, /* li   t2, 8 */
        0x00000e13, /* li   t3, 0            sum */
        0x0072a023, /* sw   t2, 0(t0) */
        0x00032e83, /* lw   t4, 0(t1) */
        0x01de0e33, /* add  t3, t3, t4 */
        0xfff38393, /* addi t2, t2, -1 */
        0xfe0398e3, /* bnez t2, -16 */
        0x00020f37, /* lui  t5, 0x20 */
        0x01cf2023, /* sw   t3, 0(t5) */
        0x0000006f, /* j    . */
    };
    static const uint32_t t0[] = {
        0xffe802b7, /* lui  t0, 0xffe80      own PCBuf */
        0xffec2337, /* lui  t1, 0xffec2      mailbox with T1 */
        0x0002a383, /* lw   t2, 0(t0) */
        0x00739393, /* slli t2, t2, 7 */
        0x0063d393, /* srli t2, t2, 6 */
        0x00732023, /* sw   t2, 0(t1) */
        0xff1ff06f, /* j    -16 */
    };
    static const uint32_t t1[] = {
        0xffec12b7, /* lui  t0, 0xffec1      mailbox with T0 */
        0xffec0337, /* lui  t1, 0xffec0      mailbox with B */
        0x0002a383, /* lw   t2, 0(t0) */
        0x00138393, /* addi t2, t2, 1 */
        0x00732023, /* sw   t2, 0(t1) */
        0xff5ff06f, /* j    -12 */
    };
    struct tile *tile = &fixture->tile;
    assert_int_equal(tile_write(tile, 0, b, sizeof b), STEP_DONE);
    assert_int_equal(tile_write(tile, 0x6000, t0, sizeof t0), STEP_DONE);
    assert_int_equal(tile_write(tile, 0xa000, t1, sizeof t1), STEP_DONE);
    store(fixture, MMIO_NOC, 0xFFB121B0, 0x44000);
    for (unsigned i = 0; i < 20; i++) {
        (void)tile_run(tile, 1000);
    }
    assert_false(fixture->state->diagnostics.stopped);
    assert_int_equal(l1_load32(&tile->l1, 0x20000), 2 * (8 * 9 / 2) + 8);
    assert_int_equal(fixture->state->core[B].halt, RV32_SELF_JUMP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_mailbox_is_a_fifo_from_one_core_to_another),
        TEST(a_mailbox_can_be_asked_without_waiting),
        TEST(all_mailboxes_of_a_writer_hold_four_values_together),
        TEST(a_pc_buf_holds_sixteen_values),
        TEST(a_write_to_a_pc_buf_by_its_reader_is_discarded),
        TEST(b_reads_a_pc_buf_when_its_reader_is_done),
        TEST(overrides_answer_for_a_pc_buf),
        TEST(ttsync_waits_for_the_thread),
        TEST(ttsync_has_the_thread_execute),
        TEST(semaphores_are_posted_and_got),
        TEST(a_round_of_messages_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
