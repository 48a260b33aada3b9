/* What makes rows of Dst undefined, clears SrcA and SrcB, and resets the hand-over of their banks. */
#include <string.h>

#include "tensix/num/move_rows.h"
#include "tensix/units/addr/rwc.h"
#include "tensix/units/execute.h"
#include "tensix/units/matrix/parts.h"

/* Sixteen rows from the aligned block that `where` numbers, which counts from the half of Dst (or for rows of 32 bits
   the half of its 512) that the thread works in unless zeroacc_absolute_tile_mode is set. A block that does not exist
   is none: software clears block 0xff to do nothing but apply the address mode. */
static void mark_sixteen_rows(struct tensix_state *state, unsigned thread, bool dst32, uint32_t where, uint8_t valid)
{
    const uint32_t *config = config_bank(&state->config, thread);
    uint32_t block = where & 0xff;
    uint32_t offset = CONFIG_GET(state->config.thread[thread], DEST_TARGET_REG_CFG_MATH_Offset) +
                      state->addr.rwc[thread].dst + CONFIG_GET(config, DEST_REGW_BASE_Base);
    if (!CONFIG_GET(config, DEST_ACCESS_CFG_zeroacc_absolute_tile_mode)) {
        if (dst32) {
            block += offset & 0x300 ? 16 : 0;
        } else {
            block += offset & 0x200 ? 32 : 0;
        }
    }
    if (block < (dst32 ? 32 : 64)) {
        /* No group of eight rows is torn apart. */
        memset(state->dst.valid + dst_place(&state->dst, dst32, block * 16), valid, 8);
        memset(state->dst.valid + dst_place(&state->dst, dst32, block * 16 + 8), valid, 8);
    }
}

enum step execute_ZEROACC(struct tensix *tensix, unsigned thread, struct args_ZEROACC args)
{
    struct tensix_state *state = tensix->state;
    const uint32_t *config = config_bank(&state->config, thread);
    bool revert = args.clear_zero_flags && args.clear_mode != ZEROACC_ONE_ROW;
    if (revert) {
        /* The vendor's kernels work around an erratum with the one combination that is known to be harmless. */
        bool known = args.clear_mode == ZEROACC_SIXTEEN_ROWS && args.use_32_bit_mode;
        enum step step = diagnose(tensix->diagnostics, known ? BH_NON_CONTRACTUAL : BH_UNDEFINED_BEHAVIOR,
                                  "ZEROACC with clear_zero_flags makes rows of Dst defined again, with what they held");
        if (step != STEP_DONE) {
            return step;
        }
    }
    switch ((enum zeroacc_mode)args.clear_mode) {
    case ZEROACC_ONE_ROW: {
        bool dst32 =
            CONFIG_GET(config, ALU_ACC_CTRL_Fp32_enabled) || CONFIG_GET(config, ALU_ACC_CTRL_INT8_math_enabled);
        uint32_t row = matrix_dst_row(state, thread, args.where);
        state->dst.valid[dst_place(&state->dst, dst32, row)] = 0;
        break;
    }
    case ZEROACC_SIXTEEN_ROWS: mark_sixteen_rows(state, thread, args.use_32_bit_mode, args.where, revert); break;
    case ZEROACC_HALF_OF_DST: memset(state->dst.valid + (args.where & 1) * DST_ROWS / 2, revert, DST_ROWS / 2); break;
    case ZEROACC_ALL_OF_DST: memset(state->dst.valid, revert, DST_ROWS); break;
    }
    if (args.clear_mode == ZEROACC_ONE_ROW || args.clear_mode == ZEROACC_SIXTEEN_ROWS) {
        rwc_advance(tensix, thread, args.addr_mode);
    }
    return STEP_DONE;
}

/* bank_mask: both banks, else write_mode: the bank that the matrix unit uses, else the one that the unpacker fills. */
static void clear_src(struct src_register_file *src, struct args_ZEROSRC args, uint32_t value)
{
    unsigned bank = args.write_mode ? src->matrix_bank : src->unpacker_bank;
    for (unsigned i = 0; i < SRC_BANKS; i++) {
        if (args.bank_mask || i == bank) {
            src_bank_fill(src->rows[i], value);
        }
    }
}

enum step execute_ZEROSRC(struct tensix *tensix, unsigned thread, struct args_ZEROSRC args)
{
    if (args.src_mask & SRC_SET_A) {
        clear_src(&tensix->state->srca, args, args.zero_val ? FPU_TF32_BITS : 0); /* zero_val: minus infinity */
    }
    if (args.src_mask & SRC_SET_B) {
        clear_src(&tensix->state->srcb, args, 0);
    }
    return STEP_DONE;
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

/* Forgets the row of SrcB that the unit keeps at hand. Here it keeps none: what it reads is always what SrcB holds. */
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
