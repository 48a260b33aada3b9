/* TDMA-RISC: parameters and commands for the mover, the registers used by PACR_SETREG and UNPACR_NOP, and the packer's
   metadata of packed tiles. Blackhole has one packer: the registers of the other three are never used. A command is
   complete when its store is. So both queues are always empty, the mover is seen busy in timed mode only, and the
   hardware bug of commands that overtake the parameter queue can not happen. Source: ISA documentation TDMA-RISC.md. */
#include "tile/handlers.h"
#include "time/timing.h"
#include "util/bits.h"

enum { BASE = 0xFFB11000, TDMA_IN_RESET = 1 << 8 };
enum { COMMAND_MOVE = 0x40, COMMAND_WAIT = 0x46, COMMAND_WRITE_L1 = 0x66, COMMAND_NOP = 0x89 };
enum { COMMAND_COMPACT = 1u << 31, COMMAND_64_BITS = 0x100, COMMAND_WRITE_L1_MODE = 0x600 };
enum {
    STATUS_MOVER_BUSY = 1,
    STATUS_COMMANDS_EMPTY = 1 << 3,
    STATUS_PARAMETERS_EMPTY = 1 << 5,
    STATUS_ROOM_FOR_4_COMMANDS = 4 << 8
};

static uint32_t *word_at(struct tile *tile, uint32_t address)
{
    return &tile->state->registers.tdma[(address - BASE) / 4 % TDMA_REGISTERS];
}

static enum step undefined(const struct mmio_access *access, uint32_t command)
{
    return diagnose(access->tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "TDMA-RISC command 0x%08x: no such command; they are 0x40 (move), 0x46 (wait), 0x66 (write L1), "
                    "0x89 (nothing)",
                    command);
}

static enum step write_l1(const struct mmio_access *access, uint32_t command)
{
    struct tile *tile = access->tile;
    uint32_t address = *word_at(tile, MMIO_ADDRESS_TDMA_XMOV_SRC_ADDR);
    uint32_t size = command & COMMAND_64_BITS ? 8 : 4;
    if (command & COMMAND_COMPACT || (command & COMMAND_WRITE_L1_MODE) != COMMAND_WRITE_L1_MODE) {
        return undefined(access, command);
    }
    if (!l1_contains(address, size) || address % size) {
        return diagnose(tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "TDMA-RISC command 0x%08x writes %u bytes to 0x%08x, which is not an aligned address of L1",
                        command, size, address);
    }
    uint32_t data[2] = {*word_at(tile, MMIO_ADDRESS_TDMA_XMOV_SIZE), *word_at(tile, MMIO_ADDRESS_TDMA_XMOV_DIRECTION)};
    l1_put(&tile->l1, (struct actor){.agent = BH_AGENT_MOVER}, address, data, size);
    return STEP_DONE;
}

static enum step start(const struct mmio_access *access, struct mover_transfer transfer)
{
    struct tile *tile = access->tile;
    lag_settle(&tile->tensix, 1u << BUSY_MOVER, TENSIX_THREADS); /* one transfer after the other */
    if (tile->tensix.timed && access->agent < BH_CORE_COUNT) {
        mover_takes(&tile->tensix, transfer, clock_of(&tile->state->clock, access->agent) + TIMING_CORE_REQUEST);
    }
    return mover_move(&tile->tensix, transfer);
}

/* In timed mode. */
static bool mover_is_busy(const struct mmio_access *access)
{
    const struct tile_state *state = access->tile->state;
    return access->agent < BH_CORE_COUNT &&
           clock_of(&state->clock, access->agent) < state->tensix.timing.mover.ready.accepts;
}

/* Bits 15:8 of the command, the mover's number, are ignored: there is one mover. */
static enum step move(const struct mmio_access *access)
{
    struct tile *tile = access->tile;
    return start(access, mover_transfer_of(*word_at(tile, MMIO_ADDRESS_TDMA_XMOV_SRC_ADDR),
                                           *word_at(tile, MMIO_ADDRESS_TDMA_XMOV_DST_ADDR),
                                           *word_at(tile, MMIO_ADDRESS_TDMA_XMOV_SIZE),
                                           *word_at(tile, MMIO_ADDRESS_TDMA_XMOV_DIRECTION)));
}

/* A compact command contains its parameters: an offset to the core's base in 15:8, the destination in 23:16, the size
   in 29:24, and bit 30: to L1 rather than to configuration. */
