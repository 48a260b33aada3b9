/* Tile control, NIU and overlay registers; soft reset. */
#include "isa/tensix_isa.h"
#include "tile/fixture.h"

enum { B = BH_CORE_B, T0 = BH_CORE_T0, T1 = BH_CORE_T1, T2 = BH_CORE_T2, NC = BH_CORE_NC };

static const uint32_t soft_reset = 0xFFB121B0;
static const uint32_t core_bits[BH_CORE_COUNT] = {1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 18};
enum { ALL_CORES = 0x47800 };

/* SoftReset.md */

static void all_cores_begin_in_reset(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(load(fixture, MMIO_NOC, soft_reset), ALL_CORES);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        assert_int_equal(fixture->state->core[core].halt, RV32_IN_RESET);
    }
}

static void each_bit_releases_its_core_at_its_address(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t fixed[BH_CORE_COUNT] = {0, 0x6000, 0xa000, 0xe000, 0x12000};
    static const uint32_t pc_register[BH_CORE_COUNT] = {0, 0xFFB12228, 0xFFB1222C, 0xFFB12230, 0xFFB12238};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        store(fixture, MMIO_NOC, soft_reset, ALL_CORES & ~core_bits[core]);
        for (unsigned other = 0; other < BH_CORE_COUNT; other++) {
            assert_int_equal(fixture->state->core[other].halt == RV32_IN_RESET, other != core);
        }
        assert_int_equal(fixture->state->core[core].pc, fixed[core]);
        if (pc_register[core]) {
            store(fixture, MMIO_NOC, soft_reset, ALL_CORES);
            store(fixture, MMIO_NOC, pc_register[core], 0x100 * (core + 1));
            store(fixture, MMIO_NOC, core == NC ? 0xFFB1223C : 0xFFB12234, core == NC ? 1 : 1u << (core - T0));
            store(fixture, MMIO_NOC, soft_reset, ALL_CORES & ~core_bits[core]);
            assert_int_equal(fixture->state->core[core].pc, 0x100 * (core + 1));
        }
    }
}

static void a_core_that_stays_out_of_reset_runs_on(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES & ~core_bits[B]);
    fixture->state->core[B].pc = 0x500;
    fixture->state->core[B].x[5] = 7;
    store(fixture, MMIO_NOC, soft_reset, 0);
    assert_int_equal(fixture->state->core[B].pc, 0x500);
    assert_int_equal(fixture->state->core[B].x[5], 7);
}

static void entering_reset_discards_what_the_core_had_under_way(void **context)
{
    struct fixture *fixture = *context;
    struct frontend *frontend = &fixture->state->tensix.frontend[1];
    store(fixture, MMIO_NOC, soft_reset, 0);
    store(fixture, T1, 0xFFE40000, 0x02000000);
    store(fixture, B, 0xFFE50000, 0x02000000);
    frontend->mop.active = true;
    store(fixture, T1, 0xFFEC0000, 1); /* T1 to B */
    store(fixture, B, 0xFFEC2000, 2);  /* B to T1 */
    store(fixture, MMIO_NOC, soft_reset, core_bits[T1]);
    assert_int_equal(frontend->fifo.count, 0);
    assert_false(frontend->mop.active);
    assert_int_equal(frontend->after_mop.count, 1); /* behind the MOP expander nothing is lost */
    assert_int_equal(load(fixture, B, 0xFFEC2004), 0);
    assert_int_equal(load(fixture, T1, 0xFFEC0004), 1);
}

static void leaving_reset_clears_registers_ram_and_pc_buf(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, 0xFFEA0000, 5);
    store(fixture, MMIO_NOC, 0xFFB1C000, 6);
    fixture->state->core[T2].x[10] = 7;
    store(fixture, MMIO_NOC, soft_reset, 0);
    uint32_t value;
    assert_int_equal(mmio_load(&fixture->tile, T2, 0xFFE80000, 4, &value), STEP_WAIT);
    assert_int_equal(load(fixture, T2, 0xFFB00000), 0);
    assert_int_equal(fixture->state->core[T2].x[10], 0);
}

