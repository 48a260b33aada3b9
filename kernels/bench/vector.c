/* bench, T1: one instruction of the vector unit out of the replay buffer, as bench.h lists them, 256 for each of `rows`
   rounds. */
#include "math.h"
#include "mop.h"

#include "bench.h"

static void load_replay_buffer(uint32_t operation)
{
    REPLAY_LOAD(0, 32);
    for (int i = 0; i < 8; i++) {
        if (operation == BENCH_SFPMAD) {
            TTI_SFPMAD(0, 1, 2, 4, 0);
            TTI_SFPMAD(4, 1, 3, 5, 0);
            TTI_SFPMAD(5, 0, 2, 6, 0);
            TTI_SFPMAD(6, 1, 3, 0, 0);
        } else {
            /* Register to register, flags unchanged. */
            TTI_SFPIADD(0, 1, 4, 4);
            TTI_SFPIADD(0, 4, 5, 4);
            TTI_SFPIADD(0, 5, 6, 4);
            TTI_SFPIADD(0, 6, 0, 4);
        }
    }
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_SFPLOADI(0, 0, 0x3f81);
    TTI_SFPLOADI(1, 0, 0x3f7e);
    TTI_SFPLOADI(2, 0, 0x3c00);
    TTI_SFPLOADI(3, 0, 0xbf13);
    for (int i = 4; i < 7; i++) {
        TT_SFPLOADI(i, 0, 0x3f81);
    }
    load_replay_buffer(arguments()->columns);
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = 1,
        .inner = BENCH_INSTRUCTIONS / 32,
        .start = TT_OP_NOP,
        .body0 = REPLAY_WORD(0, 32),
        .body1 = TT_OP_NOP,
        .last_inner = REPLAY_WORD(0, 32),
        .last_outer = REPLAY_WORD(0, 32),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        mop_run_double_loop();
        tensix_wait_idle();
    }
}
