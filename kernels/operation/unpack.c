/* operation, unpack: as many banks of SrcA and SrcB as the operation takes, face by face or whole tiles. */
#include "unpack.h"
#include "mop.h"
#include "operation.h"

enum { ADC_Z = 2, WORD = 16, TILE_COLUMNS = 32 };
/* Dst as unpacker 0 sees it: four rows further on, in halves. */
enum { DST_SKIPPED_ROWS = 4, DST_HALF_ROWS = 512, DST_TILE_ROWS = 64 };

struct operand {
    uint32_t address, tile_size, format, register_format;
};

static struct operand operand_a(void)
{
    const volatile struct operation_arguments *asked = operation_arguments();
    return (struct operand){asked->input_a, operation_tile_size(asked->a_format), asked->a_format, asked->a_register};
}

static struct operand operand_b(void)
{
    const volatile struct operation_arguments *asked = operation_arguments();
    return (struct operand){asked->input_b, operation_tile_size(asked->b_format), asked->b_format, asked->b_register};
}

/* srca, srcb: what unpackers 0 and 1 take. */
static void configure_formats(uint32_t flags, const struct operand *srca, const struct operand *srcb)
{
    const volatile struct operation_arguments *asked = operation_arguments();
    uint32_t mode = srca->register_format | 2u << THCON_SEC0_REG2_Throttle_mode_SHAMT;
    uint32_t uncompressed = 0x000f000f;
    if (flags & OPERATION_TRANSPOSE || asked->operation == OPERATION_REDUCE_ROWS) {
        mode |= THCON_SEC0_REG2_Haloize_mode_MASK;
    }
    if (flags & OPERATION_TILIZE) {
        uint32_t row_bytes = asked->row_tiles * TILE_COLUMNS / 8 * operation_format_bits(srca->format);
        mode |= THCON_SEC0_REG2_Tileize_mode_MASK;
        mode |= row_bytes / WORD << THCON_SEC0_REG2_Shift_amount_cntx0_SHAMT; /* twelve bits, of three fields */
        TENSIX_CONFIG[THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1] = 1 | 1 << 16;
        CONFIG_WRITE(THCON_SEC0_REG5_Tile_x_dim_cntx0, TILE_DATA | TILE_DATA << 16);
    }
    if (flags & OPERATION_TO_DST) {
        uncompressed |=
            CONFIG_VALUE(THCON_SEC0_REG2_Unpack_if_sel_cntx0, 1) | CONFIG_VALUE(THCON_SEC0_REG2_Unpack_if_sel_cntx1, 1);
        TTI_SETC16(SRCA_SET_Base_ADDR32, 0);
    }
    TENSIX_CONFIG[THCON_SEC0_REG0_TileDescriptor_ADDR32] = srca->format | 1 << 4;
    TENSIX_CONFIG[THCON_SEC1_REG0_TileDescriptor_ADDR32] = srcb->format | 1 << 4 | FACE_DATA << 16;
    CONFIG_WRITE(THCON_SEC0_REG2_Out_data_format, mode);
    CONFIG_WRITE(THCON_SEC0_REG2_Disable_zero_compress_cntx0, uncompressed);
    CONFIG_WRITE(THCON_SEC1_REG2_Out_data_format,
                 srcb->register_format | CONFIG_VALUE(THCON_SEC1_REG2_Throttle_mode, 2));

    uint32_t e4m3 = flags & OPERATION_INPUT_E4M3 ? ~0u : 0, unsigned_ = flags & OPERATION_UNSIGNED ? ~0u : 0;
    CONFIG_MODIFY(THCON_SEC0_REG1_Unp_LF8_4b_exp, e4m3);
    CONFIG_MODIFY(THCON_SEC1_REG1_Unp_LF8_4b_exp, e4m3);
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG0_SrcAUnsigned, unsigned_);
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG0_SrcBUnsigned, unsigned_);
    TTI_STALLWAIT(BLOCK_UNPACK, WAIT_RISCV_CONFIG);
}

/* One face of input_a, or with it one of input_b. */
static void unpack_faces(uint32_t face_a, uint32_t face_b, int with_b)
{
    TT_SETADC(UNPACKER0, 0, ADC_Z, face_a);
    TENSIX_PUSH(UNPACK_WORD(0, 0));
    if (with_b) {
        TT_SETADC(UNPACKER1, 0, ADC_Z, face_b);
        TENSIX_PUSH(UNPACK_WORD(1, 0));
    }
}

