/* Predication of the vector unit: which lanes an instruction acts on. Source: ISA documentation SFPENCC.md. */
#include "tensix/execute.h"
#include "tensix/tensix.h"

enum step execute_SFPENCC(struct tensix *tensix, unsigned thread, struct args_SFPENCC args)
{
    enum { MOD1_EC = 1, MOD1_EI = 2, MOD1_RI = 8, IMM2_E = 1, IMM2_R = 2, LREG_TEMPLATES = 12 };
    struct vector_unit *vector = &tensix->state->vector;
    if (args.lreg_dest >= LREG_TEMPLATES) {
        return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "loading an SFPLOADMACRO instruction template through SFPENCC is not emulated yet");
    }
    if (args.instr_mod1 & MOD1_EI) {
        vector->use_lane_flags = args.imm12_math & IMM2_E ? UINT32_MAX : 0;
    } else if (args.instr_mod1 & MOD1_EC) {
        vector->use_lane_flags = ~vector->use_lane_flags;
    }
    bool cleared = args.instr_mod1 & MOD1_RI && !(args.imm12_math & IMM2_R);
    vector->lane_flags = cleared ? 0 : UINT32_MAX;
    return STEP_DONE;
}
