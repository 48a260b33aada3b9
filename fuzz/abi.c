/* A client of libttsim.so: environment variables, then calls of the C ABI in any order. A violation calls _Exit(),
   which abi/ is compiled to replace by fuzz_exit(): it ends the input. */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../abi/libttsim.h"
#include "fuzz.h"
#include "script.h"
#include "silence.h"

enum { VALUE = 100, ACCESS = 300, CALLS = 300, HOST_MEMORY_SIZE = 1 << 12 };

static jmp_buf violation;

_Noreturn void fuzz_exit(int status);

_Noreturn void fuzz_exit(int status)
{
    longjmp(violation, 1);
}

static uint8_t host[HOST_MEMORY_SIZE];

static void dma_read(uint64_t address, void *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        ((uint8_t *)data)[i] = host[(address + i) % HOST_MEMORY_SIZE];
    }
}

static void dma_write(uint64_t address, const void *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        host[(address + i) % HOST_MEMORY_SIZE] = ((const uint8_t *)data)[i];
    }
}

/* Sets a variable to one of these texts, or to bytes of the input. */
static void set_variable(struct script *script, const char *name, const char *const texts[], unsigned count)
{
    char value[VALUE + 1] = {0};
    uint32_t choice = take(script, 1);
    if (choice < 256 - VALUE) {
        setenv(name, texts[choice % count], 1);
        return;
    }
    for (uint32_t i = 0; i < choice - (256 - VALUE); i++) {
        value[i] = (char)take(script, 1);
    }
    setenv(name, value, 1);
}

static void set_environment(struct script *script)
{
    static const char *const policies[] = {"", "default", "strict", "silicon"};
    static const char *const boards[] = {"", "full", "p100a", "p150a", "p150a,tensix=0x3fff,ethernet=1,dram=0x0f"};
    static const char *const threads[] = {"", "1", "2"};
    static const char *const cycles[] = {"", "0", "300", "999999"};
    set_variable(script, "BHEMU_POLICY", policies, 4);
    set_variable(script, "BHEMU_BOARD", boards, 5);
    set_variable(script, "BHEMU_THREADS", threads, 3);
    set_variable(script, "BHEMU_HOST_CYCLES", cycles, 4);
}

/* Interesting addresses in tiles, with their sizes. */
static const struct {
    uint8_t x, y;
    uint64_t address;
    uint32_t size;
} places[] = {{1, 2, 0, 0x180000},         {1, 2, 0xffb12000, 0x1000},   {1, 2, 0xffb20000, 0x10000},
              {1, 2, 0xffb40000, 0x40000}, {2, 3, 0xffb80000, 0x60000},  {2, 3, 0, 0x1000},
              {8, 0, 0x10000000, 0x80000}, {8, 0, 0x80030000, 0x500},    {17, 12, 0xfff000, 0x100000},
              {20, 25, 0, 0x80000},        {21, 25, 0xffb00000, 0xc0000}};

enum { PLACES = sizeof places / sizeof places[0], WINDOW = 1 << 21, WINDOW_CONFIG = 0x1fc00000 };
static const uint64_t bar0 = 0x100000000;

/* Points window 0 at one of these places, or, seldom, with random bits; returns the address in BAR 0. */
static uint64_t point(struct script *script)
{
    uint32_t choice = take(script, 1), offset = take(script, 3);
    unsigned place = choice % PLACES;
    uint64_t address = places[place].address + (offset % places[place].size & ~(choice & 0x80 ? 0 : 3u));
    uint32_t words[3] = {(uint32_t)(address / WINDOW), (uint32_t)places[place].x << 11 | places[place].y << 17, 0};
    for (unsigned i = 0; i < 3; i++) {
        words[i] ^= choice >= 0xf8 ? take(script, 4) : 0;
        libttsim_pci_mem_wr_bytes(bar0 + WINDOW_CONFIG + 4 * i, &words[i], sizeof words[i]);
    }
    return bar0 + address % WINDOW;
}

static void call(struct script *script)
{
    uint8_t data[ACCESS];
    uint32_t kind = take(script, 1), size = kind & 0x80 ? take(script, 1) : 4, value = take(script, 4);
    memset(data, (int)(value & 0xff), sizeof data);
    memcpy(data, &value, sizeof value);
    switch (kind % 8) {
    case 0: (void)libttsim_pci_config_rd32(value & 8, value >> 8 & 0x3c); break;
    case 1: libttsim_pci_config_wr32(0, value >> 8 & 0x3c, take(script, 4)); break;
    case 2: libttsim_pci_mem_rd_bytes(take_bar_address(script), data, size); break;
    case 3: libttsim_pci_mem_wr_bytes(take_bar_address(script), data, size); break;
    case 4: libttsim_clock(value % 3000); break;
    case 5: libttsim_pci_mem_rd_bytes(point(script), data, size); break;
    default: libttsim_pci_mem_wr_bytes(point(script), data, size); break;
    }
}

void fuzz_abi(const uint8_t *bytes, size_t size)
{
    struct script script = {bytes, size};
    struct silence silence = be_silent();
    set_environment(&script);
    if (setjmp(violation) == 0) {
        bool dma = take(&script, 1) & 1;
        libttsim_set_pci_dma_mem_callbacks(dma ? dma_read : NULL, dma ? dma_write : NULL);
        libttsim_init();
        for (unsigned i = 0; i < CALLS && script.size; i++) {
            call(&script);
        }
    }
    if (setjmp(violation) == 0) { /* this may be a violation, too, since there may be no device */
        libttsim_exit();
    }
    end_silence(silence);
}
