/* Loading ELF files: files that are no program for a core are refused with the reason, and nothing of them is
   written. */
#include "files.h"

#include "bhemu/device.h"
#include "bhemu/program.h"

enum { X = 1, Y = 2, ADDRESS = 0x1000, L1 = 1536 * 1024 };

static const uint32_t program[] = {0x11111113, 0x22222213, 0x33333313, SELF_JUMP};

struct fixture {
    struct folder folder;
    struct bh_device *device;
    unsigned diagnostics;
};

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    ((struct fixture *)context)->diagnostics++;
}

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    make_folder(&fixture->folder);
    struct bh_device_config config = {.on_diagnostic = on_diagnostic, .context = fixture};
    assert_int_equal(bh_device_create(&config, &fixture->device), BH_OK);
    *context = fixture;
    return 0;
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    bh_device_destroy(fixture->device);
    remove_folder(&fixture->folder);
    free(fixture);
    return 0;
}

static bool l1_is_zero(struct bh_device *device)
{
    static uint8_t l1[L1];
    assert_int_equal(bh_read(device, X, Y, 0, l1, L1), BH_OK);
    for (uint32_t i = 0; i < L1; i++) {
        if (l1[i]) {
            return false;
        }
    }
    return true;
}

static enum bh_status load(struct fixture *fixture, const void *bytes, size_t size, struct bh_error *error)
{
    uint32_t entry = 0;
    error->text[0] = 0;
    return bh_load_elf(fixture->device, X, Y, BH_CORE_T1, put_file(&fixture->folder, "program.elf", bytes, size),
                       &entry, error);
}

static void refused(struct fixture *fixture, const struct elf_bytes *elf, enum bh_status status, const char *cause)
{
    struct bh_error error;
    assert_int_equal(load(fixture, &elf->file, elf->size, &error), status);
    assert_contains(error.text, cause);
    assert_contains(error.text, "program.elf");
    assert_null(strchr(error.text, '\n'));
    assert_true(l1_is_zero(fixture->device));
    assert_int_equal(fixture->diagnostics, 0);
}

static struct elf_bytes good(void)
{
    return make_elf(ADDRESS, program, 4);
}

static void a_program_is_loaded(void **context)
{
    struct fixture *fixture = *context;
    struct elf_bytes elf = good();
    elf.file.segments[0].p_memsz += 8192; /* cleared */
    uint32_t dirt[3] = {1, 2, 3}, words[6], entry = 0;
    assert_int_equal(bh_write(fixture->device, X, Y, ADDRESS + 12, dirt, sizeof dirt), BH_OK);
    put_file(&fixture->folder, "program.elf", &elf.file, elf.size);
    struct bh_error error;
    assert_int_equal(
        bh_load_elf(fixture->device, X, Y, BH_CORE_T1, in_folder(&fixture->folder, "program.elf"), &entry, &error),
        BH_OK);
    assert_int_equal(entry, ADDRESS);
    assert_int_equal(bh_read(fixture->device, X, Y, ADDRESS, words, sizeof words), BH_OK);
    assert_memory_equal(words, program, sizeof program);
    assert_int_equal(words[4] | words[5], 0);
}

