/* bh_job_source(): what it says of files that change, and to several threads. */
#include "job_fixture.h"
#include "kernels.h"

#include <pthread.h>

#define KERNELS BHEMU_BUILD_DIR "/kernels/"
#define JOB                                                                                                            \
    "limit: 100\n"                                                                                                     \
    "tiles:\n"                                                                                                         \
    "  - at: [1, 2]\n"                                                                                                 \
    "    programs:\n"                                                                                                  \
    "      - {core: T0, elf: t0.elf}\n"                                                                                \
    "      - {core: T1, elf: t1.elf}\n"

static uint32_t entry_of(const char *path)
{
    Elf32_Ehdr header;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    fclose(file);
    return header.e_entry;
}

/* A kernel in place of a file of the job, which is a new one. Where it begins. */
static uint32_t put_kernel(const struct fixture *fixture, const char *name, const char *kernel)
{
    char command[1000];
    snprintf(command, sizeof command, "cd %s && cp " KERNELS "%s.elf new && mv new %s", fixture->folder.path, kernel,
             name);
    assert_int_equal(system(command), 0);
    return entry_of(in_folder(&fixture->folder, name));
}

static struct bh_job *load(const struct fixture *fixture, const char *text)
{
    struct bh_job *job;
    put_text(&fixture->folder, "job.yaml", text);
    assert_int_equal(bh_job_load(in_folder(&fixture->folder, "job.yaml"), &job, NULL), BH_OK);
    return job;
}

static bool is_known(const struct bh_job *job, enum bh_core core, uint32_t pc)
{
    char text[600];
    const struct bh_place place = {.agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = pc};
    return bh_job_source(job, 0, 1, 2, &place, text, sizeof text) && strstr(text, ".S:");
}

static void a_program_is_read_once(void **context)
{
    struct fixture *fixture = *context;
    uint32_t pc = put_kernel(fixture, "t0.elf", "eltwise_add.trisc0");
    need_kernels();
    put_kernel(fixture, "t1.elf", "eltwise_add.trisc1");
    struct bh_job *job = load(fixture, JOB);
    assert_true(is_known(job, BH_CORE_T0, pc));
    unlink(in_folder(&fixture->folder, "t0.elf"));
    assert_true(is_known(job, BH_CORE_T0, pc));
    assert_true(is_known(job, BH_CORE_T0, pc + 4));
    bh_job_free(job);
    job = load(fixture, JOB);
    assert_false(is_known(job, BH_CORE_T0, pc));
    bh_job_free(job);
}

/* A program that is built anew is not what has run, but what runs next. */
static void places_are_those_of_the_last_run(void **context)
{
    struct fixture *fixture = *context;
    uint32_t first = put_kernel(fixture, "t0.elf", "eltwise_add.trisc0");
    need_kernels();
    put_kernel(fixture, "t1.elf", "eltwise_add.trisc1");
    struct bh_job *job = load(fixture, JOB);
    assert_true(is_known(job, BH_CORE_T0, first));
    uint32_t second = put_kernel(fixture, "t0.elf", "credits.ncrisc");
    assert_false(is_known(job, BH_CORE_T0, second));
    assert_true(is_known(job, BH_CORE_T0, first));
    struct bh_job_options options = {.policy = -1};
    (void)bh_job_run(job, &options, &fixture->result, &fixture->error);
    assert_true(is_known(job, BH_CORE_T0, second));
    assert_false(is_known(job, BH_CORE_T0, first));
    bh_job_free(job);
}

/* The same of a kernel that firmware launches, and of where it is. */
static void so_are_those_of_kernels_that_are_launched(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    put_kernel(fixture, "t0.elf", "metal_add.trisc0");
    static const char text[] = "launch:\n  kind: tt-metal\n  firmware:\n"
                               "    - {core: B, elf: " KERNELS "metal.brisc.elf}\n"
                               "    - {core: NC, elf: " KERNELS "metal.ncrisc.elf}\n"
                               "    - {core: T0, elf: " KERNELS "metal.trisc0.elf}\n"
                               "    - {core: T1, elf: " KERNELS "metal.trisc1.elf}\n"
                               "    - {core: T2, elf: " KERNELS "metal.trisc2.elf}\n"
                               "tiles:\n"
                               "  - at: [1, 2]\n"
                               "    kernels:\n"
                               "      - {core: T0, elf: t0.elf}\n"
                               "      - {core: T1, elf: " KERNELS "metal_add.trisc1.elf}\n"
                               "      - {core: T2, elf: " KERNELS "metal_add.trisc2.elf}\n"
                               "    arguments: [{cores: [T0, T1, T2], values: [1]}]\n"
                               "    buffers:\n"
                               "      - {index: 0, address: 0x30000, pages: 2, page: 2048}\n"
                               "      - {index: 1, address: 0x31000, pages: 2, page: 2048}\n"
                               "      - {index: 16, address: 0x32000, pages: 2, page: 2048}\n";
    assert_int_equal(run(fixture, text), BH_ERROR_STOPPED); /* no NC sends what T0 waits for */
    struct bh_job *job = load(fixture, text);
    uint32_t pc = 0;
    for (unsigned i = 0; i < fixture->last.places_count; i++) {
        const struct bh_place *place = &fixture->last.places[i];
        pc = place->agent == BH_AGENT_CORE && place->index == BH_CORE_T0 ? place->pc : pc;
    }
    const struct bh_place place = {.agent = BH_AGENT_CORE, .index = BH_CORE_T0, .pc = pc};
    char before[600], after[600];
    assert_true(bh_job_source(job, 0, 1, 2, &place, before, sizeof before));
    assert_contains(before, "kernel_main");
    unlink(in_folder(&fixture->folder, "t0.elf"));
    assert_true(bh_job_source(job, 0, 1, 2, &place, after, sizeof after));
    assert_string_equal(after, before);
    bh_job_free(job);
}

static void *ask_often(void *job)
{
    uint32_t t0 = entry_of(KERNELS "eltwise_add.trisc0.elf"), t1 = entry_of(KERNELS "eltwise_add.trisc1.elf");
    unsigned known = 0;
    for (unsigned i = 0; i < 50; i++) {
        known += is_known(job, BH_CORE_T0, t0) + is_known(job, BH_CORE_T1, t1);
    }
    return (void *)(uintptr_t)known;
}

static void threads_may_ask_at_once(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    pthread_t other;
    void *known;
    put_kernel(fixture, "t0.elf", "eltwise_add.trisc0");
    put_kernel(fixture, "t1.elf", "eltwise_add.trisc1");
    struct bh_job *job = load(fixture, JOB);
    assert_int_equal(pthread_create(&other, NULL, ask_often, job), 0);
    assert_ptr_equal(ask_often(job), 100);
    assert_int_equal(pthread_join(other, &known), 0);
    assert_ptr_equal(known, 100);
    bh_job_free(job);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_fixture, remove_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_program_is_read_once),
        TEST(places_are_those_of_the_last_run),
        TEST(so_are_those_of_kernels_that_are_launched),
        TEST(threads_may_ask_at_once),
    };
    return cmocka_run_group_tests_name("sources of jobs", tests, NULL, NULL);
}
