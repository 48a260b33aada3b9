/* Rows that are turned over and banks that are filled, with vectors and without, against the sentence that says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/move_rows.h"
#include "util/host_vectors.h"

enum { ROUNDS = 200 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state ^ *state >> 15;
}

static void fill_at_random(uint32_t rows[][ROW_COLUMNS], unsigned count, uint32_t *random)
{
    for (unsigned row = 0; row < count; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            rows[row][column] = next_random(random);
        }
    }
}

static void check_transposition(void **state)
{
    uint32_t random = 1, rows[ROW_COLUMNS][ROW_COLUMNS], columns[ROW_COLUMNS][ROW_COLUMNS];
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill_at_random(rows, ROW_COLUMNS, &random);
        src_transpose(rows, columns);
        for (unsigned row = 0; row < ROW_COLUMNS; row++) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                assert_int_equal(columns[column][row], rows[row][column]);
            }
        }
        src_transpose(rows, rows);
        assert_memory_equal(rows, columns, sizeof rows);
    }
}

static void check_filling(void **state)
{
    const uint32_t value = 0xffffe000;
    uint32_t random = 2, rows[SRC_ROWS + 1][ROW_COLUMNS], behind[ROW_COLUMNS];
    fill_at_random(rows, SRC_ROWS + 1, &random);
    memcpy(behind, rows[SRC_ROWS], sizeof behind);
    src_bank_fill(rows, value);
    for (unsigned row = 0; row < SRC_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            assert_int_equal(rows[row][column], value);
        }
    }
    assert_memory_equal(rows[SRC_ROWS], behind, sizeof behind);
}

/* At every level of vectors that the host has. */
static void at_every_level(void **state, void (*test)(void **))
{
    const enum host_vectors highest = host_vectors;
    for (int level = HOST_VECTORS_BASIC; level <= (int)highest; level++) {
        host_vectors = (enum host_vectors)level;
        test(state);
    }
    host_vectors = highest;
}

static void rows_become_columns(void **state)
{
    at_every_level(state, check_transposition);
}

static void all_data_of_a_bank_become_the_value(void **state)
{
    at_every_level(state, check_filling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_columns),
        cmocka_unit_test(all_data_of_a_bank_become_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
