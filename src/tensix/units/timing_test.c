/* When the Sync, Configuration, Scalar and Miscellaneous Units and the mover accept instructions. Sources: ISA
   documentation SyncUnit.md, ConfigurationUnit.md, ScalarUnit.md, MiscellaneousUnit.md, Mover.md and the instructions'
   pages; chapters "config sync instructions", "gpr and dma instructions", "additional scalar unit instructions". */
#include "tensix/timed_fixture.h"

enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE };
enum { STALL_THREAD = 0x1ff, WAIT_THCON = 1, WAIT_XMOV = 0x200, WAIT_CFGEXU = 0x1000 };

/* Words of all three threads that come before their gates at once, and when they pass. */
static void all_threads_push(struct fixture *f, uint32_t word)
{
    for (unsigned thread = T0; thread <= T2; thread++) {
        timed_push(f, thread, START, word);
    }
}

static void one_passes_a_cycle(struct fixture *f, uint32_t word)
{
    struct timed_passes passes[TENSIX_THREADS];
    all_threads_push(f, word);
    all_threads_push(f, word);
    timed_run(f, passes);
    for (unsigned thread = T0; thread <= T2; thread++) {
        ASSERT_PASSED(passes[thread], GATE, thread, thread + 3);
    }
}

static void one_of_each_thread_passes_a_cycle(struct fixture *f, uint32_t word)
{
    struct timed_passes passes[TENSIX_THREADS];
    all_threads_push(f, word);
    all_threads_push(f, word);
    timed_run(f, passes);
    for (unsigned thread = T0; thread <= T2; thread++) {
        ASSERT_PASSED(passes[thread], GATE, 0, 1);
    }
}

static void semaphore_instructions_pass_one_a_cycle(void **state)
{
    one_passes_a_cycle(*state, TT_OP_SEMPOST(1));
}

static void initialisations_of_semaphores_pass_one_a_cycle(void **state)
{
    one_passes_a_cycle(*state, TT_OP_SEMINIT(3, 1, 1));
}

static void semgets_pass_one_a_cycle(void **state)
{
    one_passes_a_cycle(*state, TT_OP_SEMGET(1));
}

static void semaphore_instructions_of_a_thread_pass_one_a_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_SEMINIT(3, 0, 1), TT_OP_SEMPOST(1), TT_OP_SEMGET(1), TT_OP_SEMWAIT(0x40, 1, 2));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 3);
}

static void waits_of_all_threads_pass_one_a_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    all_threads_push(f, TT_OP_STALLWAIT(0, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0);
    ASSERT_PASSED(passes[T1], GATE, 1);
    ASSERT_PASSED(passes[T2], GATE, 2);
}

static void three_mutexes_are_taken_and_released_in_a_cycle(void **state)
{
    static const uint8_t mutexes[] = {0, 2, 3};
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned thread = T0; thread <= T2; thread++) {
        TIMED_WORDS(f, thread, START, TT_OP_ATGETM(mutexes[thread]), TT_OP_ATRELM(mutexes[thread]));
    }
    timed_run(f, passes);
    for (unsigned thread = T0; thread <= T2; thread++) {
        ASSERT_PASSED(passes[thread], GATE, 0, 1);
    }
}

/* What does not hold the mutex may release it as well: that changes nothing. */
static void contention_for_a_mutex_costs_a_cycle_or_two(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    all_threads_push(f, TT_OP_ATRELM(2));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0);
    ASSERT_PASSED(passes[T1], GATE, 1);
    ASSERT_PASSED(passes[T2], GATE, 2);
}

static void mutex_goes_to_who_waits_in_the_cycle_after_its_release(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_ATGETM(2), TT_OP_NOP, TT_OP_NOP, TT_OP_ATRELM(2));
    timed_push(f, T1, START + 1, TT_OP_ATGETM(2));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 2, 3);
    ASSERT_PASSED(passes[T1], GATE, 4);
}

static void setc16_passes_three_a_cycle(void **state)
{
    one_of_each_thread_passes_a_cycle(*state, TT_OP_SETC16(1, 1));
}

static void wrcfg_passes_one_a_cycle(void **state)
{
    one_passes_a_cycle(*state, TT_OP_WRCFG(4, 0, 64));
}