static void ram_is_kept_on_request(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t keep[BH_CORE_COUNT] = {6, 0, 2, 4, 8};
    static const uint32_t ram[BH_CORE_COUNT] = {0xFFB14000, 0xFFB18000, 0xFFB1A000, 0xFFB1C000, 0xFFB16000};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        store(fixture, MMIO_NOC, 0xFFB12224, 1u << keep[core]);
        for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
            store(fixture, MMIO_NOC, ram[i], 1);
        }
        store(fixture, MMIO_NOC, soft_reset, 0);
        for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
            assert_int_equal(load(fixture, MMIO_NOC, ram[i]), i == core);
        }
        store(fixture, MMIO_NOC, soft_reset, ALL_CORES);
    }
}

static void parts_of_the_coprocessor_are_reset(void **context)
{
    struct fixture *fixture = *context;
    struct tensix_state *tensix = &fixture->state->tensix;
    tensix->srca.rows[1][63][3] = tensix->srca.rows[0][0][4] = tensix->srcb.rows[1][63][15] = 5;
    tensix->srca.owner[1] = tensix->srcb.owner[0] = SRC_MATRIX_UNIT;
    tensix->srca.matrix_bank = tensix->srca.unpacker_bank = tensix->srcb.matrix_bank = 1;
    tensix->config.bank[1][THCON_CFGREG_BASE_ADDR32] = tensix->config.bank[0][GLOBAL_CFGREG_BASE_ADDR32] = 6;
    tensix->vector.lreg[3][0] = 7;
    tensix->dst.valid[9] = 0;
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES | 1 << 19); /* SrcA, columns 0 to 3 */
    assert_int_equal(tensix->srca.rows[1][63][3], 0);
    assert_int_equal(tensix->srca.rows[0][0][4], 5);
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES | 1 << 15); /* SrcA, AllowedClient */
    assert_int_equal(tensix->srca.owner[1], SRC_UNPACKERS);
    assert_int_equal(tensix->srca.matrix_bank, 0);
    assert_int_equal(tensix->srca.unpacker_bank, 0);
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES | 1 << 16); /* SrcB, both */
    assert_int_equal(tensix->srcb.owner[0], SRC_UNPACKERS);
    assert_int_equal(tensix->srcb.rows[1][63][15], 0);
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES | 1 << 10); /* matrix and vector unit, all of SrcA */
    assert_int_equal(tensix->srca.rows[0][0][4], 0);
    assert_int_equal(tensix->vector.lreg[3][0], 7);
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES);
    assert_int_equal(tensix->vector.lreg[3][0], 0);
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES | 1 << 17); /* ZEROACC */
    assert_int_equal(tensix->dst.valid[9], 1);
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES | 1 << 9); /* THCON configuration */
    assert_int_equal(tensix->config.bank[1][THCON_CFGREG_BASE_ADDR32], 0);
    assert_int_equal(tensix->config.bank[0][GLOBAL_CFGREG_BASE_ADDR32], 6);
}

static void what_is_held_in_reset_takes_no_writes_and_no_instructions(void **context)
{
    struct fixture *fixture = *context;
    uint32_t thcon = 0xFFEF0000 + 4 * THCON_CFGREG_BASE_ADDR32;
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES | 1 << 9 | 1 << 8);
    store(fixture, T0, thcon, 1);
    store(fixture, T0, thcon - 4, 1);
    store(fixture, T0, 0xFFB11024, 1);
    assert_int_equal(load(fixture, T0, thcon), 0);
    assert_int_equal(load(fixture, T0, thcon - 4), 1);
    assert_int_equal(load(fixture, T0, 0xFFB11024), 0);
    assert_refused(fixture, mmio_store(&fixture->tile, T0, 0xFFE40000, 4, 0x02000000), BH_UNSUPPORTED, "0x000300");
    store(fixture, MMIO_NOC, soft_reset, ALL_CORES);
    store(fixture, T0, thcon, 1);
    assert_int_equal(load(fixture, T0, thcon), 1);
    /* Instructions in flight would be aborted at an unspecified point. */
    store(fixture, B, 0xFFE60000, 0xa6ff8005); /* SEMWAIT: everything, until semaphore 0 is not zero */
    store(fixture, B, 0xFFE60000, 0x02000000);
    assert_refused(fixture, mmio_store(&fixture->tile, MMIO_NOC, soft_reset, 4, 0x400), BH_UNSUPPORTED, "0x000400");
    assert_int_equal(load(fixture, MMIO_NOC, soft_reset), ALL_CORES);
    assert_int_equal(fixture->state->core[B].halt, RV32_IN_RESET);
}

