/* bench, T1: instructions of the vector unit out of the replay buffer, as bench.h lists them, 8 times for each of
   `rows` rounds: 32 of one kind, or bodies of SFPU kernels that load four rows of BF16 from Dst, compute, and store to
   others.
 */
#include "math.h"
#include "mop.h"

#include "bench.h"

enum { BF16 = 2, NO_STEP = 3, NEXT_ROWS = 2, FILLED_ROWS = 256, RESULTS = 512 };
enum {
    UPPER = 8,
    LOWER = 10,
    CC_NONE = 4,
    LT0 = 0,
    ENABLE_ALL = 3,
    SET_ENABLE = 10,
    MAX = 9,
    FP32_TO_UINT16 = 6,
    BY_IMMEDIATE = 1,
    FLOAT = 1
};

#define LOAD TTI_SFPLOAD(0, BF16, NO_STEP, 0)
#define STORE                                                                                                          \
    TTI_SFPSTORE(0, BF16, NO_STEP, RESULTS);                                                                           \
    TTI_INCRWC(0, NEXT_ROWS, 0, 0)

static void sums(void)
{
    TTI_SFPMAD(0, 1, 2, 4, 0);
    TTI_SFPMAD(4, 1, 3, 5, 0);
    TTI_SFPMAD(5, 0, 2, 6, 0);
    TTI_SFPMAD(6, 1, 3, 0, 0);
}

/* Register to register, flags unchanged. */
static void integer_sums(void)
{
    TTI_SFPIADD(0, 1, 4, 4);
    TTI_SFPIADD(0, 4, 5, 4);
    TTI_SFPIADD(0, 5, 6, 4);
    TTI_SFPIADD(0, 6, 0, 4);
}

static void sort(void)
{
    TTI_SFPSWAP(0, 0, 4, MAX);
    TTI_SFPSWAP(0, 1, 5, MAX);
    TTI_SFPSWAP(0, 2, 6, MAX);
    TTI_SFPSWAP(0, 3, 7, MAX);
}

/* LReg[11..14] from LReg[0]. */
static void configure(void)
{
    TTI_SFPCONFIG(0, 11, 0);
    TTI_SFPCONFIG(0, 12, 0);
    TTI_SFPCONFIG(0, 13, 0);
    TTI_SFPCONFIG(0, 14, 0);
}

static void copy(void)
{
    LOAD;
    STORE;
}

static void relu(void)
{
    LOAD;
    TTI_SFPSETCC(0, 0, 0, LT0);
    TTI_SFPLOADI(0, 0, 0);
    TTI_SFPENCC(ENABLE_ALL, 0, 0, SET_ENABLE);
    STORE;
}

/* e^x of Schraudolph: a x + b, limited, becomes the bits of a float. */
static void exponential(void)
{
    LOAD;
    TTI_SFPSWAP(0, 14, 0, MAX);
    TTI_SFPMAD(0, 1, 2, 0, 0);
    TTI_SFP_STOCH_RND(0, 0, 0, 0, 0, FP32_TO_UINT16);
    TTI_SFPSHFT(15, 0, 0, BY_IMMEDIATE);
    TTI_SFPSETSGN(0, 0, 0, BY_IMMEDIATE);
    STORE;
}

/* An FP32 datum in two halves, another, and what keeps them from being loaded in vain. */
static void immediates(void)
{
    TTI_SFPLOADI(4, UPPER, 0x3f81);
    TTI_SFPLOADI(4, LOWER, 0x1234);
    TTI_SFPLOADI(5, 0, 0x3f7e);
    TTI_SFPXOR(0, 4, 0, 0);
}

static void sums_with_immediates(void)
{
    TTI_SFPADDI(0x3c00, 4, 0);
    TTI_SFPMULI(0x3f7e, 4, 0);
    TTI_SFPADDI(0xbc00, 5, 0);
    TTI_SFPMULI(0x3f81, 5, 0);
}

