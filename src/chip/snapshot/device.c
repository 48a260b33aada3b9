/* A device in a snapshot, and snapshots in memory (include/bhemu/snapshot.h). */
#include "bhemu/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/quantum.h"
#include "chip/snapshot/parts.h"
#include "noc/traffic.h"

/* Identity: a device of another kind is not loaded. */

struct identity {
    uint32_t mode, tensix_columns, ethernet, dram;
    uint64_t board;
    uint32_t chip, chips;
};

static struct identity identity_of(const struct bh_device *device)
{
    const struct board *board = &device->board;
    return (struct identity){device->config.mode, board->tiles.tensix_columns, board->all_ethernet,
                             board->tiles.dram,   board->chip.board_id,        device->chip,
                             device->chips};
}

static void archive_identity(struct archive *archive, struct bh_device *device)
{
    struct identity own = identity_of(device), found = own;
    archive_section(archive, "identity");
    ARCHIVE_RAW(archive, found);
    archive_end_section(archive);
    if (!archive->loads || archive->wrong) {
        return;
    }
    if (found.mode != own.mode) {
        archive_wrong(archive, own.mode == BH_MODE_TIMED ? "it is of functional mode, and the device is in timed mode"
                                                         : "it is of timed mode, and the device is in functional mode");
    } else if (found.chip != own.chip || found.chips != own.chips) {
        archive_wrong(archive, "it is of another chip of a system, or of one that is in none");
    } else if (found.board != own.board) {
        archive_wrong(archive, "it is of another board");
    } else if (found.tensix_columns != own.tensix_columns || found.ethernet != own.ethernet || found.dram != own.dram) {
        archive_wrong(archive, "it is of a board with other tiles");
    }
}

/* The device. */

/* Coordinates are translated as if these tiles were present. */
static void archive_translation(struct archive *archive, struct noc_translation *translation)
{
    struct noc_tiles arranged = translation->arranged;
    uint8_t pcie_x = translation->pcie_x;
    ARCHIVE_RAW(archive, arranged.tensix_columns);
    ARCHIVE_RAW(archive, arranged.ethernet);
    ARCHIVE_RAW(archive, arranged.dram);
    ARCHIVE_RAW(archive, pcie_x);
    if (archive->loads) {
        if (pcie_x >= NOC_WIDTH) {
            archive_wrong(archive, "its PCIe tile is nowhere");
            return;
        }
        noc_translation_arrange(translation, arranged, pcie_x);
    }
    archive_flag(archive, &translation->off);
}

/* When the device is next looked at by somebody who acts on what he sees. */
static void archive_visits(struct archive *archive, struct device_visitor *visitor)
{
    while (visitor && !visitor->acts) {
        visitor = visitor->next;
    }
    uint64_t due = visitor ? visitor->due : 0, interval = visitor ? visitor->interval : 0;
    ARCHIVE_RAW(archive, due);
    ARCHIVE_RAW(archive, interval);
    if (archive->loads && visitor && interval) {
        visitor->due = due;
        visitor->interval = interval;
    }
}

static void archive_clocks(struct archive *archive, struct bh_device *device)
{
    archive_section(archive, "device");
    archive_translation(archive, &device->translation);
    ARCHIVE(archive, device->ran);
    archive_flag(archive, &device->stopped);
    archive_flag(archive, &device->any_dead);
    ARCHIVE(archive, device->told);
    ARCHIVE(archive, device->clock);
    ARCHIVE(archive, device->quantum);
    ARCHIVE(archive, device->lag);
    ARCHIVE(archive, device->early);
    archive_flag(archive, &device->early_stop);
    ARCHIVE(archive, device->ahead);
    ARCHIVE(archive, device->series);
    ARCHIVE(archive, device->requested);
    archive_flag(archive, &device->exchanged);
    archive_flag(archive, &device->attended);
    ARCHIVE(archive, device->tile_quantum);
    ARCHIVE(archive, device->looked_at);
    archive_flag(archive, &device->blocked);
    ARCHIVE(archive, device->pace);
    ARCHIVE(archive, device->written_at);
    ARCHIVE(archive, device->host_wrote_at);
    ARCHIVE(archive, device->busy_until);
    ARCHIVE(archive, device->noc_busy_until);
    ARCHIVE(archive, device->worked_at);
    ARCHIVE(archive, device->reset_at);
    ARCHIVE(archive, device->began_at);
    archive_visits(archive, device->visitor);
    archive_end_section(archive);
}

