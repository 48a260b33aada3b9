#include "tensix/units/unpack/plan.h"

#include "tensix/units/state.h"
#include "tensix/units/unpack/finish.h"
#include "tensix/units/unpack/job.h"

enum { FIRST_KEY = THCON_SEC0_REG0_TileDescriptor_ADDR32, EXPONENTS_OF_BLOCK = 16, L1_WORD = 16 };
_Static_assert((int)THCON_SEC0_REG2_Unpack_fifo_size_ADDR32 == FIRST_KEY + UNPACK_KEY_WORDS - 1, "REG0 to REG2");

/* Whether the plan was made for these words. Compared in vectors of 128 bits. */
static inline bool holds(const struct unpack_plan *plan, const struct unpack_config *config)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    pair differences = {0};
#pragma GCC unroll 4
    for (size_t i = 0; i < UNPACK_KEY_WORDS / 4; i++) {
        pair now, then;
        memcpy(&now, config->section + FIRST_KEY + 4 * i, sizeof now);
        memcpy(&then, plan->key + 4 * i, sizeof then);
        differences |= now ^ then;
    }
    uint32_t format_spec = config->words[ALU_FORMAT_SPEC_REG0_SrcAUnsigned_ADDR32] ^ plan->format_spec;
    return ((differences[0] | differences[1]) | format_spec) == 0;
}

/* The context of a UNPACR that does not count them. */
static inline unsigned context_of(const struct tensix_state *state, unsigned thread, const struct args_UNPACR *args)
{
    const uint16_t *config = state->config.thread[thread];
    uint32_t offset = args->Unpack_block_selection ? CONFIG_GET(config, UNPACK_MISC_CFG_CfgContextOffset_1)
                                                   : CONFIG_GET(config, UNPACK_MISC_CFG_CfgContextOffset_0);
    return args->OvrdThreadId ? (args->CfgContextId + offset) % UNPACK_CONTEXTS : 0;
}

static inline struct unpack_plan *plan_of(struct tensix *tensix, const struct args_UNPACR *args, unsigned context)
{
    return &tensix->unpack_plans[args->Unpack_block_selection][context % UNPACK_PLANNED_CONTEXTS];
}

static inline bool is_for(const struct unpack_plan *plan, unsigned thread, uint32_t word, unsigned context,
                          const struct unpack_config *config)
{
    return plan->known && plan->word == (word & UNPACK_KEY_WORD) && plan->thread == thread &&
           plan->context == context && holds(plan, config);
}

/* Half of a word that has those of two contexts. */
static inline uint32_t of_context(const uint32_t *words, unsigned context)
{
    return words[context % 4 / 2] >> context % 2 * 16 & 0xffff;
}

/* What is the same for all UNPACRs of a row of them, between which nothing else executes. */
struct course {
    const struct unpack_plan *plan;
    struct src_register_file *src;
    struct unpack_config config;
    const struct adc_channel *xy, *zw; /* channels 0 and 1 */
    uint32_t x_dim, y_dim, z_dim;
    uint64_t data, exponents; /* of the tile, in bits and in sixteenths of a byte */
    uint32_t out, y_stride, z_stride, w_stride;
    uint32_t more; /* added to the destination, in data */
    bool counts;   /* counters have a say in the destination */
    bool in_set;   /* rows of SrcA stay in a set of 16 */
};

