#include "tensix/units/explain_wait.h"

#include <stdio.h>

#include "isa/tensix_isa.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"

static int mutex(const struct sync_unit *sync, unsigned index, char *buffer, unsigned size)
{
    if (!sync_mutex_exists(index)) {
        return snprintf(buffer, size, "there is no mutex %u: nobody can end this wait", index);
    }
    unsigned owner = sync->mutex_owner[index];
    if (owner == MUTEX_FREE) {
        return snprintf(buffer, size, "mutex %u is free", index);
    }
    return snprintf(buffer, size, "mutex %u is held by T%u: only an ATRELM of that thread releases it", index, owner);
}

static int compare_and_swap(const struct tensix *tensix, const uint32_t *gpr, struct args_ATCAS args, char *buffer,
                            unsigned size)
{
    uint32_t address = gpr[args.AddrRegIndex] * 16 + args.Sel32b * 4;
    if (!l1_contains(address, 4)) {
        return 0;
    }
    return snprintf(buffer, size, "the word at 0x%05x of L1 is 0x%x, not %u: nobody has written it", address,
                    l1_load32(tensix->l1, address), args.CmpVal);
}

static int fifo(const struct tensix *tensix, const uint32_t *gpr, struct args_ATINCGETPTR args, char *buffer,
                unsigned size)
{
    uint32_t address = gpr[args.AddrRegIndex] * 16;
    if (!l1_contains(address, 8)) {
        return 0;
    }
    return snprintf(buffer, size, "the FIFO at 0x%05x of L1 is %s (read counter %u, write counter %u)", address,
                    args.Sel32b & 1 ? "full: nobody pops from it" : "empty: nobody pushes onto it",
                    l1_load32(tensix->l1, address), l1_load32(tensix->l1, address + 4));
}

static int store(const struct tensix_state *state, struct args_STOREIND args, char *buffer, unsigned size)
{
    if (args.MemHierSel || args.SizeSel) {
        return snprintf(buffer, size, "the register that it writes does not accept the write");
    }
    const struct src_register_file *src = args.RegSizeSel ? &state->srcb : &state->srca;
    if (src_unpacker_may_fill(src)) {
        return 0;
    }
    return snprintf(buffer, size,
                    "Src%c bank %u belongs to the matrix unit: nobody has given it back (CLEARDVALID, SETRWC or "
                    "clear_dvalid)",
                    args.RegSizeSel ? 'B' : 'A', src->unpacker_bank);
}

int explain_wait(const struct tensix *tensix, unsigned thread, uint32_t word, char *buffer, unsigned size)
{
    const struct tensix_state *state = tensix->state;
    const uint32_t *gpr = state->scalar.gpr[thread];
    switch (word >> 24) {
    case TENSIX_OPCODE_ATGETM: return mutex(&state->sync, decode_ATGETM(word).mutex_index, buffer, size);
    case TENSIX_OPCODE_ATRELM: return mutex(&state->sync, decode_ATRELM(word).mutex_index, buffer, size);
    case TENSIX_OPCODE_ATCAS: return compare_and_swap(tensix, gpr, decode_ATCAS(word), buffer, size);
    case TENSIX_OPCODE_ATINCGETPTR: return fifo(tensix, gpr, decode_ATINCGETPTR(word), buffer, size);
    case TENSIX_OPCODE_STOREIND: return store(state, decode_STOREIND(word), buffer, size);
    case TENSIX_OPCODE_STOREREG: return snprintf(buffer, size, "the register that it writes does not accept the write");
    case TENSIX_OPCODE_LOADREG:
    case TENSIX_OPCODE_STREAMWRCFG: return snprintf(buffer, size, "the register that it reads does not answer");
    default: return 0;
    }
}
