/* Functions of the library that take a struct bh_error fill it whenever they fail: each of include/bhemu/ has a row
   here, and most have one for each kind of argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bhemu/check.h"
#include "bhemu/dump.h"
#include "bhemu/gdb.h"
#include "bhemu/job.h"
#include "bhemu/log.h"
#include "bhemu/profile.h"
#include "bhemu/program.h"
#include "bhemu/snapshot.h"
#include "bhemu/symbols.h"
#include "bhemu/system.h"
#include "bhemu/trace.h"

#define NOWHERE "/no/such/folder/file"
#define FULL "/dev/full"

static struct bh_device *device;

typedef enum bh_status called(struct bh_error *error);

/* Checkers, dumps and debuggers. */

static enum bh_status check_nowhere(struct bh_error *error)
{
    return bh_check_open(NULL, NULL, error);
}

static enum bh_status check_with_another_tool(struct bh_error *error)
{
    struct bh_check *check;
    return bh_check_open(&(struct bh_check_options){.tools = 1u << 31}, &check, error);
}

static enum bh_status suppress_without_a_checker(struct bh_error *error)
{
    return bh_check_suppress(NULL, "race", error);
}

static enum bh_status write_no_checker(struct bh_error *error)
{
    return bh_check_write(NULL, NOWHERE, error);
}

static enum bh_status with_check(enum bh_status (*call)(struct bh_check *check, struct bh_error *error),
                                 struct bh_error *error)
{
    struct bh_check *check;
    assert_int_equal(bh_check_open(NULL, &check, NULL), BH_OK);
    enum bh_status status = call(check, error);
    bh_check_close(check);
    return status;
}

static enum bh_status suppress_nonsense_of(struct bh_check *check, struct bh_error *error)
{
    return bh_check_suppress(check, "one two three", error);
}

static enum bh_status suppress_nonsense(struct bh_error *error)
{
    return with_check(suppress_nonsense_of, error);
}

static enum bh_status write_check_nowhere_of(struct bh_check *check, struct bh_error *error)
{
    return bh_check_write(check, NOWHERE, error);
}

static enum bh_status write_check_nowhere(struct bh_error *error)
{
    return with_check(write_check_nowhere_of, error);
}

static enum bh_status own_no_job_of(struct bh_check *check, struct bh_error *error)
{
    return bh_job_own(NULL, 0, check, error);
}

static enum bh_status own_no_job(struct bh_error *error)
{
    return with_check(own_no_job_of, error);
}

static void take_bytes(void *context, const void *bytes, size_t size) {}
static void take_text(void *context, const char *text) {}

static enum bh_status dump_no_device(struct bh_error *error)
{
    return bh_dump(NULL, &(struct bh_dump){.request = "dst"}, take_bytes, NULL, error);
}

static enum bh_status dump_nonsense(struct bh_error *error)
{
    return bh_dump(device, &(struct bh_dump){.request = "nonsense"}, take_bytes, NULL, error);
}

static enum bh_status dump_text_nowhere(struct bh_error *error)
{
    return bh_dump_text(device, 1, 2, "dst", NULL, NULL, error);
}

static enum bh_status dump_text_of_no_tile(struct bh_error *error)
{
    return bh_dump_text(device, 1000, 2, "dst", take_text, NULL, error);
}

static enum bh_status dump_check_nothing(struct bh_error *error)
{
    return bh_dump_check(NULL, BH_DUMP_TEXT, error);
}

static enum bh_status gdb_without_options(struct bh_error *error)
{
    return bh_gdb_open(NULL, NULL, error);
}

static enum bh_status gdb_attach_nothing(struct bh_error *error)
{
    return bh_gdb_attach(NULL, device, error);
}

/* Jobs and files. */

static enum bh_status load_no_job(struct bh_error *error)
{
    struct bh_job *job;
    return bh_job_load(NULL, &job, error);
}

static enum bh_status load_job_from_nowhere(struct bh_error *error)
{
    struct bh_job *job;
    return bh_job_load(NOWHERE, &job, error);
}

static enum bh_status parse_nothing(struct bh_error *error)
{
    struct bh_job *job;
    return bh_job_parse(NULL, "job.yaml", &job, error);
}

static enum bh_status parse_nonsense(struct bh_error *error)
{
    struct bh_job *job;
    return bh_job_parse("nonsense: 1\n", "job.yaml", &job, error);
}

static enum bh_status check_no_job(struct bh_error *error)
{
    return bh_job_check(NULL, NULL, error);
}

static enum bh_status run_no_job(struct bh_error *error)
{
    struct bh_job_result result;
    return bh_job_run(NULL, NULL, &result, error);
}

