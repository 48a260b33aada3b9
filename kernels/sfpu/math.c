/* sfpu, math: tiles to Dst, and a function of the vector unit on each of their vectors of 32 data. */
#include "math.h"
#include "sfpu.h"

enum { STAY = MATH_STAY, FP32_FORMAT = 3, FACE = 16, VECTOR_ROWS = 4, ODD_COLUMNS = 2 };
/* LRegs 0 to 7 are free; x is where a function finds its argument and leaves its result. */
enum { X, T, K, R, P, C, Y, Z, ZERO = 9, ONE = 10, MINUS_ONE, LOG2_E, MINUS_LN2_HIGH, MINUS_LN2_LOW };
enum { NEGATE_VA = 1, NEGATE_VC = 2, ARG_IMM = 1, SUBTRACT = 2, NO_FLAGS = 4, VD_IS_MIN = 1, VD_IS_MAX = 9 };

/* All 32 bits of a constant, known when this is compiled. */
#define LOAD(lreg, bits)                                                                                               \
    do {                                                                                                               \
        TTI_SFPLOADI(lreg, 10, (bits)&0xffff);                                                                         \
        TTI_SFPLOADI(lreg, 8, (uint32_t)(bits) >> 16);                                                                 \
    } while (0)

/* d = a * b + c; SFPMAD's mod1 negates a or c. */
#define MULTIPLY_ADD(d, a, b, c, mod1) TTI_SFPMAD(a, b, c, d, mod1)

/* One step of Horner's rule. */
#define HORNER(sum, argument, bits)                                                                                    \
    do {                                                                                                               \
        LOAD(C, bits);                                                                                                 \
        MULTIPLY_ADD(sum, sum, argument, C, 0);                                                                        \
    } while (0)

static void set_constant(uint32_t lreg, uint32_t bits)
{
    TT_SFPLOADI(0, 10, bits & 0xffff);
    TT_SFPLOADI(0, 8, bits >> 16);
    TT_SFPCONFIG(0, lreg, 0);
}

static void configure(void)
{
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_MATH | WAIT_VECTOR);
    CONFIG_MODIFY_MASK(ALU_ACC_CTRL_Fp32_enabled_ADDR32,
                       ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK, ~0u);
    TTI_SFPENCC(3, 0, 0, 10);
    set_constant(MINUS_ONE, 0xbf800000);
    set_constant(LOG2_E, 0x3fb8aa3b);
    set_constant(MINUS_LN2_HIGH, 0xbf317200); /* with nine zeroes below, so that products with k are exact */
    set_constant(MINUS_LN2_LOW, 0xb5bfbe8e);
}

/* x = 2^k * e^r, where adding 1.5 * 2^23 rounds x / ln 2 to the integer k and leaves it in the low bits; e^r as a
   polynomial. */
static void exponential(void)
{
    LOAD(T, 0xc2ae0000); /* -87 */
    TTI_SFPSWAP(0, T, X, VD_IS_MAX);
    LOAD(T, 0x42b00000); /* 88 */
    TTI_SFPSWAP(0, T, X, VD_IS_MIN);
    LOAD(C, 0x4b400000);
    MULTIPLY_ADD(T, X, LOG2_E, C, 0);
    MULTIPLY_ADD(K, T, ONE, C, NEGATE_VC);
    MULTIPLY_ADD(R, K, MINUS_LN2_HIGH, X, 0);
    MULTIPLY_ADD(R, K, MINUS_LN2_LOW, R, 0);
    LOAD(P, 0x3ab60b61);      /* 1 / 720 */
    HORNER(P, R, 0x3c088889); /* 1 / 120 */
    HORNER(P, R, 0x3d2aaaab); /* 1 / 24 */
    HORNER(P, R, 0x3e2aaaab); /* 1 / 6 */
    HORNER(P, R, 0x3f000000);
    MULTIPLY_ADD(P, P, R, ONE, 0);
    MULTIPLY_ADD(P, P, R, ONE, 0);
    TTI_SFPEXEXP(0, P, K, 1);
    TTI_SFPIADD(0, T, K, NO_FLAGS);
    TTI_SFPSETEXP(0, P, K, 0); /* the low eight bits of K */
    TTI_SFPMOV(0, K, X, 0);
}

/* x = 1 / x, from seven bits by Newton's method. */
static void reciprocal(void)
{
    TTI_SFPARECIP(0, X, Y, 0);
    MULTIPLY_ADD(T, X, Y, ONE, NEGATE_VA);
    MULTIPLY_ADD(Y, T, Y, Y, 0);
    MULTIPLY_ADD(T, X, Y, ONE, NEGATE_VA);
    MULTIPLY_ADD(X, T, Y, Y, 0);
}

