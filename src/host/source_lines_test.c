/* Source lines out of DWARF, of the project's own kernels; and out of one whose table of strings does not end. */
#include "host/source_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elf.h>

#include <cmocka.h>

enum { LARGEST = 1 << 20, TEXT = 300 };

struct elf {
    uint8_t bytes[LARGEST];
    size_t size;
};

static struct elf *kernel(void)
{
    static struct elf elf;
    FILE *file = fopen(BHEMU_BUILD_DIR "/kernels/matmul32.trisc1.elf", "rb");
    if (!file) { /* without a compiler for RV32 */
        skip();
    }
    elf.size = fread(elf.bytes, 1, sizeof elf.bytes, file);
    fclose(file);
    return &elf;
}

static Elf32_Shdr *section(struct elf *elf, const char *name)
{
    Elf32_Ehdr *header = (Elf32_Ehdr *)elf->bytes;
    Elf32_Shdr *sections = (Elf32_Shdr *)(elf->bytes + header->e_shoff);
    const char *names = (const char *)elf->bytes + sections[header->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, name) == 0) {
            return &sections[i];
        }
    }
    return NULL;
}

static void describe(const struct elf *elf, char *text)
{
    char path[] = "/tmp/bhemu-source-lines-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, elf->bytes, elf->size), elf->size);
    close(descriptor);
    assert_true(source_line(path, ((const Elf32_Ehdr *)elf->bytes)->e_entry, text, TEXT));
    unlink(path);
}

static void a_place_has_its_function_and_line(void **context)
{
    char text[TEXT];
    describe(kernel(), text);
    assert_non_null(strstr(text, ".S:"));
}

static void a_table_of_strings_that_does_not_end_is_not_read(void **context)
{
    char text[TEXT];
    struct elf *elf = kernel();
    Elf32_Shdr *strings = section(elf, ".debug_line_str");
    if (!strings) { /* DWARF of another version */
        skip();
    }
    strings->sh_size--;
    describe(elf, text);
    assert_null(strchr(text, ':'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_has_its_function_and_line),
        cmocka_unit_test(a_table_of_strings_that_does_not_end_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
