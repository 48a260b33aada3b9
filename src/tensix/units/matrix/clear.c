/* Instructions that make rows of Dst undefined, clear SrcA and SrcB, and reset the hand-over of their banks. */
#include <string.h>

#include "tensix/num/move_rows.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/move.h"
#include "tensix/units/matrix/operands.h"

/* Aligned blocks of sixteen rows. They count from the thread's half of Dst (with rows of 32 bits, half of 512 rows)
   unless zeroacc_absolute_tile_mode is set. Blocks beyond the end are ignored: software clears block 0xff just to apply
   the address mode. */
struct blocks {
    uint32_t upper_half, count; /* bits of a row's number that lead to the thread's half; of all of Dst */
    bool row32;                 /* aligned groups of eight rows stay together */
};

static inline struct blocks blocks_of(const struct matrix_view *view, bool dst32)
{
    const bool absolute = CONFIG_GET(view->config, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode);
    return (struct blocks){.upper_half = absolute ? 0
                                         : dst32  ? 0x300
                                                  : 0x200,
                           .count = dst32 ? 32 : 64,
                           .row32 = dst32 || view->state->dst.only_row32};
}

static inline uint32_t block_of(const struct blocks *blocks, rwc_packed fields, rwc_packed counters)
{
    uint32_t offset = (uint32_t)(counters + fields);
    return (fields >> ZEROACC_BLOCK_AT & 0xff) + (offset & blocks->upper_half ? blocks->count / 2 : 0);
}

/* Marks blocks. */
static rwc_packed mark_blocks(const struct matrix_view *view, bool dst32, uint8_t valid, const struct rwc_entry *entry,
                              const struct rwc_entry *end, rwc_packed counters)
{
    const struct blocks blocks = blocks_of(view, dst32);
    uint8_t *rows = view->state->dst.valid;
    for (; entry < end; entry++) {
        uint32_t block = block_of(&blocks, entry->fields, counters);
        if (block < blocks.count && blocks.row32) {
            memset(rows + dst_row32(block * 16), valid, 8);
            memset(rows + dst_row32(block * 16 + 8), valid, 8);
        } else if (block < blocks.count) {
            memset(rows + block * 16, valid, 16);
        }
        counters = rwc_entry_step(entry, counters);
    }
    return counters;
}

static inline bool clears_row32(const struct matrix_view *view)
{
    return CONFIG_GET(view->config, ALU_ACC_CTRL_Fp32_enabled) ||
           CONFIG_GET(view->config, ALU_ACC_CTRL_INT8_math_enabled);
}

/* One row each. */
static rwc_packed clear_rows(const struct matrix_view *view, const struct rwc_entry *entry, const struct rwc_entry *end,
                             rwc_packed counters)
{
    struct dst_register_file *dst = &view->state->dst;
    const bool dst32 = clears_row32(view);
    for (; entry < end; entry++) {
        dst->valid[dst_place(dst, dst32, (counters + entry->fields) & RWC_DST_MASK)] = 0;
        counters = rwc_entry_step(entry, counters);
    }
    return counters;
}

/* Clearing a half or all of Dst applies no address mode. */
rwc_packed matrix_zeroacc_rows(const struct matrix_view *view, struct args_ZEROACC args, const struct rwc_entry *entry,
                               const struct rwc_entry *end, rwc_packed counters)
{
    uint8_t *valid = view->state->dst.valid;
    switch ((enum zeroacc_mode)args.clear_mode) {
    case ZEROACC_ONE_ROW: return clear_rows(view, entry, end, counters);
    case ZEROACC_SIXTEEN_ROWS:
        return mark_blocks(view, args.use_32_bit_mode, args.clear_zero_flags, entry, end, counters);
    case ZEROACC_HALF_OF_DST:
        for (; entry < end; entry++) {
            memset(valid + (entry->fields >> ZEROACC_BLOCK_AT & 1) * DST_ROWS / 2, args.clear_zero_flags, DST_ROWS / 2);
        }
        break;
    case ZEROACC_ALL_OF_DST: memset(valid, args.clear_zero_flags, DST_ROWS); break;
    }
    return counters;
}

