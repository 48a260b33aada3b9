/* How structs that are part of snapshots lie in memory: src/chip/snapshot/layout.def, which a test compares with the
   compiler's debugging information. */
#ifndef BHEMU_CHIP_SNAPSHOT_LAYOUT_H
#define BHEMU_CHIP_SNAPSHOT_LAYOUT_H

#include <stdint.h>

enum {
#define SNAPSHOT_FORMAT(version) SNAPSHOT_VERSION = (version),
#define SNAPSHOT_LAYOUT(name, size, hash)
#include "chip/snapshot/layout.def"
#undef SNAPSHOT_FORMAT
#undef SNAPSHOT_LAYOUT
};

/* A hash of all of it: files of other layouts are refused. */
uint32_t snapshot_layout(void);

#endif
