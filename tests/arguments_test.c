/* Bad arguments of the public functions: null pointers, counts without an array, values that no enum has, sizes that
   leave memory. Each is refused, and ends nothing. tests/errors_test.c has what functions say of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "bhemu/check.h"
#include "bhemu/dump.h"
#include "bhemu/event.h"
#include "bhemu/gdb.h"
#include "bhemu/job.h"
#include "bhemu/log.h"
#include "bhemu/pci.h"
#include "bhemu/print.h"
#include "bhemu/profile.h"
#include "bhemu/system.h"
#include "bhemu/tensor.h"
#include "bhemu/trace.h"

#define FILE_NAME "/tmp/bhemu-arguments-test"

static struct bh_device *device;
static struct bh_check *check;

static int begin(void **context)
{
    assert_int_equal(bh_device_create(NULL, &device), BH_OK);
    return bh_check_open(NULL, &check, NULL);
}

static int end(void **context)
{
    bh_device_destroy(device);
    bh_check_close(check);
    (void)unlink(FILE_NAME);
    return 0;
}

static void take_bytes(void *context, const void *bytes, size_t size) {}
static void on_event(void *context, const struct bh_event *event) {}
static void on_line(void *context, const struct bh_print_line *line) {}

static void null_pointers_end_nothing(void **context)
{
    static const struct bh_check_owned owned = {.x = 1, .y = 2};
    struct bh_check_finding finding = {.rule = "a", .message = "b", .because = "c", .place_count = 1};
    char text[200] = "?";
    assert_int_equal(bh_check_own(NULL, &owned), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_check_own(check, NULL), BH_ERROR_ARGUMENT);
    bh_check_disown(NULL, 1, 2);
    assert_int_equal(bh_check_end(NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_check_stop(NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_check_count(NULL), 0);
    assert_int_equal(bh_check_notes(NULL), 0);
    assert_int_equal(bh_check_format_count(check, NULL, sizeof text), 18);
    assert_false(bh_check_finding(NULL, 0, &finding));
    assert_int_equal(bh_check_untold(NULL), 0);
    assert_int_equal(bh_check_suppressed(NULL), 0);
    assert_true(bh_check_format(NULL, &finding, text, sizeof text) > 20);
    assert_true(bh_check_format(NULL, &finding, NULL, sizeof text) > 20);
    assert_int_equal(bh_check_format(check, NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    text[0] = '?';
    assert_int_equal(bh_print_format(NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    text[0] = '?';
    assert_int_equal(bh_diagnostic_format(NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_true(bh_diagnostic_format(&(struct bh_diagnostic){.text = "a"}, NULL, sizeof text) > 10);
    assert_null(bh_check_observer(NULL));
    assert_null(bh_log_observer(NULL));
    assert_null(bh_trace_observer(NULL));
    assert_null(bh_profile_log_observer(NULL));
    assert_null(bh_ops_report_observer(NULL));
    assert_null(bh_noc_trace_observer(NULL));
    assert_null(bh_profile_observer(NULL));
    assert_null(bh_profile_result(NULL));
    bh_trace_reach(NULL, 1);
    bh_profile_begin(NULL, 1);
    assert_false(bh_job_tiles(NULL, 0, &(struct bh_tiles){}));
    assert_null(bh_job_output_file(NULL, 0));
    assert_int_equal(bh_advance(NULL, 1), BH_RAN_STOPPED);
}

/* Options that can not be. */

static enum bh_status check_open(const void *options, struct bh_error *error)
{
    struct bh_check *opened = NULL;
    enum bh_status status = bh_check_open(options, &opened, error);
    bh_check_close(opened);
    return status;
}

static enum bh_status dump(const void *options, struct bh_error *error)
{
    return bh_dump(device, options, take_bytes, NULL, error);
}

static enum bh_status gdb_open(const void *options, struct bh_error *error)
{
    struct bh_gdb *gdb = NULL;
    enum bh_status status = bh_gdb_open(options, &gdb, error);
    bh_gdb_close(gdb);
    return status;
}

static enum bh_status log_open(const void *options, struct bh_error *error)
{
    struct bh_log *log = NULL;
    enum bh_status status = bh_log_open(FILE_NAME, options, &log, error);
    assert_int_equal(bh_log_close(log, NULL), BH_OK);
    return status;
}