static void bits_above_23_have_no_effect(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, MMIO_NOC, soft_reset, 0x80000000 | core_bits[T0]);
    assert_int_equal(load(fixture, MMIO_NOC, soft_reset), core_bits[T0]);
}

static void pcs_can_be_watched(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t snapshot[BH_CORE_COUNT] = {0xFFB13138, 0xFFB13140, 0xFFB13144, 0xFFB13148, 0xFFB1313C};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        fixture->state->core[core].pc = 0x1000 + core;
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        assert_int_equal(load(fixture, MMIO_NOC, snapshot[core]), 0x1000 + core);
    }
}

/* DebugTimestamper.md */

static void each_core_reads_the_wall_clock_at_its_own_time(void **context)
{
    struct fixture *fixture = *context;
    clock_begin(&fixture->state->clock, 5000);
    clock_pass(&fixture->state->clock, BH_CORE_T1, 40);
    assert_int_equal(load(fixture, BH_CORE_T1, 0xFFB121F0), 5040);
    assert_int_equal(load(fixture, BH_CORE_B, 0xFFB121F0), 5000);
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB121F0), 5000);
    assert_int_equal(load(fixture, MMIO_COPROCESSOR, 0xFFB121F0), 5000);
}

static void the_wall_clock_latches_its_high_half(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->clock.now = 0x500000001;
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB121F8), 0);
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB121F0), 1);
    fixture->state->clock.now = 0x700000009;
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB121F8), 5);
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB121F4), 7);
    store(fixture, MMIO_NOC, 0xFFB121F0, 0);
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB121F8), 7);
    store(fixture, MMIO_NOC, 0xFFB121F4, 99);
    store(fixture, MMIO_NOC, 0xFFB121F8, 99);
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB121F8), 7);
}

/* CycleCounters.md: "the value within RISCV_DEBUG_REG_WDT is decremented by one every cycle, unless it is already zero"
 */
static void the_watchdog_counts_down(void **context)
{
    enum { TIMER = 0xFFB121E0, CONTROL = 0xFFB121E4, STATUS = 0xFFB121E8 };
    struct fixture *fixture = *context;
    assert_int_equal(load(fixture, B, TIMER), UINT32_MAX);
    store(fixture, B, TIMER, 1000);
    fixture->state->clock.now += 100;
    assert_int_equal(load(fixture, MMIO_NOC, TIMER), 1000); /* the watchdog is not enabled yet */
    store(fixture, B, CONTROL, 1);
    fixture->state->clock.now += 400;
    assert_int_equal(load(fixture, MMIO_NOC, TIMER), 600);
    assert_int_equal(load(fixture, MMIO_NOC, STATUS), 0);
    store(fixture, MMIO_NOC, CONTROL, 0);
    fixture->state->clock.now += 400;
    assert_int_equal(load(fixture, MMIO_NOC, TIMER), 600);
    store(fixture, MMIO_NOC, CONTROL, 1);
    fixture->state->clock.now += 599;
    assert_int_equal(load(fixture, MMIO_NOC, TIMER), 1);
    fixture->state->clock.now += 2;
    assert_int_equal(load(fixture, MMIO_NOC, TIMER), 0);
    assert_int_equal(load(fixture, MMIO_NOC, STATUS), 1);
}

