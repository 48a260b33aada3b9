#include "isa/rv32_isa.h"

#include "util/bits.h"

const struct rv32_instruction rv32_instructions[RV32_OPS] = {
    [RV32_OP_NONE] = {.name = "unknown", .meaning = "not an instruction"},
#define RV32(name_, mnemonic_, match_, mask_, format_, extension_, meaning_)                                           \
    [RV32_OP_##name_] = {.name = (mnemonic_),                                                                          \
                         .meaning = (meaning_),                                                                        \
                         .match = (match_),                                                                            \
                         .mask = (mask_),                                                                              \
                         .format = RV32_FORMAT_##format_,                                                              \
                         .extension = RV32_##extension_},
#include "rv32.def"
#undef RV32
    [RV32_OP_TTINSN] = {.name = ".ttinsn", .meaning = "pushes a Tensix instruction"},
};

const struct rv32_csr_description rv32_csrs[RV32_CSRS] = {
#define RV32_CSR(name_, number_, kind_, reset_, writable_, meaning_)                                                   \
    [RV32_CSR_##name_] = {.name = #name_,                                                                              \
                          .meaning = (meaning_),                                                                       \
                          .reset = (reset_),                                                                           \
                          .writable = (writable_),                                                                     \
                          .number = (number_),                                                                         \
                          .kind = RV32_CSR_##kind_},
#include "rv32_csr.def"
#undef RV32_CSR
};

/* Searches the instructions with one major opcode, a constant, so that the compiler drops the others. */
static inline __attribute__((always_inline)) enum rv32_op identify_in(uint32_t word, uint32_t opcode)
{
#define RV32(name, mnemonic, match, mask, ...)                                                                         \
    if (((match) >> 2 & 31) == opcode && (word & (mask)) == (match)) {                                                 \
        return RV32_OP_##name;                                                                                         \
    }
#include "rv32.def"
#undef RV32
    return RV32_OP_NONE;
}

enum rv32_op rv32_identify(uint32_t word)
{
    if ((word & 3) != 3) {
        return RV32_OP_TTINSN;
    }
#define OPCODE(n)                                                                                                      \
    case n:                                                                                                            \
        return identify_in(word, n);
#define OPCODES(n) OPCODE(n) OPCODE((n) + 1) OPCODE((n) + 2) OPCODE((n) + 3)
    switch (word >> 2 & 31) {
        OPCODES(0)
        OPCODES(4)
        OPCODES(8)
        OPCODES(12)
        OPCODES(16)
        OPCODES(20)
        OPCODES(24)
        OPCODES(28)
    default: return RV32_OP_NONE;
    }
#undef OPCODES
#undef OPCODE
}

int32_t rv32_immediate(enum rv32_format format, uint32_t word)
{
    switch (format) {
    case RV32_FORMAT_I:
    case RV32_FORMAT_JALR:
    case RV32_FORMAT_LOAD:
    case RV32_FORMAT_FLOAD: return (int32_t)word >> 20;
    case RV32_FORMAT_STORE:
    case RV32_FORMAT_FSTORE: return bits_sign_extend(bits_get(word, 25, 7) << 5 | bits_get(word, 7, 5), 12);
    case RV32_FORMAT_B:
        return bits_sign_extend(bits_get(word, 31, 1) << 12 | bits_get(word, 7, 1) << 11 | bits_get(word, 25, 6) << 5 |
                                    bits_get(word, 8, 4) << 1,
                                13);
    case RV32_FORMAT_J:
        return bits_sign_extend(bits_get(word, 31, 1) << 20 | bits_get(word, 12, 8) << 12 |
                                    bits_get(word, 20, 1) << 11 | bits_get(word, 21, 10) << 1,
                                21);
    case RV32_FORMAT_U: return (int32_t)(word & 0xfffff000);
    case RV32_FORMAT_SHIFT: return (int32_t)bits_get(word, 20, 5);
    case RV32_FORMAT_CSR: /* the CSR's number; CSRI's immediate is where rs1 is */
    case RV32_FORMAT_CSRI: return (int32_t)bits_get(word, 20, 12);
    default: return 0;
    }
}

enum rv32_csr rv32_find_csr(unsigned number)
{
    enum rv32_csr csr = 0;
    while (csr < RV32_CSRS && rv32_csrs[csr].number != number) {
        csr++;
    }
    return csr;
}
