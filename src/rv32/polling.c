#include "rv32/polling.h"

#include "rv32/execute.h"

enum { LONGEST_PATIENCE = 127 };

_Static_assert((int)POLLING_CORES == (int)BH_CORE_COUNT, "one for each");

static uint32_t word_at(const uint8_t *place)
{
    uint32_t word;
    memcpy(&word, place, sizeof word);
    return word;
}

/* Which of the loop's registers that is; POLLING_REGISTERS: it has too many. */
static unsigned slot_of(struct polling *polling, const uint32_t *x, unsigned reg)
{
    unsigned slot = 0;
    while (slot < polling->registers && polling->reg[slot] != reg) {
        slot++;
    }
    if (slot == polling->registers && slot < POLLING_REGISTERS) {
        polling->reg[slot] = (uint8_t)reg;
        polling->value[slot] = x[reg];
        polling->registers++;
    }
    return slot;
}

/* The host's address of the word that an address is in, if a load of it changes nothing; else null. */
static const uint8_t *place_of(const struct rv32 *rv32, uint32_t address, unsigned size)
{
    uint32_t offset = address - MEM_LOCAL_BASE;
    if (address % size) {
        return NULL;
    }
    if (address < rv32_l1_size(rv32)) {
        return l1_direct(rv32->l1) + address / 4 * 4;
    }
    if (offset < rv32->local_ram_size) {
        return rv32->local_ram + offset / 4 * 4;
    }
    bool may = size == 4 && rv32->bus.word;
    return may ? (const uint8_t *)rv32->bus.word(rv32->bus.context, rv32->core->id, address, false) : NULL;
}

static bool load(struct polling *polling, const struct rv32 *rv32, uint8_t op, uint32_t address, uint32_t *value)
{
    unsigned size = op == RV32_OP_LW ? 4 : op == RV32_OP_LH || op == RV32_OP_LHU ? 2 : 1;
    const uint8_t *place = place_of(rv32, address, size);
    if (!place || polling->words == POLLING_WORDS) {
        return false;
    }
    uint32_t word = word_at(place), part = word >> address % 4 * 8;
    polling->word[polling->words] = place;
    polling->seen[polling->words++] = word;
    switch (op) {
    case RV32_OP_LB: *value = (uint32_t)(int8_t)part; break;
    case RV32_OP_LBU: *value = (uint8_t)part; break;
    case RV32_OP_LH: *value = (uint32_t)(int16_t)part; break;
    case RV32_OP_LHU: *value = (uint16_t)part; break;
    default: *value = part; break;
    }
    return true;
}

/* What an instruction computes from a and b, or from a and its immediate. false: it may do more than that. */
static bool compute(const struct rv32_code *code, uint8_t op, uint32_t a, uint32_t b, uint32_t *result)
{
    uint32_t immediate = (uint32_t)code->immediate;
    switch (op) {
    case RV32_OP_LUI: *result = immediate; return true;
    case RV32_OP_ADDI: *result = a + immediate; return true;
    case RV32_OP_ANDI: *result = a & immediate; return true;
    case RV32_OP_ORI: *result = a | immediate; return true;
    case RV32_OP_XORI: *result = a ^ immediate; return true;
    case RV32_OP_SLLI: *result = a << (immediate & 31); return true;
    case RV32_OP_SRLI: *result = a >> (immediate & 31); return true;
    case RV32_OP_ADD: *result = a + b; return true;
    case RV32_OP_SUB: *result = a - b; return true;
    case RV32_OP_AND: *result = a & b; return true;
    case RV32_OP_OR: *result = a | b; return true;
    case RV32_OP_XOR: *result = a ^ b; return true;
    default: return false;
    }
}

/* Whether an instruction of those above has two source registers. */
static bool has_two(uint8_t op)
{
    switch (op) {
    case RV32_OP_ADD:
    case RV32_OP_SUB:
    case RV32_OP_AND:
    case RV32_OP_OR:
    case RV32_OP_XOR: return true;
    default: return op >= RV32_OP_BEQ && op <= RV32_OP_BGEU;
    }
}

static uint8_t plain_op(const struct rv32_code *code)
{
    uint8_t op = rv32_op_of(code->op);
    return op >= RV32_CODE_BEQ_BACK && op <= RV32_CODE_JUMP_BACK ? rv32_plain_op(op) : op;
}

/* Follows one instruction of the loop. `last`: it is the jump back, which has to be taken. */
static bool follow(struct polling *polling, const struct rv32 *rv32, unsigned at, bool last)
{
    const struct rv32_code *code = (const struct rv32_code *)rv32->l1->code + polling->first / 4 + at;
    const uint32_t *x = rv32->core->x;
    uint8_t op = plain_op(code);
    unsigned a = slot_of(polling, x, code->rs1), b = has_two(op) ? slot_of(polling, x, code->rs2) : a;
    polling->written[at] = POLLING_REGISTERS;
    if (a == POLLING_REGISTERS || b == POLLING_REGISTERS) {
        return false;
    }
    if (last || op == RV32_OP_FENCE) {
        return !last || (op == RV32_OP_JAL && code->rd == RV32_SINK) ||
               rv32_branches(op, polling->value[a], polling->value[b]);
    }
    uint32_t result;
    bool loads = op >= RV32_OP_LB && op <= RV32_OP_LHU;
    bool done = loads ? load(polling, rv32, op, polling->value[a] + (uint32_t)code->immediate, &result)
                      : compute(code, op, polling->value[a], polling->value[b], &result);
    unsigned to = done ? slot_of(polling, x, code->rd) : POLLING_REGISTERS;
    if (to == POLLING_REGISTERS) {
        return false;
    }
    polling->written[at] = (uint8_t)to;
    polling->result[at] = polling->value[to] = result;
    return true;
}

