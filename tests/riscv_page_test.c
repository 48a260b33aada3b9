/* docs/riscv.md: its tables agree with those of tables/. With --write, writes them anew. */
#include "page.h"

#include <stdbool.h>

#include "isa/rv32_isa.h"

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

static void the_tables_are_those_of_the_cores(void **state)
{
    static const struct page_section sections[] = {
        {"instructions", put_instructions}, {"vectors", put_vectors}, {"csrs", put_csrs}, {0}};
    page_compare("docs/riscv.md", sections);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_tables_are_those_of_the_cores)};
    page_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
