/* The project's kernels, run through the public C API, against recorded vectors: every bit of every output.
   tests/vectors/kernel_NAME.bin say in their first 1024 bytes how they were recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../kernels/runtime/arguments.h"
#include "program.h"

enum { TILE_X = 1, TILE_Y = 2, VECTOR_TEXT = 1024, CYCLES_AT_A_TIME = 10000, CYCLES_MAX = 200000000 };
enum { INPUT_A = LAYOUT_TENSORS, INPUT_B = LAYOUT_TENSORS + 0x10000, OUTPUT = LAYOUT_TENSORS + 0x20000 };

static const char *const core_names[BH_CORE_COUNT] = {
    [BH_CORE_B] = "brisc",   [BH_CORE_T0] = "trisc0", [BH_CORE_T1] = "trisc1",
    [BH_CORE_T2] = "trisc2", [BH_CORE_NC] = "ncrisc",
};

struct kernel {
    const char *name;
    int inputs;
    int dispatched; /* B releases the other cores; otherwise the host releases T0-T2 */
};

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void release(struct bh_device *device, const struct kernel *kernel)
{
    static const struct {
        enum bh_core core;
        uint32_t pc;
    } threads[] = {
        {BH_CORE_T0, LAYOUT_TRISC0_CODE}, {BH_CORE_T1, LAYOUT_TRISC1_CODE}, {BH_CORE_T2, LAYOUT_TRISC2_CODE}};
    if (kernel->dispatched) {
        assert_int_equal(bh_core_start(device, TILE_X, TILE_Y, BH_CORE_B, LAYOUT_BRISC_CODE), BH_OK);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bh_core_start(device, TILE_X, TILE_Y, threads[i].core, threads[i].pc), BH_OK);
    }
}

static void wait_for_completion(struct bh_device *device, const bool present[BH_CORE_COUNT])
{
    for (uint64_t cycles = 0; cycles < CYCLES_MAX; cycles += CYCLES_AT_A_TIME) {
        assert_int_equal(bh_run(device, CYCLES_AT_A_TIME, NULL), BH_OK);
        uint32_t words[BH_CORE_COUNT];
        assert_int_equal(bh_read(device, TILE_X, TILE_Y, LAYOUT_COMPLETION, words, sizeof words), BH_OK);
        bool done = true;
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            done = done && (!present[core] || words[core] == COMPLETION_DONE);
        }
        if (done) {
            return;
        }
    }
    fail_msg("the kernel does not end");
}

/* Runs one case, which begins at `at`, on the device; returns what follows it. */
static const uint8_t *run_case(struct bh_device *device, const struct kernel *kernel, const uint8_t *at,
                               unsigned number, const bool present[BH_CORE_COUNT])
{
    uint32_t shape[8];
    memcpy(shape, at, sizeof shape);
    at += sizeof shape;
    const struct arguments arguments = {
        .input_a = INPUT_A,
        .input_b = INPUT_B,
        .output = OUTPUT,
        .rows = shape[0],
        .columns = shape[1],
        .inner = shape[2],
        .fidelity_phases = shape[3],
    };
    uint32_t size = shape[0] * shape[1] * TILE_SIZE; /* of each tensor: matmul128's are all square */
    assert_true(size <= 0x10000);
    static const uint32_t nothing[BH_CORE_COUNT];
    static uint8_t output[0x10000];
    memset(output, 0xee, sizeof output);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, LAYOUT_ARGUMENTS, &arguments, sizeof arguments), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, LAYOUT_COMPLETION, nothing, sizeof nothing), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, OUTPUT, output, size), BH_OK);
    assert_int_equal(bh_write(device, TILE_X, TILE_Y, INPUT_A, at, size), BH_OK);
    at += size;
    if (kernel->inputs == 2) {
        assert_int_equal(bh_write(device, TILE_X, TILE_Y, INPUT_B, at, size), BH_OK);
        at += size;
    }

    release(device, kernel);
    wait_for_completion(device, present);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        assert_int_equal(bh_core_stop(device, TILE_X, TILE_Y, core), BH_OK);
    }

    assert_int_equal(bh_read(device, TILE_X, TILE_Y, OUTPUT, output, size), BH_OK);
    for (uint32_t i = 0; i < size; i += 2) {
        if (memcmp(output + i, at + i, 2) != 0) {
            uint16_t got, want;
            memcpy(&got, output + i, 2);
            memcpy(&want, at + i, 2);
            fail_msg("case %u, tile %u, datum %u: got %04x, not %04x", number, i / TILE_SIZE, i % TILE_SIZE / 2, got,
                     want);
        }
    }
    return at + size;
}

static void gives_recorded_bits(void **state)
{
    const struct kernel *kernel = *state;
    size_t size;
    char path[512];
    uint8_t *manifest = read_file(BHEMU_BUILD_DIR "/kernels/built", &size);
    if (!manifest) {
        print_message("# the kernels are not built (BHEMU_KERNELS is OFF)\n");
        skip();
    }
    free(manifest);
    snprintf(path, sizeof path, BHEMU_SOURCE_DIR "/tests/vectors/kernel_%s.bin", kernel->name);
    uint8_t *vectors = read_file(path, &size);
    assert_non_null(vectors);
    vectors[VECTOR_TEXT - 1] = 0;
    const char *count = strstr((const char *)vectors, "cases: ");
    assert_non_null(count);

    struct bh_device *device;
    struct bh_device_config config = {
        .on_diagnostic = print_diagnostic, .verify = verify_from_environment(), .mode = mode_from_environment()};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    bool present[BH_CORE_COUNT];
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        char program[64];
        snprintf(program, sizeof program, "%s.%s", kernel->name, core_names[core]);
        present[core] = load_program(device, TILE_X, TILE_Y, core, program, NULL);
    }
    assert_true(present[BH_CORE_T0] && present[BH_CORE_T1] && present[BH_CORE_T2]);

    const uint8_t *at = vectors + VECTOR_TEXT;
    unsigned cases = (unsigned)atoi(count + strlen("cases: "));
    assert_true(cases > 0);
    for (unsigned i = 0; i < cases; i++) {
        at = run_case(device, kernel, at, i, present);
    }
    assert_ptr_equal(at, vectors + size);
    bh_device_destroy(device);
    free(vectors);
}

int main(void)
{
    static struct kernel add1 = {"add1", 1, 0};
    static struct kernel eltwise_add = {"eltwise_add", 2, 0};
    static struct kernel matmul32 = {"matmul32", 2, 0};
    static struct kernel matmul128 = {"matmul128", 2, 1};
    const struct CMUnitTest tests[] = {
        {"add1", gives_recorded_bits, NULL, NULL, &add1},
        {"eltwise_add", gives_recorded_bits, NULL, NULL, &eltwise_add},
        {"matmul32 at all fidelities", gives_recorded_bits, NULL, NULL, &matmul32},
        {"matmul128 with five cores", gives_recorded_bits, NULL, NULL, &matmul128},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
