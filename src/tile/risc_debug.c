#include "tile/risc_debug.h"

#include "rv32/debug.h"
#include "util/bits.h"

enum { DR_BITS = 11, IS_WRITE_SHIFT = 16, CORE_SHIFT = 17, CORE_BITS = 2 };
enum { ECHO_WRITE_SHIFT = 13 };
#define TRIGGER (1u << 31)
#define VALUE_VALID (1u << 30)

unsigned risc_debug_core(uint32_t value)
{
    return bits_get(value, CORE_SHIFT, CORE_BITS);
}

enum step risc_debug_write(const struct risc_debug *registers, uint32_t value, struct rv32 *core, bool listens)
{
    uint32_t index = bits_get(value, 0, DR_BITS);
    bool is_write = value >> IS_WRITE_SHIFT & 1, triggers = value & ~*registers->control_0 & TRIGGER;
    uint32_t valid = *registers->status_0 & VALUE_VALID;
    if (triggers && is_write) {
        if (core && listens && rv32_debug_write(core, index, *registers->control_1) == STEP_STOP) {
            return STEP_STOP;
        }
        valid = 0;
    } else if (triggers) {
        *registers->status_1 = core ? rv32_debug_read(core, index) : 0;
        valid = VALUE_VALID;
    }
    *registers->control_0 = value;
    *registers->status_0 =
        index | (uint32_t)is_write << risc_debug_core(value) << ECHO_WRITE_SHIFT | valid | (value & TRIGGER);
    return STEP_DONE;
}
