/* What messages to the ARC firmware do to the chip. Source: tt-zephyr-platforms msgqueue.h, and of bh_arc noc_init.c,
   chip/pcie/dma.c, reset.c, cm2dm_msg.c. */
#include "chip/arc/fixture.h"

#include "bhemu/pci.h"

enum { TRANSLATION = 40, NIU_CFG_0 = 0xFFB20100, ID_LOGICAL = 0xFFB20148, TRANSLATE_EN = 1 << 14, HOST_SIZE = 1 << 16 };
enum { SOFT_RESET_0 = 0xFFB121B0, IN_RESET = 0x47800, RESET_DELAY = 6750000 };

#define BAR0 0x100000000u

static uint8_t host[HOST_SIZE];

static void host_read(void *context, uint64_t address, void *data, uint32_t size)
{
    (void)context;
    memcpy(data, host + address % HOST_SIZE, size);
}

static void host_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    (void)context;
    memcpy(host + address % HOST_SIZE, data, size);
}

static int set_up(void **context)
{
    struct bh_device_config config = {.board = BH_BOARD_P150A, .host_read = host_read, .host_write = host_write};
    (void)context;
    memset(host, 0, sizeof host);
    return bh_device_create(&config, &device) == BH_OK ? 0 : -1;
}

static uint32_t word_at(unsigned x, unsigned y, uint64_t address)
{
    uint32_t word = 0;
    assert_int_equal(bh_read(device, x, y, address, &word, sizeof word), BH_OK);
    return word;
}

static void set_word(unsigned x, unsigned y, uint64_t address, uint32_t word)
{
    assert_int_equal(bh_write(device, x, y, address, &word, sizeof word), BH_OK);
}

/* debug_noc_translation_rqst */
static uint32_t translate(uint32_t flags, uint32_t bad_columns, uint32_t bad_channel, uint32_t skip_ethernet)
{
    uint32_t response[8];
    return send((uint32_t[4]){0x15 | flags << 8 | bad_columns << 16, bad_channel | skip_ethernet << 8}, response);
}

static void coordinates_are_those_of_the_noc_without_translation(void **context)
{
    enum { BAD = 0x3000 };
    (void)context;
    set_word(4, 5, 0x100, 0x1234); /* column 4 of NoC 0, as nothing before it is harvested */
    assert_int_equal(word_at(4, 5, ID_LOGICAL) & 0xfff, 4 | 5 << 6);
    assert_int_equal(translate(0, 0, 0xff, 0), 0);
    assert_int_equal(telemetry(TRANSLATION), 0);
    assert_int_equal(word_at(4, 5, 0x100), 0x1234);
    assert_int_equal(word_at(4, 5, NIU_CFG_0) & TRANSLATE_EN, 0);
    assert_int_equal(word_at(4, 5, ID_LOGICAL + 0x10000) & 0xfff, (16 - 4) | (11 - 5) << 6); /* of NoC 1 */
    set_word(0, 11, 0x5000, 77); /* DRAM, where the die has it */
    uint32_t word;
    assert_int_not_equal(bh_read(device, 17, 12, 0x5000, &word, sizeof word), BH_OK);
    assert_int_equal(translate(1, BAD, 0xff, 0), 0);
    assert_int_equal(telemetry(TRANSLATION), 1);
    assert_int_equal(word_at(17, 14, 0x5000), 77); /* the third tile of channel 0 */
    assert_int_equal(word_at(4, 5, NIU_CFG_0) & TRANSLATE_EN, TRANSLATE_EN);
    assert_int_equal(word_at(4, 5, 0x100), 0x1234);
}

/* "bad_tensix_cols is a bitmap ... skipping the disabled columns which will be moved to the end"; "Move bad_gddr to the
   end"; skip_eth */
static void tiles_are_arranged_as_the_message_says(void **context)
{
    (void)context;
    set_word(2, 3, 0x200, 0xaaa);                      /* x = 2 of NoC 0: column 2 of the die */
    set_word(17, 15, 0x6000, 0xbbb);                   /* channel 1 */
    assert_int_equal(translate(1, 0x3005, 1, 0x6), 0); /* columns 0 and 2, x = 1 and 2, are bad, too */
    assert_int_equal(word_at(15, 3, 0x200), 0xaaa);    /* the lowest bad one is last */
    assert_int_equal(word_at(15, 3, ID_LOGICAL) & 0xfff, 15 | 3 << 6);
    assert_int_equal(word_at(18, 21, 0x6000), 0xbbb); /* its column and its rows come last */
    assert_int_equal(translate(1, 0, 8, 0), 0xea);    /* there is no such channel */
    assert_int_equal(ask(0x20, 0, 0, NULL), 0);
    assert_int_equal(word_at(2, 3, 0x200), 0xaaa);
    assert_int_equal(word_at(17, 15, 0x6000), 0xbbb);
}

