/* Entry points of libttsim.so: the vendor's C ABI over the public API. */
#include "libttsim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "bhemu/pci.h"
#include "chip/diagnostic_lines.h"
#include "chip/explain.h"
#include "chip/quantum.h"
#include "part.h"
#include "system/state.h"
#include "util/text.h"

enum {
    CLOCK_MINIMUM = 64,              /* a host that polls with clock(1) expects progress, */
    CLOCK_WORK = 1024,               /* but no call that takes longer than about so many instructions */
    DEADLOCK_PATIENCE = 1000 * 1000, /* clocks without any event, and without a write of the host, before giving up */
    CHIP_BITS = 36,                  /* each chip has 64 GiB of physical addresses */
    LINE_SIZE = BH_DIAGNOSTIC_TEXT + 8000, /* with source lines */
    REFUSALS = 64, /* lines about refused accesses that are not printed again before something is reset */
};

/* The ABI has no handle: there is one device. */
static struct abi the_abi;

static const struct abi_part *const parts[] = {
    &abi_symbols_part, &abi_log_part,  &abi_print_part, &abi_report_part, &abi_profile_part,
    &abi_trace_part,   &abi_dump_part, &abi_gdb_part,   &abi_check_part,
};
enum { PARTS = sizeof parts / sizeof parts[0] };

/* The chips on the bus. */
static unsigned chip_count(const struct abi *abi)
{
    return abi->system ? bh_system_chip_count(abi->system) : abi->device != NULL;
}

static struct bh_device *chip_of(const struct abi *abi, unsigned chip)
{
    return abi->system ? bh_system_chip(abi->system, chip) : abi->device;
}

static void begin_parts(struct abi *abi)
{
    for (; abi->parts < PARTS; abi->parts++) {
        parts[abi->parts]->begin(abi);
    }
}

static void end_parts(struct abi *abi)
{
    while (abi->parts) {
        parts[--abi->parts]->end(abi);
    }
}

void abi_print(const char *text)
{
    fprintf(stderr, "libttsim: %s\n", text);
}

/* Prints the line of a violation, the last output of the process. */
static _Noreturn void end_process(const char *line)
{
    the_abi.ends = true;
    end_parts(&the_abi);
    abi_print(line);
    fflush(NULL);
    _Exit(1);
}

static void write_line(char line[LINE_SIZE], const char *category, const char *format, va_list arguments)
{
    int length = snprintf(line, LINE_SIZE, "error: %s: ", category);
    vsnprintf(line + length, LINE_SIZE - (size_t)length, format, arguments);
}

_Noreturn void abi_fail(const char *category, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    write_line(line, category, format, arguments);
    va_end(arguments);
    end_process(line);
}

/* Whether the process outlives errors: BHEMU_ON_ERROR=report. */
static bool outlives_errors(void)
{
    return (the_abi.device ? the_abi.device->config.on_error : on_error_from_environment()) == BH_ON_ERROR_REPORT;
}

/* Prints a line about what the host does wrong, unless it was printed since something was last reset: a host that polls
   does it again and again. */
static void print_refusal(const char *line)
{
    static uint32_t printed[REFUSALS];
    static unsigned count, resets, begun;
    uint32_t hash = diagnostic_hash(line, 0);
    unsigned now = 0;
    for (unsigned i = 0; i < chip_count(&the_abi); i++) {
        now += chip_of(&the_abi, i)->resets;
    }
    if (begun != the_abi.begun || resets != now) {
        memset(printed, 0, sizeof printed);
        begun = the_abi.begun;
        resets = now;
    }
    for (unsigned i = 0; i < REFUSALS; i++) {
        if (printed[i] == hash) {
            return;
        }
    }
    printed[count++ % REFUSALS] = hash;
    abi_print(line);
}

/* The host does what it may not: ends the process, or prints the line and returns. */
static void __attribute__((format(printf, 2, 3))) refuse(const char *category, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    write_line(line, category, format, arguments);
    va_end(arguments);
    if (!outlives_errors()) {
        end_process(line);
    }
    print_refusal(line);
}

/* Null, if the process outlives it: the device is not there. */
static struct abi *running_abi(const char *function)
{
    if (!the_abi.device) {
        refuse("ConfigurationError", "%s() is called outside of libttsim_init() and libttsim_exit()", function);
        return NULL;
    }
    the_abi.told = false;
    return &the_abi;
}

struct lines_context {
    struct abi *abi;
    struct text text;
};

