/* operation, pack: tiles in order, or the rows of a row-major tensor, in any format. */
#include "pack.h"
#include "operation.h"

enum { ADC_Y = 1, ADC_Z = 2, ADC_W = 3, WORD = 16, TILE_COLUMNS = 32, FACES_IN_ROW = 2 };
/* Which of four rows: the even ones, the odd ones; two rows that are apart. */
enum { EVEN_ROWS = 5, ODD_ROWS = 10, TWO_ROWS = 3, STRIDED = 1 };
#define PACK_ROWS_WORD(rows, strided, address_mode, last)                                                              \
    TT_OP_PACR(0, 0, strided, address_mode, 0, 0, rows, 0, 0, 0, 0, last)

/* Bytes that the address counters reckon with. */
static uint32_t counted_bytes(uint32_t format)
{
    return (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1;
}

static void configure_formats(uint32_t flags)
{
    const volatile struct operation_arguments *asked = operation_arguments();
    uint32_t from = asked->dst_format, to = asked->output_format, bytes = counted_bytes(from);
    uint32_t wide = flags & (OPERATION_DST_32 | OPERATION_INTEGER);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_PACKER);
    CONFIG_WRITE(PCK0_ADDR_CTRL_XY_REG_0_Xstride, CONFIG_VALUE(PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_DATA * bytes));
    CONFIG_WRITE(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, CONFIG_VALUE(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, FACE_DATA * bytes) |
                                                      CONFIG_VALUE(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, TILE_DATA * bytes));
    CONFIG_MODIFY(ALU_FORMAT_SPEC_REG2_Dstacc, from);
    CONFIG_WRITE(THCON_SEC0_REG1_Exp_section_size,
                 CONFIG_VALUE(THCON_SEC0_REG1_Exp_section_size, operation_format_is_block(to) ? TILE_FACES : 0));
    CONFIG_WRITE(THCON_SEC0_REG1_Disable_zero_compress, CONFIG_VALUE(THCON_SEC0_REG1_Disable_zero_compress, 1) |
                                                            CONFIG_VALUE(THCON_SEC0_REG1_Out_data_format, to) |
                                                            CONFIG_VALUE(THCON_SEC0_REG1_In_data_format, from));
    CONFIG_WRITE(PCK_DEST_RD_CTRL_Read_32b_data,
                 CONFIG_VALUE(PCK_DEST_RD_CTRL_Read_32b_data, wide != 0) |
                     CONFIG_VALUE(PCK_DEST_RD_CTRL_Read_unsigned, (flags & OPERATION_UNSIGNED) != 0) |
                     CONFIG_VALUE(PCK_DEST_RD_CTRL_Read_int8, (flags & OPERATION_READ_RAW) != 0) |
                     CONFIG_VALUE(PCK_DEST_RD_CTRL_Round_10b_mant, (flags & OPERATION_ROUND_10B) != 0));
    CONFIG_MODIFY(THCON_SEC0_REG1_Pac_LF8_4b_exp, flags & OPERATION_OUTPUT_E4M3 ? ~0u : 0);
    CONFIG_MODIFY(THCON_SEC0_REG1_Pack_L1_Acc, flags & OPERATION_ACCUMULATE ? ~0u : 0);
    uint32_t relu = asked->relu;
    CONFIG_MODIFY_MASK(STACC_RELU_ApplyRelu_ADDR32, STACC_RELU_ApplyRelu_MASK | STACC_RELU_ReluThreshold_MASK,
                       CONFIG_VALUE(STACC_RELU_ApplyRelu, relu) | CONFIG_VALUE(STACC_RELU_ReluThreshold, relu >> 16));
    TTI_STALLWAIT(BLOCK_PACK | BLOCK_CONFIG, WAIT_RISCV_CONFIG);
}

static void set_address(uint32_t address)
{
    gpr_set(GPR_PACK_ADDRESS, ((address >> 4) - 1) | 1u << 31);
    TTI_STALLWAIT(BLOCK_CONFIG, WAIT_SCALAR | WAIT_PACKER);
    TTI_WRCFG(GPR_PACK_ADDRESS, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    TTI_DMANOP;
}

/* A tile whose rows were unpacked 32 data wide: in Dst the rows of the left and of the right face take turns. */
static void pack_row_major_tile(uint32_t tile, uint32_t address)
{
    set_address(address);
    TT_SETADC(PACKER, 0, ADC_W, tile);
    for (uint32_t face = 0; face < TILE_FACES; face++) {
        uint32_t rows = face & 1 ? ODD_ROWS : EVEN_ROWS;
        TT_SETADC(PACKER, 0, ADC_Z, face & 2);
        TT_SETADC(PACKER, 0, ADC_Y, 0);
        for (uint32_t i = 1; i < FACE_ROWS / 2; i++) {
            TENSIX_PUSH(PACK_ROWS_WORD(rows, 0, 0, 0));
        }
        TENSIX_PUSH(PACK_ROWS_WORD(rows, 0, 1, face == TILE_FACES - 1));
    }
    TTI_SETADCZW(PACKER, 0, 0, 0, 0, 5);
}

/* 32 rows across `tiles` tiles; each ends one output. */
static void pack_rows(uint32_t tiles, uint32_t address)
{
    uint32_t row_bytes = tiles * TILE_COLUMNS * operation_format_bits(operation_arguments()->output_format) / 8;
    for (uint32_t row = 0; row < 2 * FACE_ROWS; row++, address += row_bytes) {
        set_address(address);
        TT_SETADC(PACKER, 0, ADC_Y, row % FACE_ROWS);
        TT_SETADC(PACKER, 0, ADC_Z, row / FACE_ROWS * FACES_IN_ROW);
        for (uint32_t tile = 0; tile < tiles; tile++) {
            TT_SETADC(PACKER, 0, ADC_W, tile);
            TENSIX_PUSH(PACK_ROWS_WORD(TWO_ROWS, STRIDED, 3, tile == tiles - 1));
        }
    }
    TTI_SETADCXY(PACKER, 0, 0, 0, 0, 0xa);
    TTI_SETADCZW(PACKER, 0, 0, 0, 0, 0xf);
}

void kernel_main(void)
{
    const volatile struct operation_arguments *asked = operation_arguments();
    uint32_t flags = asked->flags, tiles = asked->tiles, size = operation_tile_size(asked->output_format);
    uint32_t half_tiles = flags & OPERATION_UNTILIZE ? asked->row_tiles : operation_half_tiles(flags);
    struct pack pack;
    pack_configure(&pack);
    configure_formats(flags);
    TTI_SETC16(ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + 3, 0);

    uint32_t address = asked->output;
    for (uint32_t done = 0; done < tiles; done += half_tiles) {
        pack_begin_half();
        if (flags & OPERATION_UNTILIZE) {
            pack_rows(half_tiles, address);
            address += half_tiles * size;
        } else {
            for (uint32_t tile = 0; tile < half_tiles && done + tile < tiles; tile++, address += size) {
                if (flags & OPERATION_TILIZE) {
                    pack_row_major_tile(tile, address);
                } else {
                    pack_tile(tile, address);
                }
            }
        }
        pack_end_half(&pack);
    }
    tensix_wait_idle();
}