static void what_is_not_there_yet_is_said(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    assert_refused(fixture, mmio_load(&fixture->tile, B, 0xFFB120B4, 4, &value), BH_UNSUPPORTED,
                   "reading FPU_STICKY_BITS");
    assert_refused(fixture, mmio_store(&fixture->tile, B, 0xFFB121E4, 4, 2), BH_UNSUPPORTED, "WDT_CNTL");
    assert_refused(fixture, mmio_load(&fixture->tile, B, 0xFFB12FF0, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
    assert_refused(fixture, mmio_store(&fixture->tile, B, 0xFFB12068, 4, 1u << 10), BH_UNSUPPORTED,
                   "DBG_FEATURE_DISABLE");
    store(fixture, B, 0xFFB12078, 5); /* read-only: no effect, with a warning */
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

/* Dst.md: bit 11 of DBG_FEATURE_DISABLE, which software should not use. */
static void a_chicken_bit_finds_rows_of_dst_elsewhere(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, 0xFFB12068, 1u << 11);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_int_equal(load(fixture, B, 0xFFB12068), 1u << 11);
    assert_int_equal(fixture->state->tensix.dst.only_row32, 1);
    store(fixture, B, 0xFFB12068, 0);
    assert_int_equal(fixture->state->tensix.dst.only_row32, 0);
    assert_int_equal(fixture->state->diagnostics.count, 1);
}

static void dst_shows_in_the_debug_array(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->tensix.dst.rows[9][6] = dst_from_hardware(0x1234);
    fixture->state->tensix.dst.rows[9][7] = dst_from_hardware(0xabcd);
    store(fixture, MMIO_NOC, 0xFFB12060, 1);
    store(fixture, MMIO_NOC, 0xFFB12064, 2u << 16 | 3u << 12 | 9);
    assert_int_equal(load(fixture, MMIO_NOC, 0xFFB1206C), 0xabcd1234);
}

/* NoC/MemoryMap.md; the fixture's tile is (3, 5). */

static void an_niu_knows_where_it_is(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(load(fixture, B, 0xFFB20044), 3 | 5 << 6 | 17 << 12 | 12 << 19 | 1 << 28);
    assert_int_equal(load(fixture, B, 0xFFB30044), 13 | 6 << 6 | 17 << 12 | 12 << 19);
    assert_int_equal(load(fixture, B, 0xFFB20844), load(fixture, B, 0xFFB20044));
    assert_int_equal(load(fixture, B, 0xFFB20148), 3 | 5 << 6);
    assert_int_equal(load(fixture, B, 0xFFB30148), 3 | 5 << 6);
    assert_int_equal(load(fixture, B, 0xFFB20048), 0x0100 << 8 | (2 + 3 * 14));
    assert_int_equal(load(fixture, B, 0xFFB30048), 1 << 24 | 0x0100 << 8 | (2 + 3 * 14));
    assert_int_equal(load(fixture, B, 0xFFB20108), 0x301);
    assert_int_equal(load(fixture, B, 0xFFB30108), 0x10180);
    assert_int_equal(load(fixture, B, 0xFFB20110), 0x3);
    assert_int_equal(load(fixture, B, 0xFFB30110), 0xc00);
}

static void request_initiators_are_eight_sets_of_registers(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < 8; i++) {
            uint32_t base = 0xFFB20000 + 0x10000 * (i & 1) + 0x800 * (i >> 1);
            for (uint32_t offset = 0; offset < 0x30; offset += 4) {
                uint32_t value = offset == 0x18 ? i << 10 : i << 8 | offset;
                if (pass == 0) {
                    store(fixture, NC, base + offset, value);
                } else {
                    assert_int_equal(load(fixture, NC, base + offset), value);
                }
            }
            assert_int_equal(load(fixture, NC, base + 0x40), 0);
        }
    }
    store(fixture, NC, 0xFFB20018, 0xffffffff);
    assert_int_equal(load(fixture, NC, 0xFFB20018), 0xffff);
}