/* Where the tile lies: as choose_input() of address.c has it. */
static inline void find_tile(const struct unpack_plan *plan, const struct unpack_config *config, struct course *course)
{
    const uint32_t *descriptor = config->section + FIRST_KEY;
    const uint32_t z_field = descriptor[1] >> 16 & 0xff, w_field = descriptor[2] & 0xff;
    const uint32_t base = config->section[THCON_SEC0_REG3_Base_address_ADDR32 + plan->context];
    const uint32_t offset = config->section[THCON_SEC0_REG7_Offset_address_ADDR32 + plan->context % 4] & 0xffff;
    const uint32_t digest_size = descriptor[3] >> 24;
    uint32_t address = (base + offset + 1 + digest_size) * L1_WORD;
    course->x_dim = plan->by_context
                        ? of_context(config->words + THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32, plan->context)
                        : descriptor[0] >> 16;
    course->y_dim = descriptor[1] & 0xff;
    course->z_dim = z_field ? z_field : 1;
    course->exponents = (uint64_t)EXPONENTS_OF_BLOCK * address;
    if (plan->exponents_apart) {
        uint32_t data = course->x_dim * course->y_dim * course->z_dim * (w_field ? w_field : 1);
        uint32_t exponents = (data + EXPONENTS_OF_BLOCK - 1) / EXPONENTS_OF_BLOCK;
        address += (exponents + L1_WORD - 1) & ~(uint32_t)(L1_WORD - 1);
    }
    course->data = UINT64_C(8) * address;
}

