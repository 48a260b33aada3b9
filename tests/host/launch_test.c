/* Jobs that firmware launches like tt-metal's does: kernels/metal, and the messages about errors. */
#include "job_fixture.h"
#include "kernels.h"

#include "host/npy.h"

enum { KERNEL_CONFIG = 0x82b0, T0_FIRMWARE = 0x5a40 };

#define KERNELS BHEMU_BUILD_DIR "/kernels/"
#define FIRMWARE_BUT_T0                                                                                                \
    "    - {core: B, elf: " KERNELS "metal.brisc.elf}\n"                                                               \
    "    - {core: NC, elf: " KERNELS "metal.ncrisc.elf}\n"                                                             \
    "    - {core: T1, elf: " KERNELS "metal.trisc1.elf}\n"                                                             \
    "    - {core: T2, elf: " KERNELS "metal.trisc2.elf}\n"
#define LAUNCH(more) "launch:\n  kind: tt-metal\n" more "  firmware:\n" FIRMWARE_BUT_T0
#define FIRMWARE LAUNCH("") "    - {core: T0, elf: " KERNELS "metal.trisc0.elf}\n"
#define KERNEL(core, file) "      - {core: " core ", elf: " KERNELS "metal_add." file ".elf}\n"
#define TILE "tiles:\n  - at: [1, 2]\n"
#define ADD                                                                                                            \
    "    kernels:\n" KERNEL("NC", "ncrisc") KERNEL("B", "brisc") KERNEL("T0", "trisc0") KERNEL("T1", "trisc1")         \
        KERNEL("T2", "trisc2")
#define BUFFERS                                                                                                        \
    "    buffers:\n"                                                                                                   \
    "      - {index: 0, address: 0x30000, pages: 2, page: 2048}\n"                                                     \
    "      - {index: 1, address: 0x31000, pages: 2, page: 2048}\n"                                                     \
    "      - {index: 16, address: 0x32000, pages: 2, page: 2048}\n"
/* Arguments of B and NC: the first tile and the number of tiles; of the others: the number. */
#define ARGUMENTS(movers, computers)                                                                                   \
    "    arguments:\n"                                                                                                 \
    "      - {cores: [B, NC], values: [0, " movers "]}\n"                                                              \
    "      - {cores: [T0, T1, T2], values: [" computers "]}\n"                                                         \
    "    common_arguments:\n"                                                                                          \
    "      - {cores: [NC], values: [0x1000000, 0x2000000]}\n"                                                          \
    "      - {cores: [B], values: [0x3000000]}\n"                                                                      \
    "    semaphores: [0]\n"
/* The semaphore is behind 16 bytes of unique arguments for each core, and the common ones of B and NC. */
#define OUTPUT(address) "    outputs:\n      - {file: out.npy, address: " address ", shape: [1, 1], format: int32}\n"
#define SEMAPHORE "0x8320"

static int32_t output(const struct fixture *fixture)
{
    struct bh_array array;
    assert_int_equal(npy_read(in_folder(&fixture->folder, "out.npy"), &array, NULL), BH_OK);
    assert_int_equal(array.type, BH_HOST_INT32);
    int32_t value = *(const int32_t *)array.data;
    free(array.data);
    return value;
}