static enum bh_status load_no_elf(struct bh_error *error)
{
    return bh_load_elf(device, 1, 2, BH_CORE_B, NULL, NULL, error);
}

static enum bh_status load_elf_from_nowhere(struct bh_error *error)
{
    return bh_load_elf(device, 1, 2, BH_CORE_B, NOWHERE, NULL, error);
}

static enum bh_status restore_no_snapshot(struct bh_error *error)
{
    return bh_snapshot_restore(device, NULL, error);
}

static enum bh_status save_nothing(struct bh_error *error)
{
    return bh_save(NULL, NOWHERE, error);
}

static enum bh_status save_nowhere(struct bh_error *error)
{
    return bh_save(device, NOWHERE, error);
}

static enum bh_status restore_from_nowhere(struct bh_error *error)
{
    return bh_restore(device, NOWHERE, error);
}

static enum bh_status symbols_of_no_folders(struct bh_error *error)
{
    struct bh_symbols *symbols;
    return bh_symbols_open(NULL, &symbols, error);
}

static enum bh_status symbols_from_nowhere(struct bh_error *error)
{
    struct bh_symbols *symbols;
    return bh_symbols_open(NOWHERE, &symbols, error);
}

/* Observers that write files. */

static enum bh_status log_nowhere(struct bh_error *error)
{
    struct bh_log *log;
    return bh_log_open(NOWHERE, NULL, &log, error);
}

static enum bh_status log_of_no_path(struct bh_error *error)
{
    struct bh_log *log;
    return bh_log_open(NULL, NULL, &log, error);
}

/* Gives the log something that does not fit. */
static void tell(const struct bh_observer *observer)
{
    enum { AT = 0x1000, ADDI = 0x00128293, JUMP_BACK = 0xffdff06f };
    const uint32_t words[] = {ADDI, JUMP_BACK};
    assert_int_equal(bh_device_add_observer(device, observer), BH_OK);
    assert_int_equal(bh_write(device, 1, 2, AT, words, sizeof words), BH_OK);
    assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_B, AT), BH_OK);
    assert_int_equal(bh_run(device, 100, NULL), BH_OK);
    assert_int_equal(bh_core_stop(device, 1, 2, BH_CORE_B), BH_OK);
    assert_int_equal(bh_device_remove_observer(device, observer), BH_OK);
}

static enum bh_status close_full_log(struct bh_error *error)
{
    struct bh_log *log;
    assert_int_equal(bh_log_open(FULL, NULL, &log, NULL), BH_OK);
    tell(bh_log_observer(log));
    return bh_log_close(log, error);
}

static enum bh_status trace_nowhere(struct bh_error *error)
{
    struct bh_trace *trace;
    return bh_trace_open(NOWHERE, NULL, &trace, error);
}

static enum bh_status close_full_trace(struct bh_error *error)
{
    struct bh_trace *trace;
    assert_int_equal(bh_trace_open(FULL, NULL, &trace, NULL), BH_OK);
    return bh_trace_close(trace, error);
}

static enum bh_status profile_log_nowhere(struct bh_error *error)
{
    struct bh_profile_log *log;
    return bh_profile_log_open(NOWHERE, NULL, &log, error);
}

static enum bh_status close_full_profile_log(struct bh_error *error)
{
    struct bh_profile_log *log;
    assert_int_equal(bh_profile_log_open(FULL, NULL, &log, NULL), BH_OK);
    return bh_profile_log_close(log, error);
}

static enum bh_status ops_report_nowhere(struct bh_error *error)
{
    struct bh_ops_report *report;
    return bh_ops_report_open(NOWHERE, NULL, &report, error);
}

static enum bh_status close_full_ops_report(struct bh_error *error)
{
    struct bh_ops_report *report;
    assert_int_equal(bh_ops_report_open(FULL, NULL, &report, NULL), BH_OK);
    return bh_ops_report_close(report, error);
}

static enum bh_status noc_trace_nowhere(struct bh_error *error)
{
    struct bh_noc_trace *trace;
    return bh_noc_trace_open(NOWHERE, NULL, &trace, error);
}

static enum bh_status close_noc_trace_without_its_folder(struct bh_error *error)
{
    char folder[] = "/tmp/bhemu-errors-XXXXXX";
    struct bh_noc_trace *trace;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(bh_noc_trace_open(folder, NULL, &trace, NULL), BH_OK);
    assert_int_equal(rmdir(folder), 0);
    return bh_noc_trace_close(trace, error);
}

static enum bh_status profile_to_before_from(struct bh_error *error)
{
    struct bh_profile *profile;
    return bh_profile_open(&(struct bh_profile_options){.from = 2, .to = 1}, &profile, error);
}