static bool line_source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer,
                        unsigned size)
{
    const struct lines_context *lines = context;
    return symbols_source(lines->abi, x, y, place, buffer, size);
}

static void line_write(void *context, const char *line)
{
    struct lines_context *lines = context;
    text_add(&lines->text, "%s%s", lines->text.length ? "\n" : "", line);
}

/* As a text of lines; with BHEMU_SYMBOLS, with the source lines of the programs that are in memory now. */
static void format(struct abi *abi, const struct bh_diagnostic *diagnostic, char *buffer, unsigned size)
{
    if (!abi->symbols || diagnostic->chip != abi->watched) {
        bh_diagnostic_format(diagnostic, buffer, size);
        return;
    }
    struct lines_context context = {abi, {.buffer = buffer, .size = size}};
    const struct diagnostic_lines lines = {line_source, line_write, &context};
    bh_symbols_refresh(abi->symbols);
    diagnostic_write_lines(diagnostic, &lines);
}

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct abi *abi = context;
    char line[LINE_SIZE];
    if (diagnostic->category == BH_DEADLOCK && !abi->explaining) {
        return;
    }
    format(abi, diagnostic, line, sizeof line);
    if (diagnostic->action != BH_STOP || diagnostic->category == BH_DEADLOCK) {
        abi_print(line);
    } else if (!outlives_errors()) {
        end_process(line);
    } else if (diagnostic->agent == BH_AGENT_HOST) {
        abi->told = true;
        print_refusal(line);
    } else {
        abi_print(line);
    }
}

/* The memory of the host. */

static void host_read(void *context, uint64_t address, void *data, uint32_t size)
{
    const struct abi *abi = context;
    abi->dma_read(address, data, size);
}

static void host_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct abi *abi = context;
    abi->dma_write(address, data, size);
}

/* Copies of the library in one process, each loaded by itself, are each a chip by itself. One of them tells. */
static void warn_of_copies(void)
{
    unsigned before, all = abi_copies(&before);
    if (all > 1 && before == 1) {
        char line[LINE_SIZE];
        (void)snprintf(line, sizeof line,
                       "warning: %u copies of this library are loaded: their chips are not linked to each other; "
                       "BHEMU_SYSTEM=x2, or another system, has linked chips in one copy",
                       all);
        abi_print(line);
    }
}

static void create_device(const struct bh_device_config *config)
{
    enum bh_status status = bh_device_create(config, &the_abi.device);
    if (status != BH_OK) {
        abi_fail("ConfigurationError", status == BH_ERROR_MEMORY ? "there is no memory for the device"
                                                                 : "BHEMU_BOARD: the die has no such tiles");
    }
    warn_of_copies();
}