/* A segment at the core's own address of its local RAM is written to that RAM, seen through the NoC. */
static void local_ram_is_that_of_the_core(void **context)
{
    static const uint32_t slow[BH_CORE_COUNT] = {0xFFB14000, 0xFFB18000, 0xFFB1A000, 0xFFB1C000, 0xFFB16000};
    struct fixture *fixture = *context;
    struct elf_bytes elf = good();
    elf.file.header.e_phnum = 2;
    elf.file.segments[1] = elf.file.segments[0];
    elf.file.segments[1].p_paddr = 0xFFB00010;
    put_file(&fixture->folder, "program.elf", &elf.file, elf.size);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        assert_int_equal(bh_load_elf(fixture->device, X, Y, (enum bh_core)core,
                                     in_folder(&fixture->folder, "program.elf"), NULL, NULL),
                         BH_OK);
        uint32_t words[4];
        assert_int_equal(bh_read(fixture->device, X, Y, slow[core] + 16, words, sizeof words), BH_OK);
        assert_memory_equal(words, program, sizeof program);
    }
    /* 4 KiB for T cores, 8 KiB for B and NC. */
    elf.file.segments[1].p_paddr = 0xFFB01000;
    put_file(&fixture->folder, "program.elf", &elf.file, elf.size);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        bool large = core == BH_CORE_B || core == BH_CORE_NC;
        assert_int_equal(bh_load_elf(fixture->device, X, Y, (enum bh_core)core,
                                     in_folder(&fixture->folder, "program.elf"), NULL, NULL),
                         large ? BH_OK : BH_ERROR_ADDRESS);
    }
}

/* Cut anywhere, it is refused and nothing is written. */
static void a_truncated_file_is_refused(void **context)
{
    struct fixture *fixture = *context;
    struct elf_bytes elf = good();
    elf.file.header.e_phnum = 2;
    elf.file.segments[1] = elf.file.segments[0];
    elf.file.segments[1].p_paddr = 0x2000;
    for (elf.size -= 1; elf.size > 0; elf.size--) {
        struct bh_error error;
        assert_int_equal(load(fixture, &elf.file, elf.size, &error), BH_ERROR_FORMAT);
        assert_true(error.text[0]);
    }
    refused(fixture, &elf, BH_ERROR_FORMAT, "not an ELF file"); /* empty */
    assert_true(l1_is_zero(fixture->device));
}

/* A kernel from the compiler, truncated at several places: an error or, if only the end after the last segment is cut,
   none. */
static void truncated_kernels_are_refused(void **context)
{
    struct fixture *fixture = *context;
    FILE *file = fopen(BHEMU_BUILD_DIR "/kernels/add1.trisc1.elf", "rb");
    if (!file) {
        skip();
    }
    static uint8_t bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(size, 1000, sizeof bytes - 1);
    unsigned refused_ones = 0;
    for (size_t cut = 0; cut < size; cut += 1 + size / 200) {
        struct bh_error error;
        enum bh_status status = load(fixture, bytes, cut, &error);
        assert_true(status == BH_OK || status == BH_ERROR_FORMAT);
        refused_ones += status != BH_OK;
        assert_true(status == BH_OK || l1_is_zero(fixture->device));
    }
    assert_true(refused_ones > 5);
}

static void other_machines_are_refused(void **context)
{
    struct elf_bytes elf = good();
    elf.file.header.e_machine = EM_X86_64;
    refused(*context, &elf, BH_ERROR_FORMAT, "made for ELF machine 62, not for RISC-V (243)");
}

static void other_sizes_and_orders_are_refused(void **context)
{
    struct elf_bytes elf = good();
    elf.file.header.e_ident[EI_DATA] = ELFDATA2MSB;
    elf.file.header.e_machine = EM_RISCV << 8;
    refused(*context, &elf, BH_ERROR_FORMAT, "not a 32-bit little-endian ELF");

    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_RISCV,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
    };
    elf = (struct elf_bytes){.size = sizeof header};
    memcpy(&elf.file, &header, sizeof header);
    refused(*context, &elf, BH_ERROR_FORMAT, "not a 32-bit little-endian ELF");
}

static void what_is_not_linked_is_refused(void **context)
{
    struct elf_bytes elf = good();
    elf.file.header.e_type = ET_REL;
    refused(*context, &elf, BH_ERROR_FORMAT, "has not been linked");
    elf = good();
    elf.file.header.e_phnum = 0;
    refused(*context, &elf, BH_ERROR_FORMAT, "nothing to load");
    elf = good();
    elf.file.segments[0].p_type = PT_NOTE;
    refused(*context, &elf, BH_ERROR_FORMAT, "entry point 0x00001000 lies in no segment");
}