static enum bh_status sample_no_profile(struct bh_error *error)
{
    return bh_profile_sample(NULL, device, error);
}

static enum bh_status end_no_profile(struct bh_error *error)
{
    return bh_profile_end(NULL, 0, error);
}

static enum bh_status write_no_profile(struct bh_error *error)
{
    return bh_profile_write(NULL, BH_PROFILE_TEXT, NOWHERE, error);
}

/* Systems. */

static enum bh_status load_topology_from_nowhere(struct bh_error *error)
{
    struct bh_topology *topology;
    return bh_topology_load(NOWHERE, &topology, error);
}

static enum bh_status connect_nowhere(struct bh_error *error)
{
    struct bh_system *system;
    return bh_system_connect("unix:" NOWHERE, NULL, &system, error);
}

static enum bh_status connect_without_a_place(struct bh_error *error)
{
    return bh_system_connect("unix:" NOWHERE, NULL, NULL, error);
}

static enum bh_status create(const struct bh_system_config *config, const struct bh_tiles *tiles,
                             struct bh_error *error)
{
    struct bh_topology *topology;
    struct bh_system *system;
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    if (tiles) {
        bh_topology_set_board(topology, BH_BOARD_FULL, tiles);
    }
    enum bh_status status = bh_system_create(topology, config, &system, error);
    assert_null(system);
    bh_topology_destroy(topology);
    return status;
}

static enum bh_status create_without_a_topology(struct bh_error *error)
{
    struct bh_system *system;
    return bh_system_create(NULL, NULL, &system, error);
}

static enum bh_status create_without_a_place(struct bh_error *error)
{
    struct bh_topology *topology;
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    enum bh_status status = bh_system_create(topology, NULL, NULL, error);
    bh_topology_destroy(topology);
    return status;
}

static enum bh_status create_with_short_links(struct bh_error *error)
{
    return create(&(struct bh_system_config){.latency = 1}, NULL, error);
}

static enum bh_status create_with_long_links(struct bh_error *error)
{
    return create(&(struct bh_system_config){.latency = 1000 * 1000}, NULL, error);
}

static enum bh_status create_with_another_policy(struct bh_error *error)
{
    return create(&(struct bh_system_config){.device = {.policy = (enum bh_policy_preset)77}}, NULL, error);
}

static enum bh_status create_in_another_mode(struct bh_error *error)
{
    return create(&(struct bh_system_config){.device = {.mode = BH_MODES}}, NULL, error);
}

static enum bh_status create_without_tiles(struct bh_error *error)
{
    return create(NULL, &(struct bh_tiles){.ethernet = 0x3fff, .dram = 1}, error);
}

