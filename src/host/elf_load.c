/* Loading of ELF programs. */
#include "host/elf_load.h"
#include "bhemu/program.h"
#include "host/elf_file.h"
#include "noc/coordinates.h"
#include "util/fail.h"

#define MEM_LOCAL_BASE 0xFFB00000u

/* Those of Ethernet and DRAM tiles can only be reached by their cores. */
static const struct local_ram local_ram[BH_CORE_KINDS] = {
    [BH_CORE_B] = {0xFFB14000, 8192, 8192},  [BH_CORE_T0] = {0xFFB18000, 4096, 8192},
    [BH_CORE_T1] = {0xFFB1A000, 4096, 8192}, [BH_CORE_T2] = {0xFFB1C000, 4096, 8192},
    [BH_CORE_NC] = {0xFFB16000, 8192, 8192},
};

struct local_ram elf_local_ram(enum bh_core core)
{
    return local_ram[core];
}

/* The address at which a segment is loaded, as the NoC sees it. */
static enum bh_status place_segment(const struct elf_file *file, enum bh_core core, const GElf_Phdr *segment,
                                    uint32_t *address, struct bh_error *error)
{
    enum bh_status status = elf_check_segment(file, segment, error);
    if (status != BH_OK) {
        return status;
    }
    uint64_t first = segment->p_paddr, size = segment->p_memsz;
    if (first <= L1_BYTES && size <= L1_BYTES - first) {
        *address = (uint32_t)first;
        return BH_OK;
    }
    if (first >= MEM_LOCAL_BASE && first - MEM_LOCAL_BASE <= local_ram[core].size &&
        size <= local_ram[core].size - (first - MEM_LOCAL_BASE)) {
        *address = local_ram[core].base + (uint32_t)(first - MEM_LOCAL_BASE);
        return BH_OK;
    }
    return fail(error, BH_ERROR_ADDRESS,
                "%s: a segment at 0x%08llx of %llu bytes lies neither in L1 nor in the local RAM of core %s",
                file->path, (unsigned long long)first, (unsigned long long)size, bh_core_name(core));
}

static enum bh_status write_segment(const struct elf_file *file, struct bh_device *device, unsigned x, unsigned y,
                                    const GElf_Phdr *segment, uint64_t address)
{
    static const uint8_t zeroes[4096];
    enum bh_status status = BH_OK;
    if (segment->p_filesz) {
        status = bh_write(device, x, y, address, file->bytes + segment->p_offset, (uint32_t)segment->p_filesz);
    }
    for (uint64_t done = segment->p_filesz; status == BH_OK && done < segment->p_memsz;) {
        uint64_t left = segment->p_memsz - done;
        uint32_t part = left < sizeof zeroes ? (uint32_t)left : (uint32_t)sizeof zeroes;
        status = bh_write(device, x, y, address + done, zeroes, part);
        done += part;
    }
    return status;
}

static bool holds(const GElf_Phdr *segment, uint64_t address)
{
    return address >= segment->p_paddr && address - segment->p_paddr < segment->p_filesz;
}

/* Whether the tile at translated coordinates has the core. */
static bool has_core(unsigned x, unsigned y, enum bh_core core)
{
    enum { FIRST_ETHERNET = 20, LAST_ETHERNET = 31, ETHERNET_ROW = 25 };
    enum { FIRST_DRAM = 17, LAST_DRAM = 18, FIRST_DRAM_ROW = 12, LAST_DRAM_ROW = 23 };
    unsigned index;
    return core < BH_CORE_COUNT ? tensix_index(x, y, &index)
           : (unsigned)core == BH_CORE_DRISC
               ? x >= FIRST_DRAM && x <= LAST_DRAM && y >= FIRST_DRAM_ROW && y <= LAST_DRAM_ROW
               : x >= FIRST_ETHERNET && x <= LAST_ETHERNET && y == ETHERNET_ROW;
}

