/* Compares timed mode with what others measured on silicon: validation/measured.csv has a row for each value; a program
   is rebuilt here, runs in timed mode, and says what it measures of itself. */
#ifndef BHEMU_VALIDATION_VALIDATION_H
#define BHEMU_VALIDATION_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

/* A row of measured.csv or documented.csv. Documents give bounds of some figures: ">=8", "<=2", "1..2"; then `value` is
   the nearest one, and others meet it too. */
struct measured {
    char id[16], group[16], what[96], params[160], given[24], unit[24], source[128];
    double value, lowest, highest;
};

/* Measures what a row says, in its unit. false: the row's parameters are none that the program is rebuilt for. */
typedef bool validation_measure(const struct measured *row, double *value);

/* Who measures the rows whose `what` begins so. A list ends with null. */
struct validation_program {
    const char *what;
    validation_measure *measure;
};

extern const struct validation_program validation_riscv[], validation_tensix[], validation_frontend[],
    validation_backends[], validation_units[], validation_slots[], validation_reductions[], validation_copies[],
    validation_pack[], validation_patterns[], validation_noc[], validation_dram[], validation_dram_zones[],
    validation_dram_streams[], validation_kernels[], validation_library_math[], validation_library_unpack[],
    validation_drisc[], validation_atomics[];

/* Measures a documented figure by a micro-program of its own. */
bool measure_documented(const struct measured *row, double *value);

/* The number behind "name=" in a row's parameters; `otherwise`, if it is not there. */
long measured_number(const struct measured *row, const char *name, long otherwise);

/* Whether the parameters hold "name=value", or just `name` if value is null. */
bool measured_has(const struct measured *row, const char *name, const char *value);

#endif
