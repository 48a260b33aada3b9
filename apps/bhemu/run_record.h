/* What callbacks of a job tell, kept as elements of arrays of JSON until the job has ended: also what processes that
   are forked meanwhile tell. */
#ifndef BHEMU_APPS_RUN_RECORD_H
#define BHEMU_APPS_RUN_RECORD_H

#include <stdio.h>

#include "util/json.h"

struct run_record {
    int file; /* in memory, which all processes append to; 0: none yet */
    /* Of the element that is being written: */
    char *text;
    size_t size;
    FILE *stream;
};

/* Forgets all elements. false: there is no memory. */
bool run_record_begin(struct run_record *record);

/* One element: what is written to *json until run_record_end(). false: there is no memory, and nothing to end. */
bool run_record_add(struct run_record *record, struct json *json);
void run_record_end(struct run_record *record);

/* Writes them as the array that is a value of *to. */
void run_record_write(const struct run_record *record, struct json *to);

/* Replaces what is no UTF-8 by question marks, in place: paths and what kernels print may be anything. */
void run_record_clean(char *text);

#endif
