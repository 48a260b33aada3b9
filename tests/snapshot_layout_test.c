/* What is copied to snapshots is plain data; all that is to be is; and it lies in memory as files say that they have it
   (src/chip/snapshot/layout.def). `test.snapshot_layout write FILE` writes that table anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "chip/snapshot/layout.h"
#include "chip/snapshot/parts.h"
#include "host/job_snapshot.h"
#include "noc/traffic.h"
#include "rv32/execute.h"
#include "snapshot_layout.h"

/* Keep the structs in this file's debugging information. */
const struct bh_device *the_device;
const struct flight *the_flight;
const struct traffic *the_traffic;
const struct saved_job *the_job;

/* Structs that are copied whole. */

static const char *const copied[] = {
    "tile_state",  "tile_plain",  "tile_schedule", "tile_circles", "diagnostics",    "clock",      "niu",
    "noc_outbox",  "rv32_core",   "polled",        "classifier",   "ethernet_timer", "overlay",    "pcie_config",
    "gddr_dma",    "rv32_timing", "tlb",           "iatu",         "pcie_dma",       "niu_window", "arc_manager",
    "absent_tile", "flight",      "worm",          "delivery",     "noc_timing",     "saved_job"};
enum { COPIED = sizeof copied / sizeof *copied, WITH_POINTERS = 4 };

/* Those whose pointers are replaced by numbers. */
static const char *const with_pointers[WITH_POINTERS] = {"flight", "worm", "delivery", "noc_timing"};

struct about {
    uint64_t hash;
    bool pointers;
};

static uint64_t add(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static void note(void *context, const struct layout_leaf *leaf)
{
    struct about *about = context;
    about->pointers |= leaf->pointer;
    for (const char *c = leaf->path; *c; c++) {
        about->hash = add(about->hash, (uint8_t)*c);
    }
    about->hash = add(add(about->hash, leaf->offset), leaf->size);
}

static void what_is_copied_has_no_pointers(void **context)
{
    struct layout layout;
    (void)context;
    assert_true(layout_open(&layout));
    for (unsigned i = 0; i < COPIED; i++) {
        struct about about = {0};
        bool expected = false;
        for (unsigned j = 0; j < WITH_POINTERS; j++) {
            expected |= !strcmp(copied[i], with_pointers[j]);
        }
        assert_true(layout_of(&layout, copied[i], note, &about) > 0);
        if (about.pointers != expected) {
            fail_msg("struct %s has pointers", copied[i]);
        }
    }
    layout_close(&layout);
}

/* Structs of which only some members are saved: all others are named here. */

struct mixed {
    const char *name, *others; /* between spaces */
};

static const struct mixed mixed[] = {
    /* given when it is created, or by the device that restores; made by connecting tiles; structs and memory of their
       own; false or none between calls; a count of events that nobody but the host sees */
    {"bh_device",
     " visitor resets config board translation states code_rooms code_buffers ready ready_cores stops_late "
     "exchanging pool observers translator own_translator ethernet dram_tiles dram pcie network ports tiles absent arc "
     "next_act touched "
     "wire horizon chip remote chips "},
    /* pointers; caches; parts that have a struct of their own */
    {"tile",
     " state observed carrier inbox provided l1 core tensix engine timing_words jitter pollings polling accesses "},
    {"core_tile", " kind executing number niu rv32 observed payloads l1 "},
    {"ethernet", " tile channel wire "},
    {"dram_tile", " tile dram channel "},
    {"wire", " wired connected up latency out in "}, /* of the system; message by message: chip/snapshot/wire.c */
    {"pcie", " translation bus "},
    {"arc", " chip firmware clock "},
    {"network", " connect context book copies traffic jitter finishes initiator endpoint dram_core "},
    {"ports", " tensix ethernet dram absent "},
    {"absent", " tile ready "}, /* tiles that are ready */
    /* with numbers for pointers: chip/snapshot/traffic.c */
    {"traffic", " planned visible timing worms inbox "},
    {"worms", " passages cycle some from first spare under_way planned events "},
    {"deliveries", " heap slot count room "},
    {"noc_inbox", " due payloads "},
    /* block by block: chip/snapshot/tiles.c */
    {"l1", " bytes observed code taken code_taken code_blocks code_end entries entry_mask entry_count translated_end "
           "forgotten rewritten "},
    {"dram", " channel written taken "},
    {"noc_translation", " tiles arranged pcie_x column row "}, /* which can be made of the first three */
};
enum { MIXED = sizeof mixed / sizeof *mixed };

/* What of a device was saved. */
struct saved {
    struct chunk {
        const uint8_t *data;
        size_t size;
    } * chunks;
    size_t count;
};

static void note_chunk(void *context, const void *data, size_t size)
{
    struct saved *saved = context;
    if ((saved->count & (saved->count - 1)) == 0) {
        saved->chunks = realloc(saved->chunks, (saved->count ? 2 * saved->count : 1) * sizeof *saved->chunks);
        assert_non_null(saved->chunks);
    }
    saved->chunks[saved->count++] = (struct chunk){data, size};
}

static bool is_saved(const struct saved *saved, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < saved->count; i++) {
        const struct chunk *chunk = &saved->chunks[i];
        if (chunk->data <= data && data + size <= chunk->data + chunk->size) {
            return true;
        }
    }
    return false;
}

