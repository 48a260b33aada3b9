/* One UNPACR, resolved: source, conversion and destination of its datums, as given by configuration and address
   counters. unpack_job_prepare() reads the configuration once and changes nothing; unpack_job_run() moves the
   datums. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_JOB_H
#define BHEMU_TENSIX_UNITS_UNPACK_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "isa/tensix_isa.h"
#include "observe/observed.h"
#include "tensix/num/formats_unpack.h"

struct tensix;

/* The configuration of one unpacker, through the names of the THCON_SEC0_... and UNP0_... fields for either
   unpacker. */
struct unpack_config {
    const uint32_t *words;   /* the thread's bank of Config */
    const uint32_t *section; /* `words` shifted so that THCON_SEC0 fields are those of the unpacker */
    unsigned unpacker;
};

struct unpack_tile_descriptor {
    enum data_format format;
    bool uncompressed, no_bfp_exponents;
    uint32_t blobs_per_xy_plane;
    uint32_t x_dim, y_dim, z_dim, w_dim; /* z_dim and w_dim at least 1 */
    uint32_t blobs_y_start;
    uint32_t digest_size;
};

/* Places in L1 have units small enough for every datum: bits for datums and deltas, sixteenths of a byte for
   exponents. */
struct unpack_job {
    unsigned unpacker, thread;
    unsigned context;    /* WhichContext */
    unsigned adc_thread; /* WhichADC */
    enum data_format in, out;
    enum unpack_conversion conversion;
    bool to_dst;
    bool all_zero; /* AllDatumsAreZero */

    bool uncompressed;
    uint32_t count;          /* InputNumDatums */
    uint32_t drop, emit;     /* DecompressDrop, DecompressNumDatums */
    uint64_t datum_place;    /* in bits */
    uint64_t delta_place;    /* in bits */
    uint64_t exponent_place; /* in sixteenths of a byte */
    bool has_exponents;      /* a block format without forced exponent */
    uint8_t forced_exponent;
    uint32_t row_width;        /* datums before the next row */
    uint32_t row_stride;       /* bytes from row to row */
    bool discontiguous;        /* rows of row_width datums are not contiguous */
    uint64_t limit, fifo_size; /* in bytes: a place beyond limit moves back by fifo_size */

    uint32_t out_address; /* in datums, 16 to a row */
    uint32_t out_row;     /* added to the row: SrcRow */
    bool within_set;      /* SrcA rows must stay within a set of 16 */
    uint32_t column_shift;
    bool transpose;
    uint32_t upsample_zeroes;
    bool upsample_interleave;
    unsigned bank;
};

static inline struct actor unpack_actor(const struct unpack_job *job)
{
    return (struct actor){.agent = BH_AGENT_UNPACKER, .index = (uint8_t)job->unpacker};
}

struct unpack_config unpack_config_of(const struct tensix *tensix, unsigned thread, unsigned unpacker);

/* Zeroes the job with few stores: compilers begin an initialiser of this size with a slow instruction. */
static inline void unpack_job_clear(struct unpack_job *job)
{
    typedef uint64_t word __attribute__((may_alias));
    _Static_assert(sizeof *job % sizeof(word) == 0, "there is no rest");
#pragma GCC unroll 32
    for (size_t i = 0; i < sizeof *job / sizeof(word); i++) {
        ((word *)job)[i] = 0;
    }
}

/* Fills *job, which has been cleared. STEP_STOP: a diagnostic was given. */
enum step unpack_job_prepare(struct tensix *tensix, unsigned thread, const struct args_UNPACR *args,
                             struct unpack_job *job);

/* Moves the datums. STEP_STOP: a diagnostic was given, nothing moved. */
enum step unpack_job_run(struct tensix *tensix, const struct unpack_job *job);

/* Whether its rows count from SrcRow. */
static inline bool unpack_counts_rows(const struct unpack_job *job)
{
    return job->unpacker == 1 || job->within_set;
}

/* The same, later than the instruction has passed, of what L1 holds by then. broadcast: the row goes to those after it,
   too. */
enum step unpack_job_again(struct tensix *tensix, const struct unpack_job *job, bool broadcast);

#endif