static void create_system(struct bh_topology *topology, const struct bh_device_config *config)
{
    struct bh_error error = {"there is no memory for the devices"};
    struct bh_system_config whole = {
        .device = *config, .threads = config->threads, .latency = latency_from_environment()};
    unsigned watched = watched_chip_from_environment(topology->chip_count);
    if (bh_system_create(topology, &whole, &the_abi.system, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_SYSTEM: %s", error.text);
    }
    bh_topology_destroy(topology);
    the_abi.watched = watched;
    the_abi.device = bh_system_chip(the_abi.system, watched);
}

/* Chips that other processes have. */
static void connect_nodes(const char *address, const struct bh_device_config *config)
{
    struct bh_error error = {""};
    struct bh_system_config whole = {
        .device = *config, .threads = config->threads, .latency = latency_from_environment()};
    const char *board = getenv("BHEMU_BOARD");
    if (!board || !*board) { /* those of their system */
        whole.device.tiles = NULL;
    }
    if (bh_system_connect(address, &whole, &the_abi.system, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_NODES: %s", error.text);
    }
    the_abi.device = bh_system_chip(the_abi.system, 0);
}

void libttsim_init(void)
{
    if (the_abi.device) {
        refuse("ConfigurationError", "libttsim_init() is called a second time");
        return;
    }
    if (getenv("TTSIM_SEMIHOSTING")) {
        abi_fail("Unsupported", "TTSIM_SEMIHOSTING is set: semihosting is not emulated");
    }
    abi_map_library();
    struct bh_tiles tiles;
    struct bh_device_config config = {.policy = policy_from_environment(),
                                      .on_diagnostic = on_diagnostic,
                                      .context = &the_abi,
                                      .board = board_from_environment(&tiles),
                                      .tiles = &tiles,
                                      .host_read = the_abi.dma_read ? host_read : NULL,
                                      .host_write = the_abi.dma_write ? host_write : NULL,
                                      .threads = threads_from_environment(),
                                      .verify = verify_from_environment(),
                                      .jitter = jitter_from_environment(),
                                      .engine = engine_from_environment(),
                                      .mode = mode_from_environment(),
                                      .on_error = on_error_from_environment()};
    const char *nodes = nodes_from_environment();
    struct bh_topology *topology = nodes ? NULL : topology_from_environment();
    if (nodes) {
        connect_nodes(nodes, &config);
    } else if (topology) {
        create_system(topology, &config);
    } else {
        create_device(&config);
    }
    the_abi.begun++;
    the_abi.deadlocked_clocks = 0;
    the_abi.host_cycles = host_cycles_from_environment();
    the_abi.accessed = false;
    begin_parts(&the_abi);
}

void libttsim_exit(void)
{
    struct abi *abi = running_abi(__func__);
    if (!abi) {
        return;
    }
    if (abi->device->observers.count) {
        device_settle(abi->device); /* tiles run up to now: observers see all of it */
    }
    end_parts(abi);
    if (abi->system) {
        bh_system_destroy(abi->system);
    } else {
        bh_device_destroy(abi->device);
    }
    abi->system = NULL;
    abi->device = NULL;
    abi->watched = 0;
}

/* Runs when the library is unloaded, or the process ends. If the device was not closed, its threads end here: their
   code is about to be unmapped. Everything else stays, since at its end a process may still be in a call of another
   thread. */
__attribute__((destructor)) static void dismiss_threads(void)
{
    if (the_abi.system) {
        system_dismiss(the_abi.system);
    } else if (the_abi.device) {
        pool_dismiss(the_abi.device->pool);
    }
}

void libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t paddr, void *dst, uint32_t size),
                                        void (*write)(uint64_t paddr, const void *src, uint32_t size))
{
    if (the_abi.device) {
        refuse("ConfigurationError", "%s() is called after libttsim_init()", __func__);
        return;
    }
    the_abi.dma_read = read;
    the_abi.dma_write = write;
}

/* The chip whose config space this is; null: there is no such device on the bus. */
static struct bh_device *device_on_bus(const struct abi *abi, uint32_t bus_device_function)
{
    uint32_t function = bus_device_function & 7, device = bus_device_function >> 3 & 0x1f;
    if (function || bus_device_function >> 8) {
        refuse("BadInput", "config space of bus/device/function 0x%x: bus and function must be 0", bus_device_function);
        return NULL;
    }
    return device < chip_count(abi) ? chip_of(abi, device) : NULL;
}

/* The chip that an access of the host goes to: where its BARs are to begin with tells; a host may have moved them. */
static struct bh_device *device_at(const struct abi *abi, uint64_t address)
{
    uint64_t chip = address >> CHIP_BITS, offset;
    unsigned count = chip_count(abi);
    enum pcie_bar bar;
    if (count == 1) {
        return abi->device;
    }
    if (chip < count && pcie_config_find(&chip_of(abi, (unsigned)chip)->pcie.config, address, &bar, &offset)) {
        return chip_of(abi, (unsigned)chip);
    }
    for (unsigned i = 0; i < count; i++) {
        if (pcie_config_find(&chip_of(abi, i)->pcie.config, address, &bar, &offset)) {
            return chip_of(abi, i);
        }
    }
    return chip_of(abi, 0); /* it tells what is wrong */
}

/* Without the processes that have the chips there is nothing to go on with. */
static void check_nodes(const struct abi *abi)
{
    const char *failed = bh_system_failed(abi->system);
    if (failed) {
        abi_fail("Lost", "%s", failed);
    }
}

/* Of a refusal that on_diagnostic() has told of, nothing else is said. */
static void check(const struct abi *abi, enum bh_status status, const char *what, uint64_t where)
{
    if (status == BH_ERROR_LOST) {
        check_nodes(abi);
    }
    if (status != BH_OK && !abi->told) {
        refuse("BadInput", "%s at 0x%llx was refused", what, (unsigned long long)where);
    }
}

uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset)
{
    struct abi *abi = running_abi(__func__);
    uint32_t value = UINT32_MAX;
    struct bh_device *device = abi ? device_on_bus(abi, bus_device_function) : NULL;
    if (device) {
        check(abi, bh_pci_config_read(device, offset, &value), "read of config space", offset);
    }
    return value;
}

