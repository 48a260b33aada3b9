/* UNPACR_NOP: actions of an unpacker in order with UNPACR, without moving data. Bits 1:0 select: clear a bank of Src,
   nothing, or a message to the NoC overlay. Sources: ISA documentation UNPACR_NOP_ZEROSRC.md, UNPACR_NOP_SETDVALID.md,
   UNPACR_NOP_OverlayClear.md, UNPACR_NOP_SETREG.md; descriptions of Blackhole's fields in the vendor's kernel
   library. */
#include "tensix/num/formats_unpack.h"
#include "tensix/num/move_rows.h"
#include "tensix/units/bus.h"
#include "tensix/units/execute.h"
#include "tensix/units/lag.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"
#include "tensix/units/unpack/operands.h"

enum unpack_pop { UNP_POP, UNP_CLR_SRC, UNP_NOP, UNP_POP_STREAM };
enum src_clear_value { CLEAR_TO_ZERO, CLEAR_TO_NEGATIVE_INFINITY, CLEAR_TO_ONE, CLEAR_TO_REGISTER };
enum { STREAM_MSG_DATA_CLEAR_REG_INDEX = 0x428 / 4 };

/* All 19 bits of a datum of Src. */
#define SRC_DATUM_BITS UINT32_C(0xffffe000)

enum clear_to_one_format { ONE_FP16, ONE_BF16, ONE_INT8, ONLY_SET_DVALID };

static uint32_t one(unsigned format)
{
    switch (format) {
    case ONE_FP16: return src_from_fp16(15 << 10);
    case ONE_INT8: return src_from_fp16(16 << 10 | 1);
    default: return 0x3f800000;
    }
}

/* The vendor calls its 32 bits "immediate value", without a layout. Here that of FP32, as in the unpackers' data. */
static enum step value_of_register(struct tensix *tensix, unsigned thread, unsigned unpacker, uint32_t *value)
{
    const uint32_t *config = config_bank(&tensix->state->config, thread);
    uint32_t register_ = unpacker ? CONFIG_GET(config, UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val)
                                  : CONFIG_GET(config, UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val);
    *value = register_ & SRC_DATUM_BITS;
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "UNPACR_NOP: clearing to UNP%u_NOP_REG_CLR_VAL, whose layout is not documented: taken to be that "
                    "of FP32, of which Src keeps 19 bits",
                    unpacker);
}

static enum step clear_value(struct tensix *tensix, unsigned thread, const struct args_UNPACR_NOP *args,
                             uint32_t *value)
{
    switch (args->Src_ClrVal_Ctrl) {
    case CLEAR_TO_ZERO: *value = 0; return STEP_DONE;
    case CLEAR_TO_NEGATIVE_INFINITY: *value = SRC_DATUM_BITS; return STEP_DONE;
    case CLEAR_TO_ONE: *value = one(args->Clr_to1_fmt_Ctrl); return STEP_DONE;
    default: return value_of_register(tensix, thread, args->Unpacker_Select, value);
    }
}

/* The bank to be handed over should be the unpackers'; the instruction does not wait for it. */
static enum step check_bank_to_give(struct tensix *tensix, const struct src_register_file *src, unsigned unpacker)
{
    if (src_unpacker_may_fill(src)) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "UNPACR_NOP: bank %u of Src%c is given to the matrix unit, which has it already",
                    src->unpacker_bank, unpacker ? 'B' : 'A');
}

static bool clears_bank(const struct src_register_file *src, const struct args_UNPACR_NOP *args, unsigned bank)
{
    return args->Bank_Clr_Ctrl || bank == src->unpacker_bank;
}

/* The bank that an instruction which clears waits for. */
static unsigned bank_to_clear(const struct src_register_file *src, const struct args_UNPACR_NOP *args)
{
    return args->Stall_Clr_Cntrl ? src->unpacker_bank : src->matrix_bank;
}

static bool clears_src(const struct args_UNPACR_NOP *args)
{
    return args->Unpack_Pop == UNP_CLR_SRC && args->Clr_to1_fmt_Ctrl != ONLY_SET_DVALID;
}