/* x = m * 2^e, 1 <= m < 2; log m = 2 artanh f, f = (m - 1) / (m + 1). */
static void logarithm(void)
{
    enum { INT32_TO_SIGN_MAGNITUDE = 3, TO_FP32 = 0 };
    TTI_SFPEXEXP(0, X, K, 0);
    TTI_SFPCAST(K, K, INT32_TO_SIGN_MAGNITUDE);
    TTI_SFPCAST(K, K, TO_FP32);
    TTI_SFPSETEXP(127, X, R, ARG_IMM);
    MULTIPLY_ADD(X, R, ONE, ONE, 0);
    MULTIPLY_ADD(Z, R, ONE, ONE, NEGATE_VC);
    reciprocal();
    MULTIPLY_ADD(Z, Z, X, ZERO, 0);
    MULTIPLY_ADD(R, Z, Z, ZERO, 0);
    LOAD(P, 0x3d888889);      /* 1 / 15 */
    HORNER(P, R, 0x3d9d89d9); /* 1 / 13 */
    HORNER(P, R, 0x3dba2e8c); /* 1 / 11 */
    HORNER(P, R, 0x3de38e39); /* 1 / 9 */
    HORNER(P, R, 0x3e124925); /* 1 / 7 */
    HORNER(P, R, 0x3e4ccccd); /* 1 / 5 */
    HORNER(P, R, 0x3eaaaaab); /* 1 / 3 */
    MULTIPLY_ADD(P, P, R, ONE, 0);
    MULTIPLY_ADD(Z, Z, ONE, Z, 0);
    MULTIPLY_ADD(P, P, Z, ZERO, 0);
    MULTIPLY_ADD(P, K, MINUS_LN2_LOW, P, NEGATE_VA);
    MULTIPLY_ADD(X, K, MINUS_LN2_HIGH, P, NEGATE_VA);
}

/* 1 / sqrt(x) by halving the exponent and by Newton's method; times x, corrected once. */
static void square_root(void)
{
    TTI_SFPMOV(0, X, Y, 0);
    TTI_SFPSHFT(-1 & 0xfff, 0, Y, ARG_IMM);
    LOAD(T, 0x5f3759df);
    TTI_SFPIADD(0, T, Y, SUBTRACT | NO_FLAGS);
    LOAD(C, 0x3f000000);
    MULTIPLY_ADD(R, X, C, ZERO, 0);
    LOAD(C, 0x3fc00000);
    for (uint32_t i = 0; i < 3; i++) {
        MULTIPLY_ADD(T, R, Y, ZERO, 0);
        MULTIPLY_ADD(T, T, Y, C, NEGATE_VA);
        MULTIPLY_ADD(Y, T, Y, ZERO, 0);
    }
    MULTIPLY_ADD(T, X, Y, ZERO, 0);
    MULTIPLY_ADD(R, T, T, X, NEGATE_VA);
    LOAD(C, 0x3f000000);
    MULTIPLY_ADD(Y, Y, C, ZERO, 0);
    MULTIPLY_ADD(X, R, Y, T, 0);
}

static void sigmoid(void)
{
    MULTIPLY_ADD(X, X, MINUS_ONE, ZERO, 0);
    TTI_SFPNOP; /* SFPSWAP's first reads are not waited for */
    exponential();
    MULTIPLY_ADD(X, X, ONE, ONE, 0);
    reciprocal();
}

static void hyperbolic_tangent(void)
{
    MULTIPLY_ADD(X, X, ONE, X, 0);
    sigmoid();
    MULTIPLY_ADD(X, X, ONE, X, 0);
    MULTIPLY_ADD(X, X, ONE, MINUS_ONE, 0);
}

/* The larger of x and 0, less |x| times the share of the normal distribution beyond |x|. Of that share e^(-x^2 / 2) is
   a factor; the other is a polynomial in 1 / (1 + |x| / 4) of which the first coefficient is 0, fitted to 0 <= |x| <=
   14, where all that is left is less than normal numbers. */
