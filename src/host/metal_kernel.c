#include "host/metal_kernel.h"

#include <string.h>

#include "util/fail.h"

/* One section's relocations, while the image is moved. */
struct move {
    const struct metal_kernel *kernel;
    uint8_t *image;
    uint32_t by; /* added to addresses of code */
    Elf_Data *relocations, *symbols;
    unsigned count;
    struct bh_error *error;
};

static bool in_text(const struct metal_kernel *kernel, uint64_t address)
{
    return address >= kernel->text.p_vaddr && address - kernel->text.p_vaddr <= kernel->text.p_memsz;
}

/* Segments come code first, and what is stored of each follows what is stored of the one before. */
static enum bh_status measure(struct metal_kernel *kernel, struct bh_error *error)
{
    const char *path = kernel->file.path;
    GElf_Ehdr header;
    size_t count;
    enum bh_status status = elf_check_header(&kernel->file, &header, error);
    if (status != BH_OK) {
        return status;
    }
    if (elf_getphdrnum(kernel->file.elf, &count) != 0) {
        count = 0;
    }
    kernel->size = 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!elf_is_loaded(&kernel->file, i, &segment)) {
            continue;
        }
        status = elf_check_segment(&kernel->file, &segment, error);
        if (status != BH_OK) {
            return status;
        }
        if (kernel->size == 0) {
            kernel->text = segment;
        }
        if (segment.p_filesz && segment.p_paddr != kernel->text.p_paddr + kernel->size) {
            return fail(error, BH_ERROR_FORMAT,
                        "%s: not a kernel for tt-metal's firmware: its segment at 0x%llx is not stored behind the one "
                        "before it",
                        path, (unsigned long long)segment.p_vaddr);
        }
        kernel->size += (uint32_t)(segment.p_filesz + 3) / 4 * 4;
        if (kernel->size > L1_BYTES) {
            return fail(error, BH_ERROR_FORMAT, "%s: larger than L1", path);
        }
    }
    if (kernel->size == 0 || header.e_entry != kernel->text.p_vaddr) {
        return fail(error, BH_ERROR_FORMAT,
                    "%s: not a kernel for tt-metal's firmware: its entry point is not where its first segment begins",
                    path);
    }
    return BH_OK;
}

enum bh_status metal_kernel_open(struct metal_kernel *kernel, const char *path, struct bh_error *error)
{
    enum bh_status status = elf_open(&kernel->file, path, error);
    return status == BH_OK ? measure(kernel, error) : status;
}

void metal_kernel_close(struct metal_kernel *kernel)
{
    elf_close(&kernel->file);
}

uint32_t metal_kernel_linked(const struct metal_kernel *kernel)
{
    return (uint32_t)kernel->text.p_vaddr;
}

/* Where in the image the word at an address of the program is; null when nothing of it is stored there. */
static uint8_t *stored(const struct move *move, uint64_t address)
{
    size_t count = 0;
    (void)elf_getphdrnum(move->kernel->file.elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (elf_is_loaded(&move->kernel->file, i, &segment) && address >= segment.p_vaddr &&
            address + 4 <= segment.p_vaddr + segment.p_filesz) {
            return move->image + (segment.p_paddr - move->kernel->text.p_paddr) + (address - segment.p_vaddr);
        }
    }
    return NULL;
}

static uint32_t load(const uint8_t *place)
{
    return place[0] | (uint32_t)place[1] << 8 | (uint32_t)place[2] << 16 | (uint32_t)place[3] << 24;
}

static void store(uint8_t *place, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        place[i] = (uint8_t)(word >> 8 * i);
    }
}

static void set_upper(uint8_t *place, uint32_t value)
{
    store(place, (load(place) & 0xfff) | ((value + 0x800) & 0xfffff000));
}

static void set_lower(uint8_t *place, uint32_t value, bool is_store)
{
    uint32_t word = load(place);
    store(place, is_store ? (word & 0x01fff07f) | (value & 0x1f) << 7 | (value >> 5 & 0x7f) << 25
                          : (word & 0x000fffff) | value << 20);
}

/* What a relocation refers to. */
struct target {
    uint32_t address; /* as linked */
    bool moves;
};

static struct target target_of(const struct move *move, const GElf_Rela *relocation)
{
    GElf_Sym symbol;
    GElf_Shdr header;
    struct target target = {.address = (uint32_t)relocation->r_addend};
    if (!gelf_getsym(move->symbols, (int)GELF_R_SYM(relocation->r_info), &symbol)) {
        return target;
    }
    target.address += (uint32_t)symbol.st_value;
    Elf_Scn *section = symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE
                           ? NULL
                           : elf_getscn(move->kernel->file.elf, symbol.st_shndx);
    target.moves = section && gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC &&
                   in_text(move->kernel, header.sh_addr);
    return target;
}

/* Finds the relocation of the AUIPC at an address of the program: near the `from`-th one, most likely before it. */
static bool find_upper(const struct move *move, unsigned from, uint64_t at, GElf_Rela *upper)
{
    for (unsigned i = 0; i < move->count; i++) {
        unsigned index = i <= from ? from - i : i;
        if (gelf_getrela(move->relocations, (int)index, upper) && upper->r_offset == at &&
            GELF_R_TYPE(upper->r_info) == R_RISCV_PCREL_HI20) {
            return true;
        }
    }
    return false;
}

