/* A device that only stands for a chip which another process has: what is done to it is done there. Only accesses,
   resets and reports are; everything else refuses such a device. */
#ifndef BHEMU_CHIP_REMOTE_H
#define BHEMU_CHIP_REMOTE_H

#include "chip/device_state.h"

/* The functions of bhemu/device.h and bhemu/pci.h that reach a chip of another process. */
enum remote_function {
    REMOTE_READ,
    REMOTE_WRITE,
    REMOTE_PCI_READ,
    REMOTE_PCI_WRITE,
    REMOTE_CONFIG_READ,  /* address: the offset; the word is data */
    REMOTE_CONFIG_WRITE, /* value: the word */
    REMOTE_CORE_START,   /* value: the pc */
    REMOTE_CORE_STOP,
    REMOTE_TILE_RESET,
    REMOTE_TILE_STOPPED, /* data: one byte */
    REMOTE_DEVICE_RESET,
    REMOTE_REPORT,
    REMOTE_FUNCTIONS
};

/* One call of them. */
struct remote_call {
    enum remote_function function;
    unsigned x, y, core;
    uint64_t address;
    uint32_t value;
    uint32_t size;     /* in bytes, of one of: */
    void *data;        /* what is read; null: it is none that reads */
    const void *bytes; /* what is written; null: it is none that writes */
};

/* How calls get to the other process: BH_ERROR_LOST if they do not. */
struct device_remote {
    void *context;
    enum bh_status (*call)(void *context, const struct remote_call *call);
};

/* What a process keeps of a chip of another one. */
struct remote_state {
    uint64_t clock, pace; /* bh_clock(), bh_pace() */
    uint32_t resets;
    struct pcie_config config;
};

struct remote_state device_remote_state(const struct bh_device *device);
void device_take_remote_state(struct bh_device *device, const struct remote_state *state);

/* A device that stands for a chip of another process; null: there is no memory. device_destroy_remote() ends it. */
struct bh_device *device_create_remote(const struct device_remote *remote, const struct bh_device_config *config);
void device_destroy_remote(struct bh_device *device);

enum bh_status device_call(const struct bh_device *device, const struct remote_call *call);

/* In the process that has the chip. */
enum bh_status device_answer(struct bh_device *device, const struct remote_call *call);

#endif
