/* What the host writes for tt-metal's firmware. Source: chapters "firmware upload", "dram" (2.1, 2.3), "logical to
   virtual coordinates". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/metal_kernel.h"
#include "host/metal_tables.h"

static unsigned half(const uint8_t *place)
{
    return place[0] | (unsigned)place[1] << 8;
}

static uint32_t word(const uint8_t *place)
{
    return half(place) | (uint32_t)half(place + 2) << 16;
}

/* January 2026, whose message has the short form. */
static const uint32_t entries[BH_CORE_COUNT] = {
    [BH_CORE_B] = 0x3840, [BH_CORE_NC] = 0x5440, [BH_CORE_T0] = 0x5a40, [BH_CORE_T1] = 0x6040, [BH_CORE_T2] = 0x6640};
static const uint32_t april[BH_CORE_COUNT] = {
    [BH_CORE_B] = 0x38c0, [BH_CORE_NC] = 0x5ac0, [BH_CORE_T0] = 0x64c0, [BH_CORE_T1] = 0x6ec0, [BH_CORE_T2] = 0x78c0};

static void launch_messages_have_their_fields_in_place(void **context)
{
    (void)context;
    uint8_t message[METAL_MESSAGE_BYTES] = {};
    const struct metal_layout *layout = metal_layout_find(entries), *later = metal_layout_find(april);
    assert_non_null(layout);
    assert_non_null(later);
    assert_int_equal(metal_message_size(layout), 96);
    assert_int_equal(metal_message_size(later), 112);
    assert_int_equal(metal_buffers(layout), 32);
    assert_int_equal(metal_buffers(later), 64);
    metal_put(layout, message, METAL_rta_offset, 9, 0x1234); /* common arguments of T2 */
    metal_put(layout, message, METAL_kernel_text_offset, 4, 0x12345678);
    metal_put(layout, message, METAL_local_cb_mask, 0, 0x9abcdef012345678);
    metal_put(layout, message, METAL_enables, 0, 0x1f);
    assert_int_equal(half(message + 40), 0x1234);
    assert_int_equal(word(message + 60), 0x12345678);
    assert_int_equal(word(message + 64), 0x12345678);
    assert_int_equal(word(message + 68), 0);
    assert_int_equal(word(message + 76), 0x1f);
    memset(message, 0, sizeof message);
    metal_put(later, message, METAL_local_cb_mask, 0, 0x9abcdef012345678);
    metal_put(later, message, METAL_enables, 0, 0x1f);
    assert_int_equal(word(message + 64), 0x12345678);
    assert_int_equal(word(message + 68), 0x9abcdef0);
    assert_int_equal(word(message + 80), 0x1f);
}

/* dev_msgs.h with four kinds of cores: without and with threads. */
static void newer_messages_have_their_fields_in_place(void **context)
{
    static const uint32_t may[BH_CORE_COUNT] = {[BH_CORE_B] = 0x38e0,
                                                [BH_CORE_NC] = 0x5ae0,
                                                [BH_CORE_T0] = 0x64e0,
                                                [BH_CORE_T1] = 0x6ee0,
                                                [BH_CORE_T2] = 0x78e0};
    static const uint32_t august[BH_CORE_COUNT] = {[BH_CORE_B] = 0x39e0,
                                                   [BH_CORE_NC] = 0x5be0,
                                                   [BH_CORE_T0] = 0x65e0,
                                                   [BH_CORE_T1] = 0x6fe0,
                                                   [BH_CORE_T2] = 0x79e0};
    (void)context;
    const struct metal_layout *layouts[2] = {metal_layout_find(may), metal_layout_find(august)};
    for (unsigned i = 0; i < 2; i++) {
        uint8_t message[METAL_MESSAGE_BYTES] = {};
        const struct metal_layout *layout = layouts[i];
        assert_non_null(layout);
        assert_int_equal(metal_kinds(layout), 4);
        assert_int_equal(metal_message_size(layout), i ? 128 : 112);
        assert_int_equal(metal_buffers(layout), 64);
        assert_true(layout->go >= layout->launch + METAL_MESSAGES * metal_message_size(layout));
        metal_put(layout, message, METAL_sem_offset, 3, 0x1122);
        metal_put(layout, message, METAL_rta_offset, 9, 0x1234); /* common arguments of T2 */
        metal_put(layout, message, METAL_kernel_text_offset, 4, 0x12345678);
        metal_put(layout, message, METAL_local_cb_mask, 0, 0x9abcdef012345678);
        metal_put(layout, message, METAL_enables, 0, 0x1f);
        metal_put(layout, message, METAL_preload, 0, 0x80);
        assert_int_equal(half(message + 22), 0x1122);
        assert_int_equal(half(message + 46), 0x1234);
        assert_int_equal(word(message + 68), 0x12345678);
        assert_int_equal(word(message + 76), 0x9abcdef0);
        assert_int_equal(word(message + 88), 0x1f);
        assert_int_equal(message[metal_message_size(layout) - 1], 0x80);
    }
    assert_int_equal(layouts[0]->go_index, 0x420);
    assert_int_equal(layouts[1]->go_index, 0x4a0);
}

