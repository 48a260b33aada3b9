/* LOADIND, STOREIND in its three modes, LOADREG, STOREREG: copy registers from and to L1, MMIO, SrcA and SrcB.
   Sources: chapter "gpr and dma instructions"; ISA documentation LOADIND.md, STOREIND_L1.md, STOREIND_MMIO.md,
   STOREIND_Src.md, LOADREG.md, STOREREG.md. */
#include "tensix/units/bus.h"
#include "tensix/units/scalar/operands.h"
#include "tensix/units/scalar/parts.h"
#include "tensix/units/src_banks.h"

/* The MMIO addresses that these instructions can access. Below are the local RAMs of the cores, which only the cores
   see. */
static const uint32_t mmio_base = 0xffb00000, mmio_first = 0xffb11000, mmio_mask = 0x000ffffc;

enum access_size { ACCESS_16_BYTES, ACCESS_4_BYTES, ACCESS_2_BYTES, ACCESS_1_BYTE };

static const uint8_t access_bytes[] = {16, 4, 2, 1};
static const uint8_t offset_increments[] = {0, 2, 4, 16};

/* AutoIncSpec: increments half register `half`, which wraps within its 16 bits. */
static void increment_offset(uint32_t gpr[GPRS], unsigned half, unsigned specifier)
{
    gpr_set_half(gpr, half, (uint16_t)(gpr_half(gpr, half) + offset_increments[specifier]));
}

enum step scalar_check_l1(struct tensix *tensix, const char *instruction, uint32_t address)
{
    if (address < L1_SIZE) {
        if (__builtin_expect(tensix->jitter != 0, 0)) {
            lag_settle(tensix, 1u << BUSY_SCALAR, TENSIX_THREADS);
        }
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s: address 0x%08x is not in L1 (0x%x bytes); registers hold addresses in units of 16 bytes",
                    instruction, address, L1_SIZE);
}

static enum step check_mmio(struct tensix *tensix, const char *instruction, uint32_t address)
{
    if (address >= mmio_first) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "%s: address 0x%08x is in the cores' local RAM; registers start at 0x%08x", instruction, address,
                    mmio_first);
}

/* The first register of an access of `size`: of an aligned group of four, or a single one. */
static unsigned first_gpr(unsigned index, enum access_size size)
{
    return size == ACCESS_16_BYTES ? index & ~(GPR_QUAD - 1u) : index;
}

enum step execute_LOADIND(struct tensix *tensix, unsigned thread, struct args_LOADIND args)
{
    uint32_t *gpr = tensix->state->scalar.gpr[thread];
    uint32_t address = gpr[args.AddrRegIndex] * 16 + gpr_half(gpr, args.OffsetIndex);
    enum step step = scalar_check_l1(tensix, "LOADIND", address);
    if (step != STEP_DONE || address >= L1_SIZE) {
        return step;
    }
    increment_offset(gpr, args.OffsetIndex, args.AutoIncSpec);
    /* The low bytes of the first register, or all of it and of the following ones; the other bytes keep their
       values. */
    unsigned bytes = access_bytes[args.SizeSel];
    scalar_deliver(tensix, thread, first_gpr(args.DataRegIndex, args.SizeSel),
                   l1_read(tensix->l1, scalar_actor, address & ~(bytes - 1), bytes), bytes);
    return STEP_DONE;
}

static enum step store_l1(struct tensix *tensix, unsigned thread, struct args_STOREIND args)
{
    uint32_t *gpr = tensix->state->scalar.gpr[thread];
    enum access_size size = args.SizeSel << 1 | args.RegSizeSel;
    uint32_t address = gpr[args.AddrRegIndex] * 16 + gpr_half(gpr, args.OffsetIndex);
    enum step step = scalar_check_l1(tensix, "STOREIND", address);
    if (step != STEP_DONE || address >= L1_SIZE) {
        return step;
    }
    increment_offset(gpr, args.OffsetIndex, args.AutoIncSpec);
    unsigned bytes = access_bytes[size];
    const uint32_t *data = &gpr[first_gpr(args.DataRegIndex, size)];
    if (__builtin_expect(tensix->jitter != 0, 0)) {
        lag_store(tensix, thread, address & ~(bytes - 1), data, bytes);
    } else {
        l1_put(tensix->l1, scalar_actor, address & ~(bytes - 1), data, bytes);
    }
    return STEP_DONE;
}

static enum step store_mmio(struct tensix *tensix, unsigned thread, struct args_STOREIND args)
{
    uint32_t *gpr = tensix->state->scalar.gpr[thread];
    if (args.RegSizeSel) {
        enum step step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                                  "STOREIND: RegSizeSel is set in MMIO mode, where it must be clear");
        if (step != STEP_DONE) {
            return step;
        }
    }
    uint32_t offset = gpr[args.AddrRegIndex] + (gpr_half(gpr, args.OffsetIndex) >> 4);
    uint32_t address = mmio_base + (offset & mmio_mask);
    enum step step = check_mmio(tensix, "STOREIND", address);
    if (step != STEP_DONE || address < mmio_first) {
        return step;
    }
    step = bus_store(tensix, address, gpr[args.DataRegIndex]);
    if (step == STEP_DONE) {
        increment_offset(gpr, args.OffsetIndex, args.AutoIncSpec);
    }
    return step;
}