/* A device of which every kind of tile is connected, and what is saved of it. */
static struct bh_device *save(struct saved *saved)
{
    static const unsigned tiles[][2] = {{1, 2}, {17, 12}, {20, 25}, {19, 24}, {8, 0}};
    struct bh_device_config config = {.mode = BH_MODE_TIMED};
    struct bh_device *device;
    uint32_t word = 1;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    for (unsigned i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        (void)bh_read(device, tiles[i][0], tiles[i][1], 0, &word, sizeof word);
    }
    (void)bh_read(device, 17, 12, BH_DRISC_L1, &word, sizeof word);
    (void)network_endpoint(&device->network, 0, 1); /* a tile that is absent */
    struct archive *archive = malloc(sizeof *archive);
    assert_non_null(archive);
    archive_begin_save(archive);
    archive->saved = note_chunk;
    archive->context = saved;
    archive_device(archive, device);
    assert_null(archive->wrong);
    archive_end(archive);
    free(archive->bytes);
    free(archive);
    return device;
}

static const void *instance(const struct bh_device *device, const char *name)
{
    const struct traffic *traffic = device->network.traffic;
    const struct {
        const char *name;
        const void *place;
    } places[] = {{"bh_device", device},
                  {"tile", &device->tiles[0]},
                  {"core_tile", &device->ethernet[__builtin_ctzll(device->ready_cores)].tile},
                  {"ethernet", &device->ethernet[__builtin_ctzll(device->ready_cores)]},
                  {"dram_tile", &device->dram_tiles[__builtin_ctzll(device->ready_cores >> ETHERNET_TILES)]},
                  {"wire", &device->wire},
                  {"pcie", &device->pcie},
                  {"arc", &device->arc},
                  {"network", &device->network},
                  {"ports", &device->ports},
                  {"absent", &device->absent},
                  {"traffic", traffic},
                  {"worms", &traffic->worms},
                  {"deliveries", &traffic->planned},
                  {"noc_inbox", &traffic->inbox[0]},
                  {"l1", &device->tiles[0].l1},
                  {"dram", &device->dram},
                  {"noc_translation", &device->translation}};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        if (!strcmp(places[i].name, name)) {
            return places[i].place;
        }
    }
    return NULL;
}

struct check {
    const struct mixed *mixed;
    const struct saved *saved;
    const uint8_t *place;
    uint64_t hash; /* of what is saved */
    unsigned wrong;
};

static void check_member(void *context, const struct layout_leaf *leaf)
{
    struct check *check = context;
    char word[100];
    snprintf(word, sizeof word, " %s ", leaf->path);
    bool other = strstr(check->mixed->others, word) != NULL;
    if (is_saved(check->saved, check->place + leaf->offset, leaf->size) == other) {
        check->wrong++;
        print_error("%s of struct %s %s\n", leaf->path, check->mixed->name,
                    other ? "is saved, and named among what is not"
                          : "is not saved: save it (src/chip/snapshot/), or name it among what need not be");
    }
    if (!other) {
        const struct layout_leaf named = {leaf->path, 0, leaf->size, false};
        struct about about = {.hash = check->hash};
        note(&about, &named);
        check->hash = about.hash;
    }
}

