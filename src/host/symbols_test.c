/* bh_symbols_*(): which ELF is in memory, whatever its address is, and what else is in the folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tests/host/kernels.h"
#include "bhemu/symbols.h"
#include "host/code_file.h"
#include "host/metal_kernel.h"

#define KERNELS BHEMU_BUILD_DIR "/kernels"

struct fixture {
    struct bh_device *device;
    struct bh_symbols *symbols;
    char folder[100];
};

static void command(const struct fixture *fixture, const char *format, ...)
{
    char line[2000], arguments[1500];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(line, sizeof line, "cd %s && %s", fixture->folder, arguments);
    assert_int_equal(system(line), 0);
}

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/bhemu_symbols_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    assert_int_equal(bh_device_create(NULL, &fixture->device), BH_OK);
    assert_int_equal(bh_symbols_open(fixture->folder, &fixture->symbols, NULL), BH_OK);
    *context = fixture;
    return 0;
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    bh_symbols_close(fixture->symbols);
    bh_device_destroy(fixture->device);
    command(fixture, "rm -r %s", fixture->folder);
    free(fixture);
    return 0;
}

/* The image of a kernel for tt-metal's firmware at an address of tile (1,2). */
static void place(const struct fixture *fixture, const char *name, uint32_t address)
{
    struct metal_kernel kernel;
    char path[500];
    snprintf(path, sizeof path, KERNELS "/%s.elf", name);
    assert_int_equal(metal_kernel_open(&kernel, path, NULL), BH_OK);
    uint8_t *image = malloc(kernel.size);
    assert_int_equal(metal_kernel_place(&kernel, address, image, NULL), BH_OK);
    assert_int_equal(bh_write(fixture->device, 1, 2, address, image, kernel.size), BH_OK);
    free(image);
    metal_kernel_close(&kernel);
}

/* The path, behind the folder, of the program that is there; "": none. */
static const char *found_at(const struct fixture *fixture, uint32_t pc, struct bh_symbols_program *program)
{
    const struct bh_place at = {.agent = BH_AGENT_CORE, .index = BH_CORE_T1, .pc = pc};
    bh_symbols_refresh(fixture->symbols);
    unsigned number = bh_symbols_program(fixture->symbols, fixture->device, 1, 2, &at);
    return bh_symbols_describe(fixture->symbols, number, program) ? program->path + strlen(fixture->folder) + 1 : "";
}

static void assert_found(const struct fixture *fixture, uint32_t pc, const char *path)
{
    struct bh_symbols_program program;
    assert_string_equal(found_at(fixture, pc, &program), path);
}

static void a_moved_image_is_found_with_its_lines(void **context)
{
    static const char *const names[] = {"metal_add.brisc", "metal_add.ncrisc", "metal_add.trisc0", "metal_add.trisc1",
                                        "metal_add.trisc2"};
    struct fixture *fixture = *context;
    struct bh_symbols_program program;
    need_kernels();
    command(fixture, "mkdir -p a/b && cp " KERNELS "/metal_*.elf a/b/");
    for (unsigned i = 0; i < 5; i++) {
        uint32_t address = 0x20010 + 0x4000 * i;
        char expected[100];
        unsigned lines = 0;
        place(fixture, names[i], address);
        snprintf(expected, sizeof expected, "a/b/%s.elf", names[i]);
        assert_string_equal(found_at(fixture, address, &program), expected);
        assert_int_equal(program.address, address);
        assert_int_not_equal(program.linked, address);
        for (uint32_t pc = address; pc < address + program.size; pc += 4) {
            const struct bh_place at = {.agent = BH_AGENT_CORE, .index = BH_CORE_T1, .pc = pc};
            char text[600];
            bool found = bh_symbols_source(fixture->symbols, fixture->device, 1, 2, &at, text, sizeof text);
            lines += found && strstr(text, "kernel_main (") && strstr(text, "kernels/metal/add_");
        }
        assert_true(lines > 10);
        assert_found(fixture, address + program.size + 0x1000, "");
    }
}

