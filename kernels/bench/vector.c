/* bench, T1: instructions that the host has chosen, most of them the vector unit's, out of the replay buffer, as
   bench.h says. LReg[0..7] have numbers, and so has Dst, in BF16: there are bodies of SFPU kernels among the programs.
 */
#include "math.h"
#include "mop.h"

#include "bench.h"

enum { BF16 = 2, NO_STEP = 3, NEXT_ROWS = 2, FILLED_ROWS = 256 };
enum { ENABLE_ALL = 3, SET_ENABLE = 10 };

static void fill_dst(void)
{
    TTI_SFPLOADI(0, 0, 0x3f4d);
    for (uint32_t row = 0; row < FILLED_ROWS; row += NEXT_ROWS) {
        TT_SFPSTORE(0, BF16, NO_STEP, row);
        TTI_SFPADDI(0xbd5b, 0, 0);
    }
    tensix_wait_idle();
}

static void fill_registers(void)
{
    TTI_SFPLOADI(0, 0, 0x3f81);
    TTI_SFPLOADI(1, 0, 0x3f7e);
    TTI_SFPLOADI(2, 0, 0x3c00);
    TTI_SFPLOADI(3, 0, 0xbf13);
    for (int i = 4; i < 8; i++) {
        TT_SFPLOADI(i, 0, 0x3f81);
    }
    if (arguments()->columns == BENCH_OF_EXPONENTIAL) { /* 256 / ln 2, 127 * 256 */
        TTI_SFPLOADI(1, 0, 0x43b9);
        TTI_SFPLOADI(2, 0, 0x46fe);
    }
}

static uint32_t load_replay_buffer(void)
{
    const volatile uint32_t *program = (const volatile uint32_t *)BENCH_PROGRAM;
    uint32_t repeats = BENCH_REPLAYED / program[0], length = repeats * program[0];
    TT_REPLAY(0, length, 0, 1);
    for (uint32_t repeat = 0; repeat < repeats; repeat++) {
        for (uint32_t i = 1; i <= program[0]; i++) {
            TENSIX_PUSH(program[i]);
        }
    }
    return length;
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    TTI_SFPENCC(ENABLE_ALL, 0, 0, SET_ENABLE);
    fill_dst();
    fill_registers();
    uint32_t replay = REPLAY_WORD(0, load_replay_buffer());
    mop_program_repeat(BENCH_REPLAYS, replay, TT_OP_NOP);
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        TTI_SETRWC(0, 0, 0, 0, 0, 4);
        mop_run_double_loop();
        tensix_wait_idle();
    }
}
