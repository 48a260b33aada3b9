/* The RISC-V instruction set of the baby cores, from tables/rv32.def and tables/rv32_csr.def: the instructions, their
   decoder, and the formats of their operands. */
#ifndef BHEMU_ISA_RV32_ISA_H
#define BHEMU_ISA_RV32_ISA_H

#include <stdint.h>

/* Instructions: RV32_OP_name. */
enum rv32_op {
    RV32_OP_NONE, /* no instruction of the table */
#define RV32(name, ...) RV32_OP_##name,
#include "rv32.def"
#undef RV32
    RV32_OP_TTINSN, /* a Tensix instruction, rotated left by two */
    RV32_OPS
};

enum rv32_extension {
    RV32_I,
    RV32_M,
    RV32_ZICSR,
    RV32_ZAAMO,
    RV32_ZBA,
    RV32_ZBB,
    RV32_BITMANIP,
    RV32_INTERRUPT,
    RV32_F,
    RV32_ZFH,
    RV32_V,
};

/* The operands of each format; x: integer register, f: floating-point register. */
enum rv32_format {
    RV32_FORMAT_NONE,
    RV32_FORMAT_R,       /* x rd, x rs1, x rs2 */
    RV32_FORMAT_UNARY,   /* x rd, x rs1 */
    RV32_FORMAT_I,       /* x rd, x rs1, immediate [31:20], signed */
    RV32_FORMAT_SHIFT,   /* x rd, x rs1, immediate [24:20] */
    RV32_FORMAT_U,       /* x rd, immediate [31:12] << 12 */
    RV32_FORMAT_J,       /* x rd, distance to jump */
    RV32_FORMAT_JALR,    /* x rd, immediate [31:20] (x rs1) */
    RV32_FORMAT_B,       /* x rs1, x rs2, distance to jump */
    RV32_FORMAT_LOAD,    /* x rd, immediate [31:20] (x rs1) */
    RV32_FORMAT_STORE,   /* x rs2, immediate [31:25][11:7] (x rs1) */
    RV32_FORMAT_AMO,     /* x rd, x rs2, (x rs1) */
    RV32_FORMAT_CSR,     /* x rd, CSR [31:20], x rs1 */
    RV32_FORMAT_CSRI,    /* x rd, CSR [31:20], immediate [19:15] */
    RV32_FORMAT_FENCE,   /* predecessor [27:24], successor [23:20] */
    RV32_FORMAT_FENCE_I, /* nothing */
    RV32_FORMAT_FLOAD,   /* f rd, immediate [31:20] (x rs1) */
    RV32_FORMAT_FSTORE,  /* f rs2, immediate [31:25][11:7] (x rs1) */
    RV32_FORMAT_FR,      /* f rd, f rs1, f rs2 */
    RV32_FORMAT_FR4,     /* f rd, f rs1, f rs2, f [31:27] */
    RV32_FORMAT_FUNARY,  /* f rd, f rs1 */
    RV32_FORMAT_FCMP,    /* x rd, f rs1, f rs2 */
    RV32_FORMAT_FTOX,    /* x rd, f rs1 */
    RV32_FORMAT_XTOF,    /* f rd, x rs1 */
    RV32_FORMAT_VECTOR,  /* not taken apart */
};

/* Text is in arrays rather than behind pointers, which would have to be relocated when the library is loaded. */
struct rv32_instruction {
    char name[11]; /* the mnemonic */
    char meaning[77];
    uint32_t match, mask;
    uint8_t format;    /* enum rv32_format */
    uint8_t extension; /* enum rv32_extension */
};

/* The table, by enum rv32_op. */
extern const struct rv32_instruction rv32_instructions[RV32_OPS];

/* Identifies an instruction; RV32_OP_NONE if it is not in the table. */
enum rv32_op rv32_identify(uint32_t word);

/* The immediate of an instruction of this format, sign-extended; 0 where the format has none. */
int32_t rv32_immediate(enum rv32_format format, uint32_t word);

static inline unsigned rv32_rd(uint32_t word)
{
    return (word >> 7) & 31;
}

static inline unsigned rv32_rs1(uint32_t word)
{
    return (word >> 15) & 31;
}

static inline unsigned rv32_rs2(uint32_t word)
{
    return (word >> 20) & 31;
}

/* CSRs: RV32_CSR_name. */
enum rv32_csr {
#define RV32_CSR(name, ...) RV32_CSR_##name,
#include "rv32_csr.def"
#undef RV32_CSR
    RV32_CSRS
};

enum rv32_csr_kind {
    RV32_CSR_HELD,
    RV32_CSR_CONSTANT,
    RV32_CSR_COUNTER,
    RV32_CSR_EVENTS,
    RV32_CSR_STATUS,
    RV32_CSR_STREAM,
};

struct rv32_csr_description {
    char name[17];
    char meaning[71];
    uint32_t reset, writable;
    uint16_t number;
    uint8_t kind; /* enum rv32_csr_kind */
};

/* The table, by enum rv32_csr. */
extern const struct rv32_csr_description rv32_csrs[RV32_CSRS];

/* The CSR with this number; RV32_CSRS when there is none. */
enum rv32_csr rv32_find_csr(unsigned number);

#endif
