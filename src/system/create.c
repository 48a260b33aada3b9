/* Systems of linked chips are created, and destroyed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ethernet/link_constants.h"
#include "chip/quantum.h"
#include "system/nodes.h"
#include "system/state.h"
#include "system/topology.h"
#include "util/fail.h"

enum { SHORTEST_LATENCY = 100, LONGEST_LATENCY = 100 * 1000 };

/* Threads take chips first; what is left is for the tiles of each. */
static unsigned threads_of_chip(const struct bh_system *system)
{
    return system->config.threads > system->count ? system->config.threads / system->count : 1;
}

static const char *name_of(const struct bh_topology *topology)
{
    return topology->name ? topology->name : "without a name";
}

static enum bh_status create_chip(struct bh_system *system, const struct bh_topology *topology, unsigned number,
                                  struct bh_error *error)
{
    struct system_chip *chip = &system->chip[system->own];
    const struct bh_device_config *given = &system->config.device;
    struct bh_device_config config = *given;
    *chip = (struct system_chip){.system = system, .place = &system->places[number]};
    system->places[number].translator = &system->translator;
    config.on_diagnostic = system_chip_tells;
    config.host_read = given->host_read ? system_chip_reads : NULL;
    config.host_write = given->host_write ? system_chip_writes : NULL;
    config.context = chip;
    config.board = topology->chips[number].board;
    config.tiles = topology->chips[number].tiles;
    config.threads = threads_of_chip(system);
    enum bh_status status = wired_create(&config, chip->place, &chip->device);
    if (status == BH_OK) {
        system->own_of[number] = (uint16_t)system->own++;
        return BH_OK;
    }
    return status == BH_ERROR_MEMORY
               ? fail(error, status, "system %s: no memory for chip %u", name_of(topology), number)
               : fail(error, status, "system %s: chip %u can not have this policy, engine, mode, or these tiles",
                      name_of(topology), number);
}

static bool is_own(const struct bh_system *system, unsigned number)
{
    return !system->part.owner || system->part.owner[number] == system->part.rank;
}

static enum bh_status create_chips(struct bh_system *system, const struct bh_topology *topology, struct bh_error *error)
{
    enum bh_status status = topology_place(topology, system->config.latency, system->places, error);
    for (unsigned i = 0; i < system->count && status == BH_OK; i++) {
        system->own_of[i] = SYSTEM_NOT_OWN;
        status = is_own(system, i) ? create_chip(system, topology, i, error) : BH_OK;
    }
    unsigned threads = system->config.threads < system->own ? system->config.threads : system->own;
    if (status == BH_OK && threads > 1 && !(system->pool = pool_create(threads))) {
        status = fail(error, BH_ERROR_MEMORY, "system %s: no threads", name_of(topology));
    }
    return status;
}

enum bh_status system_create(const struct bh_topology *topology, const struct bh_system_config *config,
                             const struct system_part *part, struct bh_system **system, struct bh_error *error)
{
    if (!topology || !system) {
        return fail(error, BH_ERROR_ARGUMENT, "no topology, or nowhere to put the system");
    }
    *system = NULL;
    struct bh_system *created = calloc(1, sizeof *created);
    if (!created) {
        return fail(error, BH_ERROR_MEMORY, "system %s: no memory", name_of(topology));
    }
    pthread_mutex_init(&created->host, NULL);
    translator_create(&created->translator);
    if (config) {
        created->config = *config;
    }
    if (!created->config.latency) {
        created->config.latency = LINK_LATENCY;
    }
    created->part = part ? *part : (struct system_part){.ranks = 1, .exchange = exchange_in_process()};
    created->spin_check = SPIN_CHECK_INTERVAL;
    created->count = topology->chip_count;
    size_t room = created->count ? created->count : 1;
    created->chip = calloc(room, sizeof *created->chip);
    created->own_of = calloc(room, sizeof *created->own_of);
    created->places = calloc(room, sizeof *created->places);
    uint32_t latency = created->config.latency;
    enum bh_status status =
        !created->chip || !created->own_of || !created->places
            ? fail(error, BH_ERROR_MEMORY, "system %s: no memory", name_of(topology))
        : latency < SHORTEST_LATENCY || latency > LONGEST_LATENCY
            ? fail(error, BH_ERROR_ARGUMENT, "system %s: links can not take %u cycles: from %d to %d",
                   name_of(topology), latency, SHORTEST_LATENCY, LONGEST_LATENCY)
            : create_chips(created, topology, error);
    if (status != BH_OK) {
        bh_system_destroy(created);
        return status;
    }
    *system = created;
    return BH_OK;
}

enum bh_status bh_system_create(const struct bh_topology *topology, const struct bh_system_config *config,
                                struct bh_system **system, struct bh_error *error)
{
    return system_create(topology, config, NULL, system, error);
}

const char *system_name_part(const char *process, unsigned rank, const uint16_t *owner, unsigned chips,
                             char text[SYSTEM_PART_NAME])
{
    unsigned first = 0, last;
    while (first < chips && owner[first] != rank) {
        first++;
    }
    for (last = first; last + 1 < chips && owner[last + 1] == rank; last++) {
    }
    (void)snprintf(text, SYSTEM_PART_NAME,
                   first == chips  ? "%s %u (no chip)"
                   : first == last ? "%s %u (chip %u)"
                                   : "%s %u (chips %u to %u)",
                   process, rank, first, last);
    return text;
}

void system_share(uint16_t *owner, unsigned chips, unsigned ranks)
{
    for (unsigned i = 0; i < chips; i++) {
        owner[i] = (uint16_t)((uint64_t)i * ranks / chips);
    }
}

void bh_system_destroy(struct bh_system *system)
{
    if (!system) {
        return;
    }
    nodes_destroy(system->nodes);
    for (unsigned i = 0; system->chip && i < system->own; i++) {
        device_destroy(system->chip[i].device);
        free(system->chip[i].told.entries);
    }
    translator_destroy(&system->translator);
    pool_destroy(system->pool);
    pthread_mutex_destroy(&system->host);
    free(system->chip);
    free(system->own_of);
    free(system->places);
    free(system);
}

void system_dismiss(struct bh_system *system)
{
    pool_dismiss(system->pool);
    for (unsigned i = 0; i < system->own; i++) {
        pool_dismiss(system->chip[i].device->pool);
    }
}

unsigned bh_system_chip_count(const struct bh_system *system)
{
    return system ? system->count : 0;
}

struct bh_device *bh_system_chip(struct bh_system *system, unsigned chip)
{
    if (system && system->nodes) {
        return nodes_chip(system->nodes, chip);
    }
    return system && chip < system->count && system->own_of[chip] != SYSTEM_NOT_OWN
               ? system->chip[system->own_of[chip]].device
               : NULL;
}
