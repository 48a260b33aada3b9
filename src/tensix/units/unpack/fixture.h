/* What the tests of the unpackers share: a coprocessor whose two unpackers are configured for four 16x16 faces. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_FIXTURE_H
#define BHEMU_TENSIX_UNITS_UNPACK_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tensix/num/formats.h"
#include "tensix/tensix.h"
#include "tensix/units/execute.h"
#include "util/aligned.h"
#include "util/bits.h"

enum { BASE = 0x10000 };

struct fixture {
    struct tensix_state *state;
    struct l1 l1;
    struct diagnostics diagnostics;
    struct tensix tensix;
};

static inline void set(struct fixture *fixture, unsigned address, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        uint32_t *word = &fixture->state->config.bank[bank][address];
        *word = bits_set(*word, shift, width, value);
    }
}

static inline void set_thread(struct fixture *fixture, unsigned address, unsigned shift, unsigned width, uint32_t value)
{
    for (unsigned thread = 0; thread < 3; thread++) {
        uint16_t *word = &fixture->state->config.thread[thread][address];
        *word = (uint16_t)bits_set(*word, shift, width, value);
    }
}

#define SET(name, value) set(fixture, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)
#define SET_THREAD(name, value) set_thread(fixture, name##_ADDR32, name##_SHAMT, name##_WIDTH, value)

/* Configures both unpackers: a tile of four 16x16 faces at BASE, its body 16 bytes later; UNPACR unpacks a face to row
   0 of Src. */
static inline void set_formats(struct fixture *fixture, enum data_format in, enum data_format out)
{
    unsigned bytes = format_bits(out) == 32 ? 4 : format_bits(out) == 16 ? 2 : 1;
    for (unsigned section = 0; section < 2; section++) {
        unsigned descriptor = THCON_SEC0_REG0_TileDescriptor_ADDR32 + section * 48;
        set(fixture, descriptor, 0, 32, in | 1 << 4 | 256u << 16);
        set(fixture, descriptor + 1, 0, 32, 1 | 4 << 16);
    }
    SET(THCON_SEC0_REG2_Out_data_format, out);
    SET(THCON_SEC1_REG2_Out_data_format, out);
    SET(UNP0_ADDR_CTRL_XY_REG_1_Ystride, 16 * bytes);
    SET(UNP1_ADDR_CTRL_XY_REG_1_Ystride, 16 * bytes);
    SET(UNP0_ADDR_CTRL_ZW_REG_1_Zstride, 256 * bytes);
    SET(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, 256 * bytes);
}

static inline int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->state = aligned_zeroed(sizeof *fixture->state);
    l1_create(&fixture->l1, calloc(1, L1_SIZE));
    fixture->tensix =
        (struct tensix){.state = fixture->state, .l1 = &fixture->l1, .diagnostics = &fixture->diagnostics};
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_DEFAULT);
    SET(THCON_SEC0_REG3_Base_address, BASE / 16);
    SET(THCON_SEC1_REG3_Base_address, BASE / 16);
    SET(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    SET(THCON_SEC1_REG2_Disable_zero_compress_cntx0, 1);
    SET(THCON_SEC0_REG5_Dest_cntx0_address, 64);
    SET(THCON_SEC0_REG5_Tile_x_dim_cntx0, 256);
    SET_THREAD(SRCA_SET_SetOvrdWithAddr, 1);
    set_formats(fixture, FORMAT_BF16, FORMAT_BF16);
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        fixture->state->addr.adc[0][unpacker].channel[1].x = 255;
    }
    for (unsigned i = 0; i < 0x4000; i++) {
        fixture->l1.bytes[BASE + 16 + i] = (uint8_t)(i * 167 + (i >> 8) * 13);
    }
    *state = fixture;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->l1.bytes);
    l1_destroy(&fixture->l1);
    free(fixture->state);
    free(fixture);
    return 0;
}

static inline uint32_t half(const struct fixture *fixture, unsigned index)
{
    const uint8_t *bytes = fixture->l1.bytes + BASE + 16 + 2 * index;
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline enum step unpacr(struct fixture *fixture, struct args_UNPACR args)
{
    return execute_UNPACR(&fixture->tensix, 0, args);
}

#define SRCA ((struct args_UNPACR){.OvrdThreadId = 1, .SetDatValid = 1, .Last = 1})
#define SRCB ((struct args_UNPACR){.Unpack_block_selection = 1, .OvrdThreadId = 1, .SetDatValid = 1, .Last = 1})

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