static void rmwcib_passes_one_a_cycle(void **state)
{
    one_passes_a_cycle(*state, TT_OP_RMWCIB0(1, 1, 64));
}

static void rdcfg_passes_one_a_cycle(void **state)
{
    one_passes_a_cycle(*state, TT_OP_RDCFG(4, 64));
}

static void cfgshiftmask_passes_every_other_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t word = TT_OP_CFGSHIFTMASK(1, 3, 31, 0, 3, 64);
    TIMED_WORDS(f, T0, START, word, word, TT_OP_RMWCIB0(1, 1, 64), word, TT_OP_NOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 2, 4, 5, 6);
}

static enum step load_stream(void *context, uint32_t address, uint32_t *value)
{
    *value = 0;
    return STEP_DONE;
}

/* Stages -4 to 0: nothing that enters later may pass it, of whichever thread. */
static void streamwrcfg_is_pipelined_and_keeps_others_out(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t word = TT_OP_STREAMWRCFG(0, 0, 64);
    f->tensix.bus.load = load_stream;
    TIMED_WORDS(f, T0, START, word, word, TT_OP_WRCFG(4, 0, 64));
    timed_push(f, T1, START + 1, TT_OP_RMWCIB0(1, 1, 64));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 5); /* the second is at stage -1 at 4, at stage 0 at 5 */
    ASSERT_PASSED(passes[T1], GATE, 7);       /* WRCFG is at stage -1 at 5, at stage 0 at 6 */
}

static void rmwcib_waits_for_the_wrcfg_before_it(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_WRCFG(4, 0, 64), TT_OP_RMWCIB0(1, 1, 64), TT_OP_WRCFG(4, 0, 64));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 2, 3);
}

static void wrcfg_starves_rmwcib_and_rdcfg_of_other_threads(void **state)
{
    enum { MANY = 20 };
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    for (unsigned i = 0; i < MANY; i++) {
        timed_push(f, T0, START, TT_OP_WRCFG(4, 0, 64));
    }
    timed_push(f, T1, START + 1, TT_OP_RMWCIB0(1, 1, 64));
    timed_push(f, T2, START + 1, TT_OP_RDCFG(4, 64));
    timed_run(f, passes);
    assert_int_equal(passes[T0].at[MANY - 1] - passes[T0].at[0], MANY - 1);
    ASSERT_PASSED(passes[T1], GATE, MANY + 1);
    ASSERT_PASSED(passes[T2], GATE, MANY + 2);
}

static void instructions_enter_the_pipeline_together_at_different_stages(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    f->tensix.bus.load = load_stream;
    timed_push(f, T0, START, TT_OP_STREAMWRCFG(0, 0, 64));
    timed_push(f, T1, START, TT_OP_WRCFG(4, 0, 64));
    timed_push(f, T2, START, TT_OP_RMWCIB0(1, 1, 64));
    timed_run(f, passes);
    for (unsigned thread = T0; thread <= T2; thread++) {
        ASSERT_PASSED(passes[thread], GATE, 0);
    }
}

/* A STALLWAIT behind it in the next cycle, for the Configuration Unit, holds until the latency is over, and a cycle. */
static void latencies_of_the_configuration_unit_are_documented(void **state)
{
    static const struct {
        uint32_t word;
        unsigned latency;
    } rows[] = {{TT_OP_SETC16(1, 1), 1},
                {TT_OP_WRCFG(4, 0, 64), 2},
                {TT_OP_RMWCIB0(1, 1, 64), 1},
                {TT_OP_RDCFG(4, 64), 2},
                {TT_OP_CFGSHIFTMASK(1, 3, 31, 0, 3, 64), 2},
                {TT_OP_STREAMWRCFG(0, 0, 64), 5}};
    struct fixture *f = *state;
    f->tensix.bus.load = load_stream;
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct timed_passes passes[TENSIX_THREADS];
        tensix_reset(&f->state);
        memset(&f->state.timing, 0, sizeof f->state.timing);
        TIMED_WORDS(f, T0, START, rows[i].word, TT_OP_STALLWAIT(STALL_THREAD, WAIT_CFGEXU), TT_OP_NOP);
        timed_run(f, passes);
        ASSERT_PASSED(passes[T0], GATE, 0, 1, rows[i].latency < 2 ? 3 : rows[i].latency + 1);
    }
}