static void only_words_with_relocations_may_differ(void **context)
{
    struct fixture *fixture = *context;
    struct code_file code;
    unsigned staying = 0;
    need_kernels();
    command(fixture, "cp " KERNELS "/metal_add.trisc1.elf .");
    assert_true(code_file_read(KERNELS "/metal_add.trisc1.elf", &code));
    for (uint32_t i = 8; i < code.count; i++) {
        uint32_t address = 0x20000 + 4 * i, other = code.words[i] ^ 0xffffffff;
        place(fixture, "metal_add.trisc1", 0x20000);
        assert_found(fixture, 0x20000, "metal_add.trisc1.elf");
        assert_int_equal(bh_write(fixture->device, 1, 2, address, &other, 4), BH_OK);
        assert_found(fixture, 0x20000, code.moves[i] ? "metal_add.trisc1.elf" : "");
        staying += !code.moves[i];
        if (staying > 20 && i < code.count - 2) {
            i += 7;
        }
    }
    assert_true(staying > 10);
    code_file_free(&code);
}

static void of_equal_files_the_first_path_is_taken(void **context)
{
    struct fixture *fixture = *context;
    struct bh_symbols_program program;
    need_kernels();
    command(fixture, "mkdir z && cp " KERNELS "/metal_add.trisc1.elf z/k.elf");
    place(fixture, "metal_add.trisc1", 0x20000);
    assert_found(fixture, 0x20000, "z/k.elf");
    command(fixture, "mkdir b a && cp z/k.elf b/ && cp z/k.elf a/x.elf");
    assert_string_equal(found_at(fixture, 0x20000, &program), "z/k.elf"); /* what was found stays */
    bh_symbols_close(fixture->symbols);
    assert_int_equal(bh_symbols_open(fixture->folder, &fixture->symbols, NULL), BH_OK);
    assert_found(fixture, 0x20000, "a/x.elf");
}

static void programs_and_files_may_come_and_go(void **context)
{
    struct fixture *fixture = *context;
    need_kernels();
    place(fixture, "metal_add.trisc1", 0x20000);
    assert_found(fixture, 0x20000, "");
    command(fixture, "cp " KERNELS "/metal_add.trisc1.elf k.elf");
    assert_found(fixture, 0x20000, "k.elf");
    place(fixture, "metal_add.trisc2", 0x20000); /* the next kernel, at the same address */
    assert_found(fixture, 0x20000, "");
    command(fixture, "cp " KERNELS "/metal_add.trisc2.elf k.elf");
    assert_found(fixture, 0x20000, "k.elf");
    const struct bh_place at = {.agent = BH_AGENT_CORE, .index = BH_CORE_T1, .pc = 0x20000};
    char text[600];
    assert_true(bh_symbols_source(fixture->symbols, fixture->device, 1, 2, &at, text, sizeof text));
    uint32_t zero[64] = {0};
    assert_int_equal(bh_write(fixture->device, 1, 2, 0x20000, zero, sizeof zero), BH_OK);
    assert_false(bh_symbols_source(fixture->symbols, fixture->device, 1, 2, &at, text, sizeof text));
    assert_string_equal(text, "");
}

