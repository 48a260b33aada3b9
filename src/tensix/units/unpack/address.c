/* Addresses of UNPACR: configuration contexts, tile descriptors, address counters. Source: ISA documentation
   UNPACR_Regular.md, functional model up to the main loop. */
#include "tensix/units/unpack/job.h"

#include <inttypes.h>

#include "tensix/units/state.h"
#include "util/bits.h"

/* THCON_SEC1 repeats THCON_SEC0 this many words later. */
enum { SECTION_WORDS = THCON_SEC1_REG0_TileDescriptor_ADDR32 - THCON_SEC0_REG0_TileDescriptor_ADDR32 };

_Static_assert((int)THCON_SEC1_REG7_Offset_address_ADDR32 - (int)THCON_SEC0_REG7_Offset_address_ADDR32 == SECTION_WORDS,
               "the sections of both unpackers are laid out alike");

/* A field that is named UNP0_... for unpacker 0 and UNP1_... for unpacker 1. */
#define UNP_GET(config, field)                                                                                         \
    ((config)->unpacker ? CONFIG_GET((config)->words, UNP1_##field) : CONFIG_GET((config)->words, UNP0_##field))

/* A field of the unpacker's THCON section. */
#define SECTION_GET(config, field) CONFIG_GET((config)->section, THCON_SEC0_##field)

struct unpack_config unpack_config_of(const struct tensix *tensix, unsigned thread, unsigned unpacker)
{
    const uint32_t *words = config_bank(&tensix->state->config, thread);
    return (struct unpack_config){
        .words = words, .section = unpacker ? words + SECTION_WORDS : words, .unpacker = unpacker};
}

static inline struct unpack_tile_descriptor unpack_tile_descriptor_of(const struct unpack_config *config)
{
    const uint32_t *words = config->section + THCON_SEC0_REG0_TileDescriptor_ADDR32;
    uint32_t z_dim = bits_get(words[1], 16, 8), w_dim = bits_get(words[2], 0, 8);
    return (struct unpack_tile_descriptor){
        .format = (enum data_format)bits_get(words[0], 0, 4),
        .uncompressed = bits_get(words[0], 4, 1),
        .no_bfp_exponents = bits_get(words[0], 5, 1),
        .blobs_per_xy_plane = bits_get(words[0], 8, 3),
        .x_dim = bits_get(words[0], 16, 16),
        .y_dim = bits_get(words[1], 0, 8),
        .z_dim = z_dim ? z_dim : 1,
        .w_dim = w_dim ? w_dim : 1,
        .blobs_y_start = words[2] >> 16 | words[3] << 16,
        .digest_size = bits_get(words[3], 24, 8),
    };
}

/* The row start indices that eight bits can address, and one more. */
enum { ROW_STARTS_BYTES = 2 * 257 };

/* One bit for each of eight contexts: those of contexts 4 to 7 lie 16 bits above those of contexts 0 to 3. */
static bool context_bit(uint32_t word, unsigned shift, unsigned context)
{
    return word >> (shift + context % 4 + context / 4 * 16) & 1;
}

static enum step choose_context(struct tensix *tensix, const struct args_UNPACR *args, struct unpack_job *job)
{
    if (!args->OvrdThreadId) {
        job->context = 0;
        job->adc_thread = job->thread;
        return STEP_DONE;
    }
    const uint16_t *thread_config = tensix->state->config.thread[job->thread];
    uint32_t base =
        args->AutoIncContextID ? tensix->state->unpack.context_counter[job->unpacker][job->thread] : args->CfgContextId;
    uint32_t offset = job->unpacker ? CONFIG_GET(thread_config, UNPACK_MISC_CFG_CfgContextOffset_1)
                                    : CONFIG_GET(thread_config, UNPACK_MISC_CFG_CfgContextOffset_0);
    job->context = (base + offset) % UNPACK_CONTEXTS;
    job->adc_thread = args->AddrCntContextId < TENSIX_THREADS ? args->AddrCntContextId : job->thread;
    if (args->AddrCntContextId >= TENSIX_THREADS) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "UNPACR: there is no ADC %u (AddrCntContextId)",
                        args->AddrCntContextId);
    }
    if (job->unpacker == 1 && job->context >= 2) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: unpacker 1 has contexts 0 and 1, not %u (context %u plus offset %u)", job->context,
                        base, offset);
    }
    return STEP_DONE;
}

