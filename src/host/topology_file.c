/* Topologies from files: the project's own form, and cluster descriptors of tt-umd, of which those of Blackhole chips
   with PCIe are read. Sources: docs/systems.md; tt-umd's tests/cluster_descriptor_examples/blackhole_*.yaml and
   device/blackhole/blackhole_tt_device.cpp (harvesting masks: bit i of harvest_mask is the i-th column from the left).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/system.h"
#include "host/topology_schema.h"
#include "util/fail.h"

enum { TENSIX_COLUMNS = 14, ETHERNET_TILES = 14, DRAM_CHANNELS = 8 };
enum { LINK_NUMBERS = 4 }; /* chip, channel, chip, channel */

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define NUMBER(type, from, to)                                                                                         \
    {                                                                                                                  \
        .kind = SCHEMA_NUMBER, .size = sizeof(type), .least = (from), .most = (to)                                     \
    }
#define LIST(of, from, to)                                                                                             \
    {                                                                                                                  \
        .kind = SCHEMA_LIST, .size = sizeof(void *), .item = &(of), .least = (from), .most = (to)                      \
    }
#define MAP(type, list)                                                                                                \
    {                                                                                                                  \
        .kind = SCHEMA_MAP, .size = sizeof(type), .keys = (list), .count = COUNT_OF(list)                              \
    }
#define OPEN_MAP(type, list)                                                                                           \
    {                                                                                                                  \
        .kind = SCHEMA_MAP, .size = sizeof(type), .keys = (list), .count = COUNT_OF(list), .open = true                \
    }
#define TABLE(type, of)                                                                                                \
    {                                                                                                                  \
        .kind = SCHEMA_TABLE, .size = sizeof(type), .item = &(of), .place = offsetof(type, value)                      \
    }
#define KEY(type, key, of)                                                                                             \
    {                                                                                                                  \
        .name = #key, .value = &(of), .place = offsetof(type, key)                                                     \
    }
#define OPTIONAL(type, key, of)                                                                                        \
    {                                                                                                                  \
        .name = #key, .value = &(of), .place = offsetof(type, key), .optional = true                                   \
    }
#define KEY_LIST(type, key, of)                                                                                        \
    {                                                                                                                  \
        .name = #key, .value = &(of), .place = offsetof(type, key), .count = offsetof(type, key##_count)               \
    }
#define OPTIONAL_LIST(type, key, of)                                                                                   \
    {                                                                                                                  \
        .name = #key, .value = &(of), .place = offsetof(type, key), .count = offsetof(type, key##_count),              \
        .optional = true                                                                                               \
    }

/* The form of the project's own. */
struct own_form {
    uint32_t chips;
    enum bh_board board;
    uint32_t **links;
    unsigned links_count;
};

static const struct schema_name board_names[] = {
    {"full", BH_BOARD_FULL}, {"p100a", BH_BOARD_P100A}, {"p150a", BH_BOARD_P150A}};
static const struct schema_value board = {
    .kind = SCHEMA_NAME, .size = sizeof(enum bh_board), .names = board_names, .count = COUNT_OF(board_names)};
static const struct schema_value number = NUMBER(uint32_t, 0, UINT32_MAX);
static const struct schema_value long_number = NUMBER(uint64_t, 0, UINT64_MAX);
static const struct schema_value chip_count = NUMBER(uint32_t, 1, BH_SYSTEM_CHIPS);
static const struct schema_value own_link = LIST(number, LINK_NUMBERS, LINK_NUMBERS);
static const struct schema_value own_links = LIST(own_link, 0, UINT32_MAX);
static const struct schema_key own_keys[] = {
    {.name = "chips",
     .help = "how many chips there are",
     .value = &chip_count,
     .place = offsetof(struct own_form, chips)},
    {.name = "board",
     .help = "the tiles of each chip: all (full, which it is if this is not there), or those of a board",
     .value = &board,
     .place = offsetof(struct own_form, board),
     .optional = true},
    {.name = "links",
     .help = "each is [chip, channel, chip, channel]",
     .value = &own_links,
     .place = offsetof(struct own_form, links),
     .count = offsetof(struct own_form, links_count),
     .optional = true},
};
const struct schema_value topology_file_schema = MAP(struct own_form, own_keys);

/* A cluster descriptor. */
struct numbered_text {
    uint32_t chip;
    char *value;
};

