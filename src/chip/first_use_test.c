/* A tile is reset when it is first used, and costs nothing before: chip/device_state.h. */
#include "noc/fixture.h"

#include <sys/mman.h>

#include "chip/device_state.h"

enum { PAGE = 4096, DATA = 0x1000, NOC_NODE_ID = 0xFFB20044, SOFT_RESET_0 = 0xFFB121B0, ALL_CORES = 0x47800 };

static unsigned ready_tiles(const struct fixture *fixture)
{
    unsigned count = 0;
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        count += (unsigned)__builtin_popcountll(fixture->device->ready[word]);
    }
    return count;
}

/* Of the whole pages within this memory, those that the host has memory for. */
static unsigned resident_pages_of(void *memory, size_t size)
{
    static unsigned char resident[1024];
    uintptr_t first = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)memory + size) / PAGE * PAGE;
    size_t pages = (end - first) / PAGE;
    unsigned count = 0;
    assert_in_range(pages, 1, sizeof resident);
    assert_int_equal(mincore((void *)first, end - first, resident), 0);
    for (size_t page = 0; page < pages; page++) {
        count += resident[page] & 1;
    }
    return count;
}

/* The same of all that belongs to a tile. */
static unsigned resident_pages_of_tile(const struct fixture *fixture, unsigned index)
{
    struct bh_device *device = fixture->device;
    return resident_pages_of(&device->tiles[index], sizeof device->tiles[index]) +
           resident_pages_of(&device->states[index], sizeof device->states[index]) +
           resident_pages_of(device->code_rooms + index * l1_code_room, l1_code_room) +
           resident_pages_of(device->code_buffers + index * CODE_BUFFER_SIZE, CODE_BUFFER_SIZE);
}

/* The same of a tile's state. */
static unsigned resident_pages(const struct fixture *fixture, unsigned x, unsigned y)
{
    unsigned index;
    assert_true(tensix_index(x, y, &index));
    return resident_pages_of(&fixture->device->states[index], sizeof(struct tile_state));
}

static void assert_unused(const struct fixture *fixture, unsigned x, unsigned y)
{
    unsigned index;
    assert_true(tensix_index(x, y, &index));
    assert_false(fixture->device->ready[index / 64] >> index % 64 & 1);
    assert_int_equal(resident_pages(fixture, x, y), 0);
}

/* The tile was used, and is as reset leaves it. */
static void assert_used(struct fixture *fixture, unsigned x, unsigned y)
{
    unsigned index;
    assert_true(tensix_index(x, y, &index));
    assert_true(fixture->device->ready[index / 64] >> index % 64 & 1);
    assert_true(resident_pages(fixture, x, y) > 0);
    assert_int_equal(get_word(fixture, x, y, NOC_NODE_ID) & 0xfff, at(x, y));
    assert_int_equal(get_word(fixture, x, y, SOFT_RESET_0) & ALL_CORES, ALL_CORES);
    assert_int_equal(fixture->diagnostics, 0);
}

static void a_new_device_has_used_no_tile(void **context)
{
    struct fixture *fixture = *context;
    exchange(fixture);
    bh_report(fixture->device);
    assert_int_equal(ready_tiles(fixture), 0);
    assert_int_equal(fixture->device->ready_cores, 0);
    assert_unused(fixture, 1, 2);
    assert_unused(fixture, 16, 11);
}

static void the_host_reads_a_tile_first(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(get_word(fixture, 3, 5, DATA), 0);
    assert_int_equal(ready_tiles(fixture), 1);
    assert_used(fixture, 3, 5);
    assert_unused(fixture, 4, 5);
}

static void the_host_writes_a_tile_first(void **context)
{
    struct fixture *fixture = *context;
    put_word(fixture, 3, 5, DATA, 0x12345678);
    assert_int_equal(get_word(fixture, 3, 5, DATA), 0x12345678);
    assert_int_equal(ready_tiles(fixture), 1);
    assert_used(fixture, 3, 5);
}

