/* Parts of libttsim.so that accompany the device: a log, a trace, a debugger. Each is a file part_NAME.c, with
   environment variables of its own; libttsim.c lists them. What a part keeps is in its own file: there is one device.
 */
#ifndef BHEMU_ABI_PART_H
#define BHEMU_ABI_PART_H

#include "abi.h"
#include "bhemu/symbols.h"

struct abi_part {
    /* The device was created and nothing has run. A wrong variable: abi_fail(). */
    void (*begin)(struct abi *abi);
    /* Before the device is destroyed, or before the process ends because of a violation, so that files are whole. Must
       not call abi_fail(). */
    void (*end)(struct abi *abi);
};

extern const struct abi_part abi_symbols_part; /* the first: others ask it */
extern const struct abi_part abi_log_part;
extern const struct abi_part abi_print_part;
extern const struct abi_part abi_report_part;
extern const struct abi_part abi_profile_part;
extern const struct abi_part abi_trace_part;
extern const struct abi_part abi_dump_part;
extern const struct abi_part abi_gdb_part;
extern const struct abi_part abi_check_part;

/* Whenever time has passed, if abi->reports. */
void report_look(struct abi *abi);

/* Before time passes, if abi->debugs. */
void gdb_serve(struct abi *abi);

/* For options of observers, with the context `abi`, if abi->symbols: as their headers have them. */
bool symbols_source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size);
unsigned symbols_program(void *context, unsigned x, unsigned y, const struct bh_place *place);
bool symbols_program_source(void *context, unsigned program, const struct bh_place *place, char *buffer, unsigned size);

#endif
