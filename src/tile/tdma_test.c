/* TDMA-RISC: every register, every command. Source: ISA documentation TDMA-RISC.md. */
#include "tile/fixture.h"
#include "util/bits.h"

enum { B = BH_CORE_B, T0 = BH_CORE_T0, T1 = BH_CORE_T1, T2 = BH_CORE_T2, NC = BH_CORE_NC };

static const uint32_t tdma = 0xFFB11000;
enum { SRC_ADDR = 0x00, DST_ADDR = 0x04, SIZE = 0x08, DIRECTION = 0x0c, COMMAND = 0x10, STATUS = 0x14 };
enum { PACKED_SIZE = 0x18, ACC_PACKED_SIZE = 0x1c, ALL_ZERO_FLAGS = 0x20, CLK_GATE_EN = 0x24, CLK_GATE_HYST = 0x28 };
enum { L1_BASE = 0x2c, FIFO_SIZE = 0x30, FIFO_ZEROMASK = 0x34, FIFO_STATUS = 0x38, SCALARS = 0x3c };
enum { MOVE = 0x40, MOVER_WAIT = 0x46, WRITE_L1 = 0x66, NOP = 0x89 };
#define COMPACT 0x80000000u

/* Mover.md: xmov_direction_t. */
enum { L0_TO_L1, L1_TO_L0, L0_TO_L0, L1_TO_L1 };

static enum step try_load(struct fixture *fixture, unsigned core, uint32_t offset)
{
    uint32_t value;
    return mmio_load(&fixture->tile, core, tdma + offset, 4, &value);
}

static enum step try_command(struct fixture *fixture, unsigned core, uint32_t command)
{
    return mmio_store(&fixture->tile, core, tdma + COMMAND, 4, command);
}

static void put_parameters(struct fixture *fixture, unsigned core, uint32_t source, uint32_t destination, uint32_t size,
                           uint32_t direction)
{
    store(fixture, core, tdma + SRC_ADDR, source);
    store(fixture, core, tdma + DST_ADDR, destination);
    store(fixture, core, tdma + SIZE, size);
    store(fixture, core, tdma + DIRECTION, direction);
}

static void fill_l1(struct fixture *fixture, uint32_t address, uint32_t size)
{
    for (uint32_t i = 0; i < size; i += 4) {
        l1_store32(&fixture->tile.l1, address + i, 0x9e3779b9u * (address + i) + 1);
    }
}

/* The registers */

static void parameters_and_command_read_as_zero(void **context)
{
    struct fixture *fixture = *context;
    put_parameters(fixture, T0, 1, 2, 3, 4);
    store(fixture, T0, tdma + COMMAND, NOP);
    for (uint32_t offset = SRC_ADDR; offset <= COMMAND; offset += 4) {
        assert_int_equal(load(fixture, T0, tdma + offset), 0);
    }
}

/* Bits 3 and 5: both queues are empty; bits 15:8: room for four commands; bit 0: the mover is idle. */
static void status_shows_idle_after_every_command(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t commands[] = {MOVE, MOVER_WAIT, WRITE_L1 | 0x600, NOP, COMPACT | NOP, COMPACT | MOVE};
    put_parameters(fixture, T0, 0x40, 0x80, 1, L1_TO_L1);
    for (unsigned i = 0; i < COUNT_OF(commands); i++) {
        assert_int_equal(load(fixture, T0, tdma + STATUS), 0x428);
        store(fixture, T0, tdma + COMMAND, commands[i]);
    }
    assert_int_equal(load(fixture, T0, tdma + STATUS), 0x428);
}

static void writes_to_what_is_only_read_have_no_effect(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t offsets[] = {STATUS, PACKED_SIZE, ALL_ZERO_FLAGS, FIFO_SIZE};
    for (unsigned i = 0; i < COUNT_OF(offsets); i++) {
        fixture->state->diagnostics.now.pc = 4 * i;
        store(fixture, B, tdma + offsets[i], 0xffffffff);
        assert_int_equal(fixture->state->diagnostics.count, 1);
        assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
        fixture->state->diagnostics.count = 0;
    }
    assert_int_equal(load(fixture, B, tdma + STATUS), 0x428);
    assert_int_equal(load(fixture, B, tdma + PACKED_SIZE), 0);
    assert_int_equal(load(fixture, B, tdma + ALL_ZERO_FLAGS), 0);
}