static enum bh_status trace_open(const void *options, struct bh_error *error)
{
    struct bh_trace *trace = NULL;
    enum bh_status status = bh_trace_open(FILE_NAME, options, &trace, error);
    assert_int_equal(bh_trace_close(trace, NULL), BH_OK);
    return status;
}

static enum bh_status profile_log_open(const void *options, struct bh_error *error)
{
    struct bh_profile_log *log = NULL;
    enum bh_status status = bh_profile_log_open(FILE_NAME, options, &log, error);
    assert_int_equal(bh_profile_log_close(log, NULL), BH_OK);
    return status;
}

static enum bh_status profile_open(const void *options, struct bh_error *error)
{
    struct bh_profile *profile = NULL;
    enum bh_status status = bh_profile_open(options, &profile, error);
    bh_profile_close(profile);
    return status;
}

static enum bh_status create_system(const void *topology, struct bh_error *error)
{
    struct bh_system *system = NULL;
    enum bh_status status = bh_system_create(topology, NULL, &system, error);
    bh_system_destroy(system);
    return status;
}

/* bh_job_run() begins with the same check. */
static enum bh_status check_job(const void *options, struct bh_error *error)
{
    struct bh_job *job;
    struct bh_job_result result;
    struct bh_error same = {""};
    assert_int_equal(bh_job_parse("tiles: [{at: [1, 2]}]\n", "job.yaml", &job, error), BH_OK);
    enum bh_status status = bh_job_check(job, options, error);
    assert_int_equal(bh_job_run(job, options, &result, &same), status);
    assert_string_equal(error->text, same.text);
    bh_job_free(job);
    return status;
}

#define OPTIONS(type, ...)                                                                                             \
    &(const struct type)                                                                                               \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define DUMP(...) OPTIONS(bh_dump, .request = "gprs", .tiles = &tile, .tile_count = 1, __VA_ARGS__)
#define JOB(...) OPTIONS(bh_job_options, .policy = -1, __VA_ARGS__)
#define CHIPS(...) OPTIONS(bh_topology, .chip_count = 2, __VA_ARGS__)

static const struct bh_tile tile = {1, 2};
static const char *const nameless[] = {"B", NULL}, *const core[] = {"B"};
static const struct bh_observer *const no_observer[1];
static const struct bh_job_hook *const no_hook[1];
static const struct bh_job_save no_path[1];
static const struct bh_topology_chip chips[] = {{.asic_id = 1}, {.asic_id = 2}};

typedef enum bh_status takes(const void *options, struct bh_error *error);

