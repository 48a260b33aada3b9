/* SETRWC and INCRWC, which kernels use between instructions of the vector unit, as decoded operations. Sources: ISA
   documentation SETRWC.md, INCRWC.md. */
#include "tensix/units/vector/parts.h"

enum { RWC_CHECKPOINTS = 7 }; /* rwc_cr of INCRWC: SrcA, SrcB, Dst */

/* Not decoded if it gives back a bank of SrcA or SrcB. */
struct vector_operation vector_decode_SETRWC(struct args_SETRWC args)
{
    return (struct vector_operation){.kind = args.clear_ab_vld ? VECTOR_NOT_DECODED : VECTOR_BY_UNIT};
}

/* Not decoded if it may need a diagnostic. */
struct vector_operation vector_decode_INCRWC(struct args_INCRWC args)
{
    if (args.rwc_cr & ~(uint32_t)RWC_CHECKPOINTS) {
        return (struct vector_operation){0};
    }
    bool only_dst = !args.rwc_cr && !args.rwc_a && !args.rwc_b;
    return (struct vector_operation){.kind = only_dst ? VECTOR_WORDS_AND_FLAGS : VECTOR_BY_UNIT,
                                     .effect = only_dst ? EFFECT_COUNT : EFFECT_NONE,
                                     .immediate = args.rwc_d};
}
