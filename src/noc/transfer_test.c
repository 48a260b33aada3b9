/* Reads, writes and their counters: ISA documentation NoC/MemoryMap.md, NoC/Counters.md. */
#include "noc/fixture.h"

static void a_read_brings_data(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned noc = 0; noc < 2; noc++) {
        uint32_t to = 0x30000 + 0x1000 * noc;
        fill(fixture, 12, 9, 0x20004, 100, 7 + noc);
        do_command(fixture, &(struct command){.x = 3,
                                              .y = 5,
                                              .noc = noc,
                                              .initiator = 1,
                                              .ctrl = CMD_READ,
                                              .target = 0x20004,
                                              .target_at = at(12, 9),
                                              .back = to + 4,
                                              .back_at = at(3, 5),
                                              .tag = 5 << 10,
                                              .length = 100});
        assert_same(fixture, 12, 9, 0x20004, 3, 5, to + 4, 100);
        assert_int_equal(get_word(fixture, 3, 5, to), 0);
        assert_int_equal(get_word(fixture, 3, 5, to + 104), 0);
        assert_int_equal(counter(fixture, 3, 5, noc, NIU_MST_RD_RESP_RECEIVED), 1);
        assert_int_equal(counter(fixture, 3, 5, noc, NIU_MST_RD_DATA_WORD_RECEIVED), 2);
        assert_int_equal(counter(fixture, 3, 5, noc, NIU_MST_RD_REQ_SENT), 1);
        assert_int_equal(counter(fixture, 3, 5, noc, NIU_MST_RD_REQ_STARTED), 1);
        assert_int_equal(counter(fixture, 3, 5, noc, NIU_MST_CMD_ACCEPTED), 1);
        assert_int_equal(counter(fixture, 3, 5, noc, NIU_MST_REQS_OUTSTANDING_ID + 5), 0);
        assert_int_equal(counter(fixture, 12, 9, noc, NIU_SLV_RD_REQ_RECEIVED), 1);
        assert_int_equal(counter(fixture, 12, 9, noc, NIU_SLV_REQ_ACCEPTED), 1);
        assert_int_equal(counter(fixture, 12, 9, noc, NIU_SLV_RD_RESP_SENT), 1);
        assert_int_equal(counter(fixture, 12, 9, noc, NIU_SLV_RD_DATA_WORD_SENT), 2);
        assert_int_equal(counter(fixture, 12, 9, noc, NIU_MST_CMD_ACCEPTED), 0);
    }
}

static void a_write_carries_data_and_is_acknowledged(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned posted = 0; posted < 2; posted++) {
        fill(fixture, 16, 11, 0x1000, 333, 3 + posted);
        do_command(fixture, &(struct command){.x = 16,
                                              .y = 11,
                                              .noc = 1,
                                              .ctrl = CMD_WRITE | (posted ? 0 : MARKED),
                                              .target = 0x1000,
                                              .target_at = at(16, 11),
                                              .back = 0x2000,
                                              .back_at = at(1, 2),
                                              .tag = 2 << 10,
                                              .length = 333});
        assert_same(fixture, 16, 11, 0x1000, 1, 2, 0x2000, 333);
        assert_int_equal(counter(fixture, 16, 11, 1, NIU_MST_NONPOSTED_WR_REQ_SENT + posted), 1);
        assert_int_equal(counter(fixture, 16, 11, 1, NIU_MST_NONPOSTED_WR_REQ_STARTED + posted), 1);
        assert_int_equal(counter(fixture, 16, 11, 1, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT + posted), 6);
        assert_int_equal(counter(fixture, 1, 2, 1, NIU_SLV_NONPOSTED_WR_REQ_STARTED + posted), 1);
        assert_int_equal(counter(fixture, 1, 2, 1, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED + posted), 1);
        assert_int_equal(counter(fixture, 1, 2, 1, NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED + posted), 6);
        assert_int_equal(counter(fixture, 16, 11, 1, NIU_MST_REQS_OUTSTANDING_ID + 2), 0);
        assert_int_equal(counter(fixture, 16, 11, 1, NIU_MST_WRITE_REQS_OUTGOING_ID + 2), 0);
    }
    assert_int_equal(counter(fixture, 16, 11, 1, NIU_MST_WR_ACK_RECEIVED), 1);
    assert_int_equal(counter(fixture, 1, 2, 1, NIU_SLV_WR_ACK_SENT), 1);
    assert_int_equal(counter(fixture, 16, 11, 1, NIU_MST_CMD_ACCEPTED), 2);
    assert_int_equal(counter(fixture, 16, 11, 0, NIU_MST_CMD_ACCEPTED), 0);
}

