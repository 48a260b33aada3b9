/* Accesses of the host: to tiles by their coordinates, and through PCIe. */
#include <stdlib.h>
#include <string.h>

#include "bhemu/pci.h"
#include "chip/quantum.h"
#include "chip/remote.h"
#include "noc/journey.h"
#include "noc/observe.h"
#include "tile/mmio.h"
#include "tile/observe.h"

/* Diagnostics name the host from now on. */
static void host_acts(const struct bh_device *device, struct diagnostics *diagnostics)
{
    diagnostics->now = (struct diagnostic_origin){.agent = BH_AGENT_HOST, .cycle = device->clock};
}

static enum bh_status status_of(enum step step)
{
    return step == STEP_DONE ? BH_OK : BH_ERROR_ADDRESS;
}

/* The same of a read: of one that is refused, of a device that goes on, all ones come. */
static enum bh_status read_status(const struct bh_device *device, enum step step, void *data, uint32_t size)
{
    if (step != STEP_DONE && device_goes_on(device) && data) {
        memset(data, 0xff, size);
    }
    return status_of(step);
}

static struct noc_endpoint *endpoint_at(struct bh_device *device, const struct pcie_place *place, uint64_t address)
{
    struct noc_endpoint *endpoint = network_endpoint(&device->network, place->x, place->y);
    endpoint = endpoint_side(endpoint, place->noc, address);
    if (endpoint->via) {
        *endpoint->via = (uint8_t)place->noc;
    }
    return endpoint;
}

/* Whether the tile, which is connected, runs programs, and its index. One that is left out of the board does not. */
static bool runs_programs(const struct bh_device *device, const struct noc_endpoint *endpoint, unsigned *index)
{
    if (tensix_index(endpoint->x, endpoint->y, index)) {
        return device_used(device, *index);
    }
    const struct dram_port *dram = endpoint->context;
    switch (noc_tile_kind(endpoint->x, endpoint->y)) {
    case TILE_ETHERNET: *index = TENSIX_TILES + die_index(endpoint->x); break;
    case TILE_DRAM: *index = TENSIX_TILES + ETHERNET_TILES + dram->number; break;
    default: return false;
    }
    return endpoint->outbox && device_core_ready(device, *index - TENSIX_TILES);
}

/* Whether reading these registers has a side effect that other readers notice. */
static bool read_consumes(uint64_t address, uint32_t size)
{
    for (uint64_t word = address; word < address + size && word <= UINT32_MAX; word += 4) {
        if (load_consumes((uint32_t)word)) {
            return true;
        }
    }
    return false;
}

/* Runs a tile as far as the host is to see it. A tile at rest stays at rest if the access allows it. */
static void show(struct bh_device *device, unsigned index, uint64_t address, uint32_t size)
{
    device_show(device, index);
    if (address < L1_SIZE || index >= TENSIX_TILES) {
        return;
    }
    if (read_consumes(address, size)) {
        device_wake(device, index);
        device->blocked = false;
    } else if (device_rests(device, index)) {
        device_show_resting(device, index);
    }
}

/* Counts an access through a window in the NIUs of both sides: one request. */
static void count_access(struct bh_device *device, const struct noc_endpoint *endpoint, const struct pcie_place *place,
                         bool write, uint32_t size)
{
    struct niu *from = &device->pcie.niu.niu[place->noc], *to = endpoint->niu ? &endpoint->niu[place->noc] : NULL;
    uint32_t flits = noc_flits(size);
    unsigned posted = write && place->posted ? POSTED : 0;
    if (!place->counted || !to) {
        return;
    }
    if (!write) {
        niu_count(from, NIU_MST_RD_REQ_SENT, 1);
        niu_count(to, NIU_SLV_REQ_ACCEPTED, 1);
        niu_count(to, NIU_SLV_RD_REQ_RECEIVED, 1);
        niu_count(to, NIU_SLV_RD_RESP_SENT, 1);
        niu_count(to, NIU_SLV_RD_DATA_WORD_SENT, flits);
        niu_count(from, NIU_MST_RD_RESP_RECEIVED, 1);
        niu_count(from, NIU_MST_RD_DATA_WORD_RECEIVED, flits);
        return;
    }
    niu_count(from, NIU_MST_NONPOSTED_WR_REQ_SENT + posted, 1);
    niu_count(from, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT + posted, flits);
    niu_count(to, NIU_SLV_NONPOSTED_WR_REQ_STARTED + posted, 1);
    niu_count(to, NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED + posted, flits);
    niu_count(to, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED + posted, 1);
    if (!posted) {
        niu_count(to, NIU_SLV_WR_ACK_SENT, 1);
        niu_count(from, NIU_MST_WR_ACK_RECEIVED, 1);
    }
}