static void segments_outside_memory_are_refused(void **context)
{
    struct elf_bytes elf = good();
    elf.file.header.e_phnum = 2;
    elf.file.segments[1] = elf.file.segments[0];
    static const uint32_t addresses[] = {L1 - 12, L1, 0x80000000, 0xFFB00FF8, 0xFFB12000, 0xFFFFFFF8};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        elf.file.segments[1].p_paddr = addresses[i];
        refused(*context, &elf, BH_ERROR_ADDRESS, "lies neither in L1 nor in the local RAM of core T1");
    }
    elf.file.segments[1].p_paddr = 0x2000;
    elf.file.segments[1].p_memsz = 0xffffffff;
    refused(*context, &elf, BH_ERROR_ADDRESS, "lies neither in L1");
    elf.file.segments[1].p_memsz = 8;
    refused(*context, &elf, BH_ERROR_FORMAT, "16 bytes of the file, but only 8 of memory");
    elf.file.segments[1].p_memsz = 0;
    refused(*context, &elf, BH_ERROR_FORMAT, "16 bytes of the file, but only 0 of memory");
    elf.file.segments[1].p_memsz = 16;
    elf.file.segments[1].p_offset = 0xfffffff8;
    refused(*context, &elf, BH_ERROR_FORMAT, "truncated");
}

static void entry_points_must_be_instructions_in_a_segment(void **context)
{
    static const struct {
        uint32_t entry;
        const char *cause;
    } cases[] = {
        {L1, "entry point 0x00180000 is not an instruction in L1"},
        {0xFFB00000, "entry point 0xffb00000 is not an instruction in L1"},
        {ADDRESS + 2, "entry point 0x00001002 is not an instruction in L1"},
        {ADDRESS - 4, "entry point 0x00000ffc lies in no segment"},
        {ADDRESS + 16, "entry point 0x00001010 lies in no segment"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct elf_bytes elf = good();
        elf.file.header.e_entry = cases[i].entry;
        refused(*context, &elf, BH_ERROR_FORMAT, cases[i].cause);
    }
}

static void files_that_can_not_be_read_are_an_error(void **context)
{
    struct fixture *fixture = *context;
    struct bh_error error;
    assert_int_equal(bh_load_elf(fixture->device, X, Y, BH_CORE_B, "no/such.elf", NULL, &error), BH_ERROR_IO);
    assert_string_equal(error.text, "no/such.elf: No such file or directory");
    assert_int_equal(bh_load_elf(fixture->device, X, Y, BH_CORE_B, "no/such.elf", NULL, NULL), BH_ERROR_IO);
    assert_int_equal(bh_load_elf(fixture->device, X, Y, BH_CORE_B, fixture->folder.path, NULL, &error),
                     BH_ERROR_FORMAT);
}

static void arguments_are_checked(void **context)
{
    struct fixture *fixture = *context;
    struct elf_bytes elf = good();
    const char *path = put_file(&fixture->folder, "program.elf", &elf.file, elf.size);
    struct bh_error error;
    assert_int_equal(bh_load_elf(NULL, X, Y, BH_CORE_B, path, NULL, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_load_elf(fixture->device, X, Y, BH_CORE_B, NULL, NULL, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_load_elf(fixture->device, X, Y, BH_CORE_COUNT, path, NULL, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_load_elf(fixture->device, 0, Y, BH_CORE_B, path, NULL, &error), BH_ERROR_ARGUMENT);
    assert_contains(error.text, "tile (0,2)");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_program_is_loaded),
        TEST(local_ram_is_that_of_the_core),
        TEST(a_truncated_file_is_refused),
        TEST(truncated_kernels_are_refused),
        TEST(other_machines_are_refused),
        TEST(other_sizes_and_orders_are_refused),
        TEST(what_is_not_linked_is_refused),
        TEST(segments_outside_memory_are_refused),
        TEST(entry_points_must_be_instructions_in_a_segment),
        TEST(files_that_can_not_be_read_are_an_error),
        TEST(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
