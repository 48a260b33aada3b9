/* Entry points of libttsim.so: the vendor's C ABI over the public API. */
#include "libttsim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

enum {
    CLOCK_MINIMUM = 64,              /* a host that polls with clock(1) wants to see progress */
    DEADLOCK_PATIENCE = 1000 * 1000, /* clocks without any event, and without a write of the host, before giving up */
    EXISTING_DEVICES = 1,
    LINE_SIZE = 1000,
};

/* The ABI has no handle: there is one device. */
static struct abi the_abi;

/* The one line of a violation is the last thing that the process says. */
static _Noreturn void end_process(const char *line)
{
    fprintf(stderr, "libttsim: %s\n", line);
    fflush(NULL);
    _Exit(1);
}

_Noreturn void abi_fail(const char *category, const char *format, ...)
{
    char line[LINE_SIZE];
    int length = snprintf(line, sizeof line, "error: %s: ", category);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
    va_end(arguments);
    end_process(line);
}

static struct abi *running_abi(const char *function)
{
    if (!the_abi.device) {
        abi_fail("ConfigurationError", "%s() is called outside of libttsim_init() and libttsim_exit()", function);
    }
    return &the_abi;
}

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct abi *abi = context;
    if (diagnostic->category == BH_DEADLOCK) {
        abi->deadlock = *diagnostic;
        return;
    }
    char line[LINE_SIZE];
    bh_diagnostic_format(diagnostic, line, sizeof line);
    if (diagnostic->action == BH_STOP) {
        end_process(line);
    }
    fprintf(stderr, "libttsim: %s\n", line);
}

/* BHEMU_POLICY: default, strict or silicon. */
static enum bh_policy_preset policy_from_environment(void)
{
    const char *name = getenv("BHEMU_POLICY");
    if (!name || !*name || !strcmp(name, "default")) {
        return BH_POLICY_DEFAULT;
    }
    if (!strcmp(name, "strict")) {
        return BH_POLICY_STRICT;
    }
    if (!strcmp(name, "silicon")) {
        return BH_POLICY_SILICON;
    }
    abi_fail("ConfigurationError", "BHEMU_POLICY is \"%s\"; it may be default, strict or silicon", name);
}

void libttsim_init(void)
{
    if (the_abi.device) {
        abi_fail("ConfigurationError", "libttsim_init() is called a second time");
    }
    if (getenv("TTSIM_SEMIHOSTING")) {
        abi_fail("Unsupported", "TTSIM_SEMIHOSTING is set: semihosting is not emulated");
    }
    struct bh_device_config config = {
        .policy = policy_from_environment(), .on_diagnostic = on_diagnostic, .context = &the_abi};
    enum bh_status status = bh_device_create(&config, &the_abi.device);
    if (status != BH_OK) {
        abi_fail("ConfigurationError", "there is no memory for the device");
    }
    memset(the_abi.tlb, 0, sizeof the_abi.tlb);
    memset(the_abi.iatu, 0, sizeof the_abi.iatu);
    the_abi.deadlocked_clocks = 0;
    pci_reset(&the_abi);
}

void libttsim_exit(void)
{
    struct abi *abi = running_abi(__func__);
    bh_device_destroy(abi->device);
    abi->device = NULL;
}

void libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t paddr, void *dst, uint32_t size),
                                        void (*write)(uint64_t paddr, const void *src, uint32_t size))
{
    if (the_abi.device) {
        abi_fail("ConfigurationError", "%s() is called after libttsim_init()", __func__);
    }
    the_abi.dma_read = read;
    the_abi.dma_write = write;
}

/* Whether config space of a device that exists is meant. */
static bool device_exists(uint32_t bus_device_function, uint32_t offset)
{
    uint32_t function = bus_device_function & 7, device = bus_device_function >> 3 & 0x1f;
    if (function || bus_device_function >> 8) {
        abi_fail("BadInput", "config space of bus/device/function 0x%x: bus and function must be 0",
                 bus_device_function);
    }
    if (offset % 4) {
        abi_fail("BadInput", "config space offset 0x%x is not a multiple of 4", offset);
    }
    return device < EXISTING_DEVICES;
}

uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset)
{
    struct abi *abi = running_abi(__func__);
    return device_exists(bus_device_function, offset) ? pci_config_read(abi, offset) : UINT32_MAX;
}

void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset, uint32_t data)
{
    struct abi *abi = running_abi(__func__);
    if (!device_exists(bus_device_function, offset)) {
        abi_fail("BadInput", "config space of bus/device/function 0x%x: there is only device 0", bus_device_function);
    }
    pci_config_write(abi, offset, data);
}

void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *dst, uint32_t size)
{
    pci_read(running_abi(__func__), paddr, dst, size);
}

void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *src, uint32_t size)
{
    struct abi *abi = running_abi(__func__);
    abi->deadlocked_clocks = 0;
    pci_write(abi, paddr, src, size);
}

void libttsim_clock(uint32_t n_clocks)
{
    struct abi *abi = running_abi(__func__);
    struct bh_run_result result;
    (void)bh_run(abi->device, n_clocks < CLOCK_MINIMUM ? CLOCK_MINIMUM : n_clocks, &result);
    /* The host may still write and so resolve what looks like a deadlock. If it only ever polls, it waits in vain. */
    if (result.reason != BH_RAN_DEADLOCK) {
        abi->deadlocked_clocks = 0;
    } else if (++abi->deadlocked_clocks == DEADLOCK_PATIENCE) {
        char line[LINE_SIZE];
        bh_diagnostic_format(&abi->deadlock, line, sizeof line);
        end_process(line);
    }
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t addr, void *dst, uint32_t size)
{
    abi_fail("Unsupported", "%s() is not for Blackhole: use the BARs", __func__);
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t addr, const void *src, uint32_t size)
{
    abi_fail("Unsupported", "%s() is not for Blackhole: use the BARs", __func__);
}
