/* Shared by tests of the packer: the configuration of the vendor's kernels, and access to Dst and L1 by datum. For
 *_test.c only. */
#ifndef BHEMU_TENSIX_UNITS_PACK_FIXTURE_H
#define BHEMU_TENSIX_UNITS_PACK_FIXTURE_H

#include "tensix/num/formats.h"
#include "tensix/tensix_fixture.h"

enum { THREAD = 2, TILE_ROWS = 64, DESTINATION = 0x20000 };

/* Y increments of both channels [3:0] and [9:6], their CR [4] and [10] and clear [5] and [11]; Z increment [12] and
   [14] and clear [13] and [15]. */
enum {
    Y_4 = 4 | 4 << 6,
    Y_CLEAR = 1 << 5 | 1 << 11,
    Y_SRC_CLEAR_DST_4 = 1 << 5 | 4 << 6,
    Z_SRC_INCR = 1 << 12,
    Z_SRC_CLEAR = 1 << 13
};

#define SET(f, name, value) set_field(f, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)

static inline void set_field(struct fixture *f, unsigned word, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        f->state.config.bank[bank][word] = bits_set(f->state.config.bank[bank][word], shift, width, value);
    }
}

static inline struct adc *packer_adc(struct fixture *f)
{
    return &f->state.addr.adc[THREAD][ADC_PACKER];
}

static inline void set_addr_mod(struct fixture *f, unsigned mode, uint16_t value)
{
    f->state.config.thread[THREAD][ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + mode] = value;
}

/* Tiles of four 16x16 faces; `from` is the format in which Dst is read, and the late conversion's input. */
static inline void configure(struct fixture *f, enum data_format from, enum data_format to, bool read_32b)
{
    unsigned stride = (from & 3) == 0 ? 4 : (from & 3) == 1 ? 2 : 1;
    SET(f, ALU_FORMAT_SPEC_REG2_Dstacc, from);
    SET(f, THCON_SEC0_REG1_In_data_format, from);
    SET(f, THCON_SEC0_REG1_Out_data_format, to);
    SET(f, THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET(f, THCON_SEC0_REG1_Exp_section_size, to == FORMAT_FP8 || to == FORMAT_INT8 ? 0 : 4);
    SET(f, THCON_SEC0_REG1_L1_Dest_addr, 0x80000000u | (DESTINATION / 16 - 1));
    SET(f, PCK_DEST_RD_CTRL_Read_32b_data, read_32b);
    SET(f, PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16 * stride);
    SET(f, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 256 * stride);
    SET(f, PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 1024 * stride);
    SET(f, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    SET(f, PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    set_addr_mod(f, 0, Y_4);
    set_addr_mod(f, 1, Y_CLEAR | Z_SRC_CLEAR);
    set_addr_mod(f, 2, Y_SRC_CLEAR_DST_4 | Z_SRC_INCR);
    packer_adc(f)->channel[1].x = ROW_COLUMNS - 1;
}

/* The number of a datum, row * 16 + column, as BF16 in Dst; no number has an exponent of zero. */
static inline uint16_t numbered(uint32_t row, uint32_t column)
{
    return (uint16_t)(0x0080 + row * ROW_COLUMNS + column);
}

static inline void number_dst(struct fixture *f)
{
    for (unsigned row = 0; row < DST_ROWS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            f->state.dst.rows[row][column] = numbered(row, column);
        }
    }
}

static inline void put32(struct fixture *f, uint32_t row, uint32_t column, uint32_t datum)
{
    f->state.dst.rows[dst_row32(row)][column] = dst_high_cell(datum);
    f->state.dst.rows[dst_row32(row) + DST_LOW_HALF][column] = dst_low_cell(datum);
}

static inline uint16_t load16(const struct fixture *f, uint32_t address)
{
    uint16_t value;
    memcpy(&value, f->l1_bytes + address, sizeof value);
    return value;
}

/* Asserts that `count` 16-bit data of one row of the numbered Dst are at `address`. */
static inline void assert_numbered(const struct fixture *f, uint32_t address, uint32_t row, uint32_t column,
                                   unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(load16(f, address + 2 * i), numbered(row, column + i));
    }
}

static inline void assert_filled(const struct fixture *f, uint32_t address, unsigned size, uint8_t value)
{
    for (unsigned i = 0; i < size; i++) {
        assert_int_equal(f->l1_bytes[address + i], value);
    }
}

#endif
