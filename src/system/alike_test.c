/* Chips that hang alike share a report, in one process and for a host of several. */
#include "system/nodes_fixture.h"
#include "system/programs.h"

enum { MOST = 8 };

struct reports {
    unsigned count;
    struct bh_diagnostic told[MOST];
};

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct reports *reports = context;
    assert_in_range(reports->count, 0, MOST - 1);
    reports->told[reports->count++] = *diagnostic;
}

/* E1 of channel 0 waits for a word that nobody writes; on chip 2 for another one. */
static void start_waiting(struct bh_system *system)
{
    for (unsigned chip = 0; chip < bh_system_chip_count(system); chip++) {
        struct code code = {.count = 0};
        emit_wait(&code, chip == 2 ? 0x11000 : 0x10000, 1);
        start(system, chip, 0, &code);
    }
}

static void assert_told(const struct reports *reports, unsigned i, enum bh_action action, unsigned chip,
                        const char *others)
{
    const struct bh_diagnostic *told = &reports->told[i];
    const char *more = strstr(told->text, " like chip ");
    assert_int_equal(told->category, BH_DEADLOCK);
    assert_int_equal(told->action, action);
    assert_int_equal(told->chip, chip);
    assert_true((more != NULL) == (others != NULL));
    assert_true(!others || strstr(told->text, others));
}

static void report_and_run(struct bh_system *system, struct reports *reports)
{
    start_waiting(system);
    assert_int_equal(bh_system_run(system, 5000, NULL), BH_OK);
    bh_system_report(system);
    assert_int_equal(reports->count, 1);
    assert_told(reports, 0, BH_WARN, 0, "\n  3 more chips like chip 0: 1, 2, 3");
    assert_non_null(strstr(reports->told[0].text, "runs"));
    reports->count = 0;
    assert_int_equal(bh_system_run(system, 10 * 1000 * 1000, NULL), BH_ERROR_STOPPED);
    assert_int_equal(reports->count, 2);
    assert_told(reports, 0, BH_STOP, 0, "\n  2 more chips like chip 0: 1, 3");
    assert_told(reports, 1, BH_STOP, 2, NULL);
    assert_non_null(strstr(reports->told[1].text, "polls 0x00011000 in L1"));
    bh_system_destroy(system);
}

static void chips_that_hang_alike_share_a_report(void **context)
{
    struct reports *reports = calloc(1, sizeof *reports);
    const struct bh_system_config config = {.device = {.on_diagnostic = on_diagnostic, .context = reports}};
    struct bh_topology *topology;
    struct bh_system *system;
    assert_int_equal(bh_topology_by_name("x4", &topology), BH_OK);
    assert_int_equal(bh_system_create(topology, &config, &system, NULL), BH_OK);
    report_and_run(system, reports);
    bh_topology_destroy(topology);
    free(reports);
}

/* Whichever process has a chip. */
static void hosts_of_several_processes_get_the_same(void **context)
{
    for (unsigned ranks = 1; ranks <= 3; ranks++) {
        struct reports *reports = calloc(1, sizeof *reports);
        const struct bh_system_config config = {.device = {.on_diagnostic = on_diagnostic, .context = reports}};
        struct fixture_nodes nodes = {.ranks = 0};
        struct bh_topology *topology;
        struct bh_system *system;
        struct bh_error error = {""};
        assert_int_equal(bh_topology_by_name("x4", &topology), BH_OK);
        for (unsigned chip = 0; chip < 4; chip++) {
            nodes.owner[chip] = (uint16_t)((chip + 1) % ranks);
        }
        fixture_start(&nodes, ranks, &(struct serve_options){.topology = topology});
        assert_int_equal(bh_system_connect(nodes.addresses[0], &config, &system, &error), BH_OK);
        report_and_run(system, reports);
        assert_int_equal(fixture_end(&nodes), 0);
        bh_topology_destroy(topology);
        free(reports);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chips_that_hang_alike_share_a_report),
        cmocka_unit_test(hosts_of_several_processes_get_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