static enum step choose_formats(struct tensix *tensix, const struct unpack_config *config,
                                const struct unpack_tile_descriptor *descriptor, const struct args_UNPACR *args,
                                struct unpack_job *job)
{
    if (args->OvrdThreadId && SECTION_GET(config, REG2_Ovrd_data_format)) {
        uint32_t word = config->section[THCON_SEC0_REG7_Unpack_data_format_cntx0_ADDR32 + job->context % 4];
        unsigned shift = THCON_SEC0_REG7_Unpack_data_format_cntx0_SHAMT + job->context / 4 * 8;
        job->in = (enum data_format)bits_get(word, shift, 4);
        job->out = (enum data_format)bits_get(word, shift + 4, 4);
    } else {
        job->in = descriptor->format;
        job->out = (enum data_format)SECTION_GET(config, REG2_Out_data_format);
    }
    bool int8_unsigned = job->unpacker ? CONFIG_GET(config->words, ALU_FORMAT_SPEC_REG0_SrcBUnsigned)
                                       : CONFIG_GET(config->words, ALU_FORMAT_SPEC_REG0_SrcAUnsigned);
    bool defined;
    job->conversion = unpack_conversion(job->in, job->out, job->to_dst, SECTION_GET(config, REG1_Unp_LF8_4b_exp),
                                        int8_unsigned, &defined);
    if (!defined) {
        enum data_format in = job->in;
        job->in = format_bits(in) ? in : FORMAT_INT8;
        return diagnose(
            tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
            "UNPACR: unpacker %u cannot convert %s in L1 to %s in %s; check InDataFormat and Out_data_format",
            job->unpacker, format_name(in), format_name(job->out),
            job->to_dst          ? "Dst"
            : job->unpacker == 0 ? "SrcA"
                                 : "SrcB");
    }
    return STEP_DONE;
}

/* The byte address after the tile's header. */
static uint32_t tile_body(const struct unpack_config *config, const struct unpack_tile_descriptor *descriptor,
                          const struct unpack_job *job)
{
    /* The base addresses of contexts 0 to 7 are eight words in a row, the offsets of contexts 0 to 3 are four. */
    uint32_t base = config->section[THCON_SEC0_REG3_Base_address_ADDR32 + job->context];
    uint32_t offset = config->section[THCON_SEC0_REG7_Offset_address_ADDR32 + job->context % 4] & 0xffff;
    return (base + offset + 1 + descriptor->digest_size) * 16;
}

static uint32_t round_up16(uint32_t bytes)
{
    return (bytes + 15) & ~15u;
}

/* The plane of a tile that the counters select: Z within W. */
static uint32_t input_plane(const struct adc_channel *zw, const struct unpack_tile_descriptor *tile)
{
    return (zw->w & ADC_INPUT_ZW_MASK) * tile->z_dim + (zw->z & ADC_INPUT_ZW_MASK);
}

/* The datums of an uncompressed tile that the address counters select. Returns the first of them. */
static uint32_t choose_datums(const struct tensix *tensix, const struct unpack_config *config,
                              const struct unpack_tile_descriptor *tile, const struct args_UNPACR *args,
                              struct unpack_job *job)
{
    const struct adc *xy = &tensix->state->addr.adc[job->adc_thread][job->unpacker];
    const struct adc_channel *zw = &tensix->state->addr.adc[job->thread][job->unpacker].channel[0];
    uint32_t x_begin = xy->channel[0].x, y = xy->channel[0].y, x_end = xy->channel[1].x + 1;
    if (args->RowSearch && tile->blobs_per_xy_plane) {
        uint32_t starts = tile->blobs_y_start;
        if (args->OvrdThreadId && job->unpacker == 0) {
            starts = job->context & 2 ? CONFIG_GET(config->words, UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start)
                                      : CONFIG_GET(config->words, UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start);
        }
        uint32_t next = (x_begin & 7) + 1;
        x_begin = bits_get(starts, (y & 7) * 4, 4) << 4;
        x_end = next == tile->blobs_per_xy_plane ? tile->x_dim & 0x1f0 : bits_get(starts, (next & 7) * 4, 4) << 4;
        y = 0;
    } else if (args->RowSearch) {
        x_begin = 0;
        x_end = xy->channel[1].x;
    }
    job->count = x_end - x_begin;
    return (input_plane(zw, tile) * tile->y_dim + y) * tile->x_dim + x_begin;
}

