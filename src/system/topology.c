#include "system/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/arguments.h"
#include "util/fail.h"

struct named_system {
    const char *name;
    unsigned chips;
    enum bh_board board;
    uint32_t kind; /* the upper half of BOARD_ID */
    unsigned per_board;
    bool swapped;
};

enum named {
#define SYSTEM(NAME, name, chips, board, kind, per_board, swapped) NAME,
#include "systems.def"
#undef SYSTEM
    NAMED_SYSTEMS
};

static const struct named_system systems[] = {
#define SYSTEM(NAME, name, chips, board, kind, per_board, swapped)                                                     \
    [NAME] = {name, chips, board, kind, per_board, swapped},
#include "systems.def"
#undef SYSTEM
};

static const struct named_link {
    uint8_t system;
    struct {
        uint8_t chip, channel;
    } end[2];
} links[] = {
#define LINK(NAME, chip, channel, other_chip, other_channel) {NAME, {{chip, channel}, {other_chip, other_channel}}},
#include "systems.def"
#undef LINK
};

enum { LINKS = sizeof links / sizeof links[0] };

/* A topology and what it points to. */
struct named_topology {
    struct bh_topology topology;
    struct bh_topology_chip chips[32];
    struct bh_link links[LINKS];
};

static void fill_chips(struct named_topology *named, const struct named_system *system)
{
    enum { FIRST_LINK = 1, X4_LINK = 4 };
    for (unsigned i = 0; i < system->chips; i++) {
        unsigned location = i % system->per_board;
        location = system->swapped ? system->per_board - 1 - location : location;
        named->chips[i] = (struct bh_topology_chip){
            .board = system->board,
            .board_id = ((uint64_t)system->kind << 32) + 1 + i / system->per_board,
            .asic_id = i + 1,
            .asic_location = location,
            .pcie_usage = location % 2 ? X4_LINK : FIRST_LINK,
        };
    }
}

enum bh_status bh_topology_by_name(const char *name, struct bh_topology **topology)
{
    for (unsigned i = 0; name && topology && i < NAMED_SYSTEMS; i++) {
        if (strcmp(name, systems[i].name) != 0) {
            continue;
        }
        struct named_topology *named = calloc(1, sizeof *named);
        if (!named) {
            return BH_ERROR_MEMORY;
        }
        named->topology = (struct bh_topology){
            .name = systems[i].name, .chips = named->chips, .chip_count = systems[i].chips, .links = named->links};
        fill_chips(named, &systems[i]);
        for (unsigned link = 0; link < LINKS; link++) {
            if (links[link].system == i) {
                struct bh_link *to = &named->links[named->topology.link_count++];
                for (unsigned end = 0; end < 2; end++) {
                    to->end[end] = (struct bh_link_end){links[link].end[end].chip, links[link].end[end].channel};
                }
            }
        }
        *topology = &named->topology;
        return BH_OK;
    }
    return BH_ERROR_ARGUMENT;
}

void bh_topology_destroy(struct bh_topology *topology)
{
    free(topology);
}

void bh_topology_set_board(struct bh_topology *topology, enum bh_board board, const struct bh_tiles *tiles)
{
    struct bh_topology_chip *chips =
        topology ? (struct bh_topology_chip *)topology->chips : NULL; /* of its own block */
    for (unsigned i = 0; topology && i < topology->chip_count; i++) {
        chips[i].board = board;
        chips[i].tiles = tiles;
    }
}

const char *bh_topology_name(unsigned i)
{
    return i < NAMED_SYSTEMS ? systems[i].name : NULL;
}

