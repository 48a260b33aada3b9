/* Executes the data transfer of one UNPACR. Uncompressed data without upsampling or shifts are moved in runs that the
   compiler vectorises; other data are moved datum by datum, like in the documentation's main loop. In both cases a
   first pass checks for errors, so that a stop changes nothing. Source: ISA documentation UNPACR_Regular.md, main
   unpack loop. */
#include "tensix/units/unpack/job.h"
#include "tensix/units/unpack/operands.h"

#include <inttypes.h>
#include <string.h>

#include "tensix/num/move_rows.h"
#include "tensix/units/state.h"
#include "util/bits.h"

/* Where the next datum comes from. */
struct cursor {
    uint64_t datum, delta, exponent; /* as in struct unpack_job */
    uint32_t index;                  /* datums read so far */
};

static struct cursor cursor_begin(const struct unpack_job *job)
{
    return (struct cursor){.datum = job->datum_place, .delta = job->delta_place, .exponent = job->exponent_place};
}

static uint64_t wrap(const struct unpack_job *job, uint64_t place, unsigned units_per_byte)
{
    return place > job->limit * units_per_byte ? place - job->fifo_size * units_per_byte : place;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many of the next `count` datums are contiguous, with contiguous exponents. */
static uint32_t run_length(const struct unpack_job *job, const struct cursor *cursor, uint32_t count)
{
    uint32_t length = smaller(count, UNPACK_CONVERT_MAX);
    if (job->discontiguous || job->fifo_size) {
        length = smaller(length, job->row_width - cursor->index % job->row_width);
    }
    if (job->fifo_size && job->has_exponents) {
        length = smaller(length, 256 - cursor->exponent % 256);
    }
    return length;
}

static void advance(const struct unpack_job *job, struct cursor *cursor, uint32_t length, unsigned bits)
{
    cursor->index += length;
    cursor->datum += (uint64_t)length * bits;
    cursor->exponent += length;
    if (cursor->index % job->row_width == 0) {
        if (job->discontiguous) {
            cursor->datum += 8 * (uint64_t)job->row_stride - (uint64_t)job->row_width * bits;
        }
        cursor->datum = wrap(job, cursor->datum, 8);
    }
    if (cursor->exponent % 256 == 0) {
        cursor->exponent = wrap(job, cursor->exponent, 16);
    }
}

/* The source at the cursor, for reading or for checks only. */
static struct unpack_source source_at(const struct tensix *tensix, const struct unpack_job *job,
                                      const struct cursor *cursor, unsigned bits)
{
    return (struct unpack_source){
        .datums = l1_peek(tensix->l1, (uint32_t)(cursor->datum / 8)),
        .datum_phase = (unsigned)(cursor->datum % 8) / bits,
        .datum_bits = bits,
        .exponents =
            job->has_exponents ? l1_peek(tensix->l1, (uint32_t)(cursor->exponent / 16)) : &job->forced_exponent,
        .exponent_phase = job->has_exponents ? cursor->exponent % 16 : 0,
        .exponent_forced = !job->has_exponents,
    };
}

/* Reports a read of the bytes that contain `length` pieces from `place` on to observers. */
static void tell_read(const struct tensix *tensix, const struct unpack_job *job, uint64_t place, uint64_t length,
                      unsigned pieces_per_byte)
{
    uint64_t first = place / pieces_per_byte, end = (place + length + pieces_per_byte - 1) / pieces_per_byte;
    (void)l1_read(tensix->l1, unpack_actor(job), (uint32_t)first, (uint32_t)(end - first));
}

/* The source at the cursor for reading `length` data, which is reported to observers. */
static inline struct unpack_source read_at(const struct tensix *tensix, const struct unpack_job *job,
                                           const struct cursor *cursor, uint32_t length, unsigned bits)
{
    if (__builtin_expect(tensix->l1->observed != NULL, 0)) {
        tell_read(tensix, job, cursor->datum, (uint64_t)length * bits, 8);
        if (job->has_exponents) {
            tell_read(tensix, job, cursor->exponent, length, 16);
        }
    }
    return source_at(tensix, job, cursor, bits);
}

static enum step check_in_l1(struct tensix *tensix, const char *what, uint64_t place, uint64_t length,
                             unsigned units_per_byte)
{
    if (place <= (uint64_t)L1_SIZE * units_per_byte && length <= (uint64_t)L1_SIZE * units_per_byte - place) {
        return STEP_DONE;
    }
    enum step step =
        diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                 "UNPACR: %s at 0x%" PRIx64 " are not in L1, which ends at 0x%x; check the base address and the "
                 "address counters",
                 what, place / units_per_byte, L1_SIZE);
    return step == STEP_DONE ? STEP_WAIT : step; /* STEP_WAIT: diagnosed, and no data to move */
}

