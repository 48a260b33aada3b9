/* Two tiles through the coprocessor, all by T1: unpacked to SrcA, moved to Dst, packed. */
#include "math.h"
#include "mistakes.h"
#include "mop.h"
#include "pack.h"
#include "unpack.h"

enum { INPUT = LAYOUT_TENSORS, OUTPUT = LAYOUT_TENSORS + 0x4000, TILES = 2, MOVE_8_ROWS = 2, ONES = 0x3f803f80 };

static void make_input(void)
{
    volatile uint32_t *words = (volatile uint32_t *)INPUT;
    uint32_t count = (IS_MISTAKE(copy_input_not_written) ? 1 : TILES) * TILE_SIZE / 4;
    for (uint32_t i = 0; i < count; i++) {
        words[i] = ONES + i; /* first: copy_input_not_read_back */
    }
    UNLESS(copy_input_not_read_back) load_complete(&words[count - 1]);
}

/* Where the next UNPACR of a whole tile finds it. */
static void set_input(uint32_t tile)
{
    TENSIX_CONFIG[THCON_SEC0_REG3_Base_address_ADDR32] = ((INPUT + tile * TILE_SIZE) >> 4) - 1;
    TTI_STALLWAIT(BLOCK_UNPACK, WAIT_RISCV_CONFIG);
}

static void move_to_dst(uint32_t tile)
{
    for (uint32_t row = 0; row < DST_TILE_ROWS; row += 8) {
        /* first: copy_rows_not_unpacked */
        TT_MOVA2D(0, row, MATH_STAY, MOVE_8_ROWS, tile * DST_TILE_ROWS + row);
    }
    TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A);
}

static void unpack_and_move(void)
{
    set_input(0);
    TTI_UNPACR(0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1); /* second: copy_input_not_read_back */
    move_to_dst(0);

    tensix_wait_idle();
    set_input(1);
    ONLY_IF(copy_rows_not_unpacked) TTI_SETADCXX(UNPACKER0, TILE_DATA / 2 - 1, 0);
    TTI_UNPACR(0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1); /* first: copy_input_not_written */
    UNLESS(copy_tile_not_made) move_to_dst(1);
}

static uint32_t sum_of(uint32_t tile)
{
    const volatile uint32_t *words = (const volatile uint32_t *)(OUTPUT + tile * TILE_SIZE);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TILE_SIZE / 4; i++) {
        sum += words[i] - ONES; /* second: copy_output_not_there */
    }
    return sum;
}

static void set_output(uint32_t tile)
{
    SET_GPR(GPR_PACK_ADDRESS, (((OUTPUT + tile * TILE_SIZE) >> 4) - 1) | 1u << 31);
    TT_SETADC(PACKER, 0, 3, tile);
}

void kernel_main(void)
{
    struct unpack unpack;
    struct pack pack;
    unpack_configure(&unpack, TILE_DATA - 1);
    make_input();
    ADDRESS_MODE(MATH_STAY, 0, 0, 0);
    TTI_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 0);
    TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
    pack_configure(&pack);
    unpack_and_move();
    TTI_STALLWAIT(BLOCK_PACK, WAIT_MATH);

    set_output(0);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32); /* first: copy_address_used_at_once */
    UNLESS(copy_address_used_at_once) TTI_DMANOP;
    TTI_MOP(1, 0, 0); /* first: copy_address_changed second: copy_address_used_at_once */
    TTI_SETADCZW(PACKER, 0, 0, 0, 0, 5);

    set_output(1);
    TTI_STALLWAIT(BLOCK_CONFIG, IS_MISTAKE(copy_address_changed) ? WAIT_SCALAR : WAIT_SCALAR | WAIT_PACKER);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32); /* second: copy_address_changed */
    TTI_DMANOP;
    /* first: copy_tile_not_made, copy_zeroed_too_early, copy_mop_changed, copy_output_not_there */
    TTI_MOP(1, 0, 0);
    UNLESS(copy_mop_changed) mop_wait_idle();
    TENSIX_MOP_CONFIG[5] = TT_OP_NOP; /* second: copy_mop_changed */
    UNLESS(copy_zeroed_too_early) TTI_STALLWAIT(BLOCK_MATH, WAIT_PACKER);
    TTI_ZEROACC(3, 0, 0, MATH_STAY, 0); /* second: copy_zeroed_too_early */

    UNLESS(copy_output_not_there) tensix_wait_idle();
    FENCE();
    store_result(0, sum_of(0));
    store_result(1, sum_of(1));
    store_result(2, 0);
    store_result(3, 0);
    TTI_ZEROACC(3, 0, 0, MATH_STAY, 0); /* first: copy_not_idle_at_the_end */
    UNLESS(copy_not_idle_at_the_end) tensix_wait_idle();
}
