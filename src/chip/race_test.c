/* Programs whose cores race within a tile end the same, bit for bit, whether or not the host looks, when, and in how
   many calls cycles pass: as long as it writes the same at the same clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "bhemu/observer.h"
#include "chip/device_state.h"
#include "chip/rv32_words.h"
#include "isa/tensix_isa.h"
#include "noc/coordinates.h"
#include "util/hash.h"
#include "util/sanitized.h"
#include "util/xorshift.h"

enum { PROGRAM_WORDS = 600, PROGRAM = 0x4000, STRIDE = 0x1000, SHARED = 0x20000, SHARED_BYTES = 0x100 };
enum { ETHERNET_X = 20, TRANSLATED_ETHERNET_Y = 25, SOFT_RESET = (int32_t)0xFFB121B0, RESET_PC = (int32_t)0xFFB14000 };
enum {
    ONE_TILE_SEEDS = FEWER_IF_SANITIZED(60),
    MANY_TILES_SEEDS = FEWER_IF_SANITIZED(16),
    ETHERNET_SEEDS = FEWER_IF_SANITIZED(16),
    TILES = 12,
    ACTS = 16,
    LONGEST = 20000,
    POLLING = 4000
};
enum { MAILBOX_BASE = 18, PCBUF_BASE = 19, NIU_BASE = 20, SCRATCH = 21, WAIT = 22, ROUNDS_LEFT = 23 };
enum { FIRST_VALUE = 10, VALUES = 8, FIRST_GPR = 16, DATA_GPRS = 8, FIRST_ADDRESS = 8, ADDRESSES = 4 };

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    return xorshift64_word(&random_state) % limit;
}

/* A program that grows. */
struct program {
    uint32_t word[PROGRAM_WORDS];
    unsigned count, core, initiator, x, y;
};

static void put(struct program *program, uint32_t word)
{
    assert_true(program->count < PROGRAM_WORDS);
    program->word[program->count++] = word;
}

static void put_constant(struct program *program, unsigned rd, uint32_t value)
{
    put(program, lui(rd, value + 0x800));
    put(program, addi(rd, rd, (int32_t)(value << 20) >> 20));
}

