#include "rv32/clock_wait.h"

#include "rv32/execute.h"

enum { LONGEST_ROUND = 16 }; /* instructions */

/* A value in the round that is looked at. If it tells time, that is, is the clock plus something, it is higher in each
   further round by the cycles that one takes; else it is the same. */
struct value {
    uint32_t now;
    bool tells_time;
};

struct round {
    const struct rv32 *rv32;
    uint32_t length;                         /* instructions, and cycles, so far */
    uint32_t low, high;                      /* halves of the clock when the round began */
    uint32_t read_before, written;           /* registers: a bit each */
    struct value x[RV32_SINK + 1];           /* of those that were written */
    struct value compared[LONGEST_ROUND][2]; /* by branches and comparisons that have an operand that tells time */
    unsigned comparisons;
};

static struct value read_register(struct round *round, unsigned index)
{
    if (round->written >> index & 1) {
        return round->x[index];
    }
    round->read_before |= 1u << index;
    return (struct value){.now = round->rv32->core->x[index]};
}

static void write_register(struct round *round, unsigned index, struct value value)
{
    if (index != RV32_SINK) {
        round->written |= 1u << index;
        round->x[index] = value;
    }
}

/* Notes what the outcome of a comparison depends on. */
static void compare(struct round *round, struct value a, struct value b)
{
    if (a.tells_time || b.tells_time) {
        round->compared[round->comparisons][0] = a;
        round->compared[round->comparisons++][1] = b;
    }
}

/* *value: the offset; becomes the word at `base` plus that. */
static bool load_word(struct round *round, struct value base, struct value *value)
{
    const struct rv32 *rv32 = round->rv32;
    uint32_t address = base.now + value->now, offset = address - MEM_LOCAL_BASE;
    uint32_t half = address - rv32->bus.clock_register;
    if (base.tells_time || address % 4) {
        return false;
    }
    *value = (struct value){.now = round->high};
    if (address < rv32_l1_size(rv32)) { /* nobody writes there during the core's turn */
        memcpy(&value->now, l1_peek(rv32->l1, address), sizeof value->now);
    } else if (offset < rv32->local_ram_size) {
        memcpy(&value->now, rv32->local_ram + offset, sizeof value->now);
    } else if (half == 0) {
        *value = (struct value){.now = round->low + round->length, .tells_time = true};
    } else {
        return half == 4 || half == 8; /* the high half, now and when the low one was loaded */
    }
    return true;
}

/* An instruction that computes. false: the result is neither the clock plus something nor the same in all rounds. */
static bool compute(struct round *round, uint8_t op, struct value a, struct value b, struct value *result)
{
    switch (op) {
    case RV32_OP_ADD:
    case RV32_OP_ADDI:
        *result = (struct value){a.now + b.now, a.tells_time != b.tells_time};
        return !(a.tells_time && b.tells_time);
    case RV32_OP_SUB:
        *result = (struct value){a.now - b.now, a.tells_time != b.tells_time};
        return a.tells_time || !b.tells_time;
    case RV32_OP_SLTU:
    case RV32_OP_SLTIU:
        compare(round, a, b);
        *result = (struct value){.now = a.now < b.now};
        return true;
    case RV32_OP_AND:
    case RV32_OP_ANDI: *result = (struct value){.now = a.now & b.now}; break;
    case RV32_OP_OR:
    case RV32_OP_ORI: *result = (struct value){.now = a.now | b.now}; break;
    case RV32_OP_XOR:
    case RV32_OP_XORI: *result = (struct value){.now = a.now ^ b.now}; break;
    default: return false;
    }
    return !a.tells_time && !b.tells_time;
}

/* Whether a branch is taken in this round. false: whether it is in others can not be told. */
static bool branch(struct round *round, uint8_t op, struct value a, struct value b, bool *taken)
{
    bool less = a.now < b.now, less_signed = (int32_t)a.now < (int32_t)b.now;
    compare(round, a, b);
    switch (op) {
    case RV32_OP_BEQ: *taken = a.now == b.now; return true;
    case RV32_OP_BNE: *taken = a.now != b.now; return true;
    case RV32_OP_BLTU: *taken = less; return true;
    case RV32_OP_BGEU: *taken = !less; return true;
    default: *taken = op == RV32_OP_BLT ? less_signed : !less_signed; return !a.tells_time && !b.tells_time;
    }
}