static const struct {
    const char *function;
    called *call;
    enum bh_status status;
} rows[] = {
    {"bh_check_open", check_nowhere, BH_ERROR_ARGUMENT},
    {"bh_check_open", check_with_another_tool, BH_ERROR_ARGUMENT},
    {"bh_check_suppress", suppress_without_a_checker, BH_ERROR_ARGUMENT},
    {"bh_check_suppress", suppress_nonsense, BH_ERROR_FORMAT},
    {"bh_check_write", write_no_checker, BH_ERROR_ARGUMENT},
    {"bh_check_write", write_check_nowhere, BH_ERROR_IO},
    {"bh_dump", dump_no_device, BH_ERROR_ARGUMENT},
    {"bh_dump", dump_nonsense, BH_ERROR_ARGUMENT},
    {"bh_dump_text", dump_text_nowhere, BH_ERROR_ARGUMENT},
    {"bh_dump_text", dump_text_of_no_tile, BH_ERROR_ARGUMENT},
    {"bh_dump_check", dump_check_nothing, BH_ERROR_ARGUMENT},
    {"bh_gdb_open", gdb_without_options, BH_ERROR_ARGUMENT},
    {"bh_gdb_attach", gdb_attach_nothing, BH_ERROR_ARGUMENT},
    {"bh_job_load", load_no_job, BH_ERROR_ARGUMENT},
    {"bh_job_load", load_job_from_nowhere, BH_ERROR_IO},
    {"bh_job_parse", parse_nothing, BH_ERROR_ARGUMENT},
    {"bh_job_parse", parse_nonsense, BH_ERROR_FORMAT},
    {"bh_job_check", check_no_job, BH_ERROR_ARGUMENT},
    {"bh_job_run", run_no_job, BH_ERROR_ARGUMENT},
    {"bh_job_own", own_no_job, BH_ERROR_ARGUMENT},
    {"bh_load_elf", load_no_elf, BH_ERROR_ARGUMENT},
    {"bh_load_elf", load_elf_from_nowhere, BH_ERROR_IO},
    {"bh_snapshot_restore", restore_no_snapshot, BH_ERROR_ARGUMENT},
    {"bh_save", save_nothing, BH_ERROR_ARGUMENT},
    {"bh_save", save_nowhere, BH_ERROR_IO},
    {"bh_restore", restore_from_nowhere, BH_ERROR_IO},
    {"bh_symbols_open", symbols_of_no_folders, BH_ERROR_ARGUMENT},
    {"bh_symbols_open", symbols_from_nowhere, BH_ERROR_IO},
    {"bh_log_open", log_of_no_path, BH_ERROR_ARGUMENT},
    {"bh_log_open", log_nowhere, BH_ERROR_IO},
    {"bh_log_close", close_full_log, BH_ERROR_IO},
    {"bh_trace_open", trace_nowhere, BH_ERROR_IO},
    {"bh_trace_close", close_full_trace, BH_ERROR_IO},
    {"bh_profile_log_open", profile_log_nowhere, BH_ERROR_IO},
    {"bh_profile_log_close", close_full_profile_log, BH_ERROR_IO},
    {"bh_ops_report_open", ops_report_nowhere, BH_ERROR_IO},
    {"bh_ops_report_close", close_full_ops_report, BH_ERROR_IO},
    {"bh_noc_trace_open", noc_trace_nowhere, BH_ERROR_IO},
    {"bh_noc_trace_close", close_noc_trace_without_its_folder, BH_ERROR_IO},
    {"bh_profile_open", profile_to_before_from, BH_ERROR_ARGUMENT},
    {"bh_profile_sample", sample_no_profile, BH_ERROR_ARGUMENT},
    {"bh_profile_end", end_no_profile, BH_ERROR_ARGUMENT},
    {"bh_profile_write", write_no_profile, BH_ERROR_ARGUMENT},
    {"bh_topology_load", load_topology_from_nowhere, BH_ERROR_IO},
    {"bh_system_connect", connect_nowhere, BH_ERROR_IO},
    {"bh_system_connect", connect_without_a_place, BH_ERROR_ARGUMENT},
    {"bh_system_create", create_without_a_topology, BH_ERROR_ARGUMENT},
    {"bh_system_create", create_without_a_place, BH_ERROR_ARGUMENT},
    {"bh_system_create", create_with_short_links, BH_ERROR_ARGUMENT},
    {"bh_system_create", create_with_long_links, BH_ERROR_ARGUMENT},
    {"bh_system_create", create_with_another_policy, BH_ERROR_ARGUMENT},
    {"bh_system_create", create_in_another_mode, BH_ERROR_ARGUMENT},
    {"bh_system_create", create_without_tiles, BH_ERROR_ARGUMENT},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void errors_say_what_is_wrong(void **context)
{
    assert_int_equal(bh_device_create(NULL, &device), BH_OK);
    for (unsigned i = 0; i < ROWS; i++) {
        struct bh_error error = {""};
        enum bh_status status = rows[i].call(&error);
        if (status != rows[i].status || !*error.text || strchr(error.text, '\n') || strstr(error.text, "(null)")) {
            fail_msg("row %u, %s: status %d, \"%s\"", i, rows[i].function, (int)status, error.text);
        }
        assert_int_equal(rows[i].call(NULL), status);
    }
    bh_device_destroy(device);
}

/* All functions of a header that take an error. */
static unsigned look_for_rows(const char *text)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, "BH_API ")); at++) {
        const char *end = strchr(at, ';'), *open = strchr(at, '('), *name = open;
        const char *takes = strstr(at, "struct bh_error *error");
        if (!takes || takes > end) {
            continue;
        }
        while (name[-1] != ' ' && name[-1] != '*') {
            name--;
        }
        bool found = false;
        for (unsigned i = 0; i < ROWS; i++) {
            size_t length = (size_t)(open - name);
            found |= strlen(rows[i].function) == length && !strncmp(rows[i].function, name, length);
        }
        if (!found) {
            fail_msg("there is no row for %.*s()", (int)(open - name), name);
        }
        count++;
    }
    return count;
}

static void all_functions_have_a_row(void **context)
{
    static char text[200000];
    glob_t headers;
    unsigned count = 0;
    assert_int_equal(glob(BHEMU_SOURCE_DIR "/include/bhemu/*.h", 0, NULL, &headers), 0);
    for (size_t i = 0; i < headers.gl_pathc; i++) {
        FILE *file = fopen(headers.gl_pathv[i], "r");
        assert_non_null(file);
        size_t size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        assert_in_range(size, 1, sizeof text - 2);
        text[size] = 0;
        count += look_for_rows(text);
    }
    globfree(&headers);
    assert_in_range(count, 30, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_say_what_is_wrong),
        cmocka_unit_test(all_functions_have_a_row),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
