/* What a debugger does to a program: it interrupts it, changes registers and the pc, lets it go, ends it. Packets over
   a connection of the test's own, to a server whose device runs a few instructions on core B. */
#include "gdb_client.h"

enum { DETACHES = 40 };

static const uint32_t counts_for_ever[] = {0x00128293, 0xffdff06f};                     /* t0++; back */
static const uint32_t counts_down[] = {0x0c800293, 0xfff28293, 0xfe029ee3, 0x0000006f}; /* t0 = 200; until it is 0 */
static const uint32_t has_ebreak[] = {0x00100293, 0x00100073, 0x10502023, 0x0000006f};  /* t0 = 1; ebreak; */
                                                                                        /* *(int *)0x100 = t0 */
#define BEGIN(session, program, mode) begin(session, program, sizeof(program), mode)

static struct bh_device *load(const uint32_t *program, size_t size, enum bh_mode mode)
{
    const struct bh_device_config config = {.mode = mode};
    struct bh_device *device;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, 1, 2, 0, program, size), BH_OK);
    assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_B, 0), BH_OK);
    return device;
}

static void begin(struct session *session, const uint32_t *program, size_t size, enum bh_mode mode)
{
    begin_session(session, load(program, size, mode), "B");
}

static void end(struct session *session)
{
    leave_session(session);
    bh_device_destroy(session->device);
}

static void interrupting_stops_it(void **context)
{
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct session session;
        BEGIN(&session, counts_for_ever, mode);
        put(&session, "vCont;c");
        assert_int_equal(send(session.socket, "\3", 1, MSG_NOSIGNAL), 1);
        assert_memory_equal(receive(&session), "T02thread:1;", strlen("T02thread:1;"));
        put(&session, "vCont;c"); /* and again, behind this stop */
        assert_int_equal(send(session.socket, "\3", 1, MSG_NOSIGNAL), 1);
        assert_memory_equal(receive(&session), "T02thread:1;", strlen("T02thread:1;"));
        put(&session, "k");
        end(&session);
        assert_int_equal(session.result.reason, BH_RAN_INTERRUPTED);
    }
}

static void killing_ends_it_also_in_its_last_quantum(void **context)
{
    struct session session;
    BEGIN(&session, counts_down, BH_MODE_FUNCTIONAL);
    assert_non_null(strstr(ask(&session, "vCont;s:1"), "T05"));
    assert_string_equal(ask(&session, "vKill;1"), "OK");
    end(&session);
    assert_int_equal(session.result.reason, BH_RAN_INTERRUPTED);
}

/* It goes on behind an ebreak where gdb says so. */
static void an_ebreak_stops_it(void **context)
{
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct session session;
        uint32_t stored;
        BEGIN(&session, has_ebreak, mode);
        assert_string_equal(ask(&session, "vCont;c"), "T05thread:1;20:04000000;");
        assert_string_equal(ask(&session, "P5=2a000000"), "OK"); /* t0 */
        assert_string_equal(ask(&session, "p5"), "2a000000");
        assert_string_equal(ask(&session, "P20=08000000"), "OK");
        assert_string_equal(ask(&session, "p20"), "08000000");
        assert_string_equal(ask(&session, "vCont;c"), "W00");
        pthread_join(session.server, NULL);
        assert_int_equal(bh_read(session.device, 1, 2, 0x100, &stored, sizeof stored), BH_OK);
        assert_int_equal(stored, 42);
        assert_int_equal(session.result.reason, BH_RAN_IDLE);
        close(session.socket);
        bh_gdb_close(session.gdb);
        bh_device_destroy(session.device);
    }
}

/* A pc must be that of an instruction. */
static void a_wrong_pc_is_refused(void **context)
{
    struct session session;
    BEGIN(&session, counts_down, BH_MODE_FUNCTIONAL);
    assert_string_equal(ask(&session, "P20=02000000"), "E01");
    assert_string_equal(ask(&session, "P20=000000c0"), "E01");
    assert_string_equal(ask(&session, "p20"), "00000000");
    assert_string_equal(ask(&session, "D"), "OK");
    end(&session);
}

