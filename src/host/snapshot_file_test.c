/* Files of snapshots: what is truncated, altered, or of another device is refused, and then the device is as before. */
#include "../../tests/snapshot_compare.h"
#include "chip/programs_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "host/snapshot_file.h"
#include "util/sanitized.h"

enum { HEADER_SIZE = 48, SECTION = 24, VERSION_AT = 8 };

struct fixture {
    struct bh_device *device, *other; /* one in the middle of programs; one to which nothing has happened */
    struct bh_snapshot *before;       /* of the second one */
    char path[40];
    uint8_t *bytes; /* of the file of the first one */
    size_t size;
};

static struct bh_device *create(enum bh_mode mode, enum bh_board board)
{
    struct bh_device_config config = {.mode = mode, .board = board};
    struct bh_device *device;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    return device;
}

static void write_file(const struct fixture *fixture, const uint8_t *bytes, size_t size)
{
    int file = open(fixture->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    close(file);
}

static void read_file_again(struct fixture *fixture)
{
    struct stat about;
    int file = open(fixture->path, O_RDONLY);
    assert_int_equal(fstat(file, &about), 0);
    free(fixture->bytes);
    fixture->size = (size_t)about.st_size;
    fixture->bytes = malloc(fixture->size);
    assert_int_equal(read(file, fixture->bytes, fixture->size), fixture->size);
    close(file);
}

static int set_up_mode(void **context, enum bh_mode mode)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_error error = {};
    uint32_t words[4] = {1, 2, 3, 4};
    *context = fixture;
    strcpy(fixture->path, "/tmp/bhemu-snapshot-XXXXXX");
    close(mkstemp(fixture->path));
    fixture->device = create(mode, BH_BOARD_FULL);
    fixture->other = create(mode, BH_BOARD_FULL);
    random_state = 3;
    start_programs(fixture->device, 3);
    assert_int_equal(bh_write(fixture->device, 17, 12, 0x12345600, words, sizeof words), BH_OK);
    assert_int_equal(bh_read(fixture->device, 20, 25, 0x1000, words, sizeof words), BH_OK);
    assert_int_equal(bh_read(fixture->device, 8, 0, 0x80030434, words, 4), BH_OK);
    assert_int_equal(bh_run(fixture->device, 2000, NULL), BH_OK);
    assert_int_equal(bh_write(fixture->other, 1, 2, 0x5000, words, sizeof words), BH_OK);
    assert_int_equal(bh_run(fixture->other, 100, NULL), BH_OK);
    assert_int_equal(bh_snapshot_take(fixture->other, &fixture->before), BH_OK);
    assert_int_equal(bh_save(fixture->device, fixture->path, &error), BH_OK);
    read_file_again(fixture);
    return 0;
}

static int set_up(void **context)
{
    return set_up_mode(context, BH_MODE_FUNCTIONAL);
}

static int set_up_timed(void **context)
{
    return set_up_mode(context, BH_MODE_TIMED);
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    bh_snapshot_free(fixture->before);
    bh_device_destroy(fixture->device);
    bh_device_destroy(fixture->other);
    unlink(fixture->path);
    free(fixture->bytes);
    free(fixture);
    return 0;
}

/* Whether a device is as it was when a snapshot was taken. */
static bool is_as(struct bh_device *device, const struct bh_snapshot *then)
{
    struct bh_snapshot *now;
    assert_int_equal(bh_snapshot_take(device, &now), BH_OK);
    bool same = now->size == then->size && memcmp(now->bytes, then->bytes, then->size) == 0;
    bh_snapshot_free(now);
    return same;
}

/* Asserts that the file is refused, for a reason with these words, and that the device is as before. */
static void assert_refused(struct fixture *fixture, const char *why)
{
    struct bh_error error = {};
    assert_int_equal(bh_restore(fixture->other, fixture->path, &error), BH_ERROR_FORMAT);
    if (!strstr(error.text, why) || !strstr(error.text, fixture->path)) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
    }
    assert_true(is_as(fixture->other, fixture->before));
}