static void gelu(void)
{
    TTI_SFPMOV(0, X, Z, 0);
    TTI_SFPSETSGN(0, X, X, ARG_IMM);
    LOAD(T, 0x41600000); /* 14 */
    TTI_SFPSWAP(0, T, X, VD_IS_MIN);
    TTI_SFPMOV(0, X, R, 0);
    LOAD(C, 0x3e800000);
    MULTIPLY_ADD(X, X, C, ONE, 0);
    reciprocal();
    LOAD(P, 0x3cd2ba2d);      /* 0.025723542 */
    HORNER(P, X, 0xbe1c7a14); /* -0.15280945 */
    HORNER(P, X, 0x3e979d47); /* 0.29612180 */
    HORNER(P, X, 0xbe52b8bf); /* -0.20578287 */
    HORNER(P, X, 0x3e4e999c); /* 0.20175785 */
    HORNER(P, X, 0x3d06dfac); /* 0.032928155 */
    HORNER(P, X, 0x3dd4791a); /* 0.10374661 */
    HORNER(P, X, 0x3dc9c335); /* 0.098516857 */
    HORNER(P, X, 0x3dcc629f); /* 0.099797480 */
    MULTIPLY_ADD(P, P, X, ZERO, 0);
    MULTIPLY_ADD(Y, P, R, ZERO, 0);
    MULTIPLY_ADD(X, R, R, ZERO, 0);
    LOAD(C, 0xbf000000);
    MULTIPLY_ADD(X, X, C, ZERO, 0);
    exponential();
    MULTIPLY_ADD(X, X, Y, ZERO, 0);
    TTI_SFPMOV(0, Z, P, 0);
    TTI_SFPSWAP(0, ZERO, P, VD_IS_MAX);
    MULTIPLY_ADD(X, X, ONE, P, NEGATE_VA);
    TTI_SFPSETSGN(0, Z, T, ARG_IMM);
    LOAD(C, 0x7f800000);
    TTI_SFPIADD(0, C, T, SUBTRACT); /* sets the flags where this is negative: of NaN */
    MULTIPLY_ADD(X, Z, ONE, ZERO, 0);
    TTI_SFPENCC(3, 0, 0, 10);
}

/* Where LReg[Z], the limit, is exceeded by 31 random bits. */
static void dropout(void)
{
    enum { FROM_SPECIAL = 8, RANDOM = 9 };
    TTI_SFPMOV(0, RANDOM, T, FROM_SPECIAL);
    TTI_SFPSETSGN(0, T, T, ARG_IMM);
    TTI_SFPIADD(0, Z, T, SUBTRACT); /* sets the flags where this is negative */
    TTI_SFPLOADI(X, 0, 0);
    TTI_SFPENCC(3, 0, 0, 10);
}

/* lreg >>= its number of zeroes below its lowest one: what isolates that one counts them. */
#define DROP_ZEROES(lreg, count)                                                                                       \
    do {                                                                                                               \
        TTI_SFPMOV(0, lreg, count, 0);                                                                                 \
        TTI_SFPIADD(0, ZERO, count, SUBTRACT | NO_FLAGS);                                                              \
        TTI_SFPAND(0, lreg, count, 0);                                                                                 \
        TTI_SFPLZ(0, count, count, 0);                                                                                 \
        TTI_SFPIADD(-31 & 0xfff, count, count, ARG_IMM | NO_FLAGS);                                                    \
        TTI_SFPSHFT(0, count, lreg, 0);                                                                                \
    } while (0)

/* X and Y, as FP32, to their greatest common divisor in X: the smaller of two odd numbers and their difference have the
   same; factors of two are dropped, and those that both have put back. In the end one of the two is 0. */
static void greatest_common_divisor(void)
{
    enum { FP32_TO_UINT16 = 6, STEPS = 24 };
    TTI_SFP_STOCH_RND(0, 0, 0, X, X, FP32_TO_UINT16);
    TTI_SFP_STOCH_RND(0, 0, 0, Y, Y, FP32_TO_UINT16);
    TTI_SFPMOV(0, X, Z, 0);
    TTI_SFPOR(0, Y, Z, 0);
    DROP_ZEROES(Z, P);
    DROP_ZEROES(X, T);
    for (uint32_t i = 0; i < STEPS; i++) {
        DROP_ZEROES(Y, T);
        TTI_SFPSWAP(0, Y, X, VD_IS_MIN);
        TTI_SFPMOV(0, X, T, 0);
        TTI_SFPIADD(0, Y, T, SUBTRACT | NO_FLAGS);
        TTI_SFPMOV(0, T, Y, 0);
    }
    TTI_SFPOR(0, Y, X, 0);
    TTI_SFPIADD(0, ZERO, P, SUBTRACT | NO_FLAGS);
    TTI_SFPSHFT(0, P, X, 0);
    TTI_SFPCAST(X, X, 0);
}

static void apply(uint32_t function)
{
    switch (function) {
    case SFPU_EXPONENTIAL: exponential(); break;
    case SFPU_LOGARITHM: logarithm(); break;
    case SFPU_RECIPROCAL: reciprocal(); break;
    case SFPU_SQUARE_ROOT: square_root(); break;
    case SFPU_SIGMOID: sigmoid(); break;
    case SFPU_TANH: hyperbolic_tangent(); break;
    case SFPU_GELU: gelu(); break;
    case SFPU_DROPOUT: dropout(); break;
    default: TTI_SFPARECIP(0, X, X, 0); break;
    }
}

