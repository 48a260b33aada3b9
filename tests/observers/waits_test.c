/* What observers are told of cores and threads that wait, of semaphores, mutexes and banks of Src. */
#include "observed_fixture.h"

static void semwait_holds_until_somebody_posts(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SEMINIT max_value=2, init_value=0, sem_sel=2"),
          tt("SEMWAIT stall_res=511, sem_sel=2, wait_sem_cond=1"), tt("NOP"), SELF_JUMP);
    run(fixture, 100);
    START(fixture, BH_CORE_T0, tt("SEMPOST sem_sel=2"), SELF_JUMP);
    told.count = 0;
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_OK);
    run(fixture, LIMIT);
    const struct bh_event *post = first(BH_EVENT_SEMAPHORE, BH_AGENT_THREAD, 0);
    assert_int_equal(post->semaphore.number, 1);
    assert_int_equal(post->semaphore.value_before, 0);
    assert_int_equal(post->semaphore.value, 1);
    assert_int_equal(post->semaphore.maximum, 2);
    const struct bh_event *ended = next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 1);
    assert_wait(ended, BH_WAIT_SEMWAIT, 2);
    assert_place(ended, BH_AGENT_THREAD, 1, place(BH_CORE_T1) + 8); /* the NOP waits */
    const struct bh_event *issued = next(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1);
    assert_int_equal(issued->instruction, 0x02000000);
    (void)next(BH_EVENT_RETIRED, BH_AGENT_THREAD, 1);
}

static void a_wait_that_begins_is_told_once(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("STALLWAIT stall_res=64, wait_res=128"), tt("NOP"), /* until SrcA is valid: C7 */
          tt("MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=0, dst=0"), SELF_JUMP);
    run(fixture, 3000);
    run(fixture, 3000);
    assert_int_equal(count_of(BH_EVENT_WAIT_BEGAN), 1);
    assert_int_equal(count_of(BH_EVENT_WAIT_ENDED), 0);
    const struct bh_event *began = first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 1);
    assert_wait(began, BH_WAIT_STALLWAIT, 1 << 7);
    assert_int_equal(began->instruction >> 24, 0x26);
}

/* MVMUL leaves the gate, waits for both banks, and executes when T0 hands them over. */
static void mvmul_waits_for_banks_of_src(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("MVMUL clear_dvalid=3, instr_mod19=0, addr_mode=0, dst=0"), SELF_JUMP);
    run(fixture, 100);
    (void)first(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1);
    assert_wait(next(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 1), BH_WAIT_SRC_BANK, 4 | 2 | 1);
    START(fixture, BH_CORE_T0, tt("SETDVALID setvalid=1"), tt("SETDVALID setvalid=2"), SELF_JUMP);
    run(fixture, LIMIT);
    for (unsigned src = 0; src < 2; src++) {
        const struct bh_event *given =
            src ? next(BH_EVENT_SRC_BANK, BH_AGENT_THREAD, 0) : first(BH_EVENT_SRC_BANK, BH_AGENT_THREAD, 0);
        assert_int_equal(given->src_bank.src, src);
        assert_int_equal(given->src_bank.bank, 0);
        assert_int_equal(given->src_bank.owner, BH_SRC_MATRIX);
    }
    for (unsigned src = 0; src < 2; src++) {
        const struct bh_event *back = next(BH_EVENT_SRC_BANK, BH_AGENT_THREAD, 1);
        assert_int_equal(back->src_bank.src, src);
        assert_int_equal(back->src_bank.owner, BH_SRC_UNPACKERS);
    }
    (void)next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 1);
    (void)next(BH_EVENT_RETIRED, BH_AGENT_THREAD, 1);
    assert_int_equal(count_of(BH_EVENT_SRC_BANK), 4);
}

static void an_unpacker_waits_for_its_bank(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("SETDVALID setvalid=2"), tt("SETDVALID setvalid=2"),
          tt("UNPACR Unpack_block_selection=1, SetDatValid=1"), SELF_JUMP);
    run(fixture, 100);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 0), BH_WAIT_SRC_BANK, 2);
}