static void each_core_has_a_base_for_compact_commands(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned core = B; core <= T2; core++) {
        store(fixture, core, tdma + L1_BASE, 50 + core);
    }
    for (unsigned core = B; core <= T2; core++) {
        assert_int_equal(load(fixture, core, tdma + L1_BASE), 50 + core);
    }
}

static void clock_gating_keeps_the_bits_that_exist(void **context)
{
    struct fixture *fixture = *context;
    store(fixture, B, tdma + CLK_GATE_EN, 0xffffffff);
    store(fixture, B, tdma + CLK_GATE_HYST, 0xffffffff);
    assert_int_equal(load(fixture, T2, tdma + CLK_GATE_EN), 0xffffff7f);
    assert_int_equal(load(fixture, T2, tdma + CLK_GATE_HYST), 0x01ff007f);
    store(fixture, B, tdma + CLK_GATE_EN, 0x3f);
    assert_int_equal(load(fixture, T2, tdma + CLK_GATE_EN), 0x3f);
}

/* SetScaler, ScalarsAndStatus */
static void scalers_are_set_three_at_once_and_one_alone(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t *scaler = fixture->state->registers.tdma_setreg_scaler;
    store(fixture, T2, tdma + CLK_GATE_HYST, 0x1234 << 16 | 0x7f);
    assert_int_equal(scaler[3], 0x34);
    static const uint32_t places[] = {SCALARS, 0x100 + SCALARS};
    for (unsigned i = 0; i < COUNT_OF(places); i++) {
        uint32_t value = 0xf8000000 | 0x101 << 18 | 0x0aa << 9 | (0x155 + i);
        store(fixture, T2, tdma + places[i], value);
        assert_int_equal(scaler[0], 0x155 + i);
        assert_int_equal(scaler[1], 0x0aa);
        assert_int_equal(scaler[2], 0x101);
        assert_int_equal(scaler[3], 0x34);
        assert_int_equal(load(fixture, T2, tdma + SCALARS), value & 0x07ffffff); /* nobody is busy */
        assert_int_equal(load(fixture, T2, tdma + 0x100 + SCALARS), value & 0x07ffffff);
    }
}

/* UnpackerPackerAcc, ScalarsAndStatus: the sum of UNPACR_NOP's register writes is read in two parts. */
static void sums_of_the_unpackers_are_read(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->tensix.unpack.register_sum[0] = 0x1234;
    fixture->state->tensix.unpack.register_sum[1] = 0x1abcd;
    for (unsigned packer = 0; packer < 4; packer++) {
        uint32_t size = load(fixture, B, tdma + 0x100 * packer + ACC_PACKED_SIZE);
        assert_int_equal(size, packer & 1 ? 0xabcd0000 : 0x12340000);
    }
    assert_int_equal(load(fixture, T2, tdma + SCALARS), 0);
    assert_int_equal(load(fixture, T2, tdma + 0x100 + SCALARS), 0x80000000);
}

/* SetPackRegAddr, MetadataFIFOStatus: the four queues are empty. */
static void addresses_of_pacr_setreg_are_set(void **context)
{
    struct fixture *fixture = *context;
    uint32_t value = 0xab000000 | 2u << 22 | 1u << 20 | 0x3ff << 10 | 0x0a5;
    store(fixture, T2, tdma + FIFO_STATUS, value);
    assert_int_equal(fixture->state->tensix.pack.setreg_base[0], 1u << 18 | 0x0a5 << 2);
    assert_int_equal(fixture->state->tensix.pack.setreg_base[1], 2u << 18 | 0x3ff << 2);
    assert_int_equal(load(fixture, T2, tdma + FIFO_STATUS), value << 8 | 0x55);
}

