/* libttsim.so needs the C library alone: libdw (elfutils), which reads DWARF, is loaded when BHEMU_SYMBOLS is set. This
   header is included in front of src/host/source_lines.c there (CMakeLists.txt), so that its calls go through pointers
   that libdw_load() sets. */
#ifndef BHEMU_ABI_LIBDW_CALLS_H
#define BHEMU_ABI_LIBDW_CALLS_H

#include <elfutils/libdw.h>
#include <gelf.h>

#define LIBDW_CALLS(CALL)                                                                                              \
    CALL(elf_begin)                                                                                                    \
    CALL(elf_cntl)                                                                                                     \
    CALL(elf_end)                                                                                                      \
    CALL(elf_getdata)                                                                                                  \
    CALL(elf_getphdrnum)                                                                                               \
    CALL(elf_getshdrstrndx)                                                                                            \
    CALL(elf_kind)                                                                                                     \
    CALL(elf_nextscn)                                                                                                  \
    CALL(elf_getdata_rawchunk)                                                                                         \
    CALL(elf_strptr)                                                                                                   \
    CALL(elf_version)                                                                                                  \
    CALL(gelf_getphdr)                                                                                                 \
    CALL(gelf_getshdr)                                                                                                 \
    CALL(gelf_getsym)                                                                                                  \
    CALL(dwarf_attr)                                                                                                   \
    CALL(dwarf_begin_elf)                                                                                              \
    CALL(dwarf_diename)                                                                                                \
    CALL(dwarf_end)                                                                                                    \
    CALL(dwarf_filesrc)                                                                                                \
    CALL(dwarf_formudata)                                                                                              \
    CALL(dwarf_getscopes)                                                                                              \
    CALL(dwarf_getscopes_die)                                                                                          \
    CALL(dwarf_getsrc_die)                                                                                             \
    CALL(dwarf_getsrcfiles)                                                                                            \
    CALL(dwarf_getsrclines)                                                                                            \
    CALL(dwarf_lineaddr)                                                                                               \
    CALL(dwarf_lineendsequence)                                                                                        \
    CALL(dwarf_lineno)                                                                                                 \
    CALL(dwarf_linesrc)                                                                                                \
    CALL(dwarf_nextcu)                                                                                                 \
    CALL(dwarf_offdie)                                                                                                 \
    CALL(dwarf_onesrcline)                                                                                             \
    CALL(dwarf_tag)

struct libdw_calls {
#define CALL(name) __typeof__(name) *name##_;
    LIBDW_CALLS(CALL)
#undef CALL
};
extern struct libdw_calls libdw_calls;

/* Null, or why it can not be loaded. */
const char *libdw_load(void);

#ifndef BHEMU_ABI_LIBRARY_LOADER
#define elf_begin libdw_calls.elf_begin_
#define elf_cntl libdw_calls.elf_cntl_
#define elf_end libdw_calls.elf_end_
#define elf_getdata libdw_calls.elf_getdata_
#define elf_getphdrnum libdw_calls.elf_getphdrnum_
#define elf_getshdrstrndx libdw_calls.elf_getshdrstrndx_
#define elf_kind libdw_calls.elf_kind_
#define elf_nextscn libdw_calls.elf_nextscn_
#define elf_getdata_rawchunk libdw_calls.elf_getdata_rawchunk_
#define elf_strptr libdw_calls.elf_strptr_
#define elf_version libdw_calls.elf_version_
#define gelf_getphdr libdw_calls.gelf_getphdr_
#define gelf_getshdr libdw_calls.gelf_getshdr_
#define gelf_getsym libdw_calls.gelf_getsym_
#define dwarf_attr libdw_calls.dwarf_attr_
#define dwarf_begin_elf libdw_calls.dwarf_begin_elf_
#define dwarf_diename libdw_calls.dwarf_diename_
#define dwarf_end libdw_calls.dwarf_end_
#define dwarf_filesrc libdw_calls.dwarf_filesrc_
#define dwarf_formudata libdw_calls.dwarf_formudata_
#define dwarf_getscopes libdw_calls.dwarf_getscopes_
#define dwarf_getscopes_die libdw_calls.dwarf_getscopes_die_
#define dwarf_getsrc_die libdw_calls.dwarf_getsrc_die_
#define dwarf_getsrcfiles libdw_calls.dwarf_getsrcfiles_
#define dwarf_getsrclines libdw_calls.dwarf_getsrclines_
#define dwarf_lineaddr libdw_calls.dwarf_lineaddr_
#define dwarf_lineendsequence libdw_calls.dwarf_lineendsequence_
#define dwarf_lineno libdw_calls.dwarf_lineno_
#define dwarf_linesrc libdw_calls.dwarf_linesrc_
#define dwarf_nextcu libdw_calls.dwarf_nextcu_
#define dwarf_offdie libdw_calls.dwarf_offdie_
#define dwarf_onesrcline libdw_calls.dwarf_onesrcline_
#define dwarf_tag libdw_calls.dwarf_tag_
#endif

#endif
