/* How fast one RISC-V core executes: a plain loop of arithmetic with a load and a store in L1, a sum of bytes in local
   RAM, and calls. Prints million instructions a second of CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rv32/rv32.h"

enum { START = 0x1000, QUANTUM = 512, INSTRUCTIONS = 200000000 };

struct program {
    const char *name;
    uint32_t words[16];
};

static const struct program programs[] = {
    {"plain loop in L1",
     {
         0x00128293, /* 1: addi t0, t0, 1 */
         0x00530333, /*    add  t1, t1, t0 */
         0x005343b3, /*    xor  t2, t1, t0 */
         0x02730433, /*    mul  s0, t1, t2 */
         0x0004a503, /*    lw   a0, 0(s1) */
         0x00a40533, /*    add  a0, s0, a0 */
         0x00a4a023, /*    sw   a0, 0(s1) */
         0xfe0292e3, /*    bnez t0, 1b */
     }},
    {"bytes in local RAM",
     {
         0xffb00337, /* 1: lui  t1, 0xffb00 */
         0x40030293, /*    addi t0, t1, 0x400 */
         0x00034383, /* 2: lbu  t2, 0(t1) */
         0x00750533, /*    add  a0, a0, t2 */
         0x00130313, /*    addi t1, t1, 1 */
         0xfe531ae3, /*    bne  t1, t0, 2b */
         0xfe9ff06f, /*    j    1b */
     }},
    {"calls",
     {
         0x00150513, /* 1: addi a0, a0, 1 */
         0x00c000ef, /*    jal  ra, 2f */
         0x00a5c5b3, /*    xor  a1, a1, a0 */
         0xff5ff06f, /*    j    1b */
         0xff010113, /* 2: addi sp, sp, -16 */
         0x00112623, /*    sw   ra, 12(sp) */
         0x00151613, /*    slli a2, a0, 1 */
         0x00c12083, /*    lw   ra, 12(sp) */
         0x01010113, /*    addi sp, sp, 16 */
         0x00008067, /*    ret */
     }},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int measure(struct rv32 *rv32, const struct program *program)
{
    l1_write(rv32->l1, START, program->words, sizeof program->words);
    rv32_reset(rv32->core, START);
    rv32->core->x[2] = MEM_LOCAL_BASE + 0x1000;
    rv32->core->x[9] = 0x2000;
    double start = seconds();
    uint64_t retired = 0;
    while (retired < INSTRUCTIONS) {
        uint32_t ran = rv32_run(rv32, QUANTUM);
        if (ran != QUANTUM) {
            fprintf(stderr, "%s: stopped at 0x%x\n", program->name, rv32->core->pc);
            return EXIT_FAILURE;
        }
        retired += ran;
    }
    printf("%8.0f million RISC-V instructions a second, %s\n", 1e-6 * (double)retired / (seconds() - start),
           program->name);
    return EXIT_SUCCESS;
}

int main(void)
{
    static uint8_t bytes[L1_SIZE], local_ram[LOCAL_RAM_SIZE];
    static struct diagnostics diagnostics;
    struct rv32_core core = {0};
    struct clock clock = {0};
    struct l1 l1;
    if (!l1_create(&l1, bytes)) {
        return EXIT_FAILURE;
    }
    diagnostics_set_policy(&diagnostics, BH_POLICY_DEFAULT);
    struct rv32 rv32 = {.core = &core,
                        .local_ram = local_ram,
                        .local_ram_size = sizeof local_ram,
                        .l1 = &l1,
                        .diagnostics = &diagnostics,
                        .clock = &clock};
    int status = EXIT_SUCCESS;
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        status |= measure(&rv32, &programs[i]);
    }
    l1_destroy(&l1);
    return status;
}