/* pcie_dma_transfer_rqst: chip_addr is one of the TLB windows */
static void the_firmware_transfers_by_dma(void **context)
{
    enum { SIZE = 5000, FROM = 0x400, BACK = 0x4000, DONE = 0x9000 };
    static const uint32_t window[3] = {0, (3 | 4 << 6) << 11, 0}; /* to tile (3, 4) */
    uint32_t response[8];
    (void)context;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bh_pci_write(device, BAR0 + 0x1FC00000 + 4 * i, &window[i], 4), BH_OK);
    }
    for (uint32_t i = 0; i < SIZE; i++) {
        host[FROM + i] = (uint8_t)(i * 7);
    }
    uint32_t request[8] = {0x9c | 0x5a << 8, SIZE, 0x1000, 0, FROM, 0, DONE, 0};
    assert_int_equal(send_all(request, response), 0);
    assert_int_equal(host[DONE], 0x5a);
    assert_int_equal(word_at(3, 4, 0x1000 + 4), 0x1c | 0x23 << 8 | 0x2a << 16 | 0x31 << 24);
    uint32_t back[8] = {0x9b | 0x77 << 8, SIZE, 0x1000, 0, BACK, 0, DONE, 0};
    assert_int_equal(send_all(back, response), 0);
    assert_int_equal(host[DONE], 0x77);
    assert_memory_equal(host + BACK, host + FROM, SIZE);
}