/* An entry of the array of row start indices. */
static uint32_t row_start(const struct tensix *tensix, const struct unpack_job *job, uint64_t indices, uint32_t row)
{
    uint16_t index;
    memcpy(&index, l1_read(tensix->l1, unpack_actor(job), (uint32_t)indices + row * 2, sizeof index), sizeof index);
    return index;
}

/* The datums of a compressed tile that the address counters select; its row start indices begin at `row_starts`.
   Stores the first of them to *first. */
static enum step choose_compressed_datums(struct tensix *tensix, const struct unpack_tile_descriptor *tile,
                                          const struct args_UNPACR *args, uint32_t row_starts, struct unpack_job *job,
                                          uint32_t *first)
{
    const struct adc *xy = &tensix->state->addr.adc[job->adc_thread][job->unpacker];
    const struct adc_channel *zw = &tensix->state->addr.adc[job->thread][job->unpacker].channel[0];
    bool blobs = args->RowSearch && tile->blobs_per_xy_plane;
    uint32_t rows = blobs ? tile->blobs_per_xy_plane : tile->y_dim;
    uint64_t indices = (uint64_t)row_starts + 2ull * input_plane(zw, tile) * rows;
    if (!l1_contains(indices, ROW_STARTS_BYTES)) {
        *first = 0;
        job->count = 0;
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: the row start indices at 0x%" PRIx64 " are not in L1", indices);
    }
    uint32_t x = xy->channel[0].x, y = xy->channel[0].y & 0xff, x_last = xy->channel[1].x;
    *first = row_start(tensix, job, indices, y);
    if (args->RowSearch) {
        job->count = row_start(tensix, job, indices, (x & 0xff) + 1) - *first;
    } else if (x == 0 && x_last == tile->x_dim - 1) {
        job->count = row_start(tensix, job, indices, y + 1) - *first;
    } else {
        job->count = UINT32_MAX;
        job->drop = x;
        job->emit = x_last + 1 - x;
    }
    return STEP_DONE;
}

static uint64_t wrap(const struct unpack_job *job, uint64_t place, unsigned units_per_byte)
{
    return place > job->limit * units_per_byte ? place - job->fifo_size * units_per_byte : place;
}

/* X has 18 bits: a number of datums with higher bits comes from a negative difference. */
static bool last_before_first(const struct unpack_job *job)
{
    bool counts_output = job->emit != UINT32_MAX;
    return (counts_output ? job->emit : job->count) > ADC_X_MASK + 1;
}

static enum step choose_input(struct tensix *tensix, const struct unpack_config *config,
                              struct unpack_tile_descriptor *tile, const struct args_UNPACR *args,
                              struct unpack_job *job)
{
    unsigned bits = format_bits(job->in);
    if (args->OvrdThreadId) {
        job->uncompressed = context_bit(config->section[THCON_SEC0_REG2_Disable_zero_compress_cntx0_ADDR32],
                                        THCON_SEC0_REG2_Disable_zero_compress_cntx0_SHAMT, job->context);
    } else {
        job->uncompressed = tile->uncompressed;
    }
    if (args->OvrdThreadId && job->unpacker == 0) {
        uint32_t word = config->words[THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32 + job->context % 4 / 2];
        tile->x_dim = bits_get(word, job->context % 2 * 16, 16);
    }

