#include "host/source_names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include "host/source_lines.h"

/* Functions of a unit, of a namespace or of a type; an inlined one is there, too, for all places into which it was. */
static void tell_functions(Dwarf_Die *parent, unsigned depth, source_each_name *each, void *context)
{
    enum { DEEPEST = 8 };
    Dwarf_Die die;
    for (int more = dwarf_child(parent, &die); more == 0 && depth < DEEPEST; more = dwarf_siblingof(&die, &die)) {
        const char *name = dwarf_tag(&die) == DW_TAG_subprogram ? dwarf_diename(&die) : NULL;
        if (name) {
            each(context, name);
        } else {
            tell_functions(&die, depth + 1, each, context);
        }
    }
}

static void tell_symbols(Elf *elf, source_each_name *each, void *context)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        bool symbols = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB && header.sh_entsize;
        Elf_Data *data = symbols ? elf_getdata(section, NULL) : NULL;
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            unsigned type = GELF_ST_TYPE(symbol.st_info);
            const char *name =
                type == STT_FUNC || type == STT_NOTYPE ? elf_strptr(elf, header.sh_link, symbol.st_name) : NULL;
            if (name && *name && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS) {
                each(context, name);
            }
        }
    }
}

static void tell_units(Elf *elf, source_each_name *each, void *context)
{
    Dwarf *dwarf = source_strings_end(elf) ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    Dwarf_Off offset = 0, next;
    size_t header_size;
    while (dwarf && dwarf_nextcu(dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header_size, &unit)) {
            tell_functions(&unit, 0, each, context);
        }
        offset = next;
    }
    if (dwarf) {
        dwarf_end(dwarf);
    }
}

bool source_functions(const char *elf_path, source_each_name *each, void *context)
{
    elf_version(EV_CURRENT);
    int descriptor = open(elf_path, O_RDONLY | O_CLOEXEC);
    Elf *elf = descriptor >= 0 ? elf_begin(descriptor, ELF_C_READ, NULL) : NULL;
    bool is_elf = elf && elf_kind(elf) == ELF_K_ELF;
    if (is_elf) {
        tell_units(elf, each, context);
        tell_symbols(elf, each, context);
    }
    if (elf) {
        elf_end(elf);
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return is_elf;
}