/* Jumps to a word of the program. */
static void put_jump(struct program *program, unsigned target)
{
    uint32_t offset = (target - program->count) * 4;
    put(program, (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20 |
                     (offset >> 12 & 0xff) << 12 | 0x6f);
}

static void put_skip_if_zero(struct program *program, unsigned rs)
{
    put(program, rs << 15 | 8 << 7 | 0x63); /* beq rs, zero: over the next */
}

/* Jumps there as long as a register, counted down, is not 0. */
static void put_loop(struct program *program, unsigned counter, unsigned target)
{
    put(program, addi(counter, counter, -1));
    put_skip_if_zero(program, counter);
    put_jump(program, target);
}

static void put_tensix(struct program *program, uint32_t word)
{
    put(program, word << 2 | word >> 30); /* .ttinsn */
}

static unsigned any_value(void)
{
    return FIRST_VALUE + below(VALUES);
}

static uint32_t any_word(void)
{
    return below(SHARED_BYTES / 4) * 4;
}

static uint32_t opcode(uint32_t number, uint32_t fields)
{
    return number << 24 | fields;
}

static bool has_thread(const struct program *program)
{
    return program->core >= BH_CORE_T0 && program->core <= BH_CORE_T2;
}

/* What races with other threads and cores: words of L1, semaphores, a mutex. */
static uint32_t any_tensix(void)
{
    uint32_t data = FIRST_GPR + below(DATA_GPRS), address = FIRST_ADDRESS + below(ADDRESSES),
             semaphore = 1u << below(4) << 2;
    enum { WHOLE_WORD = 31 << 14, TO_L1 = 3 << 22, FROM_L1 = 1 << 22 };
    switch (below(10)) {
    case 0:
    case 1: return opcode(TENSIX_OPCODE_ATINCGET, WHOLE_WORD | below(4) << 12 | data << 6 | address);
    case 2: return opcode(TENSIX_OPCODE_STOREIND, TO_L1 | data << 6 | address);
    case 3: return opcode(TENSIX_OPCODE_LOADIND, FROM_L1 | (data & ~3u) << 6 | address);
    case 4: return opcode(TENSIX_OPCODE_ADDDMAREG, data << 12 | (FIRST_GPR + below(DATA_GPRS)) << 6 | data);
    case 5: return opcode(TENSIX_OPCODE_SEMPOST, semaphore);
    case 6: return opcode(TENSIX_OPCODE_SEMGET, semaphore);
    case 7: return opcode(TENSIX_OPCODE_ATGETM, 2);
    case 8: return opcode(TENSIX_OPCODE_ATRELM, 2);
    default: return opcode(TENSIX_OPCODE_REPLAY, 1u << 14 | (1 + below(12)) << 4);
    }
}

static void put_gpr(struct program *program, unsigned gpr, uint32_t value)
{
    put_tensix(program, opcode(TENSIX_OPCODE_SETDMAREG, (value & 0xffff) << 8 | 2 * gpr));
    put_tensix(program, opcode(TENSIX_OPCODE_SETDMAREG, value >> 16 << 8 | (2 * gpr + 1)));
}

/* GPRs with addresses, in units of 16 bytes, and with data; what REPLAY finds. */
static void put_thread_setup(struct program *program)
{
    enum { RECORDED = 20 };
    for (unsigned i = 0; i < ADDRESSES; i++) {
        put_gpr(program, FIRST_ADDRESS + i, (SHARED + any_word()) / 16);
    }
    for (unsigned i = 0; i < DATA_GPRS; i++) {
        put_gpr(program, FIRST_GPR + i, 1 + below(100));
    }
    put_gpr(program, 0, 0);
    put_tensix(program, opcode(TENSIX_OPCODE_SEMINIT, 15u << 20 | 7u << 16 | 0xfu << 2));
    put_tensix(program, opcode(TENSIX_OPCODE_REPLAY, RECORDED << 4 | 1));
    for (unsigned i = 0; i < RECORDED; i++) {
        uint32_t word;
        do {
            word = any_tensix();
        } while (word >> 24 == TENSIX_OPCODE_REPLAY || word >> 24 == TENSIX_OPCODE_ATGETM);
        put_tensix(program, word);
    }
}

static void put_register(struct program *program, uint32_t offset, uint32_t value)
{
    put_constant(program, SCRATCH, value);
    put(program, sw(SCRATCH, NIU_BASE, offset));
}

/* A request to any tile: it writes a block of our words there, adds a value to one, or brings a block here. */
static void put_request(struct program *program, unsigned tiles)
{
    enum { WRITE, INCREMENT, READ, CMD_WRITE = 0x12, CMD_ATOMIC = 0x1, CMD_READ = 0x10, BLOCK = 64 };
    unsigned x, y, kind = below(3);
    tensix_coordinates(below(tiles), &x, &y);
    uint32_t there = x | y << 6, here = program->x | program->y << 6, block = (SHARED_BYTES - BLOCK) / 16;
    put_register(program, 0x0, SHARED + (kind == INCREMENT ? any_word() : below(block) * 16));
    put_register(program, 0x8, kind == WRITE ? here : there);
    put_register(program, 0xc, SHARED + below(block) * 16);
    put_register(program, 0x14, kind == WRITE ? there : here);
    put_register(program, 0x18, below(16) << 10);
    put_register(program, 0x1c, kind == WRITE ? CMD_WRITE : kind == INCREMENT ? CMD_ATOMIC : CMD_READ);
    put_register(program, 0x20, kind == INCREMENT ? 0x1000 | 31 << 2 : 16 + below(BLOCK / 16) * 16);
    put(program, sw(any_value(), NIU_BASE, 0x28));
    put_register(program, 0x40, 1);
}

/* What needs somebody else in the tile. */
static void put_exchange(struct program *program)
{
    bool mailboxes = program->core != BH_CORE_NC;
    switch (below(6)) {
    case 0: /* waits while four are under way */
        if (mailboxes && below(2)) {
            put(program, sw(any_value(), MAILBOX_BASE, 0));
        }
        break;
    case 1: /* takes what is there */
        if (mailboxes) {
            put(program, lw(SCRATCH, MAILBOX_BASE, 4));
            put_skip_if_zero(program, SCRATCH);
            put(program, lw(any_value(), MAILBOX_BASE, 0));
        }
        break;
    case 2: /* the PCBuf, or the own thread's coming to its end */
        if (program->core == BH_CORE_B) {
            put(program, sw(any_value(), PCBUF_BASE, 0));
        } else if (has_thread(program)) {
            put(program, lw(any_value(), PCBUF_BASE, below(2) ? 0 : 4));
        }
        break;
    default:
        for (unsigned i = below(6); has_thread(program) && i; i--) {
            put_tensix(program, any_tensix());
        }
    }
}

static void put_statement(struct program *program, unsigned tiles)
{
    static const uint32_t operations[] = {0x33, 0x40000033, 0x4033, 0x2000033, 0x7033, 0x6033, 0x3033};
    uint32_t word = any_word();
    switch (below(16)) {
    case 0:
    case 1:
    case 2: put(program, lw(any_value(), S0, word)); break;
    case 3:
    case 4:
    case 5: put(program, sw(any_value(), S0, word)); break;
    case 6:
    case 7:
        put(program, lw(SCRATCH, S0, word));
        put(program, addi(SCRATCH, SCRATCH, 1 + (int32_t)below(9)));
        put(program, sw(SCRATCH, S0, word));
        break;
    case 8:
        put(program, addi(WAIT, 0, 1 + (int32_t)below(60)));
        put_loop(program, WAIT, program->count);
        break;
    case 9:
    case 10:
    case 11: put_exchange(program); break;
    case 12:
        if (tiles > 1 && below(2)) {
            put_request(program, tiles);
        }
        break;
    default:
        put(program, operations[below(sizeof operations / sizeof operations[0])] | any_value() << 20 |
                         any_value() << 15 | any_value() << 7);
        break;
    }
}

/* So many rounds, or any number; then, maybe, the core polls a word. */
static void make_program(struct program *program, unsigned tiles)
{
    program->count = 0;
    put_constant(program, S0, SHARED);
    put_constant(program, MAILBOX_BASE, 0xFFEC0000 + 0x1000 * below(4));
    put_constant(program, PCBUF_BASE, program->core == BH_CORE_B ? 0xFFE80000 + 0x10000 * below(3) : 0xFFE80000);
    put_constant(program, NIU_BASE, (below(2) ? 0xFFB20000 : 0xFFB30000) + 0x800 * program->initiator);
    put_constant(program, ROUNDS_LEFT, 1 + below(100));
    for (unsigned i = 0; i < VALUES; i++) {
        put_constant(program, FIRST_VALUE + i, below(0x7fffffff));
    }
    if (has_thread(program)) {
        put_thread_setup(program);
    }
    unsigned begin = program->count, statements = 3 + below(25);
    for (unsigned i = 0; i < statements; i++) {
        put_statement(program, tiles);
    }
    if (below(3)) {
        put_loop(program, ROUNDS_LEFT, begin);
    } else {
        put_jump(program, begin);
    }
    unsigned poll = program->count;
    put(program, lw(FIRST_VALUE, S0, any_word()));
    if (below(2)) {
        put_jump(program, poll);
    }
    put(program, SELF_JUMP);
}

/* What the host does, and when. */
struct act {
    uint64_t clock;
    unsigned tile, kind;
    uint32_t value;
};

struct scenario {
    uint64_t seed, end;
    unsigned tiles, ethernet, acts;
    enum bh_mode mode;
    struct act act[ACTS];
};

static struct scenario plan(uint64_t seed, unsigned tiles, unsigned ethernet)
{
    struct scenario scenario = {.seed = seed, .tiles = tiles, .ethernet = ethernet};
    random_state = seed * 0x9E3779B97F4A7C15u;
    scenario.acts = below(ACTS);
    for (unsigned i = 0; i < scenario.acts; i++) {
        scenario.end += below(1500);
        scenario.act[i] = (struct act){scenario.end, below(tiles), below(4), xorshift64_word(&random_state)};
    }
    scenario.end += POLLING + below(LONGEST / tiles);
    return scenario;
}

static void act(struct bh_device *device, const struct act *act)
{
    unsigned x, y, core = act->value % BH_CORE_COUNT;
    tensix_coordinates(act->tile, &x, &y);
    switch (act->kind) {
    case 0: assert_int_equal(bh_core_stop(device, x, y, core), BH_OK); break;
    case 1: assert_int_equal(bh_core_start(device, x, y, core, PROGRAM + core * STRIDE), BH_OK); break;
    default:
        assert_int_equal(bh_write(device, x, y, SHARED + act->value % SHARED_BYTES / 4 * 4, &act->value, 4), BH_OK);
        break;
    }
}

/* How it looks on. */
struct pattern {
    const char *name;
    unsigned longest_call; /* 0: cycles pass in one call up to what the host does next */
    bool looks;
    unsigned threads;
    bool interprets;
    bool observes; /* all tiles, with some breaks */
};

static uint32_t pattern_state;

static uint32_t pattern_below(uint32_t limit)
{
    pattern_state = pattern_state * 1664525 + 1013904223;
    return (pattern_state >> 8) % limit;
}

static void look(struct bh_device *device, const struct scenario *scenario)
{
    static const uint32_t registers[] = {0xFFB121B0, 0xFFB121F0, 0xFFB20200, 0xFFB20044, 0xFFB14010,
                                         0xFFB18010, 0xFFB12088, 0xFFB13138, 0xFFB5E4A4};
    uint32_t words[4];
    unsigned x, y, among = pattern_below(2 * sizeof registers / sizeof registers[0]);
    unsigned tile = pattern_below(scenario->tiles + scenario->ethernet);
    if (tile < scenario->tiles) {
        tensix_coordinates(tile, &x, &y);
    } else {
        x = ETHERNET_X + tile - scenario->tiles;
        y = TRANSLATED_ETHERNET_Y;
        among = among < sizeof registers / sizeof registers[0] ? among % 2 : among; /* those that it has, too */
    }
    if (among < sizeof registers / sizeof registers[0]) {
        assert_int_equal(bh_read(device, x, y, registers[among], words, 4), BH_OK);
    } else {
        assert_int_equal(bh_read(device, x, y, SHARED + pattern_below(SHARED_BYTES - 16), words, 16), BH_OK);
    }
}

static void pass(struct bh_device *device, const struct pattern *pattern, uint64_t cycles,
                 const struct scenario *scenario)
{
    while (cycles) {
        uint64_t now = pattern->longest_call ? 1 + pattern_below(pattern->longest_call) : cycles;
        now = now < cycles ? now : cycles;
        (void)bh_advance(device, now);
        cycles -= now;
        if (pattern->looks) {
            look(device, scenario);
        }
    }
}

/* On both cores of an Ethernet tile. */
static void start_ethernet(struct bh_device *device, unsigned x, unsigned tiles)
{
    static struct program program;
    const uint32_t none_in_reset = 0;
    program.x = x;
    program.y = TRANSLATED_ETHERNET_Y;
    program.core = BH_CORE_NC; /* as which they have no mailboxes, and no thread */
    for (unsigned core = 0; core < ETHERNET_CORES; core++) {
        uint32_t pc = PROGRAM + core * STRIDE;
        program.initiator = core;
        make_program(&program, tiles);
        assert_int_equal(bh_write(device, x, program.y, pc, program.word, program.count * 4), BH_OK);
        assert_int_equal(bh_write(device, x, program.y, (uint32_t)RESET_PC + 8 * core, &pc, 4), BH_OK);
    }
    assert_int_equal(bh_write(device, x, program.y, (uint32_t)SOFT_RESET, &none_in_reset, 4), BH_OK);
}

static void start_programs(struct bh_device *device, unsigned tiles)
{
    static struct program program;
    for (unsigned tile = 0; tile < tiles; tile++) {
        tensix_coordinates(tile, &program.x, &program.y);
        for (program.core = 0; program.core < BH_CORE_COUNT; program.core++) {
            uint32_t pc = PROGRAM + program.core * STRIDE;
            program.initiator = program.core % 4;
            make_program(&program, tiles);
            assert_int_equal(bh_write(device, program.x, program.y, pc, program.word, program.count * 4), BH_OK);
            assert_int_equal(bh_core_start(device, program.x, program.y, program.core, pc), BH_OK);
        }
    }
}

static void add(uint64_t *digest, const void *data, size_t size)
{
    *digest = hash_of(*digest, data, size);
}

#define ADD(digest, member) add(digest, &(member), sizeof(member))

static void add_core(uint64_t *digest, const struct rv32_core *core)
{
    add(digest, core->x, RV32_SINK * sizeof core->x[0]);
    ADD(digest, core->pc);
    ADD(digest, core->halt);
    ADD(digest, core->instret);
}

/* Of all that programs of these tiles can change. */
static void add_tile(uint64_t *digest, const struct tile_state *state)
{
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        add_core(digest, &state->core[core]);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        ADD(digest, state->tensix.frontend[thread].passed);
    }
    add(digest, state->l1 + SHARED, SHARED_BYTES);
    ADD(digest, state->registers.mailbox);
    ADD(digest, state->registers.pc_buf);
    ADD(digest, state->tensix.scalar.gpr);
    ADD(digest, state->tensix.sync);
}

