#include "chip/remote.h"

#include <sys/mman.h>

#include "bhemu/pci.h"

struct remote_state device_remote_state(const struct bh_device *device)
{
    return (struct remote_state){
        .clock = device->clock, .pace = bh_pace(device), .resets = device->resets, .config = device->pcie.config};
}

void device_take_remote_state(struct bh_device *device, const struct remote_state *state)
{
    device->clock = state->clock;
    device->pace = (uint32_t)state->pace;
    device->resets = state->resets;
    device->pcie.config = state->config;
}

struct bh_device *device_create_remote(const struct device_remote *remote, const struct bh_device_config *config)
{
    void *memory = mmap(NULL, sizeof(struct bh_device), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); /* most of it is never touched */
    struct bh_device *device = memory == MAP_FAILED ? NULL : memory;
    if (device) {
        device->remote = remote;
        device->config = *config;
        device->config.tiles = NULL;
        device->wire.wired = true; /* only its system lets time pass */
    }
    return device;
}

void device_destroy_remote(struct bh_device *device)
{
    if (device) {
        munmap(device, sizeof *device);
    }
}

enum bh_status device_call(const struct bh_device *device, const struct remote_call *call)
{
    return device->remote->call(device->remote->context, call);
}

static enum bh_status answer_stopped(struct bh_device *device, const struct remote_call *call)
{
    *(uint8_t *)call->data = bh_tile_stopped(device, call->x, call->y);
    return BH_OK;
}

static enum bh_status answer_report(struct bh_device *device)
{
    bh_report(device);
    return BH_OK;
}

enum bh_status device_answer(struct bh_device *device, const struct remote_call *call)
{
    unsigned x = call->x, y = call->y;
    enum bh_core core = (enum bh_core)call->core;
    switch (call->function) {
    case REMOTE_READ: return bh_read(device, x, y, call->address, call->data, call->size);
    case REMOTE_WRITE: return bh_write(device, x, y, call->address, call->bytes, call->size);
    case REMOTE_PCI_READ: return bh_pci_read(device, call->address, call->data, call->size);
    case REMOTE_PCI_WRITE: return bh_pci_write(device, call->address, call->bytes, call->size);
    case REMOTE_CONFIG_READ: return bh_pci_config_read(device, (uint32_t)call->address, call->data);
    case REMOTE_CONFIG_WRITE: return bh_pci_config_write(device, (uint32_t)call->address, call->value);
    case REMOTE_CORE_START: return bh_core_start(device, x, y, core, call->value);
    case REMOTE_CORE_STOP: return bh_core_stop(device, x, y, core);
    case REMOTE_TILE_RESET: return bh_tile_reset(device, x, y);
    case REMOTE_TILE_STOPPED: return answer_stopped(device, call);
    case REMOTE_DEVICE_RESET: return bh_device_reset(device);
    case REMOTE_REPORT: return answer_report(device);
    default: return BH_ERROR_ARGUMENT;
    }
}
