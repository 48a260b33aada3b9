/* Environment variables of systems: abi.h lists them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "libttsim.h"
#include "libyaml_calls.h"

enum { TEXT_SIZE = 200 };

/* libttsim_bh_x4.so: a system of that name, as the vendor names its builds; null: another file name. */
static const char *system_of_file(void)
{
    static const char *const endings[][2] = {{"_bh_x2.so", "x2"}, {"_bh_x4.so", "x4"}, {"_bh_x32.so", "x32"}};
    Dl_info info;
    if (!dladdr((const void *)(uintptr_t)libttsim_init, &info) || !info.dli_fname) {
        return NULL;
    }
    size_t length = strlen(info.dli_fname);
    for (unsigned i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i][0]);
        if (length >= ending && !strcmp(info.dli_fname + length - ending, endings[i][0])) {
            return endings[i][1];
        }
    }
    return NULL;
}

static _Noreturn void wrong_system(const char *name)
{
    char names[TEXT_SIZE] = "";
    for (unsigned i = 0; bh_topology_name(i); i++) {
        size_t length = strlen(names);
        (void)snprintf(names + length, sizeof names - length, ", %s", bh_topology_name(i));
    }
    abi_fail("ConfigurationError", "BHEMU_SYSTEM is \"%s\"; it may be one%s, or a file that ends in .yaml", name,
             names);
}

static bool is_file(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending && (!strcmp(ending, ".yaml") || !strcmp(ending, ".yml"));
}

static struct bh_topology *topology_from_file(const char *path)
{
    struct bh_topology *topology;
    struct bh_error error;
    const char *missing = libyaml_load();
    if (missing) {
        abi_fail("ConfigurationError", "BHEMU_SYSTEM=%s needs libyaml-0.so.2 (Debian: package libyaml-0-2): %s", path,
                 missing);
    }
    if (bh_topology_load(path, &topology, &error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_SYSTEM: %s", error.text);
    }
    return topology;
}

static struct bh_topology *topology_by_name(const char *name)
{
    struct bh_topology *topology;
    enum bh_status status = bh_topology_by_name(name, &topology);
    if (status == BH_ERROR_MEMORY) {
        abi_fail("ConfigurationError", "there is no memory for the devices");
    }
    if (status != BH_OK) {
        wrong_system(name);
    }
    return topology;
}

/* Every chip has the tiles of BHEMU_BOARD. */
static void take_board(struct bh_topology *topology)
{
    static struct bh_tiles tiles; /* until the system is created */
    const char *text = getenv("BHEMU_BOARD");
    if (text && *text) {
        enum bh_board board = board_from_environment(&tiles);
        bh_topology_set_board(topology, board, &tiles);
    }
}

enum { BUS_DEVICES = 32 }; /* that the address of config space has room for */

struct bh_topology *topology_from_environment(void)
{
    const char *name = getenv("BHEMU_SYSTEM");
    if (!name || !*name) {
        name = system_of_file();
    }
    if (!name || !strcmp(name, "one")) {
        return NULL;
    }
    struct bh_topology *topology = is_file(name) ? topology_from_file(name) : topology_by_name(name);
    if (topology->chip_count > BUS_DEVICES) {
        abi_fail("ConfigurationError", "BHEMU_SYSTEM: %s has %u chips; a host finds %u on its bus", topology->name,
                 topology->chip_count, BUS_DEVICES);
    }
    take_board(topology);
    return topology;
}

/* What is there in the process of the chips only, or what these processes decide. */
const char *nodes_from_environment(void)
{
    static const char *const others[] = {"BHEMU_SYSTEM",       "BHEMU_CHIP",  "BHEMU_SYMBOLS", "BHEMU_LOG",
                                         "BHEMU_PRINT",        "BHEMU_TRACE", "BHEMU_ZONES",   "BHEMU_PROFILE",
                                         "BHEMU_REPORT_AFTER", "BHEMU_DUMP",  "BHEMU_GDB",     "BHEMU_CHECK"};
    const char *address = getenv("BHEMU_NODES");
    if (!address || !*address) {
        return NULL;
    }
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *value = getenv(others[i]);
        if (value && *value && strcmp(value, "0") != 0) {
            abi_fail("ConfigurationError", "%s is set, and BHEMU_NODES: %s", others[i],
                     i == 0 ? "the processes that have the chips say which there are"
                            : "the chips are in other processes, where it can not look");
        }
    }
    return address;
}

uint32_t latency_from_environment(void)
{
    return number_from_environment("BHEMU_LINK_LATENCY", 0, 100, 100 * 1000);
}

unsigned watched_chip_from_environment(unsigned chips)
{
    return number_from_environment("BHEMU_CHIP", 0, 0, chips - 1);
}
