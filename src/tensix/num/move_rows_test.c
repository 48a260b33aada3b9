/* Moved, transposed and filled rows, by vectors of each level, against the semantics of a single datum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/move_rows.h"
#include "util/host_vectors.h"

enum { ROUNDS = 200, MOVES = 20000, PLACES = 3 };

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

static bool one_in(unsigned n, uint32_t *random)
{
    return next_random(random) % n == 0;
}

/* The registers before a move, after it by vectors, and after it datum by datum. */
struct registers {
    uint32_t src[SRC_ROWS][ROW_COLUMNS], srca[SRC_ROWS][ROW_COLUMNS];
    struct dst_register_file dst;
};

static void fill_registers(struct registers *registers, uint32_t *random)
{
    memset(registers, 0, sizeof *registers);
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        for (unsigned row = 0; row < SRC_ROWS; row++) {
            registers->src[row][column] = next_random(random) & (one_in(4, random) ? 0x807fe000 : 0xffffe000);
            registers->srca[row][column] = next_random(random) & 0xffffe000;
        }
        for (unsigned row = 0; row < DST_ROWS; row++) {
            registers->dst.rows[row][column] = (uint16_t)next_random(random);
        }
    }
    for (unsigned row = 0; row < DST_ROWS; row++) {
        registers->dst.valid[row] = row / 64 % 4 == 3 ? one_in(2, random) : row / 64 % 2;
    }
}

/* Settings that instructions use, and some that are only possible. */
static struct row_move choose_move(uint32_t *random)
{
    static const uint32_t bits[] = {0xffff0000, 0xffffe000, 0x8fffe000};
    static const uint8_t rows[] = {1, 4, 8};
    return (struct row_move){.rows = rows[next_random(random) % 3],
                             .column_0 = one_in(3, random),
                             .fp16 = one_in(3, random),
                             .tf32 = one_in(3, random),
                             .low_half = one_in(3, random),
                             .bits = bits[next_random(random) % 3],
                             .some = one_in(2, random) ? UINT32_MAX : 0x7f800000,
                             .blocked = one_in(4, random) ? next_random(random) & 0xffff : 0};
}

static void choose_places(const struct row_move *move, unsigned dst_rows, struct row_places places[PLACES],
                          uint32_t *random)
{
    for (unsigned i = 0; i < PLACES; i++) {
        places[i].src = (uint16_t)(next_random(random) % SRC_ROWS & ~(move->rows - 1u));
        places[i].dst = (uint16_t)(next_random(random) % dst_rows & ~(move->rows - 1u));
        if (move->tf32 || move->low_half) { /* low halves exist only for these */
            places[i].dst &= ~DST_LOW_HALF;
        }
    }
}

/* MOVA2D.md, MOVB2D.md. */
static void datum_to_dst(const struct row_move *move, uint32_t datum, uint16_t *high, uint16_t *low, bool valid)
{
    datum = datum & move->some ? datum & move->bits : 0;
    uint16_t fp16 = (uint16_t)((datum >> 16 & 0x8000) | (datum >> 13 & 0x7fff));
    uint16_t cell = move->fp16 ? dst_from_fp16(fp16) : (uint16_t)(datum >> 16);
    if (move->tf32) {
        *high = cell;
        *low = dst_low_cell((datum & 0xe000) | (move->low_half ? dst_to_hardware(cell) : 0));
    } else if (move->low_half) {
        *high = valid ? *high : 0;
        *low = cell;
    } else {
        *high = cell;
    }
}

/* MOVD2A.md, MOVD2B.md. */
static uint32_t datum_from_dst(const struct row_move *move, uint16_t high, uint16_t low)
{
    uint32_t datum = dst_join32(high, low), fp16 = dst_to_fp16(move->low_half ? low : high);
    if (move->tf32) {
        return move->low_half ? (datum & 0xff) << 23 | (datum >> 8 & 0x1f) << 13 : datum & 0xffffe000;
    }
    return move->fp16 ? (fp16 & 0x8000) << 16 | (fp16 & 0x7fff) << 13 : (uint32_t)(move->low_half ? low : high) << 16;
}

