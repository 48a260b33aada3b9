/* ATINCGET, ATINCGETPTR, ATSWAP, ATCAS: read, change and write back a few words of L1 in one step. Registers hold
   addresses in units of 16 bytes. MemHierSel is ignored: the documentation has only L1 for all four, and writes the
   bit as zero. Sources: ISA documentation ATINCGET.md, ATINCGETPTR.md, ATSWAP.md, ATCAS.md. */
#include "tensix/units/scalar/parts.h"

enum { WORDS_OF_16_BYTES = 4, GRANULES_OF_16_BYTES = 8 };

enum step execute_ATINCGET(struct tensix *tensix, unsigned thread, struct args_ATINCGET args)
{
    uint32_t *gpr = tensix->state->scalar.gpr[thread];
    uint32_t address = gpr[args.AddrRegIndex] * 16 + args.Sel32b * 4;
    enum step step = scalar_check_l1(tensix, "ATINCGET", address);
    if (step != STEP_DONE || address >= L1_SIZE) {
        return step;
    }
    uint32_t original = l1_read32(tensix->l1, scalar_actor, address);
    uint32_t mask = (2u << args.WrapVal) - 1;
    uint32_t incremented = original + gpr[args.DataRegIndex];
    l1_write32(tensix->l1, scalar_actor, address, (incremented & mask) | (original & ~mask));
    scalar_deliver(tensix, thread, args.DataRegIndex, &original, sizeof original);
    return STEP_DONE;
}

/* A FIFO of 2^(width - 1) elements in L1: its read counter, then its write counter, each of `width` bits. */
enum step execute_ATINCGETPTR(struct tensix *tensix, unsigned thread, struct args_ATINCGETPTR args)
{
    uint32_t *gpr = tensix->state->scalar.gpr[thread];
    uint32_t fifo = gpr[args.AddrRegIndex] * 16;
    enum step step = scalar_check_l1(tensix, "ATINCGETPTR", fifo);
    if (step != STEP_DONE || fifo >= L1_SIZE) {
        return step;
    }
    uint32_t size = l1_read32(tensix->l1, scalar_actor, fifo + 4) - l1_read32(tensix->l1, scalar_actor, fifo);
    uint32_t capacity = args.WrapVal ? 1u << (args.WrapVal - 1) : 0x8000;
    bool pushes = args.Sel32b & 1;
    if (pushes ? size != 0 && size % capacity == 0 : size == 0) {
        return STEP_WAIT; /* push to a full FIFO, or pop from an empty one */
    }
    uint32_t address = fifo + args.Sel32b * 4;
    uint32_t original = l1_read32(tensix->l1, scalar_actor, address);
    uint32_t mask = (1u << args.WrapVal) - 1;
    uint32_t incremented = original + (args.NoIncr ? 0 : 1u << args.IncrVal);
    l1_write32(tensix->l1, scalar_actor, address, (incremented & mask) | (original & ~mask));
    gpr[args.DataRegIndex] = original;
    return STEP_DONE;
}

/* SwapMask has a bit for each granule of 16 bits. SingleDataReg: writes one register to its own place among the four,
   and zeroes around it. Despite the name it does not swap: no register changes. */
enum step execute_ATSWAP(struct tensix *tensix, unsigned thread, struct args_ATSWAP args)
{
    const uint32_t *gpr = tensix->state->scalar.gpr[thread];
    uint32_t address = gpr[args.AddrRegIndex] * 16;
    enum step step = scalar_check_l1(tensix, "ATSWAP", address);
    if (step != STEP_DONE || address >= L1_SIZE) {
        return step;
    }
    uint32_t words[WORDS_OF_16_BYTES] = {};
    if (args.SingleDataReg) {
        words[args.DataRegIndex % WORDS_OF_16_BYTES] = gpr[args.DataRegIndex];
    } else {
        memcpy(words, &gpr[args.DataRegIndex & ~(GPR_QUAD - 1u)], sizeof words);
    }
    for (unsigned i = 0; i < GRANULES_OF_16_BYTES; i++) {
        if (args.SwapMask & (1u << i)) {
            uint16_t granule = gpr_half(words, i);
            l1_put(tensix->l1, scalar_actor, address + i * 2, &granule, sizeof granule);
        }
    }
    return STEP_DONE;
}

enum step execute_ATCAS(struct tensix *tensix, unsigned thread, struct args_ATCAS args)
{
    uint32_t address = tensix->state->scalar.gpr[thread][args.AddrRegIndex] * 16 + args.Sel32b * 4;
    enum step step = scalar_check_l1(tensix, "ATCAS", address);
    if (step != STEP_DONE || address >= L1_SIZE) {
        return step;
    }
    if (l1_read32(tensix->l1, scalar_actor, address) != args.CmpVal) {
        return STEP_WAIT;
    }
    l1_write32(tensix->l1, scalar_actor, address, args.SwapVal);
    return STEP_DONE;
}

TENSIX_RUN(ATINCGET)
TENSIX_RUN(ATINCGETPTR)
TENSIX_RUN(ATSWAP)
TENSIX_RUN(ATCAS)
