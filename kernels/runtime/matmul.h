/* The product of two tiles, Dst += A x B, as the matrix unit does it: A comes through unpacker 1 into SrcB, B through
   unpacker 0 into SrcA, four faces each. 16 MVMULs, kept in the replay buffer, are one fidelity phase; five address
   modes lead them through the faces. A MOP runs one phase after the other. Source: chapter "rwc and addressing",
   section 4. */
#ifndef BHEMU_KERNELS_MATMUL_H
#define BHEMU_KERNELS_MATMUL_H

#include "math.h"
#include "mop.h"

enum { MATMUL_REPLAY_START = 16, MATMUL_REPLAY_LENGTH = 16 };

/* release: the banks that are given back after each product, one of RELEASE_*. phases: 1 to 4. */
static inline void matmul_configure(uint32_t phases, uint32_t release)
{
    ADDRESS_MODE(0, 0, INCREMENT(8), DST_INCREMENT(8));
    ADDRESS_MODE(1, INCREMENT(16), CHECKPOINT(0), DST_INCREMENT(8));
    ADDRESS_MODE(2, CHECKPOINT(0), CHECKPOINT(32), DST_INCREMENT(8));
    ADDRESS_MODE(4, CHECKPOINT(32), CHECKPOINT(48), DST_CHECKPOINT(0));
    ADDRESS_MODE(5, CLEAR, CLEAR, DST_CLEAR | FIDELITY_INCREMENT(1));

    /* Rows of a face of A in two halves; faces of A (SrcB) and B (SrcA): B0A0 B0A1 B2A0 B2A1 B1A2 B1A3 B3A2 B3A3. */
    REPLAY_LOAD(MATMUL_REPLAY_START, MATMUL_REPLAY_LENGTH);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 1, 0);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 2, 0);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 1, 0);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 4, 0);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 1, 0);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 2, 0);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 1, 0);
    TTI_MVMUL(0, 0, 0, 0);
    TTI_MVMUL(0, 0, 5, 0);

    uint32_t phase = REPLAY_WORD(MATMUL_REPLAY_START, MATMUL_REPLAY_LENGTH);
    mop_program_repeat(phases, phase, TT_OP_SETRWC(release, 0, 0, 0, 0, SET_ALL));
}

#endif