static inline struct rwc_entry entry_of(const struct matrix_view *view, struct args_ZEROACC args)
{
    const unsigned where_at = args.clear_mode == ZEROACC_ONE_ROW ? RWC_DST_AT : ZEROACC_BLOCK_AT;
    return (struct rwc_entry){.fields =
                                  (matrix_view_dst_origin(view) & RWC_DST_MASK) + ((rwc_packed)args.where << where_at)};
}

enum step execute_ZEROACC(struct tensix *tensix, unsigned thread, struct args_ZEROACC args)
{
    bool revert = args.clear_zero_flags && args.clear_mode != ZEROACC_ONE_ROW;
    if (revert) {
        /* The vendor's kernels avoid an erratum by what is known to be harmless: in January 2026 with use_32_bit_mode,
           from September 2024 to August 2025 without. */
        bool known = args.clear_mode == ZEROACC_SIXTEEN_ROWS;
        enum step step = diagnose(tensix->diagnostics, known ? BH_NON_CONTRACTUAL : BH_UNDEFINED_BEHAVIOR,
                                  "ZEROACC with clear_zero_flags makes rows of Dst defined again, with what they held");
        if (step != STEP_DONE) {
            return step;
        }
    }
    const struct matrix_view view = matrix_view_of(tensix->state, thread);
    const struct rwc_entry entry = entry_of(&view, args);
    matrix_zeroacc_rows(&view, args, &entry, &entry + 1, (rwc_packed)view.rwc->dst << RWC_DST_AT);
    if (args.clear_mode == ZEROACC_ONE_ROW || args.clear_mode == ZEROACC_SIXTEEN_ROWS) {
        rwc_advance(tensix, thread, args.addr_mode);
    }
    return STEP_DONE;
}
TENSIX_RUN(ZEROACC)

/* Without bank_mask: the matrix unit's bank, or the one that the unpacker fills. */
static inline unsigned cleared_bank(const struct src_register_file *src, struct args_ZEROSRC args)
{
    return args.write_mode ? src->matrix_bank : src->unpacker_bank;
}

/* bank_mask: both banks. */
static bool clears_bank(const struct src_register_file *src, struct args_ZEROSRC args, unsigned bank)
{
    return args.bank_mask || bank == cleared_bank(src, args);
}

static void clear_src(struct src_register_file *src, struct args_ZEROSRC args, uint32_t value)
{
    for (unsigned i = 0; i < SRC_BANKS; i++) {
        if (clears_bank(src, args, i)) {
            src_bank_clear(src, i, value);
        }
    }
}

static __attribute__((noinline)) enum step clear_sources(struct tensix *tensix, struct args_ZEROSRC args)
{
    if (args.src_mask & SRC_SET_A) {
        clear_src(&tensix->state->srca, args, args.zero_val ? FPU_TF32_BITS : 0); /* zero_val: minus infinity */
    }
    if (args.src_mask & SRC_SET_B) {
        clear_src(&tensix->state->srcb, args, 0);
    }
    return STEP_DONE;
}

static inline bool is_clear(const struct src_register_file *src, struct args_ZEROSRC args)
{
    return args.bank_mask ? src->zero[0] && src->zero[1] : src->zero[cleared_bank(src, args)];
}

/* What is zero already, as kernels that clear for every tile mostly find it, takes no call (row zerosrc of the
   benchmark). */
enum step execute_ZEROSRC(struct tensix *tensix, unsigned thread, struct args_ZEROSRC args)
{
    bool a = args.src_mask & SRC_SET_A && (args.zero_val || !is_clear(&tensix->state->srca, args));
    bool b = args.src_mask & SRC_SET_B && !is_clear(&tensix->state->srcb, args);
    return __builtin_expect(a || b, 0) ? clear_sources(tensix, args) : STEP_DONE;
}

