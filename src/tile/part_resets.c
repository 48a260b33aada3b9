/* Soft reset of parts of the coprocessor: the bits of SOFT_RESET_0 other than those of the cores. Instructions execute
   at once, so that only frontends have instructions in flight; while a part is held in reset no instruction may be
   pushed. Source: ISA documentation SoftReset.md. */
#include <string.h>

#include "tile/handlers.h"

/* Bits of SOFT_RESET_0. Resetting the unpackers (0, 1, 7), the mover (6), packers that Blackhole does not have (3 to
   5) or Auto TTSync (23) changes no state. */
enum {
    PACKER = 1 << 2,
    TDMA = 1 << 8,
    THCON = 1 << 9,
    MATRIX_AND_VECTOR = 1 << 10,
    SRCA_OWNER = 1 << 15,
    SRCB = 1 << 16,
    PACKER_DST = 1 << 17,
    SRCA_COLUMNS_0 = 1 << 19, /* SRCA_COLUMNS_0 and the next three bits: four columns each */
};

uint32_t parts_in_reset(const struct tile *tile)
{
    return tile->state->registers.debug[(MMIO_ADDRESS_SOFT_RESET_0 - 0xFFB12000u) / 4] & SOFT_RESET_PARTS;
}

static void clear_columns(struct src_register_file *src, unsigned first, unsigned count)
{
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        for (unsigned row = 0; row < SRC_ROWS; row++) {
            memset(&src->rows[bank][row][first], 0, count * sizeof src->rows[bank][row][0]);
        }
    }
}

static void give_to_unpackers(struct src_register_file *src)
{
    src->matrix_bank = 0;
    src->unpacker_bank = 0;
    src->owner[0] = SRC_UNPACKERS;
    src->owner[1] = SRC_UNPACKERS;
}

enum step parts_check_reset(struct tile *tile, uint32_t entering)
{
    if (!entering) {
        return STEP_DONE;
    }
    (void)tensix_drain(&tile->tensix);
    if (tile->state->diagnostics.stopped) {
        return STEP_STOP;
    }
    if (!tensix_idle(&tile->state->tensix)) {
        return diagnose(
            tile->tensix.diagnostics, BH_UNSUPPORTED,
            "SOFT_RESET_0 resets parts of the coprocessor (bits 0x%06x) while Tensix instructions are under "
            "way: that is not emulated",
            entering);
    }
    return STEP_DONE;
}

void parts_enter_reset(struct tile *tile, uint32_t entering)
{
    struct tensix_state *tensix = &tile->state->tensix;
    if (entering & PACKER) {
        memset(tensix->pack.accumulated_tile_size, 0, sizeof tensix->pack.accumulated_tile_size);
        tensix->pack.last_tile_size = 0;
        tensix->pack.metadata_count = 0;
    }
    if (entering & TDMA) {
        for (unsigned i = 0; i < 4; i++) {
            tile->state->registers.tdma[i] = 0; /* CmdParams */
        }
    }
    if (entering & THCON) {
        tensix->config.thcon_in_reset = true;
        for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
            memset(&tensix->config.bank[bank][THCON_CFGREG_BASE_ADDR32], 0,
                   (GLOBAL_CFGREG_BASE_ADDR32 - THCON_CFGREG_BASE_ADDR32) * sizeof tensix->config.bank[bank][0]);
        }
    }
    if (entering & MATRIX_AND_VECTOR) {
        clear_columns(&tensix->srca, 0, ROW_COLUMNS);
    }
    if (entering & SRCA_OWNER) {
        give_to_unpackers(&tensix->srca);
    }
    if (entering & SRCB) {
        give_to_unpackers(&tensix->srcb);
        clear_columns(&tensix->srcb, 0, ROW_COLUMNS);
    }
    if (entering & PACKER_DST) {
        pack_clear_exponent_histogram(&tensix->pack);
        memset(tensix->dst.valid, 1, sizeof tensix->dst.valid); /* undoes the clearing by ZEROACC */
    }
    for (unsigned i = 0; i < 4; i++) {
        if (entering & (uint32_t)SRCA_COLUMNS_0 << i) {
            clear_columns(&tensix->srca, 4 * i, 4);
        }
    }
}

void parts_leave_reset(struct tile *tile, uint32_t leaving)
{
    struct tensix_state *tensix = &tile->state->tensix;
    if (leaving & PACKER) {
        tensix->pack.l1_dest_addr_offset = 0;
    }
    if (leaving & THCON) {
        tensix->config.thcon_in_reset = false;
    }
    if (leaving & MATRIX_AND_VECTOR) {
        vector_reset(&tensix->vector);
        stochastic_reset_matrix(tensix);
    }
    if (leaving & PACKER_DST) {
        stochastic_reset_gasket(tensix);
    }
}