bool unpack_awaits_own_bank(uint32_t word)
{
    const struct args_UNPACR_NOP args = decode_UNPACR_NOP(word);
    return word >> 24 != TENSIX_OPCODE_UNPACR_NOP || !clears_src(&args) || args.Stall_Clr_Cntrl;
}

unsigned unpack_awaited_bank(const struct src_register_file *src, uint32_t word)
{
    return unpack_awaits_own_bank(word) ? src->unpacker_bank : src->matrix_bank;
}

static enum step clear_src(struct tensix *tensix, unsigned thread, const struct args_UNPACR_NOP *args)
{
    struct src_register_file *src = args->Unpacker_Select ? &tensix->state->srcb : &tensix->state->srca;
    uint32_t value;
    enum step step = clear_value(tensix, thread, args, &value);
    if (step == STEP_DONE && args->Set_Dvalid) {
        step = check_bank_to_give(tensix, src, args->Unpacker_Select);
    }
    if (step == STEP_DONE && args->Bank_Clr_Ctrl) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "UNPACR_NOP: clears both banks, of which it awaits one: it races with the matrix unit");
    }
    if (step != STEP_DONE) {
        return step;
    }
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        if (clears_bank(src, args, bank)) {
            src_bank_clear(src, bank, value);
        }
    }
    if (args->Set_Dvalid) {
        src_banks_set_dvalid(tensix, thread, args->Unpacker_Select ? SRC_SET_B : SRC_SET_A);
    }
    return STEP_DONE;
}

/* Writes a register of the tile. The fields have another meaning then: bits 14:4 of the instruction are the value, bit
   3 accumulates it, bits 22 and 15 select one of four bases; Wormhole sets these through TDMA-RISC. */
static enum step write_register(struct tensix *tensix, unsigned thread, const struct args_UNPACR_NOP *args)
{
    const uint32_t *config = config_bank(&tensix->state->config, thread);
    uint32_t value = args->Bank_Clr_Ctrl | args->Stall_Clr_Cntrl << 1 | args->Clr_to1_fmt_Ctrl << 2 |
                     args->Set_Dvalid << 4 | (args->Msg_Clr_Cnt & 7) << 8;
    uint32_t *sum = &tensix->state->unpack.register_sum[args->Unpacker_Select];
    bool adds = args->Src_ClrVal_Ctrl & 2;
    if (adds && !value) {
        *sum = 0;
        return STEP_DONE;
    }
    unsigned section = args->Stream_Id >> 6;
    uint32_t bases = section ? CONFIG_GET(config, THCON_SEC1_REG10_Unpacker_Reg_Wr_Addr)
                             : CONFIG_GET(config, THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr);
    enum step step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                              "UNPACR_NOP: a register write with the address of THCON_SEC%u_REG10_Unpacker_Reg_Wr_Addr "
                              "0x%06x, whose layout is not documented: taken to be that of PACR_SETREG's addresses",
                              section, bases);
    uint32_t offset = bus_window_base(bases, args->Msg_Clr_Cnt >> 3) + ((args->Stream_Id & 0x3f) << 12);
    value = adds ? (*sum + value) & 0x1ffff : value;
    step = step == STEP_DONE ? bus_store_in_window(tensix, "UNPACR_NOP", offset, value) : step;
    *sum = step == STEP_DONE && adds ? value : *sum;
    return step;
}

/* Frees the data of one message of an overlay stream: that of the instruction if this counts messages, otherwise that
   of the thread's configuration. Bit 2 makes it a write to another register. */
static enum step pop_message(struct tensix *tensix, unsigned thread, const struct args_UNPACR_NOP *args)
{
    if (args->Src_ClrVal_Ctrl & 1) {
        return write_register(tensix, thread, args);
    }
    const uint16_t *config = tensix->state->config.thread[thread];
    uint32_t stream = args->Unpacker_Select ? CONFIG_GET(config, NOC_OVERLAY_MSG_CLEAR_StreamId_1)
                                            : CONFIG_GET(config, NOC_OVERLAY_MSG_CLEAR_StreamId_0);
    if (args->Unpack_Pop == UNP_POP_STREAM && args->Msg_Clr_Cnt) {
        stream = args->Stream_Id % NOC_STREAMS;
    }
    return bus_store_stream(tensix, stream, STREAM_MSG_DATA_CLEAR_REG_INDEX, 1);
}