static void add_zeroacc(struct tensix_state *state, unsigned thread, struct args_ZEROACC args,
                        struct operand_rows *written)
{
    const struct matrix_view view = matrix_view_of(state, thread);
    const struct rwc_entry entry = entry_of(&view, args);
    const rwc_packed counters = (rwc_packed)view.rwc->dst << RWC_DST_AT;
    const bool row32 = args.use_32_bit_mode;
    const struct blocks blocks = blocks_of(&view, row32);
    const uint32_t block = block_of(&blocks, entry.fields, counters);
    uint32_t first = 0, count = DST_ROWS;
    switch ((enum zeroacc_mode)args.clear_mode) {
    case ZEROACC_ONE_ROW:
        operand_dst_rows(written, &state->dst, clears_row32(&view), (counters + entry.fields) & RWC_DST_MASK, 1, 1);
        return;
    case ZEROACC_SIXTEEN_ROWS:
        if (block < blocks.count) {
            operand_dst_rows(written, &state->dst, row32, block * 16, 1, 16);
        }
        return;
    case ZEROACC_HALF_OF_DST:
        first = (args.where & 1) * DST_ROWS / 2;
        count = DST_ROWS / 2;
        break;
    case ZEROACC_ALL_OF_DST: break;
    }
    for (uint32_t row = first; row < first + count; row++) {
        operand_dst_place(written, false, row);
    }
}

void matrix_clear_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    if (word >> 24 == TENSIX_OPCODE_ZEROACC) {
        add_zeroacc(state, thread, decode_ZEROACC(word), &sets->written.rows);
        return;
    }
    const struct args_ZEROSRC args = decode_ZEROSRC(word);
    const struct src_register_file *src[] = {&state->srca, &state->srcb};
    for (unsigned i = 0; i < 2 * SRC_BANKS; i++) {
        unsigned of_b = i / SRC_BANKS, bank = i % SRC_BANKS;
        if (args.src_mask >> of_b & 1 && clears_bank(src[of_b], args, bank)) {
            operand_src_rows(&sets->written.rows, of_b, bank, 0, SRC_ROWS);
        }
    }
}

enum { CLEARDVALID_RESET = 1, CLEARDVALID_KEEP_BANK = 2 };

static void reset_banks(struct src_register_file *src)
{
    src->matrix_bank = src->unpacker_bank = 0;
    src->owner[0] = src->owner[1] = SRC_UNPACKERS;
}

static void give_bank_to_unpackers(struct src_register_file *src, bool keep_bank)
{
    src->owner[src->matrix_bank] = SRC_UNPACKERS;
    src->matrix_bank ^= !keep_bank;
}

enum step execute_CLEARDVALID(struct tensix *tensix, unsigned thread, struct args_CLEARDVALID args)
{
    struct tensix_state *state = tensix->state;
    bool a = args.cleardvalid & SRC_SET_A, b = args.cleardvalid & SRC_SET_B, reset = args.reset & CLEARDVALID_RESET;
    enum step step = STEP_DONE;
    if (reset) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "CLEARDVALID resets the hand-over of SrcA and SrcB: banks that are on their way are lost");
    } else if ((a && !src_matrix_may_use(&state->srca)) || (b && !src_matrix_may_use(&state->srcb))) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "CLEARDVALID gives away a bank that does not belong to the matrix unit: wait for SrcA and SrcB "
                        "to be valid first");
    }
    if (step != STEP_DONE) {
        return step;
    }
    state->src_given_back = true;
    if (reset) {
        reset_banks(&state->srca);
        reset_banks(&state->srcb);
        return STEP_DONE;
    }
    if (a) {
        give_bank_to_unpackers(&state->srca, args.reset & CLEARDVALID_KEEP_BANK);
    }
    if (b) {
        give_bank_to_unpackers(&state->srcb, args.reset & CLEARDVALID_KEEP_BANK);
    }
    return STEP_DONE;
}

/* On hardware it discards the cached row of SrcB. There is no such cache here. */
enum step execute_GATESRCRST(struct tensix *tensix, unsigned thread, struct args_GATESRCRST args)
{
    return STEP_DONE;
}

enum step execute_CLREXPHIST(struct tensix *tensix, unsigned thread, struct args_CLREXPHIST args)
{
    pack_clear_exponent_histogram(&tensix->state->pack);
    return STEP_DONE;
}

TENSIX_RUN(ZEROSRC)
TENSIX_RUN(CLREXPHIST)
TENSIX_RUN(GATESRCRST)
TENSIX_RUN(CLEARDVALID)
