/* Vector instructions of T2 against results recorded on another model (tests/vectors/rv32_vector.h): arithmetic,
   permutations, masks, loads and stores, vset, and what is reserved. */
#include "rv32/fixture.h"

#include <stdio.h>
#include <string.h>

#include "vectors/rv32_vector.h"

enum { MEMORY = 0x4000 };

static void execute(struct fixture *fixture, const struct vector_case *c)
{
    PROGRAM(fixture, c->word);
    l1_write(&fixture->l1, MEMORY, c->memory, CASE_MEMORY);
    memset(&fixture->diagnostics, 0, sizeof fixture->diagnostics);
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_DEFAULT);
    fixture->core.id = BH_CORE_T2;
    rv32_reset(&fixture->core, 0x100);
    fixture->core.x[A1] = c->memory_used ? MEMORY + CASE_BASE : c->a1;
    fixture->core.x[A2] = c->a2;
    fixture->core.x[RV32_F0 + 11] = c->fa1;
    fixture->core.csr[RV32_CSR_vtype] = c->vtype;
    fixture->core.csr[RV32_CSR_vl] = c->vl;
    fixture->core.csr[RV32_CSR_vxrm] = c->vxrm;
    memcpy(fixture->core.v, c->v, sizeof c->v);
    rv32_run(&fixture->rv32, 1);
}

static uint64_t hash_of(const struct fixture *fixture, const struct vector_case *c)
{
    const struct vector_result result = {
        .a0 = fixture->core.x[A0],
        .fa0 = fixture->core.x[RV32_F0 + 10],
        .fcsr = fixture->core.csr[RV32_CSR_fcsr],
        .vxsat = fixture->core.csr[RV32_CSR_vxsat],
        .vl = fixture->core.csr[RV32_CSR_vl],
        .vtype = fixture->core.csr[RV32_CSR_vtype],
        .v = fixture->core.v,
        .memory = fixture->l1_bytes + MEMORY,
    };
    return vector_case_hash(c, &result);
}

/* What the model has and T2 has not: arithmetic on 16-bit floating-point numbers, square root and reciprocals. */
static bool beyond_t2(const struct vector_case *c)
{
    enum { CONVERSIONS = 0x12, UNARY = 0x13, CLASSIFY = 16 };
    bool is_float = (c->word & 0x707f) == 0x1057;
    bool narrow = (c->vtype >> 3 & 7) == 1;
    unsigned function = c->word >> 26, unary = c->word >> 15 & 31;
    return is_float && ((function == CONVERSIONS && narrow) || (function == UNARY && unary != CLASSIFY));
}

static void instructions_do_what_another_model_does(void **state)
{
    struct fixture *fixture = *state;
    FILE *file = fopen(BHEMU_SOURCE_DIR "/tests/vectors/rv32_vector.bin", "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, RV32_VECTOR_TEXT, SEEK_SET), 0);
    static struct vector_case c;
    unsigned executed = 0, wrong = 0;
    for (unsigned i = 0; i < RV32_VECTOR_CASES; i++) {
        uint8_t bytes[8];
        uint64_t expected = 0;
        assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
        for (unsigned byte = 0; byte < 8; byte++) {
            expected |= (uint64_t)bytes[byte] << 8 * byte;
        }
        make_vector_case(i, &c);
        execute(fixture, &c);
        uint64_t result = fixture->diagnostics.stopped ? 0 : hash_of(fixture, &c);
        executed += result != 0;
        if (result != expected && !(result == 0 && beyond_t2(&c))) {
            print_message("case %u: word %08x vtype %02x vl %u: %s, model %s; %s\n", i, c.word, c.vtype, c.vl,
                          result ? "executed" : "refused", expected ? "executed" : "refused",
                          fixture->diagnostics.count ? fixture->diagnostics.entries[0].text : "");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(executed > RV32_VECTOR_CASES / 3);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(instructions_do_what_another_model_does, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
