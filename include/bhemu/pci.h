/* The PCIe endpoint of a device, as a driver sees it: config space, and BARs whose TLB windows show the tiles. The
   host's own memory, which the device reaches, is behind the callbacks of struct bh_device_config. */
#ifndef BHEMU_PCI_H
#define BHEMU_PCI_H

#include <stdint.h>

#include "bhemu/api.h"
#include "bhemu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One word of config space; offset is in bytes. BH_ERROR_ADDRESS: see the diagnostic. */
BH_API enum bh_status bh_pci_config_read(struct bh_device *device, uint32_t offset, uint32_t *value);
BH_API enum bh_status bh_pci_config_write(struct bh_device *device, uint32_t offset, uint32_t value);

/* Copies size bytes, at least one, from or to a physical address within one of the BARs, where config space has them.
 */
BH_API enum bh_status bh_pci_read(struct bh_device *device, uint64_t address, void *data, uint32_t size);
BH_API enum bh_status bh_pci_write(struct bh_device *device, uint64_t address, const void *data, uint32_t size);

#ifdef __cplusplus
}
#endif
#endif
