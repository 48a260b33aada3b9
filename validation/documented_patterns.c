/* The wait patterns of the chapter on stallwait conditions, with nothing to wait for: a wait takes its own cycle, and
   keeps what it blocks for one more. */
#include "validation/documented.h"

static double whole(const struct documented_figure *figure)
{
    return cycles_of_pattern(figure->other, figure->text);
}

const struct documented_figure documented_patterns[] = {
    {"P1", whole,
     "SETDMAREG RegIndex16b=16; SETDMAREG RegIndex16b=17; STALLWAIT stall_res=0x80, wait_res=1;"
     "WRCFG GprAddress=8, CfgReg=209; NOP; NOP",
     0, 0},
    {"P2", whole, "STALLWAIT stall_res=0x40, wait_res=0x80; MOVD2A", "SETDVALID setvalid=3", 0},
    {"P3", whole,
     "STALLWAIT stall_res=2, wait_res=2; SEMPOST sem_sel=4; SEMWAIT stall_res=2, sem_sel=4, wait_sem_cond=1;"
     "STALLWAIT stall_res=2, wait_res=0x810; SEMGET sem_sel=4",
     0, 0},
    {"P4", whole,
     "SEMWAIT stall_res=0x142, sem_sel=2, wait_sem_cond=2; STALLWAIT stall_res=2, wait_res=0x810; SEMPOST sem_sel=2;"
     "SEMWAIT stall_res=1, sem_sel=2, wait_sem_cond=1; DMANOP; STALLWAIT stall_res=2, wait_res=8; SEMGET sem_sel=2",
     "SEMINIT max_value=2, sem_sel=2", 0},
    {"P5", whole, "STALLWAIT stall_res=0x80, wait_res=8; WRCFG GprAddress=8, CfgReg=209", 0, 0},
    {"P6", whole, "STALLWAIT stall_res=0x80, wait_res=0x810; SETC16 setc16_reg=60", 0, 0},
    {"P7", whole, "STALLWAIT stall_res=8, wait_res=0x400; UNPACR_NOP Unpack_Pop=2", 0, 0},
    {"P8", whole,
     "STALLWAIT stall_res=2, wait_res=0x810; SEMPOST sem_sel=2; STALLWAIT stall_res=0x80, wait_res=0x810;"
     "SETC16 setc16_reg=60",
     0, 0},
    {0},
};
