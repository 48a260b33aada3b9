/* Compares timed mode with what others measured on silicon: validation/measured.csv has a row for each value; a program
   is rebuilt here, runs in timed mode, and says what it measures of itself. */
#ifndef BHEMU_VALIDATION_VALIDATION_H
#define BHEMU_VALIDATION_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

/* A row of measured.csv. */
struct measured {
    char id[16], group[16], what[96], params[160], unit[24], source[128];
    double value;
};

/* Measures what a row says, in its unit. false: the row's parameters are none that the program is rebuilt for. */
typedef bool validation_measure(const struct measured *row, double *value);

/* Who measures the rows whose `what` begins so. A list ends with null. */
struct validation_program {
    const char *what;
    validation_measure *measure;
};

extern const struct validation_program validation_riscv[], validation_tensix[], validation_frontend[],
    validation_units[], validation_noc[], validation_dram[], validation_kernels[];

/* The number behind "name=" in a row's parameters; `otherwise`, if it is not there. */
long measured_number(const struct measured *row, const char *name, long otherwise);

/* Whether the parameters hold "name=value", or just `name` if value is null. */
bool measured_has(const struct measured *row, const char *name, const char *value);

#endif
