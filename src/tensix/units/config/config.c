/* Writes to configuration, and the instructions of the configuration unit.
   Sources: chapters "gpr and dma instructions" and "config sync instructions"; ISA documentation
   BackendConfiguration.md, ConfigurationUnit.md and the page of each instruction. */
#include "tensix/units/bus.h"
#include "tensix/units/execute.h"
#include "util/bits.h"

/* SRC_ACCESS_CFG: according to the vendor's description these fields make the matrix unit see a bank of 128 rows, or
   parts. */
static void check_source_access(struct tensix *tensix, uint32_t word)
{
    const uint32_t views =
        SRC_ACCESS_CFG_math_view_srca_as_one_bank_MASK | SRC_ACCESS_CFG_math_view_srcb_as_one_bank_MASK |
        SRC_ACCESS_CFG_disable_contig_srca_dvalid_phase_MASK | SRC_ACCESS_CFG_disable_contig_srcb_dvalid_phase_MASK;
    if (word & views) {
        diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                 "SRC_ACCESS_CFG 0x%x: SrcA and SrcB are seen as two banks of 64 rows each, as the documentation has "
                 "them; leave it 0",
                 word);
    }
}

/* Stores all bits, including those without a field: the documentation describes Config as plain words. */
__attribute__((noinline)) void config_write(struct tensix *tensix, unsigned bank, uint32_t index, uint32_t value,
                                            uint32_t bits)
{
    struct config_unit *config = &tensix->state->config;
    uint32_t *words = config->bank[bank];
    uint32_t written = (words[index] & ~bits) | (value & bits);
    if (index >= GLOBAL_CFGREG_BASE_ADDR32) {
        config->bank[0][index] = config->bank[1][index] = written;
        if (index == PRNG_SEED_Seed_Val_ADDR32) {
            vector_seed_prng(tensix, written);
            stochastic_seed(tensix->state, written);
        }
        if (index == RISCV_IC_INVALIDATE_InvalidateAll_ADDR32 && tensix->bus.flush_caches) {
            tensix->bus.flush_caches(tensix->bus.context, CONFIG_GET(words, RISCV_IC_INVALIDATE_InvalidateAll));
        }
        if (index == SRC_ACCESS_CFG_math_view_srca_as_one_bank_ADDR32) {
            check_source_access(tensix, written);
        }
        return;
    }
    words[index] = written;
    if (index == STATE_RESET_EN_ADDR32 && bits == UINT32_MAX) {
        for (uint32_t i = 0; i < GLOBAL_CFGREG_BASE_ADDR32; i++) {
            words[i] = 0;
        }
    }
}

/* config_write() by an instruction, inline: most words are neither global nor have side effects. */
static inline void write_bits(struct tensix *tensix, unsigned bank, uint32_t index, uint32_t value, uint32_t bits)
{
    uint32_t *word = &tensix->state->config.bank[bank][index];
    if (index < GLOBAL_CFGREG_BASE_ADDR32 && index != STATE_RESET_EN_ADDR32) {
        *word = (*word & ~bits) | (value & bits);
    } else {
        config_write(tensix, bank, index, value, bits);
    }
}

static inline void write_word(struct tensix *tensix, unsigned bank, uint32_t index, uint32_t value)
{
    write_bits(tensix, bank, index, value, UINT32_MAX);
}

/* The write of an instruction that needs more than a cycle. */
static inline void write_through_pipeline(struct tensix *tensix, unsigned thread, unsigned bank, uint32_t index,
                                          uint32_t value)
{
    if (__builtin_expect(tensix->timed, 0)) {
        late_config(tensix, thread, bank, index, value);
    } else {
        write_word(tensix, bank, index, value);
    }
}

void config_window_write(struct tensix *tensix, uint32_t index, uint32_t value)
{
    uint32_t word = index % CONFIG_WORDS;
    if (tensix->state->config.thcon_in_reset && word >= THCON_CFGREG_BASE_ADDR32 && word < GLOBAL_CFGREG_BASE_ADDR32) {
        return;
    }
    if (index < CONFIG_WINDOW_DUAL_WRITE) {
        config_write(tensix, index / CONFIG_WORDS, word, value, UINT32_MAX);
        return;
    }
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        config_write(tensix, bank, word, value, UINT32_MAX);
    }
}

void thread_config_write(struct tensix *tensix, unsigned thread, uint32_t index, uint16_t value)
{
    tensix->state->config.thread[thread][index] = value;
    if (index == UNPACK_MISC_CFG_CfgContextCntReset_0_ADDR32) {
        unpack_reset_context_counters(tensix, thread);
    }
}

/* The bank of Config that the thread uses: StateID. */
static unsigned state_id(const struct tensix *tensix, unsigned thread)
{
    return CONFIG_GET(tensix->state->config.thread[thread], CFG_STATE_ID_StateID);
}

static enum step index_out_of_range(struct tensix *tensix, const char *instruction, uint32_t index, uint32_t limit)
{
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s: configuration word %u, but there are %u",
                    instruction, index, limit);
}

enum step execute_SETC16(struct tensix *tensix, unsigned thread, struct args_SETC16 args)
{
    if (args.setc16_reg >= THD_STATE_SIZE) {
        return index_out_of_range(tensix, "SETC16", args.setc16_reg, THD_STATE_SIZE);
    }
    thread_config_write(tensix, thread, args.setc16_reg, (uint16_t)args.setc16_value);
    return STEP_DONE;
}

