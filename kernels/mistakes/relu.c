/* relu(a * b + c) over tiles in DRAM, by all five cores and four circular buffers.

     B   makes a, b and c, puts them into DRAM, releases the others, and reads tiles into circular buffers
     T0  unpacks a to SrcA, b to SrcB, then c to SrcA
     T1  multiplies into tile 0 of a half of Dst, moves c to tile 1; the vector unit adds, and takes what is above 0
     T2  packs tile 0
     NC  writes tiles to DRAM, and in the end reads them all and counts those that are right */
#include "circular_buffer.h"
#include "interleaved.h"
#include "math.h"
#include "mistakes.h"
#include "mop.h"
#include "pack.h"
#include "unpack.h"

enum { TILES = 6, CAPACITY = 2, STREAM_A = 8, STREAM_B, STREAM_C, STREAM_OUT, TILE_WORDS = TILE_SIZE / 4 };
enum { DRAM_A = 0x100000, DRAM_B = 0x200000, DRAM_C = 0x300000, DRAM_OUT = 0x400000 };
enum { SCRATCH = LAYOUT_TENSORS, READ_BACK = LAYOUT_TENSORS + 0x4000 };

#define BUFFER(number)                                                                                                 \
    {                                                                                                                  \
        .stream = STREAM_A + (number), .address = LAYOUT_BUFFERS + 0x1000 * (number), .capacity = CAPACITY             \
    }

/* Small integers as BF16; a from -2 to 2, b from 0 to 3, c from -3 to 3. */
static const uint16_t integers[] = {0xc040, 0xc000, 0xbf80, 0,      0x3f80, 0x4000, 0x4040,
                                    0x4080, 0x40a0, 0x40c0, 0x40e0, 0x4100, 0x4110};
static inline int a_at(uint32_t tile, uint32_t i)
{
    return (int)((tile + i) & 3) - 2;
}
static inline int b_at(uint32_t tile, uint32_t i)
{
    return (int)((tile + (i >> 3)) & 3);
}
static inline int c_at(uint32_t tile, uint32_t i)
{
    return (int)((tile + (i >> 5)) & 7) % 7 - 3;
}
static inline uint16_t bf16(int value)
{
    return integers[value + 3];
}

/* Some are late at one tile, so that all before them have to wait. */
static inline void fall_behind(uint32_t tile, uint32_t at, uint32_t rounds)
{
    for (volatile uint32_t i = 0; tile == at && i < rounds; i++) {
    }
}

#ifdef PROGRAM_B

enum { SOFT_RESET_OTHERS = 0x7000 | 0x40000 };

static struct noc noc;

/* A tile that the host could have put into DRAM. */
static void make_tile(int (*at)(uint32_t, uint32_t), uint32_t address, uint32_t tile)
{
    volatile uint32_t *scratch = (volatile uint32_t *)SCRATCH;
    UNLESS(relu_scratch_used_again) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    for (uint32_t i = 0; i < TILE_WORDS; i++) {
        uint32_t two = bf16(at(tile, 2 * i)) | (uint32_t)bf16(at(tile, 2 * i + 1)) << 16;
        scratch[i] = two; /* first: relu_scratch_not_read_back second: relu_scratch_used_again */
    }
    UNLESS(relu_scratch_not_read_back) load_complete(&scratch[TILE_WORDS - 1]);
    struct noc_place to = interleaved_tile(address, tile);
    /* first: relu_scratch_used_again, relu_inputs_not_acknowledged second: relu_scratch_not_read_back */
    WRITE(&noc, SCRATCH, to, TILE_SIZE);
}

static void make_inputs(void)
{
    for (uint32_t tile = 0; tile < TILES; tile++) {
        make_tile(a_at, DRAM_A, tile);
        make_tile(b_at, DRAM_B, tile);
        make_tile(c_at, DRAM_C, tile);
    }
    UNLESS(relu_inputs_not_acknowledged) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}

static void release_cores(void)
{
    for (uint32_t stream = STREAM_A; stream <= STREAM_OUT; stream++) {
        circular_buffer_reset(stream);
    }
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_OTHERS;
}