/* For so long an instruction occupies the Scalar Unit, and holds its own thread. */
static const struct {
    uint32_t word;
    unsigned cycles;
} scalar_rows[] = {
    {TT_OP_DMANOP, 1},
    {TT_OP_SETDMAREG(0, 1, 0, 8), 1},
    {TT_OP_SETDMAREG(0, 0, 1, 8), 1},
    {TT_OP_REG2FLOP(1, 0, 0, 0, 0, 4), 2},
    {TT_OP_REG2FLOP(1, 2, 0, 0, 0, 4), 2},
    {TT_OP_FLUSHDMA(0), 2},
    {TT_OP_ADDDMAREG(1, 4, 5, 6), 3},
    {TT_OP_ADDDMAREG(0, 4, 5, 6), 3},
    {TT_OP_ADDDMAREG(0, 4, 8, 6), 4},
    {TT_OP_SUBDMAREG(0, 4, 5, 6), 3},
    {TT_OP_SUBDMAREG(0, 4, 8, 6), 4},
    {TT_OP_MULDMAREG(0, 4, 5, 6), 3},
    {TT_OP_MULDMAREG(0, 4, 8, 6), 4},
    {TT_OP_CMPDMAREG(0, 0, 4, 5, 6), 3},
    {TT_OP_CMPDMAREG(0, 0, 4, 8, 6), 4},
    {TT_OP_BITWOPDMAREG(0, 0, 4, 5, 6), 3},
    {TT_OP_BITWOPDMAREG(0, 0, 4, 8, 6), 4},
    {TT_OP_SHIFTDMAREG(0, 0, 4, 5, 6), 3},
    {TT_OP_SHIFTDMAREG(0, 0, 4, 8, 6), 4},
    {TT_OP_LOADIND(1, 0, 0, 4, 8), 3},
    {TT_OP_STOREIND(1, 0, 1, 0, 0, 4, 8), 3},
    {TT_OP_ATSWAP(0, 0xff, 4, 8), 3},
    {TT_OP_ATINCGET(0, 31, 0, 4, 8), 3},
    {TT_OP_ATCAS(0, 1, 0, 0, 0, 8), 15},
    {TT_OP_ATINCGETPTR(0, 1, 0, 4, 1, 4, 8), 15},
};

static void scalar_instructions_take_their_cycles(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(scalar_rows); i++) {
        struct timed_passes passes[TENSIX_THREADS];
        tensix_reset(&f->state);
        memset(&f->state.timing, 0, sizeof f->state.timing);
        TIMED_WORDS(f, T0, START, scalar_rows[i].word, TT_OP_NOP);
        timed_push(f, T1, START, TT_OP_DMANOP);
        timed_run(f, passes);
        ASSERT_PASSED(passes[T0], GATE, 0, scalar_rows[i].cycles);
        ASSERT_PASSED(passes[T1], GATE, scalar_rows[i].cycles);
    }
}

static enum step load_register(void *context, uint32_t address, uint32_t *value)
{
    *value = 0;
    return STEP_DONE;
}

static enum step store_register(void *context, uint32_t address, uint32_t value)
{
    return STEP_DONE;
}

static void accesses_to_registers_take_three_cycles(void **state)
{
    const uint32_t words[] = {TT_OP_LOADREG(4, 0x12000 / 4), TT_OP_STOREREG(4, 0x12000 / 4)};
    struct fixture *f = *state;
    f->tensix.bus.load = load_register;
    f->tensix.bus.store = store_register;
    for (unsigned i = 0; i < COUNT_OF(words); i++) {
        struct timed_passes passes[TENSIX_THREADS];
        memset(&f->state.timing, 0, sizeof f->state.timing);
        TIMED_WORDS(f, T0, START, words[i], TT_OP_NOP);
        timed_run(f, passes);
        ASSERT_PASSED(passes[T0], GATE, 0, 3);
    }
}