static unsigned check_mixed(const struct layout *layout, uint64_t hashes[MIXED])
{
    struct saved saved = {0};
    struct bh_device *device = save(&saved);
    unsigned wrong = 0;
    for (unsigned i = 0; i < MIXED; i++) {
        struct check check = {.mixed = &mixed[i], .saved = &saved, .place = instance(device, mixed[i].name)};
        assert_non_null(check.place);
        assert_true(layout_members(layout, mixed[i].name, check_member, &check) > 0);
        hashes[i] = check.hash;
        wrong += check.wrong;
    }
    free(saved.chunks);
    bh_device_destroy(device);
    return wrong;
}

static void all_is_saved_that_is_not_excepted(void **context)
{
    struct layout layout;
    uint64_t hashes[MIXED];
    (void)context;
    assert_true(layout_open(&layout));
    assert_int_equal(check_mixed(&layout, hashes), 0);
    layout_close(&layout);
}

/* The table. */

struct line {
    const char *name;
    uint32_t size, hash;
};

enum { LINES = COPIED + MIXED + 1 };

/* Predecoded instructions in marks depend on the numbers of their handlers. */
static uint32_t handlers(void)
{
    uint64_t hash = 0;
    for (uint32_t word = 3; word < 0x10000000; word += 0x1234564) {
        struct rv32_code code = rv32_predecode(word, 0x100);
        uint64_t eight;
        memcpy(&eight, &code, sizeof eight);
        hash = add(hash, eight);
    }
    return (uint32_t)(hash >> 32);
}

static void find_lines(struct line lines[LINES])
{
    struct layout layout;
    uint64_t hashes[MIXED];
    assert_true(layout_open(&layout));
    (void)check_mixed(&layout, hashes);
    for (unsigned i = 0; i < COPIED; i++) {
        struct about about = {0};
        uint64_t size = layout_of(&layout, copied[i], note, &about);
        lines[i] = (struct line){copied[i], (uint32_t)size, (uint32_t)(about.hash >> 32)};
    }
    for (unsigned i = 0; i < MIXED; i++) {
        lines[COPIED + i] = (struct line){mixed[i].name, 0, (uint32_t)(hashes[i] >> 32)};
    }
    lines[LINES - 1] = (struct line){"rv32_code", sizeof(struct rv32_code), handlers()};
    layout_close(&layout);
}

static void layouts_are_those_of_the_format(void **context)
{
    static const struct line table[LINES + 1] = {
#define SNAPSHOT_FORMAT(version)
#define SNAPSHOT_LAYOUT(name, size, hash) {#name, size, hash},
#include "chip/snapshot/layout.def"
#undef SNAPSHOT_FORMAT
#undef SNAPSHOT_LAYOUT
    };
    static struct line lines[LINES];
    (void)context;
    find_lines(lines);
    for (unsigned i = 0; i < LINES; i++) {
        const struct line *line = &table[i];
        if (!line->name || strcmp(line->name, lines[i].name) != 0 || line->size != lines[i].size ||
            line->hash != lines[i].hash) {
            fail_msg(
                "struct %s has changed, and so have snapshots: scripts/update-snapshot-layout makes a new version of "
                "their format",
                lines[i].name);
        }
    }
    assert_null(table[LINES].name);
}

/* Writes the table, of the next version. */
static int write_table(const char *path)
{
    static struct line lines[LINES];
    find_lines(lines);
    FILE *out = fopen(path, "w");
    if (!out) {
        return 1;
    }
    fputs("/* What is copied to snapshots: structs, their sizes, and hashes of their members' names, places and sizes. "
          "Of\n"
          "   size 0: structs of which some members are saved, and hashes of these. scripts/update-snapshot-layout "
          "writes\n"
          "   this file when tests/snapshot_layout_test.c says that something has changed. */\n",
          out);
    fprintf(out, "SNAPSHOT_FORMAT(%d)\n", SNAPSHOT_VERSION + 1);
    for (unsigned i = 0; i < LINES; i++) {
        fprintf(out, "SNAPSHOT_LAYOUT(%s, %u, 0x%08x)\n", lines[i].name, lines[i].size, lines[i].hash);
    }
    return fclose(out) != 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_copied_has_no_pointers),
                                       cmocka_unit_test(all_is_saved_that_is_not_excepted),
                                       cmocka_unit_test(layouts_are_those_of_the_format)};
    return argc == 3 && !strcmp(argv[1], "write") ? write_table(argv[2]) : cmocka_run_group_tests(tests, NULL, NULL);
}
