/* Dst in the address space of the T cores. RISC_DEST_ACCESS_CTRL_SEC[thread] selects the view: fmt the shape of the
   window, no_swizzle shows the bits in hardware's order, unsigned_int does not convert the sign. Rows have the numbers
   that all units use: remap_addrs and swizzle_32b permute the rows of all agents alike. An access must have the width
   of an element; T2 may access several elements at once. Source: ISA documentation Dst.md, "RISCV access to Dst". */
#include "observe/observed.h"
#include "tile/handlers.h"

enum dst_shape { DST_FLOAT32, DST_INT32, DST_FP16, DST_BF16, DST_INT16, DST_INT8, DST_SHAPES };

struct dst_window {
    struct dst_register_file *dst;
    enum dst_shape shape;
    bool no_swizzle, unsigned_int;
};

static unsigned element_size(enum dst_shape shape)
{
    return shape <= DST_INT32 ? 4 : shape <= DST_INT16 ? 2 : 1;
}

static struct dst_window window_of(struct tile *tile, unsigned agent)
{
    unsigned thread = thread_of(agent);
    struct tensix_state *tensix = &tile->state->tensix;
    (void)vector_let_time_pass(&tile->tensix, tile_clock(tile, agent));
    const uint32_t *config = config_bank(&tensix->config, thread);
    struct dst_window window = {.dst = &tensix->dst};
#define SECTION(i)                                                                                                     \
    case i:                                                                                                            \
        window.shape = CONFIG_GET(config, RISC_DEST_ACCESS_CTRL_SEC##i##_fmt);                                         \
        window.no_swizzle = CONFIG_GET(config, RISC_DEST_ACCESS_CTRL_SEC##i##_no_swizzle);                             \
        window.unsigned_int = CONFIG_GET(config, RISC_DEST_ACCESS_CTRL_SEC##i##_unsigned_int);                         \
        break;
    switch (thread) {
        SECTION(0)
        SECTION(1)
        SECTION(2)
    default: break;
    }
#undef SECTION
    return window;
}

static uint32_t read32(const struct dst_window *window, uint32_t element)
{
    uint32_t row = dst_row32(element / ROW_COLUMNS), column = element % ROW_COLUMNS;
    uint16_t high = 0, low = 0;
    if (window->dst->valid[row]) {
        high = window->dst->rows[row][column];
        low = window->dst->rows[row + DST_LOW_HALF][column];
    }
    uint32_t value = dst_join32(high, low);
    if (window->no_swizzle) {
        return (uint32_t)dst_to_hardware(high) << 16 | (value & 0xffff);
    }
    if (window->shape == DST_INT32 && value >= 0x80000000u) {
        value = -(value & 0x7fffffff);
    }
    return value;
}

static void write32(const struct dst_window *window, uint32_t element, uint32_t value)
{
    uint32_t row = dst_row32(element / ROW_COLUMNS), column = element % ROW_COLUMNS;
    if (window->shape == DST_INT32 && !window->no_swizzle && value >= 0x80000000u) {
        value = 0x80000000u | -(value + (value == 0x80000000u));
    }
    uint16_t high = dst_high_cell(value);
    window->dst->rows[row][column] = window->no_swizzle ? dst_from_hardware(high) : high;
    window->dst->rows[row + DST_LOW_HALF][column] = dst_low_cell(value);
    window->dst->valid[row] = 1;
}

static uint16_t read_datum(const struct dst_window *window, uint32_t element)
{
    uint32_t row = dst_place(window->dst, false, element / ROW_COLUMNS);
    return window->dst->valid[row] ? window->dst->rows[row][element % ROW_COLUMNS] : 0;
}

static void write_datum(const struct dst_window *window, uint32_t element, uint16_t datum)
{
    uint32_t row = dst_place(window->dst, false, element / ROW_COLUMNS);
    window->dst->rows[row][element % ROW_COLUMNS] = datum;
    window->dst->valid[row] = 1;
}

static uint16_t read16(const struct dst_window *window, uint32_t element)
{
    uint16_t datum = read_datum(window, element);
    if (window->shape == DST_INT16) {
        uint16_t value = dst_to_hardware(datum);
        bool negative = !window->no_swizzle && !window->unsigned_int && value >= 0x8000;
        return negative ? (uint16_t) - (value & 0x7fff) : value;
    }
    if (window->no_swizzle) {
        return dst_to_hardware(datum);
    }
    return window->shape == DST_FP16 ? dst_to_fp16(datum) : datum;
}

static void write16(const struct dst_window *window, uint32_t element, uint16_t value)
{
    if (window->shape == DST_INT16) {
        if (!window->no_swizzle && !window->unsigned_int && value >= 0x8000) {
            value = (uint16_t)(0x8000 | -(value + (value == 0x8000)));
        }
        write_datum(window, element, dst_from_hardware(value));
    } else if (window->no_swizzle) {
        write_datum(window, element, dst_from_hardware(value));
    } else {
        write_datum(window, element, window->shape == DST_FP16 ? dst_from_fp16(value) : value);
    }
}

static uint8_t read8(const struct dst_window *window, uint32_t element)
{
    uint16_t bits = dst_to_hardware(read_datum(window, element));
    if (window->no_swizzle || window->unsigned_int) {
        return (uint8_t)(bits >> 5);
    }
    uint8_t magnitude = bits >> 5 & 0x7f;
    return bits & 0x8000 ? (uint8_t)-magnitude : magnitude;
}

static void write8(const struct dst_window *window, uint32_t element, uint8_t value)
{
    uint16_t bits;
    if (window->no_swizzle || window->unsigned_int || value < 0x80) {
        bits = (uint16_t)(value << 5 | (value ? 16 : 0));
    } else {
        /* Intended as sign-magnitude, which hardware does not quite compute. */
        uint8_t magnitude = (uint8_t)(0x180 - value - (value == 0x80));
        bits = (uint16_t)(0x8000 | magnitude << 5 | 16);
    }
    write_datum(window, element, dst_from_hardware(bits));
}

/* Whether the access fits the window; otherwise *step is its result. */
static bool fits(const struct mmio_access *access, const struct dst_window *window, enum step *step)
{
    struct diagnostics *diagnostics = access->tile->tensix.diagnostics;
    unsigned thread = thread_of(access->agent);
    if (window->shape >= DST_SHAPES) {
        *step = diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                         "access by T%u to Dst while RISC_DEST_ACCESS_CTRL_SEC%u_fmt is %u, which is reserved", thread,
                         thread, window->shape);
        return false;
    }
    unsigned size = element_size(window->shape);
    if (access->size < size || (access->size > size && access->agent != BH_CORE_T2)) {
        *step = diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                         "access of %u byte%s by T%u to Dst while RISC_DEST_ACCESS_CTRL_SEC%u_fmt is %u: elements are "
                         "of %u byte%s",
                         access->size, access->size == 1 ? "" : "s", thread, thread, window->shape, size,
                         size == 1 ? "" : "s");
        return false;
    }
    uint32_t elements = size == 4 ? DST_ROWS / 2 * ROW_COLUMNS : DST_ROWS * ROW_COLUMNS;
    if (access->offset / size >= elements) {
        *step = mmio_nothing_there(access);
        return false;
    }
    return true;
}

/* The rows of the access; of 32 bits both that a row is kept in. */
static void tell_rows(const struct mmio_access *access, const struct dst_window *window, bool write)
{
    struct observed *observed = access->tile->tensix.observed;
    if (!observed_wants(observed, BH_EVENT_OPERAND)) {
        return;
    }
    unsigned size = element_size(window->shape);
    struct bh_event event = observed_event(observed, BH_EVENT_OPERAND);
    event.operand = (struct bh_operand){.file = BH_OPERAND_DST, .write = write, .unit = BH_UNIT_FRONTEND, .count = 1};
    event.operand.index = (uint16_t)dst_place(window->dst, size == 4, access->offset / size / ROW_COLUMNS);
    observed_tell(observed, &event);
    if (size == 4) {
        event.operand.index += DST_LOW_HALF;
        observed_tell(observed, &event);
    }
}

enum step dst_load(const struct mmio_access *access, uint32_t *value)
{
    struct dst_window window = window_of(access->tile, access->agent);
    enum step step;
    if (!fits(access, &window, &step)) {
        return step;
    }
    tell_rows(access, &window, false);
    unsigned size = element_size(window.shape);
    uint32_t first = access->offset / size;
    *value = 0;
    for (unsigned i = 0; i < access->size / size; i++) {
        uint32_t element = size == 4   ? read32(&window, first + i)
                           : size == 2 ? read16(&window, first + i)
                                       : read8(&window, first + i);
        *value |= element << 8 * size * i;
    }
    return STEP_DONE;
}

enum step dst_store(const struct mmio_access *access, uint32_t value)
{
    struct dst_window window = window_of(access->tile, access->agent);
    enum step step;
    if (!fits(access, &window, &step)) {
        return step;
    }
    tell_rows(access, &window, true);
    unsigned size = element_size(window.shape);
    uint32_t first = access->offset / size;
    if (size == 4) {
        write32(&window, first, value);
        return STEP_DONE;
    }
    for (unsigned i = 0; i < access->size / size; i++, value >>= 8 * size) {
        if (size == 2) {
            write16(&window, first + i, (uint16_t)value);
        } else {
            write8(&window, first + i, (uint8_t)value);
        }
    }
    return STEP_DONE;
}
