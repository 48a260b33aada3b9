#include "host/metal_print_enum.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 32 }; /* scopes in one another */

static void add_enumerator(struct metal_enumeration *enumeration, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword value;
    const char *name = dwarf_diename(die);
    struct metal_enumerator *more =
        realloc(enumeration->enumerators, (enumeration->count + 1) * sizeof *enumeration->enumerators);
    if (!more) {
        return;
    }
    enumeration->enumerators = more;
    if (name && dwarf_formsdata(dwarf_attr(die, DW_AT_const_value, &attribute), &value) == 0 &&
        (more[enumeration->count].name = strdup(name))) {
        more[enumeration->count++].value = value;
    }
}

/* What of the name is left behind a scope and its "::"; null: the name is in another scope. */
static const char *enter(const char *name, const char *scope)
{
    size_t length = strlen(scope);
    return strncmp(name, scope, length) == 0 && strncmp(name + length, "::", 2) == 0 ? name + length + 2 : NULL;
}

/* Searches the children of a die for an enumeration. */
static bool find(struct metal_enumeration *enumeration, Dwarf_Die *parent, const char *name, unsigned depth)
{
    Dwarf_Die die, child;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0) {
        return false;
    }
    do {
        int tag = dwarf_tag(&die);
        const char *its = dwarf_diename(&die);
        if (tag == DW_TAG_enumeration_type && its && strcmp(its, name) == 0 && dwarf_child(&die, &child) == 0) {
            do {
                add_enumerator(enumeration, &child);
            } while (dwarf_siblingof(&child, &child) == 0);
            return true;
        }
        bool scope = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
        const char *rest = scope && its ? enter(name, its) : NULL;
        bool within = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
        if ((rest && find(enumeration, &die, rest, depth + 1)) ||
            (within && find(enumeration, &die, name, depth + 1))) {
            return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

static void read_dwarf(struct metal_enumeration *enumeration, Dwarf *dwarf)
{
    Dwarf_Off offset = 0, next;
    size_t header_size;
    Dwarf_Die unit;
    while (dwarf_nextcu(dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
        if (dwarf_offdie(dwarf, offset + header_size, &unit) && find(enumeration, &unit, enumeration->name, 0)) {
            return;
        }
        offset = next;
    }
}

struct metal_enumeration *metal_enumeration_read(const char *path, const char *name, unsigned size)
{
    struct metal_enumeration *enumeration = calloc(1, sizeof *enumeration);
    if (!enumeration || !(enumeration->name = strndup(name, size))) {
        free(enumeration);
        return NULL;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
    if (dwarf) {
        read_dwarf(enumeration, dwarf);
        dwarf_end(dwarf);
    }
    if (file >= 0) {
        close(file);
    }
    return enumeration;
}

void metal_enumeration_free(struct metal_enumeration *enumeration)
{
    for (unsigned i = 0; i < enumeration->count; i++) {
        free(enumeration->enumerators[i].name);
    }
    free(enumeration->enumerators);
    free(enumeration->name);
    free(enumeration);
}

static void add_name(struct print_text *text, const struct metal_enumeration *enumeration, const char *name, bool full)
{
    print_text_addf(text, "%s%s%s", full ? enumeration->name : "", full ? "::" : "", name);
}

void metal_enumeration_add(struct print_text *text, const struct metal_enumeration *enumeration, int64_t value,
                           bool flags, bool full)
{
    bool any = false;
    flags &= value != 0;
    for (unsigned i = 0; i < enumeration->count && (flags || !any); i++) {
        const struct metal_enumerator *enumerator = &enumeration->enumerators[i];
        bool has =
            flags ? enumerator->value && (value & enumerator->value) == enumerator->value : value == enumerator->value;
        if (has) {
            print_text_add(text, " | ", any ? 3 : 0);
            add_name(text, enumeration, enumerator->name, full);
            value &= flags ? ~enumerator->value : value;
            any = true;
        }
    }
    if (!any || (flags && value)) {
        print_text_addf(text, "%s(%s)%lld", any ? " | " : "", enumeration->name, (long long)value);
    }
}