static const struct {
    takes *call;
    const void *options;
    enum bh_status status;
} rows[] = {
    {check_open, OPTIONS(bh_check_options, .tiles = &tile, .tile_count = 1), BH_OK},
    {check_open, OPTIONS(bh_check_options, .tile_count = 1), BH_ERROR_ARGUMENT},
    {check_open, OPTIONS(bh_check_options, .mode = BH_MODES), BH_ERROR_ARGUMENT},
    {dump, DUMP(.cores = core, .core_count = 1), BH_OK},
    {dump, OPTIONS(bh_dump, .request = "gprs", .tile_count = 1), BH_ERROR_ARGUMENT},
    {dump, DUMP(.core_count = 1), BH_ERROR_ARGUMENT},
    {dump, DUMP(.cores = nameless, .core_count = 2), BH_ERROR_ARGUMENT},
    {dump, DUMP(.form = (enum bh_dump_form)99), BH_ERROR_ARGUMENT},
    {dump, DUMP(.form = (enum bh_dump_form)3), BH_ERROR_ARGUMENT},
    {gdb_open, OPTIONS(bh_gdb_options, .tiles = &tile, .tile_count = 1, .cores = core, .core_count = 1), BH_OK},
    {gdb_open, OPTIONS(bh_gdb_options, .tile_count = 1), BH_ERROR_ARGUMENT},
    {gdb_open, OPTIONS(bh_gdb_options, .core_count = 1), BH_ERROR_ARGUMENT},
    {gdb_open, OPTIONS(bh_gdb_options, .cores = nameless, .core_count = 2), BH_ERROR_ARGUMENT},
    {log_open, OPTIONS(bh_log_options, .tiles = &tile, .tile_count = 1, .cores = core, .core_count = 1), BH_OK},
    {log_open, OPTIONS(bh_log_options, .tile_count = 1), BH_ERROR_ARGUMENT},
    {log_open, OPTIONS(bh_log_options, .core_count = 1), BH_ERROR_ARGUMENT},
    {log_open, OPTIONS(bh_log_options, .cores = nameless, .core_count = 2), BH_ERROR_ARGUMENT},
    {log_open, OPTIONS(bh_log_options, .unit_count = 1), BH_ERROR_ARGUMENT},
    {trace_open, OPTIONS(bh_trace_options, .mode = BH_MODE_TIMED, .cores = core, .core_count = 1), BH_OK},
    {trace_open, OPTIONS(bh_trace_options, .tile_count = 1), BH_ERROR_ARGUMENT},
    {trace_open, OPTIONS(bh_trace_options, .core_count = 1), BH_ERROR_ARGUMENT},
    {trace_open, OPTIONS(bh_trace_options, .unit_count = 1), BH_ERROR_ARGUMENT},
    {trace_open, OPTIONS(bh_trace_options, .mode = (enum bh_mode)99), BH_ERROR_ARGUMENT},
    {profile_log_open, OPTIONS(bh_profiler_options, .tile_count = 1), BH_ERROR_ARGUMENT},
    {profile_open, OPTIONS(bh_profile_options, .mode = BH_MODE_TIMED, .cores = core, .core_count = 1), BH_OK},
    {profile_open, OPTIONS(bh_profile_options, .tile_count = 1), BH_ERROR_ARGUMENT},
    {profile_open, OPTIONS(bh_profile_options, .core_count = 1), BH_ERROR_ARGUMENT},
    {profile_open, OPTIONS(bh_profile_options, .units = nameless + 1, .unit_count = 1), BH_ERROR_ARGUMENT},
    {profile_open, OPTIONS(bh_profile_options, .mode = (enum bh_mode)99), BH_ERROR_ARGUMENT},
    {check_job, JOB(.engine = BH_ENGINE_PLAIN), BH_OK},
    {check_job, JOB(.engine = (enum bh_engine)99), BH_ERROR_ARGUMENT},
    {check_job, JOB(.mode = (enum bh_mode)99), BH_ERROR_ARGUMENT},
    {check_job, OPTIONS(bh_job_options, .policy = 99), BH_ERROR_ARGUMENT},
    {check_job, OPTIONS(bh_job_options, .policy = -2), BH_ERROR_ARGUMENT},
    {check_job, JOB(.observer_count = 1), BH_ERROR_ARGUMENT},
    {check_job, JOB(.observers = no_observer, .observer_count = 1), BH_ERROR_ARGUMENT},
    {check_job, JOB(.hook_count = 1), BH_ERROR_ARGUMENT},
    {check_job, JOB(.hooks = no_hook, .hook_count = 1), BH_ERROR_ARGUMENT},
    {check_job, JOB(.save_count = 1), BH_ERROR_ARGUMENT},
    {check_job, JOB(.saves = no_path, .save_count = 1), BH_ERROR_ARGUMENT},
    {create_system, CHIPS(.chips = chips), BH_OK},
    {create_system, CHIPS(.chips = NULL), BH_ERROR_ARGUMENT},
    {create_system, CHIPS(.chips = chips, .link_count = 1), BH_ERROR_ARGUMENT},
};

static void options_are_refused(void **context)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bh_error error = {""};
        enum bh_status status = rows[i].call(rows[i].options, &error);
        if (status != rows[i].status || !*error.text != (status == BH_OK)) {
            fail_msg("row %u: status %d, \"%s\"", i, (int)status, error.text);
        }
    }
    assert_int_equal(bh_dump_check("gprs", BH_DUMP_JSON, NULL), BH_OK);
    assert_int_equal(bh_dump_check("gprs", (enum bh_dump_form)99, NULL), BH_ERROR_ARGUMENT);
}

static void tensors_are_refused_that_are_too_large(void **context)
{
    static const struct {
        size_t rows, columns;
        enum bh_layout layout;
    } sizes[] = {{SIZE_MAX, SIZE_MAX, BH_ROWS},
                 {(size_t)1 << 32, (size_t)1 << 32, BH_ROWS},
                 {(size_t)1 << 34, (size_t)1 << 34, BH_TILES},
                 {(size_t)1 << 62, 1, BH_ROWS},
                 {1, 1, (enum bh_layout)99}};
    float element = 1;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct bh_array array = {BH_HOST_FLOAT32, sizes[i].rows, sizes[i].columns, &element};
        uint32_t bytes;
        assert_int_equal(bh_tensor_size(BH_FP32, sizes[i].layout, array.rows, array.columns), 0);
        assert_int_equal(bh_tensor_to_device(&array, BH_FP32, sizes[i].layout, &bytes), BH_ERROR_ARGUMENT);
        assert_int_equal(bh_tensor_from_device(&bytes, BH_FP32, sizes[i].layout, &array), BH_ERROR_ARGUMENT);
    }
}

