/* SFPLOADMACRO's schedule: the instructions that wait in the vector unit's four sub-units, and the unit's notion of
   time.

   SFPLOADMACRO schedules instructions for later cycles. One with a delay of d executes d + 1 cycles after the
   SFPLOADMACRO. In functional mode each instruction that the thread issues takes a cycle, in timed mode cycles are
   those of the clock, whatever is issued; but while any instruction waits for elapsed instructions, only instructions
   of the vector unit count, whichever thread issues them. All instructions of one cycle read the state before it.
   Results of the MAD sub-unit, of SFPSWAP and of SFPSHFT2's moves between lanes are available one cycle later than
   others. While nothing is scheduled the vector unit has no notion of time in functional mode: instructions wait for
   each other's results.

   LoadMacroConfig may differ between lanes. SFPCONFIG, and instructions that become templates, write the same to all
   four lanes of a column, so that only columns differ. If they do, each column has a queue of its own until all queues
   are empty; cycles and instructions are counted for all of them together.
   Sources: ISA documentation SFPLOADMACRO.md, SFPCONFIG.md, VectorUnit.md, SFPMAD.md, SFPSWAP.md, SFPSHFT2.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_MACRO_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_MACRO_H

#include <stdbool.h>
#include <stdint.h>

/* The sub-units. Nothing can be scheduled for the fifth, VECTOR_LOAD. */
enum vector_sub_unit {
    VECTOR_SIMPLE,
    VECTOR_MAD,
    VECTOR_ROUND,
    VECTOR_STORE,
    VECTOR_SUB_UNITS,
    VECTOR_LOAD = VECTOR_SUB_UNITS,
    VECTOR_NONE /* for instructions of other units */
};

enum { VECTOR_DELAYS = 8, VECTOR_LATE_REGISTERS = 4, VECTOR_COLUMNS = 8, VECTOR_ALL_COLUMNS = 0xff };

/* An instruction of the vector unit with its chosen LRegs. */
struct vector_scheduled {
    uint32_t word;      /* its template; the fields below replace the template's */
    uint32_t pc;        /* of the SFPLOADMACRO */
    uint8_t vb, vc, vd; /* LRegs */
    uint8_t mod0;       /* of an SFPSTORE */
    uint16_t address;   /* of an SFPSTORE: address in Dst, computed by SFPLOADMACRO */
    uint8_t thread;     /* thread that issued it */
    bool regular;       /* issued by software itself */
};

/* What waits in the sub-units. */
struct vector_queue {
    uint8_t waiting[VECTOR_SUB_UNITS];                           /* bit d: an instruction waits with delay d ... */
    uint8_t by_instruction[VECTOR_SUB_UNITS];                    /* ... for elapsed instructions rather than cycles */
    struct vector_scheduled at[VECTOR_SUB_UNITS][VECTOR_DELAYS]; /* delay d: at[][(now + d) % VECTOR_DELAYS] */
};

/* Results of two-cycle instructions, to be written at the end of the next cycle: value[i] in lanes[i]. */
struct vector_late {
    uint32_t registers;  /* one bit for each LReg that may be written; 0: no results */
    uint32_t regular;    /* those of them that a regular instruction may write */
    uint32_t waited_for; /* those that hardware takes that instruction to write: what reads them waits */
    uint32_t lanes[VECTOR_LATE_REGISTERS];
    bool indirect; /* value[i] goes to LReg vd[i], lane by lane; otherwise to the ith of `registers` */
    uint8_t vd[VECTOR_LATE_REGISTERS][32];
    uint32_t value[VECTOR_LATE_REGISTERS][32];
};

/* The second cycle of SFPSWAP. */
struct vector_swap {
    uint32_t lanes;  /* lanes to be exchanged */
    uint8_t columns; /* columns in whose lanes it executes, one bit for each; 0: none */
    uint8_t vc, vd;
    bool regular;
};

/* Where late results come from. */
enum { VECTOR_LATE_MAD, VECTOR_LATE_ROUND, VECTOR_LATE_SOURCES };

struct vector_macro {
    bool active;                /* instructions are scheduled, or results pending */
    bool apart;                 /* each column has a queue; otherwise queue[0] and swap[0] are those of all lanes */
    uint8_t thread;             /* thread of the last SFPLOADMACRO: its instructions count as cycles */
    uint8_t now;                /* counts cycles */
    uint8_t parity;             /* index in late[] for results of this cycle */
    uint8_t source_b, source_c; /* numbers of VB and VC plus 1 if they are not those of the instruction; otherwise 0 */
    struct vector_queue queue[VECTOR_COLUMNS];
    struct vector_late late[2][VECTOR_LATE_SOURCES];
    struct vector_swap swap[VECTOR_COLUMNS];
};

#endif