static void bank_tables_are_those_of_the_chapter(void **context)
{
    static const uint8_t noc0[7][2] = {{17, 14}, {17, 15}, {17, 18}, {17, 21}, {18, 14}, {18, 17}, {18, 20}};
    static const uint8_t noc1[7][2] = {{17, 13}, {17, 16}, {17, 19}, {17, 22}, {18, 13}, {18, 16}, {18, 19}};
    (void)context;
    uint8_t tables[METAL_BANK_TABLES_BYTES];
    memset(tables, 0xff, sizeof tables);
    assert_int_equal(metal_bank_tables(7, 110, tables), 2 * 2 * (7 + 110) + 4 * (7 + 110));
    for (unsigned bank = 0; bank < 7; bank++) {
        assert_int_equal(half(tables + 2 * bank), noc0[bank][1] << 6 | noc0[bank][0]);
        assert_int_equal(half(tables + 2 * (7 + bank)), noc1[bank][1] << 6 | noc1[bank][0]);
    }
    for (unsigned noc = 0; noc < 2; noc++) {
        const uint8_t *l1 = tables + 2 * 2 * 7 + 2 * 110 * noc;
        assert_int_equal(half(l1), 2 << 6 | 1);
        assert_int_equal(half(l1 + 2 * 10), 2 << 6 | 13); /* eleven columns make 110 banks */
        assert_int_equal(half(l1 + 2 * 11), 3 << 6 | 1);
        assert_int_equal(half(l1 + 2 * 109), 11 << 6 | 13);
    }
    for (unsigned i = 0; i < 4 * (7 + 110); i++) {
        assert_int_equal(tables[2 * 2 * (7 + 110) + i], 0);
    }
    assert_true(metal_bank_tables(8, 140, tables) <= METAL_BANK_TABLES_BYTES);
}

static void logical_coordinates_leave_harvested_columns_out(void **context)
{
    static const uint8_t columns[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};
    (void)context;
    for (unsigned number = 0; number < BH_BOARDS; number++) {
        struct metal_board board = metal_board_of((enum bh_board)number);
        uint8_t tables[METAL_LOGICAL_COLUMNS + METAL_LOGICAL_ROWS], info[METAL_INFO_size];
        unsigned x, y;
        assert_int_equal(board.columns, number == BH_BOARD_FULL ? 14 : 12);
        assert_int_equal(board.channels, number == BH_BOARD_P100A ? 7 : 8);
        metal_logical_to_virtual(&board, tables);
        for (unsigned i = 0; i < METAL_LOGICAL_COLUMNS; i++) {
            assert_int_equal(tables[i], i < board.columns ? columns[i] : 0);
        }
        for (unsigned i = 0; i < METAL_LOGICAL_ROWS; i++) {
            assert_int_equal(tables[METAL_LOGICAL_COLUMNS + i], i < 10 ? i + 2 : 0);
        }
        assert_true(metal_logical(&board, 14, 11, &x, &y));
        assert_int_equal(x, 11);
        assert_int_equal(y, 9);
        assert_int_equal(metal_logical(&board, 15, 11, &x, &y), number == BH_BOARD_FULL);
        assert_false(metal_logical(&board, 8, 2, &x, &y));
        metal_core_info(&board, metal_layout_find(entries), 11, 9, info);
        assert_int_equal(info[METAL_INFO_absolute_logical_x], 11);
        assert_int_equal(info[METAL_INFO_absolute_logical_y], 9);
        assert_int_equal(info[METAL_INFO_worker_grid_size_x], board.columns);
        bool full = number == BH_BOARD_FULL; /* else the two columns in the middle of the die are harvested */
        assert_int_equal(info[METAL_INFO_harvested_coords], full ? 0xff : 7);
        assert_int_equal(info[METAL_INFO_harvested_coords + 1], full ? 0xff : 10);
        assert_int_equal(info[METAL_INFO_virtual_harvested_coords], full ? 0xff : 15);
        assert_int_equal(info[METAL_INFO_virtual_harvested_coords + 1], full ? 0xff : 16);
        assert_int_equal(word(info + METAL_INFO_core_magic_number), 0x50ec09a3);
    }
}

/* host.launch runs one that looks at itself. */
static void kernels_are_moved(void **context)
{
    static const char path[] = BHEMU_BUILD_DIR "/kernels/metal_add_unrelaxed.ncrisc.elf";
    struct metal_kernel kernel;
    (void)context;
    if (access(path, R_OK) != 0) {
        skip();
    }
    assert_int_equal(metal_kernel_open(&kernel, path, NULL), BH_OK);
    uint32_t linked = metal_kernel_linked(&kernel), moved = linked + 0x10000, changed = 0;
    uint8_t *there = malloc(kernel.size), *here = malloc(kernel.size);
    assert_int_equal(metal_kernel_place(&kernel, linked, here, NULL), BH_OK);
    assert_int_equal(metal_kernel_place(&kernel, moved, there, NULL), BH_OK);
    for (uint32_t i = 0; i < kernel.size; i += 4) {
        if (word(here + i) == word(there + i)) {
            continue;
        }
        /* What has changed is the distance to something that has not moved, local RAM. */
        changed++;
        assert_int_equal(word(here + i) & 0x7f, 0x17);
        assert_int_equal((word(here + i) & 0xfff), (word(there + i) & 0xfff));
        assert_int_equal((word(here + i) >> 12) - (word(there + i) >> 12), 0x10);
    }
    assert_true(changed);
    assert_int_equal(word(here + kernel.size - 4), 1000); /* its data, behind the code */
    free(there);
    free(here);
    metal_kernel_close(&kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launch_messages_have_their_fields_in_place),
        cmocka_unit_test(newer_messages_have_their_fields_in_place),
        cmocka_unit_test(bank_tables_are_those_of_the_chapter),
        cmocka_unit_test(logical_coordinates_leave_harvested_columns_out),
        cmocka_unit_test(kernels_are_moved),
    };
    return cmocka_run_group_tests_name("host.metal", tests, NULL, NULL);
}