static void what_is_owned_lies_in_memory(void **context)
{
#define TENSIX .x = 1, .y = 2
#define ETHERNET .x = 1, .y = 1
#define DATA .kind = BH_CHECK_DATA, .space = BH_SPACE_LOCAL_RAM
    static const struct {
        struct bh_check_owned owned;
        enum bh_status status;
    } owned[] = {
        {{TENSIX, .space = BH_SPACE_L1, .size = 0x180000}, BH_OK},
        {{TENSIX, .space = BH_SPACE_L1, .address = 4, .size = 0x180000}, BH_ERROR_ARGUMENT},
        {{TENSIX, .space = BH_SPACE_L1, .size = UINT64_MAX}, BH_ERROR_ARGUMENT},
        {{TENSIX, .space = BH_SPACE_L1, .address = UINT64_MAX, .size = 1}, BH_ERROR_ARGUMENT},
        {{TENSIX, .space = BH_SPACE_L1, .kind = (enum bh_check_owned_kind)99}, BH_ERROR_ARGUMENT},
        {{ETHERNET, .space = BH_SPACE_L1, .size = 0x80000}, BH_OK},
        {{ETHERNET, .space = BH_SPACE_L1, .size = 0x80001}, BH_ERROR_ARGUMENT},
        {{.space = BH_SPACE_DRAM, .address = 0xfffffffe, .size = 2}, BH_OK},
        {{.space = BH_SPACE_DRAM, .address = 0xffffffff, .size = 2}, BH_ERROR_ARGUMENT},
        {{TENSIX, DATA, .cores = 1 << BH_CORE_B, .address = 0xffb00000, .size = 0x2000}, BH_OK},
        {{TENSIX, DATA, .cores = 1 << BH_CORE_T1, .address = 0xffb00000, .size = 0x1001}, BH_ERROR_ARGUMENT},
        {{TENSIX, DATA, .cores = 1 << BH_CORE_B, .size = 4}, BH_ERROR_ARGUMENT},
    };
    for (unsigned i = 0; i < sizeof owned / sizeof *owned; i++) {
        enum bh_status status = bh_check_own(check, &owned[i].owned);
        if (status != owned[i].status) {
            fail_msg("row %u: status %d", i, (int)status);
        }
    }
}

/* Devices. */

static void reads_that_are_refused_transfer_nothing(void **context)
{
    static const struct {
        unsigned x, y;
        uint64_t address;
        uint32_t size;
    } reads[] = {
        {1, 2, 0x17fffc, 8},        /* leaves L1 of a Tensix tile, */
        {1, 2, 0x200000, 4},        /* nothing there, */
        {1, 2, 0xffb12000, 3},      /* no whole word, */
        {1, 2, 0xffb11000, 0x2000}, /* words, of which not all are mapped */
        {20, 25, 0x7fffc, 8},       /* the same of an Ethernet tile */
        {20, 25, 0xffb12001, 4},
        {20, 25, UINT64_MAX - 3, 4},
        {8, 0, 0x20000000, 4}, /* of the ARC tile */
        {8, 0, 0x80000000, 4},
        {8, 0, 0xfffffff, 1024},
        {17, 12, 0xfffffffc, 8}, /* DRAM */
        {19, 24, 0, 4},          /* PCIe: the host's memory, and no callback */
        {19, 24, UINT64_MAX, 4},
    };
    static uint8_t bytes[0x2000];
    for (unsigned i = 0; i < sizeof reads / sizeof *reads; i++) {
        memset(bytes, 0xa5, sizeof bytes);
        enum bh_status status = bh_read(device, reads[i].x, reads[i].y, reads[i].address, bytes, reads[i].size);
        for (unsigned at = 0; at < sizeof bytes; at++) {
            if (status == BH_OK || bytes[at] != 0xa5) {
                fail_msg("row %u: status %d, byte %u is 0x%02x", i, (int)status, at, bytes[at]);
            }
        }
    }
    uint32_t word = 0xa5a5a5a5;
    assert_int_equal(bh_pci_config_read(device, 1, &word), BH_ERROR_ADDRESS);
    assert_int_equal(bh_pci_config_read(device, 0x800, &word), BH_ERROR_ADDRESS);
    assert_int_equal(word, 0xa5a5a5a5);
}