static void the_word_behind_a_request_can_be_cleared(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    store(fixture, NC, 0xFFB20038, 0);
    store(fixture, NC, 0xFFB31838, 0);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    fixture->state->diagnostics.count = 0;
    assert_refused(fixture, mmio_load(&fixture->tile, B, 0xFFB20038, 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
    assert_refused(fixture, mmio_store(&fixture->tile, B, 0xFFB2003C, 4, 0), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
}

/* NoC/Counters.md: the counters that a non-posted write has incremented when it leaves the initiator's registers. */
static void a_request_leaves_the_tile(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, NC, 0xFFB31018, 3 << 10);
    store(fixture, NC, 0xFFB3101C, 0x2092);
    store(fixture, NC, 0xFFB31020, 64);
    store(fixture, NC, 0xFFB31040, 0);
    assert_int_equal(fixture->state->registers.outbox.count, 0);
    store(fixture, NC, 0xFFB31040, 1);
    assert_int_equal(load(fixture, NC, 0xFFB31040), 0);
    assert_int_equal(fixture->state->registers.outbox.count, 1);
    assert_int_equal(load(fixture, NC, 0xFFB30200 + 4 * 4), 1);        /* NIU_MST_CMD_ACCEPTED */
    assert_int_equal(load(fixture, NC, 0xFFB30200 + 4 * 12), 1);       /* NIU_MST_NONPOSTED_WR_REQ_STARTED */
    assert_int_equal(load(fixture, NC, 0xFFB30200 + 4 * (16 + 3)), 1); /* NIU_MST_REQS_OUTSTANDING_ID(3) */
    assert_int_equal(load(fixture, NC, 0xFFB30200 + 4 * (32 + 3)), 1); /* NIU_MST_WRITE_REQS_OUTGOING_ID(3) */
    assert_int_equal(load(fixture, NC, 0xFFB30200 + 4 * 10), 0);       /* NIU_MST_NONPOSTED_WR_REQ_SENT */
    store(fixture, NC, 0xFFB30060, 1 << 3);
    assert_int_equal(load(fixture, NC, 0xFFB30200 + 4 * (16 + 3)), 0);
}

/* NoC/Overlay/AsGeneralUse.md */

static uint32_t stream_register(unsigned stream, unsigned index)
{
    return 0xFFB40000 + 0x1000 * stream + 4 * index;
}

static void streams_are_counters(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned stream = 0; stream < 64; stream++) {
        store(fixture, T0, stream_register(stream, 8), 0xfff00000 + stream);
        store(fixture, T0, stream_register(stream, 10), 0xfff20000 + stream);
        store(fixture, T0, stream_register(stream, 4), 0xff000000 + stream);
    }
    for (unsigned stream = 0; stream < 64; stream++) {
        assert_int_equal(load(fixture, T1, stream_register(stream, 8)), stream);
        assert_int_equal(load(fixture, T1, stream_register(stream, 10)), stream);
        assert_int_equal(load(fixture, T1, stream_register(stream, 4)), stream);
        assert_int_equal(load(fixture, T1, stream_register(stream, 297)), stream);
        store(fixture, MMIO_NOC, stream_register(stream, 270), 5 << 6);
        assert_int_equal(load(fixture, T1, stream_register(stream, 297)), stream + 5);
        store(fixture, MMIO_NOC, stream_register(stream, 270), (uint32_t)-6 << 6);
        assert_int_equal(load(fixture, T1, stream_register(stream, 297)), (stream - 1) & 0x1ffff);
        assert_int_equal(load(fixture, T1, stream_register(stream, 10)), stream);
    }
}

static void multicast_streams_count_for_32_destinations(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, stream_register(3, 10), 100);
    store(fixture, B, stream_register(3, 270), 7 << 6 | 31);
    assert_int_equal(load(fixture, B, stream_register(3, 297 + 31)), 107);
    assert_int_equal(load(fixture, B, stream_register(3, 297)), 100);
    assert_refused(fixture, mmio_store(&fixture->tile, B, stream_register(4, 270), 4, 1), BH_UNDEFINED_BEHAVIOR,
                   "destination 1");
}

/* AsGeneralUse.md: the base is added on writes and subtracted on reads; the low 12 bits of the header of a phase are
   added to the phase, its high 20 are kept. Indices are Blackhole's. */