static void requests_to_l1_are_three_cycles_apart(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    all_threads_push(f, TT_OP_LOADIND(1, 0, 0, 4, 8));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0);
    ASSERT_PASSED(passes[T1], GATE, 3);
    ASSERT_PASSED(passes[T2], GATE, 6);
}

static void atomics_pass_every_twelve_cycles(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_ATINCGET(0, 31, 0, 4, 8), TT_OP_ATINCGET(0, 31, 0, 4, 8), TT_OP_NOP);
    timed_push(f, T1, START + 1, TT_OP_ATSWAP(0, 0xff, 4, 8));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 12, 15);
    ASSERT_PASSED(passes[T1], GATE, 24);
}

/* A comparison that fails is made again every 15 cycles; the unit is occupied meanwhile. */
static void atcas_tries_every_fifteen_cycles(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    f->state.scalar.gpr[T0][8] = 4;
    f->l1_bytes[4 * 16] = 1; /* not 0 */
    timed_push(f, T0, START, TT_OP_ATCAS(0, 2, 0, 0, 0, 8));
    timed_push(f, T0, START, TT_OP_NOP);
    timed_push(f, T1, START + 1, TT_OP_DMANOP);
    timed_run(f, passes);
    assert_int_equal(passes[T0].count + passes[T1].count, 0);
    f->l1_bytes[4 * 16] = 0;
    struct frontend_turn turn = {.now = GATE + 20, .until = CLOCK_NEVER}; /* somebody has acted */
    frontend_run_timed(&f->tensix, T0, &turn);
    assert_int_equal(f->state.timing.now[T0], GATE + 45); /* NOP; ATCAS at 30 */
    assert_int_equal(f->l1_bytes[4 * 16], 2);
    turn = (struct frontend_turn){.now = GATE + 20, .until = CLOCK_NEVER};
    frontend_run_timed(&f->tensix, T1, &turn);
    assert_int_equal(f->state.timing.now[T1], GATE + 45);
}

static void flushdma_waits_for_requests_and_keeps_others_out(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_LOADIND(1, 0, 0, 4, 8), TT_OP_FLUSHDMA(1), TT_OP_NOP);
    timed_push(f, T1, START + 4, TT_OP_DMANOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 3, TIMING_SCALAR_LOAD);
    ASSERT_PASSED(passes[T1], GATE, TIMING_SCALAR_LOAD);
}

static void results_of_loads_arrive_after_seven_dmanops(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    TIMED_WORDS(f, T0, START, TT_OP_LOADIND(1, 0, 0, 4, 8), TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_DMANOP,
                TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_STALLWAIT(STALL_THREAD, WAIT_THCON), TT_OP_NOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 3, 4, 5, 6, 7, 8, 9, 10, 12);
}

/* Copies a GPR. */
#define COPY_GPR(to, from) TT_OP_ADDDMAREG(1, to, 0, from)
enum { OLD = 0x1234, NEW = 0x5678 };

static void too_early_a_reader_gets_what_was_before_a_load(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t *gpr = f->state.scalar.gpr[T0];
    gpr[4] = OLD;
    f->l1_bytes[0] = NEW & 0xff;
    f->l1_bytes[1] = NEW >> 8;
    TIMED_WORDS(f, T0, START, TT_OP_LOADIND(1, 0, 0, 4, 8), COPY_GPR(12, 4), TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_DMANOP,
                COPY_GPR(13, 4), COPY_GPR(14, 4));
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 3, 6, 7, 8, 9, 12);
    assert_int_equal(gpr[12], OLD);
    assert_int_equal(gpr[13], OLD);
    assert_int_equal(gpr[14], NEW);
}

static void behind_seven_dmanops_or_a_wait_a_load_has_arrived(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t *gpr = f->state.scalar.gpr[T0];
    gpr[4] = gpr[5] = OLD;
    f->l1_bytes[0] = NEW & 0xff;
    f->l1_bytes[1] = NEW >> 8;
    TIMED_WORDS(f, T0, START, TT_OP_LOADIND(1, 0, 0, 4, 8), TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_DMANOP,
                TT_OP_DMANOP, TT_OP_DMANOP, TT_OP_DMANOP, COPY_GPR(12, 4), TT_OP_LOADIND(1, 0, 0, 5, 8),
                TT_OP_STALLWAIT(STALL_THREAD, WAIT_THCON), COPY_GPR(13, 5));
    timed_run(f, passes);
    assert_int_equal(gpr[12], NEW);
    assert_int_equal(gpr[13], NEW);
}

