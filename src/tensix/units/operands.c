#include "tensix/units/operands.h"

#include <stddef.h>

#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"
#include "tensix/units/matrix/operands.h"
#include "tensix/units/matrix/timing.h"
#include "tensix/units/operands_config.h"
#include "tensix/units/scalar/operands.h"
#include "tensix/units/unpack/operands.h"
#include "tensix/units/vector/operands.h"

enum { ALL_LREGS = (1 << TENSIX_LREGS) - 1 };

/* ---- ranges ---- */

void operands_add(struct operand_list *list, struct bh_operand operand)
{
    if (operand.count && list->count < OPERANDS_AT_MOST) {
        list->of[list->count++] = operand;
    }
}

void operands_add_bits(struct operand_list *list, struct bh_operand operand, const uint64_t *set, unsigned bits)
{
    operand.count = 0;
    for (unsigned base = 0; base < bits; base += 64) {
        uint64_t left = set[base / 64];
        while (left) {
            unsigned first = (unsigned)__builtin_ctzll(left);
            uint64_t above = ~(left >> first);
            unsigned count = above ? (unsigned)__builtin_ctzll(above) : 64;
            if (operand.count && operand.index + operand.count != base + first) {
                operands_add(list, operand);
                operand.count = 0;
            }
            operand.index = operand.count ? operand.index : (uint16_t)(base + first);
            operand.count = (uint16_t)(operand.count + count);
            left &= first + count < 64 ? ~UINT64_C(0) << (first + count) : 0;
        }
    }
    operands_add(list, operand);
}

static void add_set(struct operand_list *list, struct bh_operand operand, const struct operand_set *set)
{
    const uint64_t lregs = set->lregs;
    for (unsigned i = 0; i < 2 * SRC_BANKS; i++) {
        if (!set->rows.src[i / SRC_BANKS][i % SRC_BANKS]) {
            continue;
        }
        operand.file = i / SRC_BANKS ? BH_OPERAND_SRCB : BH_OPERAND_SRCA;
        operand.part = i % SRC_BANKS;
        operands_add_bits(list, operand, &set->rows.src[i / SRC_BANKS][i % SRC_BANKS], SRC_ROWS);
    }
    operand.part = 0;
    uint64_t dst = 0;
    for (unsigned i = 0; i < DST_ROWS / 64; i++) {
        dst |= set->rows.dst[i];
    }
    if (dst) {
        operand.file = BH_OPERAND_DST;
        operands_add_bits(list, operand, set->rows.dst, DST_ROWS);
    }
    if (lregs) {
        operand.file = BH_OPERAND_LREG;
        operands_add_bits(list, operand, &lregs, TENSIX_LREGS);
    }
    operand.file = BH_OPERAND_LANE_FLAGS;
    operand.index = 0;
    operand.count = set->lane_flags;
    operands_add(list, operand);
}

void operands_add_sets(struct operand_list *list, struct bh_operand operand, const struct operand_sets *sets)
{
    operand.write = 0;
    add_set(list, operand, &sets->read);
    operand.write = 1;
    add_set(list, operand, &sets->written);
}

/* ---- GPRs ---- */

/* Those that get what the instruction loads, some time after it has left its unit. */
static uint64_t late_gprs(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_LOADREG:
    case TENSIX_OPCODE_ATINCGET:
    case TENSIX_OPCODE_RDCFG: return tensix_gprs_written(word);
    case TENSIX_OPCODE_LOADIND: {
        const struct args_LOADIND args = decode_LOADIND(word);
        return args.SizeSel ? UINT64_C(1) << args.DataRegIndex : UINT64_C(15) << (args.DataRegIndex & ~3u);
    }
    default: return 0;
    }
}

/* LOADIND may increment a GPR that it loads. */
static uint64_t early_gprs(uint32_t word)
{
    uint64_t gprs = tensix_gprs_written(word) & ~late_gprs(word);
    if (word >> 24 == TENSIX_OPCODE_LOADIND && decode_LOADIND(word).AutoIncSpec) {
        gprs |= UINT64_C(1) << decode_LOADIND(word).OffsetIndex / 2;
    }
    return gprs;
}

static void add_gprs(struct operand_list *list, struct bh_operand gprs, unsigned thread, uint64_t set)
{
    if (!set) {
        return;
    }
    gprs.file = BH_OPERAND_GPR;
    gprs.part = (uint8_t)thread;
    operands_add_bits(list, gprs, &set, GPRS);
}

static void add_gpr_writes(struct operand_list *list, struct bh_operand gprs, unsigned thread, uint32_t word)
{
    add_gprs(list, gprs, thread, early_gprs(word));
    gprs.late = 1;
    add_gprs(list, gprs, thread, late_gprs(word));
}

/* ---- writes to configuration ---- */

/* Words of both banks, all with the same bits. */
struct config_writes {
    uint64_t words[CONFIG_BANKS][(CONFIG_WORDS + 63) / 64];
    uint32_t bits;
    bool any;
};

