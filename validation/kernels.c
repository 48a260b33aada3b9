#include "validation/kernels.h"

const struct validation_program validation_kernels[] = {
    {"runtime: DRAM ", dram_blocks},
    {"runtime: semaphore_post", semaphore_posts},
    {"runtime: source ", source_flags},
    {"scalar staging transport: SRC", stage_source},
    {"scalar staging transport: pack", stage_packed},
    {"argmax: RISC-V", scalar_argmax},
    {"RMSNorm L1-L1: ", rmsnorm},
    {0},
};
