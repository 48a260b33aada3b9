/* bench, T1: one instruction of the matrix unit out of the replay buffer, as bench.h says, at one fidelity phase, with
   a Dst of 16 or 32 bits. SrcA and SrcB are filled once, by way of Dst, and never given back. */
#include "math.h"
#include "matmul.h"

#include <stdbool.h>

#include "bench.h"

enum { UNPACKER_A, UNPACKER_B, CLEAR_SOURCE = 1, STORE_BF16 = 2, MOVE_4_ROWS = 2, SOURCE_ROWS = 64 };
enum { MOVE_A_8_ROWS = 2, REPLAYED = 16, FORMAT_INT8 = 14 };

static void fill_srcb_with_ones(void)
{
    TTI_SFPLOADI(0, 0, 0x3f80);
    for (uint32_t row = 0; row < SOURCE_ROWS; row += 2) {
        TT_SFPSTORE(0, STORE_BF16, 3, row);
    }
    tensix_wait_idle();
    for (uint32_t row = 0; row < SOURCE_ROWS; row += 4) {
        TT_MOVD2B(0, row, 3, MOVE_4_ROWS, row);
    }
}

/* Of maxima SrcB has the scales. */
static void fill_sources(bool scales_in_srcb)
{
    TTI_UNPACR_NOP(UNPACKER_A, 0, 0, 1, 0, 0, 0, 0, CLEAR_SOURCE);
    TTI_UNPACR_NOP(UNPACKER_B, 0, 0, 1, 0, 0, 0, 0, CLEAR_SOURCE);
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_SFPLOADI(0, 0, 0x3f4d);
    for (uint32_t row = 0; row < SOURCE_ROWS; row += 2) {
        TT_SFPSTORE(0, STORE_BF16, 3, row);
        TTI_SFPADDI(0xbd5b, 0, 0);
    }
    tensix_wait_idle();
    for (uint32_t row = 0; row < SOURCE_ROWS; row += 4) {
        TT_MOVD2A(0, row, 3, MOVE_4_ROWS, row);
        TT_MOVD2B(0, row, 3, MOVE_4_ROWS, row);
    }
    if (scales_in_srcb) {
        fill_srcb_with_ones();
    }
    TTI_ZEROACC(3, 0, 0, 3, 0);
    tensix_wait_idle();
}

/* One after the other in eight blocks, then from the beginning. */
static void load_replay_buffer(void)
{
    const volatile uint32_t *program = (const volatile uint32_t *)BENCH_PROGRAM;
    REPLAY_LOAD(0, REPLAYED);
    for (int i = 1; i <= REPLAYED; i++) {
        TENSIX_PUSH(program[i % 8 ? 1 : 2]);
    }
}

static void configure(uint32_t operation)
{
    bool multiplies = operation == BENCH_MVMUL || operation == BENCH_MVMUL_INT8;
    if (multiplies) {
        matmul_configure(REPLAYED, RELEASE_NONE);
    } else {
        load_replay_buffer();
        ADDRESS_MODE(BENCH_NEXT, INCREMENT(8), INCREMENT(8), DST_INCREMENT(8));
        ADDRESS_MODE(BENCH_SAME_SRCA, 0, INCREMENT(8), DST_INCREMENT(8));
    }
    ADDRESS_MODE(BENCH_CLEAR, CLEAR, CLEAR, DST_CLEAR);
    uint32_t replay = multiplies ? REPLAY_WORD(MATMUL_REPLAY_START, MATMUL_REPLAY_LENGTH) : REPLAY_WORD(0, REPLAYED);
    mop_program_repeat(BENCH_INSTRUCTIONS / REPLAYED, replay, TT_OP_NOP);
}

/* Only an address mode moves the counter of fidelity phases. */
static void choose_phase(uint32_t phase)
{
    ADDRESS_MODE(5, 0, 0, FIDELITY_INCREMENT(1));
    for (uint32_t i = 0; i < phase; i++) {
        TTI_MOVA2D(0, 0, 5, MOVE_A_8_ROWS, 0);
    }
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    TTI_SETC16(DISABLE_IMPLIED_SRCA_FMT_Base_ADDR32, 1);
    TTI_SETC16(DISABLE_IMPLIED_SRCB_FMT_Base_ADDR32, 1);
    /* What moves take for FP16 has five bits of exponent, as integers have. */
    bool integers = arguments()->columns == BENCH_MVMUL_INT8;
    uint32_t format = integers ? FORMAT_FP16 : FORMAT_BF16;
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG0_SrcA, format);
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG1_SrcB, format);
    fill_sources(arguments()->columns == BENCH_SCALED);
    if (integers) {
        CONFIG_MODIFY(ALU_FORMAT_SPEC_REG0_SrcA, FORMAT_INT8);
        CONFIG_MODIFY(ALU_FORMAT_SPEC_REG1_SrcB, FORMAT_INT8);
    }
    CONFIG_MODIFY(ALU_ACC_CTRL_INT8_math_enabled, integers);
    CONFIG_MODIFY(ALU_ACC_CTRL_Fp32_enabled, arguments()->inner);
    choose_phase(arguments()->fidelity_phases);
    TTI_ZEROACC(3, 0, 0, 3, 0);
    configure(arguments()->columns);
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        mop_run_double_loop();
        tensix_wait_idle();
    }
}
