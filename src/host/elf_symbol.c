#include "host/elf_symbol.h"

#include <string.h>

bool elf_symbol(Elf *elf, const char *name, GElf_Sym *symbol)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) {
            continue;
        }
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getsym(data, i, symbol); i++) {
            const char *candidate = elf_strptr(elf, header.sh_link, symbol->st_name);
            if (candidate && strcmp(candidate, name) == 0) {
                return true;
            }
        }
    }
    return false;
}
