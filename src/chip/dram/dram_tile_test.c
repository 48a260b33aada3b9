/* The cores of DRAM tiles: programs, copies between GDDR and L1, requests on the NoC in both modes of the NIUs. What is
   expected is what tt-metal's drisc_mode.h and gddr_dma.h say, and what blackhole-py's examples/drisc_*.py do on a
   card. */
#include "chip/device_fixture.h"

#include <string.h>

#include "chip/dram/drisc_fixture.h"

enum { X = 17, Y = 12, OTHER_Y = 13, WORKER_X = 3, WORKER_Y = 4 };
enum { PROGRAM = 0x3260, STAGE = 0x6000, RESULT = 0x1F000, GDDR = 0x100000, BYTES = 4096 };
enum { HOLDS_CORE = 0x800 };

#define SOFT_RESET_0 0xFFB121B0u
#define RESET_PC 0xFFB14000u
#define NIU_CFG_0 0xFFB20100u

static int set_up_timed(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {.mode = BH_MODE_TIMED, .on_diagnostic = on_diagnostic, .context = fixture};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK ? 0 : -1;
}

/* There are quanta that are shorter than some instructions. */
static int set_up_jittered(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {
        .mode = BH_MODE_TIMED, .jitter = 7, .on_diagnostic = on_diagnostic, .context = fixture};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK ? 0 : -1;
}

static void put(struct fixture *fixture, unsigned y, uint64_t address, uint32_t word)
{
    assert_int_equal(bh_write(fixture->device, X, y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct fixture *fixture, unsigned y, uint64_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, X, y, address, &word, sizeof word), BH_OK);
    return word;
}

/* As a host does it: by the registers of the tile. */
static void start(struct fixture *fixture, unsigned y, struct program *program)
{
    add(program, SELF_JUMP);
    put(fixture, y, SOFT_RESET_0, get(fixture, y, SOFT_RESET_0) | HOLDS_CORE);
    assert_int_equal(bh_write(fixture->device, X, y, BH_DRISC_L1 + PROGRAM, program->words,
                              program->count * (uint32_t)sizeof *program->words),
                     BH_OK);
    put(fixture, y, RESET_PC, PROGRAM);
    put(fixture, y, SOFT_RESET_0, get(fixture, y, SOFT_RESET_0) & ~(uint32_t)HOLDS_CORE);
}

static void run(struct fixture *fixture)
{
    (void)bh_run(fixture->device, 100000, &fixture->result);
}

static void fill(uint8_t *bytes, uint32_t size, uint32_t seed)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)((i * 37 + seed) ^ i >> 3);
    }
}

/* The L1 of the core is beside the memory that the tile shows. */
static void programs_run_in_l1_of_their_own(void **context)
{
    struct fixture *fixture = *context;
    struct program program = {0};
    put(fixture, Y, RESULT, 0x11111111);
    store(&program, RESULT, 0xD215C003);
    start(fixture, Y, &program);
    run(fixture);
    assert_int_equal(get(fixture, Y, BH_DRISC_L1 + RESULT), 0xD215C003);
    assert_int_equal(get(fixture, Y, RESULT), 0x11111111); /* GDDR */
    assert_int_equal(get(fixture, OTHER_Y, RESULT), 0x11111111);
    assert_int_equal(get(fixture, OTHER_Y, BH_DRISC_L1 + RESULT), 0); /* another tile of the channel */
    assert_int_equal(fixture->diagnostics, 0);
    assert_int_equal(fixture->result.reason, BH_RAN_IDLE);
}

