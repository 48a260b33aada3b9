/* DPRINT of tt-metal's kernels, of those that the host launches itself: nobody else reads their print buffers. There
   are two generations, of which a kernel has one: streams of typed values (DPRINT << 1 << ENDL(), until the spring of
   2026), and messages with formats that are in sections of the ELF (DPRINT("{}\n", 1), DEVICE_PRINT). docs/print.md
   says what of them is shown. */
#ifndef BHEMU_HOST_METAL_PRINT_H
#define BHEMU_HOST_METAL_PRINT_H

#include "bhemu/error.h"
#include "host/metal_layout.h"
#include "watch/print.h"

enum metal_print {
#define METAL_PRINT(name, value) METAL_PRINT_##name = (int)(value),
#include "tt_metal.def"
};

/* Formats of the programs that were asked for. */
struct metal_formats;

/* Of one program; null: it has none, or it can not be read. */
struct metal_format_list;

struct metal_formats *metal_formats_new(void);
void metal_formats_free(struct metal_formats *formats);

/* Reads an ELF, once; path may be null. *foreign becomes true if it prints in a way that is not known. */
const struct metal_format_list *metal_formats_of(struct metal_formats *formats, const char *path, bool *foreign);

/* The format with this number; null: there is none. What a pointer into the list points to; null: it does not. */
const char *metal_format(const struct metal_format_list *list, unsigned number);
const char *metal_format_text(const struct metal_format_list *list, uint32_t address);

/* An enumeration of the program; name has so many bytes. null: there is no memory. */
struct metal_enumeration;
const struct metal_enumeration *metal_format_enumeration(const struct metal_format_list *list, const char *name,
                                                         unsigned size);

/* The programs of a tile. */
struct metal_print_tile {
    unsigned x, y;
    const char *kernels[BH_CORE_COUNT], *firmware[BH_CORE_COUNT]; /* paths; null: there is none */
};

/* Before the firmware of a tile begins: tells it that what it prints is read, and reads it from now on; print null:
   that nobody reads it. `runs`: of one that runs already, as a snapshot has it. formats has to stay until print is
   closed. */
enum bh_status metal_print_add(struct bh_print *print, struct metal_formats *formats, struct bh_device *device,
                               const struct metal_layout *layout, const struct metal_print_tile *tile, bool runs);

/* The readers of the two generations; address: of the first print buffer. */
enum bh_status metal_print_add_stream(struct bh_print *print, const struct metal_print_tile *tile, enum bh_core core,
                                      uint32_t address);
struct metal_core_formats {
    const struct metal_format_list *kernel, *firmware;
};
enum bh_status metal_print_add_messages(struct bh_print *print, const struct metal_print_tile *tile, uint32_t address,
                                        const struct metal_core_formats formats[BH_CORE_COUNT]);

#endif
