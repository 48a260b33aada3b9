/* matmul128, unpack: for each row of a block one tile of A into SrcB, which stays, and the BLOCK_COLUMNS tiles of B
   into SrcA one after the other. The coprocessor itself steps unpacker 0's address from tile to tile. */
#include "unpack.h"
#include "blocks.h"
#include "mop.h"

enum { GPR_TILE_SIZE = 36, GPR_ADDRESS = 12, STEP_LENGTH = 7 };

/* The next tile of B, and its address moved on by one tile; base: the context's address register, a constant. RDCFG
   gives its result later, WRCFG takes effect after the instruction that follows it. */
#define UNPACK_STEP(base)                                                                                              \
    do {                                                                                                               \
        TTI_RDCFG(GPR_ADDRESS, base);                                                                                  \
        TTI_UNPACR(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);                                                             \
        TTI_STALLWAIT(BLOCK_SCALAR, WAIT_CONFIG);                                                                      \
        TTI_ADDDMAREG(0, GPR_ADDRESS, GPR_ADDRESS, GPR_TILE_SIZE);                                                     \
        TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR);                                                                      \
        TTI_WRCFG(GPR_ADDRESS, 0, base);                                                                               \
        TTI_NOP;                                                                                                       \
    } while (0)

static void configure(void)
{
    gpr_set(GPR_TILE_SIZE, TILE_SIZE / 16);
    REPLAY_LOAD(0, 2 * STEP_LENGTH);
    UNPACK_STEP(THCON_SEC0_REG3_Base_address_ADDR32);
    UNPACK_STEP(THCON_SEC0_REG3_Base_cntx1_address_ADDR32);
    /* One step for either context: the mask says which. */
    mop_program_masked_loop(&(struct mop_masked_loop){
        .a0 = REPLAY_WORD(0, STEP_LENGTH),
        .skip_a = REPLAY_WORD(STEP_LENGTH, STEP_LENGTH),
    });
}

void kernel_main(void)
{
    struct circular_buffer a = BUFFER_A;
    struct circular_buffer b = BUFFER_B;
    struct unpack unpack;
    unpack_configure(&unpack, TILE_DATA - 1);
    configure();

    uint32_t steps = block_count() * arguments()->inner;
    for (uint32_t step = 0; step < steps; step++) {
        wait_front(&a, BLOCK_ROWS);
        wait_front(&b, BLOCK_COLUMNS);
        for (uint32_t row = 0; row < BLOCK_ROWS; row++) {
            unpack_begin(&unpack, tile_address(&b, 0), tile_address(&a, row));
            TTI_UNPACR(1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
            mop_run_masked_loop(BLOCK_COLUMNS, unpack.context ? 0xffffffff : 0);
            unpack_end(&unpack);
        }
        POP_FRONT_AFTER_UNPACK(&a, STREAM_A, BLOCK_ROWS);
        POP_FRONT_AFTER_UNPACK(&b, STREAM_B, BLOCK_COLUMNS);
    }
    tensix_wait_idle();
}