static void tell_access(struct bh_device *device, struct noc_endpoint *endpoint, bool write, uint64_t address,
                        uint32_t size, const void *data)
{
    unsigned index;
    endpoint->observed->cycle = device->clock;
    observed_access(endpoint->observed, (struct actor){.agent = BH_AGENT_HOST}, endpoint_space(endpoint, address),
                    write, address & ~endpoint->ignored, size, data);
    if (write && tensix_index(endpoint->x, endpoint->y, &index)) {
        tile_tell_changes(&device->tiles[index]);
    }
}

/* A tile that an error has stopped is reset by the host's write to SOFT_RESET_0 that holds all of its cores. Returns
   whether this is such a write. */
static bool brings_back(struct bh_device *device, unsigned index, uint64_t address, const void *data, uint32_t size)
{
    enum { TENSIX_CORES = 0x47800, ETHERNET_CORES_HELD = 1 << 11 | 1 << 12, DRAM_CORE_HELD = 1 << 11 };
    bool tensix = index < TENSIX_TILES, ethernet = index < TENSIX_TILES + ETHERNET_TILES;
    uint32_t all = tensix ? TENSIX_CORES : ethernet ? ETHERNET_CORES_HELD : DRAM_CORE_HELD, word;
    if (address != MMIO_ADDRESS_SOFT_RESET_0 || size != sizeof word) {
        return false;
    }
    memcpy(&word, data, sizeof word);
    if ((word & all) != all) {
        return false;
    }
    if (tensix) {
        device_reset_tensix(device, index);
    } else {
        device_reset_core_tile(device, index - TENSIX_TILES);
    }
    return true;
}

/* Reads all, or leaves the host's bytes as they are: registers are read one by one, and any may be refused. */
static enum step read_whole(const struct noc_endpoint *endpoint, uint64_t address, void *data, uint32_t size)
{
    uint8_t few[64];
    bool memory = address < endpoint->memory && size <= endpoint->memory - address; /* which is copied at once */
    uint8_t *bytes = size <= sizeof few ? few : memory ? NULL : malloc(size);
    if (!bytes) {
        return endpoint->read(endpoint->context, address, data, size);
    }
    enum step step = endpoint->read(endpoint->context, address, bytes, size);
    if (step == STEP_DONE) {
        memcpy(data, bytes, size);
    }
    if (bytes != few) {
        free(bytes);
    }
    return step;
}

/* What the host writes to GDDR comes behind the copies that cores of DRAM tiles have had made before. */
static void reach_copies(struct bh_device *device, const struct noc_endpoint *endpoint)
{
    const struct dram_port *written = endpoint->context;
    for (unsigned number = 0; number < DRAM_TILES && endpoint_is_dram(endpoint); number++) {
        if (device->ports.dram[number].channel == written->channel &&
            device_core_ready(device, ETHERNET_TILES + number)) {
            device_reach(device, TENSIX_TILES + ETHERNET_TILES + number);
        }
    }
}

