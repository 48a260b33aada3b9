/* Which label of the interpreter (execute.inc) executes an instruction: by extension, and by format while a loop is
   looked at that may only wait. */
#ifndef BHEMU_RV32_EXECUTE_HANDLERS_H
#define BHEMU_RV32_EXECUTE_HANDLERS_H

#define HANDLER_I(name) &&op_##name
#define HANDLER_M(name) &&op_##name
#define HANDLER_ZICSR(name) &&op_##name
#define HANDLER_ZAAMO(name) &&op_##name
#define HANDLER_ZBA(name) &&op_##name
#define HANDLER_ZBB(name) &&op_##name
#define HANDLER_BITMANIP(name) &&op_##name
#define HANDLER_INTERRUPT(name) &&op_##name
#define HANDLER_F(name) &&op_##name
#define HANDLER_ZFH(name) &&op_FLOAT
#define HANDLER_V(name) &&op_VECTOR

#define JUMPS_BACK                                                                                                     \
    [RV32_CODE_BEQ_BACK] = &&op_BEQ_BACK, [RV32_CODE_BNE_BACK] = &&op_BNE_BACK, [RV32_CODE_BLT_BACK] = &&op_BLT_BACK,  \
    [RV32_CODE_BGE_BACK] = &&op_BGE_BACK, [RV32_CODE_BLTU_BACK] = &&op_BLTU_BACK,                                      \
    [RV32_CODE_BGEU_BACK] = &&op_BGEU_BACK, [RV32_CODE_JUMP_BACK] = &&op_JUMP_BACK

/* By format: who writes nothing but integer registers. */
#define LOOKING_R(name) &&op_##name
#define LOOKING_UNARY(name) &&op_##name
#define LOOKING_I(name) &&op_##name
#define LOOKING_SHIFT(name) &&op_##name
#define LOOKING_U(name) &&op_##name
#define LOOKING_J(name) &&op_##name
#define LOOKING_JALR(name) &&op_##name
#define LOOKING_B(name) &&op_##name
#define LOOKING_LOAD(name) &&op_##name
#define LOOKING_FENCE(name) &&op_##name
#define LOOKING_NONE(name) &&op_ACTS
#define LOOKING_STORE(name) &&op_ACTS
#define LOOKING_AMO(name) &&op_ACTS
#define LOOKING_CSR(name) &&op_ACTS
#define LOOKING_CSRI(name) &&op_ACTS
#define LOOKING_FENCE_I(name) &&op_ACTS
#define LOOKING_FLOAD(name) &&op_ACTS
#define LOOKING_FSTORE(name) &&op_ACTS
#define LOOKING_FR(name) &&op_ACTS
#define LOOKING_FR4(name) &&op_ACTS
#define LOOKING_FUNARY(name) &&op_ACTS
#define LOOKING_FCMP(name) &&op_ACTS
#define LOOKING_FTOX(name) &&op_ACTS
#define LOOKING_XTOF(name) &&op_ACTS
#define LOOKING_VECTOR(name) &&op_ACTS

/* In how many loops of a turn a core looks in vain until it looks no more, and how often registers are different at a
   jump back until that is taken for one of a loop that gets on. */
enum { LOOKS_IN_A_TURN = 8, CHANGES = 3 };

#endif
