/* Packing plain rows in one pass gives the result of the packer's stages in sequence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/pack_formats.h"
#include "tensix/num/pack_rows.h"
#include "util/host_vectors.h"
#include "util/xorshift.h"

enum { ROWS = 4, ROUNDS = 20000, WIDE_EXPONENT = 0x7f800000 };

static uint64_t random_state = 0x2545f4914f6cdd1d;

static uint32_t random32(void)
{
    return xorshift64_word(&random_state);
}

/* Random bits; exponents near each other; including zeroes, denormals, infinities and NaNs. */
static void fill(struct dst_register_file *dst, uint32_t row[ROWS])
{
    for (unsigned i = 0; i < 64; i++) {
        uint32_t centre = random32() % 256, kind = random32() % 4;
        dst->valid[i] = random32() % 8 != 0;
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            uint32_t exponent = (centre + random32() % 12) & 0xff, cell = random32() & 0x807f;
            exponent = random32() % 16 == 0 ? (random32() & 1 ? 255 : 0) : exponent;
            dst->rows[i][column] = (uint16_t)(kind ? cell | exponent << 7 : random32());
        }
    }
    for (unsigned i = 0; i < ROWS; i++) {
        row[i] = random32() % 32;
    }
}

/* Reads and converts early; returns the largest exponent. */
static uint32_t read_stages(const struct dst_register_file *dst, const uint32_t *row, bool read_32b,
                            enum pack_early early, pack_row rows[ROWS])
{
    pack_read_rows(dst, read_32b, row, rows, ROWS);
    pack_early_rows(early, 0, rows, ROWS);
    return pack_largest(WIDE_EXPONENT, (const pack_row *)rows, ROWS) >> 23;
}

/* One to four rows anywhere, or four consecutive ones, by functions of any level that the host has. */
static struct pack_rows choose_rows(uint32_t row[ROWS])
{
    struct pack_rows rows = {.row = row, .count = 1 + random32() % ROWS, .group = random32() & 1};
    if (rows.group) {
        row[0] = row[0] / PACK_GROUP * PACK_GROUP;
        rows.count = PACK_GROUP;
    }
    for (unsigned i = 1; i < ROWS && rows.group; i++) {
        row[i] = row[0] + i;
    }
    return rows;
}

/* Stage by stage, by the version for any host. */
static uint32_t read_plainly(const struct dst_register_file *dst, const struct pack_rows *chosen, bool read_32b,
                             enum pack_early early, pack_row rows[ROWS])
{
    const enum host_vectors host = host_vectors;
    uint32_t row[ROWS];
    for (unsigned i = 0; i < ROWS; i++) { /* unused rows repeat the first one */
        row[i] = chosen->row[i < chosen->count ? i : 0];
    }
    host_vectors = HOST_VECTORS_BASIC;
    uint32_t largest = read_stages(dst, row, read_32b, early, rows);
    host_vectors = host;
    return largest;
}

static void bf16_rows_equal_the_stages(void **state)
{
    static struct dst_register_file dst;
    const enum host_vectors host = host_vectors;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t row[ROWS];
        pack_row rows[ROWS];
        fill(&dst, row);
        dst.only_row32 = random32() % 4 == 0;
        bool flush = round & 1;
        enum pack_early early = flush ? PACK_EARLY_BF16_FLUSHED : PACK_EARLY_BF16;
        struct pack_rows chosen = choose_rows(row);
        uint32_t largest = read_plainly(&dst, &chosen, false, early, rows);
        pack_late_rows(PACK_LATE_WIDE_TO_BF16, rows, ROWS);

        uint8_t expected[sizeof rows], bytes[sizeof rows], exponents[ROWS], shared[ROWS];
        host_vectors = (enum host_vectors)(random32() % (host + 1));
        memset(expected, 0xa5, sizeof expected);
        memset(bytes, 0xa5, sizeof bytes);
        pack_lay_out(16, rows[0], chosen.count * ROW_COLUMNS, expected);
        assert_int_equal(pack_rows_bf16_to_bf16(&dst, &chosen, flush, bytes), largest);
        assert_memory_equal(bytes, expected, sizeof bytes);

        for (unsigned bits = 2; bits <= 8; bits *= 2) {
            memset(expected, 0xa5, sizeof expected);
            memset(bytes, 0xa5, sizeof bytes);
            memset(exponents, 0xa5, sizeof exponents);
            memset(shared, 0xa5, sizeof shared);
            pack_bfp_groups((const pack_row *)rows, chosen.count, bits, expected, shared);
            assert_int_equal(pack_rows_bf16_to_bfp(&dst, &chosen, flush, bits, bytes, exponents), largest);
            assert_memory_equal(bytes, expected, sizeof bytes);
            assert_memory_equal(exponents, shared, sizeof exponents);
        }
        host_vectors = host;
    }
}