static void phases_count_from_their_base(void **context)
{
    enum { REMOTE_SRC_PHASE = 5, CURR_PHASE_BASE = 28, CURR_PHASE = 29, PHASE_AUTO_CFG_HEADER = 34 };
    struct fixture *fixture = *context;
    store(fixture, B, stream_register(7, CURR_PHASE_BASE), 0x100);
    store(fixture, B, stream_register(7, CURR_PHASE), 5);
    store(fixture, B, stream_register(7, REMOTE_SRC_PHASE), 6);
    assert_int_equal(load(fixture, T2, stream_register(7, CURR_PHASE)), 5);
    store(fixture, B, stream_register(7, CURR_PHASE_BASE), 0x101);
    assert_int_equal(load(fixture, T2, stream_register(7, CURR_PHASE)), 4);
    assert_int_equal(load(fixture, T2, stream_register(7, REMOTE_SRC_PHASE)), 5);
    store(fixture, MMIO_NOC, stream_register(7, PHASE_AUTO_CFG_HEADER), 0xab003004);
    assert_int_equal(load(fixture, T2, stream_register(7, CURR_PHASE)), 8);
    assert_int_equal(load(fixture, T2, stream_register(7, PHASE_AUTO_CFG_HEADER)) >> 12, 0xab003);
    store(fixture, MMIO_NOC, stream_register(7, PHASE_AUTO_CFG_HEADER), 0xfff);
    assert_int_equal(load(fixture, T2, stream_register(7, CURR_PHASE)), 8 + 0xfff);
    assert_int_equal(load(fixture, T2, stream_register(8, CURR_PHASE)), 0);
}

/* STREAMWAIT and STREAMWRCFG on the tile's streams: phases and space updates that arrive over the NoC. */
static void a_thread_waits_for_a_stream_and_copies_from_it(void **context)
{
    enum { STREAM = 21, CURR_PHASE = 29, SPACE = 297, SPACE_UPDATE = 270, HEADER = 34, CONFIG_WORD = 77 };
    struct fixture *fixture = *context;
    const uint32_t *config = fixture->state->tensix.config.bank[0];
    store(fixture, T1, 0xFFE40000,
          (uint32_t)TENSIX_OPCODE_SETC16 << 24 | STREAM_ID_SYNC_SEC0_BankSel_ADDR32 << 16 | STREAM);
    store(fixture, T1, 0xFFE40000, (uint32_t)TENSIX_OPCODE_STREAMWAIT << 24 | 1u << 22 | 3 << 4); /* B7; phase 3 */
    store(fixture, T1, 0xFFE40000, (uint32_t)TENSIX_OPCODE_STREAMWRCFG << 24 | SPACE << 11 | CONFIG_WORD);
    store(fixture, MMIO_NOC, stream_register(STREAM, SPACE_UPDATE), 9 << 6);
    for (unsigned phase = 0; phase < 3; phase++) {
        tensix_drain(&fixture->tile.tensix);
        assert_int_equal(config[CONFIG_WORD], 0);
        store(fixture, MMIO_NOC, stream_register(STREAM, HEADER), 1);
    }
    tensix_drain(&fixture->tile.tensix);
    assert_int_equal(load(fixture, NC, stream_register(STREAM, CURR_PHASE)), 3);
    assert_int_equal(config[CONFIG_WORD], 9);
}

static void idle_streams_wait_for_software(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value;
    assert_int_equal(load(fixture, B, stream_register(9, 257)), 1); /* the stream waits for software */
    assert_int_equal(load(fixture, B, stream_register(9, 259)), 0);
    assert_int_equal(load(fixture, B, stream_register(9, 278)), 0);
    store(fixture, B, stream_register(9, 256), 0xffffffff);
    assert_int_equal(load(fixture, B, stream_register(9, 256)), 0xffffffff);
    assert_refused(fixture, mmio_store(&fixture->tile, B, stream_register(9, 267), 4, 1), BH_UNDEFINED_BEHAVIOR,
                   "has to name one source");
    assert_refused(fixture, mmio_load(&fixture->tile, B, stream_register(9, 490), 4, &value), BH_UNSUPPORTED,
                   "register 490 of overlay stream 9");
    assert_refused(fixture, mmio_load(&fixture->tile, B, stream_register(9, 512), 4, &value), BH_UNDEFINED_BEHAVIOR,
                   "no register there");
}

/* DebugTimestamper.md: "Timestamp event streams" */

