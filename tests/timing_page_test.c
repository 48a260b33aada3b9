/* docs/timing.md: its table is that of tables/timing.def. With --write, writes it anew. */
#include "page.h"

#include "time/timing_table.h"

static void put_constants(struct page *page)
{
    put(page, "| constant | value | evidence | meaning | source |\n|---|---|---|---|---|\n");
    for (const struct timing_constant *constant = timing_constants; constant->name; constant++) {
        put(page, "| `%s` | %u | %s | ", constant->name, constant->value, timing_evidence_name(constant->evidence));
        put_cell(page, constant->meaning);
        put(page, " | ");
        put_cell(page, constant->source);
        put(page, " |\n");
    }
}

static void the_table_is_that_of_the_constants(void **state)
{
    static const struct page_section sections[] = {{"constants", put_constants}, {0}};
    page_compare("docs/timing.md", sections);
}

/* Whoever says that a figure is documented or measured says where. */
static void evidence_has_a_source(void **state)
{
    for (const struct timing_constant *constant = timing_constants; constant->name; constant++) {
        if (constant->evidence != TIMING_ESTIMATED && !*constant->source) {
            fail_msg("%s has no source", constant->name);
        }
        assert_true(*constant->meaning);
        assert_ptr_equal(timing_by_name(constant->name), constant);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_is_that_of_the_constants),
                                       cmocka_unit_test(evidence_has_a_source)};
    page_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
