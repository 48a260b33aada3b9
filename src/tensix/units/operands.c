#include "tensix/units/operands.h"

#include "isa/tensix_facts.h"
#include "isa/tensix_table.h"

void operands_add(struct operand_list *list, struct bh_operand operand)
{
    if (operand.count && list->count < OPERANDS_AT_MOST) {
        list->of[list->count++] = operand;
    }
}

/* One range for each row of ones in `set`. */
static void add_set(struct operand_list *list, struct bh_operand operand, uint64_t set)
{
    for (unsigned first = 0; first < 64 && set >> first; first++) {
        if (set >> first & 1) {
            unsigned end = first;
            while (end < 64 && set >> end & 1) {
                end++;
            }
            operand.index = (uint16_t)first;
            operand.count = (uint16_t)(end - first);
            operands_add(list, operand);
            first = end;
        }
    }
}

/* Whether what the instruction writes to GPRs arrives after it has left its unit. */
static bool arrives_late(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_LOADIND:
    case TENSIX_OPCODE_LOADREG:
    case TENSIX_OPCODE_ATINCGET:
    case TENSIX_OPCODE_RDCFG: return true;
    default: return false;
    }
}

/* The GPRs that hold what the instruction loads: LOADIND increments another one at once. */
static uint64_t late_gprs(uint32_t word)
{
    if (!arrives_late(word)) {
        return 0;
    }
    if (word >> 24 != TENSIX_OPCODE_LOADIND) {
        return tensix_gprs_written(word);
    }
    struct args_LOADIND args = decode_LOADIND(word);
    return args.SizeSel ? UINT64_C(1) << args.DataRegIndex : UINT64_C(15) << (args.DataRegIndex & ~3u);
}

static void add_gprs(struct operand_list *list, unsigned thread, uint8_t unit, uint32_t word)
{
    struct bh_operand gprs = {.file = BH_OPERAND_GPR, .part = (uint8_t)thread, .unit = unit};
    add_set(list, gprs, tensix_gprs_read(word));
    gprs.write = 1;
    add_set(list, gprs, tensix_gprs_written(word) & ~late_gprs(word));
    gprs.late = 1;
    add_set(list, gprs, late_gprs(word));
}

static void add_lregs(struct operand_list *list, uint8_t unit, uint64_t set, bool write)
{
    enum { ALL_LREGS = (1 << TENSIX_LREGS) - 1 };
    add_set(list, (struct bh_operand){.file = BH_OPERAND_LREG, .unit = unit, .write = write}, set & ALL_LREGS);
    if (set & (TENSIX_USE_LANE_FLAGS | TENSIX_USE_FLAG_STACK)) {
        operands_add(list,
                     (struct bh_operand){.file = BH_OPERAND_LANE_FLAGS, .unit = unit, .write = write, .count = 1});
    }
}

void operands_of_word(const struct tensix *tensix, unsigned thread, uint32_t word, struct operand_list *list)
{
    (void)tensix;
    list->count = 0;
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    if (!instruction) {
        return;
    }
    uint8_t unit = (uint8_t)instruction->unit;
    add_gprs(list, thread, unit, word);
    struct tensix_operands operands = tensix_operands_of(word);
    add_lregs(list, unit, tensix_reads(word, &operands), false);
    add_lregs(list, unit, tensix_writes(word, &operands), true);
}
