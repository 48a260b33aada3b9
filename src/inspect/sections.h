/* The sections of a dump: what can be asked for by name. */
#ifndef BHEMU_INSPECT_SECTIONS_H
#define BHEMU_INSPECT_SECTIONS_H

#include "bhemu/dump.h"
#include "inspect/out.h"
#include "inspect/request.h"
#include "tile/tile.h"

/* A tile that is dumped. */
struct inspection {
    const struct bh_dump *dump;
    const struct dump_request *request;
    const struct tile *tile;
    unsigned x, y;                /* translated coordinates */
    uint32_t cores;               /* one bit for each whose state is wanted, and whose thread's */
    const struct bh_event *event; /* null, or what its core or thread is about to do */
};

/* A matrix of numbers, or several of the same form. */
struct dump_array {
    enum dump_type type;
    unsigned dimensions;
    size_t shape[3];
    double *values; /* malloc'ed */
};

struct dump_section {
    const char *name;
    /* What the request may have besides the names of cores: */
    bool rows, tiles, bank, format, fields, memory; /* memory: an address, and formats of L1 */
    enum dump_file file;                            /* of formats */
    uint32_t rows_all;                              /* rows that there are */
    void (*write)(const struct inspection *inspection, struct out *out);
    /* Null: it is no array. false: no memory. */
    bool (*array)(const struct inspection *inspection, struct dump_array *array);
};

/* In the order of a dump of all. */
const struct dump_section *dump_sections(unsigned *count);

enum { DUMP_SOURCE_SIZE = 600 };

/* Where in the source a place of the tile is; null: not known. */
static inline const char *inspection_source(const struct inspection *inspection, const struct bh_place *place,
                                            char source[DUMP_SOURCE_SIZE])
{
    const struct bh_dump *dump = inspection->dump;
    bool known = dump->source &&
                 dump->source(dump->source_context, inspection->x, inspection->y, place, source, DUMP_SOURCE_SIZE);
    return known ? source : NULL;
}

static inline bool inspects_core(const struct inspection *inspection, unsigned core)
{
    return inspection->cores >> core & 1;
}

static inline bool inspects_thread(const struct inspection *inspection, unsigned thread)
{
    return inspects_core(inspection, BH_CORE_T0 + thread);
}

/* arrays.c */
void inspect_dst(const struct inspection *inspection, struct out *out);
void inspect_srca(const struct inspection *inspection, struct out *out);
void inspect_srcb(const struct inspection *inspection, struct out *out);
void inspect_lregs(const struct inspection *inspection, struct out *out);
void inspect_l1(const struct inspection *inspection, struct out *out);
bool array_l1(const struct inspection *inspection, struct dump_array *array);
bool array_dst(const struct inspection *inspection, struct dump_array *array);
bool array_srca(const struct inspection *inspection, struct dump_array *array);
bool array_srcb(const struct inspection *inspection, struct dump_array *array);
bool array_lregs(const struct inspection *inspection, struct dump_array *array);

/* units.c */
void inspect_gprs(const struct inspection *inspection, struct out *out);
void inspect_adcs(const struct inspection *inspection, struct out *out);
void inspect_rwcs(const struct inspection *inspection, struct out *out);
void inspect_semaphores(const struct inspection *inspection, struct out *out);
void inspect_mutexes(const struct inspection *inspection, struct out *out);

/* config.c, frontend.c, buffers.c, niu.c, cores.c */
void inspect_config(const struct inspection *inspection, struct out *out);
void inspect_fifos(const struct inspection *inspection, struct out *out);
void inspect_mop(const struct inspection *inspection, struct out *out);
void inspect_replay(const struct inspection *inspection, struct out *out);
void inspect_buffers(const struct inspection *inspection, struct out *out);
void inspect_niu(const struct inspection *inspection, struct out *out);
void inspect_cores(const struct inspection *inspection, struct out *out);

#endif