static void all_registers_are_written_at_once(void **context)
{
    struct session session;
    static char packet[ANSWER + 1];
    BEGIN(&session, counts_down, BH_MODE_FUNCTIONAL);
    packet[0] = 'G';
    (void)snprintf(packet + 1, sizeof packet - 1, "%s", ask(&session, "g"));
    memcpy(packet + 1 + 5 * 8, "07000000", 8);  /* t0 = 7, */
    memcpy(packet + 1 + 32 * 8, "08000000", 8); /* behind where it becomes 200, and is counted down */
    assert_string_equal(ask(&session, packet), "OK");
    assert_string_equal(ask(&session, "p5"), "07000000");
    assert_string_equal(ask(&session, "vCont;s:1"), "T05thread:1;20:04000000;"); /* t0 is not 0: back */
    assert_string_equal(ask(&session, "Z0,8,4"), "OK");
    assert_string_equal(ask(&session, "vCont;c"), "T05thread:1;swbreak:;20:08000000;");
    assert_string_equal(ask(&session, "p5"), "06000000");
    assert_string_equal(ask(&session, "D"), "OK");
    end(&session);
}

static void after_detaching_it_ends_as_without_a_debugger(void **context)
{
    for (enum bh_mode mode = BH_MODE_FUNCTIONAL; mode <= BH_MODE_TIMED; mode++) {
        struct bh_device *plain = load(counts_down, sizeof counts_down, mode);
        struct bh_run_result expected;
        assert_int_equal(bh_run(plain, CYCLES, &expected), BH_OK);
        for (unsigned i = 0; i < DETACHES; i++) {
            struct session session;
            BEGIN(&session, counts_down, mode);
            for (unsigned step = 0; step < i % 4; step++) {
                assert_non_null(strstr(ask(&session, "vCont;s:1"), "T05"));
            }
            assert_string_equal(ask(&session, "D"), "OK");
            end(&session);
            assert_int_equal(session.result.reason, BH_RAN_IDLE);
            assert_int_equal(session.result.cycles, expected.cycles);
            assert_int_equal(session.result.riscv_instructions, expected.riscv_instructions);
        }
        bh_device_destroy(plain);
    }
}

static void who_waits_is_told_with_the_pc_of_now(void **context)
{
    struct session session;
    char text[2000] = "", pc[20];
    BEGIN(&session, counts_for_ever, BH_MODE_FUNCTIONAL);
    for (unsigned step = 1; step < 4; step++) {
        (void)ask(&session, "vCont;s:1");
        put(&session, "qRcmd,77616974"); /* wait */
        const char *answer = receive(&session);
        assert_int_equal(*answer++, 'O');
        for (unsigned i = 0; answer[2 * i] && i + 1 < sizeof text; i++) {
            unsigned byte;
            assert_int_equal(sscanf(answer + (size_t)2 * i, "%2x", &byte), 1);
            text[i] = (char)byte;
            text[i + 1] = 0;
        }
        assert_string_equal(receive(&session), "OK");
        (void)snprintf(pc, sizeof pc, "at 0x%08x", step % 2 ? 4 : 0);
        if (!strstr(text, pc)) {
            fail_msg("no \"%s\" in %s", pc, text);
        }
    }
    put(&session, "k");
    end(&session);
}

/* Of a core in reset: the stop is the one answer, and that to the next packet follows it. */
static void a_step_that_ends_at_once_has_one_answer(void **context)
{
    struct session session;
    begin_session(&session, load(counts_down, sizeof counts_down, BH_MODE_FUNCTIONAL), NULL);
    for (unsigned times = 0; times < 3; times++) {
        assert_string_equal(ask(&session, "vCont;s:2;c"), "T05thread:2;20:00000000;");
        assert_string_equal(ask(&session, "qC"), "QC2");
    }
    assert_string_equal(ask(&session, "vCont;c"), "W00");
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupting_stops_it),
        cmocka_unit_test(killing_ends_it_also_in_its_last_quantum),
        cmocka_unit_test(an_ebreak_stops_it),
        cmocka_unit_test(a_wrong_pc_is_refused),
        cmocka_unit_test(all_registers_are_written_at_once),
        cmocka_unit_test(after_detaching_it_ends_as_without_a_debugger),
        cmocka_unit_test(who_waits_is_told_with_the_pc_of_now),
        cmocka_unit_test(a_step_that_ends_at_once_has_one_answer),
    };
    return cmocka_run_group_tests_name("gdb, what it does to a program", tests, NULL, NULL);
}