static void timestamp_events_go_to_l1(void **context)
{
    struct fixture *fixture = *context;
    struct l1 *l1 = &fixture->tile.l1;
    static const uint32_t command = 0xFFB121FC, control = 0xFFB12200, status = 0xFFB12204;
    store(fixture, MMIO_NOC, 0xFFB12208, 0x4000 / 16);
    store(fixture, MMIO_NOC, 0xFFB1220C, 0x4010 / 16); /* room for two units */
    store(fixture, MMIO_NOC, control, 1);
    fixture->state->clock.now = 0x1122334455;
    store(fixture, MMIO_NOC, command, 0xabcd0001); /* 64 bits */
    assert_int_equal(load(fixture, MMIO_NOC, status), 1 << 8);
    assert_int_equal(l1_load32(l1, 0x4000), 0);
    store(fixture, MMIO_NOC, command, 0xabcd0009);
    assert_int_equal(l1_load32(l1, 0x4000), 0xabcd0001);
    assert_int_equal(l1_load32(l1, 0x4004), 0x22334455);
    assert_int_equal(l1_load32(l1, 0x4008), 0xabcd0009);
    assert_int_equal(load(fixture, MMIO_NOC, status), 1 << 14);
    store(fixture, MMIO_NOC, command, 0x12345678); /* 128 bits */
    assert_int_equal(l1_load32(l1, 0x4010), 0x12345678);
    assert_int_equal(l1_load32(l1, 0x4018), 0x11);
    assert_int_equal(l1_load32(l1, 0x401c), 0);
    assert_int_equal(load(fixture, MMIO_NOC, status), 2 << 14 | 1); /* full */
    store(fixture, MMIO_NOC, command, 0);
    assert_int_equal(load(fixture, MMIO_NOC, status), 2 << 14 | 1 << 4 | 1); /* overflow */
    store(fixture, MMIO_NOC, status, 1 << 4 | 1);
    assert_int_equal(load(fixture, MMIO_NOC, status), 0);
    store(fixture, MMIO_NOC, command, 0x4); /* 96 bits, then flushed */
    store(fixture, MMIO_NOC, command, 0x7);
    assert_int_equal(l1_load32(l1, 0x4008), 0x11);
    store(fixture, MMIO_NOC, command, 0xfff2beea); /* 32 bits */
    store(fixture, MMIO_NOC, command, 0xfff2beea);
    assert_int_equal(load(fixture, MMIO_NOC, status), 1 << 14 | 2 << 9);
    assert_refused(fixture, mmio_store(&fixture->tile, B, command, 4, 1), BH_UNDEFINED_BEHAVIOR,
                   "events of 64 bits among events of 32 bits");
    store(fixture, MMIO_NOC, command, 0xfff2beea);
    store(fixture, MMIO_NOC, command, 0xfff2beea);
    assert_int_equal(l1_load32(l1, 0x4010), 0xbeea | (0x22334455u & 0x1fffe0) << 11);
    assert_refused(fixture, mmio_store(&fixture->tile, B, command, 4, 5), BH_UNDEFINED_BEHAVIOR, "no command");
}

static void the_daisychain_shows_counters(void **context)
{
    struct fixture *fixture = *context;
    struct tensix_state *tensix = &fixture->state->tensix;
    static const uint32_t control = 0xFFB12054, data = 0xFFB1205C;
    uint32_t value;
    tensix->addr.adc[2][ADC_PACKER].channel[1] = (struct adc_channel){.x = 0x3ffff, .x_cr = 0x2aaaa, .y = 5, .w_cr = 9};
    store(fixture, MMIO_NOC, control, 1u << 29 | 6 << 16 | 5);
    assert_int_equal(load(fixture, MMIO_NOC, data), 0x3ffff | 0x2aaaau << 18);
    store(fixture, MMIO_NOC, control, 1u << 29 | 1 << 25 | 6 << 16 | 5);
    assert_int_equal(load(fixture, MMIO_NOC, data), 0x2aaaa >> 14);
    store(fixture, MMIO_NOC, control, 1u << 29 | 3 << 25 | 6 << 16 | 5);
    assert_int_equal(load(fixture, MMIO_NOC, data), 9 << 24);
    tensix->addr.rwc[2].dst = 0x3ff; /* bits 160 and on: word 5 */
    store(fixture, MMIO_NOC, control, 1u << 29 | 1 << 25 | 3 << 16 | 3);
    assert_int_equal(load(fixture, MMIO_NOC, data), 0x3ff);
    store(fixture, MMIO_NOC, control, 3 << 16 | 3);
    assert_refused(fixture, mmio_load(&fixture->tile, B, data, 4, &value), BH_UNDEFINED_BEHAVIOR, "bit 29");
    store(fixture, MMIO_NOC, control, 1u << 29 | 9 << 16);
    assert_int_equal(load(fixture, B, data), 0); /* not documented: a warning says so */
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(fixture->state->diagnostics.entries[0].text, "place 9, signals 0"));
}