/* Follows one instruction; *at is the next one. false: a loop with it does more than wait, or is not understood. */
static bool follow(struct round *round, uint32_t *at)
{
    struct rv32_code code;
    memcpy(&code, &round->rv32->l1->code[*at], sizeof code);
    uint8_t op = rv32_op_of(code.op);
    op = op >= RV32_CODE_BEQ_BACK && op <= RV32_CODE_JUMP_BACK ? rv32_plain_op(op) : op;
    struct value value = {.now = (uint32_t)code.immediate};
    bool known = true, taken = false, writes = true;
    switch (op <= RV32_OP_AND && code.rd <= RV32_SINK ? rv32_instructions[op].format : RV32_FORMAT_NONE) {
    case RV32_FORMAT_U: break;
    case RV32_FORMAT_R:
        known = compute(round, op, read_register(round, code.rs1), read_register(round, code.rs2), &value);
        break;
    case RV32_FORMAT_I: known = compute(round, op, read_register(round, code.rs1), value, &value); break;
    case RV32_FORMAT_LOAD: known = op == RV32_OP_LW && load_word(round, read_register(round, code.rs1), &value); break;
    case RV32_FORMAT_B:
        known = branch(round, op, read_register(round, code.rs1), read_register(round, code.rs2), &taken);
        writes = false;
        break;
    case RV32_FORMAT_J:
        known = taken = code.rd == RV32_SINK;
        writes = false;
        break;
    default: return false;
    }
    if (writes) {
        write_register(round, code.rd, value);
    }
    *at += taken ? (uint32_t)code.immediate : 1;
    round->length++;
    return known;
}

/* In how many rounds from this one on the order of two values stays what it is: neither passes the other, nor becomes
   equal to it or different from it, nor wraps around. `step`: the cycles of a round. */
static uint32_t rounds_alike(struct value a, struct value b, uint32_t step)
{
    if (a.tells_time && b.tells_time) { /* they keep their distance until one wraps around */
        uint32_t higher = a.now > b.now ? a.now : b.now;
        return (UINT32_MAX - higher) / step + 1;
    }
    uint32_t moving = a.tells_time ? a.now : b.now, fixed = a.tells_time ? b.now : a.now;
    uint32_t limit = moving < fixed ? fixed - 1 : moving == fixed ? moving : UINT32_MAX;
    return (limit - moving) / step + 1;
}

/* Whether what the round begins with is what it ends with, but for the clock. */
static bool repeats(const struct round *round)
{
    for (uint32_t left = round->read_before & round->written; left; left &= left - 1) {
        unsigned index = (unsigned)__builtin_ctz(left);
        if (round->x[index].tells_time || round->x[index].now != round->rv32->core->x[index]) {
            return false;
        }
    }
    return true;
}

uint32_t rv32_wait_by_clock(struct rv32 *rv32, uint32_t pc, uint32_t left)
{
    uint64_t clock = clock_of(rv32->clock, rv32->core->id);
    struct round round; /* values of registers are set when those are written */
    round.rv32 = rv32;
    round.low = (uint32_t)clock;
    round.high = (uint32_t)(clock >> 32);
    round.length = round.comparisons = round.read_before = round.written = 0;
    uint32_t at = pc / 4;
    do {
        if (round.length == LONGEST_ROUND || at >= L1_SIZE / 4 || !follow(&round, &at)) {
            return 0;
        }
    } while (at != pc / 4);
    uint32_t rounds = (left - 1) / round.length, until_wrap = (UINT32_MAX - round.low) / round.length;
    rounds = rounds < until_wrap ? rounds : until_wrap;
    for (unsigned i = 0; i < round.comparisons; i++) {
        uint32_t alike = rounds_alike(round.compared[i][0], round.compared[i][1], round.length);
        rounds = rounds < alike ? rounds : alike;
    }
    if (!rounds || !repeats(&round)) {
        return 0;
    }
    for (uint32_t written = round.written; written; written &= written - 1) {
        unsigned index = (unsigned)__builtin_ctz(written);
        rv32->core->x[index] = round.x[index].now + (round.x[index].tells_time ? (rounds - 1) * round.length : 0);
    }
    return rounds * round.length;
}