/* Whether what is said of tiles is said of those that were reached. */
static bool knows_its_tiles(const struct bh_device *device)
{
    bool known = true;
    for (unsigned word = 0; word < DEVICE_BITMAP_WORDS; word++) {
        uint64_t said = device->active[word] | device->known[word] | device->resting[word];
        known &= !(said & ~device->ready[word]);
    }
    for (unsigned i = 0; i < 64 * NETWORK_BITMAP_WORDS; i++) {
        bool waits = device->network.waiting[i / 64] >> i % 64 & 1;
        known &= !waits || (i < NETWORK_INITIATORS && device->network.initiator[i]);
    }
    return known;
}

/* Which tiles have anything to run: after they are connected, which says that they have. */
static void archive_activity(struct archive *archive, struct bh_device *device)
{
    archive_section(archive, "activity");
    ARCHIVE(archive, device->active);
    ARCHIVE(archive, device->known);
    ARCHIVE(archive, device->resting);
    ARCHIVE(archive, device->resting_cores);
    ARCHIVE(archive, device->rested_at);
    archive_flag(archive, &device->network.told);
    ARCHIVE(archive, device->network.waiting);
    if (archive->loads && device->network.traffic) {
        device->network.copies = (1u << DRAM_CHANNELS) - 1; /* wherever there may be any */
    }
    if (archive->loads && !knows_its_tiles(device)) {
        archive_wrong(archive, "it says that tiles run which nobody has reached");
    }
    archive_end_section(archive);
}

/* The cores of DRAM tiles that somebody has reached. */
static void archive_dram_cores(struct archive *archive, struct bh_device *device)
{
    for (unsigned number = 0; number < DRAM_TILES; number++) {
        bool connected = device->network.dram_core[number].read != NULL;
        archive_flag(archive, &connected);
        if (connected && !device->ports.dram[number].device) {
            archive_wrong(archive, "it has the core of a DRAM tile which nobody has reached");
        } else if (connected) {
            ports_connect_dram_core(device, number);
        }
    }
}

/* Tiles that somebody has reached. */
static void archive_connections(struct archive *archive, struct bh_device *device)
{
    archive_section(archive, "connections");
    for (unsigned y = 0; y < NOC_HEIGHT; y++) {
        for (unsigned x = 0; x < NOC_WIDTH; x++) {
            bool connected = device->network.endpoint[y][x].read != NULL;
            archive_flag(archive, &connected);
            if (connected) {
                (void)network_endpoint(&device->network, x, y);
            }
        }
    }
    archive_dram_cores(archive, device);
    archive_end_section(archive);
}

static void archive_pcie(struct archive *archive, struct pcie *pcie)
{
    memset(pcie->diagnostics.repeated, 0, sizeof pcie->diagnostics.repeated);
    archive_section(archive, "pcie");
    ARCHIVE(archive, pcie->config);
    ARCHIVE(archive, pcie->tlb);
    ARCHIVE(archive, pcie->iatu);
    ARCHIVE(archive, pcie->dma);
    ARCHIVE(archive, pcie->niu);
    ARCHIVE(archive, pcie->device_control);
    ARCHIVE(archive, pcie->diagnostics);
    archive_end_section(archive);
}

static void archive_arc(struct archive *archive, struct arc *arc)
{
    memset(arc->diagnostics.repeated, 0, sizeof arc->diagnostics.repeated);
    archive_section(archive, "arc");
    ARCHIVE(archive, arc->diagnostics);
    ARCHIVE(archive, arc->niu);
    ARCHIVE(archive, arc->scratch);
    ARCHIVE(archive, arc->scratch_ram);
    ARCHIVE(archive, arc->misc_control);
    ARCHIVE(archive, arc->manager);
    if (archive->loads) {
        memset(arc->csm, 0, sizeof arc->csm);
    }
    archive_memory(archive, arc->csm, sizeof arc->csm);
    archive_memory(archive, arc->flash, sizeof arc->flash);
    archive_end_section(archive);
}

static void archive_absent(struct archive *archive, struct bh_device *device)
{
    struct absent *absent = &device->absent;
    archive_section(archive, "absent");
    for (unsigned i = absent_next(absent, 0); i < ABSENT_TILES; i = absent_next(absent, i + 1)) {
        struct diagnostics *diagnostics = &absent->tile[i].diagnostics;
        memset(diagnostics->repeated, 0, sizeof diagnostics->repeated);
        ARCHIVE(archive, absent->tile[i]);
        diagnostics_set_policy(diagnostics, device->config.policy);
    }
    ARCHIVE(archive, device->ports.dram_niu);
    archive_end_section(archive);
}