/* toggle_single_tensix_reset_rqst */
static void a_tensix_tile_is_reset_alone(void **context)
{
    enum { NOP = 0x13, SELF_JUMP = 0x6f, SCRATCH = 0xFFB40400 + 9 * 0x1000 };
    uint32_t program[] = {NOP, SELF_JUMP}, value;
    (void)context;
    for (unsigned x = 3; x < 5; x++) {
        assert_int_equal(bh_write(device, x, 6, 0, program, sizeof program), BH_OK);
        assert_int_equal(bh_core_start(device, x, 6, BH_CORE_B, 0), BH_OK);
        set_word(x, 6, SCRATCH, 0xabc);
    }
    assert_int_equal(bh_run(device, 100, NULL), BH_OK);
    assert_int_equal(ask(0xae, 3 | 6 << 8, 0, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(word_at(3, 6, SOFT_RESET_0), IN_RESET);
    assert_int_equal(word_at(3, 6, SCRATCH), 0);
    assert_int_equal(word_at(3, 6, 4), SELF_JUMP); /* L1 keeps what it has */
    assert_int_equal(word_at(3, 6, ID_LOGICAL) & 0xfff, 3 | 6 << 6);
    assert_int_not_equal(word_at(4, 6, SOFT_RESET_0), IN_RESET);
    assert_int_equal(word_at(4, 6, SCRATCH), 0xabc);
    assert_int_equal(bh_core_start(device, 3, 6, BH_CORE_B, 0), BH_OK);
    assert_int_equal(bh_run(device, 100, NULL), BH_OK);
    assert_int_equal(ask(0xae, 17 | 14 << 8, 0, &value), 1); /* DRAM */
    assert_int_equal(value, 1);
}

/* Has a core look at a word until its tile rests. */
static void let_rest(unsigned x, unsigned y)
{
    enum { LW_T0 = 0x10002283, BEQZ_T0_BACK = 0xfe028ee3 };
    const uint32_t program[] = {LW_T0, BEQZ_T0_BACK};
    assert_int_equal(bh_write(device, x, y, 0, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(device, x, y, BH_CORE_B, 0), BH_OK);
    assert_int_equal(bh_run(device, 20000, NULL), BH_OK);
}

static void assert_nothing_runs(void)
{
    struct bh_run_result result;
    assert_int_equal(bh_run(device, 5000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(result.riscv_instructions, 0);
}

static void a_tile_at_rest_is_reset_like_any_other(void **context)
{
    uint32_t value;
    (void)context;
    let_rest(3, 6);
    assert_int_equal(ask(0xae, 3 | 6 << 8, 0, &value), 0);
    assert_nothing_runs();
    let_rest(3, 6);
    assert_int_equal(ask(0x56, 3, 0, NULL), 0);
    bh_pass(device, RESET_DELAY);
    assert_nothing_runs();
    let_rest(4, 6);
}

/* "Redo Tensix init that gets cleared on Tensix reset. This includes all NOC programming" */
static void all_tensix_tiles_are_reset(void **context)
{
    (void)context;
    set_word(7, 7, 0x300, 5);
    set_word(20, 25, 0x300, 6);
    assert_int_equal(ask(0xaf, 0, 0, NULL), 0);
    assert_int_equal(word_at(7, 7, NIU_CFG_0), 0);
    assert_int_equal(word_at(10, 2, ID_LOGICAL), 0);
    assert_int_not_equal(word_at(20, 25, NIU_CFG_0), 0); /* an Ethernet tile */
    assert_int_equal(word_at(7, 7, 0x300), 5);
    assert_int_equal(ask(0x20, 0, 0, NULL), 0);
    assert_int_equal(word_at(7, 7, NIU_CFG_0) & TRANSLATE_EN, TRANSLATE_EN);
    assert_int_equal(word_at(10, 2, ID_LOGICAL) & 0xfff, 10 | 2 << 6);
}

/* trigger_reset_rqst: "The reset is delayed by 5 ms to allow the response to be sent"; "Invalid reset levels are
   rejected with the level returned as the error code" */
static void the_chip_is_reset_after_the_response(void **context)
{
    uint32_t flash[4] = {0xc2}, response[8];
    (void)context;
    assert_int_equal(ask(0x56, 1, 0, NULL), 1);
    for (uint32_t level = 0; level < 4; level += 3) {
        set_word(5, 5, 0x40, 9);
        set_word(17, 12, 0x40, 9);
        set_word(21, 25, 0x40, 9);
        assert_int_equal(send(flash, response), 0);
        assert_int_equal(ask(0x33, 1000, 0, NULL), 0);
        uint32_t bar = 0;
        assert_int_equal(bh_pci_config_write(device, 0x10, 0x20000000), BH_OK);
        assert_int_equal(ask(0x56, level, 0, NULL), 0);
        uint64_t before = bh_clock(device);
        bh_pass(device, RESET_DELAY - 1);
        assert_int_equal(word_at(5, 5, 0x40), 9);
        assert_int_equal(telemetry(CLOCK), 1000);
        bh_pass(device, 1);
        assert_int_equal(bh_clock(device), before + RESET_DELAY);
        assert_int_equal(word_at(5, 5, 0x40), 0);
        assert_int_equal(word_at(17, 12, 0x40), 0);
        assert_int_equal(word_at(21, 25, 0x40), 0);
        assert_int_equal(telemetry(CLOCK), 800);
        assert_int_equal(bh_pci_config_read(device, 0x10, &bar), BH_OK);
        assert_int_not_equal(bar & ~0xfu, 0x20000000);
    }
}

static int set_up_to_go_on(void **context)
{
    struct bh_device_config config = {.board = BH_BOARD_P150A, .on_error = BH_ON_ERROR_REPORT};
    (void)context;
    return bh_device_create(&config, &device) == BH_OK ? 0 : -1;
}

/* A store to nowhere stops the tile, on a device that goes on; each of the resets brings it back. */
static void resets_bring_a_stopped_tile_back(void **context)
{
    static const uint32_t wild[] = {0x500002b7, 0x0002a023}; /* lui t0, 0x50000; sw zero, 0(t0) */
    static const struct {
        uint32_t message, value;
        uint64_t delay;
    } resets[] = {{0xae, 3 | 6 << 8, 0}, {0xaf, 0, 0}, {0x56, 0, RESET_DELAY}};
    (void)context;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bh_write(device, 3, 6, 0, wild, sizeof wild), BH_OK);
        assert_int_equal(bh_core_start(device, 3, 6, BH_CORE_B, 0), BH_OK);
        assert_int_equal(bh_run(device, 1000, NULL), BH_OK);
        assert_true(bh_tile_stopped(device, 3, 6));
        assert_int_equal(word_at(3, 6, 0), UINT32_MAX);
        assert_int_equal(ask(resets[i].message, resets[i].value, 0, NULL), 0);
        bh_pass(device, resets[i].delay);
        assert_false(bh_tile_stopped(device, 3, 6));
        assert_int_equal(word_at(3, 6, SOFT_RESET_0), IN_RESET);
        assert_int_equal(word_at(3, 6, 0), resets[i].delay ? 0 : wild[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(coordinates_are_those_of_the_noc_without_translation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tiles_are_arranged_as_the_message_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_firmware_transfers_by_dma, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tensix_tile_is_reset_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tile_at_rest_is_reset_like_any_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_tensix_tiles_are_reset, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_chip_is_reset_after_the_response, set_up, tear_down),
        cmocka_unit_test_setup_teardown(resets_bring_a_stopped_tile_back, set_up_to_go_on, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
