/* Circular buffers: those of tt-metal's kernels, which the launch message describes, and those of the project's own
   (kernels/runtime/circular_buffer.h), of which L1 knows nothing. Both count the pages or tiles that were pushed and
   popped in two registers of an overlay stream without traffic. */
#include "inspect/metal.h"
#include "inspect/sections.h"
#include "util/bits.h"

/* Registers of a stream, and the stream of buffer 0 in tt-metal. Source: tt-metal's circular_buffer_init.h and
   stream_io_map.h. */
enum { STREAM_POPPED = 8, STREAM_PUSHED = 10, METAL_FIRST_STREAM = 8, COUNTER = 0xffff };
enum { DESCRIPTION_WORDS = 4, DESCRIPTION_BYTES = 4 * DESCRIPTION_WORDS };

static void write_counters(const struct overlay *overlay, unsigned stream, struct out *out)
{
    uint32_t pushed = overlay->words[STREAM_PUSHED][stream] & COUNTER;
    uint32_t popped = overlay->words[STREAM_POPPED][stream] & COUNTER;
    out_cell_number(out, pushed);
    out_cell_number(out, popped);
    out_cell_number(out, (pushed - popped) & COUNTER);
}

/* Of tt-metal: address, bytes, pages and bytes of a page, a word each. */
static void write_description(const struct tile *tile, uint32_t description, struct out *out)
{
    for (uint32_t i = 0; i < DESCRIPTION_WORDS; i++) {
        uint32_t at = description + 4 * i;
        if (!l1_contains(at, 4)) {
            out_cell_nothing(out);
        } else if (i == 0) {
            out_cell_hex(out, l1_load32(&tile->l1, at), 0);
        } else {
            out_cell_number(out, l1_load32(&tile->l1, at));
        }
    }
}

void inspect_buffers(const struct inspection *inspection, struct out *out)
{
    static const char *const columns[] = {"number",  "stream", "pushed", "popped",    "held",
                                          "address", "bytes",  "pages",  "page_bytes"};
    const struct overlay *overlay = &inspection->tile->state->registers.overlay;
    struct metal_buffers buffers;
    bool metal = metal_buffers_find(inspection->tile, &buffers);
    out_begin_table(out, "cbs", columns, COUNT_OF(columns));
    for (unsigned stream = 0; stream < STREAMS; stream++) {
        unsigned number = stream - METAL_FIRST_STREAM;
        bool described = metal && stream >= METAL_FIRST_STREAM && buffers.mask >> number & 1;
        bool counts = overlay->engine[stream].state == STREAM_IDLE &&
                      (overlay->words[STREAM_PUSHED][stream] || overlay->words[STREAM_POPPED][stream]);
        if (!described && !counts) {
            continue;
        }
        if (described) {
            out_cell_number(out, number);
        } else {
            out_cell_nothing(out);
        }
        out_cell_number(out, stream);
        write_counters(overlay, stream, out);
        if (described) {
            write_description(inspection->tile, buffers.address + number * DESCRIPTION_BYTES, out);
        }
        for (unsigned i = 0; i < DESCRIPTION_WORDS && !described; i++) {
            out_cell_nothing(out);
        }
    }
    out_end_table(out);
}
