/* Broadcasts: ISA documentation NoC/MemoryMap.md, NoC/Coordinates.md; L2CPUTile/TLBWindows.md for strides and
   exclusion. Coordinates in NOC_BRCST_EXCLUDE are raw ones. */
#include "noc/fixture.h"

enum { FROM = 0x1000, TO = 0x2000, VALUE = 0x600df00d };

/* Which tiles found VALUE at TO, by (x, y); clears it. */
static void collect(struct fixture *fixture, bool found[NOC_HEIGHT][NOC_WIDTH])
{
    for (unsigned y = 0; y < NOC_HEIGHT; y++) {
        for (unsigned x = 0; x < NOC_WIDTH; x++) {
            found[y][x] = noc_tile_kind(x, y) == TILE_TENSIX && get_word(fixture, x, y, TO) == VALUE;
            if (found[y][x]) {
                put_word(fixture, x, y, TO, 0);
            }
        }
    }
}

/* Broadcasts from (3, 4). Returns how many acknowledgements came. */
static uint32_t broadcast(struct fixture *fixture, unsigned noc, uint32_t to, uint32_t flags, uint32_t exclude)
{
    uint32_t before = counter(fixture, 3, 4, noc, NIU_MST_WR_ACK_RECEIVED);
    put_word(fixture, 3, 4, FROM, VALUE);
    do_command(fixture, &(struct command){.x = 3,
                                          .y = 4,
                                          .noc = (uint8_t)noc,
                                          .ctrl = CMD_WRITE | BROADCAST | MARKED | flags,
                                          .target = FROM,
                                          .target_at = at(3, 4),
                                          .back = TO,
                                          .back_at = to,
                                          .tag = 6 << 10,
                                          .length = 4,
                                          .exclude = exclude});
    return counter(fixture, 3, 4, noc, NIU_MST_WR_ACK_RECEIVED) - before;
}

/* `expected` says of translated coordinates whether they receive it. */
static void assert_received(struct fixture *fixture, uint32_t acknowledgements,
                            bool (*expected)(unsigned x, unsigned y))
{
    bool found[NOC_HEIGHT][NOC_WIDTH];
    uint32_t recipients = 0;
    collect(fixture, found);
    for (unsigned y = 0; y < NOC_HEIGHT; y++) {
        for (unsigned x = 0; x < NOC_WIDTH; x++) {
            bool wanted = noc_tile_kind(x, y) == TILE_TENSIX && expected(x, y);
            if (found[y][x] != wanted) {
                fail_msg("tile (%u, %u): %d", x, y, found[y][x]);
            }
            recipients += wanted;
        }
    }
    assert_int_equal(acknowledgements, recipients);
}

static bool inner(unsigned x, unsigned y)
{
    return x >= 2 && x <= 11 && y >= 3 && y <= 6;
}

static bool inner_without_source(unsigned x, unsigned y)
{
    return inner(x, y) && !(x == 3 && y == 4);
}

static void a_rectangle_receives(void **context)
{
    struct fixture *fixture = *context;
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, 0), inner);
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), 0, 0), inner_without_source);
    assert_int_equal(counter(fixture, 3, 4, 0, NIU_MST_NONPOSTED_WR_REQ_SENT), 2);
    assert_int_equal(counter(fixture, 4, 4, 0, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED), 2);
    /* One increment a request, one decrement a recipient: Counters.md. */
    assert_int_equal(counter(fixture, 3, 4, 0, NIU_MST_REQS_OUTSTANDING_ID + 6), (2 - 32 - 31) & 0xff);
}

static void noc_1_goes_the_other_way(void **context)
{
    struct fixture *fixture = *context;
    assert_received(fixture, broadcast(fixture, 1, rectangle(11, 6, 2, 3), LOOPBACK, 0), inner);
}

static bool around(unsigned x, unsigned y)
{
    return (x >= 14 || x <= 2) && (y >= 10 || y <= 3);
}

static void a_rectangle_goes_around_the_torus(void **context)
{
    struct fixture *fixture = *context;
    assert_received(fixture, broadcast(fixture, 0, rectangle(14, 10, 2, 3), 0, 0), around);
}

static bool everywhere_else(unsigned x, unsigned y)
{
    return !(x == 3 && y == 4);
}

static void all_tiles_are_a_rectangle(void **context)
{
    struct fixture *fixture = *context;
    assert_received(fixture, broadcast(fixture, 0, rectangle(1, 2, 16, 11), 0, 0), everywhere_else);
    assert_received(fixture, broadcast(fixture, 1, rectangle(16, 11, 1, 2), 0, 0), everywhere_else);
}

static bool inner_but_column_5_row_6(unsigned x, unsigned y)
{
    return inner(x, y) && x != 5 && y != 6;
}

