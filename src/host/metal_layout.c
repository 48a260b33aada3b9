#include "host/metal_layout.h"

#include <stdio.h>
#include <string.h>

static const struct metal_layout layouts[] = {
#define METAL_LAYOUT(name, b, nc, t0, t1, t2, reserved_end, launch_messages, go_messages, index, info, message_form)   \
    {.version = name,                                                                                                  \
     .firmware = {[BH_CORE_B] = b, [BH_CORE_NC] = nc, [BH_CORE_T0] = t0, [BH_CORE_T1] = t1, [BH_CORE_T2] = t2},        \
     .end = reserved_end,                                                                                              \
     .launch = launch_messages,                                                                                        \
     .go = go_messages,                                                                                                \
     .go_index = index,                                                                                                \
     .core_info = info,                                                                                                \
     .form = METAL_##message_form},
#include "tt_metal.def"
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static const struct {
    uint8_t bytes, offset[METAL_FORMS];
} fields[] = {
#define METAL_FIELD(name, width, ...) {width, {__VA_ARGS__}},
#include "tt_metal.def"
};

static const struct {
    uint8_t size, kinds, mask;
} messages[METAL_FORMS] = {
#define METAL_MESSAGE(form, ...) {__VA_ARGS__},
#include "tt_metal.def"
};

static const enum bh_core cores[BH_CORE_COUNT] = {BH_CORE_B, BH_CORE_NC, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};

const struct metal_layout *metal_layout_find(const uint32_t entries[BH_CORE_COUNT])
{
    for (unsigned i = 0; i < LAYOUTS; i++) {
        if (memcmp(layouts[i].firmware, entries, sizeof layouts[i].firmware) == 0) {
            return &layouts[i];
        }
    }
    return NULL;
}

const char *metal_layouts_known(char *buffer, unsigned size)
{
    unsigned length = 0;
    buffer[0] = 0;
    for (unsigned i = 0; i < LAYOUTS; i++) {
        for (unsigned j = 0; j < BH_CORE_COUNT && length < size; j++) {
            length += (unsigned)snprintf(buffer + length, size - length, "%s0x%x",
                                         j   ? ", "
                                         : i ? "; "
                                             : "",
                                         layouts[i].firmware[cores[j]]);
        }
    }
    return buffer;
}

unsigned metal_message_size(const struct metal_layout *layout)
{
    return messages[layout->form].size;
}

unsigned metal_kinds(const struct metal_layout *layout)
{
    return messages[layout->form].kinds;
}

static unsigned field_bytes(const struct metal_layout *layout, enum metal_field field)
{
    return fields[field].bytes ? fields[field].bytes : messages[layout->form].mask;
}

unsigned metal_buffers(const struct metal_layout *layout)
{
    return field_bytes(layout, METAL_local_cb_mask) * 8;
}

void metal_put(const struct metal_layout *layout, uint8_t *message, enum metal_field field, unsigned index,
               uint64_t value)
{
    unsigned bytes = field_bytes(layout, field);
    uint8_t *place = message + fields[field].offset[layout->form] + index * bytes;
    for (unsigned i = 0; i < bytes; i++) {
        place[i] = (uint8_t)(value >> 8 * i);
    }
}

uint64_t metal_get(const struct metal_layout *layout, const uint8_t *message, enum metal_field field, unsigned index)
{
    unsigned bytes = field_bytes(layout, field);
    const uint8_t *place = message + fields[field].offset[layout->form] + index * bytes;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)place[i] << 8 * i;
    }
    return value;
}

unsigned metal_processor(enum bh_core core)
{
    static const uint8_t processors[BH_CORE_COUNT] = {
        [BH_CORE_B] = 0, [BH_CORE_NC] = 1, [BH_CORE_T0] = 2, [BH_CORE_T1] = 3, [BH_CORE_T2] = 4};
    return processors[core];
}

enum bh_core metal_core(unsigned processor)
{
    return cores[processor];
}

struct name {
    uint8_t value;
    const char *text;
};

static const struct name signals[] = {
#define METAL_SIGNAL(name, value) {value, #name},
#include "tt_metal.def"
};

static const struct name run_states[] = {
#define METAL_RUN(name, value) {value, #name},
#include "tt_metal.def"
};

static const char *find_name(const struct name *names, unsigned count, uint8_t value)
{
    for (unsigned i = 0; i < count; i++) {
        if (names[i].value == value) {
            return names[i].text;
        }
    }
    return "?";
}

const char *metal_signal_name(uint8_t value)
{
    return find_name(signals, sizeof signals / sizeof *signals, value);
}

const char *metal_run_name(uint8_t value)
{
    return find_name(run_states, sizeof run_states / sizeof *run_states, value);
}
