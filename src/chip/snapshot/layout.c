#include "chip/snapshot/layout.h"

#include <stddef.h>

static const uint32_t structs[] = {
#define SNAPSHOT_FORMAT(version) (version),
#define SNAPSHOT_LAYOUT(name, size, hash) (size), (hash),
#include "chip/snapshot/layout.def"
#undef SNAPSHOT_FORMAT
#undef SNAPSHOT_LAYOUT
};

uint32_t snapshot_layout(void)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof structs / sizeof *structs; i++) {
        hash = (hash ^ structs[i]) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 32);
}