void kernel_main(void)
{
    struct circular_buffer a = BUFFER(0), b = BUFFER(1), c = BUFFER(2);
    noc = noc_open(0);
    make_inputs();
    release_cores();
    for (uint32_t tile = 0; tile < TILES; tile++) {
        UNLESS(relu_no_room_for_a) reserve_back(&a, 1);
        struct noc_place from = interleaved_tile(DRAM_A, tile);
        /* second: relu_no_room_for_a, relu_a_popped_too_early */
        READ(&noc, from, tile_address(&a, 0), TILE_SIZE);
        noc_wait(&noc, NOC_RD_RESP_RECEIVED);
        push_back(&a, 1);

        reserve_back(&b, 1);
        from = interleaved_tile(DRAM_B, tile);
        READ(&noc, from, tile_address(&b, 0), TILE_SIZE); /* first: relu_b_not_there */
        noc_wait(&noc, NOC_RD_RESP_RECEIVED);
        push_back(&b, 1);

        reserve_back(&c, 1);
        from = interleaved_tile(DRAM_C, tile);
        /* first: relu_c_not_read, relu_c_not_there second: relu_inputs_not_acknowledged, relu_c_popped_too_early */
        READ(&noc, from, tile_address(&c, 0), TILE_SIZE);
        UNLESS(relu_c_not_read) noc_wait(&noc, NOC_RD_RESP_RECEIVED);
        push_back(&c, 1);
    }
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
}

#elif defined PROGRAM_T0

/* Gives the unpackers the addresses of the next tiles: a configuration context is free, and its words are written. */
#define BEGIN(unpack, address_a, address_b)                                                                            \
    do {                                                                                                               \
        TENSIX_CONFIG[THCON_SEC0_REG3_Base_address_ADDR32 + (unpack)->context] = ((address_a) >> 4) - 1;               \
        TENSIX_CONFIG[THCON_SEC1_REG3_Base_address_ADDR32 + (unpack)->context] = ((address_b) >> 4) - 1;               \
        *semaphore_window(SEMAPHORE_UNPACK_CONTEXT) = 0;                                                               \
        load_complete(semaphore_window(SEMAPHORE_UNPACK_CONTEXT));                                                     \
    } while (0)

static void wait_for_context(void)
{
    while (load_complete(semaphore_window(SEMAPHORE_UNPACK_CONTEXT)) >= 2) {
    }
}

void kernel_main(void)
{
    struct circular_buffer a = BUFFER(0), b = BUFFER(1), c = BUFFER(2);
    struct unpack unpack;
    unpack_configure(&unpack, FACE_DATA - 1);
    mop_program_masked_loop(&(struct mop_masked_loop){.with_b = 1,
                                                      .a0 = UNPACK_WORD(0, 1),
                                                      .b = UNPACK_WORD(1, 1),
                                                      .skip_a = UNPACK_WORD(0, 1),
                                                      .skip_b = TT_OP_NOP});
    for (uint32_t tile = 0; tile < TILES; tile++) {
        wait_front(&a, 1);
        UNLESS(relu_b_not_there) wait_front(&b, 1);
        UNLESS(relu_context_not_free) wait_for_context();
        /* first: relu_config_not_there second: relu_context_not_free */
        BEGIN(&unpack, tile_address(&a, 0), tile_address(&b, 0));
        UNLESS(relu_config_not_there) TTI_STALLWAIT(BLOCK_UNPACK, WAIT_RISCV_CONFIG);
        /* first: relu_no_room_for_a, relu_a_popped_too_early, relu_context_not_free */
        /* second: relu_b_not_there, relu_config_not_there */
        TTI_MOP(0, TILE_FACES - 1, 0);
        unpack_end(&unpack);
        circular_buffer_advance(&a, 1);
        SET_GPR(GPR_BUFFER_COUNT, a.count);
        UNLESS(relu_a_popped_too_early) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_UNPACKERS);
        TTI_STOREREG(GPR_BUFFER_COUNT, STREAM_REGISTER(STREAM_A, STREAM_POPPED) >> 2 & 0x3ffff);
        POP_FRONT_AFTER_UNPACK(&b, STREAM_B, 1);

        UNLESS(relu_c_not_there) wait_front(&c, 1);
        wait_for_context();
        BEGIN(&unpack, tile_address(&c, 0), tile_address(&c, 0));
        TTI_STALLWAIT(BLOCK_UNPACK, WAIT_RISCV_CONFIG);
        TTI_MOP_CFG(0xffff);
        /* first: relu_c_popped_too_early second: relu_c_not_read, relu_c_not_there */
        TTI_MOP(0, TILE_FACES - 1, 0xffff);
        unpack_end(&unpack);
        circular_buffer_advance(&c, 1);
        SET_GPR(GPR_BUFFER_COUNT, c.count);
        UNLESS(relu_c_popped_too_early) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_UNPACKERS);
        TTI_STOREREG(GPR_BUFFER_COUNT, STREAM_REGISTER(STREAM_C, STREAM_POPPED) >> 2 & 0x3ffff);
    }
    tensix_wait_idle();
}