/* PackerTileSize, UnpackerPackerAcc: thread t of packer p at 0x100 * p + 0x40 * t. */
static void tile_sizes_show_to_their_thread(void **context)
{
    struct fixture *fixture = *context;
    struct pack_unit *pack = &fixture->state->tensix.pack;
    for (unsigned last = 0; last < 3; last++) {
        pack->last_thread = (uint8_t)last;
        pack->last_tile_size = (uint16_t)(0x80 + last);
        pack->all_zero_flags = 0xa5 << last;
        for (unsigned thread = 0; thread < 3; thread++) {
            pack->accumulated_tile_size[thread] = (uint16_t)(0x1000 * last + thread + 1);
        }
        for (unsigned packer = 0; packer < 4; packer++) {
            uint32_t flags = load(fixture, B, tdma + 0x100 * packer + ALL_ZERO_FLAGS);
            assert_int_equal(flags, packer == 0 ? 0xa5u << last : 0);
            for (unsigned thread = 0; thread < 3; thread++) {
                uint32_t at = tdma + 0x100 * packer + 0x40 * thread;
                bool own = packer == 0; /* Blackhole has packer 0 only */
                assert_int_equal(load(fixture, B, at + PACKED_SIZE), own && thread == last ? 0x80 + last : 0);
                assert_int_equal(load(fixture, B, at + ACC_PACKED_SIZE), own ? 0x1000 * last + thread + 1 : 0);
            }
        }
    }
}

/* ResetPackerAccTileSize: bit 16 + p resets packer p, at each of the addresses. */
static void accumulated_sizes_are_reset_by_their_bit(void **context)
{
    struct fixture *fixture = *context;
    struct pack_unit *pack = &fixture->state->tensix.pack;
    for (unsigned packer = 0; packer < 4; packer++) {
        for (unsigned thread = 0; thread < 3; thread++) {
            uint32_t at = tdma + 0x100 * packer + 0x40 * thread + ACC_PACKED_SIZE;
            pack->accumulated_tile_size[0] = pack->accumulated_tile_size[1] = pack->accumulated_tile_size[2] = 7;
            pack->l1_dest_addr_offset = 9;
            store(fixture, B, at, 0xfffe1234);
            assert_int_equal(pack->accumulated_tile_size[thread], 7);
            assert_int_equal(pack->l1_dest_addr_offset, 9);
            store(fixture, B, at, 0x00011234);
            for (unsigned i = 0; i < 3; i++) {
                assert_int_equal(pack->accumulated_tile_size[i], 0);
            }
            assert_int_equal(pack->l1_dest_addr_offset, 0x1234);
        }
    }
}

/* MetadataFIFO: a load of the size returns that of the oldest tile, and waits for one; a load of the flags, or a store
   to them, removes the tile; the status tells whether there is one, and whether there is room. */
static void tile_sizes_queue_up(void **context)
{
    struct fixture *fixture = *context;
    struct pack_unit *pack = &fixture->state->tensix.pack;
    assert_int_equal(try_load(fixture, B, FIFO_SIZE), STEP_WAIT);
    assert_refused(fixture, try_load(fixture, B, FIFO_ZEROMASK), BH_UNDEFINED_BEHAVIOR, "which has none");
    for (unsigned i = 0; i < PACK_METADATA + 2; i++) {
        assert_int_equal(load(fixture, T2, tdma + FIFO_STATUS) & 3, i == 0 ? 1 : i >= PACK_METADATA ? 2 : 0);
        pack->last_tile_size = (uint16_t)(100 + i);
        pack->all_zero_flags = 0x10000 + i;
        pack_push_metadata(pack);
    }
    for (unsigned i = 0; i < PACK_METADATA; i++) {
        assert_int_equal(load(fixture, B, tdma + FIFO_SIZE), 100 + i);
        if (i % 2) {
            assert_int_equal(load(fixture, B, tdma + FIFO_ZEROMASK), 0x10000 + i);
        } else {
            store(fixture, B, tdma + FIFO_ZEROMASK, 0);
        }
    }
    assert_int_equal(load(fixture, T2, tdma + FIFO_STATUS) & 0xff, 0x55);
    for (unsigned packer = 1; packer < 4; packer++) { /* packers that do not exist never have metadata */
        assert_int_equal(try_load(fixture, B, 0x100 * packer + FIFO_SIZE), STEP_WAIT);
        store(fixture, B, tdma + 0x100 * packer + FIFO_ZEROMASK, 0);
    }
}