void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset, uint32_t data)
{
    struct abi *abi = running_abi(__func__);
    if (!abi) {
        return;
    }
    abi->writes++;
    struct bh_device *device = device_on_bus(abi, bus_device_function);
    if (device) {
        check(abi, bh_pci_config_write(device, offset, data), "write to config space", offset);
    } else if (chip_count(abi) == 1) {
        refuse("BadInput", "config space of bus/device/function 0x%x: there is only device 0", bus_device_function);
    } else {
        refuse("BadInput", "config space of bus/device/function 0x%x: there are only devices 0 to %u",
               bus_device_function, chip_count(abi) - 1);
    }
}

/* Advances by so many cycles, and delivers the diagnostics. */
static enum bh_run_reason advance(struct abi *abi, uint32_t cycles)
{
    abi->accessed = false;
    enum bh_run_reason reason = abi->system ? bh_system_advance(abi->system, cycles) : bh_advance(abi->device, cycles);
    if (reason == BH_RAN_STOPPED) {
        check_nodes(abi);
    }
    return reason;
}

/* Lets so many cycles pass. What looks like a deadlock may be resolved by the host's next write; only a host that polls
   for long without writing waits in vain. */
static void pass(struct abi *abi, uint32_t cycles)
{
    if (advance(abi, cycles) != BH_RAN_DEADLOCK) {
        abi->deadlocked_clocks = 0;
    } else if (++abi->deadlocked_clocks == DEADLOCK_PATIENCE) {
        abi->explaining = true;
        if (abi->system) {
            system_explain(abi->system, EXPLAINED_AT_ONCE);
        } else {
            device_explain(abi->device, BH_STOP, EXPLAINED_AT_ONCE);
        }
        abi->explaining = false;
        if (!outlives_errors()) {
            end_parts(abi);
            fflush(NULL);
            _Exit(1);
        }
    }
    if (abi->reports) {
        report_look(abi);
    }
}

/* Before an access: lets the cycles pass that BHEMU_HOST_CYCLES gives the host between two accesses. */
static void let_host_take_its_time(struct abi *abi)
{
    if (abi->host_cycles) {
        if (abi->accessed) {
            pass(abi, abi->host_cycles);
        }
        abi->accessed = true;
    }
}

/* What a read that is refused gives the host. */
static void read_all_ones(void *dst, uint32_t size)
{
    if (dst) {
        memset(dst, 0xff, size);
    }
}

void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *dst, uint32_t size)
{
    struct abi *abi = running_abi(__func__);
    if (!abi) {
        read_all_ones(dst, size);
        return;
    }
    let_host_take_its_time(abi);
    check(abi, bh_pci_read(device_at(abi, paddr), paddr, dst, size), "read", paddr);
}

void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *src, uint32_t size)
{
    struct abi *abi = running_abi(__func__);
    if (!abi) {
        return;
    }
    let_host_take_its_time(abi);
    abi->deadlocked_clocks = 0;
    abi->writes++;
    check(abi, bh_pci_write(device_at(abi, paddr), paddr, src, size), "write", paddr);
}

/* The minimum number of cycles of a call of libttsim_clock(). */
static uint32_t clock_minimum(const struct abi *abi)
{
    uint64_t pace = 0;
    if (abi->device->config.mode == BH_MODE_TIMED) {
        return 1; /* as many as the host says: it may measure time by them */
    }
    for (unsigned i = 0; i < chip_count(abi); i++) {
        pace += bh_pace(chip_of(abi, i));
    }
    return pace <= CLOCK_WORK / CLOCK_MINIMUM ? CLOCK_MINIMUM : pace < CLOCK_WORK ? CLOCK_WORK / (uint32_t)pace : 1;
}

void libttsim_clock(uint32_t n_clocks)
{
    struct abi *abi = running_abi(__func__);
    if (abi) {
        if (abi->debugs) {
            gdb_serve(abi);
        }
        uint32_t minimum = clock_minimum(abi);
        pass(abi, n_clocks < minimum ? minimum : n_clocks);
    }
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t addr, void *dst, uint32_t size)
{
    refuse("Unsupported", "%s() is not for Blackhole: use the BARs", __func__);
    read_all_ones(dst, size);
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t addr, const void *src, uint32_t size)
{
    refuse("Unsupported", "%s() is not for Blackhole: use the BARs", __func__);
}