static void a_chip_goes_with_its_system(void **context)
{
    struct bh_topology *topology;
    struct bh_system *system;
    assert_int_equal(bh_topology_by_name("x2", &topology), BH_OK);
    assert_int_equal(bh_system_create(topology, NULL, &system, NULL), BH_OK);
    bh_topology_destroy(topology);
    bh_device_destroy(bh_system_chip(system, 0));
    assert_int_equal(bh_system_run(system, 1000, NULL), BH_OK);
    assert_int_equal(bh_system_advance(system, UINT64_MAX), BH_RAN_IDLE);
    assert_int_equal(bh_system_advance(system, UINT64_MAX), BH_RAN_IDLE);
    assert_in_range(bh_system_clock(system) - (UINT64_C(1) << 53), 0, 1000); /* to the end of an epoch */
    bh_system_destroy(system);
}

static void clocks_do_not_wrap(void **context)
{
    enum { JUMP_TO_ITSELF = 0x6f };
    const uint32_t words[] = {0x00128293, JUMP_TO_ITSELF};
    struct bh_device *old;
    struct bh_run_result result;
    for (enum bh_mode mode = 0; mode < BH_MODES; mode++) {
        assert_int_equal(bh_device_create(&(struct bh_device_config){.mode = mode}, &old), BH_OK);
        assert_int_equal(bh_advance(old, UINT64_MAX), BH_RAN_IDLE);
        bh_pass(old, UINT64_MAX);
        assert_int_equal(bh_clock(old), UINT64_C(1) << 53);
        assert_int_equal(bh_write(old, 1, 2, 0x1000, words, sizeof words), BH_OK);
        assert_int_equal(bh_core_start(old, 1, 2, BH_CORE_T0, 0x1000), BH_OK);
        assert_int_equal(bh_run(old, 1000, &result), BH_OK);
        assert_int_equal(result.reason, BH_RAN_IDLE);
        assert_int_equal(result.riscv_instructions, 1);
        bh_device_destroy(old);
    }
}

static void tiles_that_the_board_leaves_out_are_none(void **context)
{
    static const struct bh_tile there[] = {{1, 2}, {14, 2}, {20, 25}, {17, 12}},
                                left_out[] = {{15, 2}, {16, 11}, {31, 25}, {18, 23}, {32, 2}};
    const struct bh_tiles tiles = {.tensix_columns = 0xfff, .ethernet = 0x3ff, .dram = 0x7f};
    const struct bh_device_config config = {.board = BH_BOARD_P150A, .tiles = &tiles};
    struct bh_observer observer = {.kinds = BH_EVENT_ALL, .tile_count = 1, .on_event = on_event};
    struct bh_device *part;
    struct bh_print *print;
    assert_int_equal(bh_device_create(&config, &part), BH_OK);
    for (unsigned i = 0; i < sizeof there / sizeof *there; i++) {
        observer.tiles = &there[i];
        assert_int_equal(bh_device_add_observer(part, &observer), BH_OK);
        assert_int_equal(bh_device_remove_observer(part, &observer), BH_OK);
    }
    for (unsigned i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        observer.tiles = &left_out[i];
        assert_int_equal(bh_device_add_observer(part, &observer), BH_ERROR_ARGUMENT);
    }
    assert_int_equal(bh_print_open(part, &(struct bh_print_options){.on_line = on_line}, &print), BH_OK);
    assert_int_equal(bh_print_add(print, 14, 2, BH_CORE_B, BH_PRINT_ADDRESS), BH_OK);
    assert_int_equal(bh_print_add(print, 15, 2, BH_CORE_B, BH_PRINT_ADDRESS), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_print_add_all(print, 16, 2), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_print_add_all(print, 0, 0), BH_OK);
    bh_print_close(print);
    bh_device_destroy(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_pointers_end_nothing),
        cmocka_unit_test(options_are_refused),
        cmocka_unit_test(tensors_are_refused_that_are_too_large),
        cmocka_unit_test(what_is_owned_lies_in_memory),
        cmocka_unit_test(reads_that_are_refused_transfer_nothing),
        cmocka_unit_test(a_chip_goes_with_its_system),
        cmocka_unit_test(clocks_do_not_wrap),
        cmocka_unit_test(tiles_that_the_board_leaves_out_are_none),
    };
    return cmocka_run_group_tests_name("arguments", tests, begin, end);
}