/* Whether the documentation lists a register at an offset. */
static bool documented(uint32_t offset)
{
    uint32_t low = offset & 0x3f, group = offset >> 6;
    if (offset < 0x40 || low == PACKED_SIZE || low == ACC_PACKED_SIZE) {
        return offset < 0x400 && group % 4 < 3;
    }
    bool of_packer = low == ALL_ZERO_FLAGS || low == FIFO_SIZE || low == FIFO_ZEROMASK;
    return (of_packer && offset < 0x400 && group % 4 == 0) || offset == 0x100 + SCALARS;
}

static void there_is_nothing_between_the_documented_registers(void **context)
{
    struct fixture *fixture = *context;
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        if (documented(offset)) {
            continue;
        }
        assert_refused(fixture, try_load(fixture, T1, offset), BH_UNDEFINED_BEHAVIOR, "no register there");
        assert_refused(fixture, mmio_store(&fixture->tile, T1, tdma + offset, 4, 0), BH_UNDEFINED_BEHAVIOR,
                       "no register there");
    }
}

/* BabyRISCV/README.md (Blackhole): mapped for B and the T cores. */
static void only_b_and_the_t_cores_reach_it(void **context)
{
    struct fixture *fixture = *context;
    static const unsigned others[] = {NC, MMIO_NOC, MMIO_COPROCESSOR};
    for (unsigned i = 0; i < COUNT_OF(others); i++) {
        assert_refused(fixture, try_load(fixture, others[i], STATUS), BH_UNDEFINED_BEHAVIOR, "B, T0, T1, T2");
        assert_refused(fixture, try_command(fixture, others[i], NOP), BH_UNDEFINED_BEHAVIOR, "B, T0, T1, T2");
    }
}

/* The commands */

static void every_direction_moves(void **context)
{
    struct fixture *fixture = *context;
    struct l1 *l1 = &fixture->tile.l1;
    const uint32_t *config = fixture->state->tensix.config.bank[1];
    for (unsigned core = B; core <= T2; core++) {
        fill_l1(fixture, 0x1000, 0x3000);
        put_parameters(fixture, core, 0x100, 0x200, 0xabcd0020, L1_TO_L1 | 0xfffffffc);
        store(fixture, core, tdma + COMMAND, MOVE);
        assert_memory_equal(l1->bytes + 0x2000, l1->bytes + 0x1000, 0x200);
        assert_int_equal(l1_load32(l1, 0x2200), 0x9e3779b9u * 0x2200 + 1);
        put_parameters(fixture, core, 0x100, (CONFIG_WORDS + 64) / 4, 4, L1_TO_L0);
        store(fixture, core, tdma + COMMAND, MOVE | 1 << 8); /* mover 1 is the mover */
        assert_memory_equal(config + 64, l1->bytes + 0x1000, 0x40);
        put_parameters(fixture, core, 0, 0x210, 1, L0_TO_L1);
        store(fixture, core, tdma + COMMAND, MOVE);
        assert_int_equal(l1_load32(l1, 0x210c), 0);
        assert_int_equal(l1_load32(l1, 0x2110), 0x9e3779b9u * 0x1110 + 1);
        put_parameters(fixture, core, 0, (CONFIG_WORDS + 64) / 4, 1, L0_TO_L0);
        store(fixture, core, tdma + COMMAND, MOVE);
        assert_int_equal(config[67], 0);
        assert_int_equal(config[68], l1_load32(l1, 0x1010));
    }
}