static void what_is_no_program_is_left_out(void **context)
{
    struct fixture *fixture = *context;
    struct stat status;
    need_kernels();
    assert_int_equal(stat(KERNELS "/metal_add.trisc1.elf", &status), 0);
    command(fixture, "mkfifo pipe && ln -s . loop && ln -s /no/such dangling && echo text > a.elf && : > empty.elf && "
                     "cp /bin/true host && mkdir no && chmod 0 no");
    for (long size = 1; size < status.st_size; size += 97) {
        command(fixture, "head -c %ld " KERNELS "/metal_add.trisc1.elf > cut%05ld.elf", size, size);
    }
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(KERNELS "/metal_add.trisc1.elf", "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint32_t random = 1;
    for (unsigned i = 0; i < 500; i++) { /* altered in the header, and in the tables at the end */
        uint8_t copy[1 << 16];
        char path[200];
        assert_true(size <= sizeof copy);
        memcpy(copy, bytes, size);
        for (unsigned byte = 0; byte < 3; byte++) {
            random = random * 1664525 + 1013904223;
            copy[i % 2 ? random >> 8 & 0x7f : size - 1 - (random >> 8) % 1000] = (uint8_t)(random >> 24);
        }
        snprintf(path, sizeof path, "%s/wrong%03u.elf", fixture->folder, i);
        file = fopen(path, "wb");
        fwrite(copy, 1, size, file);
        fclose(file);
    }
    place(fixture, "metal_add.trisc1", 0x20000);
    struct bh_symbols_program program;
    for (uint32_t pc = 0x20000; pc < 0x20100; pc += 4) {
        const struct bh_place at = {.agent = BH_AGENT_THREAD, .index = 1, .pc = pc};
        char text[600];
        (void)bh_symbols_source(fixture->symbols, fixture->device, 1, 2, &at, text, sizeof text);
    }
    (void)found_at(fixture, 0x20000, &program);
    command(fixture, "chmod 700 no");
}

/* Its names may have what separates them. */
static void folders_are_cut_apart(void **context)
{
    struct fixture *fixture = *context;
    static const struct {
        const char *folders, *missing;
    } lists[] = {
        {"%1$s/a\\:b:%1$s/c", NULL},      {":%1$s/a\\:b/::%1$s/c::", NULL}, {"%1$s/a\\\\:b", NULL},
        {"%1$s/a:%1$s/c", "/a: No such"}, {"%1$s/c\\:%1$s/c", "/c:/"},
    };
    command(fixture, "mkdir 'a:b' c 'a\\:b'");
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
        char folders[200];
        struct bh_symbols *symbols = NULL;
        struct bh_error error;
        snprintf(folders, sizeof folders, lists[i].folders, fixture->folder);
        assert_int_equal(bh_symbols_open(folders, &symbols, &error), lists[i].missing ? BH_ERROR_IO : BH_OK);
        assert_true(!lists[i].missing || strstr(error.text, lists[i].missing));
        bh_symbols_close(symbols);
    }
}

static void arguments_are_checked(void **context)
{
    struct fixture *fixture = *context;
    struct bh_symbols *symbols;
    struct bh_error error;
    const struct bh_place at = {.agent = BH_AGENT_CORE, .index = BH_CORE_T1, .pc = 2};
    char text[10] = "x";
    need_kernels();
    assert_int_equal(bh_symbols_open("/no/such", &symbols, &error), BH_ERROR_IO);
    assert_string_equal(error.text, "/no/such: No such file or directory");
    assert_int_equal(bh_symbols_open(":", &symbols, &error), BH_ERROR_IO);
    assert_int_equal(bh_symbols_open(NULL, &symbols, &error), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_symbols_program(fixture->symbols, fixture->device, 1, 2, &at), 0);
    assert_int_equal(bh_symbols_program(fixture->symbols, fixture->device, 0, 0, &at), 0);
    assert_false(bh_symbols_describe(fixture->symbols, 1, &(struct bh_symbols_program){0}));
    assert_false(bh_symbols_program_source(fixture->symbols, 7, &at, text, sizeof text));
    assert_string_equal(text, "");
    bh_symbols_close(NULL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_moved_image_is_found_with_its_lines),
        TEST(only_words_with_relocations_may_differ),
        TEST(of_equal_files_the_first_path_is_taken),
        TEST(programs_and_files_may_come_and_go),
        TEST(what_is_no_program_is_left_out),
        TEST(folders_are_cut_apart),
        TEST(arguments_are_checked),
    };
    return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