static void add_ethernet(uint64_t *digest, const struct ethernet *ethernet)
{
    for (unsigned core = 0; core < ETHERNET_CORES; core++) {
        add_core(digest, &ethernet->tile.core[core]);
    }
    add(digest, ethernet->tile.l1_bytes + SHARED, SHARED_BYTES);
}

/* The same of what others than its cores see. In timed mode cores may have run ahead, as far as nobody can tell. */
static void add_shared(uint64_t *digest, struct bh_device *device, unsigned tile)
{
    uint8_t bytes[SHARED_BYTES];
    unsigned x, y;
    tensix_coordinates(tile, &x, &y);
    assert_int_equal(bh_read(device, x, y, SHARED, bytes, sizeof bytes), BH_OK);
    add(digest, bytes, sizeof bytes);
}

static struct {
    unsigned rested, went_on; /* went_on: devices that no diagnostic stopped */
    uint64_t translated, events;
} seen;

static void count_event(void *context, const struct bh_event *event)
{
    (void)context;
    seen.events += event->kind < BH_EVENT_KINDS;
}

static const struct bh_observer observer = {.kinds = BH_EVENT_ALL, .on_event = count_event};

static uint64_t run(const struct scenario *scenario, const struct pattern *pattern)
{
    struct bh_device *device;
    struct bh_device_config config = {.threads = pattern->threads, .mode = scenario->mode};
    bool timed = config.mode == BH_MODE_TIMED;
    uint64_t digest = 0xcbf29ce484222325, clock = 0;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    device->translator->off |= pattern->interprets;
    random_state = ~scenario->seed;
    pattern_state = (uint32_t)scenario->seed;
    if (pattern->observes) {
        assert_int_equal(bh_device_add_observer(device, &observer), BH_OK);
    }
    start_programs(device, scenario->tiles);
    for (unsigned i = 0; i < scenario->ethernet; i++) {
        start_ethernet(device, ETHERNET_X + i, scenario->tiles);
    }
    for (unsigned i = 0; i < scenario->acts; i++) {
        pass(device, pattern, scenario->act[i].clock - clock, scenario);
        clock = scenario->act[i].clock;
        uint64_t pace = timed ? 0 : bh_pace(device);
        ADD(&digest, pace);
        act(device, &scenario->act[i]);
        if (pattern->observes) {
            assert_int_equal(i % 2 ? bh_device_add_observer(device, &observer)
                                   : bh_device_remove_observer(device, &observer),
                             BH_OK);
        }
    }
    pass(device, pattern, scenario->end - clock, scenario);
    seen.rested += device->resting_cores;
    seen.translated += device->translator->entries;
    bh_pass(device, 1);
    device_show_all_resting(device);
    seen.went_on += !device->stopped;
    for (unsigned tile = 0; tile < scenario->tiles && timed && !device->stopped; tile++) {
        add_shared(&digest, device, tile);
    }
    for (unsigned tile = 0; tile < scenario->tiles && !timed; tile++) {
        add_tile(&digest, &device->states[tile]);
    }
    for (unsigned channel = 0; channel < ETHERNET_TILES; channel++) {
        add_ethernet(&digest, &device->ethernet[channel]);
    }
    bh_device_destroy(device);
    return digest;
}