/* What an AUIPC adds up to with its other half, after the move; false if the move does not change that. */
static bool moved_distance(const struct move *move, const GElf_Rela *upper, uint32_t *distance)
{
    struct target target = target_of(move, upper);
    *distance = target.address - (uint32_t)upper->r_offset - move->by;
    return !target.moves;
}

static enum bh_status relocate(const struct move *move, unsigned index, const GElf_Rela *relocation)
{
    GElf_Rela upper;
    struct target target = target_of(move, relocation);
    unsigned type = (unsigned)GELF_R_TYPE(relocation->r_info);
    uint8_t *place = stored(move, relocation->r_offset);
    uint32_t moved = target.address + move->by, distance;
    bool from_text = in_text(move->kernel, relocation->r_offset);
    if (!place) {
        return fail(move->error, BH_ERROR_FORMAT, "%s: a relocation for 0x%llx, where nothing is",
                    move->kernel->file.path, (unsigned long long)relocation->r_offset);
    }
    switch (type) {
    case R_RISCV_32:
        if (target.moves) {
            store(place, moved);
        }
        break;
    case R_RISCV_HI20:
        if (target.moves) {
            set_upper(place, moved);
        }
        break;
    case R_RISCV_LO12_I:
    case R_RISCV_LO12_S:
        if (target.moves) {
            set_lower(place, moved, type == R_RISCV_LO12_S);
        }
        break;
    case R_RISCV_PCREL_HI20:
        if (moved_distance(move, relocation, &distance)) {
            set_upper(place, distance);
        }
        break;
    case R_RISCV_PCREL_LO12_I:
    case R_RISCV_PCREL_LO12_S:
        if (!find_upper(move, index, target.address, &upper)) {
            return fail(move->error, BH_ERROR_FORMAT, "%s: the relocation at 0x%llx has no other half",
                        move->kernel->file.path, (unsigned long long)relocation->r_offset);
        }
        if (moved_distance(move, &upper, &distance)) {
            set_lower(place, distance, type == R_RISCV_PCREL_LO12_S);
        }
        break;
    case R_RISCV_JAL:
    case R_RISCV_BRANCH:
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT:
        if (!target.moves || !from_text) {
            return fail(move->error, BH_ERROR_FORMAT, "%s: the jump at 0x%llx leaves the kernel",
                        move->kernel->file.path, (unsigned long long)relocation->r_offset);
        }
        break;
    default: break; /* relative to gp, or differences: the move changes nothing */
    }
    return BH_OK;
}

/* Whether any of a section is in a segment: formats of DPRINT have addresses, but are not loaded. */
static bool is_loaded(const struct move *move, const GElf_Shdr *section)
{
    return section->sh_flags & SHF_ALLOC && section->sh_type != SHT_NOBITS && stored(move, section->sh_addr);
}

/* The relocations of a section that is loaded; false: it is something else. */
static bool begin_section(struct move *move, Elf_Scn *section)
{
    Elf *elf = move->kernel->file.elf;
    GElf_Shdr header, of;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_entsize == 0) {
        return false;
    }
    Elf_Scn *relocated = elf_getscn(elf, header.sh_info), *symbols = elf_getscn(elf, header.sh_link);
    if (!relocated || !gelf_getshdr(relocated, &of) || !is_loaded(move, &of)) {
        return false;
    }
    move->relocations = elf_getdata(section, NULL);
    move->symbols = symbols ? elf_getdata(symbols, NULL) : NULL;
    move->count = (unsigned)(header.sh_size / header.sh_entsize);
    return move->relocations && move->symbols;
}

enum bh_status metal_kernel_place(const struct metal_kernel *kernel, uint32_t address, uint8_t *image,
                                  struct bh_error *error)
{
    struct move move = {kernel, image, address - metal_kernel_linked(kernel), NULL, NULL, 0, error};
    size_t count = 0;
    bool found = false;
    memset(image, 0, kernel->size);
    (void)elf_getphdrnum(kernel->file.elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (elf_is_loaded(&kernel->file, i, &segment) && segment.p_filesz) {
            memcpy(image + (segment.p_paddr - kernel->text.p_paddr), kernel->file.bytes + segment.p_offset,
                   segment.p_filesz);
        }
    }
    if (move.by == 0) {
        return BH_OK;
    }
    enum bh_status status = BH_OK;
    for (Elf_Scn *section = NULL; status == BH_OK && (section = elf_nextscn(kernel->file.elf, section));) {
        if (!begin_section(&move, section)) {
            continue;
        }
        found = true;
        for (unsigned i = 0; status == BH_OK && i < move.count; i++) {
            GElf_Rela relocation;
            if (gelf_getrela(move.relocations, (int)i, &relocation)) {
                status = relocate(&move, i, &relocation);
            }
        }
    }
    if (status == BH_OK && !found) {
        return fail(error, BH_ERROR_FORMAT,
                    "%s: no relocations, and it is to run at 0x%x, not at 0x%x where it was linked: link it with "
                    "--emit-relocs",
                    kernel->file.path, address, metal_kernel_linked(kernel));
    }
    return status;
}