/* A global word is written in both banks; STATE_RESET_EN clears all others of its bank. */
static void write_word(struct config_writes *writes, unsigned bank, uint32_t index)
{
    uint32_t first = index, end = index + 1;
    writes->any = true;
    if (index == STATE_RESET_EN_ADDR32 && writes->bits == UINT32_MAX) {
        first = 0;
        end = GLOBAL_CFGREG_BASE_ADDR32;
    }
    for (uint32_t i = first; i < end && i < CONFIG_WORDS; i++) {
        writes->words[bank][i / 64] |= UINT64_C(1) << i % 64;
        if (i >= GLOBAL_CFGREG_BASE_ADDR32) {
            writes->words[bank ^ 1][i / 64] |= UINT64_C(1) << i % 64;
        }
    }
}

static void write_words(struct config_writes *writes, unsigned bank, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        write_word(writes, bank, first + i);
    }
}

/* Bits of byte `byte` of a word. */
static void write_byte(struct config_writes *writes, unsigned bank, uint32_t word, unsigned byte)
{
    const struct args_RMWCIB0 args = decode_RMWCIB0(word);
    writes->bits = args.Mask << (8 * byte);
    if (writes->bits) {
        write_word(writes, bank, args.CfgRegAddr);
    }
}

/* A transfer of the mover to configuration: the words of the window, and those of both banks behind them. */
static void write_window(struct config_writes *writes, const struct tensix *tensix, unsigned thread)
{
    const struct mover_transfer transfer = mover_transfer_of_thread(tensix, thread);
    uint32_t first, end = mover_config_words(tensix, &transfer, &first);
    for (uint32_t index = first; index < end && index < CONFIG_WINDOW_THREADS; index++) {
        if (index >= CONFIG_WINDOW_DUAL_WRITE || index / CONFIG_WORDS == 0) {
            write_word(writes, 0, index % CONFIG_WORDS);
        }
        if (index >= CONFIG_WORDS) {
            write_word(writes, 1, index % CONFIG_WORDS);
        }
    }
}

static struct config_writes config_writes_of(const struct tensix *tensix, unsigned thread, uint32_t word)
{
    enum { ALL_FOUR = 4 };
    struct config_writes writes = {.bits = UINT32_MAX};
    const unsigned bank = CONFIG_GET(tensix->state->config.thread[thread], CFG_STATE_ID_StateID);
    switch (word >> 24) {
    case TENSIX_OPCODE_WRCFG: {
        const struct args_WRCFG args = decode_WRCFG(word);
        write_words(&writes, bank, args.wr128b ? args.CfgReg & ~3u : args.CfgReg, args.wr128b ? ALL_FOUR : 1);
        break;
    }
    case TENSIX_OPCODE_REG2FLOP: {
        const struct args_REG2FLOP args = decode_REG2FLOP(word);
        uint32_t flop = THCON_CFGREG_BASE_ADDR32 + args.FlopIndex;
        if (args.TargetSel == 0) {
            write_words(&writes, bank, args.SizeSel ? flop : flop & ~3u, args.SizeSel ? 1 : ALL_FOUR);
        }
        break;
    }
    case TENSIX_OPCODE_CFGSHIFTMASK: write_word(&writes, bank, decode_CFGSHIFTMASK(word).CfgReg); break;
    case TENSIX_OPCODE_STREAMWRCFG: write_word(&writes, bank, decode_STREAMWRCFG(word).CfgReg); break;
    case TENSIX_OPCODE_RMWCIB0:
    case TENSIX_OPCODE_RMWCIB1:
    case TENSIX_OPCODE_RMWCIB2:
    case TENSIX_OPCODE_RMWCIB3: write_byte(&writes, bank, word, (word >> 24) - TENSIX_OPCODE_RMWCIB0); break;
    case TENSIX_OPCODE_XMOV: write_window(&writes, tensix, thread); break;
    default: break;
    }
    return writes;
}

static void add_config_writes(struct operand_list *list, struct bh_operand config, const struct tensix *tensix,
                              unsigned thread, uint32_t word)
{
    const struct config_writes writes = config_writes_of(tensix, thread, word);
    config.file = BH_OPERAND_CONFIG;
    config.mask = writes.bits;
    for (unsigned bank = 0; writes.any && bank < CONFIG_BANKS; bank++) {
        config.part = (uint8_t)bank;
        operands_add_bits(list, config, writes.words[bank], CONFIG_WORDS);
    }
    if (word >> 24 == TENSIX_OPCODE_SETC16 && decode_SETC16(word).setc16_reg < THD_STATE_SIZE) {
        config.file = BH_OPERAND_THREAD_CONFIG;
        config.part = (uint8_t)thread;
        config.index = (uint16_t)decode_SETC16(word).setc16_reg;
        config.count = 1;
        config.mask = UINT16_MAX;
        operands_add(list, config);
    }
}

