/* Cores, as include/bhemu/device.h starts and stops them: through the registers of their tile. */
#include "chip/remote.h"
#include "tile/mmio.h"

static const uint32_t soft_reset_bits[BH_CORE_KINDS] = {
    [BH_CORE_B] = 1u << 11,  [BH_CORE_T0] = 1u << 12, [BH_CORE_T1] = 1u << 13, [BH_CORE_T2] = 1u << 14,
    [BH_CORE_NC] = 1u << 18, [BH_CORE_E0] = 1u << 11, [BH_CORE_E1] = 1u << 12, [BH_CORE_DRISC] = 1u << 11,
};

/* In one step: nothing happens between the read and the write. */
static enum bh_status change_bits(struct bh_device *device, unsigned x, unsigned y, uint32_t address, uint32_t clear,
                                  uint32_t set)
{
    uint32_t word;
    unsigned noc_x, noc_y, index;
    if (noc_translate(&device->translation, x, y, &noc_x, &noc_y) && tensix_index(noc_x, noc_y, &index) &&
        network_endpoint(&device->network, noc_x, noc_y)->read) {
        device_reach(device, index);
    }
    enum bh_status status = bh_read(device, x, y, address, &word, sizeof word);
    if (status != BH_OK) {
        return status;
    }
    word = (word & ~clear) | set;
    return bh_write(device, x, y, address, &word, sizeof word);
}

/* A jump to pc at address 0: `jal x0, pc` where that reaches, else `lui t0; jalr x0, t0`. */
static enum bh_status write_jump(struct bh_device *device, unsigned x, unsigned y, uint32_t pc)
{
    enum { LUI_T0 = 0x2b7, JALR_X0_T0 = 0x28067, JAL_X0 = 0x6f, JAL_REACH = 1 << 20 };
    uint32_t code[2];
    if (pc < JAL_REACH) {
        code[0] = JAL_X0 | (pc & 0xff000) | (pc >> 11 & 1) << 20 | (pc >> 1 & 0x3ff) << 21;
        return bh_write(device, x, y, 0, code, sizeof code[0]);
    }
    uint32_t low = pc & 0xfff, carry = (low & 0x800) << 1;
    code[0] = LUI_T0 | ((pc - low) + carry);
    code[1] = JALR_X0_T0 | low << 20;
    return bh_write(device, x, y, 0, code, sizeof code);
}

/* Tells the tile where a core is to start. */
static enum bh_status write_reset_pc(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, uint32_t pc)
{
    if (core >= BH_CORE_COUNT) {
        bool second = (unsigned)core == BH_CORE_E1;
        return bh_write(device, x, y, CORE_TILE_RESET_PC + (second ? CORE_TILE_RESET_PC_STRIDE : 0), &pc, sizeof pc);
    }
    if (core == BH_CORE_B) {
        return pc ? write_jump(device, x, y, pc) : BH_OK;
    }
    bool nc = core == BH_CORE_NC;
    unsigned thread = core - BH_CORE_T0;
    uint32_t address = nc ? MMIO_ADDRESS_NCRISC_RESET_PC : MMIO_ADDRESS_TRISC0_RESET_PC + 4 * thread;
    uint32_t enable = nc ? MMIO_ADDRESS_NCRISC_RESET_PC_OVERRIDE : MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE;
    enum bh_status status = bh_write(device, x, y, address, &pc, sizeof pc);
    return status == BH_OK ? change_bits(device, x, y, enable, 0, nc ? 1 : 1u << thread) : status;
}

enum bh_status bh_core_start(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, uint32_t pc)
{
    if (device_is_remote(device)) {
        return device_call(
            device, &(struct remote_call){.function = REMOTE_CORE_START, .x = x, .y = y, .core = core, .value = pc});
    }
    uint32_t end = core < BH_CORE_COUNT ? L1_SIZE : (unsigned)core == BH_CORE_DRISC ? DRISC_L1_SIZE : ETHERNET_L1_SIZE;
    enum bh_status status = pc % 4 || pc >= end ? BH_ERROR_ARGUMENT : bh_core_stop(device, x, y, core);
    if (status == BH_OK) {
        status = write_reset_pc(device, x, y, core, pc);
    }
    return status == BH_OK ? change_bits(device, x, y, MMIO_ADDRESS_SOFT_RESET_0, soft_reset_bits[core], 0) : status;
}

/* The tiles that have a core. */
static enum tile_kind kind_with(enum bh_core core)
{
    return core < BH_CORE_COUNT ? TILE_TENSIX : (unsigned)core == BH_CORE_DRISC ? TILE_DRAM : TILE_ETHERNET;
}

enum bh_status bh_core_stop(struct bh_device *device, unsigned x, unsigned y, enum bh_core core)
{
    unsigned noc_x, noc_y;
    if (device_is_remote(device)) {
        return device_call(device, &(struct remote_call){.function = REMOTE_CORE_STOP, .x = x, .y = y, .core = core});
    }
    if (!device || (unsigned)core >= BH_CORE_KINDS || !noc_translate(&device->translation, x, y, &noc_x, &noc_y) ||
        noc_tile_kind(noc_x, noc_y) != kind_with(core)) {
        return BH_ERROR_ARGUMENT;
    }
    return change_bits(device, x, y, MMIO_ADDRESS_SOFT_RESET_0, 0, soft_reset_bits[core]);
}