#elif defined PROGRAM_T1

enum { LOAD_BF16 = 2, MOVE_8_ROWS = 2, X = 0, C = 1, ZEROES = 2, ONE = 10, VD_IS_MAX = 9 };

static void configure(void)
{
    ADDRESS_MODE(0, INCREMENT(8), INCREMENT(8), DST_INCREMENT(8));
    ADDRESS_MODE(1, CLEAR, CLEAR, DST_INCREMENT(8));
    ADDRESS_MODE(7, 0, 0, 0);
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = TILE_FACES,
        .inner = FACE_ROWS / 8,
        .start = TT_OP_NOP,
        .body0 = TT_OP_ELWMUL(0, 0, 0, 0, 0),
        .body1 = TT_OP_NOP,
        .last_inner = TT_OP_ELWMUL(RELEASE_BOTH, 0, 0, 1, 0),
        .last_outer = TT_OP_ELWMUL(RELEASE_BOTH, 0, 0, 1, 0),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });
    TTI_SFPENCC(3, 0, 0, 10);
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    configure();
    for (uint32_t tile = 0; tile < TILES; tile++) {
        fall_behind(tile, 1, 1000);
        UNLESS(relu_half_not_free)
        TTI_SEMWAIT(IS_MISTAKE(relu_only_sync_waits) ? BLOCK_SYNC : BLOCK_MATH | BLOCK_VECTOR | BLOCK_SYNC,
                    1 << SEMAPHORE_MATH_PACK, WHILE_MAX);
        TTI_MOP(1, 0, 0); /* first: relu_only_sync_waits second: relu_only_sync_waits */
        TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
        fall_behind(tile, 0, 1000);
        for (uint32_t row = 0; row < DST_TILE_ROWS; row += FACE_ROWS) {
            TT_MOVA2D(0, 0, MATH_STAY, MOVE_8_ROWS, DST_TILE_ROWS + row);     /* first: relu_sum_too_early */
            TT_MOVA2D(0, 8, MATH_STAY, MOVE_8_ROWS, DST_TILE_ROWS + row + 8); /* first: relu_sum_too_early */
            TTI_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A);
        }
        UNLESS(relu_sum_too_early) TTI_STALLWAIT(BLOCK_VECTOR, WAIT_MATH);
        /* From the rows on that were moved last. */
        for (int row = DST_TILE_ROWS - 2; row >= 0; row -= 2) {
            TT_SFPLOAD(C, LOAD_BF16, 7, DST_TILE_ROWS + row); /* second: relu_sum_too_early */
            TT_SFPLOAD(X, LOAD_BF16, 7, row);
            TTI_SFPLOADI(ZEROES, 0, 0);
            TTI_SFPADD(ONE, X, C, X, 0);
            TTI_SFPNOP;
            TTI_SFPSWAP(0, ZEROES, X, VD_IS_MAX);
            TTI_SFPNOP;
            TT_SFPSTORE(X, LOAD_BF16, 7, row); /* first: relu_half_not_ready */
        }
        UNLESS(relu_half_not_ready) TTI_STALLWAIT(BLOCK_SYNC, WAIT_MATH | WAIT_VECTOR);
        TTI_SEMPOST(1 << SEMAPHORE_MATH_PACK); /* first: relu_half_not_free */
        math.half_base ^= DST_HALF_ROWS;
        TTI_STALLWAIT(BLOCK_CONFIG | BLOCK_MATH, WAIT_MATH | WAIT_VECTOR);
        TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, math.half_base);
        TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
    }
    tensix_wait_idle();
}