static void runs(struct fixture *fixture, const char *text)
{
    if (run(fixture, text) != BH_OK) {
        fail_msg("%s", fixture->error.text);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

static void firmware_starts_and_launches_on_every_tile(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    runs(fixture, "policy: strict\n" FIRMWARE "tiles:\n"
                  "  - columns: [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15]\n"
                  "    rows: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n" ADD BUFFERS ARGUMENTS(
                      "0", "0") "  - columns: [16]\n"
                                "    rows: [3, 4, 5, 6, 7, 8, 9, 10, 11]\n"
                                "  - at: [16, 2]\n" ADD BUFFERS ARGUMENTS("1", "1") OUTPUT(SEMAPHORE));
    assert_int_equal(output(fixture), 1000 + 2);
}

static void kernels_begin_anew_with_each_launch(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    runs(fixture, LAUNCH("  times: 3\n") "    - {core: T0, elf: " KERNELS
                                         "metal.trisc0.elf}\n" TILE ADD BUFFERS ARGUMENTS("5", "5") OUTPUT(SEMAPHORE));
    assert_int_equal(output(fixture), 1000 + 10);
    runs(fixture, FIRMWARE TILE ADD BUFFERS ARGUMENTS("5", "5") OUTPUT("0x6c"));
    assert_int_equal(output(fixture), 0);
}

/* Launch messages are taken from a ring of eight, and the dispatcher's counter counts the launches. */
static void launches_by_the_device_go_round_the_ring(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
#define BY_DEVICE                                                                                                      \
    LAUNCH("  times: 11\n  dispatch: device\n")                                                                        \
    "    - {core: T0, elf: " KERNELS "metal.trisc0.elf}\n" TILE ADD BUFFERS ARGUMENTS("1", "1")
    runs(fixture, BY_DEVICE OUTPUT("0x6c"));
    assert_int_equal(output(fixture), 11 % 8);
    runs(fixture, BY_DEVICE OUTPUT("0xffb704a4")); /* SPACE_AVAILABLE of stream 48 */
    assert_int_equal(output(fixture) & 0x1ffff, 11);
}

/* kernels/metal/moved.S counts to seven. It is put behind arguments of different lengths. */
static void kernels_find_themselves_moved_as_they_should(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
#define MOVED "    kernels: [{core: B, elf: " KERNELS "metal_moved.brisc.elf}]\n    semaphores: [0]\n"
    runs(fixture, FIRMWARE TILE MOVED OUTPUT("0x82b0"));
    assert_int_equal(output(fixture), 7);
    runs(fixture,
         FIRMWARE TILE MOVED "    common_arguments: [{cores: [T2], values: [1, 2, 3, 4, 5]}]\n" OUTPUT("0x82d0"));
    assert_int_equal(output(fixture), 7);
}

/* The job gives the addresses of the project's own firmware. */
static void a_job_can_say_where_firmware_has_its_messages(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
#define LAYOUT(end, go) LAYOUT_AT(end, go, "0x70", "0x8b8")
#define LAYOUT_AT(end, go, launch, info)                                                                               \
    LAUNCH("  layout: {form: short, end: " end ", launch: " launch ", go: " go ", go_index: 0x3a0, core_info: " info   \
           "}\n")                                                                                                      \
    "    - {core: T0, elf: " KERNELS "metal.trisc0.elf}\n" TILE MOVED OUTPUT("0x82b0")
    runs(fixture, LAYOUT("0x82b0", "0x370"));
    assert_int_equal(output(fixture), 7);
    fails(fixture, LAYOUT("0x82b8", "0x370"), BH_ERROR_FORMAT,
          "end: '0x82b8' is not allowed; it has to be a whole number from 0 to 0x180000, a multiple of 16");
    fails(fixture, LAYOUT("0x82b0", "0x372"), BH_ERROR_FORMAT,
          "go: '0x372' is not allowed; it has to be a whole number from 0 to 0x180000, a multiple of 4");
    fails(fixture, LAYOUT("0x17ff00", "0x370"), BH_ERROR_FORMAT, "leaves no room in L1");
    fails(fixture, LAYOUT_AT("0x82b0", "0x370", "0xffffff00", "0x8b8"), BH_ERROR_FORMAT,
          "launch: '0xffffff00' is not allowed");
    fails(fixture, LAYOUT_AT("0x82b0", "0x370", "0x70", "0xfffffffc"), BH_ERROR_FORMAT, "'0xfffffffc' is not allowed");
}

static void what_firmware_takes_is_checked(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    const uint32_t loop[] = {SELF_JUMP};
    put_elf(&fixture->folder, "elsewhere.elf", 0x5a80, loop, 1);
    put_elf(&fixture->folder, "kernel.elf", 0x9000, loop, 1);
    fails(fixture, LAUNCH("") TILE, BH_ERROR_FORMAT, "there is no firmware for core T0");
    fails(fixture, LAUNCH("") "    - {core: B, elf: a.elf}\n" TILE, BH_ERROR_FORMAT,
          "job.yaml:8: core B has two firmwares");
    fails(fixture, LAUNCH("") "    - {core: T0, elf: none.elf}\n" TILE, BH_ERROR_IO, "none.elf");
    fails(fixture, LAUNCH("") "    - {core: T0, elf: elsewhere.elf}\n" TILE, BH_ERROR_FORMAT,
          "no version of tt-metal's firmware is known that begins at 0x3840, 0x5440, 0x5a80, 0x6040, 0x6640");
    fails(fixture, FIRMWARE TILE "    programs: [{core: B, elf: kernel.elf}]\n", BH_ERROR_FORMAT,
          "what firmware launches are kernels");
    fails(fixture, TILE "    kernels: [{core: B, elf: kernel.elf}]\n", BH_ERROR_FORMAT,
          "kernels: only with launch: {kind: tt-metal}");
    fails(fixture, FIRMWARE TILE "    kernels: [{core: B, elf: kernel.elf}]\n", BH_ERROR_FORMAT, "--emit-relocs");
    fails(fixture, FIRMWARE "tiles:\n  - at: [17, 12]\n    kernels: [{core: B, elf: kernel.elf}]\n", BH_ERROR_ARGUMENT,
          "tile (17,12) has no core B; it has DRISC");
    fails(fixture, "board: p100a\n" FIRMWARE "tiles:\n  - at: [16, 2]\n" ADD, BH_ERROR_ARGUMENT,
          "there is no tile at (16,2) on this board");
}

/* A second segment with a memory size of 0, but bytes from anywhere in the file, for any place in the image. */
static void segments_without_memory_are_not_placed(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    const uint32_t loop[] = {SELF_JUMP};
    struct elf_bytes elf = make_elf(0x9000, loop, 1);
    elf.file.header.e_phnum = 2;
    elf.file.segments[1] = (Elf32_Phdr){
        .p_type = PT_LOAD, .p_offset = 0x60000000, .p_vaddr = 0xffb00000, .p_paddr = 0x7fff0000, .p_filesz = 0x10000};
    put_file(&fixture->folder, "kernel.elf", &elf.file, elf.size);
    fails(fixture, FIRMWARE TILE "    kernels: [{core: B, elf: kernel.elf}]\n", BH_ERROR_FORMAT,
          "a segment takes 65536 bytes of the file, but only 0 of memory");
    elf.file.segments[1].p_filesz = 0; /* empty segments, as linkers create them, are valid */
    put_file(&fixture->folder, "kernel.elf", &elf.file, elf.size);
    fails(fixture, FIRMWARE TILE "    kernels: [{core: B, elf: kernel.elf}]\n", BH_ERROR_FORMAT, "--emit-relocs");
}

static void what_kernels_get_is_checked(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
#define BUFFER(text) FIRMWARE TILE ADD "    buffers:\n      - " text "\n"
    fails(fixture, BUFFER("{index: 32, address: 0x30000, pages: 1, page: 2048}"), BH_ERROR_FORMAT,
          "circular buffer 32 (1 pages of 2048 bytes at 0x30000) has a number");
    fails(fixture, BUFFER("{index: 3, address: 0x30008, pages: 1, page: 2048}"), BH_ERROR_FORMAT, "multiple of 16");
    fails(fixture, BUFFER("{index: 3, address: 0x30000, pages: 1000, page: 2048}"), BH_ERROR_FORMAT,
          "does not fit into L1");
    fails(fixture, BUFFER("{index: 3, address: 0x8300, pages: 1, page: 2048}"), BH_ERROR_FORMAT,
          "where the firmware and the kernels are");
    fails(fixture, FIRMWARE TILE ADD BUFFERS "      - {index: 0, address: 0x40000, pages: 1, page: 16}\n",
          BH_ERROR_FORMAT, "is there twice");
    fails(fixture, FIRMWARE TILE "    kernels:\n" KERNEL("T0", "trisc0") KERNEL("T2", "trisc2"), BH_ERROR_FORMAT,
          "tile (1,2): there are kernels for 2 of T0, T1 and T2");
    fails(fixture, FIRMWARE TILE ADD "    noc: 2\n", BH_ERROR_FORMAT, "noc: '2' is not allowed");
    fails(fixture, FIRMWARE TILE ADD "    arguments: [{cores: [B, B], values: [1]}]\n", BH_ERROR_FORMAT,
          "core B has arguments twice");
    fails(fixture, FIRMWARE TILE ADD "    arguments: [{cores: [B]}]\n", BH_ERROR_FORMAT,
          "either values or each has to be there");
    static const uint16_t words[4] = {1, 2, 3, 4};
    struct bh_array array = {.type = BH_HOST_UINT16, .rows = 1, .columns = 4, .data = (void *)(uintptr_t)words};
    assert_int_equal(npy_write(in_folder(&fixture->folder, "words.npy"), &array, NULL), BH_OK);
    fails(fixture, FIRMWARE TILE ADD "    inputs: [{file: words.npy, address: 0x8300, format: uint16}]\n",
          BH_ERROR_FORMAT, "overlaps the firmware and the kernels");
}

/* T0 never reports that it has started. */
static void firmware_that_does_not_start_is_explained(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    const uint32_t loop[] = {SELF_JUMP};
    put_elf(&fixture->folder, "stuck.elf", T0_FIRMWARE, loop, 1);
    fails(fixture, LAUNCH("") "    - {core: T0, elf: stuck.elf}\n" TILE, BH_ERROR_STOPPED,
          "tile (1,2): the firmware is not ready after");
    assert_contains(fixture->error.text, "go message 0x40 (INIT)");
    assert_contains(fixture->error.text, "T0 0x40 (INIT) at 0x5a40");
    assert_contains(fixture->error.text, "T1 0x00 (DONE)");
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
}

/* T0 waits for a tile that NC does not send. Tiles that have finished are not mentioned. */
static void kernels_that_hang_are_explained(void **context)
{
    struct fixture *fixture = *context;
    char source[600];
    struct bh_job *job;
    need_kernels();
#define HANG                                                                                                           \
    FIRMWARE "tiles:\n"                                                                                                \
             "  - at: [1, 3]\n" ADD BUFFERS ARGUMENTS("1", "1") "  - at: [1, 2]\n" ADD BUFFERS ARGUMENTS("0", "1")
    fails(fixture, HANG, BH_ERROR_STOPPED, "tile (1,2): the kernels have not ended after");
    assert_contains(fixture->error.text, "go message 0x80 (GO)");
    assert_contains(fixture->error.text, "NC 0x00 (DONE)");
    assert_contains(fixture->error.text, "T0 0x80 (GO) at 0x");
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.category, BH_DEADLOCK);
    assert_int_equal(fixture->last.tile_y, 2);
    /* Addresses in kernels are resolved at the places where the launch has put them. */
    assert_int_equal(bh_job_load(in_folder(&fixture->folder, "job.yaml"), &job, NULL), BH_OK);
    bool found = false;
    for (unsigned i = 0; i < fixture->last.places_count; i++) {
        const struct bh_place *place = &fixture->last.places[i];
        if (place->agent == BH_AGENT_CORE && place->index == BH_CORE_T0) {
            assert_true(place->pc > KERNEL_CONFIG);
            assert_true(bh_job_source(job, 0, 1, 2, place, source, sizeof source));
            assert_contains(source, "kernel_main");
            found = true;
        }
        if (place->agent == BH_AGENT_CORE && place->index == BH_CORE_B) {
            assert_true(bh_job_source(job, 0, 1, 2, place, source, sizeof source));
            assert_contains(source, "brisc.c");
        }
    }
    assert_true(found);
    bh_job_free(job);
}

static void a_launch_keeps_to_the_limit(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    fails(fixture, "limit: 2000\n" FIRMWARE TILE, BH_ERROR_STOPPED, "after 2000 emulated steps");
}

/* A signal handler has requested the interruption before the launch. */
static void an_interrupted_launch_tells_where_it_is(void **context)
{
    struct fixture *fixture = *context;
    static const volatile sig_atomic_t interrupted = 1;
    struct bh_job_options options = {
        .policy = -1, .on_diagnostic = on_diagnostic, .context = fixture, .interrupted = &interrupted};
    struct bh_job *job;
    need_kernels();
    put_text(&fixture->folder, "job.yaml", FIRMWARE TILE ADD BUFFERS ARGUMENTS("1", "1"));
    assert_int_equal(bh_job_load(in_folder(&fixture->folder, "job.yaml"), &job, NULL), BH_OK);
    assert_int_equal(bh_job_run(job, &options, &fixture->result, &fixture->error), BH_ERROR_STOPPED);
    bh_job_free(job);
    assert_int_equal(fixture->result.run.reason, BH_RAN_INTERRUPTED);
    assert_contains(fixture->error.text, "interrupted: tile (1,2): the firmware is not ready after ");
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.action, BH_WARN);
    assert_contains(fixture->last.text, "core B at 0x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(firmware_starts_and_launches_on_every_tile, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(kernels_begin_anew_with_each_launch, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(launches_by_the_device_go_round_the_ring, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(kernels_find_themselves_moved_as_they_should, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(a_job_can_say_where_firmware_has_its_messages, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(what_firmware_takes_is_checked, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(segments_without_memory_are_not_placed, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(what_kernels_get_is_checked, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(firmware_that_does_not_start_is_explained, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(kernels_that_hang_are_explained, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(a_launch_keeps_to_the_limit, make_fixture, remove_fixture),
        cmocka_unit_test_setup_teardown(an_interrupted_launch_tells_where_it_is, make_fixture, remove_fixture),
    };
    return cmocka_run_group_tests_name("host.launch", tests, NULL, NULL);
}