static enum bh_status wrong(struct bh_error *error, const struct bh_topology *topology, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum bh_status wrong(struct bh_error *error, const struct bh_topology *topology, const char *format, ...)
{
    if (error) {
        va_list arguments;
        int length = snprintf(error->text, sizeof error->text, "system %s: ", topology->name ? topology->name : "");
        va_start(arguments, format);
        vsnprintf(error->text + length, sizeof error->text - (size_t)length, format, arguments);
        va_end(arguments);
    }
    return BH_ERROR_FORMAT;
}

static enum bh_status place_link(const struct bh_topology *topology, const struct bh_link *link,
                                 struct wired_place *places, const struct board *boards, struct bh_error *error)
{
    struct board_port *ports[2];
    for (unsigned i = 0; i < 2; i++) {
        struct bh_link_end end = link->end[i];
        if (end.chip >= topology->chip_count) {
            return wrong(error, topology, "a link leads to chip %u; there are %u", end.chip, topology->chip_count);
        }
        unsigned channel = board_channel(&boards[end.chip], end.channel);
        if (channel >= BOARD_PORTS) {
            return wrong(error, topology, "a link leads to Ethernet channel %u of chip %u, which has %d", end.channel,
                         end.chip, __builtin_popcount(boards[end.chip].tiles.ethernet));
        }
        ports[i] = &places[end.chip].port[channel];
        if (ports[i]->linked) {
            return wrong(error, topology, "two links lead to Ethernet channel %u of chip %u", end.channel, end.chip);
        }
        ports[i]->linked = true;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct bh_link_end other = link->end[!i];
        *ports[i] = (struct board_port){.linked = true,
                                        .channel = (uint8_t)board_channel(&boards[other.chip], other.channel),
                                        .logical = (uint8_t)other.channel,
                                        .number = other.chip,
                                        .chip = places[other.chip].as};
    }
    return BH_OK;
}

static enum bh_status place_chip(const struct bh_topology *topology, unsigned chip, uint32_t latency,
                                 struct wired_place *place, struct board *board, struct bh_error *error)
{
    const struct bh_topology_chip *said = &topology->chips[chip];
    if ((unsigned)said->board >= BH_BOARDS) {
        return wrong(error, topology, "chip %u is on no board that is known", chip);
    }
    *board = board_create(said->board, said->tiles);
    *place = (struct wired_place){.chip = chip,
                                  .chips = topology->chip_count,
                                  .as = {.board_id = said->board_id,
                                         .asic_id = said->asic_id,
                                         .asic_location = (uint8_t)said->asic_location,
                                         .pcie_usage = (uint8_t)(said->pcie_usage ? said->pcie_usage : 1)},
                                  .latency = latency};
    for (unsigned i = 0; i < chip; i++) {
        if (topology->chips[i].asic_id == said->asic_id) {
            return wrong(error, topology, "chips %u and %u have the same id 0x%llx", i, chip,
                         (unsigned long long)said->asic_id);
        }
    }
    return BH_OK;
}

enum bh_status topology_place(const struct bh_topology *topology, uint32_t latency, struct wired_place *places,
                              struct bh_error *error)
{
    if (topology->chip_count == 0 || topology->chip_count > BH_SYSTEM_CHIPS) {
        return wrong(error, topology, "it has %u chips; there can be 1 to %d", topology->chip_count, BH_SYSTEM_CHIPS);
    }
    if (arguments_array(topology->chips, topology->chip_count, "chips of a topology", error) != BH_OK ||
        arguments_array(topology->links, topology->link_count, "links of a topology", error) != BH_OK) {
        return BH_ERROR_ARGUMENT;
    }
    struct board *boards = calloc(topology->chip_count, sizeof *boards);
    if (!boards) {
        return fail(error, BH_ERROR_MEMORY, "system %s: no memory", topology->name ? topology->name : "");
    }
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < topology->chip_count && status == BH_OK; i++) {
        status = place_chip(topology, i, latency, &places[i], &boards[i], error);
    }
    for (unsigned i = 0; i < topology->link_count && status == BH_OK; i++) {
        status = place_link(topology, &topology->links[i], places, boards, error);
    }
    free(boards);
    return status;
}
