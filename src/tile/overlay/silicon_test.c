/* Wrong uses of overlay streams under the policy that continues: nothing is written outside of the stream's state, and
   meaningless requests have no effect. */
#include "tile/fixture.h"
#include "tile/overlay/stream.h"

static int set_up_silicon(void **context)
{
    if (set_up(context) != 0) {
        return -1;
    }
    struct fixture *fixture = *context;
    diagnostics_set_policy(&fixture->state->diagnostics, BH_POLICY_SILICON);
    return 0;
}

static void put(struct fixture *fixture, unsigned stream, uint32_t index, uint32_t value)
{
    store(fixture, BH_CORE_B, 0xFFB40000 + stream * STREAM_STRIDE + index * 4, value);
}

static uint32_t get(struct fixture *fixture, unsigned stream, uint32_t index)
{
    return load(fixture, BH_CORE_B, 0xFFB40000 + stream * STREAM_STRIDE + index * 4);
}

static void assert_warned(struct fixture *fixture, const char *part)
{
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    assert_int_equal(diagnostics->count, 1);
    assert_int_equal(diagnostics->entries[0].action, BH_WARN);
    assert_non_null(strstr(diagnostics->entries[0].text, part));
    diagnostics->count = 0;
    memset(diagnostics->warned, 0, sizeof diagnostics->warned);
}

/* Bits 5:0 name one of 64 destinations; streams 0 to 3 have 32, the others one. */
static void updates_of_destinations_that_are_not_there_have_no_effect(void **context)
{
    static const uint32_t updates[] = {INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE), INDEX(DEST_PHASE_READY_UPDATE)};
    struct fixture *fixture = *context;
    struct overlay *overlay = &fixture->state->registers.overlay, *before = malloc(sizeof *before);
    for (unsigned stream = 0; stream < STREAMS; stream++) { /* so that places in header arrays are counted, too */
        put(fixture, stream, INDEX(MISC_CFG), DEST_MSG_INFO_BUF_FLOW_CTRL);
    }
    memcpy(before, overlay, sizeof *before);
    for (unsigned stream = 0; stream < STREAMS; stream++) {
        for (unsigned destination = stream < 4 ? 32 : 1; destination < 64; destination++) {
            for (unsigned i = 0; i < 2; i++) {
                put(fixture, stream, updates[i], 0xffffffc0 | destination);
                assert_warned(fixture, "destination");
                assert_memory_equal(overlay, before, sizeof *before);
            }
        }
    }
    put(fixture, 3, updates[1], 5 << 6 | 31);
    assert_int_equal(overlay->ready[3][31], 5 | HANDSHAKE_READY);
    free(before);
}

/* Groups have 1, 2 or 4 streams: of groups of other sizes the last one would extend beyond the last stream. */
static void groups_that_are_not_there_are_not_gathered_from(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned size = 0; size < 8; size++) {
        if (size == 1 || size == 2 || size == 4) {
            continue;
        }
        put(fixture, 4, INDEX(RESET), 1);
        put(fixture, 4, INDEX(MISC_CFG), LOCAL_SOURCES_CONNECTED | RECEIVER_ENDPOINT);
        put(fixture, 4, INDEX(GATHER), 1 | size << 13);
        for (unsigned i = 0; i < 3; i++) {
            put(fixture, 4, INDEX(LOCAL_SRC_MASK) + i, 0xffffff);
        }
        put(fixture, 4, INDEX(PHASE_AUTO_CFG_HEADER), 1 << 12);
        put(fixture, 4, INDEX(PHASE_ADVANCE), 1);
        assert_warned(fixture, "MSG_ARB_GROUP_SIZE has to be 1, 2 or 4");
        assert_int_equal(get(fixture, 4, INDEX(NUM_MSGS_RECEIVED)), 0);
    }
}

static void more_messages_are_not_cleared_than_there_are(void **context)
{
    struct fixture *fixture = *context;
    put(fixture, 7, INDEX(MISC_CFG), SOURCE_ENDPOINT | RECEIVER_ENDPOINT);
    put(fixture, 7, INDEX(BUF_SIZE), 100);
    put(fixture, 7, INDEX(PHASE_AUTO_CFG_HEADER), 9 << 12);
    put(fixture, 7, INDEX(PHASE_ADVANCE), 1);
    for (unsigned i = 0; i < 3; i++) {
        put(fixture, 7, INDEX(SOURCE_ENDPOINT_NEW_MSG_INFO), 1 << 17);
    }
    for (uint32_t count = 3; count; count <<= 1) {
        put(fixture, 7, INDEX(MSG_INFO_CLEAR), count);
        assert_warned(fixture, "STREAM_MSG_INFO_CLEAR");
        assert_int_equal(get(fixture, 7, INDEX(NUM_MSGS_RECEIVED)), 3);
    }
}

/* The pointer to the next configuration grows with each header; it can not go beyond L1 nor beyond 32 bits. */
static void configuration_is_not_loaded_from_behind_l1(void **context)
{
    struct fixture *fixture = *context;
    struct overlay *overlay = &fixture->state->registers.overlay;
    overlay->words[INDEX(PHASE_AUTO_CFG_HEADER)][9] = 0xff000000;
    overlay->words[INDEX(PHASE_AUTO_CFG_PTR)][9] = 0xfffffffc;
    put(fixture, 9, INDEX(ONETIME_MISC_CFG), 1);
    assert_warned(fixture, "is not in L1");
    overlay->words[INDEX(PHASE_AUTO_CFG_PTR)][9] = L1_SIZE - 0x100 * 4 + 4;
    put(fixture, 9, INDEX(ONETIME_MISC_CFG), 1);
    assert_warned(fixture, "is not in L1");
}

#define SILICON(function) cmocka_unit_test_setup_teardown(function, set_up_silicon, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SILICON(updates_of_destinations_that_are_not_there_have_no_effect),
        SILICON(groups_that_are_not_there_are_not_gathered_from),
        SILICON(more_messages_are_not_cleared_than_there_are),
        SILICON(configuration_is_not_loaded_from_behind_l1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