static void files_give_back_what_was_saved(void **context)
{
    struct fixture *fixture = *context;
    struct bh_snapshot *first, *second;
    struct bh_error error = {};
    char text[200];
    assert_int_equal(bh_restore(fixture->other, fixture->path, &error), BH_OK);
    assert_int_equal(bh_run(fixture->device, 3000, NULL), BH_OK);
    assert_int_equal(bh_run(fixture->other, 3000, NULL), BH_OK);
    assert_int_equal(bh_snapshot_take(fixture->device, &first), BH_OK);
    assert_int_equal(bh_snapshot_take(fixture->other, &second), BH_OK);
    assert_true(snapshots_are_same(first, second, text, sizeof text));
    bh_snapshot_free(first);
    bh_snapshot_free(second);
}

static void a_restored_device_is_saved_as_the_same_bytes(void **context)
{
    struct fixture *fixture = *context;
    struct bh_error error = {};
    uint8_t *first = malloc(fixture->size);
    size_t size = fixture->size;
    memcpy(first, fixture->bytes, size);
    assert_int_equal(bh_restore(fixture->other, fixture->path, &error), BH_OK);
    assert_int_equal(bh_save(fixture->other, fixture->path, &error), BH_OK);
    read_file_again(fixture);
    assert_int_equal(fixture->size, size);
    assert_memory_equal(fixture->bytes, first, size);
    free(first);
}

static void truncated_files_are_refused(void **context)
{
    struct fixture *fixture = *context;
    for (size_t size = 0; size < fixture->size; size += size < HEADER_SIZE + 4 ? 1 : fixture->size / 50) {
        write_file(fixture, fixture->bytes, size);
        assert_refused(fixture, size ? "truncated" : "is truncated: its header");
    }
    write_file(fixture, fixture->bytes, fixture->size - 1);
    assert_refused(fixture, "it is truncated");
}

