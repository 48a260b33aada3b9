/* Tensix instructions as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/tensix_table.h"
#include "isa/tensix_text.h"

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static uint32_t assembled(const char *text)
{
    struct tensix_text_error error;
    uint32_t word = 0;
    if (!tensix_assemble(text, &word, &error)) {
        fail_msg("'%s': %zu: %s", text, error.position, error.text);
    }
    return word;
}

static void round_trips(uint32_t word, enum tensix_text form)
{
    char text[TENSIX_TEXT_SIZE];
    assert_true(tensix_disassemble(word, form, text, sizeof text) < sizeof text);
    assert_int_equal(assembled(text), word);
}

static void every_instruction_round_trips_with_random_fields(void **state)
{
    uint32_t seed = 0x2545f491;
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        const struct tensix_instruction *instruction = &tensix_instructions[i];
        for (unsigned round = 0; round < 500; round++) {
            uint32_t random = next_random(&seed);
            uint32_t fields = round == 0 ? 0 : round == 1 ? UINT32_MAX : random;
            uint32_t word = (uint32_t)instruction->opcode << 24 | (fields & 0xffffff & ~instruction->reserved);
            round_trips(word, TENSIX_TEXT_FIELDS);
            round_trips(word, TENSIX_TEXT_COMPACT);
            round_trips(word, TENSIX_TEXT_FIELDS | TENSIX_TEXT_COMMENT);
            round_trips(word, TENSIX_TEXT_COMPACT | TENSIX_TEXT_COMMENT);
        }
    }
}

static void any_word_round_trips(void **state)
{
    uint32_t seed = 0x9e3779b9;
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t word = next_random(&seed);
        round_trips(word, TENSIX_TEXT_FIELDS | TENSIX_TEXT_COMMENT);
        round_trips(word, TENSIX_TEXT_COMPACT);
    }
}

/* Words of programs that run on silicon, with their listings: chapter "rwc and addressing", sections 4.3 and 4.4;
   chapter "stallwait conditions", annotated disassembly; the disassembly of an add1 kernel in the same specification.
 */
static const struct {
    uint32_t inline_word;
    const char *compact;
} listed[] = {
    {0x98000000, "ttmvmul 0,0,0,0"},
    {0x98010000, "ttmvmul 0,0,1,0"},
    {0x98020000, "ttmvmul 0,0,2,0"},
    {0x98040000, "ttmvmul 0,0,4,0"},
    {0x98050000, "ttmvmul 0,0,5,0"},
    {0xdc00003c, "ttsetrwc 0,0,0,0,0,15"},
    {0x89000006, "ttstallwait 128,1"},
    {0x88420022, "ttstallwait 33,8"},
    {0x89000026, "ttstallwait 128,9"},
    {0x88800022, "ttstallwait 64,8"},
    {0x98020026, "ttsemwait 1,2,1"},
    {0x94000022, "ttsemget 2"},
    {0xc0700032, "ttwrcfg 28,0,12"},
    {0xc0300116, "ttwrcfg 12,0,69"},
    {0xc8940412, "ttsetc16 37,260"},
    {0xc898a082, "ttsetc16 38,10272"},
    {0x08000000, "ttnop"},
    {0x80000001, "ttdmanop"},
    {0x80000002, "ttatgetm 0"},
    {0x84000002, "ttatrelm 0"},
    {0x4600002d, "ttsetadcxy 4,0,0,0,0,11"},
    {0x5200003d, "ttsetadczw 4,0,0,0,0,15"},
    {0x06000000, "ttmop 1,0,0"},
};

static void listed_words_read_as_listed(void **state)
{
    for (unsigned i = 0; i < sizeof listed / sizeof *listed; i++) {
        char text[TENSIX_TEXT_SIZE];
        tensix_disassemble(tensix_from_inline(listed[i].inline_word), TENSIX_TEXT_COMPACT, text, sizeof text);
        assert_string_equal(text, listed[i].compact);
        assert_int_equal(tensix_to_inline(assembled(listed[i].compact)), listed[i].inline_word);
    }
}

static void assembler_reads_every_spelling(void **state)
{
    assert_int_equal(assembled("MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=1, dst=2"), 0x26004002);
    assert_int_equal(assembled("  mvmul dst=0x2 , addr_mode = 0b1 ; a comment"), 0x26004002);
    assert_int_equal(assembled("TT_OP_MVMUL(0, 0, 1, 2) // as in a kernel"), 0x26004002);
    assert_int_equal(assembled("TTI_SFPNOP"), 0x8f000000);
    assert_int_equal(assembled("ttsfpnop() # nothing"), 0x8f000000);
    assert_int_equal(assembled(".word 0xdeadbeef"), 0xdeadbeef);
    assert_int_equal(assembled("ttsetadcxy 4,0,0,0,0,11,3"), 0x518c000b);
    assert_int_equal(assembled("SETADCXY CntSetMask=4, BitMask=11, ThreadOverride=3"), 0x518c000b);
}

static void extra_fields_show_only_when_set(void **state)
{
    char text[TENSIX_TEXT_SIZE];
    tensix_disassemble(0x518c000b, TENSIX_TEXT_COMPACT, text, sizeof text);
    assert_string_equal(text, "ttsetadcxy 4,0,0,0,0,11,3");
    tensix_disassemble(0x518c000b, TENSIX_TEXT_FIELDS, text, sizeof text);
    assert_non_null(strstr(text, "ThreadOverride=3"));
    tensix_disassemble(0x5180000b, TENSIX_TEXT_FIELDS, text, sizeof text);
    assert_null(strstr(text, "ThreadOverride"));
}