static enum step move_compact(const struct mmio_access *access, uint32_t command)
{
    uint32_t source = access->tile->state->registers.tdma_command_base[access->agent] + bits_get(command, 8, 8);
    return start(access, mover_transfer_of(source, bits_get(command, 16, 8), bits_get(command, 24, 6),
                                           bits_get(command, 30, 1) ? XMOV_L1_TO_L1 : XMOV_L1_TO_L0));
}

static enum step command(const struct mmio_access *access, uint32_t command)
{
    switch (command & 0xff) {
    case COMMAND_WAIT:
    case COMMAND_NOP: return STEP_DONE;
    case COMMAND_WRITE_L1: return write_l1(access, command);
    case COMMAND_MOVE: return command & COMMAND_COMPACT ? move_compact(access, command) : move(access);
    default: return undefined(access, command);
    }
}

/* Registers that each packer has once, or once for each thread: 0x100 bytes a packer, 0x40 a thread. */
struct sideband {
    unsigned packer, thread;
    uint32_t address; /* address for packer 0 and thread 0 */
};

static bool is_sideband(uint32_t offset, struct sideband *sideband)
{
    *sideband = (struct sideband){offset / 0x100, offset % 0x100 / 0x40, BASE + offset % 0x40};
    bool exists = sideband->packer < 4 && sideband->thread < TENSIX_THREADS;
    switch (sideband->address) {
    case MMIO_ADDRESS_TDMA_PACKED_SIZE:
    case MMIO_ADDRESS_TDMA_ACC_PACKED_SIZE: return exists;
    case MMIO_ADDRESS_TDMA_ALL_ZERO_FLAGS:
    case MMIO_ADDRESS_TDMA_FIFO_PACKED_TILE_SIZE:
    case MMIO_ADDRESS_TDMA_FIFO_PACKED_TILE_ZEROMASK: return exists && sideband->thread == 0;
    case MMIO_ADDRESS_TDMA_SCALARS: return sideband->packer < 2 && sideband->thread == 0;
    default: return false;
    }
}

/* Sets the scalers of PACR_SETREG, nine bits each, from `first` on. */
static void set_scalers(struct tile_registers *registers, unsigned first, uint32_t value)
{
    for (unsigned i = first; i < 4 && i < first + 3; i++, value >>= 9) {
        registers->tdma_setreg_scaler[i] = value & 0x1ff;
    }
}

/* The packer of a metadata register; null for packers that Blackhole does not have, which never have metadata. */
static const struct pack_unit *packer_of(const struct mmio_access *access, struct sideband sideband)
{
    return sideband.packer == 0 ? &access->tile->state->tensix.pack : NULL;
}

/* Waits for metadata. */
static enum step peek_metadata(const struct pack_unit *pack, uint32_t *value)
{
    if (!pack || !pack->metadata_count) {
        return STEP_WAIT;
    }
    *value = pack->metadata[0].tile_size;
    return STEP_DONE;
}

static enum step pop_metadata(const struct mmio_access *access, struct sideband sideband, uint32_t *value)
{
    const struct pack_unit *pack = packer_of(access, sideband);
    *value = 0;
    if (!pack || !pack->metadata_count) {
        return diagnose(access->tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "load of 0x%08x pops metadata of packer %u, which has none: load 0x%08x before, which waits",
                        access->address, sideband.packer, access->address - 4);
    }
    *value = pack->metadata[0].all_zero_flags;
    pack_pop_metadata(&access->tile->state->tensix.pack);
    return STEP_DONE;
}

static enum step sideband_load(const struct mmio_access *access, struct sideband sideband, uint32_t *value)
{
    const struct tile_registers *registers = &access->tile->state->registers;
    const uint32_t *register_sums =
        access->tile->state->tensix.unpack.register_sum; /* one sum for each unpacker, of 17 bits */
    struct pack_status status = pack_status_read(&access->tile->tensix, sideband.packer, sideband.thread);
    switch (sideband.address) {
    case MMIO_ADDRESS_TDMA_PACKED_SIZE: *value = status.last_tile_size; return STEP_DONE;
    case MMIO_ADDRESS_TDMA_ACC_PACKED_SIZE:
        *value = status.accumulated_tile_size | register_sums[sideband.packer & 1] << 16;
        return STEP_DONE;
    case MMIO_ADDRESS_TDMA_ALL_ZERO_FLAGS: *value = status.all_zero_flags; return STEP_DONE;
    case MMIO_ADDRESS_TDMA_SCALARS:
        *value = registers->tdma_setreg_scaler[0] | registers->tdma_setreg_scaler[1] << 9 |
                 registers->tdma_setreg_scaler[2] << 18 | register_sums[sideband.packer] >> 16 << 31;
        return STEP_DONE;
    case MMIO_ADDRESS_TDMA_FIFO_PACKED_TILE_SIZE: return peek_metadata(packer_of(access, sideband), value);
    default: return pop_metadata(access, sideband, value);
    }
}

