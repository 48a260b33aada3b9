#include "host/metal_firmware.h"

#include <stdio.h>
#include <string.h>

#include "host/elf_file.h"
#include "host/elf_symbol.h"
#include "noc/coordinates.h"
#include "util/fail.h"

enum { LOCAL_RAM = 0xFFB00000u, LOCAL_RAM_BYTES = 8192 };
enum { SOFT_RESET_0 = 0xFFB121B0u, ALL_IN_RESET = 0x47800, ALL_BUT_B_IN_RESET = 0x47000 };
enum { PC_SNAPSHOTS = 0xFFB13138u }; /* of B, NC, T0, T1, T2 */

static const uint32_t reset_pc_registers[BH_CORE_COUNT] = {
    [BH_CORE_T0] = 0xFFB12228, [BH_CORE_T1] = 0xFFB1222C, [BH_CORE_T2] = 0xFFB12230, [BH_CORE_NC] = 0xFFB12238};

static const enum metal_scratch local_images[BH_CORE_COUNT] = {[BH_CORE_B] = METAL_SCRATCH_LOCAL_B,
                                                               [BH_CORE_NC] = METAL_SCRATCH_LOCAL_NC,
                                                               [BH_CORE_T0] = METAL_SCRATCH_LOCAL_T0,
                                                               [BH_CORE_T1] = METAL_SCRATCH_LOCAL_T1,
                                                               [BH_CORE_T2] = METAL_SCRATCH_LOCAL_T2};

/* The size of a variable; 0 when there is no such symbol. */
static uint64_t symbol_size(Elf *elf, const char *name)
{
    GElf_Sym symbol;
    return elf_symbol(elf, name, &symbol) ? symbol.st_size : 0;
}

static enum bh_status find_banks(struct metal_firmware *firmware, Elf *elf, struct bh_error *error)
{
    const struct metal_board *board = &firmware->board;
    uint64_t dram = symbol_size(elf, "bank_to_dram_offset") / 4, l1 = symbol_size(elf, "bank_to_l1_offset") / 4;
    const char *path = firmware->paths[BH_CORE_B];
    if (dram > board->channels) {
        return fail(error, BH_ERROR_FORMAT, "%s: made for %u banks of DRAM; the board has %u", path, (unsigned)dram,
                    board->channels);
    }
    if (l1 > (uint64_t)board->columns * TENSIX_ROWS) {
        return fail(error, BH_ERROR_FORMAT, "%s: made for %u Tensix tiles; the board has %u", path, (unsigned)l1,
                    board->columns * TENSIX_ROWS);
    }
    firmware->dram_banks = dram ? (unsigned)dram : board->channels;
    firmware->l1_banks = l1 ? (unsigned)l1 : board->columns * TENSIX_ROWS;
    return BH_OK;
}

/* Messages and tables lie in the memory that is reserved, scratch memory behind it. */
static bool sensible(const struct metal_layout *layout)
{
    uint32_t mailboxes = layout->launch | layout->go | layout->go_index | layout->core_info;
    uint32_t scratch = METAL_SCRATCH_LOGICAL_TO_VIRTUAL + METAL_LOGICAL_COLUMNS + METAL_LOGICAL_ROWS;
    return layout->end % 16 == 0 && mailboxes % 4 == 0 && layout->end <= L1_BYTES - scratch &&
           (uint64_t)layout->launch + METAL_MESSAGES * metal_message_size(layout) <= layout->end &&
           layout->go < layout->end && layout->go_index < layout->end &&
           (uint64_t)layout->core_info + METAL_INFO_size <= layout->end;
}

static enum bh_status find_layout(struct metal_firmware *firmware, const struct metal_layout *given,
                                  const uint32_t entries[BH_CORE_COUNT], struct bh_error *error)
{
    const struct metal_layout *layout = given ? given : metal_layout_find(entries);
    if (!layout) {
        char known[400];
        return fail(
            error, BH_ERROR_FORMAT,
            "no version of tt-metal's firmware is known that begins at 0x%x, 0x%x, 0x%x, 0x%x, 0x%x (B, NC, T0, "
            "T1, T2); launch.layout of a job can say where it has its messages; known are %s",
            entries[BH_CORE_B], entries[BH_CORE_NC], entries[BH_CORE_T0], entries[BH_CORE_T1], entries[BH_CORE_T2],
            metal_layouts_known(known, sizeof known));
    }
    if (!sensible(layout)) {
        return fail(error, BH_ERROR_FORMAT,
                    "a layout whose messages are not in the reserved memory, [0, 0x%x), at multiples of 4, or whose "
                    "end is no multiple of 16 or leaves no room in L1",
                    layout->end);
    }
    firmware->layout = *layout;
    memcpy(firmware->layout.firmware, entries, sizeof firmware->layout.firmware);
    return BH_OK;
}