/* The variant that hands over a bank. */
static enum step give_bank(struct tensix *tensix, unsigned thread, unsigned unpacker)
{
    enum step step = check_bank_to_give(tensix, unpacker ? &tensix->state->srcb : &tensix->state->srca, unpacker);
    if (step == STEP_DONE) {
        src_banks_set_dvalid(tensix, thread, unpacker ? SRC_SET_B : SRC_SET_A);
    }
    return step;
}

/* Bits 11:9, if they are no payload. Kernels that tilize 8-bit data set bit 9 on cards (llk_unpack_tilize.h, UNP_NOP
   for Set_Dvalid), without effect. */
static enum step check_reserved_bits(struct tensix *tensix, uint32_t set_dvalid)
{
    enum { IGNORED = 1 << 1, MEANT = 1 };
    if (!(set_dvalid & ~(uint32_t)(IGNORED | MEANT))) {
        return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "UNPACR_NOP: bit 9, which is reserved, is set; cards ignore it");
    }
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "UNPACR_NOP: reserved bits 11:9 are 0x%x",
                    set_dvalid >> 1);
}

static bool pops(const struct args_UNPACR_NOP *args)
{
    return args->Unpack_Pop == UNP_POP || args->Unpack_Pop == UNP_POP_STREAM;
}

/* All of it: it need not wait. */
static enum step execute(struct tensix *tensix, unsigned thread, struct args_UNPACR_NOP args)
{
    if (pops(&args)) {
        return pop_message(tensix, thread, &args);
    }
    if (args.Set_Dvalid > 1) {
        enum step step = check_reserved_bits(tensix, args.Set_Dvalid);
        if (step != STEP_DONE) {
            return step;
        }
        args.Set_Dvalid &= 1;
    }
    if (args.Clr_to1_fmt_Ctrl == ONLY_SET_DVALID) {
        return give_bank(tensix, thread, args.Unpacker_Select);
    }
    return args.Unpack_Pop == UNP_CLR_SRC ? clear_src(tensix, thread, &args) : STEP_DONE;
}

void unpack_nop_now(struct tensix *tensix, unsigned thread, uint32_t word)
{
    if (tensix->jitter) {
        lag_settle(tensix, LAG_OF_UNPACKERS, TENSIX_THREADS);
    }
    (void)execute(tensix, thread, decode_UNPACR_NOP(word));
}

bool unpack_nop_may_begin(uint32_t word)
{
    const struct args_UNPACR_NOP args = decode_UNPACR_NOP(word);
    return !pops(&args);
}

/* It comes behind what its unpacker has begun, and may begin itself; messages to the overlay do not. */
enum step execute_UNPACR_NOP(struct tensix *tensix, unsigned thread, struct args_UNPACR_NOP args)
{
    struct tensix_state *state = tensix->state;
    const unsigned unpacker = args.Unpacker_Select;
    const struct src_register_file *src = unpacker ? &state->srcb : &state->srca;
    const bool awaits = clears_src(&args) && src->owner[bank_to_clear(src, &args)] != SRC_UNPACKERS;
    if (!state->unpack.begun[unpacker] && !awaits) {
        return execute(tensix, thread, args);
    }
    if (pops(&args) || !unpack_may_begin(tensix, thread, unpacker, false)) {
        return STEP_WAIT;
    }
    (void)unpack_begin(tensix, thread, unpacker);
    return STEP_DONE;
}

void unpack_nop_operands(struct tensix_state *state, struct args_UNPACR_NOP args, struct operand_rows *written)
{
    const struct src_register_file *src = args.Unpacker_Select ? &state->srcb : &state->srca;
    bool clears = args.Unpack_Pop == UNP_CLR_SRC && args.Clr_to1_fmt_Ctrl != ONLY_SET_DVALID;
    for (unsigned bank = 0; bank < SRC_BANKS && clears; bank++) {
        if (clears_bank(src, &args, bank)) {
            operand_src_rows(written, args.Unpacker_Select, bank, 0, SRC_ROWS);
        }
    }
}

TENSIX_RUN(UNPACR_NOP)