static uint32_t face_of_b(uint32_t face)
{
    switch (operation_arguments()->broadcast) {
    case BROADCAST_COLUMN: return face & 2;
    case BROADCAST_ROW: return face & 1;
    case BROADCAST_SCALAR: return 0;
    default: return face;
    }
}

static void unpack_tile(uint32_t operation, uint32_t flags)
{
    if (flags & OPERATION_TILIZE) {
        TENSIX_PUSH(UNPACK_WORD(0, 0));
        return;
    }
    if (operation == OPERATION_PRODUCT) {
        unpack_faces(0, 0, 1);
        return;
    }
    for (uint32_t face = 0; face < TILE_FACES; face++) {
        uint32_t transposed = (face & 1) << 1 | face >> 1;
        if (operation >= OPERATION_REDUCE_ROWS) {
            unpack_faces(face, 0, 1);
        } else {
            unpack_faces(flags & OPERATION_TRANSPOSE ? transposed : face, face_of_b(face), operation != OPERATION_COPY);
        }
    }
}

/* The tiles of a half of Dst, without the matrix unit: this thread takes over what math does. */
static void unpack_to_dst(struct unpack *unpack, const struct operand *operand, uint32_t first, uint32_t tiles,
                          uint32_t half)
{
    TTI_SEMWAIT(BLOCK_UNPACK | BLOCK_SYNC, 1 << SEMAPHORE_MATH_PACK, WHILE_MAX);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        uint32_t address = operand->address + (first + tile) * operand->tile_size;
        uint32_t place = (DST_SKIPPED_ROWS + half * DST_HALF_ROWS + tile * DST_TILE_ROWS) * ROW_DATA;
        CONFIG_WRITE(THCON_SEC0_REG5_Dest_cntx0_address, place | place << 16);
        unpack_begin(unpack, address, address);
        TENSIX_PUSH(TT_OP_UNPACR(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1));
        unpack_end(unpack);
        tensix_wait_idle();
    }
    TTI_STALLWAIT(BLOCK_SYNC, WAIT_UNPACKERS);
    TTI_SEMPOST(1 << SEMAPHORE_MATH_PACK);
}

static void unpack_all_to_dst(struct unpack *unpack, const struct operand *operand, uint32_t flags, uint32_t tiles)
{
    uint32_t half_tiles = operation_half_tiles(flags);
    TTI_SEMINIT(2, 0, 1 << SEMAPHORE_MATH_PACK);
    TTI_ZEROACC(3, 0, 0, 3, 0);
    for (uint32_t done = 0, half = 0; done < tiles; done += half_tiles, half ^= 1) {
        unpack_to_dst(unpack, operand, done, tiles - done < half_tiles ? tiles - done : half_tiles, half);
    }
}

/* Where a tile begins; of a row-major tensor, its first row. */
static uint32_t tile_address(const struct operand *operand, uint32_t flags, uint32_t tile)
{
    if (!(flags & OPERATION_TILIZE)) {
        return operand->address + tile * operand->tile_size;
    }
    uint32_t row_tiles = operation_arguments()->row_tiles;
    uint32_t datum = tile / row_tiles * row_tiles * TILE_DATA + tile % row_tiles * TILE_COLUMNS;
    return operand->address + datum / 8 * operation_format_bits(operand->format);
}

void kernel_main(void)
{
    const volatile struct operation_arguments *asked = operation_arguments();
    uint32_t operation = asked->operation, flags = asked->flags, tiles = asked->tiles;
    uint32_t whole_tiles = operation == OPERATION_PRODUCT || flags & (OPERATION_TILIZE | OPERATION_TO_DST);
    /* In a product input_a goes to SrcB (runtime/matmul.h). */
    struct operand srca = operation == OPERATION_PRODUCT ? operand_b() : operand_a();
    struct operand srcb = operation == OPERATION_PRODUCT ? operand_a() : operand_b();
    struct unpack unpack;
    unpack_configure(&unpack, whole_tiles ? TILE_DATA - 1 : FACE_DATA - 1);
    configure_formats(flags, &srca, &srcb);

    if (flags & OPERATION_TO_DST) {
        unpack_all_to_dst(&unpack, &srca, flags, tiles);
    } else {
        for (uint32_t tile = 0; tile < tiles; tile++) {
            unpack_begin(&unpack, tile_address(&srca, flags, tile), srcb.address + tile * srcb.tile_size);
            unpack_tile(operation, flags);
            unpack_end(&unpack);
        }
    }
    tensix_wait_idle();
}
