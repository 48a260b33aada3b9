/* operation, math: one operation on each tile, or pair of tiles, whatever their formats. */
#include "math.h"
#include "matmul.h"
#include "operation.h"

/* Address modes; 3 changes nothing, and is what ZEROACC in runtime/pack.h relies on too. */
enum { NEXT_ROWS = 0, NEXT_PHASE = 1, NEXT_FACE = 2, STAY = MATH_STAY };
enum { MOVE_8_ROWS = 2, MOVE_4_ROWS = 2, MOVE_4_ROWS_TO_DST = 4, POOL_16_ROWS = 1, SCRATCH_ROW = 16, FACE = 16 };
enum { CARRY_B = 2 };
#define FIDELITY_CLEAR (1 << 15)

static void configure(uint32_t flags)
{
    uint32_t wanted = 0;
    if (flags & OPERATION_DST_32) {
        wanted |= ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK;
    }
    if (flags & OPERATION_INTEGER) {
        wanted |= ALU_ACC_CTRL_INT8_math_enabled_MASK;
    }
    uint32_t strided = flags & OPERATION_UNTILIZE ? ~0u : 0;
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_MATH | WAIT_VECTOR);
    CONFIG_MODIFY_MASK(ALU_ACC_CTRL_Fp32_enabled_ADDR32,
                       ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK |
                           ALU_ACC_CTRL_INT8_math_enabled_MASK,
                       wanted);
    CONFIG_MODIFY(DEST_ACCESS_CFG_remap_addrs, strided);
    CONFIG_MODIFY(DEST_ACCESS_CFG_swizzle_32b, strided);
}

/* A row-major tile comes as one bank of 64 rows, others face by face. */
static void move_tile(uint32_t flags)
{
    for (uint32_t row = 0; row < DST_TILE_ROWS; row += FACE) {
        uint32_t source = flags & OPERATION_TILIZE ? row : 0;
        TT_MOVA2D(0, source, STAY, MOVE_8_ROWS, row);
        TT_MOVA2D(0, source + 8, STAY, MOVE_8_ROWS, row + 8);
        if (!(flags & OPERATION_TILIZE) || row + FACE == DST_TILE_ROWS) {
            TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A);
        }
    }
}

/* The word of an elementwise operation on eight rows. */
static uint32_t elementwise_word(uint32_t operation, uint32_t broadcast)
{
    switch (operation) {
    case OPERATION_ADD: return TT_OP_ELWADD(0, 0, broadcast, 0, 0);
    case OPERATION_SUBTRACT: return TT_OP_ELWSUB(0, 0, broadcast, 0, 0);
    default: return TT_OP_ELWMUL(0, 0, broadcast, 0, 0);
    }
}

/* The fields that elementwise words have in common. */
#define ELEMENTWISE_FIELDS(release, address_mode, row)                                                                 \
    (TT_OP_ELWMUL(release, 0, 0, address_mode, row) - TT_OP_ELWMUL(0, 0, 0, 0, 0))

static void combine_tile(uint32_t word, uint32_t phases)
{
    for (uint32_t row = 0; row < DST_TILE_ROWS; row += FACE) {
        for (uint32_t phase = 1; phase < phases; phase++) {
            TENSIX_PUSH(word + ELEMENTWISE_FIELDS(RELEASE_NONE, NEXT_ROWS, row));
            TENSIX_PUSH(word + ELEMENTWISE_FIELDS(RELEASE_NONE, NEXT_PHASE, row + 8));
        }
        TENSIX_PUSH(word + ELEMENTWISE_FIELDS(RELEASE_NONE, NEXT_ROWS, row));
        TENSIX_PUSH(word + ELEMENTWISE_FIELDS(RELEASE_BOTH, NEXT_FACE, row + 8));
    }
}

/* The columns of a face of SrcA to one row of Dst: the largest datum of each, or its sum weighted by SrcB's row 0. */
static void pool_face(uint32_t flags, uint32_t phases, uint32_t release, uint32_t row)
{
    if (flags & OPERATION_MAXIMUM) {
        TT_GMPOOL(release, POOL_16_ROWS, STAY, 0, row);
        return;
    }
    for (uint32_t phase = 1; phase < phases; phase++) {
        TT_GAPOOL(RELEASE_NONE, POOL_16_ROWS, NEXT_PHASE, 0, row);
    }
    TT_GAPOOL(release, POOL_16_ROWS, NEXT_FACE, 0, row);
}

/* 16 rows of Dst, of which only the first is not zero, to rows 16 to 31 of SrcB, turned over. */
static void transpose_into_srcb(uint32_t row)
{
    for (uint32_t i = 0; i < FACE; i += 4) {
        TT_MOVD2B(0, SCRATCH_ROW + i, STAY, MOVE_4_ROWS, row + i);
    }
    TTI_GATESRCRST(1, 1);
    TTI_TRNSPSRCB;
    TTI_GATESRCRST(1, 1);
}

