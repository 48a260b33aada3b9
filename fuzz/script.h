/* Takes numbers from an input one after the other; zeroes at its end. */
#ifndef BHEMU_FUZZ_SCRIPT_H
#define BHEMU_FUZZ_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

struct script {
    const uint8_t *bytes;
    size_t size;
};

static inline uint32_t take(struct script *script, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes && script->size; i++, script->size--) {
        value |= (uint32_t)*script->bytes++ << 8 * i;
    }
    return value;
}

/* An address in a BAR: of registers with effects, of a window, or anywhere. */
static inline uint64_t take_bar_address(struct script *script)
{
    static const uint64_t places[] = {0x100000000, 0x11fc00000, 0x11fd04000, 0x11fd14000, 0x120000000,
                                      0x120000100, 0x120001000, 0x800000000, 0x11ff00000};
    uint32_t choice = take(script, 1);
    return places[choice % (sizeof places / sizeof places[0])] +
           (take(script, choice & 0x80 ? 4 : 2) & ~(choice >> 5 & 3));
}

#endif