/* The two BF16 of a register in the format of Src. The low one has its mantissa before its exponent. */
static uint32_t low_bf16(uint32_t word)
{
    return (word & 0x8000) << 16 | (word & 0xff) << 23 | (word & 0x7f00) << 8;
}

static uint32_t high_bf16(uint32_t word)
{
    return word & 0xffff0000;
}

/* The destination of STOREIND: a row of the bank that the unpacker fills, and the first of four columns. */
struct src_place {
    struct src_register_file *src;
    int32_t row; /* negative: the four rows before SrcA's first one, which are dropped */
    uint32_t column;
};

static enum step src_place(struct tensix *tensix, unsigned thread, struct args_STOREIND args, struct src_place *place)
{
    struct tensix_state *state = tensix->state;
    const uint32_t *gpr = state->scalar.gpr[thread];
    bool to_b = args.RegSizeSel;
    uint32_t address = (gpr[args.AddrRegIndex] + (gpr_half(gpr, args.OffsetIndex) >> 4)) & 0xfffff;
    place->src = to_b ? &state->srcb : &state->srca;
    place->column = address % 4 * 4;
    place->row = (int32_t)(address >> 2) - (to_b ? 0 : 4);
    bool whole_bank = !to_b && CONFIG_GET(state->config.thread[thread], SRCA_SET_SetOvrdWithAddr);
    int32_t rows = whole_bank ? SRC_ROWS : 16;
    if (address > 0xffff || place->row >= rows) {
        enum step step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                                  "STOREIND: row %d of Src%c (address 0x%x), but there are %d", place->row,
                                  to_b ? 'B' : 'A', address, rows);
        place->row = -1;
        return step;
    }
    if (place->row >= 0 && !whole_bank) {
        place->row += place->src->unpacker_row[thread];
    }
    return STEP_DONE;
}

static enum step store_src(struct tensix *tensix, unsigned thread, struct args_STOREIND args)
{
    uint32_t *gpr = tensix->state->scalar.gpr[thread];
    struct src_place place;
    enum step step = src_place(tensix, thread, args, &place);
    if (step != STEP_DONE) {
        return step;
    }
    if (!src_unpacker_may_fill(place.src)) {
        return STEP_WAIT;
    }
    if (place.row >= 0) {
        const uint32_t *data = &gpr[args.DataRegIndex & ~(GPR_QUAD - 1u)];
        uint32_t *columns = &place.src->rows[place.src->unpacker_bank][place.row][place.column];
        place.src->zero[place.src->unpacker_bank] = false;
        columns[0] = low_bf16(data[0]);
        columns[1] = high_bf16(data[0]);
        columns[2] = low_bf16(data[1]);
        columns[3] = high_bf16(data[1]);
    }
    increment_offset(gpr, args.OffsetIndex, args.AutoIncSpec);
    return STEP_DONE;
}

void scalar_operands(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_rows *written)
{
    const struct args_STOREIND args = decode_STOREIND(word);
    struct src_place place;
    if (word >> 24 == TENSIX_OPCODE_STOREIND && !args.MemHierSel && !args.SizeSel &&
        src_place(tensix, thread, args, &place) == STEP_DONE && place.row >= 0) {
        operand_src_rows(written, args.RegSizeSel, place.src->unpacker_bank, (uint32_t)place.row, 1);
    }
}

enum step execute_STOREIND(struct tensix *tensix, unsigned thread, struct args_STOREIND args)
{
    if (args.MemHierSel) {
        return store_l1(tensix, thread, args);
    }
    return args.SizeSel ? store_mmio(tensix, thread, args) : store_src(tensix, thread, args);
}

enum step execute_LOADREG(struct tensix *tensix, unsigned thread, struct args_LOADREG args)
{
    uint32_t address = mmio_base + (args.RegAddr << 2);
    enum step step = check_mmio(tensix, "LOADREG", address);
    if (step != STEP_DONE || address < mmio_first) {
        return step;
    }
    uint32_t value = 0;
    step = bus_load(tensix, address, &value);
    if (step == STEP_DONE) {
        scalar_deliver(tensix, thread, args.TdmaDataRegIndex, &value, sizeof value);
    }
    return step;
}

enum step execute_STOREREG(struct tensix *tensix, unsigned thread, struct args_STOREREG args)
{
    uint32_t address = mmio_base + (args.RegAddr << 2);
    enum step step = check_mmio(tensix, "STOREREG", address);
    if (step != STEP_DONE || address < mmio_first) {
        return step;
    }
    return bus_store(tensix, address, tensix->state->scalar.gpr[thread][args.TdmaDataRegIndex]);
}

TENSIX_RUN(LOADIND)
TENSIX_RUN(STOREIND)
TENSIX_RUN(LOADREG)
TENSIX_RUN(STOREREG)