enum step execute_WRCFG(struct tensix *tensix, unsigned thread, struct args_WRCFG args)
{
    if (args.CfgReg >= CONFIG_WORDS) {
        return index_out_of_range(tensix, "WRCFG", args.CfgReg, CONFIG_WORDS);
    }
    unsigned bank = state_id(tensix, thread);
    const uint32_t *gpr = tensix->state->scalar.gpr[thread];
    if (!args.wr128b) {
        write_through_pipeline(tensix, thread, bank, args.CfgReg, gpr[args.GprAddress]);
        return STEP_DONE;
    }
    for (unsigned i = 0; i < 4; i++) {
        write_through_pipeline(tensix, thread, bank, (args.CfgReg & ~3u) + i, gpr[(args.GprAddress & ~3u) + i]);
    }
    return STEP_DONE;
}

enum step execute_RDCFG(struct tensix *tensix, unsigned thread, struct args_RDCFG args)
{
    if (args.CfgReg >= CONFIG_WORDS) {
        return index_out_of_range(tensix, "RDCFG", args.CfgReg, CONFIG_WORDS);
    }
    const uint32_t *word = &tensix->state->config.bank[state_id(tensix, thread)][args.CfgReg];
    scalar_deliver(tensix, thread, args.GprAddress, word, sizeof *word);
    return STEP_DONE;
}

/* RMWCIB0 .. RMWCIB3: the bits of byte `byte` that Mask selects. */
static enum step write_byte(struct tensix *tensix, unsigned thread, uint32_t index, unsigned byte, uint32_t data,
                            uint32_t mask)
{
    if (index >= CONFIG_WORDS) {
        return index_out_of_range(tensix, "RMWCIB", index, CONFIG_WORDS);
    }
    write_bits(tensix, state_id(tensix, thread), index, data << (8 * byte), mask << (8 * byte));
    return STEP_DONE;
}

enum step execute_RMWCIB0(struct tensix *tensix, unsigned thread, struct args_RMWCIB0 args)
{
    return write_byte(tensix, thread, args.CfgRegAddr, 0, args.Data, args.Mask);
}

enum step execute_RMWCIB1(struct tensix *tensix, unsigned thread, struct args_RMWCIB1 args)
{
    return write_byte(tensix, thread, args.CfgRegAddr, 1, args.Data, args.Mask);
}

enum step execute_RMWCIB2(struct tensix *tensix, unsigned thread, struct args_RMWCIB2 args)
{
    return write_byte(tensix, thread, args.CfgRegAddr, 2, args.Data, args.Mask);
}

enum step execute_RMWCIB3(struct tensix *tensix, unsigned thread, struct args_RMWCIB3 args)
{
    return write_byte(tensix, thread, args.CfgRegAddr, 3, args.Data, args.Mask);
}

/* The result of CFGSHIFTMASK for a configuration word and its operand. */
static uint32_t shift_mask_alu(uint32_t operation, uint32_t word, uint32_t operand)
{
    switch (operation) {
    case 0: return word | operand;
    case 1: return word & operand;
    case 2: return word ^ operand;
    case 3: return word + operand;
    case 4: return word | ~operand;
    case 5: return word & ~operand;
    case 6: return word ^ ~operand;
    default: return word - operand;
    }
}

enum step execute_CFGSHIFTMASK(struct tensix *tensix, unsigned thread, struct args_CFGSHIFTMASK args)
{
    if (args.CfgReg >= CONFIG_WORDS) {
        return index_out_of_range(tensix, "CFGSHIFTMASK", args.CfgReg, CONFIG_WORDS);
    }
    unsigned bank = state_id(tensix, thread);
    const uint32_t *words = tensix->state->config.bank[bank];
    uint32_t scratch = words[SCRATCH_SEC0_val_ADDR32 + (args.scratch_sel < 3 ? args.scratch_sel : thread)];
    uint32_t mask = (2u << args.mask_width) - 1;
    uint32_t word = words[args.CfgReg];
    if (!args.disable_mask_on_old_val) {
        word &= ~rotate_right(mask, args.right_cshift_amt);
    }
    word = shift_mask_alu(args.operation, word, rotate_right(scratch & mask, args.right_cshift_amt));
    write_through_pipeline(tensix, thread, bank, args.CfgReg, word);
    return STEP_DONE;
}

enum step execute_STREAMWRCFG(struct tensix *tensix, unsigned thread, struct args_STREAMWRCFG args)
{
    if (args.CfgReg >= CONFIG_WORDS) {
        return index_out_of_range(tensix, "STREAMWRCFG", args.CfgReg, CONFIG_WORDS);
    }
    const uint16_t *thread_config = tensix->state->config.thread[thread];
    uint32_t stream = bits_get(thread_config[STREAM_ID_SYNC_SEC0_BankSel_ADDR32 + args.stream_id_sel],
                               STREAM_ID_SYNC_SEC0_BankSel_SHAMT, STREAM_ID_SYNC_SEC0_BankSel_WIDTH);
    uint32_t value = 0;
    enum step step = bus_load_stream(tensix, stream, args.StreamRegAddr, &value);
    if (step == STEP_DONE) {
        write_through_pipeline(tensix, thread, state_id(tensix, thread), args.CfgReg, value);
    }
    return step;
}

TENSIX_RUN(SETC16)
TENSIX_RUN(WRCFG)
TENSIX_RUN(RDCFG)
TENSIX_RUN(RMWCIB0)
TENSIX_RUN(RMWCIB1)
TENSIX_RUN(RMWCIB2)
TENSIX_RUN(RMWCIB3)
TENSIX_RUN(CFGSHIFTMASK)
TENSIX_RUN(STREAMWRCFG)