static void altered_files_are_refused(void **context)
{
    struct fixture *fixture = *context;
    random_state = 5;
    for (unsigned i = 0; i < 400; i += STRIDE_IF_SANITIZED(4)) {
        uint32_t bit = i < 8 * HEADER_SIZE ? i : below((uint32_t)(8 * fixture->size));
        fixture->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        write_file(fixture, fixture->bytes, fixture->size);
        assert_refused(fixture, "is not restored");
        fixture->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (unsigned i = 0; i < 50; i++) {
        uint32_t bit = below((uint32_t)(8 * fixture->size));
        fixture->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        write_file(fixture, fixture->bytes, fixture->size);
        assert_refused(fixture, bit < 64 ? "it is no snapshot" : "i");
        fixture->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void other_files_are_refused(void **context)
{
    struct fixture *fixture = *context;
    struct bh_error error = {};
    write_file(fixture, (const uint8_t *)"%YAML 1.2\n---\nlimit: 1000 # and so on and so on and so on", 56);
    assert_refused(fixture, "it is no snapshot");
    fixture->bytes[VERSION_AT] += 1;
    write_file(fixture, fixture->bytes, fixture->size);
    assert_refused(fixture, "of the format; this is a bhemu of version");
    fixture->bytes[VERSION_AT] -= 1;
    fixture->bytes = realloc(fixture->bytes, fixture->size + 1);
    fixture->bytes[fixture->size] = 0;
    write_file(fixture, fixture->bytes, fixture->size + 1);
    assert_refused(fixture, "there is more behind its end");
    assert_int_equal(bh_restore(fixture->other, "/tmp", &error), BH_ERROR_IO);
    assert_int_equal(bh_restore(fixture->other, "/tmp/there/is/none", &error), BH_ERROR_IO);
    assert_non_null(strstr(error.text, "/tmp/there/is/none"));
    assert_int_equal(bh_save(fixture->other, "/tmp/there/is/none", &error), BH_ERROR_IO);
    assert_int_equal(bh_restore(NULL, fixture->path, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_save(fixture->other, NULL, NULL), BH_ERROR_ARGUMENT);
    assert_true(is_as(fixture->other, fixture->before));
}

static void other_devices_refuse(struct fixture *fixture, enum bh_mode mode, enum bh_board board, const char *why)
{
    struct bh_snapshot *taken;
    struct bh_error error = {};
    bh_device_destroy(fixture->other);
    bh_snapshot_free(fixture->before);
    fixture->other = create(mode, board);
    assert_int_equal(bh_snapshot_take(fixture->other, &fixture->before), BH_OK);
    assert_refused(fixture, why);
    assert_int_equal(bh_snapshot_take(fixture->device, &taken), BH_OK);
    assert_int_equal(bh_snapshot_restore(fixture->other, taken, &error), BH_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, why));
    assert_true(is_as(fixture->other, fixture->before));
    bh_snapshot_free(taken);
}

static void snapshots_of_other_devices_are_refused(void **context)
{
    other_devices_refuse(*context, BH_MODE_TIMED, BH_BOARD_FULL, "of functional mode, and the device is in timed mode");
    other_devices_refuse(*context, BH_MODE_FUNCTIONAL, BH_BOARD_P100A, "it is of another board");
    other_devices_refuse(*context, BH_MODE_FUNCTIONAL, BH_BOARD_P150A, "it is of a board with other tiles");
}

/* What is within a file, as if its checksum fitted. */

static void load_refused(struct fixture *fixture, const uint8_t *bytes, size_t size)
{
    const char *why = NULL;
    assert_int_equal(snapshot_load(fixture->other, bytes, size, &why), BH_ERROR_FORMAT);
    assert_non_null(why);
    assert_true(is_as(fixture->other, fixture->before));
}

static void contents_are_refused_that_end_at_any_section(void **context)
{
    struct fixture *fixture = *context;
    struct bh_snapshot *taken;
    uint64_t length;
    unsigned sections = 0;
    assert_int_equal(bh_snapshot_take(fixture->device, &taken), BH_OK);
    for (size_t at = 0; at < taken->size; at += SECTION + length, sections++) {
        memcpy(&length, taken->bytes + at + SECTION - sizeof length, sizeof length);
        load_refused(fixture, taken->bytes, at);
        if (sections % 8 == 0) {
            load_refused(fixture, taken->bytes, at + 7);
            load_refused(fixture, taken->bytes, at + SECTION);
            load_refused(fixture, taken->bytes, at + SECTION + length - 1);
        }
    }
    assert_true(sections > 50);
    bh_snapshot_free(taken);
}

static void spoilt_contents_do_no_harm(void **context)
{
    struct fixture *fixture = *context;
    struct bh_snapshot *taken;
    unsigned refused = 0;
    assert_int_equal(bh_snapshot_take(fixture->device, &taken), BH_OK);
    random_state = 6;
    for (unsigned i = 0; i < FEWER_IF_SANITIZED(60); i++) {
        const char *why = NULL;
        uint32_t last = (uint32_t)taken->size;
        uint32_t at = i % 5 == 0 ? below(SECTION) : i % 2 ? last - 1 - below(600000) % (last - 1) : below(last);
        uint8_t was = taken->bytes[at];
        taken->bytes[at] = i % 3 ? (uint8_t)(was ^ 1 << below(8)) : (uint8_t)below(256);
        if (snapshot_load(fixture->other, taken->bytes, taken->size, &why) == BH_OK) {
            assert_int_equal(bh_snapshot_restore(fixture->other, fixture->before, NULL), BH_OK);
        } else {
            assert_non_null(why);
            refused++;
        }
        assert_true(is_as(fixture->other, fixture->before));
        taken->bytes[at] = was;
    }
    assert_true(refused > 0);
    bh_snapshot_free(taken);
}

static int find_members(void **context)
{
    (void)context;
    return snapshot_find_members() ? 0 : -1;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define TIMED_TEST(function)                                                                                           \
    {                                                                                                                  \
#function " in timed mode", function, set_up_timed, tear_down, NULL                                            \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_give_back_what_was_saved),
        TIMED_TEST(files_give_back_what_was_saved),
        TEST(a_restored_device_is_saved_as_the_same_bytes),
        TIMED_TEST(a_restored_device_is_saved_as_the_same_bytes),
        TEST(truncated_files_are_refused),
        TEST(altered_files_are_refused),
        TEST(other_files_are_refused),
        TEST(snapshots_of_other_devices_are_refused),
        TEST(contents_are_refused_that_end_at_any_section),
        TIMED_TEST(contents_are_refused_that_end_at_any_section),
        TEST(spoilt_contents_do_no_harm),
        TIMED_TEST(spoilt_contents_do_no_harm),
    };
    return cmocka_run_group_tests(tests, find_members, NULL);
}