static enum step check_run(struct tensix *tensix, const struct unpack_job *job, const struct cursor *cursor,
                           uint32_t length, unsigned bits)
{
    enum step step = check_in_l1(tensix, "datums", cursor->datum, (uint64_t)length * bits, 8);
    if (step == STEP_DONE && job->has_exponents) {
        step = check_in_l1(tensix, "exponents", cursor->exponent, length, 16);
    }
    return step;
}

/* Checks for rows of Src that the documentation leaves undefined; silicon's row number has six bits. `out` is the last
   datum. */
static enum step check_row(struct tensix *tensix, const struct unpack_job *job, uint64_t out)
{
    uint64_t row = out / ROW_COLUMNS;
    if (job->unpacker == 1 && row + job->out_row >= SRC_ROWS) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "UNPACR: SrcB has no row %" PRIu64,
                        row + job->out_row);
    }
    if (job->within_set && row >= 4 + 16) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: row %" PRIu64 " is beyond the 16 rows of a set of SrcA; set SRCA_SET_SetOvrdWithAddr",
                        row - 4);
    }
    return STEP_DONE;
}

/* The index of a datum in Dst, whose addresses begin four rows before its first row. */
static uint32_t dst_index(uint32_t out)
{
    return out - 4 * ROW_COLUMNS;
}

static void write_dst(struct dst_register_file *dst, const struct unpack_job *job, uint32_t out, const uint32_t *values,
                      uint32_t count)
{
    bool wide = format_bits(job->out) == 32;
    uint32_t place = dst_index(out);
    while (count) {
        uint32_t row = place / ROW_COLUMNS % DST_ROWS, column = place % ROW_COLUMNS;
        uint32_t length = smaller(count, ROW_COLUMNS - column);
        row = dst_place(dst, wide, row);
        if (wide) {
            unpack_raw_to_dst32(values, &dst->rows[row][column], &dst->rows[row + DST_LOW_HALF][column], length);
        } else {
            unpack_src_to_dst16(job->conversion, values, &dst->rows[row][column], length);
        }
        dst->valid[row] = 1;
        place += length;
        values += length;
        count -= length;
    }
}

/* The index of a datum in a bank of Src; addresses of SrcA begin four rows before its first row. */
static uint32_t src_place(const struct unpack_job *job, uint32_t out)
{
    uint32_t first = job->unpacker ? 0 : 4 * ROW_COLUMNS;
    return (out - first + job->out_row * ROW_COLUMNS) % (SRC_ROWS * ROW_COLUMNS);
}

/* Writes faces of 16 rows, each transposed. */
static void write_transposed_faces(uint32_t rows[][ROW_COLUMNS], const uint32_t *values, uint32_t faces)
{
    const size_t face = (size_t)16 * ROW_COLUMNS;
    for (; faces; faces--, rows += 16, values += face) {
        src_transpose((const uint32_t(*)[ROW_COLUMNS])values, rows);
    }
}

static void write_src(uint32_t bank[SRC_ROWS][ROW_COLUMNS], const struct unpack_job *job, uint32_t out,
                      const uint32_t *values, uint32_t count)
{
    const uint32_t face = 16 * ROW_COLUMNS, bank_size = SRC_ROWS * ROW_COLUMNS;
    uint32_t place = src_place(job, out);
    if (job->transpose && place % face == 0 && count % face == 0 && place + count <= bank_size) {
        write_transposed_faces(bank + place / ROW_COLUMNS, values, count / face);
        return;
    }
    for (uint32_t i = 0; i < count; i++, place = (place + 1) % bank_size) {
        uint32_t row = place / ROW_COLUMNS, column = place % ROW_COLUMNS;
        if (job->transpose) {
            bank[(row & ~15u) | column][row & 15] = values[i];
        } else {
            bank[row][column] = values[i];
        }
    }
}

static void write_run(struct tensix *tensix, const struct unpack_job *job, uint32_t out, const uint32_t *values,
                      uint32_t count)
{
    struct tensix_state *state = tensix->state;
    if (job->to_dst) {
        write_dst(&state->dst, job, out, values, count);
    } else {
        write_src((job->unpacker ? &state->srcb : &state->srca)->rows[job->bank], job, out, values, count);
    }
}

/* The buffer for a converted run: its destination if it is not transposed and ends before the last row, else
   `buffer`. */