/* A refused access changes nothing and does not stop the tile: the status tells the host. */
static enum step access_endpoint(struct bh_device *device, const struct pcie_place *place, uint64_t address, void *read,
                                 const void *write, uint32_t size)
{
    struct noc_endpoint *endpoint = endpoint_at(device, place, address);
    /* DRAM tiles have none of their own */
    struct diagnostics *diagnostics = endpoint->diagnostics ? endpoint->diagnostics : &device->pcie.diagnostics;
    unsigned index;
    device->blocked &= read != NULL;
    if (runs_programs(device, endpoint, &index)) {
        if (!read) {
            device_reach(device, index);
            if (device_is_dead(device, diagnostics) && brings_back(device, index, address, write, size)) {
                return STEP_DONE; /* its cores are held */
            }
        } else if (!device_is_dead(device, diagnostics)) {
            show(device, index, address, size);
        }
    } else if (!read && device->ready_cores >> ETHERNET_TILES) {
        reach_copies(device, endpoint);
    }
    bool was_stopped = diagnostics->stopped;
    host_acts(device, diagnostics);
    enum step step =
        read ? read_whole(endpoint, address, read, size) : endpoint->write(endpoint->context, address, write, size);
    diagnostics->stopped = was_stopped;
    device_deliver(device, diagnostics);
    if (step == STEP_DONE && endpoint->observed) {
        tell_access(device, endpoint, write != NULL, address, size, read ? read : write);
    }
    if (step == STEP_DONE) {
        count_access(device, endpoint, place, write != NULL, size);
    }
    return step;
}

/* Tiles by their places: what the PCIe tile reaches. */

static enum step tile_at_read(void *context, const struct pcie_place *place, uint64_t address, void *data,
                              uint32_t size)
{
    struct bh_device *device = context;
    return access_endpoint(device, place, address, data, NULL, size);
}

static enum step tile_at_write(void *context, const struct pcie_place *place, uint64_t address, const void *data,
                               uint32_t size)
{
    struct bh_device *device = context;
    return access_endpoint(device, place, address, NULL, data, size);
}

struct pcie_bus device_pcie_bus(struct bh_device *device)
{
    return (struct pcie_bus){.context = device,
                             .tile_read = tile_at_read,
                             .tile_write = tile_at_write,
                             .host = device->config.context,
                             .host_read = device->config.host_read,
                             .host_write = device->config.host_write};
}

/* Tiles by translated coordinates. */

enum bh_status bh_write(struct bh_device *device, unsigned x, unsigned y, uint64_t address, const void *data,
                        uint32_t size)
{
    struct pcie_place place = {0};
    if (device_is_remote(device) && (data || !size)) {
        return device_call(
            device, &(struct remote_call){
                        .function = REMOTE_WRITE, .x = x, .y = y, .address = address, .bytes = data, .size = size});
    }
    if (!device || !noc_translate(&device->translation, x, y, &place.x, &place.y) || (!data && size)) {
        return BH_ERROR_ARGUMENT;
    }
    return status_of(size ? tile_at_write(device, &place, address, data, size) : STEP_DONE);
}

enum bh_status bh_read(struct bh_device *device, unsigned x, unsigned y, uint64_t address, void *data, uint32_t size)
{
    struct pcie_place place = {0};
    if (device_is_remote(device) && (data || !size)) {
        return device_call(
            device, &(struct remote_call){
                        .function = REMOTE_READ, .x = x, .y = y, .address = address, .data = data, .size = size});
    }
    if (!device || !noc_translate(&device->translation, x, y, &place.x, &place.y) || (!data && size)) {
        return BH_ERROR_ARGUMENT;
    }
    enum step step = size ? tile_at_read(device, &place, address, data, size) : STEP_DONE;
    return read_status(device, step, data, size);
}

/* Resets. */

/* The index of a tile that runs programs, which is connected. */
static bool find_tile(struct bh_device *device, unsigned x, unsigned y, unsigned *index)
{
    struct pcie_place place = {0};
    if (!device || !noc_translate(&device->translation, x, y, &place.x, &place.y)) {
        return false;
    }
    return runs_programs(device, endpoint_at(device, &place, DRISC_L1_TAG), index);
}