/* The acknowledgement goes to the NIU that NOC_TARG_ADDR_HI names, read data to the one that NOC_RET_ADDR_HI names. */
static void responses_can_go_elsewhere(void **context)
{
    struct fixture *fixture = *context;
    put_word(fixture, 4, 4, 0x100, 0x12345678);
    do_command(fixture, &(struct command){.x = 4,
                                          .y = 4,
                                          .ctrl = CMD_WRITE | MARKED,
                                          .target = 0x100,
                                          .target_at = at(5, 5),
                                          .back = 0x200,
                                          .back_at = at(6, 6),
                                          .tag = 3 << 10,
                                          .length = 4});
    assert_int_equal(get_word(fixture, 6, 6, 0x200), 0x12345678);
    assert_int_equal(counter(fixture, 4, 4, 0, NIU_MST_WR_ACK_RECEIVED), 0);
    assert_int_equal(counter(fixture, 5, 5, 0, NIU_MST_WR_ACK_RECEIVED), 1);
    assert_int_equal(counter(fixture, 4, 4, 0, NIU_MST_REQS_OUTSTANDING_ID + 3), 1);
    assert_int_equal(counter(fixture, 5, 5, 0, NIU_MST_REQS_OUTSTANDING_ID + 3), 0xff);
    do_command(fixture, &(struct command){.x = 4,
                                          .y = 4,
                                          .ctrl = CMD_READ,
                                          .target = 0x200,
                                          .target_at = at(6, 6),
                                          .back = 0x300,
                                          .back_at = at(7, 7),
                                          .length = 4});
    assert_int_equal(get_word(fixture, 7, 7, 0x300), 0x12345678);
    assert_int_equal(counter(fixture, 7, 7, 0, NIU_MST_RD_RESP_RECEIVED), 1);
    assert_int_equal(counter(fixture, 4, 4, 0, NIU_MST_RD_RESP_RECEIVED), 0);
}

static void a_tile_reaches_itself(void **context)
{
    struct fixture *fixture = *context;
    fill(fixture, 2, 2, 0x4000, 64, 1);
    do_command(fixture, &(struct command){.x = 2,
                                          .y = 2,
                                          .ctrl = CMD_WRITE | MARKED,
                                          .target = 0x4000,
                                          .target_at = at(2, 2),
                                          .back = 0x5000,
                                          .back_at = at(2, 2),
                                          .length = 64});
    assert_same(fixture, 2, 2, 0x4000, 2, 2, 0x5000, 64);
    assert_int_equal(counter(fixture, 2, 2, 0, NIU_SLV_WR_ACK_SENT), 1);
    assert_int_equal(counter(fixture, 2, 2, 0, NIU_MST_WR_ACK_RECEIVED), 1);
}

/* NoC/Counters.md, "Automatic request splitting". */
static void what_is_longer_than_a_packet_is_split(void **context)
{
    struct fixture *fixture = *context;
    enum { LENGTH = 2 * 16384 + 100 };
    fill(fixture, 3, 3, 0x10000, LENGTH, 9);
    struct command command = {.x = 3,
                              .y = 3,
                              .ctrl = CMD_WRITE | MARKED,
                              .target = 0x10000,
                              .target_at = at(3, 3),
                              .back = 0x40000,
                              .back_at = at(10, 3),
                              .tag = 1 << 10,
                              .length = LENGTH};
    assert_int_equal(start(fixture, &command), BH_OK);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_REQS_OUTSTANDING_ID + 1), 3);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_WRITE_REQS_OUTGOING_ID + 1), 3);
    exchange(fixture);
    assert_same(fixture, 3, 3, 0x10000, 10, 3, 0x40000, LENGTH);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_NONPOSTED_WR_REQ_SENT), 3);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_WR_ACK_RECEIVED), 3);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT), 256 + 256 + 2);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_REQS_OUTSTANDING_ID + 1), 0);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB20020), 100);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB20000), 0x18000);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB2000C), 0x48000);
    command = (struct command){.x = 3,
                               .y = 3,
                               .noc = 1,
                               .ctrl = CMD_READ,
                               .target = 0x40000,
                               .target_at = at(10, 3),
                               .back = 0x80000,
                               .back_at = at(3, 3),
                               .length = LENGTH};
    do_command(fixture, &command);
    assert_same(fixture, 3, 3, 0x10000, 3, 3, 0x80000, LENGTH);
    assert_int_equal(counter(fixture, 3, 3, 1, NIU_MST_RD_RESP_RECEIVED), 3);
    command.target += 16;
    command.back += 16;
    assert_wrong(fixture, &command, BH_UNDEFINED_BEHAVIOR, "multiples of 64");
}