static enum bh_status load(const struct elf_file *file, struct bh_device *device, unsigned x, unsigned y,
                           enum bh_core core, uint32_t *entry, struct bh_error *error)
{
    GElf_Ehdr header;
    size_t count;
    const uint64_t l1 = (unsigned)core == BH_CORE_DRISC ? BH_DRISC_L1 : 0;
    if (!has_core(x, y, core)) {
        return fail(error, BH_ERROR_ARGUMENT, "%s: tile (%u,%u) has no core to run it", file->path, x, y);
    }
    enum bh_status status = elf_check_header(file, &header, error);
    if (status != BH_OK) {
        return status;
    }
    if (elf_getphdrnum(file->elf, &count) != 0 || count == 0) {
        return fail(error, BH_ERROR_FORMAT, "%s: no program headers: nothing to load", file->path);
    }
    if (header.e_entry >= L1_BYTES || header.e_entry % 4) {
        return fail(error, BH_ERROR_FORMAT, "%s: the entry point 0x%08llx is not an instruction in L1", file->path,
                    (unsigned long long)header.e_entry);
    }
    /* The first pass checks everything, so that a bad file leaves the device as it was. */
    bool entry_loaded = false;
    for (int writing = 0; writing < 2; writing++) {
        if (writing && !entry_loaded) {
            return fail(error, BH_ERROR_FORMAT, "%s: the entry point 0x%08llx lies in no segment", file->path,
                        (unsigned long long)header.e_entry);
        }
        for (size_t i = 0; i < count; i++) {
            GElf_Phdr segment;
            uint32_t address = 0;
            if (!gelf_getphdr(file->elf, (int)i, &segment)) {
                return fail(error, BH_ERROR_FORMAT, "%s: program header %zu is cut off", file->path, i);
            }
            if (!elf_is_loaded(file, i, &segment)) {
                continue;
            }
            entry_loaded |= holds(&segment, header.e_entry);
            status = place_segment(file, core, &segment, &address, error);
            if (status == BH_OK && writing) {
                status = write_segment(file, device, x, y, &segment, l1 + address);
                if (status != BH_OK) {
                    fail(error, status, "%s: writing to tile (%u,%u) failed: %s", file->path, x, y,
                         bh_status_name(status));
                }
            }
            if (status != BH_OK) {
                return status;
            }
        }
    }
    if (entry) {
        *entry = (uint32_t)header.e_entry;
    }
    return BH_OK;
}

enum bh_status bh_load_elf(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, const char *path,
                           uint32_t *entry, struct bh_error *error)
{
    if (!device || !path || (unsigned)core >= BH_CORE_KINDS) {
        return fail(error, BH_ERROR_ARGUMENT, "no device, no path, or no such core");
    }
    struct elf_file file;
    enum bh_status status = elf_open(&file, path, error);
    if (status == BH_OK) {
        status = load(&file, device, x, y, core, entry, error);
    }
    elf_close(&file);
    return status;
}

bool elf_overlaps(const char *path, uint64_t first, uint64_t end)
{
    struct elf_file file;
    size_t count = 0;
    bool overlaps = false;
    if (elf_open(&file, path, NULL) == BH_OK && elf_getphdrnum(file.elf, &count) == 0) {
        for (size_t i = 0; i < count; i++) {
            GElf_Phdr segment;
            overlaps |=
                elf_is_loaded(&file, i, &segment) && segment.p_paddr < end && first < segment.p_paddr + segment.p_memsz;
        }
    }
    elf_close(&file);
    return overlaps;
}

/* A segment of local RAM that ends where that does is, or contains, the stack. */
static bool is_data(const GElf_Phdr *segment, enum bh_core core)
{
    uint64_t offset = segment->p_vaddr - MEM_LOCAL_BASE;
    return segment->p_vaddr >= MEM_LOCAL_BASE && segment->p_memsz < local_ram[core].size &&
           offset < local_ram[core].size - segment->p_memsz;
}

enum bh_status elf_own(const char *path, unsigned x, unsigned y, enum bh_core core, bool moved, struct bh_check *check)
{
    struct elf_file file;
    size_t count = 0;
    enum bh_status status = BH_OK;
    if (elf_open(&file, path, NULL) != BH_OK || elf_getphdrnum(file.elf, &count) != 0) {
        count = 0;
    }
    for (size_t i = 0; status == BH_OK && i < count; i++) {
        GElf_Phdr segment;
        bool loaded = elf_is_loaded(&file, i, &segment), data = loaded && is_data(&segment, core);
        bool code = loaded && !moved && segment.p_flags & PF_X && segment.p_vaddr < L1_BYTES;
        if (code || data) {
            status = bh_check_own(check, &(struct bh_check_owned){.kind = code ? BH_CHECK_CODE : BH_CHECK_DATA,
                                                                  .x = (uint8_t)x,
                                                                  .y = (uint8_t)y,
                                                                  .space = code ? BH_SPACE_L1 : BH_SPACE_LOCAL_RAM,
                                                                  .cores = (uint8_t)(1 << core),
                                                                  .address = segment.p_vaddr,
                                                                  .size = segment.p_memsz});
        }
    }
    elf_close(&file);
    return status;
}