/* Where it goes to: as choose_output() has it. */
static inline void find_destination(const struct tensix_state *state, const struct unpack_plan *plan,
                                    const struct unpack_config *config, struct course *course)
{
    const uint32_t *words = config->words;
    const bool of_b = config->unpacker;
    const uint32_t xy = of_b ? UNP1_ADDR_CTRL_XY_REG_1_Ystride_ADDR32 : UNP0_ADDR_CTRL_XY_REG_1_Ystride_ADDR32;
    const uint32_t zw = of_b ? UNP1_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32 : UNP0_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32;
    course->out = of_b ? CONFIG_GET(words, UNP1_ADDR_BASE_REG_1_Base) : CONFIG_GET(words, UNP0_ADDR_BASE_REG_1_Base);
    course->y_stride = words[xy] >> 16;
    course->z_stride = words[zw] & 0xffff;
    course->w_stride = words[zw] >> 16;
    course->more = plan->by_context ? of_context(words + THCON_SEC0_REG5_Dest_cntx0_address_ADDR32, plan->context) : 0;
    course->counts = !plan->by_context || CONFIG_GET(words, UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
    course->in_set = !of_b && !CONFIG_GET(state->config.thread[plan->thread], SRCA_SET_SetOvrdWithAddr);
}

/* false: no plan covers the instruction. */
static inline bool begin(struct tensix *tensix, unsigned thread, uint32_t word, const struct args_UNPACR *args,
                         struct course *course)
{
    struct tensix_state *state = tensix->state;
    const unsigned context = context_of(state, thread, args), unpacker = args->Unpack_block_selection;
    const struct unpack_plan *plan = plan_of(tensix, args, context);
    course->config = unpack_config_of(tensix, thread, unpacker);
    if (!plan->covers || !is_for(plan, thread, word, context, &course->config) || tensix->jitter ||
        tensix->l1->observed || state->unpack.begun[unpacker]) {
        return false;
    }
    course->plan = plan;
    course->src = unpacker ? &state->srcb : &state->srca;
    course->xy = state->addr.adc[plan->adc_thread][unpacker].channel;
    course->zw = state->addr.adc[thread][unpacker].channel;
    find_tile(plan, &course->config, course);
    find_destination(state, plan, &course->config, course);
    return true;
}

/* The datum of the bank that the first of `count` goes to. false: the address is odd, or rows are not those of the bank
   in order. */
static inline bool place_of(const struct course *course, uint32_t count, uint32_t *place)
{
    enum { SKIPPED = 4 * ROW_COLUMNS, SET_ROWS = 16 }; /* addresses of SrcA begin four rows before its first row */
    const struct adc_channel *out = &course->zw[1];
    const bool of_b = course->config.unpacker;
    uint32_t address = course->out + out->y * course->y_stride + out->z * course->z_stride + out->w * course->w_stride;
    if (address & ((1u << course->plan->out_shift) - 1)) {
        return false;
    }
    address = (course->counts ? address >> course->plan->out_shift : 0) + course->more;
    const uint32_t first = of_b ? 0 : SKIPPED;
    const uint32_t row = of_b || course->in_set ? course->src->unpacker_row[course->plan->thread] : 0;
    const uint64_t end = (uint64_t)address + count;
    *place = address - first + row * ROW_COLUMNS;
    return address >= first && end + row * ROW_COLUMNS <= first + SRC_ROWS * ROW_COLUMNS &&
           !(course->in_set && end > first + SET_ROWS * ROW_COLUMNS);
}

/* How many data a UNPACR moves. */
static inline uint32_t count_of(const struct course *course)
{
    return course->xy[1].x + 1 - course->xy->x;
}

/* The data of one UNPACR, and where in a bank they go to. */
struct found {
    struct unpack_source source;
    uint32_t place, count;
};

/* What the counters stand at. false: it has to be diagnosed, or is of another kind. */
static inline bool find_data(const struct tensix *tensix, const struct course *course, struct found *found)
{
    const struct unpack_plan *plan = course->plan;
    const struct adc_channel *xy = course->xy, *zw = course->zw;
    const uint32_t plane = (zw->w & ADC_INPUT_ZW_MASK) * course->z_dim + (zw->z & ADC_INPUT_ZW_MASK);
    const uint32_t first = (plane * course->y_dim + xy->y) * course->x_dim + xy->x;
    const uint32_t count = count_of(course);
    const uint64_t datum = course->data + (uint64_t)first * plan->bits, exponent = course->exponents + first;
    if (count - 1 >= UNPACK_CONVERT_MAX || datum + (uint64_t)count * plan->bits > UINT64_C(8) * L1_SIZE ||
        !place_of(course, count, &found->place) ||
        (plan->has_exponents && exponent + count > (uint64_t)EXPONENTS_OF_BLOCK * L1_SIZE)) {
        return false;
    }
    found->count = count;
    found->source =
        (struct unpack_source){.datums = l1_peek(tensix->l1, (uint32_t)(datum / 8)), .datum_bits = plan->bits};
    if (plan->has_exponents) {
        found->source.datum_phase = (unsigned)(datum % 8) / plan->bits;
        found->source.exponents = l1_peek(tensix->l1, (uint32_t)(exponent / EXPONENTS_OF_BLOCK));
        found->source.exponent_phase = exponent % EXPONENTS_OF_BLOCK;
    }
    return true;
}

/* Moves the data of one UNPACR. false: it waits. */
static inline bool move_data(const struct course *course, const struct found *found)
{
    struct src_register_file *src = course->src;
    if (!src_unpacker_may_fill(src)) {
        return false;
    }
    src->zero[src->unpacker_bank] = false;
    unpack_convert((enum unpack_conversion)course->plan->conversion, &found->source,
                   src->rows[src->unpacker_bank][0] + found->place, found->count);
    return true;
}

uint32_t unpack_as_planned(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t times)
{
    struct tensix_state *state = tensix->state;
    const struct args_UNPACR args = decode_UNPACR(word);
    struct course course = {0}; /* compilers that do not inline begin() can not know that it sets all of it */
    struct found found = {0};
    uint32_t done = 0;
    if (!begin(tensix, thread, word, &args, &course)) {
        return 0;
    }
    const bool moves_on =
        args.AddrMode || args.SetDatValid || CONFIG_GET(course.config.section, THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd);
    if (!moves_on && find_data(tensix, &course, &found)) { /* rows unpack_row_bf16 to unpack_row_int8 */
        while (done < times && move_data(&course, &found)) {
            done++;
        }
    }
    for (; moves_on && done < times && find_data(tensix, &course, &found) && move_data(&course, &found); done++) {
        unpack_increment_adcs(&state->addr, course.config.unpacker, thread, course.plan->adc_thread, args.AddrMode);
        unpack_finish_bank(
            state, course.config.unpacker, thread, course.plan->out,
            unpack_bank_end(state, course.config.section, course.config.unpacker, thread, args.SetDatValid));
    }
    if (tensix->timed && done) { /* AddrMode does not change the counters of X */
        state->timing.unpack.fetch = (struct unpack_fetch){
            .bytes = unpack_fetched_bytes(count_of(&course), course.plan->bits, course.plan->has_exponents),
            .bytes_per_cycle = course.plan->bytes_per_cycle};
    }
    return done;
}

/* Whether all that `job` does, which is as configured, is what a plan covers. */
static bool is_simple(const struct unpack_config *config, const struct args_UNPACR *args, const struct unpack_job *job)
{
    const uint32_t *section = config->section;
    bool data = !args->CfgContextCntInc && !args->SearchCacheFlush;
    bool own_format = !(args->OvrdThreadId && CONFIG_GET(section, THCON_SEC0_REG2_Ovrd_data_format));
    bool plain = !args->AutoIncContextID && !args->RowSearch && !args->srcb_bcast && !args->ZeroWrite2;
    return data && own_format && plain && job->uncompressed && !job->to_dst && !job->discontiguous &&
           !job->upsample_zeroes && !job->upsample_interleave && !job->transpose && !job->column_shift &&
           !job->fifo_size && job->conversion != UNPACK_BFPA && job->conversion != UNPACK_RAW32 &&
           (job->has_exponents || !format_is_bfp(job->in));
}

/* Resolves the instruction once more, for what it would diagnose under any policy. */
static enum step resolve(struct tensix *tensix, unsigned thread, const struct args_UNPACR *args, struct unpack_job *job)
{
    struct diagnostics strict; /* collects diagnostics, which nobody reads */
    struct diagnostics *own = tensix->diagnostics;
    diagnostics_clear(&strict);
    strict.now = own->now;
    memset(strict.policy, BH_STOP, sizeof strict.policy);
    unpack_job_clear(job);
    tensix->diagnostics = &strict;
    enum step step = unpack_job_prepare(tensix, thread, args, job);
    tensix->diagnostics = own;
    return step;
}

void unpack_make_plan(struct tensix *tensix, unsigned thread, uint32_t word)
{
    const struct args_UNPACR args = decode_UNPACR(word);
    const struct unpack_config config = unpack_config_of(tensix, thread, args.Unpack_block_selection);
    const unsigned context = context_of(tensix->state, thread, &args);
    struct unpack_plan *plan = plan_of(tensix, &args, context);
    struct unpack_job job;
    if (is_for(plan, thread, word, context, &config)) {
        return;
    }
    bool quiet = resolve(tensix, thread, &args, &job) == STEP_DONE;
    unsigned out_bits = format_bits(job.out);
    *plan = (struct unpack_plan){
        .known = true,
        .covers = quiet && is_simple(&config, &args, &job),
        .thread = (uint8_t)thread,
        .context = (uint8_t)context,
        .adc_thread = (uint8_t)job.adc_thread,
        .word = word & UNPACK_KEY_WORD,
        .format_spec = config.words[ALU_FORMAT_SPEC_REG0_SrcAUnsigned_ADDR32],
        .bits = (uint8_t)format_bits(job.in),
        .conversion = (uint8_t)job.conversion,
        .out = (uint8_t)job.out,
        .out_shift = out_bits == 32   ? 2
                     : out_bits == 16 ? 1
                                      : 0,
        .bytes_per_cycle = (uint8_t)unpack_fetch_of(tensix, &job).bytes_per_cycle,
        .has_exponents = job.has_exponents,
        .exponents_apart = job.has_exponents &&
                           (format_bits(job.in) == 8 || !(config.section[FIRST_KEY] >> 5 & 1)), /* no_bfp_exponents */
        .by_context = args.OvrdThreadId && config.unpacker == 0,
    };
    memcpy(plan->key, config.section + FIRST_KEY, sizeof plan->key);
}