struct numbered_number {
    uint32_t chip;
    uint64_t value;
};

struct masks {
    uint32_t harvest_mask, dram_harvesting_mask, eth_harvesting_mask;
};

struct numbered_masks {
    uint32_t chip;
    struct masks value;
};

struct end {
    uint32_t chip, chan;
};

/* A mapping with one key. */
struct board_fact {
    uint64_t *board_id;
    uint32_t *chips;
    unsigned chips_count;
};
enum { BOARD_FACTS = 3 }; /* a board's id, its type, its chips */

struct descriptor {
    struct numbered_text *arch;
    struct numbered_number *chip_unique_ids, *asic_locations;
    struct numbered_masks *harvesting;
    struct end **ethernet_connections;
    struct board_fact **boards;
    unsigned arch_count, chip_unique_ids_count, asic_locations_count, harvesting_count, ethernet_connections_count,
        boards_count;
};

static const struct schema_value text = {.kind = SCHEMA_TEXT, .size = sizeof(char *)};
static const struct schema_value texts = TABLE(struct numbered_text, text);
static const struct schema_value numbers = TABLE(struct numbered_number, long_number);
static const struct schema_value tensix_mask = NUMBER(uint32_t, 0, (1 << TENSIX_COLUMNS) - 1);
static const struct schema_value ethernet_mask = NUMBER(uint32_t, 0, (1 << ETHERNET_TILES) - 1);
static const struct schema_value dram_mask = NUMBER(uint32_t, 0, (1 << DRAM_CHANNELS) - 1);
static const struct schema_key masks_keys[] = {
    OPTIONAL(struct masks, harvest_mask, tensix_mask),
    OPTIONAL(struct masks, dram_harvesting_mask, dram_mask),
    OPTIONAL(struct masks, eth_harvesting_mask, ethernet_mask),
};
static const struct schema_value masks_value = OPEN_MAP(struct masks, masks_keys);
static const struct schema_value all_masks = TABLE(struct numbered_masks, masks_value);
static const struct schema_key end_keys[] = {KEY(struct end, chip, number), KEY(struct end, chan, number)};
static const struct schema_value end_value = OPEN_MAP(struct end, end_keys);
static const struct schema_value connection = LIST(end_value, 2, 2);
static const struct schema_value connections = LIST(connection, 0, UINT32_MAX);
static const struct schema_value chip_list = LIST(number, 0, BH_SYSTEM_CHIPS);
static const struct schema_key fact_keys[] = {
    {.name = "board_id",
     .value = &long_number,
     .place = offsetof(struct board_fact, board_id),
     .optional = true,
     .pointer = true},
    OPTIONAL_LIST(struct board_fact, chips, chip_list),
};
static const struct schema_value fact = OPEN_MAP(struct board_fact, fact_keys);
static const struct schema_value facts = LIST(fact, BOARD_FACTS, BOARD_FACTS);
static const struct schema_value boards = LIST(facts, 0, BH_SYSTEM_CHIPS);
static const struct schema_key descriptor_keys[] = {
    KEY_LIST(struct descriptor, arch, texts),
    OPTIONAL_LIST(struct descriptor, chip_unique_ids, numbers),
    OPTIONAL_LIST(struct descriptor, asic_locations, numbers),
    OPTIONAL_LIST(struct descriptor, harvesting, all_masks),
    OPTIONAL_LIST(struct descriptor, ethernet_connections, connections),
    OPTIONAL_LIST(struct descriptor, boards, boards),
};
static const struct schema_value descriptor_value = OPEN_MAP(struct descriptor, descriptor_keys);

/* Which of the two a file is. */
struct form {
    struct numbered_text *arch;
    unsigned arch_count;
};
static const struct schema_key form_keys[] = {OPTIONAL_LIST(struct form, arch, texts)};
static const struct schema_value form_value = OPEN_MAP(struct form, form_keys);

/* A topology and what it points to, in one block. */
struct made {
    struct bh_topology topology;
    struct bh_topology_chip *chips;
    struct bh_tiles *tiles;
    struct bh_link *links;
};