/* Parameters keep their values: a second command with the same parameters moves the same data. */
static void parameters_are_kept(void **context)
{
    struct fixture *fixture = *context;
    fill_l1(fixture, 0x1000, 0x100);
    put_parameters(fixture, T0, 0x100, 0x200, 1, L1_TO_L1);
    store(fixture, T0, tdma + COMMAND, MOVE);
    store(fixture, T1, tdma + DST_ADDR, 0x300); /* all cores share the parameters */
    store(fixture, T0, tdma + COMMAND, MOVE);
    assert_memory_equal(fixture->tile.l1.bytes + 0x2000, fixture->tile.l1.bytes + 0x1000, 0x10);
    assert_memory_equal(fixture->tile.l1.bytes + 0x3000, fixture->tile.l1.bytes + 0x1000, 0x10);
}

/* Source in 15:8 from the core's base, destination in 23:16, size in 29:24, bit 30: to L1. */
static void compact_commands_move(void **context)
{
    struct fixture *fixture = *context;
    struct l1 *l1 = &fixture->tile.l1;
    put_parameters(fixture, B, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff); /* do not matter */
    for (unsigned core = B; core <= T2; core++) {
        uint32_t base = 0x10000 * (core + 1);
        fill_l1(fixture, base, 0x2000);
        memset(l1->bytes, 0, 0x2000);
        store(fixture, core, tdma + L1_BASE, base / 16);
    }
    for (unsigned core = B; core <= T2; core++) {
        uint32_t base = 0x10000 * (core + 1);
        store(fixture, core, tdma + COMMAND, COMPACT | 1u << 30 | 0x3fu << 24 | 0xffu << 16 | 0xff << 8 | MOVE);
        assert_memory_equal(l1->bytes + 0xff0, l1->bytes + base + 0xff0, 0x3f0);
        assert_int_equal(l1_load32(l1, 0xfe0) | l1_load32(l1, 0x13e0), 0);
        store(fixture, core, tdma + COMMAND, COMPACT | 2u << 24 | 0x10u << 16 | 7 << 8 | MOVE);
        assert_memory_equal(&fixture->state->tensix.config.bank[0][64], l1->bytes + base + 0x70, 0x20);
        assert_int_equal(fixture->state->tensix.config.bank[0][72], 0);
    }
}

static void a_command_writes_l1(void **context)
{
    struct fixture *fixture = *context;
    put_parameters(fixture, T0, 0x4008, 0, 0x11223344, 0x55667788);
    store(fixture, T0, tdma + COMMAND, WRITE_L1 | 0x600);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x4008), 0x11223344);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x400c), 0);
    store(fixture, T0, tdma + COMMAND, WRITE_L1 | 0x700);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x400c), 0x55667788);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x4010), 0);
}

static void what_is_undefined_is_refused_and_changes_nothing(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        uint32_t command, source;
        const char *part;
    } cases[] = {
        {0x41, 0x100, "no such command"},
        {0x00, 0x100, "no such command"},
        {COMPACT | 0x47, 0x100, "no such command"},
        {COMPACT | WRITE_L1 | 0x600, 0x100, "no such command"},
        {WRITE_L1, 0x100, "no such command"},
        {WRITE_L1 | 0x200, 0x100, "no such command"},
        {WRITE_L1 | 0x600, 0x180000, "L1"},
        {WRITE_L1 | 0x600, 0x102, "L1"},
        {WRITE_L1 | 0x700, 0x17fffc, "L1"},
        {MOVE, 0x18000, "L1 ends at"},
        {COMPACT | MOVE | 1u << 24 | 0xa8u << 16, 0x100, "ThreadConfig"},
    };
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        put_parameters(fixture, T1, cases[i].source, 0x200, 1, L1_TO_L1);
        struct tile_state *before = aligned_alloc(_Alignof(struct tile_state), sizeof *before);
        assert_non_null(before);
        memcpy(before, fixture->state, sizeof *before);
        assert_refused(fixture, try_command(fixture, T1, cases[i].command), BH_UNDEFINED_BEHAVIOR, cases[i].part);
        before->diagnostics = fixture->state->diagnostics;
        assert_memory_equal(fixture->state, before, sizeof *before);
        free(before);
    }
}