static void a_reset_gives_the_memory_of_tiles_back(void **context)
{
    struct fixture *fixture = *context;
    unsigned index;
    assert_true(tensix_index(3, 5, &index));
    struct tile *used = &fixture->device->tiles[index], *unused = used + 1;
    put_word(fixture, 3, 5, DATA, 0x12345678);
    assert_true(resident_pages_of(used, sizeof *used) > 0);
    device_reset(fixture->device);
    assert_int_equal(resident_pages_of(used, sizeof *used), 0);
    assert_int_equal(resident_pages_of(unused, sizeof *unused), 0);
    assert_unused(fixture, 3, 5);
    assert_int_equal(get_word(fixture, 3, 5, DATA), 0);
    assert_used(fixture, 3, 5);
}

static void what_was_written_stays_at_the_second_use(void **context)
{
    struct fixture *fixture = *context;
    put_word(fixture, 3, 5, SOFT_RESET_0, ALL_CORES | 1 << 15);
    put_word(fixture, 4, 5, DATA, 1);
    assert_int_equal(get_word(fixture, 3, 5, SOFT_RESET_0), ALL_CORES | 1 << 15);
    assert_int_equal(ready_tiles(fixture), 2);
}

static void a_core_is_stopped_first(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(bh_core_stop(fixture->device, 16, 11, BH_CORE_T2), BH_OK);
    assert_int_equal(ready_tiles(fixture), 1);
    assert_used(fixture, 16, 11);
}

static void a_core_is_started_first(void **context)
{
    struct fixture *fixture = *context;
    struct bh_run_result result;
    assert_int_equal(bh_core_start(fixture->device, 16, 11, BH_CORE_T0, DATA), BH_OK);
    put_word(fixture, 16, 11, DATA, 0x6f); /* a jump to itself */
    assert_int_equal(bh_run(fixture->device, 1000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(ready_tiles(fixture), 1);
}

/* The program of `make bench-systems`: a page for what the tile has of the host, five for its state, one for the
   instructions that are predecoded, one for tables of these, two of L1. */
static void a_busy_tile_takes_few_pages(void **context)
{
    struct fixture *fixture = *context;
    static const uint32_t code[] = {
        0x000203b7, /* lui t2, 0x20 */
        0x00128293, /* addi t0, t0, 1 */
        0x0053a023, /* sw t0, 0(t2) */
        0x007282b3, /* add t0, t0, t2 */
        0xff5ff06f, /* j -12 */
    };
    enum { CODE = 0xa000, COUNT_AT = 0x20000, MOST = 11 };
    struct bh_run_result result;
    unsigned index, taken = 0;
    (void)madvise(fixture->device, sizeof *fixture->device, MADV_NOHUGEPAGE);
    (void)madvise(fixture->device->states, TENSIX_TILES * sizeof *fixture->device->states, MADV_NOHUGEPAGE);
    for (unsigned x = 1; x <= 4; x++) {
        assert_int_equal(bh_write(fixture->device, x, 5, CODE, code, sizeof code), BH_OK);
        assert_int_equal(bh_core_start(fixture->device, x, 5, BH_CORE_T1, CODE), BH_OK);
    }
    assert_int_equal(bh_run(fixture->device, 1000000, &result), BH_OK);
    for (unsigned x = 1; x <= 4; x++) {
        assert_true(get_word(fixture, x, 5, COUNT_AT) != 0);
        assert_true(tensix_index(x, 5, &index));
        unsigned pages = resident_pages_of_tile(fixture, index);
        taken = pages > taken ? pages : taken;
    }
    assert_in_range(taken, 1, MOST);
}

/* Hosts that can not take pages together take none before they are used. */
static void memory_of_programs_is_taken_with_several_pages_of_them(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t page[PAGE];
    unsigned index;
    assert_true(tensix_index(3, 5, &index));
    struct tile_state *state = &fixture->device->states[index];
    (void)madvise(fixture->device->states, TENSIX_TILES * sizeof *fixture->device->states, MADV_NOHUGEPAGE);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bh_write(fixture->device, 3, 5, 0x10000 * i, page, sizeof page), BH_OK);
        assert_int_equal(resident_pages_of(state->local_rams, sizeof state->local_rams), 0);
    }
    assert_int_equal(bh_write(fixture->device, 3, 5, 0x30000, page, sizeof page), BH_OK);
    unsigned taken = resident_pages_of(state->local_rams, sizeof state->local_rams);
    assert_true(taken == sizeof state->local_rams / PAGE || taken == 0);
}