enum bh_status metal_firmware_open(struct metal_firmware *firmware, const char *const paths[BH_CORE_COUNT],
                                   const struct metal_layout *given, enum bh_board board, struct bh_error *error)
{
    uint32_t entries[BH_CORE_COUNT];
    enum bh_status status = BH_OK;
    *firmware = (struct metal_firmware){.board = metal_board_of(board)};
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        struct elf_file file;
        GElf_Ehdr header;
        firmware->paths[core] = paths[core];
        status = elf_open(&file, paths[core], error);
        if (status == BH_OK) {
            status = elf_check_header(&file, &header, error);
        }
        if (status == BH_OK) {
            entries[core] = (uint32_t)header.e_entry;
            status = core == BH_CORE_B ? find_banks(firmware, file.elf, error) : BH_OK;
        }
        elf_close(&file);
    }
    return status == BH_OK ? find_layout(firmware, given, entries, error) : status;
}

static enum bh_status write_word(struct bh_device *device, unsigned x, unsigned y, uint32_t address, uint32_t word)
{
    return bh_write(device, x, y, address, &word, sizeof word);
}

/* Where a segment goes: what is meant for local RAM to where the core itself takes it from. */
static enum bh_status place(const struct metal_firmware *firmware, enum bh_core core, const GElf_Phdr *segment,
                            uint32_t *address, struct bh_error *error)
{
    bool local = segment->p_paddr >= LOCAL_RAM && segment->p_paddr - LOCAL_RAM + segment->p_filesz <= LOCAL_RAM_BYTES;
    *address = (uint32_t)segment->p_paddr;
    if (local) {
        *address = firmware->layout.end + local_images[core] + (*address - LOCAL_RAM);
        return BH_OK;
    }
    if (segment->p_paddr >= L1_BYTES || segment->p_filesz > L1_BYTES - segment->p_paddr) {
        return fail(error, BH_ERROR_ADDRESS,
                    "%s: a segment at 0x%llx of %llu bytes lies neither in L1 nor in local RAM", firmware->paths[core],
                    (unsigned long long)segment->p_paddr, (unsigned long long)segment->p_filesz);
    }
    return BH_OK;
}

static enum bh_status upload(const struct metal_firmware *firmware, enum bh_core core, struct bh_device *device,
                             unsigned x, unsigned y, struct bh_error *error)
{
    struct elf_file file;
    size_t count = 0;
    enum bh_status status = elf_open(&file, firmware->paths[core], error);
    if (status == BH_OK && elf_getphdrnum(file.elf, &count) != 0) {
        status = fail(error, BH_ERROR_FORMAT, "%s: no program headers: nothing to load", firmware->paths[core]);
    }
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        GElf_Phdr segment;
        uint32_t address;
        if (!elf_is_loaded(&file, i, &segment) || segment.p_filesz == 0) {
            continue;
        }
        status = elf_check_segment(&file, &segment, error);
        if (status == BH_OK) {
            status = place(firmware, core, &segment, &address, error);
        }
        if (status == BH_OK) {
            status = bh_write(device, x, y, address, file.bytes + segment.p_offset, (uint32_t)segment.p_filesz);
        }
    }
    elf_close(&file);
    return status;
}