static void a_mutex_has_an_owner_and_one_who_waits(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("ATGETM mutex_index=3"), SELF_JUMP);
    run(fixture, 100);
    const struct bh_event *mutex = first(BH_EVENT_MUTEX, BH_AGENT_THREAD, 0);
    assert_int_equal(mutex->mutex.number, 3);
    assert_int_equal(mutex->mutex.owner_before, BH_MUTEX_FREE);
    assert_int_equal(mutex->mutex.owner, 0);
    START(fixture, BH_CORE_T2, tt("ATGETM mutex_index=3"), SELF_JUMP);
    run(fixture, 100);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 2), BH_WAIT_MUTEX, 3);
    START(fixture, BH_CORE_T0, tt("ATRELM mutex_index=3"), SELF_JUMP);
    run(fixture, 100);
    mutex = first(BH_EVENT_MUTEX, BH_AGENT_THREAD, 0); /* the mutex goes to the waiting thread */
    assert_int_equal(mutex->mutex.owner_before, 0);
    assert_int_equal(mutex->mutex.owner, 2);
    assert_wait(next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 2), BH_WAIT_MUTEX, 3);
}

static void atcas_waits_for_memory(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t one = 1;
    START(fixture, BH_CORE_T0, tt_gpr(2 * 16, DATA / 16),
          tt("ATCAS MemHierSel=0, SwapVal=2, CmpVal=1, Sel32b=0, DataRegIndex=0, AddrRegIndex=16"), SELF_JUMP);
    run(fixture, 100);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 0), BH_WAIT_MEMORY, 0);
    assert_int_equal(bh_write(fixture->device, X, Y, DATA, &one, 4), BH_OK);
    run(fixture, 100);
    assert_wait(next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 0), BH_WAIT_MEMORY, 0);
}

static void a_semaphore_that_a_core_posts_is_the_cores_doing(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T2, lui(T0, 0xFFE80000), sw(ZERO, T0, 0x20 + 4 * 6), SELF_JUMP);
    run(fixture, 100);
    const struct bh_event *post = first(BH_EVENT_SEMAPHORE, BH_AGENT_CORE, BH_CORE_T2);
    assert_place(post, BH_AGENT_CORE, BH_CORE_T2, place(BH_CORE_T2) + 4);
    assert_int_equal(post->semaphore.number, 6);
    assert_int_equal(post->semaphore.value, 1);
}

/* Asserts that the core waits at this address, at a load of a word. */
static void assert_core_waits(struct fixture *fixture, enum bh_core core, uint32_t address, enum bh_wait_reason reason)
{
    START(fixture, core, lui(T0, address), lw(T1, T0, address & 0xfff), SELF_JUMP);
    run(fixture, 600);
    const struct bh_event *began = first(BH_EVENT_WAIT_BEGAN, BH_AGENT_CORE, core);
    assert_wait(began, reason, address);
    assert_place(began, BH_AGENT_CORE, core, place(core) + 4);
    assert_int_equal(bh_core_stop(fixture->device, X, Y, core), BH_OK);
}

static void cores_wait_for_mailboxes_and_pcbufs(void **context)
{
    struct fixture *fixture = *context;
    assert_core_waits(fixture, BH_CORE_T0, 0xFFEC0000, BH_WAIT_MAILBOX);
    assert_core_waits(fixture, BH_CORE_T1, 0xFFE80000, BH_WAIT_PCBUF);
    assert_core_waits(fixture, BH_CORE_B, 0xFFE90000, BH_WAIT_PCBUF);
}

/* Behind a SEMWAIT that never ends: the FIFO of the thread fills, and never drains. */
static void cores_wait_for_their_threads(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SEMINIT max_value=2, init_value=0, sem_sel=2"),
          tt("SEMWAIT stall_res=511, sem_sel=2, wait_sem_cond=1"), tt("NOP"), lui(T0, 0xFFE80000), lw(T1, T0, 4),
          SELF_JUMP);
    run(fixture, 600);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_CORE, BH_CORE_T1), BH_WAIT_TTSYNC, 0xFFE80004);
    START(fixture, BH_CORE_T1, tt("NOP"), jump(-4));
    run(fixture, 600);
    assert_wait(first(BH_EVENT_WAIT_BEGAN, BH_AGENT_CORE, BH_CORE_T1), BH_WAIT_FIFO, 0xFFE40000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBSERVED_TEST(semwait_holds_until_somebody_posts),
        OBSERVED_TEST(a_wait_that_begins_is_told_once),
        OBSERVED_TEST(mvmul_waits_for_banks_of_src),
        OBSERVED_TEST(an_unpacker_waits_for_its_bank),
        OBSERVED_TEST(a_mutex_has_an_owner_and_one_who_waits),
        OBSERVED_TEST(atcas_waits_for_memory),
        OBSERVED_TEST(a_semaphore_that_a_core_posts_is_the_cores_doing),
        OBSERVED_TEST(cores_wait_for_mailboxes_and_pcbufs),
        OBSERVED_TEST(cores_wait_for_their_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
