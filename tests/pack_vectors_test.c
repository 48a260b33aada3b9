/* PACR against results recorded on another model (tests/vectors/pack_rows.h). */
#include "tensix/tensix_fixture.h"

#include <stdio.h>

#include "vectors/pack_rows.h"

static void set_word(struct fixture *f, unsigned word, uint32_t value)
{
    f->state.config.bank[0][word] = f->state.config.bank[1][word] = value;
}

static void pack(struct fixture *f, const struct pack_vector *vector)
{
    tensix_reset(&f->state);
    set_word(f, 1, vector->formats);
    set_word(f, 2, vector->relu);
    set_word(f, 18, vector->dest_rd_ctrl);
    set_word(f, 24, vector->edge);
    set_word(f, 28, 16 << PACK_COUNTERS_SEC0_pack_reads_per_xy_plane_SHAMT);
    set_word(f, 68, 1 << THCON_SEC0_REG1_Exp_section_size_SHAMT);
    set_word(f, 69, PACK_VECTORS_DESTINATION / 16 - 1);
    set_word(f, 70, vector->packer[0]);
    set_word(f, 71, vector->packer[1]);
    memcpy(f->state.dst.rows[0], vector->cells[0], sizeof vector->cells[0]);
    memcpy(f->state.dst.rows[8], vector->cells[1], sizeof vector->cells[1]);
    f->state.addr.adc[2][ADC_PACKER].channel[1].x = 15;
    memcpy(f->l1_bytes + PACK_VECTORS_DESTINATION, vector->held, sizeof vector->held);
    RUN_OK(f, 2, PACR, .Last = 1);
}

static void every_recorded_pacr_gives_the_same_bytes(void **state)
{
    struct fixture *f = *state;
    FILE *file = fopen(BHEMU_SOURCE_DIR "/tests/vectors/pack_rows.bin", "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, PACK_VECTORS_TEXT, SEEK_SET), 0);
    struct pack_vector vector;
    unsigned count = 0;
    while (fread(&vector, sizeof vector, 1, file) == 1) {
        pack(f, &vector);
        assert_memory_equal(f->l1_bytes + PACK_VECTORS_DESTINATION, vector.packed, sizeof vector.packed);
        count++;
    }
    fclose(file);
    assert_in_range(count, 100, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(every_recorded_pacr_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
