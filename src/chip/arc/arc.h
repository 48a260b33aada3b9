/* The ARC tile: the processor that boots the chip and manages it. Its firmware is not executed: what it leaves behind
   for the host, and what it answers, is (chip/arc/firmware.h).
     0x1000_0000  CSM: 512 KiB of RAM, accesses of any size
     0x8000_0000  APB, aligned words: reset unit 0x3_0000 (scratch registers, ARC_MISC_CNTL, reference clock, scratch
                  RAM), NIUs 0x5_0000 and 0x5_8000, MSI catcher 0xb_0000
   Sources: tt-zephyr-platforms bh_arc (status_reg.h, msgqueue.c); tt-umd blackhole_implementation.hpp; ttsim. */
#ifndef BHEMU_CHIP_ARC_ARC_H
#define BHEMU_CHIP_ARC_ARC_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/board.h"
#include "chip/niu_window.h"
#include "debug/diagnostic.h"

enum {
    ARC_X = 8,
    ARC_Y = 0,
    ARC_CSM_BASE = 0x10000000,
    ARC_CSM_SIZE = 512 * 1024,
    ARC_SCRATCH = 8,
    ARC_SCRATCH_RAM = 64,
    ARC_FLASH_SIZE = 64 * 1024 * 1024
};

/* Words of the scratch RAM that have a meaning. */
enum {
    ARC_BOOT_STATUS = 2,
    ARC_EEPROM_BUFFER = 10,
    ARC_MESSAGE_QUEUES = 11,
    ARC_TELEMETRY_VALUES = 12,
    ARC_TELEMETRY_TABLE = 13,
};

/* Settings that the host has made through messages: clocks in MHz, 0: not set. */
struct arc_manager {
    bool busy, flash_unlocked;
    uint32_t clock_forced, clock_least, clock_most, vcorem, counters_frozen;
};

/* Messages that act on the rest of the chip (device_manage.c answers them); the codes are those of the messages. */
enum arc_deed {
    ARC_TRANSLATE = 0x15,
    ARC_REINITIALIZE = 0x20,
    ARC_RESET_CHIP = 0x56,
    ARC_DMA_TO_HOST = 0x9b,
    ARC_DMA_TO_DEVICE = 0x9c,
    ARC_RESET_TILE = 0xae,
    ARC_RESET_TILES = 0xaf,
};

struct arc_chip {
    void *context;
    enum step (*act)(void *context, const uint32_t *request, uint32_t *response); /* request[0] is the message's code */
};

struct arc {
    struct diagnostics diagnostics;
    struct arc_chip chip;
    struct niu_window niu;
    const struct firmware_bundle *firmware;
    const uint64_t *clock; /* the device's clock */
    uint32_t scratch[ARC_SCRATCH], scratch_ram[ARC_SCRATCH_RAM];
    uint32_t misc_control;
    struct arc_manager manager;
    uint8_t csm[ARC_CSM_SIZE];
    uint8_t flash[ARC_FLASH_SIZE]; /* stored complemented: flash begins erased (all ones), and pages that stay erased
                                      take no memory */
};

/* The tile after its firmware has booted. *arc has to be zero. */
void arc_create(struct arc *arc, const struct board *board, const struct noc_translation *translation,
                const struct arc_chip *chip, const uint64_t *clock, enum bh_policy_preset policy);

/* Records in telemetry whether NoC coordinates are translated. */
void arc_tell_translation(struct arc *arc, bool translated);

/* Accesses over the NoC. An access that is refused changes nothing. */
enum step arc_read(struct arc *arc, uint64_t address, void *data, uint32_t size);
enum step arc_write(struct arc *arc, uint64_t address, const void *data, uint32_t size);

#endif