/* CSRs.md, tt_cfg_qstatus, tt_cfg_bstatus */

static uint32_t status(struct fixture *fixture, unsigned core, enum rv32_csr csr)
{
    uint32_t value;
    assert_int_equal(core_status(&fixture->tile, core, csr, &value), STEP_DONE);
    return value;
}

static void status_csrs_show_what_is_queued(void **context)
{
    struct fixture *fixture = *context;
    enum { LANES = 1 << 11 | 1 << 24, UNPACK = 1 << 4 | 1 << 8, MATRIX = 1 << 10 };
    assert_int_equal(status(fixture, T0, RV32_CSR_tt_cfg_qstatus), LANES);         /* idle */
    (void)fifo_push(&fixture->state->tensix.frontend[0].fifo, 0x42000000, 0);      /* UNPACR */
    (void)fifo_push(&fixture->state->tensix.frontend[1].after_mop, 0x26000000, 0); /* MVMUL */
    (void)fifo_push(&fixture->state->tensix.frontend[1].fifo, 0x01000000, 0);      /* MOP */
    uint32_t all = UNPACK | MATRIX | 1 << 1;
    assert_int_equal(status(fixture, T0, RV32_CSR_tt_cfg_qstatus), LANES | UNPACK | all << 13);
    assert_int_equal(status(fixture, T1, RV32_CSR_tt_cfg_qstatus), LANES | MATRIX | 1 << 1 | all << 13);
    assert_int_equal(status(fixture, T2, RV32_CSR_tt_cfg_qstatus), LANES | all << 13);
    assert_int_equal(status(fixture, B, RV32_CSR_tt_cfg_qstatus), LANES | all | all << 13);
    assert_int_equal(status(fixture, NC, RV32_CSR_tt_cfg_bstatus), all | all << 11);
    fixture->state->tensix.config.thread[2][STREAM_ID_SYNC_SEC1_BankSel_ADDR32] = 17;
    store(fixture, B, 0xFFB40000 + 0x1000 * 17 + 4 * 29, 0x12345);
    assert_int_equal(status(fixture, T2, RV32_CSR_tt_cfg_sstatus1), 0x12345);
    assert_int_equal(status(fixture, T2, RV32_CSR_tt_cfg_sstatus5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_cores_begin_in_reset),
        TEST(each_bit_releases_its_core_at_its_address),
        TEST(a_core_that_stays_out_of_reset_runs_on),
        TEST(entering_reset_discards_what_the_core_had_under_way),
        TEST(leaving_reset_clears_registers_ram_and_pc_buf),
        TEST(ram_is_kept_on_request),
        TEST(parts_of_the_coprocessor_are_reset),
        TEST(what_is_held_in_reset_takes_no_writes_and_no_instructions),
        TEST(bits_above_23_have_no_effect),
        TEST(pcs_can_be_watched),
        TEST(each_core_reads_the_wall_clock_at_its_own_time),
        TEST(the_wall_clock_latches_its_high_half),
        TEST(the_watchdog_counts_down),
        TEST(what_is_not_there_yet_is_said),
        TEST(a_chicken_bit_finds_rows_of_dst_elsewhere),
        TEST(dst_shows_in_the_debug_array),
        TEST(timestamp_events_go_to_l1),
        TEST(the_daisychain_shows_counters),
        TEST(status_csrs_show_what_is_queued),
        TEST(an_niu_knows_where_it_is),
        TEST(request_initiators_are_eight_sets_of_registers),
        TEST(the_word_behind_a_request_can_be_cleared),
        TEST(a_request_leaves_the_tile),
        TEST(streams_are_counters),
        TEST(multicast_streams_count_for_32_destinations),
        TEST(phases_count_from_their_base),
        TEST(a_thread_waits_for_a_stream_and_copies_from_it),
        TEST(idle_streams_wait_for_software),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
