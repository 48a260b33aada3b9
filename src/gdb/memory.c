/* Memory as a core sees it: its tile's L1, with what all cores have stored to it, its own local RAM, and those
   registers whose reads and writes have no side effects. */
#include <string.h>

#include "gdb/state.h"
#include "rv32/execute.h"

/* A register: the word at an address, if it may be accessed so; else null. */
static uint32_t *register_at(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, bool stores)
{
    struct rv32 *rv32 = gdb_core(gdb, thread);
    return rv32->bus.word ? rv32->bus.word(rv32->bus.context, thread->slot, address & ~3u, stores) : NULL;
}

/* The bytes from `address` on that are in one piece, at most `*size`. Null: there are none. */
static uint8_t *bytes_at(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, uint32_t *size,
                         bool stores)
{
    struct rv32 *rv32 = gdb_core(gdb, thread);
    uint32_t offset = address - MEM_LOCAL_BASE, l1_size = rv32_l1_size(rv32);
    uint8_t *bytes;
    uint32_t length;
    if (address < l1_size) {
        bytes = l1_direct(rv32->l1) + address;
        length = l1_size - address;
    } else if (offset < rv32->local_ram_size) {
        bytes = rv32->local_ram + offset;
        length = rv32->local_ram_size - offset;
    } else {
        bytes = (uint8_t *)register_at(gdb, thread, address, stores);
        bytes = bytes ? bytes + address % 4 : NULL;
        length = 4 - address % 4;
    }
    *size = length < *size ? length : *size;
    return bytes;
}

bool gdb_read_memory(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, void *data, uint32_t size)
{
    for (uint8_t *to = data; size;) {
        uint32_t piece = size;
        const uint8_t *from = bytes_at(gdb, thread, address, &piece, false);
        if (!from) {
            return false;
        }
        memcpy(to, from, piece);
        if (address < rv32_l1_size(gdb_core(gdb, thread))) {
            gdb_stores_look(gdb, thread, address, to, piece);
        }
        to += piece;
        address += piece;
        size -= piece;
    }
    return true;
}

/* Whether all of it can be written: nothing is written otherwise. */
static bool is_writable(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, uint32_t size)
{
    while (size) {
        uint32_t piece = size;
        if (!bytes_at(gdb, thread, address, &piece, true)) {
            return false;
        }
        address += piece;
        size -= piece;
    }
    return true;
}

bool gdb_write_memory(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, const void *data,
                      uint32_t size)
{
    const uint8_t *from = data;
    const struct rv32 *rv32 = gdb_core(gdb, thread);
    const struct tile *tile = gdb_tensix(gdb, thread);
    if (!is_writable(gdb, thread, address, size)) {
        return false;
    }
    gdb_stores_arrive(gdb, thread);
    while (size) {
        uint32_t piece = size;
        uint8_t *to = bytes_at(gdb, thread, address, &piece, true);
        memcpy(to, from, piece);
        if (address < rv32_l1_size(rv32)) {
            l1_written(rv32->l1, address, piece);
            gdb_flush_caches(gdb, thread);
        } else if (tile && address - MEM_LOCAL_BASE < rv32->local_ram_size) {
            tile->state->used_rams |= (uint8_t)(1 << thread->core);
        }
        from += piece;
        address += piece;
        size -= piece;
    }
    return true;
}