/* By register, and by what has been shifted. */
static void shifts(void)
{
    TTI_SFPSHFT(0, 1, 4, 0);
    TTI_SFPSHFT(0, 4, 5, 0);
    TTI_SFPSHFT(0, 2, 6, 0);
    TTI_SFPSHFT(0, 6, 0, 0);
}

/* LReg[0] is of another sign the next time, so that the branches take turns. */
static void if_else(void)
{
    TTI_SFPPUSHC(0, 0, 0, 0);
    TTI_SFPSETCC(0, 0, 0, LT0);
    TTI_SFPIADD(0, 1, 4, CC_NONE);
    TTI_SFPNOT(0, 0, 0, 0);
    TTI_SFPCOMPC(0, 0, 0, 0);
    TTI_SFPIADD(0, 2, 4, CC_NONE);
    TTI_SFPNOT(0, 0, 0, 0);
    TTI_SFPPOPC(0, 0, 0, 0);
}

static const struct {
    void (*body)(void);
    uint8_t instructions, repeats;
} programs[] = {
    [BENCH_SFPMAD] = {sums, 4, 8},
    [BENCH_SFPIADD] = {integer_sums, 4, 8},
    [BENCH_SFPSWAP] = {sort, 4, 8},
    [BENCH_SFPCONFIG] = {configure, 4, 8},
    [BENCH_COPY] = {copy, 3, BENCH_COPIES},
    [BENCH_RELU] = {relu, 6, BENCH_RELUS},
    [BENCH_EXPONENTIAL] = {exponential, 8, BENCH_EXPONENTIALS},
    [BENCH_SFPLOADI] = {immediates, 4, 8},
    [BENCH_SFPADDI] = {sums_with_immediates, 4, 8},
    [BENCH_SFPSHFT] = {shifts, 4, 8},
    [BENCH_SFP_IF] = {if_else, 8, 4},
};

static void fill_dst(void)
{
    TTI_SFPLOADI(0, 0, 0x3f4d);
    for (uint32_t row = 0; row < FILLED_ROWS; row += NEXT_ROWS) {
        TT_SFPSTORE(0, BF16, NO_STEP, row);
        TTI_SFPADDI(0xbd5b, 0, 0);
    }
    tensix_wait_idle();
}

void kernel_main(void)
{
    struct math math;
    uint32_t operation = arguments()->columns, length = programs[operation].instructions * programs[operation].repeats;
    math_configure(&math);
    TTI_SFPENCC(ENABLE_ALL, 0, 0, SET_ENABLE);
    fill_dst();
    TTI_SFPLOADI(0, 0, 0x3f81);
    TTI_SFPLOADI(1, 0, 0x3f7e);
    TTI_SFPLOADI(2, 0, 0x3c00);
    TTI_SFPLOADI(3, 0, 0xbf13);
    for (int i = 4; i < 8; i++) {
        TT_SFPLOADI(i, 0, 0x3f81);
    }
    if (operation == BENCH_EXPONENTIAL) { /* 256 / ln 2, 127 * 256 */
        TTI_SFPLOADI(1, 0, 0x43b9);
        TTI_SFPLOADI(2, 0, 0x46fe);
    }
    TT_REPLAY(0, length, 0, 1);
    for (int i = 0; i < programs[operation].repeats; i++) {
        programs[operation].body();
    }
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = 1,
        .inner = BENCH_REPLAYS,
        .start = TT_OP_NOP,
        .body0 = REPLAY_WORD(0, length),
        .body1 = TT_OP_NOP,
        .last_inner = REPLAY_WORD(0, length),
        .last_outer = REPLAY_WORD(0, length),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });
    for (uint32_t round = 0; round < arguments()->rows; round++) {
        TTI_SETRWC(0, 0, 0, 0, 0, 4);
        mop_run_double_loop();
        tensix_wait_idle();
    }
}