static struct made *make(const char *name, size_t chips, size_t links)
{
    size_t size = sizeof(struct made) + chips * (sizeof(struct bh_topology_chip) + sizeof(struct bh_tiles)) +
                  links * sizeof(struct bh_link) + strlen(name) + 1;
    struct made *made = calloc(1, size);
    if (made) {
        made->chips = (struct bh_topology_chip *)(made + 1);
        made->links = (struct bh_link *)(made->chips + chips);
        made->tiles = (struct bh_tiles *)(made->links + links);
        char *text_of_name = (char *)(made->tiles + chips);
        memcpy(text_of_name, name, strlen(name) + 1);
        made->topology = (struct bh_topology){.name = text_of_name,
                                              .chips = made->chips,
                                              .chip_count = (unsigned)chips,
                                              .links = made->links,
                                              .link_count = (unsigned)links};
    }
    return made;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static enum bh_status read_own(const char *path, struct made **made, struct bh_error *error)
{
    struct own_form form = {.board = BH_BOARD_FULL};
    struct schema_file *file;
    enum bh_status status = schema_load(path, &topology_file_schema, &form, &file, error);
    *made = status == BH_OK ? make(base_of(path), form.chips, form.links_count) : NULL;
    if (status == BH_OK && !*made) {
        status = fail(error, BH_ERROR_MEMORY, "%s: out of memory", path);
    }
    for (unsigned i = 0; *made && i < form.chips; i++) {
        enum { KIND_P150A = 0x400 }; /* the upper half of BOARD_ID */
        (*made)->chips[i] = (struct bh_topology_chip){
            .board = form.board, .board_id = ((uint64_t)KIND_P150A << 32) + 1 + i, .asic_id = i + 1};
    }
    for (unsigned i = 0; *made && i < form.links_count; i++) {
        const uint32_t *link = form.links[i];
        (*made)->links[i] = (struct bh_link){{{link[0], link[1]}, {link[2], link[3]}}};
    }
    schema_free(file);
    return status;
}

/* Chips are numbered from 0 on. */
static enum bh_status check_chip(const struct schema_file *file, const struct descriptor *descriptor, const void *what,
                                 uint64_t chip, struct bh_error *error)
{
    return chip < descriptor->arch_count ? BH_OK
                                         : schema_fail(file, what, error, BH_ERROR_FORMAT,
                                                       "there is no chip %llu; arch has %u, which are counted from 0",
                                                       (unsigned long long)chip, descriptor->arch_count);
}

static enum bh_status check_arch(const struct schema_file *file, const struct descriptor *descriptor,
                                 struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < descriptor->arch_count; i++) {
        status = check_chip(file, descriptor, &descriptor->arch, descriptor->arch[i].chip, error);
        if (status == BH_OK && strcasecmp(descriptor->arch[i].value, "blackhole") != 0) {
            status = schema_fail(file, &descriptor->arch, error, BH_ERROR_FORMAT, "arch: chip %u is a %s, no blackhole",
                                 descriptor->arch[i].chip, descriptor->arch[i].value);
        }
    }
    return status;
}

/* From the order of x to that of the telemetry's ENABLED_TENSIX_COL: 1, 16, 2, 15, ... */
static uint16_t tensix_columns_of(uint32_t mask)
{
    uint16_t columns = 0;
    for (unsigned i = 0; i < TENSIX_COLUMNS; i++) {
        unsigned bit = i < TENSIX_COLUMNS / 2 ? 2 * i : 2 * (TENSIX_COLUMNS - 1 - i) + 1;
        columns |= (uint16_t)(!(mask >> i & 1) << bit);
    }
    return columns;
}

