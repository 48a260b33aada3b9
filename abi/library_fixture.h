/* libttsim.so for tests of it: loaded with dlopen, opened before each test and closed behind it. For *_test.c of this
 * folder only. */
#ifndef BHEMU_ABI_LIBRARY_FIXTURE_H
#define BHEMU_ABI_LIBRARY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAR0 0x100000000ull
#define BAR2 0x120000000ull
#define BAR4 0x800000000ull

static struct {
    void *library;
    void (*init)(void);
    void (*exit)(void);
    void (*set_callbacks)(void (*read)(uint64_t, void *, uint32_t), void (*write)(uint64_t, const void *, uint32_t));
    uint32_t (*config_read)(uint32_t bdf, uint32_t offset);
    void (*config_write)(uint32_t bdf, uint32_t offset, uint32_t data);
    void (*read)(uint64_t paddr, void *data, uint32_t size);
    void (*write)(uint64_t paddr, const void *data, uint32_t size);
    void (*tile_read)(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t size);
    void (*tile_write)(uint32_t x, uint32_t y, uint64_t address, const void *data, uint32_t size);
    void (*clock)(uint32_t clocks);
} abi;

static inline void *symbol(const char *name)
{
    void *address = dlsym(abi.library, name);
    if (!address) {
        fail_msg("%s is not exported", name);
    }
    return address;
}

static inline int load_library(void **context)
{
    abi.library = dlopen(BHEMU_BUILD_DIR "/libttsim.so", RTLD_NOW | RTLD_LOCAL);
    if (!abi.library) {
        print_error("%s\n", dlerror());
        return -1;
    }
    *(void **)&abi.init = symbol("libttsim_init");
    *(void **)&abi.exit = symbol("libttsim_exit");
    *(void **)&abi.set_callbacks = symbol("libttsim_set_pci_dma_mem_callbacks");
    *(void **)&abi.config_read = symbol("libttsim_pci_config_rd32");
    *(void **)&abi.config_write = symbol("libttsim_pci_config_wr32");
    *(void **)&abi.read = symbol("libttsim_pci_mem_rd_bytes");
    *(void **)&abi.write = symbol("libttsim_pci_mem_wr_bytes");
    *(void **)&abi.tile_read = symbol("libttsim_tile_rd_bytes");
    *(void **)&abi.tile_write = symbol("libttsim_tile_wr_bytes");
    *(void **)&abi.clock = symbol("libttsim_clock");
    return 0;
}

static inline int set_up(void **context)
{
    if (load_library(context) != 0) {
        return -1;
    }
    abi.init();
    return 0;
}

static inline int tear_down(void **context)
{
    abi.exit();
    return dlclose(abi.library);
}

static inline void write_word(uint64_t paddr, uint32_t word)
{
    abi.write(paddr, &word, sizeof word);
}

static inline uint32_t read_word(uint64_t paddr)
{
    uint32_t word;
    abi.read(paddr, &word, sizeof word);
    return word;
}

/* Points 2 MiB window `window` at an address of a tile; returns the physical address that shows it. */
static inline uint64_t point(unsigned window, unsigned x, unsigned y, uint64_t address)
{
    uint64_t config = BAR0 + 0x1FC00000 + 12 * window;
    write_word(config, (uint32_t)(address >> 21));
    write_word(config + 4, (uint32_t)(address >> 53) | x << 11 | y << 17);
    write_word(config + 8, 0);
    return BAR0 + ((uint64_t)window << 21) + (address & 0x1fffff);
}

static inline uint64_t point_multicast(unsigned window, unsigned first_x, unsigned first_y, unsigned x, unsigned y,
                                       uint64_t address)
{
    uint64_t paddr = point(window, x, y, address), config = BAR0 + 0x1FC00000 + 12 * window;
    write_word(config + 4, read_word(config + 4) | first_x << 23 | first_y << 29);
    write_word(config + 8, first_y >> 3 | 1 << 5);
    return paddr;
}

static inline uint64_t point_4g(unsigned window, unsigned x, unsigned y, uint64_t address)
{
    uint64_t config = BAR0 + 0x1FC00000 + 12 * (202 + window);
    write_word(config, (uint32_t)(address >> 32));
    write_word(config + 4, x | y << 6 | 1 << 27);
    write_word(config + 8, 0);
    return BAR4 + ((uint64_t)window << 32) + (uint32_t)address;
}

/* Runs `violate` in a child: it must end with status 1 and one line that contains `part`. */
static inline void assert_fatal(void (*violate)(void), const char *part)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        violate();
        _exit(77);
    }
    close(ends[1]);
    char text[2000];
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length < sizeof text - 1; length += (size_t)got) {
        got = read(ends[0], text + length, sizeof text - 1 - length);
        if (got < 0) {
            break;
        }
    }
    text[length] = 0;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !strstr(text, part)) {
        fail_msg("status 0x%x, \"%s\" does not say \"%s\"", (unsigned)status, text, part);
    }
    assert_ptr_equal(strchr(text, '\n'), text + length - 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