/* What B reads of the chip, and what it waits for: everything that is not a program. */
static enum bh_status write_tables(const struct metal_firmware *firmware, struct bh_device *device, unsigned x,
                                   unsigned y, unsigned logical_x, unsigned logical_y)
{
    const struct metal_layout *layout = &firmware->layout;
    uint8_t banks[METAL_BANK_TABLES_BYTES], columns_rows[METAL_LOGICAL_COLUMNS + METAL_LOGICAL_ROWS];
    uint8_t info[METAL_INFO_size];
    unsigned size = metal_bank_tables(firmware->dram_banks, firmware->l1_banks, banks);
    metal_logical_to_virtual(&firmware->board, columns_rows);
    metal_core_info(&firmware->board, layout, logical_x, logical_y, info);
    enum bh_status status = bh_write(device, x, y, layout->end + METAL_SCRATCH_BANK_TABLES, banks, size);
    if (status == BH_OK) {
        status =
            bh_write(device, x, y, layout->end + METAL_SCRATCH_LOGICAL_TO_VIRTUAL, columns_rows, sizeof columns_rows);
    }
    if (status == BH_OK) {
        status = bh_write(device, x, y, layout->core_info, info, sizeof info);
    }
    if (status == BH_OK) {
        static const uint8_t none[METAL_MESSAGES * METAL_MESSAGE_BYTES]; /* launches */
        status = bh_write(device, x, y, layout->launch, none, METAL_MESSAGES * metal_message_size(layout));
    }
    if (status == BH_OK) {
        status = write_word(device, x, y, layout->go_index, 0);
    }
    if (status == BH_OK) {
        status = write_word(device, x, y, layout->go, (uint32_t)METAL_SIGNAL_INIT << 8 * METAL_SIGNAL_BYTE);
    }
    return status;
}

static uint32_t jump_to(uint32_t address)
{
    return 0x6f | (address & 0xff000) | (address >> 11 & 1) << 20 | (address >> 1 & 0x3ff) << 21;
}

enum bh_status metal_firmware_boot(const struct metal_firmware *firmware, struct bh_device *device, unsigned x,
                                   unsigned y, struct bh_error *error)
{
    unsigned logical_x, logical_y;
    if (!metal_logical(&firmware->board, x, y, &logical_x, &logical_y)) {
        return fail(error, BH_ERROR_ARGUMENT, "no firmware can run on tile (%u,%u): it is no Tensix tile of the board",
                    x, y);
    }
    enum bh_status status = write_word(device, x, y, SOFT_RESET_0, ALL_IN_RESET);
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        status = upload(firmware, core, device, x, y, error);
    }
    if (status == BH_OK) {
        status = write_tables(firmware, device, x, y, logical_x, logical_y);
    }
    for (unsigned core = 0; status == BH_OK && core < BH_CORE_COUNT; core++) {
        if (reset_pc_registers[core]) {
            status = write_word(device, x, y, reset_pc_registers[core], firmware->layout.firmware[core]);
        }
    }
    if (status == BH_OK) {
        status = write_word(device, x, y, 0, jump_to(firmware->layout.firmware[BH_CORE_B]));
    }
    return status == BH_OK ? write_word(device, x, y, SOFT_RESET_0, ALL_BUT_B_IN_RESET) : status;
}

uint8_t metal_signal(const struct metal_firmware *firmware, struct bh_device *device, unsigned x, unsigned y)
{
    uint8_t signal = METAL_SIGNAL_INIT;
    (void)bh_read(device, x, y, firmware->layout.go + METAL_SIGNAL_BYTE, &signal, sizeof signal);
    return signal;
}

const char *metal_state(const struct metal_firmware *firmware, struct bh_device *device, unsigned x, unsigned y,
                        char *buffer, unsigned size)
{
    uint8_t signal = metal_signal(firmware, device, x, y), run[BH_CORE_COUNT - 1] = {};
    uint32_t pc[BH_CORE_COUNT] = {}, resets = 0;
    (void)bh_read(device, x, y, METAL_SUBORDINATE_SYNC, run, sizeof run);
    (void)bh_read(device, x, y, SOFT_RESET_0, &resets, sizeof resets);
    (void)bh_read(device, x, y, PC_SNAPSHOTS, pc, sizeof pc);
    int length = snprintf(buffer, size, "go message 0x%02x (%s); B at 0x%x", signal, metal_signal_name(signal), pc[0]);
    for (unsigned i = 1; i < BH_CORE_COUNT && length >= 0 && (unsigned)length < size; i++) {
        enum bh_core core = metal_core(i);
        static const uint8_t reset_bits[BH_CORE_COUNT] = {11, 12, 13, 14, 18};
        length += snprintf(buffer + length, size - (unsigned)length, ", %s 0x%02x (%s)", bh_core_name(core), run[i - 1],
                           metal_run_name(run[i - 1]));
        if ((unsigned)length < size) {
            length += resets >> reset_bits[core] & 1
                          ? snprintf(buffer + length, size - (unsigned)length, " in reset")
                          : snprintf(buffer + length, size - (unsigned)length, " at 0x%x", pc[i]);
        }
    }
    return buffer;
}
