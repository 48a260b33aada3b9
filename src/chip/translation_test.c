/* Devices that translate what their cores run do what those do that do not, whoever writes over that code: the host, or
   other tiles through the NoC; and they do so for any number of kernels. */
#include "rv32/fixture.h"

#include <string.h>

#include "bhemu/device.h"
#include "chip/device_state.h"
#include "noc/coordinates.h"

enum { LOOP = 0x1000, WRITER = 0x4000, SOURCE = 0x8000, DATA = 0x9000, DATA_BYTES = 64, NIU = (int32_t)0xFFB20000 };
enum { CMD_WRITE = 0x2, CMD_MARKED = 0x10, ENOUGH = 40000 };

/* What the cores of a tile came to: in L1, as they store it all the time. */
struct result {
    uint8_t data[DATA_BYTES];
    uint64_t clock, retired, told;
};

struct devices {
    struct bh_device *translating, *interpreting;
    uint64_t told[2]; /* digests of diagnostics */
};

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    char line[2000];
    uint64_t *told = context;
    bh_diagnostic_format(diagnostic, line, sizeof line);
    *told = *told * 31 + diagnostic_hash(line, diagnostic->pc) + diagnostic->cycle;
}

static int setup(void **state)
{
    struct devices *devices = calloc(1, sizeof *devices);
    assert_non_null(devices);
    struct bh_device_config config = {.on_diagnostic = on_diagnostic, .context = &devices->told[0]};
    assert_int_equal(bh_device_create(&config, &devices->translating), BH_OK);
    config.context = &devices->told[1];
    assert_int_equal(bh_device_create(&config, &devices->interpreting), BH_OK);
    devices->interpreting->translator->off = true;
    *state = devices;
    return 0;
}