static void check_moves_to_dst(void **state)
{
    uint32_t random = 3;
    struct registers moved, expected;
    fill_registers(&moved, &random);
    expected = moved;
    for (unsigned round = 0; round < MOVES; round++) {
        struct row_move move = choose_move(&random);
        struct row_places places[PLACES];
        move.one_row_for_all = one_in(3, &random);
        choose_places(&move, DST_ROWS, places, &random);
        if (one_in(16, &random)) {
            fill_registers(&moved, &random);
            expected = moved;
        }
        move_rows_to_dst(&move, moved.src, &moved.dst, places, PLACES);
        for (unsigned i = 0; i < PLACES * move.rows; i++) {
            unsigned row = i % move.rows, place = places[i / move.rows].dst + row;
            const uint32_t *source = expected.src[places[i / move.rows].src + (move.one_row_for_all ? 0 : row)];
            uint16_t *low = expected.dst.rows[(place + DST_LOW_HALF) % DST_ROWS];
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                if (!(move.blocked >> column & 1)) {
                    datum_to_dst(&move, source[move.column_0 ? 0 : column], &expected.dst.rows[place][column],
                                 &low[column], expected.dst.valid[place]);
                }
            }
            expected.dst.valid[place] = 1;
        }
        assert_memory_equal(&moved, &expected, sizeof moved);
    }
}

static void check_moves_from_dst(void **state)
{
    uint32_t random = 4;
    struct registers moved, expected;
    for (unsigned round = 0; round < MOVES; round++) {
        struct row_move move = choose_move(&random);
        struct row_places places[PLACES];
        move.rows = move.rows == 8 ? 4 : move.rows;
        move.fp16 &= !move.tf32;
        choose_places(&move, DST_ROWS, places, &random);
        if (round % 16 == 0) {
            fill_registers(&moved, &random);
            expected = moved;
        }
        move_rows_from_dst(&move, moved.src, &moved.dst, places, PLACES);
        for (unsigned i = 0; i < PLACES * move.rows; i++) {
            unsigned row = i % move.rows, place = places[i / move.rows].dst + row;
            uint32_t *target = expected.src[places[i / move.rows].src + row];
            const uint16_t *low = expected.dst.rows[(place + DST_LOW_HALF) % DST_ROWS];
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                if (!(move.blocked >> column & 1)) {
                    uint32_t datum = datum_from_dst(&move, expected.dst.rows[place][column], low[column]);
                    target[column] = expected.dst.valid[place] ? datum : 0;
                }
            }
        }
        assert_memory_equal(&moved, &expected, sizeof moved);
    }
}

/* MOVB2A.md. */
static void check_moves_to_srca(void **state)
{
    uint32_t random = 5;
    struct registers moved, expected;
    fill_registers(&moved, &random);
    expected = moved;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct row_move move = {.rows = one_in(2, &random) ? 4 : 1,
                                .some = one_in(2, &random) ? UINT32_MAX : 0x7f800000};
        struct row_places places[PLACES];
        choose_places(&move, SRC_ROWS, places, &random);
        move_rows_to_srca(&move, moved.src, moved.srca, places, PLACES);
        for (unsigned i = 0; i < PLACES * move.rows; i++) {
            for (unsigned column = 0; column < ROW_COLUMNS; column++) {
                uint32_t datum = expected.src[places[i / move.rows].src + i % move.rows][column];
                expected.srca[places[i / move.rows].dst + i % move.rows][column] = datum & move.some ? datum : 0;
            }
        }
        assert_memory_equal(&moved, &expected, sizeof moved);
    }
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

static void rows_are_moved_datum_by_datum(void **state)
{
    at_every_level(state, check_moves_to_dst);
    at_every_level(state, check_moves_from_dst);
    at_every_level(state, check_moves_to_srca);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_moved_datum_by_datum),
        cmocka_unit_test(rows_become_columns),
        cmocka_unit_test(all_data_of_a_bank_become_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
