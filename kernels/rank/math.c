/* rank, math: the data of a tile in descending order, and the places that they came from, by a bitonic network on the
   vector unit. The first k are the k largest. T0 and T2 are those of "operation" (COPY, 32 bits a datum in Dst), so
   data come by way of SrcA with ten bits of mantissa. Tiles come in pairs: data, and one that is overwritten; they
   leave as sorted data, and places as FP32 numbers. Zeroes lose their sign on the way to Dst.

   A datum's place is 10 bits, four of vector, two of row, three of column, one of vector again: Dst has 16 columns, of
   which a vector of 32 lanes is the even or the odd ones of four rows. The network compares data whose places differ in
   one bit. Where that is a bit of the vector, it loads both; a bit of the row, it transposes four vectors, which makes
   registers of rows; a bit of the column, it rotates the lanes. With LaneConfig.ENABLE_DEST_INDEX, SFPSWAP on
   LReg[0..3] moves the places in LReg[4..7] along. Source: ISA documentation SFPSWAP.md, SFPTRANSP.md, SFPSHFT2.md. */
#include "math.h"
#include "../operation/operation.h"

enum { STAY = MATH_STAY, RAW = 4, VECTORS = 32, PLACE_BITS = 10, FIRST_COLUMN_BIT = 1 };
enum { FIRST_ROW_BIT = 4, FIRST_VECTOR_BIT = 6, PLACES = 4, LANE_PLACE = 15 };
enum { ARG_IMM = 1, NO_FLAGS = 4, NOT_ZERO = 2, IS_ZERO = 6, VD_IS_MIN = 1, ROTATE_RIGHT = 3 };

static void all_lanes(void)
{
    TTI_SFPENCC(3, 0, 0, 10);
}

/* Whether SFPSWAP moves LReg[4..7] along. Instructions that compute must not write to those while it does. */
#define MOVE_PLACES_ALONG(on) TTI_SFPCONFIG((on) ? 1 << 2 : 0, 15, 1)

/* Registers i and j so that i, lane by lane, has the larger datum. */
#define ORDER(i, j) TTI_SFPSWAP(0, i, j, VD_IS_MIN)

/* Where vector v lies; its places are one tile on. */
static uint32_t row_of(uint32_t vector)
{
    return 2 * vector;
}

#define LOAD_PAIR(lreg, vector)                                                                                        \
    do {                                                                                                               \
        TT_SFPLOAD(lreg, RAW, STAY, row_of(vector));                                                                   \
        TT_SFPLOAD((lreg) + PLACES, RAW, STAY, DST_TILE_ROWS + row_of(vector));                                        \
    } while (0)

#define STORE_PAIR(lreg, vector)                                                                                       \
    do {                                                                                                               \
        TT_SFPSTORE(lreg, RAW, STAY, row_of(vector));                                                                  \
        TT_SFPSTORE((lreg) + PLACES, RAW, STAY, DST_TILE_ROWS + row_of(vector));                                       \
    } while (0)

/* LReg[lreg]: the places of a vector's lanes. LReg[15] has what the lanes differ in. */
#define LOAD_PLACES(lreg, vector) TT_SFPIADD((vector) / 2 * 64 + (vector) % 2, LANE_PLACE, lreg, ARG_IMM | NO_FLAGS)

static void number_places(void)
{
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
        LOAD_PLACES(0, vector);
        TT_SFPSTORE(0, RAW, STAY, DST_TILE_ROWS + row_of(vector));
    }
}

static void places_to_floats(void)
{
    enum { TO_FP32 = 0 };
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
        TT_SFPLOAD(0, RAW, STAY, DST_TILE_ROWS + row_of(vector));
        TTI_SFPCAST(0, 0, TO_FP32);
        TT_SFPSTORE(0, RAW, STAY, DST_TILE_ROWS + row_of(vector));
    }
}

/* Runs of 2^level data are to descend where bit `level` of the place is 0, and to ascend elsewhere: there signs are
   inverted, so that all descend. This goes from one level to the next. */
static void invert_signs(uint32_t level)
{
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
        TT_SFPLOAD(0, RAW, STAY, row_of(vector));
        LOAD_PLACES(1, vector);
        TTI_SFPMOV(0, 1, 2, 0);
        TT_SFPSHFT(31 - level, 0, 1, ARG_IMM);
        if (level > 1) {
            TT_SFPSHFT(32 - level, 0, 2, ARG_IMM);
            TTI_SFPXOR(0, 2, 1, 0);
        }
        TTI_SFPLOADI(2, 0, 0x8000);
        TTI_SFPAND(0, 2, 1, 0);
        TTI_SFPXOR(0, 1, 0, 0);
        TT_SFPSTORE(0, RAW, STAY, row_of(vector));
    }
}

