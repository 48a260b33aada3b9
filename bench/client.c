#include "client.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BAR0 0x100000000ull
#define TLB_CONFIG (BAR0 + 0x1fc00000)
#define WINDOW_SIZE 0x200000u
#define REGISTERS 0xffa00000u
#define SOFT_RESET 0xffb121b0u

enum { L1_WINDOW, REGISTER_WINDOW };

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
    client->init();
    return true;
}

static void point_window(struct client *client, unsigned window, uint32_t address, unsigned x, unsigned y)
{
    uint32_t words[3] = {address / WINDOW_SIZE, (x | y << 6) << 11, 0};
    for (unsigned i = 0; i < 3; i++) {
        client->write(TLB_CONFIG + 12 * window + 4 * i, &words[i], 4);
    }
}

void client_choose_tile(struct client *client, unsigned x, unsigned y)
{
    point_window(client, L1_WINDOW, 0, x, y);
    point_window(client, REGISTER_WINDOW, REGISTERS, x, y);
}

static uint64_t bar_address(uint32_t address)
{
    return address < REGISTERS ? BAR0 + L1_WINDOW * WINDOW_SIZE + address
                               : BAR0 + REGISTER_WINDOW * WINDOW_SIZE + (address - REGISTERS);
}

void client_read(struct client *client, uint32_t address, void *data, uint32_t size)
{
    client->read(bar_address(address), data, size);
}

void client_write(struct client *client, uint32_t address, const void *data, uint32_t size)
{
    client->write(bar_address(address), data, size);
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

/* A file, mapped; `size` is 0 when there is none. A client links no library for ELF: to load one would take longer than
   what a short kernel test does. */
struct file {
    const uint8_t *bytes;
    size_t size;
};

static struct file map_file(const char *path)
{
    struct file file = {};
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return file;
    }
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            file = (struct file){bytes, (size_t)status.st_size};
        }
    }
    close(descriptor);
    return file;
}

static bool load_segments(struct client *client, struct file file)
{
    Elf32_Ehdr header;
    if (file.size < sizeof header) {
        return false;
    }
    memcpy(&header, file.bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS32 || !header.e_phnum ||
        header.e_phentsize != sizeof(Elf32_Phdr) || header.e_phoff > file.size ||
        header.e_phnum > (file.size - header.e_phoff) / sizeof(Elf32_Phdr)) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        memcpy(&segment, file.bytes + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_offset > file.size || segment.p_filesz > file.size - segment.p_offset) {
            return false;
        }
        if (segment.p_type == PT_LOAD && segment.p_filesz) {
            client_write(client, segment.p_paddr, file.bytes + segment.p_offset, segment.p_filesz);
        }
    }
    return true;
}

bool client_load_elf(struct client *client, const char *path)
{
    struct file file = map_file(path);
    bool loaded = file.size && load_segments(client, file);
    if (file.size) {
        munmap((void *)file.bytes, file.size);
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
