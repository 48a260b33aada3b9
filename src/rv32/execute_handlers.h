/* The interpreter's (execute.inc) tables of handlers: by extension, and, during a check for a polling loop, by
   format. */
#ifndef BHEMU_RV32_EXECUTE_HANDLERS_H
#define BHEMU_RV32_EXECUTE_HANDLERS_H

#define HANDLER_I(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_M(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_ZICSR(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_ZAAMO(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_ZBA(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_ZBB(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_BITMANIP(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_INTERRUPT(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_F(name) [RV32_OP_##name] = &&op_##name,
#define HANDLER_ZFH(name)
#define HANDLER_V(name)

#define JUMPS_BACK                                                                                                     \
    [RV32_CODE_BEQ_BACK] = &&op_BEQ_BACK, [RV32_CODE_BNE_BACK] = &&op_BNE_BACK, [RV32_CODE_BLT_BACK] = &&op_BLT_BACK,  \
    [RV32_CODE_BGE_BACK] = &&op_BGE_BACK, [RV32_CODE_BLTU_BACK] = &&op_BLTU_BACK,                                      \
    [RV32_CODE_BGEU_BACK] = &&op_BGEU_BACK, [RV32_CODE_JUMP_BACK] = &&op_JUMP_BACK

/* By extension: instructions without a handler of their own have none during a check either. */
#define LOOKING_IN_I(format, name) LOOKING_##format(name)
#define LOOKING_IN_M(format, name) LOOKING_##format(name)
#define LOOKING_IN_ZICSR(format, name) LOOKING_##format(name)
#define LOOKING_IN_ZAAMO(format, name) LOOKING_##format(name)
#define LOOKING_IN_ZBA(format, name) LOOKING_##format(name)
#define LOOKING_IN_ZBB(format, name) LOOKING_##format(name)
#define LOOKING_IN_BITMANIP(format, name) LOOKING_##format(name)
#define LOOKING_IN_INTERRUPT(format, name) LOOKING_##format(name)
#define LOOKING_IN_F(format, name) LOOKING_##format(name)
#define LOOKING_IN_ZFH(format, name)
#define LOOKING_IN_V(format, name)

/* By format: instructions that only write integer registers keep their handlers, all others end the check. */
#define LOOKING_R(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_UNARY(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_I(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_SHIFT(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_U(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_J(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_JALR(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_B(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_LOAD(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_FENCE(name) [RV32_OP_##name] = &&op_##name,
#define LOOKING_NONE(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_STORE(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_AMO(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_CSR(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_CSRI(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FENCE_I(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FLOAD(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FSTORE(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FR(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FR4(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FUNARY(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FCMP(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_FTOX(name) [RV32_OP_##name] = &&op_ACTS,
#define LOOKING_XTOF(name) [RV32_OP_##name] = &&op_ACTS,

/* LOOKS_IN_A_TURN: checks that find an action before a core stops checking for the rest of its turn. CHANGES: checks
   in a row that find changed registers, or end at another jump, before a loop counts as one that makes progress.
   ENTRIES_PASSED: entries of translated code that a polling loop may pass. */
enum { LOOKS_IN_A_TURN = 8, CHANGES = 3, ENTRIES_PASSED = 6 };

#endif