static void a_tile_that_is_reset_gives_its_memory_back(void **context)
{
    struct fixture *fixture = *context;
    unsigned index;
    assert_true(tensix_index(3, 5, &index));
    put_word(fixture, 3, 5, DATA, 1);
    unsigned before = resident_pages_of_tile(fixture, index);
    assert_int_equal(bh_tile_reset(fixture->device, 3, 5), BH_OK);
    assert_int_equal(get_word(fixture, 3, 5, DATA), 1);
    assert_in_range(resident_pages_of_tile(fixture, index), 1, before);
}

static void another_tile_writes_a_tile_first(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned noc = 0; noc < NIUS; noc++) {
        unsigned x = 6 + noc;
        put_word(fixture, 3, 5, DATA, 0x600d + noc);
        do_command(fixture, &(struct command){.x = 3,
                                              .y = 5,
                                              .noc = (uint8_t)noc,
                                              .ctrl = CMD_WRITE | MARKED,
                                              .target = DATA,
                                              .target_at = at(3, 5),
                                              .back = DATA,
                                              .back_at = at(x, 9),
                                              .length = 4});
        assert_int_equal(ready_tiles(fixture), 2 + noc);
        assert_used(fixture, x, 9);
        assert_int_equal(get_word(fixture, x, 9, DATA), 0x600d + noc);
        assert_int_equal(counter(fixture, x, 9, noc, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED), 1);
    }
}

static void another_tile_reads_a_tile_first(void **context)
{
    struct fixture *fixture = *context;
    put_word(fixture, 3, 5, DATA, 5);
    do_command(fixture, &(struct command){.x = 3,
                                          .y = 5,
                                          .ctrl = CMD_READ,
                                          .target = DATA,
                                          .target_at = at(7, 9),
                                          .back = DATA,
                                          .back_at = at(3, 5),
                                          .length = 4});
    assert_int_equal(get_word(fixture, 3, 5, DATA), 0);
    assert_int_equal(ready_tiles(fixture), 2);
    assert_int_equal(counter(fixture, 7, 9, 0, NIU_SLV_RD_REQ_RECEIVED), 1);
    assert_used(fixture, 7, 9);
}

static void a_broadcast_reaches_tiles_first(void **context)
{
    struct fixture *fixture = *context;
    put_word(fixture, 3, 4, DATA, 0xca57);
    do_command(fixture, &(struct command){.x = 3,
                                          .y = 4,
                                          .ctrl = CMD_WRITE | BROADCAST | MARKED,
                                          .target = DATA,
                                          .target_at = at(3, 4),
                                          .back = DATA,
                                          .back_at = rectangle(5, 6, 6, 8),
                                          .length = 4});
    assert_int_equal(ready_tiles(fixture), 1 + 2 * 3);
    assert_int_equal(counter(fixture, 3, 4, 0, NIU_MST_WR_ACK_RECEIVED), 2 * 3);
    assert_unused(fixture, 7, 8);
    for (unsigned y = 6; y <= 8; y++) {
        assert_used(fixture, 5, y);
        assert_used(fixture, 6, y);
        assert_int_equal(get_word(fixture, 5, y, DATA), 0xca57);
        assert_int_equal(get_word(fixture, 6, y, DATA), 0xca57);
    }
}

