/* Translated code (rv32/translator.h): when its memory is full, all of it is dropped, and code that is still executed
   often is translated again. */
#include "chip/device_state.h"

void device_leave_translations(struct bh_device *device)
{
    for (unsigned i = 0; i < TENSIX_TILES; i++) {
        if (device->ready[i / 64] >> i % 64 & 1) {
            l1_forget_translations(&device->tiles[i].l1);
        }
    }
    for (uint64_t ready = device->ready_cores; ready; ready &= ready - 1) {
        l1_forget_translations(&device_core_tile(device, (unsigned)__builtin_ctzll(ready))->l1);
    }
}

void device_make_room_for_translations(struct bh_device *device)
{
    if (device->translator == &device->own_translator && device->translator->full) {
        device_leave_translations(device);
        translator_forget(device->translator);
    }
}
