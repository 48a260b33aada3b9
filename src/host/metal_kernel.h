/* Kernels that are linked against tt-metal's firmware: what of their ELF goes to L1, and moving it to where a launch
   wants it. A kernel's first segment is its code; its segment for local RAM is stored behind that, from where the
   kernel copies it itself. Kernels are linked to one address and run at another: their relocations, which the linker
   has left in the file (--emit-relocs), say which words depend on it. Sources: tt-metal main.ld, tt_elffile.cpp,
   tt_memory.cpp; RISC-V ELF psABI. */
#ifndef BHEMU_HOST_METAL_KERNEL_H
#define BHEMU_HOST_METAL_KERNEL_H

#include "host/elf_file.h"

struct metal_kernel {
    struct elf_file file;
    GElf_Phdr text;
    uint32_t size; /* bytes of the image */
};

/* Call metal_kernel_close() afterwards, also after a failure. */
enum bh_status metal_kernel_open(struct metal_kernel *kernel, const char *path, struct bh_error *error);
void metal_kernel_close(struct metal_kernel *kernel);

/* The address that it was linked to. */
uint32_t metal_kernel_linked(const struct metal_kernel *kernel);

/* Writes the image of the kernel as it runs at `address`, kernel->size bytes. */
enum bh_status metal_kernel_place(const struct metal_kernel *kernel, uint32_t address, uint8_t *image,
                                  struct bh_error *error);

#endif
