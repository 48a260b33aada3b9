#include "isa/rv32_text.h"

#include <stdbool.h>
#include <stdio.h>

#include "isa/rv32_isa.h"
#include "isa/rv32_vector_text.h"
#include "util/bits.h"

static const char *const x_names[32] = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const f_names[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

const char *rv32_x_name(unsigned x)
{
    return x_names[x % 32];
}

const char *rv32_f_name(unsigned f)
{
    return f_names[f % 32];
}

/* "iorw" as far as the bits of `set` go; "unknown" for none, as the assembler spells it. */
static const char *fence_set(uint32_t set, char text[5])
{
    char *end = text;
    for (unsigned i = 0; i < 4; i++) {
        if (set >> (3 - i) & 1) {
            *end++ = "iorw"[i];
        }
    }
    *end = 0;
    return end == text ? "unknown" : text;
}

/* ", rne" and so on where a floating-point instruction has a rounding mode other than the dynamic one. */
static const char *rounding(uint32_t word, const struct rv32_instruction *instruction)
{
    static const char *const names[8] = {",rne", ",rtz", ",rdn", ",rup", ",rmm", ",unknown", ",unknown", ""};
    bool has_mode = (instruction->mask >> 12 & 7) == 0;
    return has_mode ? names[bits_get(word, 12, 3)] : "";
}

static int csr_text(uint32_t word, const char *name, const char *operand, char *buffer, size_t size)
{
    enum rv32_csr csr = rv32_find_csr(word >> 20);
    if (csr == RV32_CSRS) {
        return snprintf(buffer, size, "%s %s,0x%x,%s", name, x_names[rv32_rd(word)], word >> 20, operand);
    }
    return snprintf(buffer, size, "%s %s,%s,%s", name, x_names[rv32_rd(word)], rv32_csrs[csr].name, operand);
}

int rv32_disassemble(uint32_t word, uint32_t pc, char *buffer, size_t size)
{
    enum rv32_op op = rv32_identify(word);
    const struct rv32_instruction *instruction = &rv32_instructions[op];
    enum rv32_format format = (enum rv32_format)instruction->format;
    int32_t immediate = rv32_immediate(format, word);
    const char *name = instruction->name, *mode = rounding(word, instruction);
    const char *rd = x_names[rv32_rd(word)], *rs1 = x_names[rv32_rs1(word)], *rs2 = x_names[rv32_rs2(word)];
    const char *fd = f_names[rv32_rd(word)], *fs1 = f_names[rv32_rs1(word)], *fs2 = f_names[rv32_rs2(word)];
    char before[5], after[5], number[3];

    if (op == RV32_OP_NONE) {
        return snprintf(buffer, size, ".word 0x%08x", word);
    }
    if (op == RV32_OP_TTINSN) {
        return snprintf(buffer, size, ".ttinsn 0x%08x", rotate_right(word, 2));
    }
    switch (format) {
    case RV32_FORMAT_R: return snprintf(buffer, size, "%s %s,%s,%s", name, rd, rs1, rs2);
    case RV32_FORMAT_UNARY: return snprintf(buffer, size, "%s %s,%s", name, rd, rs1);
    case RV32_FORMAT_I: return snprintf(buffer, size, "%s %s,%s,%d", name, rd, rs1, immediate);
    case RV32_FORMAT_SHIFT: return snprintf(buffer, size, "%s %s,%s,0x%x", name, rd, rs1, (unsigned)immediate);
    case RV32_FORMAT_U: return snprintf(buffer, size, "%s %s,0x%x", name, rd, (uint32_t)immediate >> 12);
    case RV32_FORMAT_J: return snprintf(buffer, size, "%s %s,0x%x", name, rd, pc + (uint32_t)immediate);
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD: return snprintf(buffer, size, "%s %s,%d(%s)", name, rd, immediate, rs1);
    case RV32_FORMAT_B: return snprintf(buffer, size, "%s %s,%s,0x%x", name, rs1, rs2, pc + (uint32_t)immediate);
    case RV32_FORMAT_STORE: return snprintf(buffer, size, "%s %s,%d(%s)", name, rs2, immediate, rs1);
    case RV32_FORMAT_AMO: {
        static const char *const order[4] = {"", ".rl", ".aq", ".aqrl"};
        return snprintf(buffer, size, "%s%s %s,%s,(%s)", name, order[bits_get(word, 25, 2)], rd, rs2, rs1);
    }
    case RV32_FORMAT_CSR: return csr_text(word, name, rs1, buffer, size);
    case RV32_FORMAT_CSRI:
        snprintf(number, sizeof number, "%u", rv32_rs1(word));
        return csr_text(word, name, number, buffer, size);
    case RV32_FORMAT_FENCE:
        if (bits_get(word, 20, 12) == 0x833) {
            return snprintf(buffer, size, "fence.tso");
        }
        return snprintf(buffer, size, "%s %s,%s", name, fence_set(bits_get(word, 24, 4), before),
                        fence_set(bits_get(word, 20, 4), after));
    case RV32_FORMAT_FLOAD: return snprintf(buffer, size, "%s %s,%d(%s)", name, fd, immediate, rs1);
    case RV32_FORMAT_FSTORE: return snprintf(buffer, size, "%s %s,%d(%s)", name, fs2, immediate, rs1);
    case RV32_FORMAT_FR: return snprintf(buffer, size, "%s %s,%s,%s%s", name, fd, fs1, fs2, mode);
    case RV32_FORMAT_FR4:
        return snprintf(buffer, size, "%s %s,%s,%s,%s%s", name, fd, fs1, fs2, f_names[word >> 27], mode);
    case RV32_FORMAT_FUNARY: return snprintf(buffer, size, "%s %s,%s%s", name, fd, fs1, mode);
    case RV32_FORMAT_FCMP: return snprintf(buffer, size, "%s %s,%s,%s", name, rd, fs1, fs2);
    case RV32_FORMAT_FTOX: return snprintf(buffer, size, "%s %s,%s%s", name, rd, fs1, mode);
    case RV32_FORMAT_XTOF: return snprintf(buffer, size, "%s %s,%s%s", name, fd, rs1, mode);
    case RV32_FORMAT_VECTOR: return rv32_vector_text(word, x_names, f_names, buffer, size);
    case RV32_FORMAT_FENCE_I:
    case RV32_FORMAT_NONE: break;
    }
    return snprintf(buffer, size, "%s", name);
}
