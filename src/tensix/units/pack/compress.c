#include "tensix/units/pack/compress.h"

#include "tensix/units/pack/output.h"
#include "tensix/units/pack/writes.h"

enum { L1_WORD = 16, GROUP = PACK_COMPRESSED_GROUP, MOST_ZEROES = 15 };

static unsigned group_bytes(unsigned bits)
{
    return GROUP * bits / 8 + L1_WORD;
}

bool pack_compressed_fits(const struct pack_tile *tile, const struct pack_conversion *conversion, uint64_t datums)
{
    const uint64_t room_for_row_starts = 48; /* three row start indices and padding */
    uint64_t waiting = tile->compressor.kept % GROUP + tile->compressor.holds;
    uint64_t groups = (waiting + datums) / GROUP + 1;
    return l1_contains(tile->row_starts.address, room_for_row_starts) &&
           (!conversion->bfp || l1_contains(tile->exponents.address, groups * 2 + L1_WORD)) &&
           l1_contains(tile->data.address, groups * group_bytes(conversion->bits));
}

/* Appends to a stream. Besides whole groups, one call writes at most three row start indices, and padding. */
static void append(struct tensix *tensix, struct pack_stream *stream, const void *bytes, unsigned size, bool write)
{
    if (write) {
        pack_put(tensix, stream->address, bytes, size);
    }
    stream->address += size;
}

static void pad(struct tensix *tensix, struct pack_stream *stream, bool write)
{
    static const uint8_t zeroes[L1_WORD];
    append(tensix, stream, zeroes, -stream->address % L1_WORD, write);
}

static void append_row_start(struct tensix *tensix, bool write)
{
    struct pack_tile *tile = &tensix->state->pack.tile;
    append(tensix, &tile->row_starts, &tile->compressor.kept, sizeof tile->compressor.kept, write);
}

static void append_group(struct tensix *tensix, const struct pack_conversion *conversion, bool write)
{
    struct pack_unit *pack = &tensix->state->pack;
    uint8_t bytes[GROUP * sizeof(uint32_t)];
    if (conversion->bfp) {
        uint8_t exponents[2];
        for (size_t half = 0; half < 2; half++) {
            exponents[half] = pack_make_group(pack, conversion, pack->compressed + half * GROUP / 2,
                                              bytes + half * 2 * conversion->bits);
        }
        append(tensix, &pack->tile.exponents, exponents, sizeof exponents, write);
    } else {
        pack_lay_out(conversion->bits, pack->compressed, GROUP, bytes);
    }
    append(tensix, &pack->tile.data, bytes, GROUP * conversion->bits / 8, write);
    append(tensix, &pack->tile.data, pack->compressed_zeroes, sizeof pack->compressed_zeroes, write);
    memset(pack->compressed, 0, sizeof pack->compressed);
    memset(pack->compressed_zeroes, 0, sizeof pack->compressed_zeroes);
}

/* Adds the held datum to its group, once the zeroes after it are counted. */
static void keep_held(struct tensix *tensix, const struct pack_conversion *conversion, bool write)
{
    struct pack_unit *pack = &tensix->state->pack;
    struct pack_compressor *compressor = &pack->tile.compressor;
    if (!compressor->holds) {
        return;
    }
    unsigned place = compressor->kept % GROUP;
    pack->compressed[place] = compressor->held;
    pack->compressed_zeroes[place / 2] |= (uint8_t)(compressor->zeroes << (4 * (place % 2)));
    compressor->kept++;
    compressor->holds = false;
    if (compressor->kept % GROUP == 0) {
        append_group(tensix, conversion, write);
    }
}

static void end_row(struct tensix *tensix, const struct pack_conversion *conversion, bool write)
{
    struct pack_unit *pack = &tensix->state->pack;
    struct pack_compressor *compressor = &pack->tile.compressor;
    keep_held(tensix, conversion, write);
    append_row_start(tensix, write);
    if (conversion->zero_flags && compressor->rows < 32) {
        pack->all_zero_flags |= (uint32_t)!compressor->row_has_data << compressor->rows;
    }
    compressor->rows++;
    compressor->row_begun = compressor->row_has_data = false;
}

static void begin_row(struct tensix *tensix, bool write)
{
    struct pack_unit *pack = &tensix->state->pack;
    struct pack_compressor *compressor = &pack->tile.compressor;
    if (!compressor->begun) {
        compressor->begun = true;
        pack->all_zero_flags = 0;
        memset(pack->compressed, 0, sizeof pack->compressed);
        memset(pack->compressed_zeroes, 0, sizeof pack->compressed_zeroes);
        append_row_start(tensix, write);
    }
    compressor->row_begun = true;
}

void pack_compress(struct tensix *tensix, const struct pack_conversion *conversion, const uint32_t *datums,
                   unsigned count, bool row_ends, bool last, bool write)
{
    struct pack_tile *tile = &tensix->state->pack.tile;
    struct pack_compressor *compressor = &tile->compressor;
    for (unsigned i = 0; i < count; i++) {
        bool first_of_row = !compressor->row_begun, last_of_row = row_ends && i == count - 1;
        if (first_of_row) {
            begin_row(tensix, write);
        }
        compressor->row_has_data |= datums[i] != 0;
        if (datums[i] == 0 && !first_of_row && !last_of_row && compressor->zeroes < MOST_ZEROES) {
            compressor->zeroes++;
            continue;
        }
        keep_held(tensix, conversion, write);
        compressor->holds = true;
        compressor->held = datums[i];
        compressor->zeroes = 0;
    }
    tile->datums += count;
    tile->bfp = conversion->bfp;
    tile->bits = (uint8_t)conversion->bits;
    if (compressor->row_begun && (row_ends || last)) {
        end_row(tensix, conversion, write);
    }
    if (last) {
        if (compressor->kept % GROUP != 0) {
            append_group(tensix, conversion, write);
        }
        pad(tensix, &tile->row_starts, write);
        if (conversion->bfp) {
            pad(tensix, &tile->exponents, write);
        }
    }
}