static int teardown(void **state)
{
    struct devices *devices = *state;
    bh_device_destroy(devices->translating);
    bh_device_destroy(devices->interpreting);
    free(devices);
    return 0;
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* For both devices. */
#define BOTH(devices, device)                                                                                          \
    for (struct bh_device *device = (devices)->translating; device;                                                    \
         device = device == (devices)->translating ? (devices)->interpreting : NULL)

static void load(struct devices *devices, unsigned tile, uint32_t address, const uint32_t *words, unsigned count)
{
    unsigned x, y;
    tensix_coordinates(tile, &x, &y);
    BOTH(devices, device)
    {
        assert_int_equal(bh_write(device, x, y, address, words, count * 4), BH_OK);
    }
}

static void start(struct devices *devices, unsigned tile, enum bh_core core, uint32_t pc)
{
    unsigned x, y;
    tensix_coordinates(tile, &x, &y);
    BOTH(devices, device)
    {
        assert_int_equal(bh_core_stop(device, x, y, core), BH_OK);
        assert_int_equal(bh_core_start(device, x, y, core, pc), BH_OK);
    }
}

/* A kernel that adds `step` to a word of DATA, and counts its rounds in another, for ever. */
static unsigned make_loop(uint32_t *word, int32_t step)
{
    unsigned count = 0;
    word[count++] = word_u(RV32_OP_LUI, S0, DATA);
    word[count++] = word_addi(A1, ZERO, 0);
    word[count++] = word_addi(A3, ZERO, 0);
    word[count++] = word_addi(A4, ZERO, 1);
    word[count++] = word_addi(A1, A1, step); /* at a multiple of 16 */
    word[count++] = word_s(RV32_OP_SW, A1, 0, S0);
    word[count++] = word_addi(A3, A3, 1);
    word[count++] = word_s(RV32_OP_SW, A3, 4, S0);
    word[count++] = word_b(RV32_OP_BNE, A4, ZERO, -16);
    return count;
}

static struct result run(struct bh_device *device, unsigned tile, uint64_t cycles, const uint64_t *told)
{
    struct result result;
    struct bh_run_result ran;
    unsigned x, y;
    memset(&result, 0, sizeof result);
    (void)bh_run(device, cycles, &ran);
    tensix_coordinates(tile, &x, &y);
    assert_int_equal(bh_read(device, x, y, DATA, result.data, DATA_BYTES), BH_OK);
    result.clock = bh_clock(device);
    result.retired = ran.riscv_instructions;
    result.told = *told;
    return result;
}

static void assert_same(struct devices *devices, unsigned tile, uint64_t cycles)
{
    struct result a = run(devices->translating, tile, cycles, &devices->told[0]);
    struct result b = run(devices->interpreting, tile, cycles, &devices->told[1]);
    assert_memory_equal(&a, &b, sizeof a);
}

static void assert_translated(const struct devices *devices, unsigned tile, uint32_t address)
{
    if (translate_possible()) {
        assert_true(
            translator_entry(devices->translating->translator, &devices->translating->tiles[tile].l1, address) != 0);
    }
    assert_false(translator_entry(devices->interpreting->translator, &devices->interpreting->tiles[tile].l1, address) !=
                 0);
}

static void what_the_host_writes_over_code_that_runs_is_executed(void **state)
{
    struct devices *devices = *state;
    uint32_t words[16];
    load(devices, 3, LOOP, words, make_loop(words, 1));
    start(devices, 3, BH_CORE_B, LOOP);
    for (int32_t step = 2; step < 40; step++) {
        assert_same(devices, 3, ENOUGH + (uint64_t)step);
        assert_translated(devices, 3, LOOP + 16);
        load(devices, 3, LOOP + 16, &(uint32_t){word_addi(A1, A1, step)}, 1);
    }
    assert_true(devices->told[0] != 0); /* nobody flushed the core's instruction cache */
}

/* Adds 1 to the step of another tile's loop again and again, by a NoC write of 16 bytes, and then waits. */
static unsigned make_writer(uint32_t *word, unsigned tile, unsigned to)
{
    unsigned count = 0, x, y;
    tensix_coordinates(tile, &x, &y);
    uint32_t here = x | y << 6;
    tensix_coordinates(to, &x, &y);
    const uint32_t there = x | y << 6;
    const uint32_t registers[][2] = {
        {0x0, SOURCE}, {0x8, here}, {0xc, LOOP + 16}, {0x14, there}, {0x1c, CMD_WRITE | CMD_MARKED},
        {0x20, 16},    {0x40, 1}};
    word[count++] = word_u(RV32_OP_LUI, GP, (uint32_t)NIU);
    word[count++] = word_u(RV32_OP_LUI, S0, SOURCE);
    word[count++] = word_u(RV32_OP_LUI, S1, 1 << 20);
    unsigned begin = count;
    word[count++] = word_i(RV32_OP_LW, T0, S0, 0);
    word[count++] = word_r(RV32_OP_ADD, T0, T0, S1);
    word[count++] = word_s(RV32_OP_SW, T0, 0, S0);
    for (unsigned i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        word[count++] = word_u(RV32_OP_LUI, T0, registers[i][1] + 0x800);
        word[count++] = word_addi(T0, T0, (int32_t)(registers[i][1] << 20) >> 20);
        word[count++] = word_s(RV32_OP_SW, T0, (int32_t)registers[i][0], GP);
    }
    word[count++] = word_u(RV32_OP_LUI, T1, 0x4000);
    word[count++] = word_addi(T1, T1, -1);
    word[count++] = word_b(RV32_OP_BNE, T1, ZERO, -4);
    word[count] = word_j(ZERO, 4 * ((int32_t)begin - (int32_t)count));
    return count + 1;
}

static void what_a_tile_writes_over_code_that_another_runs_is_executed(void **state)
{
    struct devices *devices = *state;
    uint32_t words[64];
    unsigned count = make_loop(words, 0);
    load(devices, 7, LOOP, words, count);
    load(devices, 90, SOURCE, words + 4, 4);
    load(devices, 90, WRITER, words, make_writer(words, 90, 7));
    start(devices, 7, BH_CORE_B, LOOP);
    start(devices, 90, BH_CORE_B, WRITER);
    uint32_t step = 0;
    unsigned x, y, translated = 0;
    tensix_coordinates(7, &x, &y);
    for (unsigned i = 0; i < 100; i++) {
        assert_same(devices, 7, 9000 + i);
        translated +=
            translator_entry(devices->translating->translator, &devices->translating->tiles[7].l1, LOOP + 16) != 0;
    }
    assert_int_equal(bh_read(devices->translating, x, y, LOOP + 16, &step, sizeof step), BH_OK);
    assert_in_range(step >> 20, 20, 60);
    assert_true(translated > 10 || !translate_possible());
}

/* Test suites load thousands of kernels onto a device: more than there is room for. */
static void kernels_are_loaded_again_and_again(void **state)
{
    enum { KERNELS = 4500, TILES = 5, TILE = 17 };
    struct devices *devices = *state;
    uint32_t words[16];
    for (unsigned kernel = 0; kernel < KERNELS; kernel++) {
        unsigned count = make_loop(words, (int32_t)kernel % 2048);
        words[6] = word_addi(A3, A3, 1 + (int32_t)kernel / 2048);
        load(devices, TILE + kernel % TILES, LOOP, words, count);
        start(devices, TILE + kernel % TILES, BH_CORE_T1, LOOP);
        if (kernel % TILES == TILES - 1) {
            assert_same(devices, TILE + kernel % 4, ENOUGH);
        }
    }
    assert_translated(devices, TILE, LOOP + 16); /* there is room again */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_the_host_writes_over_code_that_runs_is_executed),
        TEST(what_a_tile_writes_over_code_that_another_runs_is_executed),
        TEST(kernels_are_loaded_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