/* ---- rows, LRegs and lane flags ---- */

/* SFPLUT and the like whose result goes where LReg[7] says: those that it says of any lane. */
static uint32_t lregs_written(const struct vector_unit *vector, uint32_t word, uint32_t writes)
{
    enum { ALL_WRITABLE = 0xff, INDIRECT = 7 };
    if (tensix_facts[word >> 24].sub_unit != TENSIX_SUB_UNIT_MAD || (writes & ALL_WRITABLE) != ALL_WRITABLE ||
        vector_schedule_active(vector)) {
        return writes;
    }
    uint32_t lregs = 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        lregs |= 1u << (vector->lreg[INDIRECT][lane] & 15);
    }
    return (writes & ~(uint32_t)ALL_WRITABLE) | (lregs & ALL_WRITABLE);
}

/* Those that any instruction can write, or one that SFPLOADMACRO has scheduled; and those that SFPCONFIG can. */
static uint32_t writable_lregs(uint32_t word)
{
    enum { GENERAL = 0x100ff, CONSTANTS = 0x7800 };
    return word >> 24 == TENSIX_OPCODE_SFPCONFIG ? CONSTANTS : GENERAL;
}

static void find_facts(const struct tensix_state *state, uint32_t word, struct tensix_operands operands,
                       struct operand_sets *sets)
{
    const uint64_t flags = TENSIX_USE_LANE_FLAGS | TENSIX_USE_FLAG_STACK;
    const uint64_t reads = tensix_reads(word, &operands), writes = tensix_writes(word, &operands);
    sets->read.lregs = (uint32_t)reads & ALL_LREGS;
    sets->written.lregs = lregs_written(&state->vector, word, (uint32_t)writes & ALL_LREGS) & writable_lregs(word);
    sets->read.lane_flags = (reads & flags) != 0;
    sets->written.lane_flags = (writes & flags) != 0;
}

/* What the units find out as they would execute the instruction: without diagnostics, and without telling observers of
   what they look at. */
static void find_rows(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_sets *sets,
                      struct operand_facts *facts)
{
    struct diagnostics silent, *own = tensix->diagnostics;
    struct observed *observed = tensix->l1->observed;
    diagnostics_clear(&silent); /* a policy of zeroes ignores everything */
    tensix->diagnostics = &silent;
    tensix->l1->observed = NULL;
    *facts = (struct operand_facts){0};
    switch (tensix_by_opcode((uint8_t)(word >> 24))->unit) {
    case TENSIX_MATRIX: matrix_operands(tensix->state, thread, word, sets); break;
    case TENSIX_VECTOR: vector_operands(tensix->state, thread, word, sets); break;
    case TENSIX_UNPACK: unpack_operands(tensix, thread, word, sets, &facts->context); break;
    case TENSIX_PACK: pack_operands(tensix, thread, word, sets, &facts->pack); break;
    case TENSIX_SCALAR: scalar_operands(tensix, thread, word, &sets->written.rows); break;
    default: break;
    }
    tensix->diagnostics = own;
    tensix->l1->observed = observed;
}

void operands_of_word(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_list *list)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    struct operand_sets sets = {0};
    struct operand_facts facts;
    list->count = 0;
    if (!instruction || (instruction->unit == TENSIX_MATRIX && matrix_lacks_sources(tensix->state, word))) {
        return; /* a kernel's matrix unit mostly waits: each attempt would look for all operands */
    }
    struct bh_operand operand = {.unit = (uint8_t)instruction->unit};
    if (instruction->unit == TENSIX_UNPACK) {
        operand.number = (uint8_t)decode_UNPACR(word).Unpack_block_selection;
    }
    find_facts(tensix->state, word, tensix_operands_of(word), &sets);
    find_rows(tensix, thread, word, &sets, &facts);
    add_gprs(list, operand, thread, tensix_gprs_read(word));
    operands_add_config_reads(list, operand, tensix->state, thread, word, &facts);
    operands_add_sets(list, operand, &sets);
    operand.write = 1;
    add_gpr_writes(list, operand, thread, word);
    add_config_writes(list, operand, tensix, thread, word);
}

void operands_of_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction, struct operand_list *list)
{
    const struct tensix_operands operands = {.vb = instruction->vb, .vc = instruction->vc, .vd = instruction->vd};
    const struct bh_operand operand = {.unit = BH_UNIT_VECTOR};
    struct operand_sets sets = {0};
    uint32_t word = instruction->word;
    list->count = 0;
    find_facts(tensix->state, word, operands, &sets);
    if (word >> 24 == TENSIX_OPCODE_SFPSTORE) {
        operands_add_store_format(list, operand, tensix->state, instruction->thread, instruction->mod0);
        vector_store_operands(tensix->state, instruction->thread, instruction->mod0, instruction->address, &sets);
    } else {
        vector_operands(tensix->state, instruction->thread, word, &sets);
    }
    operands_add_sets(list, operand, &sets);
}