/* ROUTER_CFG_1 and ROUTER_CFG_3: a bit for the NIU's own column and row. */
static void tiles_opt_out(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned y = 2; y < NOC_HEIGHT; y++) {
        for (unsigned x = 0; x < NOC_WIDTH; x++) {
            if (noc_tile_kind(x, y) == TILE_TENSIX) {
                put_word(fixture, x, y, 0xFFB20108, 0x301 | 1 << 5);
                put_word(fixture, x, y, 0xFFB20110, 0x3 | 1 << 6);
            }
        }
    }
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, 0), inner_but_column_5_row_6);
}

static bool strided(unsigned x, unsigned y)
{
    return inner(x, y) && (x - 2) % 3 < 2 && (y - 3) % 2 < 1;
}

static void a_pattern_receives(void **context)
{
    struct fixture *fixture = *context;
    uint32_t stride = 2 | 1 << 2 | 1 << 4 | 1 << 6;
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, stride), strided);
    /* Without skipping there is no pattern, whatever is kept. */
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, 2 | 3 << 4), inner);
}

static bool without_upper_left(unsigned x, unsigned y)
{
    return inner(x, y) && !(x <= 4 && y <= 4);
}

static bool without_lower_right(unsigned x, unsigned y)
{
    return inner(x, y) && !(x >= 7 && y >= 5);
}

static void a_quadrant_is_excluded(void **context)
{
    struct fixture *fixture = *context;
    uint32_t enabled = 1 << 22;
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, enabled | 4 << 8 | 4 << 14),
                    without_upper_left);
    assert_received(
        fixture,
        broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, enabled | 1 << 20 | 1 << 21 | 7 << 8 | 5 << 14),
        without_lower_right);
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, 4 << 8 | 4 << 14), inner);
    /* On NoC 1 coordinates and directions are the other way around: (16 - 4, 11 - 4), and what is right of it. */
    assert_received(
        fixture,
        broadcast(fixture, 1, rectangle(11, 6, 2, 3), LOOPBACK, enabled | 1 << 20 | 1 << 21 | 12 << 8 | 7 << 14),
        without_upper_left);
}

static void registers_and_counters_can_be_broadcast_to(void **context)
{
    struct fixture *fixture = *context;
    uint32_t stream = 0xFFB40000 + 9 * 0x1000;
    do_command(fixture, &(struct command){.x = 1,
                                          .y = 2,
                                          .ctrl = CMD_WRITE | INLINE | BROADCAST | MARKED,
                                          .target = stream + 270 * 4,
                                          .target_at = rectangle(1, 2, 4, 5),
                                          .data = 3 << 6});
    do_command(fixture, &(struct command){.x = 1,
                                          .y = 2,
                                          .ctrl = CMD_ATOMIC | BROADCAST | MARKED,
                                          .target = 0x700,
                                          .target_at = rectangle(1, 2, 4, 5),
                                          .back = 0x800,
                                          .back_at = at(1, 2),
                                          .length = 0x107c,
                                          .data = 5});
    for (unsigned y = 2; y <= 5; y++) {
        for (unsigned x = 1; x <= 4; x++) {
            bool self = x == 1 && y == 2;
            assert_int_equal(get_word(fixture, x, y, stream + 297 * 4), self ? 0 : 3);
            assert_int_equal(get_word(fixture, x, y, 0x700), self ? 0 : 5);
        }
    }
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_WR_ACK_RECEIVED), 15);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_ATOMIC_RESP_RECEIVED), 15);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_NONPOSTED_ATOMIC_SENT), 1);
}

/* NOC_CMD_VC_LINKED: the next request has to go the same way. */
static void linked_requests_go_the_same_way(void **context)
{
    struct fixture *fixture = *context;
    (void)broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK | LINKED, 0);
    assert_received(fixture, broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK, 0), inner);
    (void)broadcast(fixture, 0, rectangle(2, 3, 11, 6), LOOPBACK | LINKED, 0);
    assert_wrong(
        fixture,
        &(struct command){
            .x = 3, .y = 4, .ctrl = CMD_WRITE | MARKED, .target_at = at(3, 4), .back_at = at(4, 4), .length = 16},
        BH_UNDEFINED_BEHAVIOR, "NOC_CMD_VC_LINKED");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_rectangle_receives),
        TEST(noc_1_goes_the_other_way),
        TEST(a_rectangle_goes_around_the_torus),
        TEST(all_tiles_are_a_rectangle),
        TEST(tiles_opt_out),
        TEST(a_pattern_receives),
        TEST(a_quadrant_is_excluded),
        TEST(registers_and_counters_can_be_broadcast_to),
        TEST(linked_requests_go_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
