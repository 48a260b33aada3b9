/* bench, T1: instructions that the host has chosen, as bench.h says, each pushed by a .ttinsn of its own: BENCH_PUSHED
   of them in a round, out of code that the kernel writes first. */
#include "math.h"

#include "bench.h"

enum { UNPACKER_A, UNPACKER_B, CLEAR_SOURCE = 1, AT_ONCE = 256, RETURN = 0x00008067 };

static void prepare(void)
{
    struct math math;
    math_configure(&math);
    TTI_SEMINIT(4, 1, 1 << SEMAPHORE_UNPACK_CONTEXT);
    TTI_UNPACR_NOP(UNPACKER_A, 0, 0, 1, 0, 0, 0, 0, CLEAR_SOURCE);
    TTI_UNPACR_NOP(UNPACKER_B, 0, 0, 1, 0, 0, 0, 0, CLEAR_SOURCE);
    TTI_SFPENCC(3, 0, 0, 10);
    for (int i = 0; i < 8; i++) {
        TT_SFPLOADI(i, 0, 0x3f81);
    }
    tensix_wait_idle();
}

/* A function that pushes the program again and again. A .ttinsn is the word rotated to the left by two bits. */
static void write_code(volatile uint32_t *code)
{
    const volatile uint32_t *program = (const volatile uint32_t *)BENCH_PROGRAM;
    uint32_t count = program[0];
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        uint32_t word = program[1 + i % count];
        code[i] = word << 2 | word >> 30;
    }
    code[AT_ONCE] = RETURN;
}

void kernel_main(void)
{
    volatile uint32_t *code = (volatile uint32_t *)LAYOUT_TENSORS;
    void (*push)(void) = (void (*)(void))LAYOUT_TENSORS;
    prepare();
    write_code(code);
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        for (uint32_t i = 0; i < BENCH_PUSHED; i += AT_ONCE) {
            push();
        }
        tensix_wait_idle();
    }
}
