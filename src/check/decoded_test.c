/* What the checker keeps of instructions of cores: of each the same as when it was decoded, however many share its
   place, and of all instructions of the table the registers that their formats have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/decoded.h"
#include "isa/rv32_isa.h"
#include "util/bits.h"

enum { ALL = UINT8_MAX };

/* add a0,a1,a2; addi a0,a1,5; beq a1,a2,-8; jal ra,16; lw a0,4(a1); sw a2,4(a1); fence; amoadd.w a0,a2,(a1); sub; slli;
   jalr; lui */
static const struct check_decoded expected[] = {
    {.word = 0x00c58533,
     .reads = 1 << 11 | 1 << 12,
     .writes = 1 << 10,
     .rd = 10,
     .rs1 = 11,
     .rs2 = 12,
     .computes = COMPUTES_SUM,
     .taint = {ALL, ALL},
     .asked = {ALL, ALL}},
    {.word = 0x00558513,
     .reads = 1 << 11,
     .writes = 1 << 10,
     .rd = 10,
     .rs1 = 11,
     .rs2 = 5,
     .computes = COMPUTES_FIRST,
     .taint = {ALL, 0},
     .asked = {ALL, 0}},
    {.word = 0xfec58ce3,
     .reads = 1 << 11 | 1 << 12,
     .distance = -8,
     .rd = 25,
     .rs1 = 11,
     .rs2 = 12,
     .jumps = true,
     .taint = {ALL, ALL},
     .looks = {ALL, ALL}},
    {.word = 0x010000ef,
     .writes = 1 << 1,
     .distance = 16,
     .rd = 1,
     .rs2 = 16,
     .jumps = true,
     .computes = COMPUTES_OTHER},
    {.word = 0x0045a503, .reads = 1 << 11, .writes = 1 << 10, .rd = 10, .rs1 = 11, .rs2 = 4, .uses = {ALL, 0}},
    {.word = 0x00c5a223,
     .reads = 1 << 11 | 1 << 12,
     .rd = 4,
     .rs1 = 11,
     .rs2 = 12,
     .looks = {0, ALL},
     .uses = {ALL, ALL}},
    {.word = 0x0ff0000f, .rs2 = 31, .fence = true, .answered = true},
    {.word = 0x00c5a52f,
     .reads = 1 << 11 | 1 << 12,
     .writes = 1 << 10,
     .rd = 10,
     .rs1 = 11,
     .rs2 = 12,
     .answered = true,
     .looks = {0, ALL}},
    {.word = 0x40c58533,
     .reads = 1 << 11 | 1 << 12,
     .writes = 1 << 10,
     .rd = 10,
     .rs1 = 11,
     .rs2 = 12,
     .computes = COMPUTES_DIFFERENCE,
     .taint = {ALL, ALL},
     .asked = {ALL, ALL}},
    {.word = 0x00459513,
     .reads = 1 << 11,
     .writes = 1 << 10,
     .rd = 10,
     .rs1 = 11,
     .rs2 = 4,
     .computes = COMPUTES_UNITS,
     .taint = {ALL, 0},
     .asked = {ALL, 0}},
    {.word = 0x00058067, .reads = 1 << 11, .writes = 1, .rs1 = 11, .looks = {ALL, 0}},
    {.word = 0x00020537, .writes = 1 << 10, .rd = 10, .rs1 = 4, .computes = COMPUTES_OTHER},
    {.word = 0x00000000},
    {.word = 0x44000008}, /* .ttinsn */
};

static void assert_same(const struct check_decoded *decoded, const struct check_decoded *wanted)
{
    assert_int_equal(decoded->word, wanted->word);
    assert_int_equal(decoded->reads, wanted->reads);
    assert_int_equal(decoded->writes, wanted->writes);
    assert_int_equal(decoded->distance, wanted->distance);
    assert_int_equal(decoded->rd, wanted->rd);
    assert_int_equal(decoded->rs1, wanted->rs1);
    assert_int_equal(decoded->rs2, wanted->rs2);
    assert_int_equal(decoded->fence, wanted->fence);
    assert_int_equal(decoded->jumps, wanted->jumps);
    assert_int_equal(decoded->answered, wanted->answered);
    assert_int_equal(decoded->computes, wanted->computes);
    assert_memory_equal(&decoded->taint, &wanted->taint, sizeof decoded->taint);
    assert_memory_equal(&decoded->asked, &wanted->asked, sizeof decoded->asked);
    assert_memory_equal(&decoded->looks, &wanted->looks, sizeof decoded->looks);
    assert_memory_equal(&decoded->uses, &wanted->uses, sizeof decoded->uses);
}

static void each_format_has_its_registers(void **state)
{
    static struct check_decoded kept[CHECK_DECODED];
    for (unsigned i = 0; i < COUNT_OF(expected); i++) {
        assert_same(check_decoded(kept, expected[i].word), &expected[i]);
        assert_same(check_decoded(kept, expected[i].word), &expected[i]);
    }
}

/* Random words, among which those above come again and again. */
static void what_takes_anothers_place_is_decoded_anew(void **state)
{
    static struct check_decoded kept[CHECK_DECODED];
    uint32_t seed = 1;
    for (unsigned i = 0; i < 100000; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t word = i % 3 ? seed >> 8 | seed << 24 : expected[i / 3 % COUNT_OF(expected)].word;
        struct check_decoded fresh;
        check_decode(&fresh, word);
        assert_same(check_decoded(kept, word), &fresh);
    }
}

static void forgetting_a_bit_keeps_the_others(void **state)
{
    uint8_t of[32];
    for (unsigned i = 0; i < 32; i++) {
        of[i] = (uint8_t)(i * 37);
    }
    check_forget(of, 3);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(of[i], (uint8_t)(i * 37) & ~(1u << 3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_has_its_registers),
        cmocka_unit_test(what_takes_anothers_place_is_decoded_anew),
        cmocka_unit_test(forgetting_a_bit_keeps_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