enum bh_status bh_tile_reset(struct bh_device *device, unsigned x, unsigned y)
{
    unsigned index;
    if (device_is_remote(device)) {
        return device_call(device, &(struct remote_call){.function = REMOTE_TILE_RESET, .x = x, .y = y});
    }
    if (!find_tile(device, x, y, &index)) {
        return BH_ERROR_ARGUMENT;
    }
    device_settle(device);
    if (index < TENSIX_TILES) {
        device_reset_tensix(device, index);
    } else {
        device_reset_core_tile(device, index - TENSIX_TILES);
    }
    return BH_OK;
}

bool bh_tile_stopped(const struct bh_device *device, unsigned x, unsigned y)
{
    unsigned index;
    if (device_is_remote(device)) {
        uint8_t stopped = 0;
        (void)device_call(device, &(struct remote_call){
                                      .function = REMOTE_TILE_STOPPED, .x = x, .y = y, .data = &stopped, .size = 1});
        return stopped != 0;
    }
    if (!find_tile((struct bh_device *)device, x, y, &index)) { /* connecting it changes nothing */
        return false;
    }
    return index < TENSIX_TILES ? device->states[index].diagnostics.stopped
                                : device_core_tile(device, index - TENSIX_TILES)->diagnostics.stopped;
}

enum bh_status bh_device_reset(struct bh_device *device)
{
    if (!device) {
        return BH_ERROR_ARGUMENT;
    }
    if (device_is_remote(device)) {
        return device_call(device, &(struct remote_call){.function = REMOTE_DEVICE_RESET});
    }
    device_settle(device);
    device_reset(device);
    return BH_OK;
}

/* PCIe. */

/* No error of the PCIe tile stops a tile. */
static enum bh_status finish_pci(struct bh_device *device, enum step step)
{
    device->pcie.diagnostics.stopped = false;
    device_deliver(device, &device->pcie.diagnostics);
    return status_of(step);
}

enum bh_status bh_pci_config_read(struct bh_device *device, uint32_t offset, uint32_t *value)
{
    if (!device || !value) {
        return BH_ERROR_ARGUMENT;
    }
    if (device_is_remote(device)) {
        return device_call(
            device, &(struct remote_call){
                        .function = REMOTE_CONFIG_READ, .address = offset, .data = value, .size = sizeof *value});
    }
    host_acts(device, &device->pcie.diagnostics);
    uint32_t word;
    enum step step = pcie_config_read(&device->pcie.config, offset, &word, &device->pcie.diagnostics);
    if (step == STEP_DONE) {
        *value = word;
    }
    (void)finish_pci(device, step);
    return read_status(device, step, value, sizeof *value);
}

enum bh_status bh_pci_config_write(struct bh_device *device, uint32_t offset, uint32_t value)
{
    if (!device) {
        return BH_ERROR_ARGUMENT;
    }
    if (device_is_remote(device)) {
        return device_call(device,
                           &(struct remote_call){.function = REMOTE_CONFIG_WRITE, .address = offset, .value = value});
    }
    host_acts(device, &device->pcie.diagnostics);
    return finish_pci(device, pcie_config_write(&device->pcie.config, offset, value, &device->pcie.diagnostics));
}

enum bh_status bh_pci_read(struct bh_device *device, uint64_t address, void *data, uint32_t size)
{
    if (!device || (!data && size)) {
        return BH_ERROR_ARGUMENT;
    }
    if (device_is_remote(device)) {
        return device_call(
            device, &(struct remote_call){.function = REMOTE_PCI_READ, .address = address, .data = data, .size = size});
    }
    host_acts(device, &device->pcie.diagnostics);
    enum step step = pcie_bar_read(&device->pcie, address, data, size);
    (void)finish_pci(device, step);
    return read_status(device, step, data, size);
}

enum bh_status bh_pci_write(struct bh_device *device, uint64_t address, const void *data, uint32_t size)
{
    if (!device || (!data && size)) {
        return BH_ERROR_ARGUMENT;
    }
    if (device_is_remote(device)) {
        return device_call(device, &(struct remote_call){
                                       .function = REMOTE_PCI_WRITE, .address = address, .bytes = data, .size = size});
    }
    host_acts(device, &device->pcie.diagnostics);
    device->blocked = false;
    return finish_pci(device, pcie_bar_write(&device->pcie, address, data, size));
}
