/* A library with the C ABI for tests of bhemu diff: forwards to the project's own libttsim.so. ODD_PEER says what is
   odd about it: "flip": the word at 0x50010 of what is read has another lowest bit; "late": the same, from clock 2500
   on; "exit", "crash", "hang": at the first clock. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void libttsim_init(void);
EXPORTED void libttsim_clock(uint32_t clocks);
EXPORTED void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *data, uint32_t size);
EXPORTED void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *data, uint32_t size);

static void *library;
static uint64_t passed; /* clocks */

static void *function(const char *name)
{
    return dlsym(library, name);
}

static int is_odd(const char *how)
{
    const char *odd = getenv("ODD_PEER");
    return odd && strcmp(odd, how) == 0;
}

void libttsim_init(void)
{
    void (*init)(void);
    library = dlopen(BHEMU_BUILD_DIR "/libttsim.so", RTLD_NOW | RTLD_LOCAL);
    *(void **)&init = function("libttsim_init");
    init();
}

void libttsim_clock(uint32_t clocks)
{
    void (*clock)(uint32_t);
    if (is_odd("exit")) {
        fprintf(stderr, "nothing like this\nis implemented\n");
        exit(7);
    }
    if (is_odd("crash")) {
        abort();
    }
    if (is_odd("hang")) {
        pause();
    }
    *(void **)&clock = function("libttsim_clock");
    clock(clocks);
    passed += clocks;
}

void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *data, uint32_t size)
{
    enum { PLACE = 0x50010, LATE = 2500 };
    void (*read)(uint64_t, void *, uint32_t);
    *(void **)&read = function("libttsim_pci_mem_rd_bytes");
    read(paddr, data, size);
    if ((is_odd("flip") || (is_odd("late") && passed >= LATE)) && size > PLACE) {
        ((uint8_t *)data)[PLACE] ^= 1;
    }
}

void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *data, uint32_t size)
{
    void (*write)(uint64_t, const void *, uint32_t);
    *(void **)&write = function("libttsim_pci_mem_wr_bytes");
    write(paddr, data, size);
}
