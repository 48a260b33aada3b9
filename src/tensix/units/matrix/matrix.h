/* The matrix unit (FPU): multiplies, adds and compares rows of SrcA and SrcB into Dst, moves rows between the three,
   and clears them. One instruction touches 8 rows of 16 columns of Dst at most.

   Every instruction takes its rows relative to the RWCs of its thread, and its data formats from the configuration or,
   where the thread does not disable it, from the banks themselves: the implied formats that the unpackers left there.
   Those that read a bank of SrcA or SrcB wait until it belongs to the matrix unit, unless their page says otherwise.

     units/matrix/multiply.c     MVMUL, DOTPV, GAPOOL
     units/matrix/elementwise.c  ELWADD, ELWSUB, ELWMUL
     units/matrix/pool.c         GMPOOL
     units/matrix/move.c         MOVA2D, MOVB2D, MOVDBGA2D, MOVDBGB2D, MOVD2A, MOVD2B, MOVB2A
     units/matrix/clear.c        ZEROACC, ZEROSRC, CLEARDVALID, GATESRCRST, CLREXPHIST
     units/matrix/shift.c        SHIFTXA, SHIFTXB, TRNSPSRCB
     units/matrix/legacy.c       what earlier chips could

   Sources: ISA documentation MatrixUnit.md and the pages of the instructions; num/fpu.h for the arithmetic. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_MATRIX_H
#define BHEMU_TENSIX_UNITS_MATRIX_MATRIX_H

#include <stdint.h>

#include "tensix/units/stochastic.h"

struct matrix_unit {
    uint32_t last_srca_row; /* first row of the last instruction that used SrcA; SHIFTXA uses it */
    struct stochastic random;
};

#endif
