/* Starts of NoC requests by cores, which bypass the handlers of other registers. */
#include "tile/fixture.h"
#include "util/xorshift.h"

enum { NOC_SPACE = 0x10000, X_TABLE = NIU_CONFIG + 4 * NOC_X_ID_TRANSLATE_TABLE, SIZE = 64 };

static uint32_t register_at(unsigned noc, unsigned initiator, unsigned index)
{
    return 0xFFB20000u + noc * NOC_SPACE + initiator * NIU_INITIATOR_STRIDE + 4 * index;
}

/* A start by the path of the interpreter. */
static enum step start(struct fixture *fixture, unsigned noc, unsigned initiator, uint32_t value)
{
    const struct rv32_bus *bus = &fixture->tile.core[BH_CORE_B].bus;
    return bus->store(bus->context, BH_CORE_B, register_at(noc, initiator, NOC_CMD_CTRL), 4, value);
}

static void prepare_read(struct fixture *fixture, unsigned noc, unsigned initiator, uint32_t at)
{
    store(fixture, BH_CORE_B, register_at(noc, initiator, NOC_TARG_ADDR_HI), at);
    store(fixture, BH_CORE_B, register_at(noc, initiator, NOC_RET_ADDR_HI), 3 | 5 << 6);
    store(fixture, BH_CORE_B, register_at(noc, initiator, NOC_AT_LEN_BE), SIZE);
}

static const struct noc_request *last_request(const struct fixture *fixture)
{
    const struct noc_outbox *outbox = &fixture->state->registers.outbox;
    assert_true(outbox->count > 0);
    return &outbox->request[outbox->count - 1];
}

/* ISA documentation, NoC/Coordinates.md: a request is translated by the tables at the time of its start. */
static void the_same_coordinates_are_translated_by_tables_as_they_are_now(void **context)
{
    struct fixture *fixture = *context;
    uint64_t random = 1;
    for (unsigned i = 0; i < NOC_OUTBOX_SIZE; i++) {
        unsigned noc = xorshift64_word(&random) % NIUS, initiator = xorshift64_word(&random) % NIU_INITIATORS;
        uint32_t x = 2 + xorshift64_word(&random) % 3, y = 6, table;
        uint8_t raw_x, raw_y;
        if (i % 2) { /* x 0 to 5 are in the first word */
            table = xorshift64_word(&random) & 0x3fffffff;
            store(fixture, BH_CORE_B, register_at(noc, 0, 0) + X_TABLE, table);
        }
        prepare_read(fixture, noc, initiator, x | y << 6);
        assert_int_equal(start(fixture, noc, initiator, 1), STEP_DONE);
        niu_translate(&fixture->state->registers.niu[noc], x, y, &raw_x, &raw_y);
        assert_int_equal(last_request(fixture)->target.x, raw_x);
        assert_int_equal(last_request(fixture)->target.y, raw_y);
    }
}

static void a_start_is_the_same_whoever_makes_it(void **context)
{
    struct fixture *fixture = *context;
    prepare_read(fixture, 1, 2, 7 | 3 << 6);
    assert_int_equal(start(fixture, 1, 2, 1), STEP_DONE);
    store(fixture, BH_CORE_B, register_at(1, 2, NOC_CMD_CTRL), 1);
    const struct noc_outbox *outbox = &fixture->state->registers.outbox;
    assert_int_equal(outbox->count, 2);
    assert_memory_equal(&outbox->request[0], &outbox->request[1], sizeof outbox->request[0]);
    assert_int_equal(outbox->request[0].noc, 1);
    assert_int_equal(fixture->state->registers.niu[1].counter[NIU_MST_RD_REQ_STARTED], 2);
}

static void a_store_of_0_starts_nothing(void **context)
{
    struct fixture *fixture = *context;
    prepare_read(fixture, 0, 0, 7 | 3 << 6);
    assert_int_equal(start(fixture, 0, 0, 0), STEP_DONE);
    assert_int_equal(fixture->state->registers.outbox.count, 0);
}

static void a_start_waits_while_the_outbox_is_full(void **context)
{
    struct fixture *fixture = *context;
    prepare_read(fixture, 0, 3, 7 | 3 << 6);
    for (unsigned i = 0; i < NOC_OUTBOX_SIZE; i++) {
        assert_int_equal(start(fixture, 0, 3, 1), STEP_DONE);
    }
    assert_int_equal(start(fixture, 0, 3, 1), STEP_WAIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_coordinates_are_translated_by_tables_as_they_are_now),
        TEST(a_start_is_the_same_whoever_makes_it),
        TEST(a_store_of_0_starts_nothing),
        TEST(a_start_waits_while_the_outbox_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