static void rejects(const char *text, size_t position, const char *message)
{
    struct tensix_text_error error;
    uint32_t word = 0x12345678;
    assert_false(tensix_assemble(text, &word, &error));
    assert_int_equal(word, 0x12345678);
    assert_int_equal(error.position, position);
    assert_string_equal(error.text, message);
}

static void errors_say_where_and_what_was_expected(void **state)
{
    rejects("", 0, "an instruction expected");
    rejects("  MVMULL 0", 2, "no instruction is named 'MVMULL'");
    rejects("ttmvmul 0,0,9,0", 12, "addr_mode has 3 bits: at most 7 expected");
    rejects("ttmvmul 0,0,1", 13, "MVMUL takes 4 operands, dst expected next");
    rejects("ttmvmul 0,0,1,0,0", 16, "MVMUL takes 4 operands");
    rejects("ttmvmul", 7, "MVMUL takes 4 operands, clear_dvalid first");
    rejects("ttmvmul 0 0", 10, "',' or the end expected");
    rejects("ttmvmul 0,x", 10, "either all operands are named or none is");
    rejects("MVMUL addr=1", 6, "MVMUL has no field 'addr'");
    rejects("MVMUL dst=1, dst=2", 13, "dst is given twice");
    rejects("MVMUL dst 1", 10, "'=' expected after dst");
    rejects("MVMUL dst=1x", 10, "a number expected");
    rejects("MVMUL dst=0x100000000", 10, "a number of at most 32 bits expected");
    rejects("MVMUL dst=-1", 10, "a number expected");
    rejects("MVMUL(0,0,1,0", 13, "')' expected");
    rejects("MVMUL(0,0,1,0) 5", 15, "the end of the instruction expected");
    rejects("SFPNOT 1,0,0,0", 7, "imm12_math is reserved: 0 expected");
    rejects("SFPNOP 1", 7, "SFPNOP takes 0 operands");
}

static void words_without_an_instruction_stay_words(void **state)
{
    char text[TENSIX_TEXT_SIZE];
    tensix_disassemble(0, TENSIX_TEXT_FIELDS | TENSIX_TEXT_COMMENT, text, sizeof text);
    assert_string_equal(text, ".word 0x00000000  ; no instruction has opcode 0x00");
    tensix_disassemble(0x26002000, TENSIX_TEXT_FIELDS | TENSIX_TEXT_COMMENT, text, sizeof text);
    assert_string_equal(text, ".word 0x26002000  ; MVMUL with reserved bits 0x002000");
}

/* A comment names what the address and the mask select, and nothing else. */
static void comments_name_configuration_fields(void **state)
{
    static const struct {
        const char *name;
        uint32_t address, shift, width;
    } fields[] = {
#define CONFIG_FIELD(name, address, shift, width, ...) {#name, (address), (shift), (width)},
#define THREAD_CONFIG_FIELD(...)
#include "config.def"
#undef CONFIG_FIELD
#undef THREAD_CONFIG_FIELD
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].address > 0xff) {
            continue;
        }
        uint32_t byte = fields[i].shift / 8, bit = fields[i].shift % 8;
        uint32_t word = (TENSIX_OPCODE_RMWCIB0 + byte) << 24 | 1u << (16 + bit) | fields[i].address;
        char text[TENSIX_TEXT_SIZE];
        tensix_disassemble(word, TENSIX_TEXT_FIELDS | TENSIX_TEXT_COMMENT, text, sizeof text);
        const char *comment = strstr(text, "  ; ");
        assert_non_null(comment);
        assert_true(strstr(comment, fields[i].name) || strchr(comment, '+'));
    }
    char text[TENSIX_TEXT_SIZE];
    tensix_disassemble(assembled("MVMUL 0,0,0,0"), TENSIX_TEXT_FIELDS | TENSIX_TEXT_COMMENT, text, sizeof text);
    assert_null(strchr(text, ';'));
}

static void a_short_buffer_is_not_overrun(void **state)
{
    char whole[TENSIX_TEXT_SIZE];
    size_t length = tensix_disassemble(0x42a1b3c5, TENSIX_TEXT_FIELDS, whole, sizeof whole);
    assert_int_equal(length, strlen(whole));
    for (size_t size = 0; size <= length; size++) {
        char text[TENSIX_TEXT_SIZE];
        memset(text, 'x', sizeof text);
        assert_int_equal(tensix_disassemble(0x42a1b3c5, TENSIX_TEXT_FIELDS, text, size), length);
        assert_int_equal(text[size], 'x');
        if (size) {
            assert_int_equal(strlen(text), size - 1);
            assert_memory_equal(text, whole, size - 1);
        }
    }
}

static void blank_lines_are_recognised(void **state)
{
    assert_true(tensix_text_is_blank(""));
    assert_true(tensix_text_is_blank(" \t; comment"));
    assert_true(tensix_text_is_blank("// comment"));
    assert_false(tensix_text_is_blank(" NOP"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_round_trips_with_random_fields),
        cmocka_unit_test(any_word_round_trips),
        cmocka_unit_test(listed_words_read_as_listed),
        cmocka_unit_test(assembler_reads_every_spelling),
        cmocka_unit_test(extra_fields_show_only_when_set),
        cmocka_unit_test(errors_say_where_and_what_was_expected),
        cmocka_unit_test(words_without_an_instruction_stay_words),
        cmocka_unit_test(comments_name_configuration_fields),
        cmocka_unit_test(a_short_buffer_is_not_overrun),
        cmocka_unit_test(blank_lines_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