    uint32_t address = tile_body(config, tile, job);
    uint32_t row_starts = address;
    if (!job->uncompressed) {
        uint32_t rows = (tile->blobs_per_xy_plane ? tile->blobs_per_xy_plane : tile->y_dim) * tile->z_dim * tile->w_dim;
        address += round_up16((rows + 1) * 2);
    }
    uint32_t exponents = address;
    job->has_exponents = format_is_bfp(job->in) && !SECTION_GET(config, REG2_Force_shared_exp);
    job->forced_exponent = (uint8_t)UNP_GET(config, FORCED_SHARED_EXP_shared_exp);
    if (job->has_exponents && (bits == 8 || !tile->no_bfp_exponents)) {
        uint32_t elements = tile->x_dim * tile->y_dim * tile->z_dim * tile->w_dim;
        address += round_up16((elements + 15) / 16);
    }

    uint32_t first;
    job->drop = 0;
    job->emit = UINT32_MAX;
    if (job->uncompressed) {
        first = choose_datums(tensix, config, tile, args, job);
    } else {
        enum step step = choose_compressed_datums(tensix, tile, args, row_starts, job, &first);
        if (step != STEP_DONE) {
            return step;
        }
    }

    if (last_before_first(job)) {
        job->count = 0;
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: the last datum comes before the first; check X of unpacker %u's channels 0 and 1",
                        job->unpacker);
    }
    job->limit = 16 * (uint64_t)SECTION_GET(config, REG2_Unpack_limit_address);
    job->fifo_size = 16 * (uint64_t)SECTION_GET(config, REG2_Unpack_fifo_size);
    uint64_t body = 8 * (uint64_t)address;
    job->exponent_place = wrap(job, 16 * (uint64_t)exponents + first, 16);
    if (job->uncompressed) {
        job->datum_place = wrap(job, body + (uint64_t)first * bits, 8);
    } else {
        /* 32 datums, then their 32 deltas of four bits, and so on. */
        uint64_t datums = 32 * (uint64_t)bits, deltas = 128;
        uint64_t block = body + first / 32 * (datums + deltas);
        job->datum_place = wrap(job, block + first % 32 * (uint64_t)bits, 8);
        job->delta_place = wrap(job, block + datums + first % 32 * UINT64_C(4), 8);
    }

    job->row_width = bits <= 8 ? 16 : 32;
    job->row_stride = bits * job->row_width / 8;
    job->discontiguous = SECTION_GET(config, REG2_Tileize_mode);
    if (job->discontiguous) {
        job->row_stride = SECTION_GET(config, REG2_Shift_amount_cntx0) << 4 |
                          SECTION_GET(config, REG2_Shift_amount_cntx1) << 8 |
                          SECTION_GET(config, REG2_Shift_amount_cntx2) << 12;
    }
    return STEP_DONE;
}

static bool choose_destination(const struct unpack_config *config, const struct args_UNPACR *args,
                               const struct unpack_job *job)
{
    if (job->unpacker == 1) {
        return false;
    }
    if (args->OvrdThreadId) {
        return context_bit(config->words[THCON_SEC0_REG2_Unpack_if_sel_cntx0_ADDR32],
                           THCON_SEC0_REG2_Unpack_if_sel_cntx0_SHAMT, job->context);
    }
    return CONFIG_GET(config->words, THCON_SEC0_REG2_Unpack_If_Sel);
}

