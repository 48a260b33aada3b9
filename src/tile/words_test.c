/* Plain registers: accesses through the memory map are equivalent to accesses to the word. */
#include "tile/fixture.h"

#include "util/xorshift.h"

enum { FIRST = (int32_t)0xFFB20000, END = (int32_t)0xFFB80000 };

static bool has_word(struct fixture *fixture, uint32_t address, bool store)
{
    return core_word(&fixture->tile, BH_CORE_B, address, store) != NULL;
}

static void a_load_of_a_word_finds_what_the_handler_finds(void **context)
{
    struct fixture *fixture = *context;
    struct tile_registers *registers = &fixture->state->registers;
    uint64_t random = 1;
    unsigned words = 0;
    for (unsigned noc = 0; noc < NIUS; noc++) {
        for (unsigned i = 0; i < NIU_COUNTERS; i++) {
            registers->niu[noc].counter[i] = xorshift64_word(&random);
        }
        for (unsigned i = 0; i < NIU_INITIATORS * NIU_INITIATOR_REGISTERS; i++) {
            registers->niu[noc].initiator[i / NIU_INITIATOR_REGISTERS][i % NIU_INITIATOR_REGISTERS] =
                i % NIU_INITIATOR_REGISTERS == NOC_CMD_CTRL ? 0 : xorshift64_word(&random);
        }
    }
    for (unsigned i = 0; i < STREAMS * STREAM_REGISTERS; i++) {
        registers->overlay.words[i / STREAMS][i % STREAMS] = xorshift64_word(&random);
    }
    for (uint32_t address = (uint32_t)FIRST; address < (uint32_t)END; address += 4) {
        if (has_word(fixture, address, false)) {
            uint32_t word = *core_word(&fixture->tile, BH_CORE_NC, address, false);
            words++;
            assert_int_equal(load(fixture, BH_CORE_NC, address), word);
            assert_int_equal(load(fixture, BH_CORE_NC, address), word); /* a load changes nothing */
        }
    }
    assert_true(words > 2 * (NIU_COUNTERS + NIU_INITIATORS * 12) + STREAMS * 2);
}

/* A store through the memory map changes the word, and no other register of the tile. */
static void a_store_of_a_word_does_nothing_else(void **context)
{
    struct fixture *fixture = *context;
    struct tile_registers *registers = &fixture->state->registers, *expected = malloc(sizeof *expected);
    assert_non_null(expected);
    uint64_t random = 1;
    unsigned words = 0;
    for (uint32_t address = (uint32_t)FIRST; address < (uint32_t)END; address += 4) {
        uint32_t value = xorshift64_word(&random), *word = core_word(&fixture->tile, BH_CORE_T2, address, true);
        if (word) {
            words++;
            memcpy(expected, registers, sizeof *expected);
            *(uint32_t *)((uint8_t *)expected + ((uint8_t *)word - (uint8_t *)registers)) = value;
            store(fixture, BH_CORE_T2, address, value);
            assert_memory_equal(registers, expected, sizeof *expected);
        }
    }
    assert_int_equal(words, NIUS * NIU_INITIATORS * 15);
    free(expected);
}

static void registers_that_do_something_are_no_words(void **context)
{
    struct fixture *fixture = *context;
    assert_false(has_word(fixture, MMIO_ADDRESS_NOC_CMD_CTRL, true));
    assert_false(has_word(fixture, MMIO_ADDRESS_NOC_PACKET_TAG, false));
    assert_false(has_word(fixture, MMIO_ADDRESS_NIU_TRANS_COUNT_RTZ_NUM, false));
    assert_false(has_word(fixture, MMIO_ADDRESS_STREAM_BLOB_NEXT_AUTO_CFG_DONE, false));
    assert_false(has_word(fixture, MMIO_ADDRESS_WALL_CLOCK_L, false));
    assert_false(has_word(fixture, MMIO_ADDRESS_NOC_TARG_ADDR_LO + NIU_INITIATOR_END, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_load_of_a_word_finds_what_the_handler_finds),
        TEST(a_store_of_a_word_does_nothing_else),
        TEST(registers_that_do_something_are_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
