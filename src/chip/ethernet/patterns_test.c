/* Patterns of the RX classifier on random frames, against a model that has fields instead of words: "an incoming value
   from an Ethernet frame matches if incoming_value | mask == value | mask"; and augmentations. Source: ISA
   documentation EthernetTile/EthernetRxClassifier.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "chip/ethernet/classifier_fixture.h"
#include "chip/ethernet/frames.h"
#include "util/xorshift.h"

enum { FIELDS = 8, ROWS = 64 };

/* Fields by kind: their bits, and their offset among the write registers. Bits above 64 are in two more words. */
struct field {
    unsigned bits, at;
};

static const struct field ip_fields[] = {{8, 0xdbc}, {32, 0xd90}, {32, 0xda0}, {16, 0xdb4}, {16, 0xdb8}},
                          mac_fields[] = {{16, 0xdc0}, {48, 0xd90}, {48, 0xda0}, {3, 0xdc4}};

struct row {
    bool enabled, ip;
    unsigned priority, flow;
    uint64_t value[FIELDS], mask[FIELDS];
};

static uint64_t few_bits(uint64_t *random, unsigned bits)
{
    uint64_t low = xorshift64_word(random), high = xorshift64_word(random);
    return ((high << 32 | low) & 0x0101010101010101) & (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
}

static void write_field(struct classifier *classifier, const struct field *field, uint64_t value)
{
    classifier_write(classifier, CLASSIFIER_BASE + field->at, (uint32_t)value);
    if (field->bits > 32) {
        classifier_write(classifier, CLASSIFIER_BASE + field->at + 4, (uint32_t)(value >> 32));
    }
}

static struct row random_row(struct classifier *classifier, unsigned number, uint64_t *random)
{
    struct row row = {.enabled = xorshift64_word(random) % 8 == 0, .ip = xorshift64_word(random) & 1};
    const struct field *fields = row.ip ? ip_fields : mac_fields;
    unsigned count = row.ip ? 5 : 4;
    row.priority = xorshift64_word(random) % 3;
    row.flow = xorshift64_word(random) % ROWS;
    for (unsigned i = 0; i < count; i++) {
        row.value[i] = few_bits(random, fields[i].bits);
        row.mask[i] = few_bits(random, fields[i].bits) | (xorshift64_word(random) % 2 ? UINT64_MAX : 0);
    }
    for (uint32_t mask = 0; mask < 2; mask++) {
        classifier_write(classifier, CLASSIFIER_BASE + 0xd80, mask ? 0 : row.ip);
        for (unsigned i = 0; i < count; i++) {
            write_field(classifier, &fields[i], mask ? row.mask[i] : row.value[i]);
        }
        classifier_write(classifier, CLASSIFIER_BASE + 0xdf0,
                         GO | 0xffu << 16 | (uint32_t)!row.ip << 10 | 1 << 9 | mask << 8 | number);
    }
    classifier_write(classifier, CLASSIFIER_BASE + 0xc00 + 4 * number, row.priority | row.flow << 16);
    classifier_write(classifier, CLASSIFIER_BASE + 0xd40, GO | 1 << 16 | (uint32_t)row.enabled << 8 | number);
    return row;
}

static unsigned model(const struct row rows[ROWS], bool ip, const uint64_t incoming[FIELDS])
{
    unsigned best = ROWS;
    for (unsigned i = 0; i < ROWS; i++) {
        bool hit = rows[i].enabled && rows[i].ip == ip;
        for (unsigned field = 0; field < (ip ? 5u : 4u); field++) {
            unsigned bits = (ip ? ip_fields : mac_fields)[field].bits;
            uint64_t mask = rows[i].mask[field] | ~((UINT64_C(1) << bits) - 1);
            hit &= (incoming[field] | mask) == (rows[i].value[field] | mask);
        }
        if (hit && (best == ROWS || rows[i].priority > rows[best].priority)) {
            best = i;
        }
    }
    return best < ROWS ? rows[best].flow : ROWS;
}

static void put_big(uint8_t *bytes, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(value >> 8 * (count - 1 - i));
    }
}

static uint32_t build_frame(uint8_t *frame, bool ip, const uint64_t *incoming)
{
    memset(frame, 0, 100);
    if (ip) {
        put_big(frame + 12, 0x0800, 2);
        frame[14] = 0x45;
        frame[23] = (uint8_t)incoming[0];
        put_big(frame + 26, incoming[1], 4);
        put_big(frame + 30, incoming[2], 4);
        put_big(frame + 34, incoming[3], 2);
        put_big(frame + 36, incoming[4], 2);
        frame[46] = 0x50;
        return 100;
    }
    put_big(frame + 6, incoming[1], 6);
    put_big(frame, incoming[2], 6);
    put_big(frame + 12, 0x81000000 | incoming[3] << 13, 4);
    put_big(frame + 16, incoming[0], 2);
    return 60;
}

