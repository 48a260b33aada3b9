#include "chip/visitor.h"

#include <string.h>

#include "chip/device_state.h"

bool device_add_visitor(struct bh_device *device, struct device_visitor *visitor)
{
    struct device_visitor **last = &device->visitor;
    for (; *last; last = &(*last)->next) {
        if ((*last)->come == visitor->come) {
            return false;
        }
    }
    visitor->next = NULL;
    *last = visitor;
    return true;
}

void device_remove_visitor(struct bh_device *device, const struct device_visitor *visitor)
{
    for (struct device_visitor **at = &device->visitor; *at; at = &(*at)->next) {
        if (*at == visitor) {
            *at = visitor->next;
            return;
        }
    }
}

bool device_find_tensix(const struct bh_device *device, unsigned x, unsigned y, unsigned *index)
{
    enum { LAST_X = 16, FIRST_Y = 2, LAST_Y = 11 }; /* outside of them are other names of the same tiles */
    unsigned noc_x, noc_y;
    return x <= LAST_X && y >= FIRST_Y && y <= LAST_Y && noc_translate(&device->translation, x, y, &noc_x, &noc_y) &&
           tensix_index(noc_x, noc_y, index) && device_has_tile(device, noc_x, noc_y);
}

bool device_used(const struct bh_device *device, unsigned index)
{
    return device->ready[index / 64] >> index % 64 & 1;
}

const struct tile *device_tile(const struct bh_device *device, unsigned index)
{
    return device_used(device, index) ? &device->tiles[index] : NULL;
}

enum { LOCAL_RAM = 0xFFB00000u };

/* Whether [address, address + size) is in a memory of so many bytes at `base`. */
static bool within(uint32_t address, uint32_t size, uint32_t base, uint32_t bytes)
{
    return address >= base && size <= bytes && address - base <= bytes - size;
}

bool device_peek(const struct bh_device *device, unsigned index, enum bh_core core, uint32_t address, void *data,
                 uint32_t size)
{
    uint32_t room = core == BH_CORE_B || core == BH_CORE_NC ? LOCAL_RAM_SIZE : LOCAL_RAM_SIZE_T;
    bool in_l1 = within(address, size, 0, L1_SIZE);
    if (!in_l1 && !within(address, size, LOCAL_RAM, room)) {
        return false;
    }
    if (!device_used(device, index)) {
        memset(data, 0, size);
    } else if (in_l1) {
        memcpy(data, l1_peek(&device->tiles[index].l1, address), size);
    } else {
        memcpy(data, tile_ram(&device->states[index], core) + (address - LOCAL_RAM), size);
    }
    return true;
}