/* SoftReset.md: bit 6 holds the mover; commands are discarded. */
static void a_mover_in_soft_reset_moves_nothing(void **context)
{
    struct fixture *fixture = *context;
    uint32_t cores = load(fixture, MMIO_NOC, 0xFFB121B0);
    fill_l1(fixture, 0x1000, 0x10);
    put_parameters(fixture, T0, 0x100, 0x200, 1, L1_TO_L1);
    store(fixture, MMIO_NOC, 0xFFB121B0, cores | 1 << 6);
    store(fixture, T0, tdma + COMMAND, MOVE);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x2000), 0);
    assert_int_equal(load(fixture, T0, tdma + STATUS), 0x428);
    store(fixture, MMIO_NOC, 0xFFB121B0, cores);
    store(fixture, T0, tdma + COMMAND, MOVE);
    assert_memory_equal(fixture->tile.l1.bytes + 0x2000, fixture->tile.l1.bytes + 0x1000, 0x10);
}

/* SoftReset.md: while bit 9 holds THCON configuration, all writes to it are discarded. */
static void thcon_configuration_in_soft_reset_takes_no_moves(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t(*bank)[CONFIG_WORDS] = fixture->state->tensix.config.bank;
    uint32_t cores = load(fixture, MMIO_NOC, 0xFFB121B0);
    fill_l1(fixture, 0x1000, 0x400);
    store(fixture, MMIO_NOC, 0xFFB121B0, cores | 1 << 9);
    put_parameters(fixture, T0, 0x100, (CONFIG_WORDS + 60) / 4, 2, L1_TO_L0); /* words 60 to 67 */
    store(fixture, T0, tdma + COMMAND, MOVE);
    assert_memory_equal(&bank[1][60], fixture->tile.l1.bytes + 0x1000, 0x10);
    assert_int_equal(bank[1][64] | bank[1][65] | bank[1][66] | bank[1][67], 0);
    put_parameters(fixture, T0, 0x100, 176 / 4, 2, L1_TO_L0); /* 176 to 183: those from 180 on are global */
    store(fixture, T0, tdma + COMMAND, MOVE);
    assert_int_equal(bank[0][176] | bank[0][179], 0);
    assert_memory_equal(&bank[1][180], fixture->tile.l1.bytes + 0x1010, 0x10);
    store(fixture, MMIO_NOC, 0xFFB121B0, cores);
    store(fixture, T0, tdma + COMMAND, MOVE);
    assert_memory_equal(&bank[0][176], fixture->tile.l1.bytes + 0x1000, 0x10);
}

/* The commands, given by a program */

static void run_b(struct fixture *fixture, const uint32_t *program, uint32_t size)
{
    assert_int_equal(tile_write(&fixture->tile, 0, program, size), STEP_DONE);
    store(fixture, MMIO_NOC, 0xFFB121B0, 0x47000);
    for (unsigned i = 0; i < 10; i++) {
        (void)tile_run(&fixture->tile, 1000);
    }
    assert_int_equal(fixture->state->diagnostics.count, 0);
    assert_int_equal(fixture->state->core[B].halt, RV32_SELF_JUMP);
}

/* B calls a function, replaces it by another one through the mover, and calls it again. */
static void code_that_was_moved_into_place_is_executed(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t program[] = {
        0xffb11437, /* lui  s0, 0xffb11 */
        0x000204b7, /* lui  s1, 0x20 */
        0x000012b7, /* lui  t0, 0x1 */
        0x000280e7, /* jalr t0 */
        0x00a4a023, /* sw   a0, 0(s1) */
        0x20000313, /* li   t1, 0x200 */
        0x00642023, /* sw   t1, 0(s0)         source */
        0x10000313, /* li   t1, 0x100 */
        0x00642223, /* sw   t1, 4(s0)         destination */
        0x00200313, /* li   t1, 2 */
        0x00642423, /* sw   t1, 8(s0)         size */
        0x00300313, /* li   t1, 3 */
        0x00642623, /* sw   t1, 12(s0)        L1 to L1 */
        0x04000313, /* li   t1, 0x40 */
        0x00642823, /* sw   t1, 16(s0)        move */
        0x01442303, /* lw   t1, 20(s0)        status: until the queue is empty and the mover is idle */
        0x00937313, /* andi t1, t1, 9 */
        0x00800393, /* li   t2, 8 */
        0xfe731ae3, /* bne  t1, t2, -12 */
        0xffef0337, /* lui  t1, 0xffef0 */
        0x00100393, /* li   t2, 1             B's instruction cache */
        0x2e732223, /* sw   t2, 0x2e4(t1)     RISCV_IC_INVALIDATE */
        0x000280e7, /* jalr t0 */
        0x00a4a223, /* sw   a0, 4(s1) */
        0x0000006f, /* j    . */
    };
    static const uint32_t first[] = {0x00100513, 0x00008067};  /* li a0, 1; ret */
    static const uint32_t second[] = {0x00200513, 0x00008067}; /* li a0, 2; ret */
    assert_int_equal(tile_write(&fixture->tile, 0x1000, first, sizeof first), STEP_DONE);
    assert_int_equal(tile_write(&fixture->tile, 0x2000, second, sizeof second), STEP_DONE);
    run_b(fixture, program, sizeof program);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x20000), 1);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x20004), 2);
}

