/* For tests of translated code: random endless programs of loops, subroutines and jumps of all kinds, with operands
   that are often equal, zero, or extreme. They need not end, nor do anything useful. */
#ifndef BHEMU_RV32_TRANSLATE_PROGRAM_H
#define BHEMU_RV32_TRANSLATE_PROGRAM_H

#include "rv32/fixture.h"

#include "util/xorshift.h"

enum { PROGRAM_WORDS = 400, PROGRAM_DATA = 0x8000, PROGRAM_DATA_BYTES = 0x1000, PROGRAM_HANDLER = 0x200 };

/* Registers that mostly hold pointers; those from COUNTER on are loop counters. */
enum { TO_RAM = SP, TO_REGISTERS = GP, TO_EDGE = TP, TO_DATA = S0, TO_RAM_END = S1, TO_CODE = A5 };
enum { AN_INSTRUCTION = 22, DEPTH = 24, COUNTER = 25, COUNTERS = 3 };

struct program {
    uint32_t at, count;
    uint32_t word[PROGRAM_WORDS];
    unsigned pool_size;
    uint8_t pool[16]; /* registers used for computations */
    unsigned functions, wildness;
    uint32_t function[3]; /* words */
};

static uint64_t program_random;

static uint32_t below(uint32_t limit)
{
    return xorshift64_word(&program_random) % limit;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

static uint32_t random_value(void)
{
    static const uint32_t edges[] = {0, 1, 2, UINT32_MAX, 0x80000000, 0x7fffffff, 0x80, 0xffffff80, 0x8000, 31, 32};
    return one_in(2) ? edges[below(sizeof edges / sizeof edges[0])] : xorshift64_word(&program_random);
}

static int32_t random_immediate(void)
{
    static const int16_t edges[] = {0, 1, -1, 2047, -2048, 127, 128, -128, -129};
    return one_in(2) ? edges[below(sizeof edges / sizeof edges[0])] : (int32_t)below(4096) - 2048;
}

static void put(struct program *program, uint32_t word)
{
    if (program->count < PROGRAM_WORDS) {
        program->word[program->count++] = word;
    }
}

static unsigned any(const struct program *program)
{
    return program->pool[below(program->pool_size)];
}

/* Any instruction of integers that neither jumps nor accesses memory. */
static uint32_t random_operation(const struct program *program)
{
    for (;;) {
        enum rv32_op op = (enum rv32_op)below(RV32_OPS);
        const struct rv32_instruction *instruction = &rv32_instructions[op];
        unsigned rd = any(program), a = any(program), b = any(program);
        switch (instruction->extension) {
        case RV32_I:
        case RV32_M:
        case RV32_ZBA:
        case RV32_ZBB:
        case RV32_BITMANIP: break;
        default: continue;
        }
        switch ((enum rv32_format)instruction->format) {
        case RV32_FORMAT_R: return word_r(op, rd, a, b);
        case RV32_FORMAT_UNARY: return instruction->match | a << 15 | rd << 7;
        case RV32_FORMAT_I: return word_i(op, rd, a, random_immediate());
        case RV32_FORMAT_SHIFT: return instruction->match | below(32) << 20 | a << 15 | rd << 7;
        case RV32_FORMAT_U: return word_u(op, rd, random_value());
        case RV32_FORMAT_FENCE:
            if (op == RV32_OP_FENCE) {
                return instruction->match | below(256) << 20 | a << 15 | rd << 7;
            }
            break;
        default: break;
        }
    }
}

static uint32_t random_access(const struct program *program)
{
    static const uint8_t loads[] = {RV32_OP_LB, RV32_OP_LH, RV32_OP_LW, RV32_OP_LBU, RV32_OP_LHU, RV32_OP_FLW};
    static const uint8_t stores[] = {RV32_OP_SB, RV32_OP_SH, RV32_OP_SW, RV32_OP_SW, RV32_OP_SW, RV32_OP_FSW};
    static const uint8_t bases[] = {TO_DATA, TO_DATA, TO_DATA, TO_RAM, TO_RAM, TO_EDGE, TO_RAM_END};
    unsigned base = bases[below(sizeof bases)];
    int32_t offset = (int32_t)below(64) - 32;
    offset = one_in(program->wildness) ? offset : offset & ~3;
    if (one_in(20)) { /* registers behind the bus */
        base = TO_REGISTERS;
        offset = 4 * (int32_t)below(12);
    } else if (one_in(4 * program->wildness)) {
        base = any(program);
    }
    return one_in(2) ? word_i((enum rv32_op)loads[below(sizeof loads)], any(program), base, offset)
                     : word_s((enum rv32_op)stores[below(sizeof stores)], any(program), offset, base);
}

static enum rv32_op random_branch(void)
{
    static const uint8_t branches[] = {RV32_OP_BEQ, RV32_OP_BNE, RV32_OP_BLT, RV32_OP_BGE, RV32_OP_BLTU, RV32_OP_BGEU};
    return (enum rv32_op)branches[below(sizeof branches)];
}

/* What is left to the interpreter. */
static uint32_t random_rarity(const struct program *program)
{
    static const uint16_t csrs[] = {0xb00, 0xb02, 0xb80, 0xb82, 0x7c3, 0xc00, 0xbca, 0x003, 0xf14, 0x123};
    static const uint8_t csr_ops[] = {RV32_OP_CSRRW,  RV32_OP_CSRRS,  RV32_OP_CSRRC, RV32_OP_CSRRS,
                                      RV32_OP_CSRRWI, RV32_OP_CSRRSI, RV32_OP_CSRRS, RV32_OP_CSRRCI};
    unsigned rd = any(program), a = any(program), b = any(program);
    enum rv32_op csr_op = (enum rv32_op)csr_ops[below(sizeof csr_ops)];
    switch (below(8)) {
    case 0:
    case 1: return word_i(csr_op, rd, csr_op == RV32_OP_CSRRS ? 0 : a, csrs[below(sizeof csrs / sizeof csrs[0])]);
    case 2: return word_r((enum rv32_op)(RV32_OP_AMOADD_W + below(9)), rd, TO_DATA, b);
    case 3:
    case 4: {
        enum rv32_op op = (enum rv32_op)(RV32_OP_FMADD_S + below(RV32_OP_FLH - RV32_OP_FMADD_S));
        return rv32_instructions[op].match | below(32) << 27 | b << 20 | a << 15 | rd << 7;
    }
    case 5: return word_i(RV32_OP_FLH, rd, TO_DATA, 2 * (int32_t)below(16));
    case 6: /* vsetivli, or vadd.vv */
        return one_in(2) ? rv32_instructions[RV32_OP_VSETIVLI].match | 2u << 23 | 4u << 15 | rd << 7
                         : 0x57 | 1u << 25 | b << 20 | a << 15 | rd << 7;
    default: return one_in(program->wildness) ? random_value() | 3 : rv32_instructions[RV32_OP_ORC_B].match | a << 15;
    }
}

/* rd = an address within the program */
static void put_address(struct program *program, unsigned rd, uint32_t address)
{
    put(program, word_u(RV32_OP_LUI, rd, address + 0x800));
    put(program, word_addi(rd, rd, (int32_t)(address << 20) >> 20));
}

static uint32_t address_of(const struct program *program, uint32_t word)
{
    return program->at + 4 * word;
}

static int32_t distance_to(const struct program *program, uint32_t word)
{
    return 4 * ((int32_t)word - (int32_t)program->count);
}

static void put_call(struct program *program)
{
    if (program->functions == 0) {
        return;
    }
    unsigned which = below(program->functions), link = one_in(6) ? T0 : RA;
    put(program, word_addi(DEPTH, ZERO, (int32_t)below(6)));
    if (one_in(3)) {
        uint32_t target = address_of(program, program->function[which]);
        int32_t offset = random_immediate();
        put_address(program, T1, target - (uint32_t)offset);
        put(program, word_i(RV32_OP_JALR, link, T1, offset));
    } else {
        put(program, word_j(link, distance_to(program, program->function[which])));
    }
}

/* A jump to any word, or to an address without instructions. */
static void put_jump(struct program *program)
{
    uint32_t word = below(program->count + 8);
    switch (below(6)) {
    case 0: put(program, word_j(one_in(2) ? ZERO : any(program), distance_to(program, word))); break;
    case 1:
        put_address(program, T1, address_of(program, word) + (one_in(program->wildness) ? 1 + below(3) : 0));
        put(program, word_i(RV32_OP_JALR, one_in(2) ? ZERO : any(program), T1, 0));
        break;
    case 2:
        if (one_in(program->wildness)) {
            put(program, word_i(RV32_OP_JALR, any(program), any(program), random_immediate()));
        }
        break;
    default: put(program, word_b(random_branch(), any(program), any(program), distance_to(program, word))); break;
    }
}

static void put_rewriting(struct program *program)
{
    if (one_in(2)) {
        put(program, word_i(RV32_OP_LW, AN_INSTRUCTION, TO_CODE, 4 * ((int32_t)below(120) - 60)));
    }
    put(program, word_s(one_in(4) ? RV32_OP_SB : RV32_OP_SW, AN_INSTRUCTION, 4 * ((int32_t)below(120) - 60), TO_CODE));
}

static void put_statement(struct program *program, unsigned depth);

static void put_loop(struct program *program, unsigned depth)
{
    unsigned counter = COUNTER + depth;
    put(program, word_addi(counter, ZERO, 1 + (int32_t)below(30)));
    uint32_t begin = program->count;
    for (unsigned i = 1 + below(10); i > 0; i--) {
        put_statement(program, depth + 1);
    }
    put(program, word_addi(counter, counter, -1));
    switch (below(3)) {
    case 0: put(program, word_b(RV32_OP_BNE, counter, ZERO, distance_to(program, begin))); break;
    case 1: put(program, word_b(RV32_OP_BLT, ZERO, counter, distance_to(program, begin))); break;
    default:
        put(program, word_b(RV32_OP_BGEU, ZERO, counter, 8));
        put(program, word_j(ZERO, distance_to(program, begin)));
        break;
    }
}

/* Mostly a polling loop: the word for which it waits may change between two turns, or has the value already. */
static void put_look(struct program *program)
{
    uint32_t begin = program->count;
    unsigned loaded = any(program), computed = any(program);
    if (one_in(8)) {
        put_jump(program); /* sometimes a jump into the loop */
    }
    for (unsigned i = 1 + below(2); i > 0; i--) {
        bool words = one_in(3);
        put(program, word_i(RV32_OP_LW, loaded,
                            words       ? TO_REGISTERS
                            : one_in(2) ? TO_DATA
                                        : TO_RAM,
                            4 * (int32_t)below(words ? 10 : 4)));
        loaded = one_in(2) ? loaded : any(program);
    }
    if (one_in(3)) {
        put(program, one_in(2) ? random_operation(program) : word_r(RV32_OP_AND, computed, loaded, any(program)));
    }
    put(program, word_b(random_branch(), one_in(2) ? loaded : computed, one_in(2) ? ZERO : any(program),
                        distance_to(program, begin)));
}

static void put_statement(struct program *program, unsigned depth)
{
    unsigned kind = below(50);
    if (kind >= 48) {
        put_look(program);
    } else if (kind < 23) {
        put(program, random_operation(program));
    } else if (kind < 34) {
        put(program, random_access(program));
    } else if (kind < 36) {
        put(program, word_b(random_branch(), any(program), any(program), 4 * (int32_t)(2 + below(4))));
    } else if (kind < 39 && depth < COUNTERS) {
        put_loop(program, depth);
    } else if (kind < 41) {
        put_call(program);
    } else if (kind < 42) {
        for (unsigned i = one_in(3) ? 1 + below(20) : 1; i > 0; i--) { /* .ttinsn, which may be pushed at once */
            put(program, random_value() << 2 | below(3));
        }
    } else if (kind < 43) {
        put(program, random_rarity(program));
    } else if (one_in(program->wildness)) {
        put_rewriting(program);
    } else if (one_in(3)) {
        put_jump(program);
    }
}

/* A function that saves its return address, and may call functions before it, or itself. */
static void put_function(struct program *program)
{
    uint32_t begin = program->count;
    bool calls = one_in(2);
    if (calls) {
        put(program, word_addi(TO_RAM, TO_RAM, -16));
        put(program, word_s(RV32_OP_SW, RA, 0, TO_RAM));
    }
    for (unsigned i = 1 + below(8); i > 0; i--) {
        put_statement(program, 1);
    }
    if (calls) {
        put(program, word_addi(DEPTH, DEPTH, -1));
        put(program, word_b(RV32_OP_BGE, ZERO, DEPTH, 8));
        put(program, word_j(RA, distance_to(program, begin)));
        put(program, word_i(RV32_OP_LW, RA, TO_RAM, 0));
        put(program, word_addi(TO_RAM, TO_RAM, 16));
    }
    put(program, word_i(RV32_OP_JALR, ZERO, RA, 0));
    program->function[program->functions++] = begin;
}

/* A small pool often has equal registers; a large pool exceeds the host's registers. */
static void choose_pool(struct program *program)
{
    static const uint8_t scratch[] = {RA, T0, T1, T2, A0, A1, A2, A3, A4, 16, 17, 18, 19, 20, 21, 23, 28, 29, 30, 31};
    program->pool_size = one_in(3) ? 3 : 5 + below(12);
    for (unsigned i = 0; i < program->pool_size; i++) {
        program->pool[i] = scratch[1 + below(sizeof scratch - 1)];
    }
    program->pool[0] = ZERO;
    if (one_in(8)) {
        program->pool[1] = RA;
    }
}

/* Makes a program that begins with its first word, and may fill L1 up to its end. */
static void make_program(struct program *program)
{
    bool ends_l1 = one_in(8);
    program->count = program->functions = 0;
    program->at = ends_l1 ? L1_SIZE - 4 * PROGRAM_WORDS : 0x400 + 4 * below(100);
    program->wildness = one_in(4) ? 4 : 100;
    choose_pool(program);
    put(program, 0);
    for (unsigned i = below(4); i > 0; i--) {
        put_function(program);
    }
    program->word[0] = word_j(ZERO, 4 * (int32_t)program->count);
    for (unsigned i = 5 + below(40); i > 0; i--) {
        put_statement(program, 0);
    }
    while (ends_l1 && program->count < PROGRAM_WORDS - 1) {
        put(program, random_operation(program));
    }
    if (program->count == PROGRAM_WORDS) {
        program->count--;
    }
    put(program, one_in(8) ? random_operation(program) : word_j(ZERO, distance_to(program, 0)));
}

#endif