static uint32_t *place_of_run(struct tensix *tensix, const struct unpack_job *job, uint32_t out, uint32_t count,
                              uint32_t *buffer)
{
    uint32_t place = src_place(job, out);
    if (job->to_dst || job->transpose || place + count > SRC_ROWS * ROW_COLUMNS) {
        return buffer;
    }
    struct src_register_file *src = job->unpacker ? &tensix->state->srcb : &tensix->state->srca;
    return &src->rows[job->bank][0][0] + place;
}

static enum step tell_unpredictable(struct tensix *tensix, const struct unpack_job *job)
{
    return diagnose(tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
                    "UNPACR: a %s datum has an exponent that five bits cannot hold", format_name(job->in));
}

static enum step check_runs(struct tensix *tensix, const struct unpack_job *job, unsigned bits)
{
    struct cursor cursor = cursor_begin(job);
    bool predictable = true;
    while (cursor.index < job->count) {
        uint32_t length = run_length(job, &cursor, job->count - cursor.index);
        enum step step = check_run(tensix, job, &cursor, length, bits);
        if (step != STEP_DONE) {
            return step;
        }
        if (job->conversion == UNPACK_BFPA && !job->all_zero) {
            struct unpack_source source = source_at(tensix, job, &cursor, bits);
            uint32_t values[UNPACK_CONVERT_MAX];
            predictable &= unpack_convert(job->conversion, &source, values, length);
        }
        advance(job, &cursor, length, bits);
    }
    enum step step = job->count ? check_row(tensix, job, (uint64_t)job->out_address + job->count - 1) : STEP_DONE;
    return step == STEP_DONE && !predictable ? tell_unpredictable(tensix, job) : step;
}

/* Tileize_mode with whole rows that go to their destination in order. Returns whether it moved everything; otherwise
   nothing happened. */
static bool move_rows(struct tensix *tensix, const struct unpack_job *job, unsigned bits)
{
    if (!job->discontiguous || job->fifo_size || job->all_zero || job->has_exponents || job->to_dst || job->transpose ||
        !job->count || job->count % job->row_width != 0 || tensix->l1->observed) {
        return false;
    }
    uint32_t rows = job->count / job->row_width, place = src_place(job, job->out_address);
    uint64_t width_bytes = job->row_width * bits / 8, begin = job->datum_place / 8;
    uint64_t end = begin + (rows - 1) * (uint64_t)job->row_stride + width_bytes;
    bool any_row = job->unpacker == 0 && !job->within_set; /* the others need check_row() */
    if (!any_row || end > L1_SIZE || job->datum_place % 8 != 0 || place + job->count > SRC_ROWS * ROW_COLUMNS) {
        return false;
    }
    return unpack_convert_rows(job->conversion, l1_peek(tensix->l1, (uint32_t)begin), job->row_stride,
                               &tensix->state->srca.rows[job->bank][0][0] + place, job->row_width, rows);
}

static enum step move_runs(struct tensix *tensix, const struct unpack_job *job)
{
    unsigned bits = format_bits(job->in);
    if (move_rows(tensix, job, bits)) {
        return STEP_DONE;
    }
    enum step step = check_runs(tensix, job, bits);
    if (step != STEP_DONE) {
        return step;
    }
    struct cursor cursor = cursor_begin(job);
    uint32_t out = job->out_address;
    while (cursor.index < job->count) {
        uint32_t length = run_length(job, &cursor, job->count - cursor.index);
        uint32_t buffer[UNPACK_CONVERT_MAX];
        uint32_t *values = place_of_run(tensix, job, out, length, buffer);
        if (job->all_zero) {
            memset(values, 0, length * sizeof *values);
        } else {
            struct unpack_source source = read_at(tensix, job, &cursor, length, bits);
            unpack_convert(job->conversion, &source, values, length);
        }
        if (values == buffer) {
            write_run(tensix, job, out, values, length);
        }
        out += length;
        advance(job, &cursor, length, bits);
    }
    return STEP_DONE;
}

/* Writes one datum to its destination, if it has one: rows and columns before the first are dropped. */
static enum step write_one(struct tensix *tensix, const struct unpack_job *job, uint32_t out, uint32_t value, bool dry)
{
    if (!job->to_dst && job->unpacker == 0) {
        if (out < 4 * ROW_COLUMNS || out % ROW_COLUMNS < job->column_shift) {
            return STEP_DONE;
        }
        out -= job->column_shift;
    }
    if (dry) {
        return check_row(tensix, job, out);
    }
    write_run(tensix, job, out, &value, 1);
    return STEP_DONE;
}