static void cores_start_and_stop_by_name(void **context)
{
    struct fixture *fixture = *context;
    struct program program = {0};
    store(&program, RESULT, 7);
    add(&program, SELF_JUMP);
    assert_int_equal(bh_write(fixture->device, X, Y, BH_DRISC_L1 + PROGRAM, program.words, 4 * program.count), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, (enum bh_core)BH_CORE_DRISC, PROGRAM), BH_OK);
    run(fixture);
    assert_int_equal(get(fixture, Y, BH_DRISC_L1 + RESULT), 7);
    assert_int_equal(get(fixture, Y, SOFT_RESET_0) & HOLDS_CORE, 0);
    assert_int_equal(bh_core_stop(fixture->device, X, Y, (enum bh_core)BH_CORE_DRISC), BH_OK);
    assert_int_equal(get(fixture, Y, SOFT_RESET_0) & HOLDS_CORE, HOLDS_CORE);
    assert_int_equal(bh_core_start(fixture->device, X, Y, (enum bh_core)BH_CORE_DRISC, 128 * 1024), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_B, PROGRAM), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_core_start(fixture->device, 1, 2, (enum bh_core)BH_CORE_DRISC, PROGRAM), BH_ERROR_ARGUMENT);
}

/* Both streams, both ways. */
static void copies_reach_gddr_and_l1(void **context)
{
    struct fixture *fixture = *context;
    static uint8_t sent[BYTES], came[BYTES];
    for (unsigned stream = 0; stream < 2; stream++) {
        struct program program = {0};
        fill(sent, BYTES, 0x31 + stream);
        assert_int_equal(bh_write(fixture->device, X, Y, GDDR, sent, BYTES), BH_OK);
        read_from_gddr(&program, stream, GDDR, STAGE, BYTES);
        write_to_gddr(&program, stream, STAGE, GDDR + 0x10000, BYTES);
        store(&program, RESULT, 1 + stream);
        start(fixture, Y, &program);
        run(fixture);
        assert_int_equal(get(fixture, Y, BH_DRISC_L1 + RESULT), 1 + stream);
        assert_int_equal(bh_read(fixture->device, X, Y, BH_DRISC_L1 + STAGE, came, BYTES), BH_OK);
        assert_memory_equal(came, sent, BYTES);
        assert_int_equal(bh_read(fixture->device, X, OTHER_Y, GDDR + 0x10000, came, BYTES), BH_OK);
        assert_memory_equal(came, sent, BYTES);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

/* coarse_grain_auto_incr_en: both addresses advance by their offsets after each write. */
static void writes_advance_by_themselves(void **context)
{
    enum { STRIDE = 64, COUNT = 4, INCREMENTS = 0x00300000 };
    struct fixture *fixture = *context;
    struct program program = {0};
    static uint8_t sent[COUNT * STRIDE], came[COUNT * 2 * STRIDE], none[STRIDE];
    fill(sent, sizeof sent, 9);
    assert_int_equal(bh_write(fixture->device, X, Y, BH_DRISC_L1 + STAGE, sent, sizeof sent), BH_OK);
    store(&program, DMA + 0x04, 1 | 1 << 4);
    store(&program, DMA + 0x40, STRIDE);
    store(&program, DMA + 0x44, 2 * STRIDE);
    store(&program, DMA + 0x10, STAGE);
    store(&program, DMA + 0x14, GDDR);
    store(&program, DMA + 0x18, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        store(&program, DMA + 0x50, 0x10000000 | INCREMENTS | STRIDE / 16);
        wait_for_zero(&program, DMA, WRITE_STATUS);
    }
    start(fixture, Y, &program);
    run(fixture);
    assert_int_equal(bh_read(fixture->device, X, Y, GDDR, came, sizeof came), BH_OK);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_memory_equal(came + i * 2 * STRIDE, sent + i * STRIDE, STRIDE);
        assert_memory_equal(came + i * 2 * STRIDE + STRIDE, none, STRIDE);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

/* A request of the core's NIU: from its L1 to that of a Tensix tile. */
static void send(struct program *program, unsigned noc, uint32_t from, uint32_t to, uint32_t bytes)
{
    enum { WRITE = 0x2 };
    uint32_t niu = 0xFFB20000u + noc * 0x10000;
    store(program, niu + 0x00, from);
    store(program, niu + 0x04, 0);
    store(program, niu + 0x08, X | Y << 6);
    store(program, niu + 0x0C, to);
    store(program, niu + 0x10, 0);
    store(program, niu + 0x14, WORKER_X | WORKER_Y << 6);
    store(program, niu + 0x1C, WRITE);
    store(program, niu + 0x20, bytes);
    store(program, niu + 0x40, 1);
}

static void set_mode(struct program *program, unsigned noc, uint32_t config)
{
    store(program, NIU_CFG_0 + noc * 0x10000, config);
}

static void stream_mode_lets_the_core_send(void **context)
{
    struct fixture *fixture = *context;
    struct program program = {0};
    static uint8_t sent[BYTES], came[BYTES];
    uint32_t config = get(fixture, Y, NIU_CFG_0);
    assert_int_equal(config >> 15 & 1, 1); /* NOC2AXI mode after power-on */
    fill(sent, BYTES, 3);
    assert_int_equal(bh_write(fixture->device, X, Y, GDDR, sent, BYTES), BH_OK);
    read_from_gddr(&program, 0, GDDR, STAGE, BYTES);
    set_mode(&program, 0, config & ~(1u << 15));
    send(&program, 0, STAGE, 0x20000, BYTES);
    start(fixture, Y, &program);
    run(fixture);
    assert_int_equal(bh_read(fixture->device, WORKER_X, WORKER_Y, 0x20000, came, BYTES), BH_OK);
    assert_memory_equal(came, sent, BYTES);
    assert_int_equal(fixture->diagnostics, 0);
    /* On that NoC plain addresses are the core's now; other tiles of the channel show GDDR as before. */
    assert_int_equal(bh_read(fixture->device, X, Y, STAGE, came, BYTES), BH_OK);
    assert_memory_equal(came, sent, BYTES);
    assert_int_equal(bh_read(fixture->device, X, OTHER_Y, GDDR, came, BYTES), BH_OK);
    assert_memory_equal(came, sent, BYTES);
    put(fixture, Y, NIU_CFG_0, config);
    assert_int_equal(bh_read(fixture->device, X, Y, GDDR, came, BYTES), BH_OK);
    assert_memory_equal(came, sent, BYTES);
}

static void the_core_starts_nothing_in_noc2axi_mode(void **context)
{
    struct fixture *fixture = *context;
    struct program program = {0};
    send(&program, 1, STAGE, 0x20000, 64);
    start(fixture, Y, &program);
    run(fixture);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(fixture->last.agent, BH_AGENT_CORE);
    assert_int_equal(fixture->last.index, BH_CORE_DRISC);
    assert_non_null(strstr(fixture->last.text, "NOC2AXI mode"));
}

/* A Tensix tile increments a word of the core's L1, as credits do, and writes NIU_CFG_0 inline. */
static void other_tiles_reach_its_l1_and_registers(void **context)
{
    enum { ATOMIC = 0x1, INLINE = 0xA, INCREMENT = 1 << 12 | 31 << 2 };
    struct fixture *fixture = *context;
    const uint32_t niu = 0xFFB20000, count = STAGE;
    const struct {
        uint32_t address, value;
    } words[] = {{niu + 0x00, count},     {niu + 0x04, 0x20},   {niu + 0x08, X | Y << 6}, {niu + 0x1C, ATOMIC},
                 {niu + 0x20, INCREMENT}, {niu + 0x28, 5},      {niu + 0x40, 1},          {niu + 0x00, NIU_CFG_0},
                 {niu + 0x04, 0},         {niu + 0x1C, INLINE}, {niu + 0x20, 0xF},        {niu + 0x28, 0x4000},
                 {niu + 0x40, 1}};
    put(fixture, Y, BH_DRISC_L1 + count, 37);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(
            bh_write(fixture->device, WORKER_X, WORKER_Y, words[i].address, &words[i].value, sizeof(uint32_t)), BH_OK);
    }
    run(fixture);
    assert_int_equal(fixture->diagnostics, 0);
    assert_int_equal(get(fixture, Y, BH_DRISC_L1 + count), 42);
    assert_int_equal(get(fixture, Y, NIU_CFG_0), 0x4000);
}

static void wrong_copies_are_refused(void **context)
{
    static const struct {
        uint32_t gddr, l1, attributes;
        enum bh_category category;
        const char *text;
    } wrong[] = {
        {GDDR, STAGE, 0x80000000, BH_UNDEFINED_BEHAVIOR, "its size is 0"},
        {GDDR + 4, STAGE, 0x80000001, BH_UNDEFINED_BEHAVIOR, "multiples of 16"},
        {GDDR, 0x1FFF0, 0x80000002, BH_UNDEFINED_BEHAVIOR, "it leaves the L1 of the core"},
        {0xFFFFFFF0, STAGE, 0x80000002, BH_UNDEFINED_BEHAVIOR, "it leaves the channel of GDDR"},
        {GDDR, STAGE, 0x20000001, BH_UNSUPPORTED, "forwarding data"},
        {GDDR, STAGE, 0x84000001, BH_UNSUPPORTED, "an interrupt"},
        {GDDR, STAGE, 0x80C00001, BH_UNSUPPORTED, "increments without"},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fixture *fixture = *context;
        struct program program = {0};
        store(&program, DMA + 0x30, wrong[i].gddr);
        store(&program, DMA + 0x34, 0);
        store(&program, DMA + 0x38, wrong[i].l1);
        store(&program, DMA + 0x50, wrong[i].attributes);
        start(fixture, Y, &program);
        run(fixture);
        assert_int_equal(fixture->diagnostics, 1);
        assert_int_equal(fixture->last.category, wrong[i].category);
        assert_int_equal(fixture->last.index, BH_CORE_DRISC);
        assert_non_null(strstr(fixture->last.text, wrong[i].text));
        assert_int_equal(tear_down(context), 0);
        assert_int_equal(set_up(context), 0);
    }
}

static void registers_that_nobody_describes_are_refused(void **context)
{
    static const struct {
        uint32_t address;
        const char *text;
    } wrong[] = {{DMA + 0x78, "only the name is public"},
                 {DMA + 0x80, "no register there that is known"},
                 {DMA_CONTROL + 0x18, "no register there"},
                 {0xFFB40000, "this part of the core of a DRAM tile"},
                 {0x20000, "L1 of the core of a DRAM tile ends"}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fixture *fixture = *context;
        struct program program = {0};
        store(&program, wrong[i].address, 1);
        start(fixture, Y, &program);
        run(fixture);
        assert_int_equal(fixture->diagnostics, 1);
        assert_non_null(strstr(fixture->last.text, wrong[i].text));
        assert_int_equal(tear_down(context), 0);
        assert_int_equal(set_up(context), 0);
    }
}

/* The default of the transfer attributes; a status that is ready. */
static void registers_have_their_reset_values(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t registers[][2] = {{DMA_CONTROL + 0x04, 0x00031001},
                                            {DMA_CONTROL + 0x10, 1},
                                            {DMA_CONTROL + 0x14, 1},
                                            {DMA + 0x04, 1},
                                            {DMA + 0x100, 0},
                                            {0xFC105830, 0}};
    struct program program = {0};
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++) {
        load_value(&program, T0, registers[i][0]);
        add(&program, lw(T1, T0, 0));
        load_value(&program, T0, RESULT + 4 * i);
        add(&program, sw(T1, T0, 0));
    }
    start(fixture, Y, &program);
    run(fixture);
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++) {
        assert_int_equal(get(fixture, Y, BH_DRISC_L1 + RESULT + 4 * i), registers[i][1]);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

/* A host that polls needs no other access to see what came. */
static void scratch_registers_keep_words(void **context)
{
    struct fixture *fixture = *context;
    for (uint32_t i = 0; i < 4; i++) {
        put(fixture, Y, 0xFFB14010 + 4 * i, 0xABC0 + i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(get(fixture, Y, 0xFFB14010 + 4 * i), 0xABC0 + i);
    }
    assert_int_equal(get(fixture, OTHER_Y, 0xFFB14010), 0);
}

static void a_core_that_waits_for_ever_is_reported(void **context)
{
    struct fixture *fixture = *context;
    struct program program = {0};
    load_value(&program, T0, RESULT);
    add(&program, lw(T1, T0, 0));
    add(&program, bne(T1, T0, -4));
    start(fixture, Y, &program);
    (void)bh_run(fixture->device, 10 * 1000 * 1000, &fixture->result);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
    assert_non_null(strstr(fixture->last.text, "core DRISC at 0x0000326c polls 0x0001f000 in L1"));
}

/* Whether all cores wait is looked at every million cycles. */
static void registers_of_its_own_may_be_polled_for_long(void **context)
{
    struct fixture *fixture = *context;
    struct program program = {0};
    read_from_gddr(&program, 0, GDDR, STAGE, BYTES);
    add(&program, bne(T0, 0, -4 * (int32_t)program.count));
    start(fixture, Y, &program);
    (void)bh_run(fixture->device, 3 * 1000 * 1000, &fixture->result);
    assert_int_equal(fixture->result.reason, BH_RAN_CYCLES);
    assert_int_equal(fixture->diagnostics, 0);
    put(fixture, Y, SOFT_RESET_0, HOLDS_CORE);
    program = (struct program){0};
    wait_for_zero(&program, DMA_CONTROL + 0x10, 1); /* of an engine that is ready */
    start(fixture, Y, &program);
    (void)bh_run(fixture->device, 10 * 1000 * 1000, &fixture->result);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
    assert_non_null(strstr(fixture->last.text, "polls 0xfc001010 (TX_READ_STATUS), reads 0x1: nothing"));
}

/* Cycles that a copy takes in a row of them, each of which the core awaits. */
static uint32_t time_of(struct fixture *fixture, bool reads, uint32_t bytes)
{
    enum { WALL_CLOCK_L = 0x1F0, ROUNDS = 64, S2 = 18 };
    struct program program = {0};
    load_value(&program, S0, 0xFFB12000);
    add(&program, lw(S1, S0, WALL_CLOCK_L));
    add(&program, addi(S2, 0, ROUNDS));
    unsigned first = program.count;
    if (reads) {
        read_from_gddr(&program, 0, GDDR, STAGE, bytes);
    } else {
        write_to_gddr(&program, 0, STAGE, GDDR, bytes);
    }
    add(&program, addi(S2, S2, -1));
    add(&program, bne(S2, 0, -4 * (int32_t)(program.count - first)));
    add(&program, lw(S0, S0, WALL_CLOCK_L));
    load_value(&program, T0, RESULT);
    add(&program, sw(S1, T0, 0));
    add(&program, sw(S0, T0, 4));
    start(fixture, Y, &program);
    (void)bh_run(fixture->device, 1000 * 1000, &fixture->result);
    return (get(fixture, Y, BH_DRISC_L1 + RESULT + 4) - get(fixture, Y, BH_DRISC_L1 + RESULT)) / ROUNDS;
}

/* On a card, with a loop like this one: 208.6 and 2,281 cycles from GDDR, 103.0 and 2,118 to GDDR. */
static void copies_take_silicons_time(void **context)
{
    struct fixture *fixture = *context;
    assert_in_range(time_of(fixture, true, 2048), 188, 229);
    assert_in_range(time_of(fixture, true, 100352), 2235, 2327);
    assert_in_range(time_of(fixture, false, 2048), 93, 113);
    assert_in_range(time_of(fixture, false, 100352), 2076, 2160);
    assert_int_equal(fixture->diagnostics, 0);
}

/* Notes the clock at an address in L1. */
static void note_clock(struct program *program, uint32_t address)
{
    enum { WALL_CLOCK_0_HIGH = 0xFFB12, WALL_CLOCK_0_LOW = 0x1F0 };
    add(program, lui(T0, (uint32_t)WALL_CLOCK_0_HIGH << 12));
    add(program, lw(T1, T0, WALL_CLOCK_0_LOW));
    load_value(program, T0, address);
    add(program, sw(T1, T0, 0));
}

/* Copies 16 bytes to L1 until they begin with the word; once: starts one copy, and looks at L1 until they do. */
static void await_word(struct program *program, uint32_t word, bool once)
{
    unsigned begin;
    if (once) {
        store(program, DMA + 0x30, GDDR);
        store(program, DMA + 0x38, STAGE);
        store(program, DMA + 0x50, START_READ | 1);
        load_value(program, T0, STAGE);
        load_value(program, T2, word);
        begin = program->count;
    } else {
        begin = program->count;
        read_from_gddr(program, 0, GDDR, STAGE, 16);
        load_value(program, T0, STAGE);
        load_value(program, T2, word);
    }
    add(program, lw(T1, T0, 0));
    add(program, bne(T1, T2, (int32_t)(begin - program->count) * 4));
}

/* Cycles until the program has seen the word, which the host writes after so many. */
static uint32_t cycles_until_seen(struct fixture *fixture, uint32_t after, bool once, unsigned look_every)
{
    enum { WORD = 0x11111111, LIMIT = 10000 };
    struct program program = {0};
    note_clock(&program, RESULT + 4);
    await_word(&program, WORD, once);
    note_clock(&program, RESULT);
    put(fixture, OTHER_Y, GDDR, after ? 0 : WORD);
    put(fixture, Y, BH_DRISC_L1 + STAGE, 0);
    start(fixture, Y, &program);
    for (uint32_t cycle = 0; cycle < LIMIT; cycle++) {
        if (look_every && cycle % look_every == 0) {
            (void)get(fixture, Y, BH_DRISC_L1 + RESULT);
        }
        if (cycle == after && after) {
            put(fixture, OTHER_Y, GDDR, WORD);
        }
        (void)bh_advance(fixture->device, 1);
    }
    return get(fixture, Y, BH_DRISC_L1 + RESULT) - get(fixture, Y, BH_DRISC_L1 + RESULT + 4);
}

static void copies_end_whether_the_host_looks_or_not(void **context)
{
    struct fixture *fixture = *context;
    uint32_t cycles = cycles_until_seen(fixture, 0, true, 0);
    for (unsigned look_every = 1; look_every < 8; look_every++) {
        assert_int_equal(cycles_until_seen(fixture, 0, true, look_every), cycles);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

static void copies_come_before_what_the_host_writes_later(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned after = 2300; after < 2400; after += 17) {
        uint32_t cycles = cycles_until_seen(fixture, after, false, 0);
        assert_in_range(cycles, after - 20, after + 300);
        assert_int_equal(cycles_until_seen(fixture, after, false, after), cycles);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define IN(name, how, set_up)                                                                                          \
    {                                                                                                                  \
#name ", " how, name, set_up, tear_down, NULL                                                                  \
    }
#define TIMED(name) IN(name, "timed", set_up_timed)
#define JITTERED(name) IN(name, "with jitter", set_up_jittered)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(programs_run_in_l1_of_their_own),
        TEST(cores_start_and_stop_by_name),
        TEST(copies_reach_gddr_and_l1),
        TEST(writes_advance_by_themselves),
        TEST(stream_mode_lets_the_core_send),
        TEST(the_core_starts_nothing_in_noc2axi_mode),
        TEST(other_tiles_reach_its_l1_and_registers),
        TEST(wrong_copies_are_refused),
        TEST(registers_that_nobody_describes_are_refused),
        TEST(registers_have_their_reset_values),
        TEST(scratch_registers_keep_words),
        TEST(a_core_that_waits_for_ever_is_reported),
        TEST(registers_of_its_own_may_be_polled_for_long),
        TIMED(registers_of_its_own_may_be_polled_for_long),
        TIMED(programs_run_in_l1_of_their_own),
        TIMED(copies_reach_gddr_and_l1),
        TIMED(writes_advance_by_themselves),
        TIMED(stream_mode_lets_the_core_send),
        TIMED(other_tiles_reach_its_l1_and_registers),
        TIMED(a_core_that_waits_for_ever_is_reported),
        TIMED(copies_take_silicons_time),
        TEST(copies_come_before_what_the_host_writes_later),
        TIMED(copies_come_before_what_the_host_writes_later),
        TIMED(copies_end_whether_the_host_looks_or_not),
        JITTERED(programs_run_in_l1_of_their_own),
        JITTERED(copies_reach_gddr_and_l1),
        JITTERED(writes_advance_by_themselves),
        JITTERED(stream_mode_lets_the_core_send),
        JITTERED(other_tiles_reach_its_l1_and_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