static void compare_vectors(uint32_t distance)
{
    MOVE_PLACES_ALONG(1);
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
        if (!(vector & distance)) {
            LOAD_PAIR(0, vector);
            LOAD_PAIR(1, vector + distance);
            ORDER(0, 1);
            STORE_PAIR(0, vector);
            STORE_PAIR(1, vector + distance);
        }
    }
    MOVE_PLACES_ALONG(0);
}

static void compare_rows(uint32_t distance)
{
    MOVE_PLACES_ALONG(1);
    for (uint32_t vector = 0; vector < VECTORS; vector += 4) {
        LOAD_PAIR(0, vector);
        LOAD_PAIR(1, vector + 1);
        LOAD_PAIR(2, vector + 2);
        LOAD_PAIR(3, vector + 3);
        TTI_SFPTRANSP(0, 0, 0, 0);
        if (distance == 2) {
            ORDER(0, 2);
            ORDER(1, 3);
        } else {
            ORDER(0, 1);
            ORDER(2, 3);
        }
        TTI_SFPTRANSP(0, 0, 0, 0);
        STORE_PAIR(0, vector);
        STORE_PAIR(1, vector + 1);
        STORE_PAIR(2, vector + 2);
        STORE_PAIR(3, vector + 3);
    }
    MOVE_PLACES_ALONG(0);
}

/* LReg[1], and the places beside it, by so many columns. */
static void rotate(uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++) {
        TTI_SFPSHFT2(0, 1, 1, ROTATE_RIGHT);
        TTI_SFPSHFT2(0, 1 + PLACES, 1 + PLACES, ROTATE_RIGHT);
    }
}

/* In lanes whose LReg[3] is as said: LReg[2] from LReg[1], with the places. */
#define TAKE_ROTATED(condition)                                                                                        \
    do {                                                                                                               \
        TTI_SFPSETCC(0, 3, 0, condition);                                                                              \
        TTI_SFPMOV(0, 1, 2, 0);                                                                                        \
        TTI_SFPMOV(0, 1 + PLACES, 2 + PLACES, 0);                                                                      \
        all_lanes();                                                                                                   \
    } while (0)

/* Both lanes of a pair get the other's datum in LReg[2], and keep of the two what is theirs; their own if both are
   equal. LReg[3]: not zero in the lanes that are to have the smaller one. */
static void compare_columns(uint32_t distance)
{
    TT_SFPLOADI(3, 2, 2 * distance);
    TTI_SFPAND(0, LANE_PLACE, 3, 0);
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
        LOAD_PAIR(0, vector);
        TTI_SFPMOV(0, 0, 1, 0);
        TTI_SFPMOV(0, PLACES, 1 + PLACES, 0);
        rotate(distance);
        TAKE_ROTATED(NOT_ZERO);
        rotate(8 - 2 * distance);
        TAKE_ROTATED(IS_ZERO);
        MOVE_PLACES_ALONG(1);
        TTI_SFPSETCC(0, 3, 0, IS_ZERO);
        ORDER(0, 2);
        TTI_SFPCOMPC(0, 0, 0, 0);
        ORDER(2, 0);
        all_lanes();
        MOVE_PLACES_ALONG(0);
        STORE_PAIR(0, vector);
    }
}

static void compare(uint32_t bit)
{
    if (bit >= FIRST_VECTOR_BIT) {
        compare_vectors(2u << (bit - FIRST_VECTOR_BIT));
    } else if (bit >= FIRST_ROW_BIT) {
        compare_rows(1u << (bit - FIRST_ROW_BIT));
    } else if (bit >= FIRST_COLUMN_BIT) {
        compare_columns(1u << (bit - FIRST_COLUMN_BIT));
    } else {
        compare_vectors(1);
    }
}

static void rank_tile(void)
{
    number_places();
    for (uint32_t level = 1; level <= PLACE_BITS; level++) {
        invert_signs(level);
        for (uint32_t bit = level; bit-- > 0;) {
            compare(bit);
        }
    }
    places_to_floats();
}

void kernel_main(void)
{
    uint32_t tiles = operation_arguments()->tiles, half_tiles = operation_half_tiles(OPERATION_DST_32);
    struct math math;
    math_configure(&math);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_MATH | WAIT_VECTOR);
    CONFIG_MODIFY_MASK(ALU_ACC_CTRL_Fp32_enabled_ADDR32,
                       ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK, ~0u);
    all_lanes();
    for (uint32_t done = 0; done < tiles; done += half_tiles) {
        math_begin_half();
        for (uint32_t tile = 0; tile < half_tiles && done + tile < tiles; tile++) {
            math_select_tile(&math, tile);
            math_move_tile();
            if (tile % 2) {
                math_select_tile(&math, tile - 1);
                TTI_STALLWAIT(BLOCK_VECTOR, WAIT_MATH);
                rank_tile();
                TTI_STALLWAIT(BLOCK_MATH, WAIT_VECTOR);
            }
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
