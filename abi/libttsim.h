/* The vendor's C ABI for a simulated device, as docs/libttsim_api.md of ttsim specifies it. */
#ifndef BHEMU_ABI_LIBTTSIM_H
#define BHEMU_ABI_LIBTTSIM_H

#include <stdint.h>

#define LIBTTSIM_API __attribute__((visibility("default")))

LIBTTSIM_API void libttsim_init(void);
LIBTTSIM_API void libttsim_exit(void);

/* To be called before libttsim_init(). */
LIBTTSIM_API void libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t paddr, void *dst, uint32_t size),
                                                     void (*write)(uint64_t paddr, const void *src, uint32_t size));

LIBTTSIM_API uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset);
LIBTTSIM_API void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset, uint32_t data);

LIBTTSIM_API void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *dst, uint32_t size);
LIBTTSIM_API void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *src, uint32_t size);

LIBTTSIM_API void libttsim_clock(uint32_t n_clocks);

/* Not for Blackhole: calling them ends the process. */
LIBTTSIM_API void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t addr, void *dst, uint32_t size);
LIBTTSIM_API void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t addr, const void *src, uint32_t size);

#endif
