#include "client.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR0 0x100000000ull
#define TLB_CONFIG (BAR0 + 0x1fc00000)
#define WINDOW_SIZE 0x200000u
#define REGISTERS 0xffa00000u
#define SOFT_RESET 0xffb121b0u

enum { L1_WINDOW, REGISTER_WINDOW };
enum { SEGMENT_SIZE = 0x6000 }; /* the largest code segment of a core (kernels/runtime/layout.h) */

bool client_open(struct client *client, const char *path)
{
    /* As the vendor's driver does, lazily. */
    client->library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!client->library) {
        fprintf(stderr, "bench: %s\n", dlerror());
        return false;
    }
    static const char *const names[] = {"libttsim_init", "libttsim_exit", "libttsim_pci_mem_rd_bytes",
                                        "libttsim_pci_mem_wr_bytes", "libttsim_clock"};
    void *found[5];
    for (unsigned i = 0; i < 5; i++) {
        found[i] = dlsym(client->library, names[i]);
        if (!found[i]) {
            fprintf(stderr, "bench: %s: no symbol %s\n", path, names[i]);
            return false;
        }
    }
    client->init = (void (*)(void))found[0];
    client->exit = (void (*)(void))found[1];
    client->read = (void (*)(uint64_t, void *, uint32_t))found[2];
    client->write = (void (*)(uint64_t, const void *, uint32_t))found[3];
    client->clock = (void (*)(uint32_t))found[4];
    client->chip = 0;
    client->init();
    return true;
}

static void point_window(struct client *client, unsigned window, uint32_t address, unsigned x, unsigned y)
{
    uint32_t words[3] = {address / WINDOW_SIZE, (x | y << 6) << 11, 0};
    for (unsigned i = 0; i < 3; i++) {
        client->write(client->chip + TLB_CONFIG + 12 * window + 4 * i, &words[i], 4);
    }
}

void client_choose_tile(struct client *client, unsigned x, unsigned y)
{
    point_window(client, L1_WINDOW, 0, x, y);
    point_window(client, REGISTER_WINDOW, REGISTERS, x, y);
}

void client_choose_memory(struct client *client, uint32_t address, unsigned x, unsigned y)
{
    point_window(client, L1_WINDOW, address, x, y);
}

static uint64_t bar_address(const struct client *client, uint32_t address)
{
    return client->chip + BAR0 +
           (address < REGISTERS ? L1_WINDOW * WINDOW_SIZE + address
                                : REGISTER_WINDOW * WINDOW_SIZE + (address - REGISTERS));
}

void client_read(struct client *client, uint32_t address, void *data, uint32_t size)
{
    client->read(bar_address(client, address), data, size);
}

void client_write(struct client *client, uint32_t address, const void *data, uint32_t size)
{
    client->write(bar_address(client, address), data, size);
}

uint32_t client_read32(struct client *client, uint32_t address)
{
    uint32_t value;
    client_read(client, address, &value, sizeof value);
    return value;
}

void client_write32(struct client *client, uint32_t address, uint32_t value)
{
    client_write(client, address, &value, sizeof value);
}

/* The client reads ELF files itself: loading a library for it would take longer than a short kernel test. */
static bool read_at(int descriptor, void *data, size_t size, uint64_t offset)
{
    return pread(descriptor, data, size, (off_t)offset) == (ssize_t)size;
}

static bool load_segment(struct client *client, int descriptor, const Elf32_Phdr *segment)
{
    static uint8_t bytes[SEGMENT_SIZE];
    if (segment->p_type != PT_LOAD || !segment->p_filesz) {
        return true;
    }
    if (segment->p_filesz > sizeof bytes || !read_at(descriptor, bytes, segment->p_filesz, segment->p_offset)) {
        return false;
    }
    client_write(client, segment->p_paddr, bytes, segment->p_filesz);
    return true;
}

static bool load_segments(struct client *client, int descriptor)
{
    Elf32_Ehdr header;
    if (!read_at(descriptor, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS32 || !header.e_phnum || header.e_phentsize != sizeof(Elf32_Phdr)) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        if (!read_at(descriptor, &segment, sizeof segment, header.e_phoff + i * sizeof segment) ||
            !load_segment(client, descriptor, &segment)) {
            return false;
        }
    }
    return true;
}

bool client_load_elf(struct client *client, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    bool loaded = descriptor >= 0 && load_segments(client, descriptor);
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (!loaded) {
        fprintf(stderr, "bench: %s can not be loaded\n", path);
    }
    return loaded;
}

void client_release(struct client *client, uint32_t bits)
{
    client_write32(client, SOFT_RESET, client_read32(client, SOFT_RESET) & ~bits);
}