/* A move from SrcB writes 16 bits a datum, an addition of nothing writes what Dst holds: then as many bits as SrcB has
   come through, which is why operand b must not be FP16 there. */
static void transpose_face(uint32_t flags, uint32_t row)
{
    transpose_into_srcb(row);
    if (flags & OPERATION_DST_32) {
        TTI_ZEROSRC(0, 1, 0, 1);
        TTI_SETRWC(RELEASE_NONE, CARRY_B, 0, 8, 0, SET_B);
        TTI_SETRWC(RELEASE_NONE, CARRY_B, 0, 8, 0, SET_B);
        TT_ELWADD(RELEASE_NONE, 0, BROADCAST_NONE, NEXT_ROWS, row);
        TT_ELWADD(RELEASE_NONE, 0, BROADCAST_NONE, NEXT_ROWS, row + 8);
        TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_A | SET_B);
        return;
    }
    for (uint32_t i = 0; i < FACE; i += 4) {
        TT_MOVB2D(0, SCRATCH_ROW + i, STAY, MOVE_4_ROWS_TO_DST, row + i);
    }
}

/* The faces of SrcA come transposed, so that their rows are columns here; the result is turned back. */
static void reduce_rows(uint32_t flags, uint32_t phases)
{
    for (uint32_t row = 0; row < DST_TILE_ROWS; row += 2 * FACE) {
        pool_face(flags, phases, RELEASE_BOTH, row);
        pool_face(flags, phases, RELEASE_NONE, row);
        transpose_face(flags, row);
        TTI_CLEARDVALID(RELEASE_BOTH, 0);
    }
}

static void reduce_columns(uint32_t flags, uint32_t phases)
{
    for (uint32_t face = 0; face < TILE_FACES; face++) {
        pool_face(flags, phases, RELEASE_BOTH, (face & 1) * FACE);
    }
}

/* The four faces to a row; that row, as a column of SrcA, to one datum. */
static void reduce_all(uint32_t flags, uint32_t phases)
{
    enum { SPARE_ROW = 4 };
    for (uint32_t face = 0; face < TILE_FACES; face++) {
        pool_face(flags, phases, face == TILE_FACES - 1 ? RELEASE_NONE : RELEASE_BOTH, SPARE_ROW);
    }
    transpose_into_srcb(SPARE_ROW);
    for (uint32_t i = 0; i < FACE; i += 4) {
        TT_MOVB2A(i, STAY, MOVE_4_ROWS, SCRATCH_ROW + i);
    }
    TTI_GATESRCRST(1, 1);
    TTI_ZEROACC(0, 0, 0, STAY, SPARE_ROW);
    pool_face(flags, phases, RELEASE_BOTH, 0);
}

static void operate(uint32_t operation, uint32_t flags, uint32_t phases, uint32_t word)
{
    switch (operation) {
    case OPERATION_COPY: move_tile(flags); break;
    case OPERATION_PRODUCT: mop_run_double_loop(); break;
    case OPERATION_REDUCE_ROWS: reduce_rows(flags, phases); break;
    case OPERATION_REDUCE_COLUMNS: reduce_columns(flags, phases); break;
    case OPERATION_REDUCE_ALL: reduce_all(flags, phases); break;
    default: combine_tile(word, phases); break;
    }
}

void kernel_main(void)
{
    const volatile struct operation_arguments *asked = operation_arguments();
    uint32_t operation = asked->operation, flags = asked->flags, phases = asked->fidelity_phases;
    uint32_t tiles = flags & OPERATION_TO_DST ? 0 : asked->tiles, half_tiles = operation_half_tiles(flags);
    if (flags & OPERATION_UNTILIZE) {
        half_tiles = asked->row_tiles;
    }
    struct math math;
    if (!(flags & OPERATION_TO_DST)) {
        math_configure(&math);
    } else {
        tensix_begin();
    }
    configure(flags);
    if (operation == OPERATION_PRODUCT) {
        matmul_configure(phases, RELEASE_BOTH);
    } else {
        /* A broadcast row is the same for all rows. */
        if (asked->broadcast & BROADCAST_ROW) {
            ADDRESS_MODE(NEXT_ROWS, INCREMENT(8), 0, 0);
        } else {
            ADDRESS_MODE(NEXT_ROWS, INCREMENT(8), INCREMENT(8), 0);
        }
        ADDRESS_MODE(NEXT_PHASE, CLEAR, CLEAR, FIDELITY_INCREMENT(1));
        ADDRESS_MODE(NEXT_FACE, CLEAR, CLEAR, FIDELITY_CLEAR);
    }
    uint32_t word = elementwise_word(operation, asked->broadcast);

    for (uint32_t done = 0; done < tiles; done += half_tiles) {
        math_begin_half();
        for (uint32_t tile = 0; tile < half_tiles && done + tile < tiles; tile++) {
            math_select_tile(&math, tile);
            operate(operation, flags, phases, word);
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
