/* The numbers of tables/tt_metal.def: where tt-metal's firmware has what, version by version. */
#ifndef BHEMU_HOST_METAL_LAYOUT_H
#define BHEMU_HOST_METAL_LAYOUT_H

#include <stdint.h>

#include "bhemu/diagnostic.h"

enum metal_form {
#define METAL_MESSAGE(form, size, kinds, mask) METAL_##form,
#include "tt_metal.def"
    METAL_FORMS
};

enum metal_field {
#define METAL_FIELD(name, bytes, in_short, in_long, in_four, in_threaded) METAL_##name,
#include "tt_metal.def"
};

enum metal_scratch {
#define METAL_SCRATCH(name, offset) METAL_SCRATCH_##name = (offset),
#include "tt_metal.def"
};

enum metal_info {
#define METAL_INFO(name, offset) METAL_INFO_##name = (offset),
#include "tt_metal.def"
};

enum metal_signal {
#define METAL_SIGNAL(name, value) METAL_SIGNAL_##name = (value),
#include "tt_metal.def"
};

enum metal_run {
#define METAL_RUN(name, value) METAL_RUN_##name = (value),
#include "tt_metal.def"
};

enum {
    METAL_MESSAGE_BYTES = 128,      /* the longest form */
    METAL_MESSAGES = 8,             /* launch messages in their ring */
    METAL_SUBORDINATE_SYNC = 0x68,  /* run states of NC, T0, T1, T2, a byte each */
    METAL_LAUNCH_READ_PTR = 0x6c,   /* which launch message firmware takes next */
    METAL_SIGNAL_BYTE = 3,          /* of a go message */
    METAL_BANK_TABLES_BYTES = 2048, /* room for them */
};

struct metal_layout {
    const char *version;
    uint32_t firmware[BH_CORE_COUNT]; /* entry points */
    uint32_t end, launch, go, go_index, core_info;
    enum metal_form form;
};

/* The layout of firmware with these entry points; null: none that is known. */
const struct metal_layout *metal_layout_find(const uint32_t entries[BH_CORE_COUNT]);

/* "0x3840, 0x5440, ..." of B, NC, T0, T1, T2 for each layout that is known. Returns buffer. */
const char *metal_layouts_known(char *buffer, unsigned size);

unsigned metal_message_size(const struct metal_layout *layout);

/* Kinds of cores that a launch message has configurations for; Tensix tiles are the first. */
unsigned metal_kinds(const struct metal_layout *layout);

/* Circular buffers that a launch message can name. */
unsigned metal_buffers(const struct metal_layout *layout);

/* Writes element `index` of a field. */
void metal_put(const struct metal_layout *layout, uint8_t *message, enum metal_field field, unsigned index,
               uint64_t value);

/* Reads element `index` of a field. */
uint64_t metal_get(const struct metal_layout *layout, const uint8_t *message, enum metal_field field, unsigned index);

/* A core's number in tt-metal: B, NC, T0, T1, T2. */
unsigned metal_processor(enum bh_core core);
enum bh_core metal_core(unsigned processor);

/* The name of a signal or a run state; "?" when it is none. */
const char *metal_signal_name(uint8_t value);
const char *metal_run_name(uint8_t value);

#endif