static void compare(uint64_t seeds, unsigned tiles, unsigned ethernet, enum bh_mode mode)
{
    static const struct pattern alone = {.name = "alone"};
    static const struct pattern patterns[] = {
        {.name = "in pieces", .longest_call = 700, .threads = 1},
        {.name = "looked at", .longest_call = 90, .looks = true, .threads = 1},
        {.name = "looked at rarely", .longest_call = 3000, .looks = true, .threads = 1},
        {.name = "looked at closely", .longest_call = 10, .looks = true, .threads = 1},
        {.name = "on two threads", .longest_call = 3000, .looks = true, .threads = 2},
        {.name = "on three threads", .longest_call = 90, .looks = true, .threads = 3},
        {.name = "interpreted", .threads = 1, .interprets = true},
        {.name = "interpreted, looked at", .longest_call = 64, .looks = true, .threads = 1, .interprets = true},
        {.name = "observed", .threads = 1, .observes = true},
        {.name = "observed, on three threads", .longest_call = 90, .looks = true, .threads = 3, .observes = true},
    };
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct scenario scenario = plan(seed, tiles, ethernet);
        scenario.mode = mode;
        uint64_t expected = run(&scenario, &alone);
        for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
            if (run(&scenario, &patterns[i]) != expected) {
                fail_msg("programs %u on %u tiles end otherwise %s", (unsigned)seed, tiles, patterns[i].name);
            }
        }
    }
    assert_true(seen.events > 1000);
    assert_true(seen.rested > 0 || ethernet || mode == BH_MODE_TIMED);
    assert_true(seen.translated > 0 || !translate_possible());
}

static void cores_of_one_tile_race_to_the_same_end(void **context)
{
    (void)context;
    compare(ONE_TILE_SEEDS, 1, 0, BH_MODE_FUNCTIONAL);
}

static void cores_of_tiles_that_talk_do(void **context)
{
    (void)context;
    compare(MANY_TILES_SEEDS, TILES, 0, BH_MODE_FUNCTIONAL);
}

static void cores_of_ethernet_tiles_do(void **context)
{
    (void)context;
    compare(ETHERNET_SEEDS, 2, 4, BH_MODE_FUNCTIONAL);
}

static void cores_of_timed_tiles_do(void **context)
{
    (void)context;
    seen.went_on = 0;
    compare(MANY_TILES_SEEDS, 1, 0, BH_MODE_TIMED);
    compare(MANY_TILES_SEEDS, TILES, 0, BH_MODE_TIMED);
    assert_true(seen.went_on > MANY_TILES_SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_of_one_tile_race_to_the_same_end),
        cmocka_unit_test(cores_of_tiles_that_talk_do),
        cmocka_unit_test(cores_of_ethernet_tiles_do),
        cmocka_unit_test(cores_of_timed_tiles_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