/* A tile's vectors are the even, then the odd columns of four rows; row says where they begin. */
static void apply_to_vector(uint32_t function, uint32_t row)
{
    TT_SFPLOAD(X, FP32_FORMAT, STAY, row);
    apply(function);
    TT_SFPSTORE(X, FP32_FORMAT, STAY, row);
}

static void apply_to_pair(uint32_t row)
{
    TT_SFPLOAD(X, FP32_FORMAT, STAY, row);
    TT_SFPLOAD(Y, FP32_FORMAT, STAY, row + ODD_COLUMNS);
    greatest_common_divisor();
    TT_SFPSTORE(X, FP32_FORMAT, STAY, row);
    TT_SFPSTORE(X, FP32_FORMAT, STAY, row + ODD_COLUMNS);
}

/* The four vectors of a face's even or odd columns, by a network of five comparisons. */
static void sort_face(uint32_t row)
{
    for (uint32_t i = 0; i < 4; i++) {
        TT_SFPLOAD(i, FP32_FORMAT, STAY, row + i * VECTOR_ROWS);
    }
    TTI_SFPSWAP(0, 1, 0, VD_IS_MIN);
    TTI_SFPSWAP(0, 3, 2, VD_IS_MIN);
    TTI_SFPSWAP(0, 2, 0, VD_IS_MIN);
    TTI_SFPSWAP(0, 3, 1, VD_IS_MIN);
    TTI_SFPSWAP(0, 2, 1, VD_IS_MIN);
    for (uint32_t i = 0; i < 4; i++) {
        TT_SFPSTORE(i, FP32_FORMAT, STAY, row + i * VECTOR_ROWS);
    }
}

/* Macro 0: in the cycle after the load SFPARECIP to LReg[16], in the next SFPSTORE of that, both with what the load
   says; both wait for elapsed instructions. */
static void configure_estimate(void)
{
    enum { TEMPLATE_0 = 12, SEQUENCE_0 = 4, MISC = 8, IMMEDIATE = 1 };
    enum { SELECT_TEMPLATE_0 = 4, SELECT_STORE = 3, LREG_16 = 1 << 6, ONE_LATER = 1 << 3 };
    TTI_SFPARECIP(0, X, TEMPLATE_0, 0);
    TTI_SFPLOADI(0, 10, LREG_16 | SELECT_TEMPLATE_0);
    TTI_SFPLOADI(0, 8, (LREG_16 | ONE_LATER | SELECT_STORE) << 8);
    TTI_SFPCONFIG(0, SEQUENCE_0, 0);
    TTI_SFPCONFIG(0x910, MISC, IMMEDIATE);
}

static void estimate_tile(void)
{
    for (uint32_t row = 0; row < DST_TILE_ROWS; row += ODD_COLUMNS) {
        TT_SFPLOADMACRO(X, FP32_FORMAT, STAY, row);
    }
    TTI_SFPNOP;
    TTI_SFPNOP;
}

static void apply_to_tile(uint32_t function)
{
    if (function == SFPU_ESTIMATE && !sfpu_arguments()->parameter) {
        estimate_tile();
        return;
    }
    for (uint32_t row = 0; row < DST_TILE_ROWS; row += ODD_COLUMNS) {
        if (function != SFPU_GCD && function != SFPU_SORT) {
            apply_to_vector(function, row);
        } else if (function == SFPU_GCD && row % VECTOR_ROWS == 0) {
            apply_to_pair(row);
        } else if (function == SFPU_SORT && row % FACE < VECTOR_ROWS) {
            sort_face(row);
        }
    }
}

void kernel_main(void)
{
    const volatile struct sfpu_arguments *asked = sfpu_arguments();
    uint32_t tiles = asked->operation.tiles, half_tiles = operation_half_tiles(OPERATION_DST_32);
    uint32_t function = asked->function;
    struct math math;
    math_configure(&math);
    configure();
    if (function == SFPU_DROPOUT) {
        CONFIG_WRITE(PRNG_SEED_Seed_Val, asked->seed);
        TTI_STALLWAIT(BLOCK_VECTOR, WAIT_RISCV_CONFIG);
        TT_SFPLOADI(Z, 10, asked->parameter & 0xffff);
        TT_SFPLOADI(Z, 8, asked->parameter >> 16);
    }
    if (function == SFPU_ESTIMATE) {
        configure_estimate();
    }
    for (uint32_t done = 0; done < tiles; done += half_tiles) {
        math_begin_half();
        for (uint32_t tile = 0; tile < half_tiles && done + tile < tiles; tile++) {
            math_select_tile(&math, tile);
            math_move_tile();
            TTI_STALLWAIT(BLOCK_VECTOR, WAIT_MATH);
            apply_to_tile(function);
            TTI_STALLWAIT(BLOCK_MATH, WAIT_VECTOR);
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