static void random_patterns_match_as_documented(void **context)
{
    enum { TABLES = 60, FRAMES = 200 };
    struct classifier *classifier = malloc(sizeof *classifier);
    struct diagnostics diagnostics = {0};
    uint64_t random = 0x1234567;
    unsigned matched = 0;
    (void)context;
    for (unsigned table = 0; table < TABLES; table++) {
        struct row rows[ROWS];
        classifier_reset(classifier);
        for (unsigned i = 0; i < ROWS; i++) {
            rows[i] = random_row(classifier, i, &random);
            classifier_write(classifier, CLASSIFIER_BASE + 0xe84, 1 << 5);
            classifier_write(classifier, CLASSIFIER_BASE + 0xe8c, i);
            classifier_write(classifier, CLASSIFIER_BASE + 0xea0, GO | 1 << 8 | i);
        }
        classifier_write(classifier, CLASSIFIER_BASE + 0xd04, 1 << 5);
        classifier_write(classifier, CLASSIFIER_BASE + 0xd0c, ROWS);
        for (unsigned i = 0; i < FRAMES; i++) {
            bool ip = xorshift64_word(&random) & 1;
            uint64_t incoming[FIELDS];
            uint8_t frame[100];
            for (unsigned field = 0; field < (ip ? 5u : 4u); field++) {
                incoming[field] = few_bits(&random, (ip ? ip_fields : mac_fields)[field].bits);
            }
            if (ip) { /* of UDP and TCP */
                incoming[0] = xorshift64_word(&random) & 1 ? 17 : 6;
            }
            struct classifier_verdict verdict;
            uint32_t size = build_frame(frame, ip, incoming);
            assert_int_equal(classifier_decide(classifier, frame, size, 0x1f, 2, &verdict, &diagnostics), STEP_DONE);
            assert_int_equal(verdict.prefix, 4);
            assert_int_equal(big(verdict.prefix_bytes, 4), model(rows, ip, incoming));
            matched += verdict.prefix_bytes[3] < ROWS;
        }
    }
    assert_in_range(matched, TABLES * FRAMES / 10, TABLES * FRAMES * 9 / 10);
    free(classifier);
}

/* Augmentations come from the first row of a table with the value; the ports from rules. */
static void values_are_augmented(void **context)
{
    struct classifier *classifier = malloc(sizeof *classifier);
    struct classifier_headers headers;
    uint8_t frame[100];
    (void)context;
    classifier_reset(classifier);
    for (unsigned i = 0; i < 15; i++) {
        classifier_write(classifier, CLASSIFIER_BASE + 0x850 + 4 * i, i + 1);
    }
    for (unsigned i = 0; i < 7; i++) {
        classifier_write(classifier, CLASSIFIER_BASE + 0x818 + 4 * i, i + 1);
    }
    classifier_write(classifier, CLASSIFIER_BASE + 0x844, 0x88cc); /* USER_ETHERTYPE[1], before the table's */
    classifier_write(classifier, CLASSIFIER_BASE + 0x84c, 15);
    static const struct {
        uint64_t address;
        uint32_t ethertype, of_ethertype, of_address;
    } cases[] = {{0x0180c200000e, 0x0806, 4, 1},  {0x0180c2000005, 0x88f7, 11, 2}, {0x0180c200001f, 100, 1, 3},
                 {0x0180c2000030, 0x88cc, 15, 5}, {0x0180c2123456, 0x88b7, 15, 6}, {0x011b19000000, 0x1234, 0, 7},
                 {0x011b19000001, 0x8915, 14, 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(frame, 0, sizeof frame);
        put_big(frame, cases[i].address, 6);
        put_big(frame + 12, cases[i].ethertype, 2);
        classifier_extract(classifier, frame, 60, &headers);
        assert_int_equal(headers.tuple[TUPLE_TYPE], FRAME_NOT_IP);
        assert_int_equal(headers.tuple[TUPLE_ETHERTYPE], cases[i].ethertype | cases[i].of_ethertype << 16);
        assert_int_equal(headers.tuple[TUPLE_FLAGS], cases[i].of_address);
    }
    classifier_write(classifier, CLASSIFIER_BASE + 0x8b0 + 4 * 3, 9);   /* UDP */
    classifier_write(classifier, CLASSIFIER_BASE + 0x940, 2 | 1 << 12); /* TCP */
    classifier_write(classifier, CLASSIFIER_BASE + 0x900, 0x00500050);
    classifier_write(classifier, CLASSIFIER_BASE + 0x944, 3 | 1 << 4 | 1 << 8); /* UDP, destination, a range */
    classifier_write(classifier, CLASSIFIER_BASE + 0x904, 0x00600050);
    build_frame(frame, true, (const uint64_t[FIELDS]){17, 0x0a000001, 0x0a000002, 0x55, 0x55});
    classifier_extract(classifier, frame, 100, &headers);
    assert_int_equal(headers.tuple[TUPLE_TYPE], FRAME_IPV4);
    assert_int_equal(headers.tuple[TUPLE_PROTOCOL], 17 | 9 << 16);
    assert_int_equal(headers.tuple[TUPLE_SOURCE_PORT], 0x55);
    assert_int_equal(headers.tuple[TUPLE_DESTINATION_PORT], 0x55 | 3 << 16);
    classifier_write(classifier, CLASSIFIER_BASE + 0x418,
                     0x4242 | 6 << 16 | 7u << 24);                 /* an IPv6 header by EtherType */
    classifier_write(classifier, CLASSIFIER_BASE + 0x420, 0xaaaa); /* the highest word */
    classifier_write(classifier, CLASSIFIER_BASE + 0x438, 0xdddd);
    memset(frame, 0, sizeof frame);
    put_big(frame + 12, 0x4242, 2);
    classifier_extract(classifier, frame, 60, &headers);
    assert_int_equal(headers.tuple[TUPLE_TYPE], FRAME_IPV6);
    assert_int_equal(headers.tuple[TUPLE_PROTOCOL], 6);
    assert_int_equal(headers.tuple[TUPLE_SOURCE], 0xdddd);
    assert_int_equal(headers.tuple[TUPLE_SOURCE + 3], 0xaaaa);
    free(classifier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns_match_as_documented),
        cmocka_unit_test(values_are_augmented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
