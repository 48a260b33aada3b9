#include "tensix/bus.h"

#include "tensix/tensix.h"

static const uint32_t noc_overlay_base = 0xffb40000;

static enum step no_bus(const struct tensix *tensix, uint32_t address)
{
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED, "register 0x%08x: this coprocessor is connected to no tile",
                    address);
}

enum step bus_load(const struct tensix *tensix, uint32_t address, uint32_t *value)
{
    if (!tensix->bus.load) {
        return no_bus(tensix, address);
    }
    return tensix->bus.load(tensix->bus.context, address, value);
}

enum step bus_store(const struct tensix *tensix, uint32_t address, uint32_t value)
{
    if (!tensix->bus.store) {
        return no_bus(tensix, address);
    }
    return tensix->bus.store(tensix->bus.context, address, value);
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
