/* Registers filled at random: whatever is started, there is a diagnostic or an effect, but no crash and no hang. */
#include "noc/fixture.h"
#include "util/xorshift.h"

enum { DEVICES = 40, ROUNDS = 60 };

static uint64_t random_state;

static uint32_t random_word(void)
{
    return xorshift64_word(&random_state);
}

/* Mostly values that make some sense, now and then any. */
static uint64_t random_address(void)
{
    switch (random_word() % 8) {
    case 0: return (uint64_t)random_word() << 32 | random_word();
    case 1: return 0xFFB00000 + random_word() % 0x80000;
    case 2: return random_word();
    default: return random_word() % 0x180000 & ~(random_word() & 0x3f);
    }
}

static uint32_t random_place(void)
{
    switch (random_word() % 8) {
    case 0: return random_word();
    case 1: return at(17 + random_word() % 2, 12 + random_word() % 12);
    case 2: return rectangle(random_word() % 20, random_word() % 14, random_word() % 20, random_word() % 14);
    default: return at(1 + random_word() % 7, 2 + random_word() % 10);
    }
}

static uint64_t random_length(void)
{
    switch (random_word() % 8) {
    case 0: return (uint64_t)random_word() << 32 | random_word();
    case 1: return random_word();
    case 2: return random_word() % 0x40000;
    case 3: return 4;
    case 4: return 0x107c | (random_word() & 0xf003);
    default: return random_word() % 0x1000;
    }
}

static void start_anything(struct fixture *fixture)
{
    struct command command = {.x = (uint8_t)(1 + random_word() % 7),
                              .y = (uint8_t)(2 + random_word() % 10),
                              .noc = random_word() & 1,
                              .initiator = random_word() & 3,
                              .ctrl = random_word() % 4 ? random_word() & 0x3003f : random_word(),
                              .target = random_address(),
                              .back = random_address(),
                              .target_at = random_place(),
                              .back_at = random_place(),
                              .tag = random_word() % 4 ? random_word() & 0x3e00 : random_word(),
                              .length = random_length(),
                              .data = random_word(),
                              .exclude = random_word() % 2 ? 0 : random_word(),
                              .accumulate = random_word() & 0xf};
    (void)start(fixture, &command);
}

static void run_wild(enum bh_policy_preset policy)
{
    random_state = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < DEVICES; i++) {
        void *context;
        assert_int_equal(set_up_policy(&context, policy), 0);
        struct fixture *fixture = context;
        enum bh_status status = BH_OK;
        for (unsigned round = 0; round < ROUNDS && status == BH_OK; round++) {
            for (unsigned j = 0; j < 5; j++) {
                start_anything(fixture);
            }
            status = bh_run(fixture->device, 500, NULL);
        }
        assert_true(fixture->diagnostics > 0);
        tear_down(&context);
    }
}

static void anything_can_be_started(void **context)
{
    (void)context;
    run_wild(BH_POLICY_SILICON);
}

static void the_default_policy_stops(void **context)
{
    (void)context;
    run_wild(BH_POLICY_DEFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_can_be_started),
        cmocka_unit_test(the_default_policy_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