/* Reads the number of zeroes after the datum at the cursor, and advances to the next datum. */
static uint32_t read_delta(struct tensix *tensix, const struct unpack_job *job, struct cursor *cursor, unsigned bits,
                           bool dry)
{
    uint32_t address = (uint32_t)(cursor->delta / 8);
    const uint8_t *byte = dry ? l1_peek(tensix->l1, address) : l1_read(tensix->l1, unpack_actor(job), address, 1);
    uint32_t delta = *byte >> (cursor->delta % 8) & 15;
    cursor->delta += 4;
    if (cursor->delta % 128 == 0) {
        cursor->datum += 128;
        cursor->delta = wrap(job, cursor->delta + 32 * (uint64_t)bits, 8);
    }
    return delta;
}

/* The main loop, datum by datum. dry: only checks. *end: behind the last datum. */
static enum step move_datums(struct tensix *tensix, const struct unpack_job *job, bool dry, uint32_t *end)
{
    unsigned bits = format_bits(job->in);
    struct cursor cursor = cursor_begin(job);
    uint32_t out = job->out_address, drop = job->drop, emit = job->emit;
    *end = out;
    while (cursor.index < job->count && emit) {
        enum step step = dry ? check_run(tensix, job, &cursor, 1, bits) : STEP_DONE;
        if (dry && step == STEP_DONE && !job->uncompressed) {
            step = check_in_l1(tensix, "deltas", cursor.delta, 4, 8);
        }
        if (step != STEP_DONE) {
            return step;
        }
        struct unpack_source source =
            dry ? source_at(tensix, job, &cursor, bits) : read_at(tensix, job, &cursor, 1, bits);
        uint32_t datum;
        bool predictable = unpack_convert(job->conversion, &source, &datum, 1);
        if (dry && !predictable && !job->all_zero) {
            step = tell_unpredictable(tensix, job);
            if (step != STEP_DONE) {
                return step;
            }
        }
        advance(job, &cursor, 1, bits);
        uint32_t zeroes = job->uncompressed ? 0 : read_delta(tensix, job, &cursor, bits, dry);
        if (job->all_zero) {
            datum = zeroes = 0;
        }
        for (uint32_t j = 0; j <= zeroes; j++, datum = 0) {
            if (drop) {
                drop--;
                continue;
            }
            for (uint32_t k = 0; k <= job->upsample_zeroes; k++, datum = 0, out++) {
                if (job->upsample_interleave && k) {
                    continue;
                }
                step = write_one(tensix, job, out, datum, dry);
                if (step != STEP_DONE) {
                    return step;
                }
            }
            if (--emit == 0) {
                break;
            }
        }
        *end = out;
    }
    return STEP_DONE;
}

/* Whether the data go to adjacent places. */
static bool moves_runs(const struct unpack_job *job)
{
    bool begins_in_rows = job->to_dst || job->unpacker == 1 || job->out_address >= 4 * ROW_COLUMNS;
    return job->uncompressed && !job->upsample_zeroes && !job->column_shift && begins_in_rows;
}

enum step unpack_job_run(struct tensix *tensix, const struct unpack_job *job)
{
    enum step step;
    if (!job->to_dst) {
        (job->unpacker ? &tensix->state->srcb : &tensix->state->srca)->zero[job->bank] = false;
    }
    if (moves_runs(job)) {
        step = move_runs(tensix, job);
    } else {
        uint32_t end;
        step = move_datums(tensix, job, true, &end);
        if (step == STEP_DONE) {
            step = move_datums(tensix, job, false, &end);
        }
    }
    return step == STEP_WAIT ? STEP_DONE : step;
}

/* Adds the row that a datum goes to, or, if it is transposed, the rows of its face. */
static void add_row(const struct dst_register_file *dst, const struct unpack_job *job, uint32_t out,
                    struct operand_rows *written)
{
    if (job->to_dst) {
        operand_dst_rows(written, dst, format_bits(job->out) == 32, dst_index(out) / ROW_COLUMNS % DST_ROWS, 1, 1);
    } else {
        uint32_t row = src_place(job, out) / ROW_COLUMNS;
        operand_src_rows(written, job->unpacker, job->bank, job->transpose ? row & ~15u : row, job->transpose ? 16 : 1);
    }
}

void unpack_job_operands(struct tensix *tensix, const struct unpack_job *job, struct operand_rows *written)
{
    uint32_t first = job->out_address, end = first + job->count, rows;
    if (!moves_runs(job)) {
        (void)move_datums(tensix, job, true, &end);
        first = !job->to_dst && job->unpacker == 0 && first < 4 * ROW_COLUMNS ? 4 * ROW_COLUMNS : first;
    }
    rows = end > first ? (end - 1) / ROW_COLUMNS - first / ROW_COLUMNS + 1 : 0;
    for (uint32_t i = 0; i < smaller(rows, DST_ROWS); i++) {
        add_row(&tensix->state->dst, job, first + i * ROW_COLUMNS, written);
    }
}
