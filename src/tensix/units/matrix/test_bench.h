/* A coprocessor for the tests of units/matrix/: thread 1, banks that belong to the matrix unit, BF16 formats. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_TEST_BENCH_H
#define BHEMU_TENSIX_UNITS_MATRIX_TEST_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/num/formats.h"
#include "tensix/tensix.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/execute.h"
#include "util/aligned.h"

enum { THREAD = 1 };

#define BF16_ONE UINT32_C(0x3f800000)

struct bench {
    struct tensix_state state;
    struct diagnostics diagnostics;
    struct tensix tensix;
};

static void set_format(struct bench *bench, enum data_format format)
{
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        bench->state.srca.format[bank] = bench->state.srcb.format[bank] = (uint8_t)format;
    }
}

/* Sets a field of the configuration of the thread's bank, and of its ThreadConfig. */
#define SET_CONFIG(bench, name, value)                                                                                 \
    ((bench)->state.config.bank[0][name##_ADDR32] |= (uint32_t)(value) << name##_SHAMT)
#define SET_THREAD_CONFIG(bench, name, value)                                                                          \
    ((bench)->state.config.thread[THREAD][name##_ADDR32] |= (uint16_t)((value) << name##_SHAMT))

static int setup_bench(void **state)
{
    struct bench *bench = aligned_zeroed(sizeof *bench);
    if (!bench) {
        return -1;
    }
    tensix_reset(&bench->state);
    diagnostics_set_policy(&bench->diagnostics, BH_POLICY_DEFAULT);
    bench->tensix = (struct tensix){.state = &bench->state, .diagnostics = &bench->diagnostics};
    bench->state.srca.owner[0] = bench->state.srcb.owner[0] = SRC_MATRIX_UNIT;
    set_format(bench, FORMAT_BF16);
    *state = bench;
    return 0;
}

static int teardown_bench(void **state)
{
    free(*state);
    return 0;
}

static inline void fill_src(struct src_register_file *src, uint32_t datum)
{
    for (unsigned row = 0; row < SRC_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            src->rows[src->matrix_bank][row][column] = datum;
        }
    }
}

static inline uint32_t dst32(const struct bench *bench, uint32_t row, unsigned column)
{
    uint32_t place = dst_row32(row);
    return dst_join32(bench->state.dst.rows[place][column], bench->state.dst.rows[place + DST_LOW_HALF][column]);
}

#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, setup_bench, teardown_bench)

#endif