static void dram_is_behind_three_tiles_each(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned channel = 0; channel < 8; channel++) {
        unsigned x = 17 + channel / 4, y = 12 + channel % 4 * 3;
        uint64_t address = 0xfffff000 - 64 * channel;
        fill(fixture, 1, 2, 0x1000, 256, channel);
        do_command(fixture, &(struct command){.x = 1,
                                              .y = 2,
                                              .noc = channel & 1,
                                              .ctrl = CMD_WRITE | MARKED,
                                              .target = 0x1000,
                                              .target_at = at(1, 2),
                                              .back = address,
                                              .back_at = at(x, y),
                                              .length = 256});
        for (unsigned i = 0; i < 3; i++) {
            assert_same(fixture, 1, 2, 0x1000, x, y + i, address, 256);
            do_command(fixture, &(struct command){.x = 1,
                                                  .y = 2,
                                                  .noc = i & 1,
                                                  .ctrl = CMD_READ,
                                                  .target = address,
                                                  .target_at = at(x, y + i),
                                                  .back = 0x2000,
                                                  .back_at = at(1, 2),
                                                  .length = 256});
            assert_same(fixture, 1, 2, 0x1000, 1, 2, 0x2000, 256);
        }
    }
}

static void an_inline_write_reaches_registers(void **context)
{
    struct fixture *fixture = *context;
    uint32_t stream = 0xFFB40000 + 7 * 0x1000, update = stream + 270 * 4, available = stream + 297 * 4;
    do_command(fixture, &(struct command){.x = 1,
                                          .y = 2,
                                          .ctrl = CMD_WRITE | INLINE | MARKED,
                                          .target = update,
                                          .target_at = at(14, 8),
                                          .length = 0xf,
                                          .data = 5 << 6,
                                          .tag = 4 << 10});
    do_command(
        fixture,
        &(struct command){
            .x = 1, .y = 2, .ctrl = CMD_WRITE | INLINE, .target = update, .target_at = at(14, 8), .data = 2 << 6});
    assert_int_equal(get_word(fixture, 14, 8, available), 7);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_NONPOSTED_WR_REQ_SENT), 1);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_POSTED_WR_REQ_SENT), 1);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_WR_ACK_RECEIVED), 1);
    assert_int_equal(counter(fixture, 14, 8, 0, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED), 1);
    assert_int_equal(counter(fixture, 14, 8, 0, NIU_SLV_POSTED_WR_REQ_RECEIVED), 1);
    assert_int_equal(counter(fixture, 1, 2, 0, NIU_MST_REQS_OUTSTANDING_ID + 4), 0);
}

/* A tile's cores can be started from another tile; what is asked of another tile's NIU is carried out too. */
static void registers_do_what_they_do(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t program[] = {0x000202b7, 0x07b00313, 0x0062a023, 0x0000006f}; /* 123 to 0x20000, then stop */
    assert_int_equal(bh_write(fixture->device, 10, 6, 0, program, sizeof program), BH_OK);
    do_command(fixture, &(struct command){.x = 1,
                                          .y = 2,
                                          .ctrl = CMD_WRITE | INLINE | MARKED,
                                          .target = 0xFFB121B0,
                                          .target_at = at(10, 6),
                                          .data = 0x47000});
    exchange(fixture);
    assert_int_equal(get_word(fixture, 10, 6, 0x20000), 123);
    /* Tile (10, 6) is made to read from (1, 2). */
    put_word(fixture, 1, 2, 0x500, 99);
    const uint32_t registers[][2] = {{0x00, 0x500}, {0x08, at(1, 2)}, {0x0c, 0x600}, {0x14, at(10, 6)},
                                     {0x1c, 0},     {0x20, 4},        {0x40, 1}};
    for (unsigned i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        struct command command = {.x = 1,
                                  .y = 2,
                                  .ctrl = CMD_WRITE | INLINE | MARKED,
                                  .target = 0xFFB20800 + registers[i][0],
                                  .target_at = at(10, 6),
                                  .data = registers[i][1]};
        assert_int_equal(start(fixture, &command), BH_OK);
    }
    exchange(fixture);
    assert_int_equal(get_word(fixture, 10, 6, 0x600), 99);
}