static void another_tile_increments_a_word_first(void **context)
{
    struct fixture *fixture = *context;
    enum { INCREMENT_BY_4 = 1 << 12 | 31 << 2 };
    do_command(fixture, &(struct command){.x = 3,
                                          .y = 5,
                                          .ctrl = CMD_ATOMIC | MARKED,
                                          .target = DATA,
                                          .target_at = at(7, 9),
                                          .back = DATA,
                                          .back_at = at(3, 5),
                                          .length = INCREMENT_BY_4,
                                          .data = 4});
    assert_used(fixture, 7, 9);
    assert_int_equal(get_word(fixture, 7, 9, DATA), 4);
}

/* What firmware left is there at the first look. */
static void an_ethernet_tile_is_read_first(void **context)
{
    struct fixture *fixture = *context;
    enum { BOOT_RESULTS = 0x7cc00 };
    assert_int_equal(get_word(fixture, 20, 25, BOOT_RESULTS) & 0xfffff000, 0xc0dea000);
    assert_int_equal(__builtin_popcountll(fixture->device->ready_cores), 1);
    assert_int_equal(ready_tiles(fixture), 0);
    assert_int_equal(fixture->diagnostics, 0);
}

/* Of tiles that are not emulated the NIUs are there. */
static void an_absent_tile_is_read_first(void **context)
{
    struct fixture *fixture = *context;
    enum { SECURITY_X = 8, SECURITY_Y = 2 };
    uint32_t id = 0;
    assert_int_equal(noc_tile_kind(SECURITY_X, SECURITY_Y), TILE_SECURITY);
    assert_int_equal(absent_next(&fixture->device->absent, 0), ABSENT_TILES);
    assert_int_equal(
        bh_read(fixture->device, SECURITY_X, SECURITY_Y, 0xFFFFFFFFFF000000u + (NOC_NODE_ID & 0xfff), &id, sizeof id),
        BH_OK);
    assert_int_equal(id & 0xfff, at(SECURITY_X, SECURITY_Y));
    unsigned first = absent_next(&fixture->device->absent, 0);
    assert_int_equal(first, SECURITY_Y * NOC_WIDTH + SECURITY_X);
    assert_int_equal(absent_next(&fixture->device->absent, first + 1), ABSENT_TILES);
    assert_int_equal(ready_tiles(fixture), 0);
    assert_int_equal(fixture->diagnostics, 0);
}

static void the_policy_holds_from_the_first_use_on(void **context)
{
    struct fixture *fixture = *context;
    (void)get_word(fixture, 3, 5, DATA);
    unsigned index;
    assert_true(tensix_index(3, 5, &index));
    struct diagnostics silicon = {0};
    diagnostics_set_policy(&silicon, BH_POLICY_SILICON);
    assert_memory_equal(fixture->device->states[index].diagnostics.policy, silicon.policy, sizeof silicon.policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_device_has_used_no_tile),
        TEST(the_host_reads_a_tile_first),
        TEST(the_host_writes_a_tile_first),
        TEST(a_reset_gives_the_memory_of_tiles_back),
        TEST(what_was_written_stays_at_the_second_use),
        TEST(a_core_is_stopped_first),
        TEST(a_core_is_started_first),
        TEST(a_busy_tile_takes_few_pages),
        TEST(memory_of_programs_is_taken_with_several_pages_of_them),
        TEST(a_tile_that_is_reset_gives_its_memory_back),
        TEST(another_tile_writes_a_tile_first),
        TEST(another_tile_reads_a_tile_first),
        TEST(a_broadcast_reaches_tiles_first),
        TEST(another_tile_increments_a_word_first),
        TEST(an_ethernet_tile_is_read_first),
        TEST(an_absent_tile_is_read_first),
        TEST_SILICON(the_policy_holds_from_the_first_use_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