/* The first jump back at or behind pc, as an index of L1's words; 0: there is none near. */
static uint32_t jump_behind(const struct rv32 *rv32, uint32_t word)
{
    const struct rv32_code *code = (const struct rv32_code *)rv32->l1->code;
    for (uint32_t at = word; at < word + POLLING_LONGEST && at < L1_SIZE / 4; at++) {
        uint8_t op = plain_op(&code[at]);
        if ((op >= RV32_OP_BEQ && op <= RV32_OP_BGEU) || op == RV32_OP_JAL) {
            bool back = code[at].immediate < 0 && at + (uint32_t)code[at].immediate <= word;
            return back ? at : 0;
        }
        if (op >= RV32_OP_SB && op <= RV32_OP_SW) {
            return 0;
        }
    }
    return 0;
}

/* Finds out whether the core polls: after a time round from where it is all is as it was. */
static bool learn(struct polling *polling, const struct rv32 *rv32)
{
    const struct rv32_core *core = rv32->core;
    const struct rv32_code *code = (const struct rv32_code *)rv32->l1->code;
    uint32_t word = core->pc / 4, jump = core->pc < L1_SIZE ? jump_behind(rv32, word) : 0;
    uint32_t first = jump ? jump + (uint32_t)code[jump].immediate : 0;
    if (!jump || jump - first >= POLLING_LONGEST) {
        return false;
    }
    *polling = (struct polling){.first = first * 4,
                                .rewritten = rv32->l1->rewritten,
                                .length = (uint8_t)(jump - first + 1),
                                .phase = (uint8_t)(word - first)};
    for (unsigned i = 0; i < polling->length; i++) {
        unsigned at = polling->phase + i;
        at -= at >= polling->length ? polling->length : 0;
        if (!follow(polling, rv32, at, at == jump - first)) {
            return false;
        }
    }
    for (unsigned slot = 0; slot < polling->registers; slot++) {
        if (polling->value[slot] != core->x[polling->reg[slot]]) {
            return false;
        }
    }
    return true;
}

/* Whether the core's next turn goes round the loop as before. */
static bool goes_on(const struct polling *polling, const struct rv32 *rv32)
{
    const struct rv32_core *core = rv32->core;
    bool same = core->pc == polling->first + 4u * polling->phase && core->halt == RV32_RUNNING &&
                rv32->l1->rewritten == polling->rewritten && !rv32->observed && !rv32->diagnostics->stopped;
    for (unsigned i = 0; same && i < polling->words; i++) {
        same = word_at(polling->word[i]) == polling->seen[i];
    }
    for (unsigned slot = 0; same && slot < polling->registers; slot++) {
        same = core->x[polling->reg[slot]] == polling->value[slot];
    }
    return same;
}

static void go_on(struct polling *polling, struct rv32 *rv32, uint32_t cycles)
{
    struct rv32_core *core = rv32->core;
    core->waiting = false;
    rv32->yield = rv32->put_off = false;
    for (uint32_t left = cycles % polling->length; left; left--) {
        unsigned slot = polling->written[polling->phase];
        if (slot < POLLING_REGISTERS) {
            core->x[polling->reg[slot]] = polling->value[slot] = polling->result[polling->phase];
        }
        polling->phase = (uint8_t)(polling->phase + 1 == polling->length ? 0 : polling->phase + 1);
    }
    core->pc = polling->first + 4u * polling->phase;
    rv32_retire(rv32, core->instret + cycles);
    polling->used = true;
}

static void look_later(struct pollings *pollings, unsigned core)
{
    uint8_t *patience = &pollings->patience[core];
    *patience = (uint8_t)(*patience * 2 + 1) & LONGEST_PATIENCE;
    pollings->due[core] = *patience;
}

void polling_look(const struct rv32 *rv32, struct pollings *pollings, struct polling *polling)
{
    unsigned core = rv32->core->id;
    if (!rv32->observed && learn(polling, rv32)) {
        pollings->known |= (uint8_t)(1u << core);
    } else {
        look_later(pollings, core);
    }
}

bool polling_goes_on(struct rv32 *rv32, struct pollings *pollings, struct polling *polling, uint32_t budget)
{
    unsigned core = rv32->core->id;
    if (goes_on(polling, rv32)) {
        go_on(polling, rv32, budget);
        return true;
    }
    pollings->known &= (uint8_t) ~(1u << core);
    if (polling->used) {
        pollings->patience[core] = 0;
    } else {
        look_later(pollings, core);
    }
    return false;
}
