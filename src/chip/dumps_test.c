/* Debuggers dump whole regions of registers, of which not every word is a register. Source: tt-exalens, whose memory
   maps say what is safe to read over the NoC. */
#include "chip/device_fixture.h"

#include <string.h>

enum { TENSIX_X = 1, TENSIX_Y = 2, ETHERNET_X = 20, ETHERNET_Y_TRANSLATED = 25, DRAM_X = 17, DRAM_Y = 12 };
enum { BYTES = 64 };

struct place {
    uint64_t address;
    uint32_t known; /* what its first word reads as */
};

/* Of what is not known there is one warning for each tile and each reason. */
static void assert_dumped(struct fixture *fixture, unsigned x, unsigned y, const struct place *places, unsigned count,
                          unsigned warnings)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t words[BYTES / 4];
        memset(words, 0xff, sizeof words);
        assert_int_equal(bh_read(fixture->device, x, y, places[i].address, words, sizeof words), BH_OK);
        assert_int_equal(words[0], places[i].known);
        assert_int_not_equal(words[BYTES / 4 - 1], UINT32_MAX);
    }
    assert_int_equal(fixture->diagnostics, warnings);
    assert_int_equal(fixture->last.category, BH_UNPREDICTABLE_VALUE);
    assert_int_equal(fixture->last.action, BH_WARN);
}

#define COUNT(places) (sizeof(places) / sizeof *(places))

static void a_tensix_tile_is_dumped(void **context)
{
    struct fixture *fixture = *context;
    static const struct place places[] = {
        {0xFFB127FC, 0}, {0xFFB20000, 0}, {0xFFB3FFC0, 0}, {0xFFB40000, 0}, {0xFFB5FFFC, 0}};
    assert_dumped(fixture, TENSIX_X, TENSIX_Y, places, COUNT(places), 2);
}

/* Cores have no reason to read there. */
static void cores_read_registers_only(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t program[] = {0xffb132b7 /* lui t0, 0xffb13 */, 0xffc2a303 /* lw t1, -4(t0) */, 0x0000006f};
    assert_int_equal(bh_write(fixture->device, TENSIX_X, TENSIX_Y, 0x100, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, TENSIX_X, TENSIX_Y, BH_CORE_B, 0x100), BH_OK);
    assert_int_equal(bh_run(fixture->device, 100, NULL), BH_ERROR_STOPPED);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
}

/* Programs of tt-umd's tests store to 0xFFB12284. */
static void stores_to_no_register_of_tile_control_have_no_effect(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t program[] = {0xffb122b7 /* lui t0, 0xffb12 */, 0x2852a223 /* sw t0, 0x284(t0) */, 0x0000006f};
    assert_int_equal(bh_write(fixture->device, TENSIX_X, TENSIX_Y, 0x100, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, TENSIX_X, TENSIX_Y, BH_CORE_B, 0x100), BH_OK);
    assert_int_equal(bh_run(fixture->device, 100, NULL), BH_OK);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, BH_NON_CONTRACTUAL);
    assert_int_equal(fixture->last.action, BH_WARN);
    assert_non_null(strstr(fixture->last.text, "0xffb12284"));
    uint32_t word = 1;
    assert_int_equal(bh_read(fixture->device, TENSIX_X, TENSIX_Y, 0xFFB12284, &word, sizeof word), BH_OK);
    assert_int_equal(word, 0);
}

static void an_ethernet_tile_is_dumped(void **context)
{
    struct fixture *fixture = *context;
    static const struct place places[] = {{0xFFB12000, 0},    {0xFFB13004, 0}, {0xFFB14020, 0}, {0xFFB27FFC, 0},
                                          {0xFFB5FFFC, 0},    {0xFFB90014, 0}, {0xFFB917FC, 0}, {0xFFB957FC, 0},
                                          {0xFFB98120, 0x1f}, {0xFFB98200, 0}, {0xFFB9D50C, 0}};
    assert_dumped(fixture, ETHERNET_X, ETHERNET_Y_TRANSLATED, places, COUNT(places), 1);
}

static void words_of_an_ethernet_tile_are_written_together(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t words[] = {0x1000, 0x20, 0x3000}; /* TX queue 0: start, size, destination */
    uint32_t read[3] = {0};
    assert_int_equal(bh_write(fixture->device, ETHERNET_X, ETHERNET_Y_TRANSLATED, 0xFFB90014, words, sizeof words),
                     BH_OK);
    assert_int_equal(bh_read(fixture->device, ETHERNET_X, ETHERNET_Y_TRANSLATED, 0xFFB90014, read, sizeof read), BH_OK);
    assert_memory_equal(read, words, sizeof words);
    assert_int_equal(bh_write(fixture->device, ETHERNET_X, ETHERNET_Y_TRANSLATED, 0xFFB13000, words, sizeof words),
                     BH_OK);
    assert_int_equal(fixture->last.category, BH_NON_CONTRACTUAL);
    assert_int_equal(bh_write(fixture->device, ETHERNET_X, ETHERNET_Y_TRANSLATED, 0xFFB90016, words, 4),
                     BH_ERROR_ADDRESS);
    assert_int_equal(fixture->last.category, BH_UNDEFINED_BEHAVIOR);
}

/* EthernetRxClassifier.md: which codes at the end of a frame keep it. */
static void codes_of_good_frames_are_a_mask(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t masks[] = {0xff, 0x1e};
    for (unsigned i = 0; i < COUNT(masks); i++) {
        uint32_t word;
        assert_int_equal(bh_write(fixture->device, ETHERNET_X, ETHERNET_Y_TRANSLATED, 0xFFB98120, &masks[i], 4), BH_OK);
        assert_int_equal(bh_read(fixture->device, ETHERNET_X, ETHERNET_Y_TRANSLATED, 0xFFB98120, &word, 4), BH_OK);
        assert_int_equal(word, masks[i]);
    }
}

/* Beyond their memory, where tt-exalens finds the NIUs. */
static void a_dram_tile_is_dumped(void **context)
{
    struct fixture *fixture = *context;
    uint32_t id, same;
    assert_int_equal(bh_read(fixture->device, DRAM_X, DRAM_Y, 0xFFB20044, &id, 4), BH_OK);
    assert_int_equal(bh_read(fixture->device, DRAM_X, DRAM_Y, 0x100FFB20044, &same, 4), BH_OK);
    assert_int_equal(same, id);
    static const struct place places[] = {
        {0x100FFB20200, 0}, {0x100FFB27FFC, 0}, {0x100FFB3FFC0, 0}, {0x100FFB47FFC, 0}};
    assert_dumped(fixture, DRAM_X, DRAM_Y, places, COUNT(places), 1);
    assert_int_equal(bh_read(fixture->device, DRAM_X, DRAM_Y, 0x100FFB1FFFC, &same, 4), BH_ERROR_ADDRESS);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_tensix_tile_is_dumped),
        TEST(cores_read_registers_only),
        TEST(stores_to_no_register_of_tile_control_have_no_effect),
        TEST(an_ethernet_tile_is_dumped),
        TEST(words_of_an_ethernet_tile_are_written_together),
        TEST(codes_of_good_frames_are_a_mask),
        TEST(a_dram_tile_is_dumped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
