/* docs/riscv.md: its tables are those of tables/. With --write, writes them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rv32_isa.h"

enum { PAGE_SIZE = 1 << 17 };

static const char page_path[] = BHEMU_SOURCE_DIR "/docs/riscv.md";
static bool write_page;

struct page {
    char text[PAGE_SIZE];
    size_t length;
};

static void put(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    page->length += (size_t)vsnprintf(page->text + page->length, sizeof page->text - page->length, format, arguments);
    va_end(arguments);
    assert_true(page->length < sizeof page->text);
}

/* "|" ends a cell of a table. */
static void put_cell(struct page *page, const char *text)
{
    for (; *text; text++) {
        put(page, *text == '|' ? "\\%c" : "%c", *text);
    }
}

static void put_instructions(struct page *page)
{
    static const char *const extensions[] = {
        [RV32_I] = "I",     [RV32_M] = "M",     [RV32_ZICSR] = "Zicsr", [RV32_ZAAMO] = "Zaamo",
        [RV32_ZBA] = "Zba", [RV32_ZBB] = "Zbb", [RV32_BITMANIP] = "-",  [RV32_INTERRUPT] = "-",
        [RV32_F] = "F",     [RV32_ZFH] = "Zfh", [RV32_V] = "V",
    };
    put(page, "| instruction | extension | meaning |\n|---|---|---|\n");
    for (enum rv32_op op = RV32_OP_NONE + 1; op < RV32_OP_TTINSN; op++) {
        const struct rv32_instruction *instruction = &rv32_instructions[op];
        bool listed_below = instruction->extension == RV32_V && strncmp(instruction->name, "v.op", 4) == 0;
        if (!listed_below) {
            put(page, "| `%s` | %s | ", instruction->name, extensions[instruction->extension]);
            put_cell(page, instruction->meaning);
            put(page, " |\n");
        }
    }
}

static void put_vectors(struct page *page)
{
    enum { V = 1, X = 2, I = 4, VX = V | X, XI = X | I, VXI = V | X | I };
    static const struct {
        const char *mnemonic, *group, *shape;
        unsigned operands;
    } operations[] = {
#define RV32_VECTOR(name, mnemonic, group, funct6, operands, shape) {mnemonic, #group, #shape, operands},
#include "rv32_vector.def"
#undef RV32_VECTOR
    };
    put(page, "| instruction | last operand | shape |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        unsigned operands = operations[i].operands;
        const char *scalar = operations[i].group[0] == 'F' ? "f" : "x";
        put(page, "| `%s` | %s%s%s | %s |\n", operations[i].mnemonic, operands & V ? "v" : "",
            operands & X ? scalar : "", operands & I ? "i" : "", operations[i].shape);
    }
}

static void put_csrs(struct page *page)
{
    put(page, "| number | name | after reset | writable | meaning |\n|---|---|---|---|---|\n");
    for (enum rv32_csr csr = 0; csr < RV32_CSRS; csr++) {
        const struct rv32_csr_description *description = &rv32_csrs[csr];
        put(page, "| 0x%03x | `%s` | 0x%x | 0x%x | ", description->number, description->name, description->reset,
            description->writable);
        put_cell(page, description->meaning);
        put(page, " |\n");
    }
}

/* Copies the page with what is between "<!-- name -->" and "<!-- end -->" made anew. */
static void compose(const char *old, struct page *page)
{
    static const struct {
        const char *marker;
        void (*put)(struct page *page);
    } sections[] = {{"<!-- instructions -->\n", put_instructions},
                    {"<!-- vectors -->\n", put_vectors},
                    {"<!-- csrs -->\n", put_csrs}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        const char *begin = strstr(old, sections[i].marker);
        assert_non_null(begin);
        begin += strlen(sections[i].marker);
        put(page, "%.*s", (int)(begin - old), old);
        sections[i].put(page);
        old = strstr(begin, "<!-- end -->\n");
        assert_non_null(old);
    }
    put(page, "%s", old);
}

static void the_tables_are_those_of_the_cores(void **state)
{
    static struct page page, old;
    FILE *file = fopen(page_path, "r");
    assert_non_null(file);
    old.length = fread(old.text, 1, sizeof old.text - 1, file);
    fclose(file);
    compose(old.text, &page);
    if (write_page) {
        file = fopen(page_path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(page.text, 1, page.length, file), page.length);
        fclose(file);
    } else if (strcmp(page.text, old.text) != 0) {
        fail_msg("docs/riscv.md is not what tables/ say: run test.riscv_page --write and look at the difference");
    }
}

int main(int argc, char **argv)
{
    write_page = argc > 1 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_tables_are_those_of_the_cores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
