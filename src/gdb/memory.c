/* Memory as a core sees it: L1, with what all cores have stored to it, its own local RAM, and those registers whose
   reads and writes have no side effects. */
#include <string.h>

#include "gdb/state.h"
#include "tile/timed_stores.h"

/* A register: the word at an address, if it may be accessed so; else null. */
static uint32_t *register_at(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, bool stores)
{
    struct rv32 *rv32 = gdb_core(gdb, thread);
    return rv32->bus.word ? rv32->bus.word(rv32->bus.context, thread->core, address & ~3u, stores) : NULL;
}

/* The bytes from `address` on that are in one piece, at most `*size`. Null: there are none. */
static uint8_t *bytes_at(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, uint32_t *size,
                         bool stores)
{
    struct rv32 *rv32 = gdb_core(gdb, thread);
    uint32_t offset = address - MEM_LOCAL_BASE;
    uint8_t *bytes;
    uint32_t length;
    if (address < L1_SIZE) {
        bytes = l1_direct(rv32->l1) + address;
        length = L1_SIZE - address;
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
        if (address < L1_SIZE) {
            stores_look(gdb_tile(gdb, thread), address, to, piece);
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

/* Instructions that gdb has changed are those that cores execute next: they do not find old ones in their caches. */
static void flush_caches(struct bh_gdb *gdb, const struct gdb_thread *thread)
{
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct rv32 *rv32 = &gdb_tile(gdb, thread)->core[core];
        if (rv32->core->halt != RV32_SELF_JUMP) {
            rv32_flush_cache(rv32);
        }
    }
}

bool gdb_write_memory(struct bh_gdb *gdb, const struct gdb_thread *thread, uint32_t address, const void *data,
                      uint32_t size)
{
    const uint8_t *from = data;
    if (!is_writable(gdb, thread, address, size)) {
        return false;
    }
    (void)stores_arrive(gdb_tile(gdb, thread), CLOCK_NEVER);
    while (size) {
        uint32_t piece = size;
        uint8_t *to = bytes_at(gdb, thread, address, &piece, true);
        memcpy(to, from, piece);
        if (address < L1_SIZE) {
            l1_written(&gdb_tile(gdb, thread)->l1, address, piece);
            flush_caches(gdb, thread);
        } else if (address - MEM_LOCAL_BASE < gdb_core(gdb, thread)->local_ram_size) {
            gdb_tile(gdb, thread)->state->used_rams |= (uint8_t)(1 << thread->core);
        }
        from += piece;
        address += piece;
        size -= piece;
    }
    return true;
}