static void rows_of_32_bits_equal_the_stages(void **state)
{
    static struct dst_register_file dst;
    const enum host_vectors host = host_vectors;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t row[ROWS];
        pack_row rows[ROWS];
        fill(&dst, row);
        struct pack_rows chosen = choose_rows(row);
        uint32_t largest = read_plainly(&dst, &chosen, true, PACK_EARLY_32B, rows);
        memset(rows[chosen.count], 0xa5, (ROWS - chosen.count) * sizeof rows[0]);
        uint8_t bytes[sizeof rows];
        memset(bytes, 0xa5, sizeof bytes);
        host_vectors = (enum host_vectors)(random32() % (host + 1));
        assert_int_equal(pack_rows_32b(&dst, &chosen, bytes), largest);
        assert_memory_equal(bytes, rows, sizeof rows);
        host_vectors = host;
    }
}

/* One datum of a block float as FormatConversion.md says: the mantissa with its hidden bit, aligned to the shared
   exponent, rounded, truncated. */
static uint32_t code_of(uint32_t datum, uint32_t shared, unsigned bits)
{
    uint32_t exponent = datum >> 7 & 0xff, mantissa = (datum & 0x7f) | (exponent ? 0x80 : 0);
    uint32_t magnitude = shared - exponent > 8 ? 0 : ((mantissa >> (shared - exponent)) + 1) >> 1;
    magnitude = (magnitude > 127 ? 127 : magnitude) >> (8 - bits);
    return magnitude ? magnitude | (datum >> 15) << (bits - 1) : 0;
}

/* Every cell, together with every exponent that is equal or larger. */
static void every_cell_is_aligned_to_every_exponent(void **state)
{
    static struct dst_register_file dst;
    const enum host_vectors host = host_vectors;
    const uint32_t row[] = {0, 1, 2, 3};
    const struct pack_rows group = {.row = row, .count = PACK_GROUP, .group = true};
    memset(dst.valid, 1, sizeof dst.valid);
    for (uint32_t first = 0; first < 0x10000; first += PACK_GROUP * (ROW_COLUMNS - 1)) {
        for (uint32_t shared = first >> 7 & 0xff; shared < 256;
             shared += 1 + (shared > (first >> 7 & 0xff) + 12) * 37) {
            for (unsigned i = 0; i < PACK_GROUP; i++) {
                for (unsigned column = 1; column < ROW_COLUMNS; column++) {
                    uint32_t cell = (first + i * (ROW_COLUMNS - 1) + column - 1) & 0xffff;
                    dst.rows[i][column] = (uint16_t)((cell >> 7 & 0xff) > shared ? 0 : cell);
                }
                dst.rows[i][0] = (uint16_t)(shared << 7);
            }
            for (unsigned bits = 2; bits <= 8; bits *= 2) {
                uint8_t bytes[PACK_GROUP * ROW_COLUMNS], exponents[PACK_GROUP];
                host_vectors = (enum host_vectors)(random32() % (host + 1));
                assert_int_equal(pack_rows_bf16_to_bfp(&dst, &group, false, bits, bytes, exponents), shared);
                for (unsigned i = 0; i < PACK_GROUP * ROW_COLUMNS; i++) {
                    uint32_t code = bytes[i * bits / 8] >> i * bits % 8 & ((1u << bits) - 1);
                    assert_int_equal(code, code_of(dst.rows[i / ROW_COLUMNS][i % ROW_COLUMNS], shared, bits));
                }
            }
        }
    }
    host_vectors = host;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bf16_rows_equal_the_stages),
        cmocka_unit_test(rows_of_32_bits_equal_the_stages),
        cmocka_unit_test(every_cell_is_aligned_to_every_exponent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
