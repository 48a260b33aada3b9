/* How structs lie in memory, from the debugging information of the test itself, which has to be compiled with -g. */
#ifndef BHEMU_TESTS_SNAPSHOT_LAYOUT_H
#define BHEMU_TESTS_SNAPSHOT_LAYOUT_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct layout {
    Dwarf *dwarf;
    int file;
};

static inline bool layout_open(struct layout *layout)
{
    layout->file = open("/proc/self/exe", O_RDONLY);
    layout->dwarf = layout->file < 0 ? NULL : dwarf_begin(layout->file, DWARF_C_READ);
    return layout->dwarf != NULL;
}

static inline void layout_close(struct layout *layout)
{
    dwarf_end(layout->dwarf);
    close(layout->file);
}

/* A member that is no struct, or an array of such members. */
struct layout_leaf {
    const char *path; /* "core[3].pc" */
    uint64_t offset, size;
    bool pointer;
};

typedef void layout_visit(void *context, const struct layout_leaf *leaf);

static inline uint64_t layout_number(Dwarf_Die *die, unsigned name, uint64_t other)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : other;
}

static inline bool layout_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die found;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &found)) {
        return false;
    }
    return dwarf_peel_type(&found, type) == 0;
}

/* How many elements an array has. */
static inline uint64_t layout_count(Dwarf_Die *array)
{
    Dwarf_Die child;
    uint64_t count = 1;
    bool more = dwarf_child(array, &child) == 0;
    for (; more; more = dwarf_siblingof(&child, &child) == 0) {
        uint64_t none = UINT64_MAX, last = layout_number(&child, DW_AT_upper_bound, none);
        count *= layout_number(&child, DW_AT_count, last == none ? 0 : last + 1);
    }
    return count;
}

static inline void layout_walk(Dwarf_Die *type, const char *path, uint64_t offset, layout_visit *visit, void *context)
{
    char inner[512];
    Dwarf_Die child;
    int tag = dwarf_tag(type);
    if (tag == DW_TAG_array_type) {
        Dwarf_Word size;
        uint64_t count = layout_count(type);
        if (!layout_type(type, &child) || dwarf_aggregate_size(&child, &size) != 0) {
            return;
        }
        int of = dwarf_tag(&child);
        if (of == DW_TAG_base_type || of == DW_TAG_enumeration_type) {
            const struct layout_leaf leaf = {path, offset, size * count, false};
            visit(context, &leaf);
            return;
        }
        for (uint64_t i = 0; i < count; i++) {
            snprintf(inner, sizeof inner, "%s[%u]", path, (unsigned)i);
            layout_walk(&child, inner, offset + i * size, visit, context);
        }
    } else if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type) {
        bool more = dwarf_child(type, &child) == 0;
        for (; more; more = dwarf_siblingof(&child, &child) == 0) {
            Dwarf_Die member;
            const char *name = dwarf_diename(&child);
            if (dwarf_tag(&child) == DW_TAG_member && layout_type(&child, &member)) {
                uint64_t bits = layout_number(&child, DW_AT_data_bit_offset, 0);
                snprintf(inner, sizeof inner, "%s%s%s", path, *path && name ? "." : "", name ? name : "");
                layout_walk(&member, inner, offset + layout_number(&child, DW_AT_data_member_location, bits / 8), visit,
                            context);
            }
        }
    } else {
        Dwarf_Word size;
        const struct layout_leaf leaf = {path, offset, dwarf_aggregate_size(type, &size) == 0 ? size : 8,
                                         tag == DW_TAG_pointer_type};
        visit(context, &leaf);
    }
}

/* The struct with a name. */
static inline bool layout_find(const struct layout *layout, const char *name, Dwarf_Die *found)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    for (; dwarf_nextcu(layout->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0; offset = next) {
        Dwarf_Die unit;
        bool more = dwarf_offdie(layout->dwarf, offset + header, &unit) && dwarf_child(&unit, found) == 0;
        for (; more; more = dwarf_siblingof(found, found) == 0) {
            const char *own = dwarf_diename(found);
            if (dwarf_tag(found) == DW_TAG_structure_type && own && !strcmp(own, name) && dwarf_bytesize(found) > 0) {
                return true;
            }
        }
    }
    return false;
}

/* Calls visit() with the members of a struct, whatever they are. Returns its size; 0: there is none of that name. */
static inline uint64_t layout_members(const struct layout *layout, const char *name, layout_visit *visit, void *context)
{
    Dwarf_Die found, child, type;
    if (!layout_find(layout, name, &found)) {
        return 0;
    }
    bool more = dwarf_child(&found, &child) == 0;
    for (; more; more = dwarf_siblingof(&child, &child) == 0) {
        Dwarf_Word size;
        if (dwarf_tag(&child) == DW_TAG_member && layout_type(&child, &type)) {
            const struct layout_leaf leaf = {
                dwarf_diename(&child), layout_number(&child, DW_AT_data_member_location, 0),
                dwarf_aggregate_size(&type, &size) == 0 ? size : 0, dwarf_tag(&type) == DW_TAG_pointer_type};
            visit(context, &leaf);
        }
    }
    return (uint64_t)dwarf_bytesize(&found);
}

/* Calls visit() with all of a struct. Returns its size; 0: there is none of that name. */
static inline uint64_t layout_of(const struct layout *layout, const char *name, layout_visit *visit, void *context)
{
    Dwarf_Die found;
    if (!layout_find(layout, name, &found)) {
        return 0;
    }
    layout_walk(&found, "", 0, visit, context);
    return (uint64_t)dwarf_bytesize(&found);
}

#endif
