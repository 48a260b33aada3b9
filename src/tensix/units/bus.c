#include "tensix/units/bus.h"

#include "tensix/units/state.h"

static const uint32_t noc_overlay_base = 0xffb40000;
static const uint32_t window = 0xffb00000, window_first = 0x11000, window_end = 0x80000; /* offsets in the window */

static enum step no_bus(const struct tensix *tensix, uint32_t address)
{
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED, "register 0x%08x: this coprocessor is connected to no tile",
                    address);
}

/* Tells observers of an access by the instruction that executes. */
static void tell(const struct tensix *tensix, bool write, uint32_t address, uint32_t value)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        const struct actor thread = {.agent = BH_AGENT_THREAD, .index = tensix->diagnostics->now.index};
        observed_access(tensix->observed, thread, BH_SPACE_REGISTER, write, address, sizeof value, &value);
    }
}

enum step bus_load(const struct tensix *tensix, uint32_t address, uint32_t *value)
{
    if (!tensix->bus.load) {
        return no_bus(tensix, address);
    }
    enum step step = tensix->bus.load(tensix->bus.context, address, value);
    if (step == STEP_DONE) {
        tell(tensix, false, address, *value);
    }
    return step;
}

enum step bus_store(const struct tensix *tensix, uint32_t address, uint32_t value)
{
    if (!tensix->bus.store) {
        return no_bus(tensix, address);
    }
    enum step step = tensix->bus.store(tensix->bus.context, address, value);
    if (step == STEP_DONE) {
        tell(tensix, true, address, value);
    }
    return step;
}

static uint32_t stream_register(uint32_t stream, uint32_t index)
{
    return noc_overlay_base + (stream * NOC_STREAM_REGISTERS + index) * 4;
}

enum step bus_load_stream(const struct tensix *tensix, uint32_t stream, uint32_t index, uint32_t *value)
{
    return bus_load(tensix, stream_register(stream, index), value);
}

enum step bus_store_stream(const struct tensix *tensix, uint32_t stream, uint32_t index, uint32_t value)
{
    return bus_store(tensix, stream_register(stream, index), value);
}

uint32_t bus_window_base(uint32_t addresses, unsigned second)
{
    return (addresses >> (20 + 2 * second) & 3) << 18 | (addresses >> (10 * second) & 0x3ff) << 2;
}

enum step bus_store_in_window(const struct tensix *tensix, const char *instruction, uint32_t offset, uint32_t value)
{
    if (offset < window_first) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%s to 0x%08x: set its base address, to 0x%08x or above", instruction, window + offset,
                        window + window_first);
    }
    return offset < window_end ? bus_store(tensix, window + offset, value) : STEP_DONE;
}