/* The way in which kernels program tile descriptors: a base, a compact command, a nop, and a wait. */
static void a_program_writes_configuration_with_a_compact_command(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t program[] = {
        0xffb11437, /* lui  s0, 0xffb11 */
        0x000204b7, /* lui  s1, 0x20 */
        0xffef0937, /* lui  s2, 0xffef0 */
        0x30000313, /* li   t1, 0x300 */
        0x02642623, /* sw   t1, 44(s0)        base */
        0x82100337, /* lui  t1, 0x82100 */
        0x54030313, /* addi t1, t1, 0x540     compact: 2 units from base + 5 to configuration word 64 */
        0x00642823, /* sw   t1, 16(s0) */
        0x80000337, /* lui  t1, 0x80000 */
        0x08930313, /* addi t1, t1, 0x89      nop */
        0x00642823, /* sw   t1, 16(s0) */
        0x01442303, /* lw   t1, 20(s0)        until the mover is idle */
        0x00137313, /* andi t1, t1, 1 */
        0xfe031ce3, /* bnez t1, -8 */
        0x10092303, /* lw   t1, 256(s2)       words 64 */
        0x0064a423, /* sw   t1, 8(s1) */
        0x11c92303, /* lw   t1, 284(s2)       and 71 */
        0x0064a623, /* sw   t1, 12(s1) */
        0x0000006f, /* j    . */
    };
    fill_l1(fixture, 0x3000, 0x100);
    run_b(fixture, program, sizeof program);
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x20008), l1_load32(&fixture->tile.l1, 0x3050));
    assert_int_equal(l1_load32(&fixture->tile.l1, 0x2000c), l1_load32(&fixture->tile.l1, 0x306c));
    assert_int_equal(fixture->state->tensix.config.bank[0][72], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parameters_and_command_read_as_zero),
        TEST(status_shows_idle_after_every_command),
        TEST(writes_to_what_is_only_read_have_no_effect),
        TEST(each_core_has_a_base_for_compact_commands),
        TEST(clock_gating_keeps_the_bits_that_exist),
        TEST(scalers_are_set_three_at_once_and_one_alone),
        TEST(sums_of_the_unpackers_are_read),
        TEST(addresses_of_pacr_setreg_are_set),
        TEST(tile_sizes_show_to_their_thread),
        TEST(accumulated_sizes_are_reset_by_their_bit),
        TEST(tile_sizes_queue_up),
        TEST(there_is_nothing_between_the_documented_registers),
        TEST(only_b_and_the_t_cores_reach_it),
        TEST(every_direction_moves),
        TEST(parameters_are_kept),
        TEST(compact_commands_move),
        TEST(a_command_writes_l1),
        TEST(what_is_undefined_is_refused_and_changes_nothing),
        TEST(a_mover_in_soft_reset_moves_nothing),
        TEST(thcon_configuration_in_soft_reset_takes_no_moves),
        TEST(code_that_was_moved_into_place_is_executed),
        TEST(a_program_writes_configuration_with_a_compact_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