static void byte_enables_choose(void **context)
{
    struct fixture *fixture = *context;
    uint64_t enables = 0x8000000100f000a5;
    fill(fixture, 3, 3, 0x1010, 64, 5);
    fill(fixture, 4, 4, 0x2020, 64, 6);
    uint8_t expected[64], source[64], found[64];
    assert_int_equal(bh_read(fixture->device, 3, 3, 0x1010, source, 64), BH_OK);
    assert_int_equal(bh_read(fixture->device, 4, 4, 0x2020, expected, 64), BH_OK);
    for (unsigned i = 0; i < 64; i++) {
        expected[i] = enables >> i & 1 ? source[i] : expected[i];
    }
    do_command(fixture, &(struct command){.x = 3,
                                          .y = 3,
                                          .ctrl = CMD_WRITE | BYTE_ENABLES | MARKED,
                                          .target = 0x1017,
                                          .target_at = at(3, 3),
                                          .back = 0x2023,
                                          .back_at = at(4, 4),
                                          .length = enables});
    assert_int_equal(bh_read(fixture->device, 4, 4, 0x2020, found, 64), BH_OK);
    assert_memory_equal(found, expected, 64);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_WR_ACK_RECEIVED), 1);
    assert_int_equal(counter(fixture, 3, 3, 0, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT), 1);
}

static void a_header_is_stored_twice(void **context)
{
    struct fixture *fixture = *context;
    fill(fixture, 3, 3, 0x1000, 128, 5);
    do_command(fixture, &(struct command){.x = 3,
                                          .y = 3,
                                          .ctrl = CMD_WRITE,
                                          .target = 0x1000,
                                          .target_at = at(3, 3),
                                          .back = 0x2000,
                                          .back_at = at(4, 4),
                                          .length = 128,
                                          .tag = 1 << 9,
                                          .data = 0x3000 >> 4});
    assert_same(fixture, 3, 3, 0x1000, 4, 4, 0x2000, 128);
    assert_same(fixture, 3, 3, 0x1000, 4, 4, 0x3000, 16);
    assert_int_equal(get_word(fixture, 4, 4, 0x3010), 0);
}

/* NoC/MemoryMap.md: NIU_TRANS_COUNT_RTZ_SOURCE, _NUM, _CFG, _CLR. */
static void a_counter_that_returns_to_zero_is_remembered(void **context)
{
    struct fixture *fixture = *context;
    struct command command = {
        .x = 3, .y = 3, .ctrl = CMD_READ, .target_at = at(4, 4), .back = 0x100, .back_at = at(3, 3), .length = 16};
    for (unsigned id = 4; id < 7; id++) {
        command.tag = id << 10;
        do_command(fixture, &command);
    }
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB2037C), 0x70);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB20378), 0);
    put_word(fixture, 3, 3, 0xFFB20178, 1 << 5 | 1 << 6);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB20378), 5);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB2037C), 0x50);
    put_word(fixture, 3, 3, 0xFFB2017C, 0x40);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB20378), 0);
    assert_int_equal(get_word(fixture, 3, 3, 0xFFB2037C), 0x10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_read_brings_data),
        TEST(a_write_carries_data_and_is_acknowledged),
        TEST(responses_can_go_elsewhere),
        TEST(a_tile_reaches_itself),
        TEST(what_is_longer_than_a_packet_is_split),
        TEST(dram_is_behind_three_tiles_each),
        TEST(an_inline_write_reaches_registers),
        TEST(registers_do_what_they_do),
        TEST(byte_enables_choose),
        TEST(a_header_is_stored_twice),
        TEST(a_counter_that_returns_to_zero_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