static void archive_tiles(struct archive *archive, struct bh_device *device)
{
    char name[ARCHIVE_NAME];
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        if (device->ready[i / 64] >> i % 64 & 1) {
            snprintf(name, sizeof name, "tensix %u", i);
            archive_section(archive, name);
            archive_tensix(archive, device, i);
            archive_end_section(archive);
        }
    }
    for (unsigned channel = 0; channel < ETHERNET_TILES; channel++) {
        if (device_ethernet_ready(device, channel)) {
            snprintf(name, sizeof name, "ethernet %u", channel);
            archive_section(archive, name);
            archive_ethernet(archive, &device->ethernet[channel]);
            archive_end_section(archive);
            diagnostics_set_policy(&device->ethernet[channel].tile.diagnostics, device->config.policy);
        }
    }
    for (unsigned number = 0; number < DRAM_TILES; number++) {
        if (device_core_ready(device, ETHERNET_TILES + number)) {
            snprintf(name, sizeof name, "DRAM core %u", number);
            archive_section(archive, name);
            archive_dram_tile(archive, &device->dram_tiles[number]);
            archive_end_section(archive);
            diagnostics_set_policy(&device->dram_tiles[number].tile.diagnostics, device->config.policy);
        }
    }
}

static bool block_is_written(const struct dram *dram, unsigned channel, uint32_t block)
{
    return dram->written[channel][block / 64] >> block % 64 & 1;
}

/* The blocks of a channel that were written, each with its number; then the number behind the last block. */
static void archive_channel(struct archive *archive, struct dram *dram, unsigned channel)
{
    uint32_t block = 0;
    do {
        while (!archive->loads && block < DRAM_BLOCKS && !block_is_written(dram, channel, block)) {
            block++;
        }
        block = archive_number(archive, block, DRAM_BLOCKS + 1);
        if (block < DRAM_BLOCKS && !archive->wrong) {
            uint64_t address = (uint64_t)block * DRAM_BLOCK;
            dram_written(dram, channel, address, 1);
            archive_memory(archive, dram->channel[channel] + address, DRAM_BLOCK);
        }
    } while (block++ < DRAM_BLOCKS && !archive->wrong);
}

static void archive_dram(struct archive *archive, struct bh_device *device)
{
    archive_section(archive, "dram");
    for (unsigned channel = 0; channel < DRAM_CHANNELS; channel++) {
        bool there = device->dram.channel[channel] != NULL;
        archive_flag(archive, &there);
        if (there && !dram_map(&device->dram, channel)) {
            archive_no_memory(archive);
        } else if (there) {
            archive_channel(archive, &device->dram, channel);
        }
    }
    archive_end_section(archive);
}

/* As after its creation, but for its clock, diagnostics, and what belongs to the host. */
static void clear(struct bh_device *device)
{
    struct traffic *traffic = device->network.traffic;
    device_forget_tiles(device);
    device->resets++;
    traffic_reset(traffic);
    device->network = (struct network){.traffic = traffic};
    memset(&device->ports, 0, sizeof device->ports);
    memset(&device->pcie, 0, sizeof device->pcie);
    absent_forget(&device->absent);
    device_clear_arc(device);
    device_create_tiles(device);
}

/* Observers are told of what differs from now on. */
static void observe(struct bh_device *device)
{
    for (unsigned i = 0; device->observers.tiles && i < OBSERVED_TILES; i++) {
        struct observed *observed = &device->observers.tiles[i];
        memset(observed->core, 0, sizeof observed->core);
        memset(observed->thread, 0, sizeof observed->thread);
    }
    for (unsigned y = 0; y < NOC_HEIGHT; y++) {
        for (unsigned x = 0; x < NOC_WIDTH; x++) {
            observers_connect(device, x, y);
        }
    }
    observers_set_clock(device);
}

static void note_next_acts(struct bh_device *device)
{
    for (unsigned i = device_next_tile(device->ready, 0); i < TENSIX_TILES;
         i = device_next_tile(device->ready, i + 1)) {
        device_note_next_act(device, i);
    }
}

void archive_device(struct archive *archive, struct bh_device *device)
{
    archive_identity(archive, device);
    if (archive->wrong) {
        return;
    }
    if (archive->loads) {
        clear(device);
    }
    archive_connections(archive, device);
    archive_clocks(archive, device);
    archive_tiles(archive, device);
    archive_pcie(archive, &device->pcie);
    archive_arc(archive, &device->arc);
    archive_absent(archive, device);
    archive_dram(archive, device);
    archive_wire(archive, &device->wire);
    if (device->network.traffic) {
        archive_section(archive, "traffic");
        archive_traffic(archive, &device->network);
        archive_end_section(archive);
    }
    archive_activity(archive, device);
    if (archive->loads) {
        diagnostics_set_policy(&device->pcie.diagnostics, device->config.policy);
        if (device->arc.chip.act) { /* somebody has reached it */
            diagnostics_set_policy(&device->arc.diagnostics, device->config.policy);
        }
        observe(device);
        note_next_acts(device);
    }
}