#elif defined PROGRAM_T2

void kernel_main(void)
{
    struct circular_buffer out = BUFFER(3);
    struct pack pack;
    pack_configure(&pack);
    for (uint32_t tile = 0; tile < TILES; tile++) {
        fall_behind(tile, 3, 1000);
        UNLESS(relu_no_room_for_out) reserve_back(&out, 1);
        TTI_SEMWAIT(BLOCK_TDMA, 1 << SEMAPHORE_MATH_PACK, WHILE_ZERO);
        TT_SETADC(PACKER, 0, 3, 0);
        SET_GPR(GPR_PACK_ADDRESS, ((tile_address(&out, 0) >> 4) - 1) | 1u << 31); /* first: relu_address_not_set */
        TTI_STALLWAIT(BLOCK_CONFIG, IS_MISTAKE(relu_address_not_set) ? WAIT_PACKER : WAIT_SCALAR | WAIT_PACKER);
        TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32); /* second: relu_address_not_set */
        TTI_DMANOP;
        /* first: relu_out_pushed_too_early, relu_out_not_there */
        /* second: relu_no_room_for_out, relu_half_not_ready, relu_out_popped_too_early */
        /* first: relu_only_sync_waits second: relu_only_sync_waits */
        TTI_MOP(1, 0, 0);
        TTI_SETADCZW(PACKER, 0, 0, 0, 0, 5);
        circular_buffer_advance(&out, 1);
        SET_GPR(GPR_BUFFER_COUNT, out.count);
        UNLESS(relu_out_pushed_too_early) TTI_STALLWAIT(BLOCK_SCALAR, WAIT_PACKER);
        TTI_STOREREG(GPR_BUFFER_COUNT, STREAM_REGISTER(STREAM_OUT, STREAM_PUSHED) >> 2 & 0x3ffff);
        TTI_STALLWAIT(BLOCK_MATH, WAIT_PACKER);
        TT_ZEROACC(2, 0, 0, 3, pack.half); /* second: relu_half_not_ready */
        TTI_STALLWAIT(BLOCK_SYNC, WAIT_PACKER | WAIT_MATH);
        TTI_SEMGET(1 << SEMAPHORE_MATH_PACK);
        pack.half ^= 1;
        pack_select_half(pack.half);
    }
    tensix_wait_idle();
}

#elif defined PROGRAM_NC

static struct noc noc;

static uint32_t right_data(uint32_t tile)
{
    const volatile uint32_t *words = (const volatile uint32_t *)READ_BACK;
    uint32_t right = 0;
    for (uint32_t i = 0; i < TILE_DATA; i++) {
        int sum = a_at(tile, i) * b_at(tile, i) + c_at(tile, i);
        uint32_t word = words[i / 2]; /* second: relu_result_not_read */
        right += (i % 2 ? word >> 16 : word & 0xffff) == bf16(sum > 0 ? sum : 0);
    }
    return right;
}

void kernel_main(void)
{
    struct circular_buffer out = BUFFER(3);
    noc = noc_open(1);
    for (uint32_t tile = 0; tile < TILES; tile++) {
        fall_behind(tile, 3, 4000);
        UNLESS(relu_out_not_there) wait_front(&out, 1);
        struct noc_place to = interleaved_tile(DRAM_OUT, tile);
        /* first: relu_no_room_for_out, relu_out_popped_too_early */
        /* second: relu_out_pushed_too_early, relu_out_not_there */
        WRITE(&noc, tile_address(&out, 0), to, TILE_SIZE);
        UNLESS(relu_out_popped_too_early) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
        pop_front(&out, 1);
    }
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);

    uint32_t right = 0;
    for (uint32_t tile = 0; tile < TILES; tile++) {
        struct noc_place from = interleaved_tile(DRAM_OUT, tile);
        READ(&noc, from, READ_BACK, TILE_SIZE); /* first: relu_result_not_read */
        UNLESS(relu_result_not_read) noc_wait(&noc, NOC_RD_RESP_RECEIVED);
        FENCE();
        right += right_data(tile);
    }
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    store_result(0, right);
    store_result(1, TILES);
    store_result(2, 0);
    store_result(3, 0);
}

#endif