static enum bh_status fill_chips(const struct schema_file *file, const struct descriptor *descriptor, struct made *made,
                                 struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < descriptor->arch_count; i++) {
        made->tiles[i] = (struct bh_tiles){.tensix_columns = (1 << TENSIX_COLUMNS) - 1,
                                           .ethernet = (1 << ETHERNET_TILES) - 1,
                                           .dram = (1 << DRAM_CHANNELS) - 1};
        made->chips[i] = (struct bh_topology_chip){
            .board = BH_BOARD_P150A, .tiles = &made->tiles[i], .board_id = 1 + i, .asic_id = i + 1};
    }
    for (unsigned i = 0; status == BH_OK && i < descriptor->harvesting_count; i++) {
        const struct numbered_masks *masks = &descriptor->harvesting[i];
        status = check_chip(file, descriptor, &descriptor->harvesting, masks->chip, error);
        if (status == BH_OK) {
            struct bh_tiles *tiles = &made->tiles[masks->chip];
            tiles->tensix_columns = tensix_columns_of(masks->value.harvest_mask);
            tiles->ethernet &= (uint16_t)~masks->value.eth_harvesting_mask;
            tiles->dram &= (uint8_t)~masks->value.dram_harvesting_mask;
        }
    }
    for (unsigned i = 0; status == BH_OK && i < descriptor->chip_unique_ids_count; i++) {
        const struct numbered_number *id = &descriptor->chip_unique_ids[i];
        status = check_chip(file, descriptor, &descriptor->chip_unique_ids, id->chip, error);
        if (status == BH_OK) {
            made->chips[id->chip].asic_id = id->value;
        }
    }
    for (unsigned i = 0; status == BH_OK && i < descriptor->asic_locations_count; i++) {
        const struct numbered_number *location = &descriptor->asic_locations[i];
        status = check_chip(file, descriptor, &descriptor->asic_locations, location->chip, error);
        if (status == BH_OK) {
            made->chips[location->chip].asic_location = (unsigned)location->value;
        }
    }
    return status;
}

static enum bh_status fill_board(const struct schema_file *file, const struct descriptor *descriptor,
                                 const struct board_fact *board_facts, struct made *made, struct bh_error *error)
{
    const uint64_t *id = NULL;
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < BOARD_FACTS; i++) {
        id = board_facts[i].board_id ? board_facts[i].board_id : id;
    }
    for (unsigned i = 0; i < BOARD_FACTS; i++) {
        for (unsigned j = 0; status == BH_OK && j < board_facts[i].chips_count; j++) {
            uint32_t chip = board_facts[i].chips[j];
            status = check_chip(file, descriptor, &descriptor->boards, chip, error);
            if (status == BH_OK && id) {
                made->chips[chip].board_id = *id;
            }
        }
    }
    return status;
}

static enum bh_status fill(const struct schema_file *file, const struct descriptor *descriptor, struct made *made,
                           struct bh_error *error)
{
    enum bh_status status = fill_chips(file, descriptor, made, error);
    for (unsigned i = 0; status == BH_OK && i < descriptor->boards_count; i++) {
        status = fill_board(file, descriptor, descriptor->boards[i], made, error);
    }
    for (unsigned i = 0; status == BH_OK && i < descriptor->ethernet_connections_count; i++) {
        for (unsigned j = 0; status == BH_OK && j < 2; j++) {
            const struct end *end = &descriptor->ethernet_connections[i][j];
            status = check_chip(file, descriptor, end, end->chip, error);
            made->links[i].end[j] = (struct bh_link_end){end->chip, end->chan};
        }
    }
    return status;
}

static enum bh_status read_descriptor(const char *path, struct made **made, struct bh_error *error)
{
    struct descriptor descriptor = {0};
    struct schema_file *file;
    enum bh_status status = schema_load(path, &descriptor_value, &descriptor, &file, error);
    *made = NULL;
    if (status == BH_OK && (descriptor.arch_count == 0 || descriptor.arch_count > BH_SYSTEM_CHIPS)) {
        status = schema_fail(file, &descriptor.arch, error, BH_ERROR_FORMAT, "arch: %u chips; there may be 1 to %u",
                             descriptor.arch_count, BH_SYSTEM_CHIPS);
    }
    status = status == BH_OK ? check_arch(file, &descriptor, error) : status;
    if (status == BH_OK) {
        *made = make(base_of(path), descriptor.arch_count, descriptor.ethernet_connections_count);
        status =
            *made ? fill(file, &descriptor, *made, error) : fail(error, BH_ERROR_MEMORY, "%s: out of memory", path);
    }
    schema_free(file);
    return status;
}

enum bh_status bh_topology_load(const char *path, struct bh_topology **topology, struct bh_error *error)
{
    struct form form = {0};
    struct schema_file *file;
    struct made *made = NULL;
    if (!path || !topology) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the topology");
    }
    *topology = NULL;
    enum bh_status status = schema_load(path, &form_value, &form, &file, error);
    bool is_descriptor = status == BH_OK && form.arch_count;
    schema_free(file);
    if (status == BH_OK) {
        status = is_descriptor ? read_descriptor(path, &made, error) : read_own(path, &made, error);
    }
    if (status != BH_OK) {
        free(made);
        return status;
    }
    *topology = &made->topology;
    return BH_OK;
}