static enum step choose_output(struct tensix *tensix, const struct unpack_config *config,
                               const struct args_UNPACR *args, struct unpack_job *job)
{
    const struct adc_channel *out = &tensix->state->addr.adc[job->thread][job->unpacker].channel[1];
    uint32_t address = UNP_GET(config, ADDR_BASE_REG_1_Base) + out->y * UNP_GET(config, ADDR_CTRL_XY_REG_1_Ystride) +
                       out->z * UNP_GET(config, ADDR_CTRL_ZW_REG_1_Zstride) +
                       out->w * UNP_GET(config, ADDR_CTRL_ZW_REG_1_Wstride);
    unsigned shift = format_bits(job->out) == 32 ? 2 : format_bits(job->out) == 16 ? 1 : 0;
    if (address & ((1u << shift) - 1)) {
        enum step step =
            diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                     "UNPACR: unpacker %u writes to byte 0x%x, which is no multiple of the %u bytes of %s; "
                     "check its channel 1 strides",
                     job->unpacker, address, 1u << shift, format_name(job->out));
        if (step != STEP_DONE) {
            return step;
        }
    }
    job->out_address = address >> shift;
    if (args->OvrdThreadId && job->unpacker == 0) {
        uint32_t word = config->words[THCON_SEC0_REG5_Dest_cntx0_address_ADDR32 + job->context % 4 / 2];
        uint32_t context_address = bits_get(word, job->context % 2 * 16, 16);
        bool add = job->to_dst || UNP_GET(config, ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
        job->out_address = (add ? job->out_address : 0) + context_address;
    }

    const uint16_t *thread_config = tensix->state->config.thread[job->thread];
    bool override = CONFIG_GET(thread_config, SRCA_SET_SetOvrdWithAddr);
    job->within_set = job->unpacker == 0 && !job->to_dst && !override;
    const struct src_register_file *src = job->unpacker ? &tensix->state->srcb : &tensix->state->srca;
    job->out_row = unpack_counts_rows(job) ? src->unpacker_row[job->thread] : 0;
    if (job->to_dst && override) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: to Dst while SRCA_SET_SetOvrdWithAddr is set; clear it first");
    }
    return STEP_DONE;
}

/* Modes that change how data are unpacked, and whether they can be combined. */
static enum step choose_modes(struct tensix *tensix, const struct unpack_config *config, struct unpack_job *job)
{
    job->upsample_zeroes = (1u << SECTION_GET(config, REG2_Upsample_rate)) - 1;
    job->upsample_interleave = SECTION_GET(config, REG2_Upsample_and_interleave);
    job->transpose = SECTION_GET(config, REG2_Haloize_mode);
    job->column_shift = 0;
    if (job->unpacker == 0 && !job->discontiguous) {
        job->column_shift = bits_get(config->words[THCON_SEC0_REG2_Shift_amount_cntx0_ADDR32],
                                     THCON_SEC0_REG2_Shift_amount_cntx0_SHAMT + job->context % 4 * 4, 4);
    }
    if (job->transpose && job->unpacker == 1) {
        job->transpose = false;
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "UNPACR: Haloize_mode is set for unpacker 1, which does not transpose");
    }
    if (job->to_dst && (job->transpose || job->column_shift)) {
        job->transpose = false;
        job->column_shift = 0;
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: to Dst with Haloize_mode or a column shift, which only SrcA has");
    }
    if (job->discontiguous && (job->upsample_zeroes || !job->uncompressed)) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: Tileize_mode with upsampling or with compressed data");
    }
    if ((job->transpose || job->discontiguous) && job->datum_place % 128) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "UNPACR: %s needs data that start at a multiple of 16 bytes, not at 0x%" PRIx64,
                        job->discontiguous ? "Tileize_mode" : "Haloize_mode", job->datum_place / 8);
    }
    if (job->discontiguous && format_bits(job->in) < 8) {
        return diagnose(tensix->diagnostics, BH_UNPREDICTABLE_VALUE,
                        "UNPACR: Tileize_mode with %s, whose row width nobody has characterised", format_name(job->in));
    }
    return STEP_DONE;
}

enum step unpack_job_prepare(struct tensix *tensix, unsigned thread, const struct args_UNPACR *args,
                             struct unpack_job *job)
{
    job->unpacker = args->Unpack_block_selection;
    job->thread = thread;
    job->all_zero = args->ZeroWrite2;
    job->bank = job->unpacker ? tensix->state->srcb.unpacker_bank : tensix->state->srca.unpacker_bank;
    struct unpack_config config = unpack_config_of(tensix, thread, job->unpacker);
    struct unpack_tile_descriptor tile = unpack_tile_descriptor_of(&config);

    enum step step = choose_context(tensix, args, job);
    if (step == STEP_DONE) {
        job->to_dst = choose_destination(&config, args, job);
        step = choose_formats(tensix, &config, &tile, args, job);
    }
    if (step == STEP_DONE) {
        step = choose_input(tensix, &config, &tile, args, job);
    }
    if (step == STEP_DONE) {
        step = choose_output(tensix, &config, args, job);
    }
    if (step == STEP_DONE) {
        step = choose_modes(tensix, &config, job);
    }
    return step;
}