static void the_instruction_behind_rdcfg_gets_what_was_before(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t *gpr = f->state.scalar.gpr[T0];
    gpr[4] = gpr[5] = OLD;
    f->state.config.bank[0][64] = NEW;
    TIMED_WORDS(f, T0, START, TT_OP_RDCFG(4, 64), TT_OP_WRCFG(4, 0, 65), TT_OP_RDCFG(5, 64), TT_OP_NOP,
                TT_OP_WRCFG(5, 0, 66), TT_OP_NOP, TT_OP_NOP);
    timed_run(f, passes);
    assert_int_equal(f->state.config.bank[0][65], OLD);
    assert_int_equal(f->state.config.bank[0][66], NEW);
}

/* The vendor's matrix products add to an address so. */
static void arithmetic_behind_rdcfg_gets_its_result(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t *gpr = f->state.scalar.gpr[T0];
    gpr[4] = OLD;
    gpr[5] = 1;
    f->state.config.bank[0][64] = NEW;
    TIMED_WORDS(f, T0, START, TT_OP_RDCFG(4, 64), TT_OP_ADDDMAREG(0, 4, 4, 5));
    timed_run(f, passes);
    assert_int_equal(gpr[4], NEW + 1);
}

/* XMOV, of another unit, takes its destination from configuration. */
static void the_instruction_behind_wrcfg_gets_what_was_before(void **state)
{
    enum { SOURCE = 0x100, BEFORE = 0x200, AFTER = 0x300 };
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    uint32_t *words = f->state.config.bank[0];
    for (unsigned nops = 0; nops < 2; nops++) {
        memset(f->l1_bytes, 0, 0x10000);
        memset(f->l1_bytes + SOURCE * 16, 0xff, 16);
        memset(&f->state.timing, 0, sizeof f->state.timing);
        words[THCON_SEC0_REG6_Buffer_size_ADDR32] = 0;
        words[THCON_SEC0_REG6_Transfer_direction_ADDR32] = 0;
        words[THCON_SEC0_REG6_Source_address_ADDR32] = SOURCE;
        words[THCON_SEC0_REG6_Destination_address_ADDR32] = BEFORE;
        words[THCON_SEC0_REG6_Buffer_size_ADDR32] |= 1u << THCON_SEC0_REG6_Buffer_size_SHAMT;
        words[THCON_SEC0_REG6_Transfer_direction_ADDR32] |= (uint32_t)XMOV_L1_TO_L1
                                                            << THCON_SEC0_REG6_Transfer_direction_SHAMT;
        f->state.scalar.gpr[T0][4] = AFTER;
        timed_push(f, T0, START, TT_OP_WRCFG(4, 0, THCON_SEC0_REG6_Destination_address_ADDR32));
        if (nops) {
            timed_push(f, T0, START, TT_OP_NOP);
        }
        timed_push(f, T0, START, TT_OP_XMOV(0, 0));
        timed_run(f, passes);
        assert_int_equal(f->l1_bytes[BEFORE * 16], nops ? 0 : 0xff);
        assert_int_equal(f->l1_bytes[AFTER * 16], nops ? 0xff : 0);
    }
}

static void instructions_of_adcs_pass_one_a_cycle(void **state)
{
    one_passes_a_cycle(*state, TT_OP_SETADCXX(1, 0, 0));
}

static void nops_pass_three_a_cycle(void **state)
{
    one_of_each_thread_passes_a_cycle(*state, TT_OP_NOP);
}

static void configure_mover(struct fixture *f, uint32_t units, uint32_t direction)
{
    uint32_t *words = f->state.config.bank[0];
    words[THCON_SEC0_REG6_Source_address_ADDR32] = 0;
    words[THCON_SEC0_REG6_Destination_address_ADDR32] = 0x1000;
    words[THCON_SEC0_REG6_Buffer_size_ADDR32] |= units << THCON_SEC0_REG6_Buffer_size_SHAMT;
    words[THCON_SEC0_REG6_Transfer_direction_ADDR32] |= direction << THCON_SEC0_REG6_Transfer_direction_SHAMT;
}

