/* PACR_SETREG: writes a register of the tile in order with the packer's instructions, and flushes the packer's pending
   output. On Blackhole software sets the value before, in two halves, with ModeSel. Sources: ISA documentation
   PACR_SETREG.md (Wormhole); the instruction's description in tt-llk (Blackhole). */
#include "tensix/units/bus.h"
#include "tensix/units/execute.h"
#include "tensix/units/pack/output.h"

/* With ModeSel the fields have another meaning: bits 18:3 of the instruction are the value, bit 2 selects the half. */
static enum step set_value(struct pack_unit *pack, struct args_PACR_SETREG args)
{
    uint32_t half = args.StreamId >> 1 | args.AddrSel << 5 | args.DisableStall << 7 | (args.Unused & 0x7f) << 9;
    unsigned shift = args.StreamId & 1 ? 16 : 0;
    pack->setreg_value = (pack->setreg_value & ~(UINT32_C(0xffff) << shift)) | half << shift;
    return STEP_DONE;
}

static enum step write_register(struct tensix *tensix, struct args_PACR_SETREG args)
{
    const struct pack_unit *pack = &tensix->state->pack;
    return bus_store_in_window(tensix, "PACR_SETREG", pack->setreg_base[args.AddrSel] + (args.StreamId << 12),
                               pack->setreg_value);
}

enum step execute_PACR_SETREG(struct tensix *tensix, unsigned thread, struct args_PACR_SETREG args)
{
    struct pack_unit *pack = &tensix->state->pack;
    if (args.ModeSel) {
        return set_value(pack, args);
    }
    if (!args.Flush) {
        return STEP_DONE;
    }
    enum step step = args.Push ? write_register(tensix, args) : STEP_DONE;
    return step == STEP_DONE ? pack_output_flush(tensix) : step;
}

/* The vendor reserves the opcode; its effect is not documented. */
enum step execute_TBUFCMD(struct tensix *tensix, unsigned thread, struct args_TBUFCMD args)
{
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED, "TBUFCMD is not emulated yet");
}

TENSIX_RUN(PACR_SETREG)
TENSIX_RUN(TBUFCMD)
