/* Comparing an output of a job with what is expected: how much differs, by how much, and where; as text, arrays and a
   picture. */
#ifndef BHEMU_HOST_JOB_COMPARE_H
#define BHEMU_HOST_JOB_COMPARE_H

#include "bhemu/error.h"
#include "bhemu/tensor.h"

/* Both are arrays of the same type and shape. */
struct job_comparison {
    const struct bh_array *got, *expected;
    enum bh_layout layout;   /* in the device: tells where in a tile an element is */
    const double *tolerance; /* null: bits are compared */
};

struct job_difference {
    size_t differ, first;                  /* how many elements, and the first of them */
    size_t worst_absolute, worst_relative; /* elements with the largest errors */
    double absolute, relative;             /* these errors; of elements that differ and are finite on both sides */
    size_t finite;                         /* how many of those that differ are that */
    size_t nans, expected_nans, infinities, expected_infinities;
};

/* The array type that a tensor of the device becomes when nothing else says. */
enum bh_host_type job_natural_type(enum bh_format format);

double job_element(const struct bh_array *array, size_t index);

/* Returns whether all elements are as expected. */
bool job_compare(const struct job_comparison *comparison, struct job_difference *difference);

/* "NAME: 3 of 1024 elements differ, first at [0,1]: 1.5 instead of 1 ...", and a line for each thing more to say,
   behind
   "\n  ". */
void job_describe_difference(const struct job_comparison *comparison, const struct job_difference *difference,
                             const char *name, struct bh_error *text);

/* Writes NAME.expected.npy, NAME.got.npy, NAME.difference.npy (float64) and NAME.png into a folder that is there. */
enum bh_status job_write_difference(const struct job_comparison *comparison, const char *folder, const char *name,
                                    struct bh_error *error);

#endif