/* XMOV takes a cycle; the next one starts when the mover is ready. */
static void the_mover_copies_eight_units_in_eleven_cycles(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure_mover(f, 64, XMOV_L1_TO_L1);
    TIMED_WORDS(f, T0, START, TT_OP_XMOV(0, 0), TT_OP_NOP, TT_OP_XMOV(0, 0));
    timed_push(f, T1, START + 1, TT_OP_STALLWAIT(STALL_THREAD, WAIT_XMOV));
    timed_push(f, T1, START + 1, TT_OP_NOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 88);
    ASSERT_PASSED(passes[T1], GATE, 1, 2 * 88 + 1);
}

static void the_mover_clears_a_unit_a_cycle(void **state)
{
    struct fixture *f = *state;
    struct timed_passes passes[TENSIX_THREADS];
    configure_mover(f, 64, XMOV_L0_TO_L1);
    TIMED_WORDS(f, T0, START, TT_OP_XMOV(0, 0), TT_OP_STALLWAIT(STALL_THREAD, WAIT_XMOV), TT_OP_NOP);
    timed_run(f, passes);
    ASSERT_PASSED(passes[T0], GATE, 0, 1, 65);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(semaphore_instructions_pass_one_a_cycle),
        TIMED_TEST(initialisations_of_semaphores_pass_one_a_cycle),
        TIMED_TEST(semgets_pass_one_a_cycle),
        TIMED_TEST(semaphore_instructions_of_a_thread_pass_one_a_cycle),
        TIMED_TEST(waits_of_all_threads_pass_one_a_cycle),
        TIMED_TEST(three_mutexes_are_taken_and_released_in_a_cycle),
        TIMED_TEST(contention_for_a_mutex_costs_a_cycle_or_two),
        TIMED_TEST(mutex_goes_to_who_waits_in_the_cycle_after_its_release),
        TIMED_TEST(setc16_passes_three_a_cycle),
        TIMED_TEST(wrcfg_passes_one_a_cycle),
        TIMED_TEST(rmwcib_passes_one_a_cycle),
        TIMED_TEST(rdcfg_passes_one_a_cycle),
        TIMED_TEST(cfgshiftmask_passes_every_other_cycle),
        TIMED_TEST(streamwrcfg_is_pipelined_and_keeps_others_out),
        TIMED_TEST(rmwcib_waits_for_the_wrcfg_before_it),
        TIMED_TEST(wrcfg_starves_rmwcib_and_rdcfg_of_other_threads),
        TIMED_TEST(instructions_enter_the_pipeline_together_at_different_stages),
        TIMED_TEST(latencies_of_the_configuration_unit_are_documented),
        TIMED_TEST(scalar_instructions_take_their_cycles),
        TIMED_TEST(accesses_to_registers_take_three_cycles),
        TIMED_TEST(requests_to_l1_are_three_cycles_apart),
        TIMED_TEST(atomics_pass_every_twelve_cycles),
        TIMED_TEST(atcas_tries_every_fifteen_cycles),
        TIMED_TEST(flushdma_waits_for_requests_and_keeps_others_out),
        TIMED_TEST(results_of_loads_arrive_after_seven_dmanops),
        TIMED_TEST(too_early_a_reader_gets_what_was_before_a_load),
        TIMED_TEST(behind_seven_dmanops_or_a_wait_a_load_has_arrived),
        TIMED_TEST(the_instruction_behind_rdcfg_gets_what_was_before),
        TIMED_TEST(arithmetic_behind_rdcfg_gets_its_result),
        TIMED_TEST(the_instruction_behind_wrcfg_gets_what_was_before),
        TIMED_TEST(instructions_of_adcs_pass_one_a_cycle),
        TIMED_TEST(nops_pass_three_a_cycle),
        TIMED_TEST(the_mover_copies_eight_units_in_eleven_cycles),
        TIMED_TEST(the_mover_clears_a_unit_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