static enum step sideband_store(const struct mmio_access *access, struct sideband sideband, uint32_t value)
{
    switch (sideband.address) {
    case MMIO_ADDRESS_TDMA_PACKED_SIZE:
    case MMIO_ADDRESS_TDMA_ALL_ZERO_FLAGS:
    case MMIO_ADDRESS_TDMA_FIFO_PACKED_TILE_SIZE:
        return diagnose(access->tile->tensix.diagnostics, BH_NON_CONTRACTUAL,
                        "0x%08x (%s) is read-only: the store has no effect", access->address,
                        mmio_register_at(sideband.address)->meaning);
    case MMIO_ADDRESS_TDMA_ACC_PACKED_SIZE:
        pack_write_accumulated_tile_size(&access->tile->state->tensix.pack, value);
        return STEP_DONE;
    case MMIO_ADDRESS_TDMA_SCALARS: set_scalers(&access->tile->state->registers, 0, value); return STEP_DONE;
    default:
        if (packer_of(access, sideband)) {
            pack_pop_metadata(&access->tile->state->tensix.pack);
        }
        return STEP_DONE;
    }
}

enum step tdma_load(const struct mmio_access *access, uint32_t *value)
{
    struct tile *tile = access->tile;
    enum step step = synchronize(access, TRACK_TDMA_READ);
    if (step != STEP_DONE) {
        return step;
    }
    struct sideband sideband;
    if (is_sideband(access->offset, &sideband)) {
        return sideband_load(access, sideband, value);
    }
    bool handled;
    step = mmio_register_load(access, word_at(tile, access->address), value, &handled);
    if (handled) {
        return step;
    }
    switch (access->address) {
    case MMIO_ADDRESS_TDMA_STATUS:
        if (!tile->tensix.timed) { /* the mover is never seen busy */
            lag_settle(&tile->tensix, 1u << BUSY_MOVER, TENSIX_THREADS);
        }
        *value = STATUS_COMMANDS_EMPTY | STATUS_PARAMETERS_EMPTY | STATUS_ROOM_FOR_4_COMMANDS |
                 (mover_is_busy(access) ? STATUS_MOVER_BUSY : 0);
        break;
    case MMIO_ADDRESS_TDMA_XMOV_L1_BASE_ADDR: *value = tile->state->registers.tdma_command_base[access->agent]; break;
    case MMIO_ADDRESS_TDMA_FIFO_PACKED_TILE_STATUS:
        *value = *word_at(tile, access->address) << 8 | 0x54 | /* packers 1 to 3 never have any metadata */
                 (tile->state->tensix.pack.metadata_count == 0) |
                 (tile->state->tensix.pack.metadata_count == PACK_METADATA) << 1;
        break;
    default: *value = 0; break; /* parameters and command read as zero */
    }
    return STEP_DONE;
}

enum step tdma_store(const struct mmio_access *access, uint32_t value)
{
    struct tile *tile = access->tile;
    enum step step = synchronize(access, TRACK_TDMA_WRITE);
    if (step != STEP_DONE) {
        return step;
    }
    if (parts_in_reset(tile) & TDMA_IN_RESET) {
        return STEP_DONE; /* discarded: SoftReset.md */
    }
    struct sideband sideband;
    if (is_sideband(access->offset, &sideband)) {
        return sideband_store(access, sideband, value);
    }
    uint32_t *word = word_at(tile, access->address);
    bool handled;
    step = mmio_register_store(access, word, value, &handled);
    if (handled) {
        return step;
    }
    switch (access->address) {
    case MMIO_ADDRESS_TDMA_COMMAND_ADDR: return command(access, value);
    case MMIO_ADDRESS_TDMA_CLK_GATE_EN: *word = value & 0xffffff7f; break;
    case MMIO_ADDRESS_TDMA_CLK_GATE_HYST:
        *word = value & 0x01ff007f;
        set_scalers(&tile->state->registers, 3, value >> 16);
        break;
    case MMIO_ADDRESS_TDMA_XMOV_L1_BASE_ADDR: tile->state->registers.tdma_command_base[access->agent] = value; break;
    default: /* TDMA_FIFO_PACKED_TILE_STATUS */
        *word = value;
        pack_set_register_addresses(&tile->state->tensix.pack, value);
        break;
    }
    return STEP_DONE;
}
