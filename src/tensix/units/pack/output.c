#include "tensix/units/pack/output.h"

#include "tensix/num/pack_accumulate.h"
#include "tensix/num/pack_rounding.h"
#include "tensix/units/pack/writes.h"

enum { L1_WORD = 16, GROUP = 16 };

static uint64_t padded(uint64_t address)
{
    return (address + L1_WORD - 1) / L1_WORD * L1_WORD;
}

bool pack_output_fits(const struct pack_tile *tile, const struct pack_conversion *conversion, uint64_t datums,
                      bool last)
{
    uint64_t data = datums * conversion->bits / 8, exponents = 0;
    if (conversion->bfp) {
        uint64_t waiting = tile->group_datums + datums;
        exponents = last ? (waiting + GROUP - 1) / GROUP : waiting / GROUP;
        data = exponents * GROUP * conversion->bits / 8;
    }
    uint64_t data_end = tile->data.address + data, exponents_end = tile->exponents.address + exponents;
    if (last) {
        data_end = padded(data_end);
        exponents_end = padded(exponents_end);
    }
    bool data_fits = l1_contains(tile->data.address, data_end - tile->data.address);
    bool exponents_fit =
        !conversion->bfp || l1_contains(tile->exponents.address, exponents_end - tile->exponents.address);
    return data_fits && exponents_fit;
}

struct bytes {
    unsigned data, exponents;
};

void pack_accumulate(enum pack_accumulation accumulation, uint8_t *held, const uint8_t *data, unsigned count)
{
    switch (accumulation) {
    case PACK_OVERWRITE: return;
    case PACK_ACCUMULATE_INT32: pack_accumulate_int32_data(held, data, count); return;
    case PACK_ACCUMULATE_FP32: pack_accumulate_fp32_data(held, data, count); return;
    case PACK_ACCUMULATE_FP16: pack_accumulate_fp16_data(held, data, count); return;
    case PACK_ACCUMULATE_BF16: pack_accumulate_bf16_data(held, data, count); return;
    }
}

/* Makes a group in which each mantissa is aligned to the datum's own exponent; the shared exponent is the largest
   one. */
static uint8_t make_group_apart(struct pack_unit *pack, const struct pack_conversion *conversion,
                                const uint32_t datums[GROUP], uint8_t *bytes)
{
    struct pack_conversion together = *conversion;
    together.apart = false;
    uint8_t largest = 0;
    memset(bytes, 0, GROUP * conversion->bits / 8);
    for (unsigned i = 0; i < GROUP; i++) {
        uint32_t alone[GROUP] = {datums[i]};
        uint8_t codes[GROUP], exponent = pack_make_group(pack, &together, alone, codes);
        unsigned code = codes[0] & ((1u << conversion->bits) - 1);
        bytes[i * conversion->bits / 8] |= (uint8_t)(code << i * conversion->bits % 8);
        largest = exponent > largest ? exponent : largest;
    }
    return largest;
}

uint8_t pack_make_group(struct pack_unit *pack, const struct pack_conversion *conversion, const uint32_t datums[GROUP],
                        uint8_t *bytes)
{
    if (conversion->apart) {
        return make_group_apart(pack, conversion, datums, bytes);
    }
    if (!conversion->random_bfp) {
        return pack_bfp_group(datums, conversion->bits, bytes);
    }
    uint32_t random[1][ROW_COLUMNS];
    stochastic_draw(&pack->random, random, 1);
    return pack_bfp_group_at_random(datums, conversion->bits, random[0], bytes);
}

/* Makes groups of 16 in the order of the data, which may come from several PACRs of the tile. */
static struct bytes lay_out_groups(struct pack_unit *pack, const struct pack_conversion *conversion,
                                   const uint32_t *datums, unsigned count, bool last, uint8_t *data, uint8_t *exponents)
{
    struct bytes bytes = {0};
    unsigned taken = 0;
    if (!pack->tile.group_datums && count % GROUP == 0 && !conversion->apart && !conversion->random_bfp) {
        pack_bfp_groups((const pack_row *)datums, count / GROUP, conversion->bits, data, exponents);
        return (struct bytes){.data = count * conversion->bits / 8, .exponents = count / GROUP};
    }
    while (taken < count || (last && pack->tile.group_datums)) {
        const uint32_t *group = datums + taken;
        if (pack->tile.group_datums || count - taken < GROUP) {
            unsigned room = GROUP - pack->tile.group_datums, left = count - taken, more = left < room ? left : room;
            memcpy(pack->group + pack->tile.group_datums, datums + taken, more * sizeof *datums);
            taken += more;
            pack->tile.group_datums = (uint8_t)(pack->tile.group_datums + more);
            if (pack->tile.group_datums < GROUP && !last) {
                break;
            }
            for (unsigned i = pack->tile.group_datums; i < GROUP; i++) {
                pack->group[i] = 0;
            }
            pack->tile.group_datums = 0;
            group = pack->group;
        } else {
            taken += GROUP;
        }
        exponents[bytes.exponents++] = pack_make_group(pack, conversion, group, data + bytes.data);
        bytes.data += GROUP * conversion->bits / 8;
    }
    return bytes;
}

static unsigned pad(uint32_t address, uint8_t *bytes, unsigned size)
{
    unsigned more = (unsigned)(padded(address + size) - (address + size));
    memset(bytes + size, 0, more);
    return size + more;
}

void pack_output_append(struct tensix *tensix, const struct pack_conversion *conversion, const uint32_t *datums,
                        unsigned count, bool last, bool write)
{
    struct pack_unit *pack = &tensix->state->pack;
    uint32_t address = pack->tile.data.address;
    bool whole_groups = !pack->tile.group_datums && !conversion->apart && !conversion->random_bfp;
    bool direct = write && !last && count % ROW_COLUMNS == 0 && /* right to L1, no byte more */
                  conversion->bits &&                           /* a reserved format, which a policy allows, has none */
                  conversion->accumulation == PACK_OVERWRITE && (!conversion->bfp || whole_groups);
    uint8_t data[(PACK_CHUNK_DATUMS + GROUP) * sizeof(uint32_t) + L1_WORD];
    uint8_t exponents[PACK_CHUNK_DATUMS / GROUP + 1 + L1_WORD];
    uint8_t *to = direct ? pack_begin_write(tensix, address, count * conversion->bits / 8) : data;
    struct bytes bytes = {0};
    if (conversion->bfp) {
        bytes = lay_out_groups(pack, conversion, datums, count, last, to, exponents);
    } else {
        bytes.data = count * conversion->bits / 8;
        if (conversion->accumulation != PACK_OVERWRITE && write) {
            uint8_t added[PACK_CHUNK_DATUMS * sizeof(uint32_t)];
            pack_lay_out(conversion->bits, datums, count, added);
            memcpy(to, pack_read(tensix, address, bytes.data), bytes.data);
            pack_accumulate(conversion->accumulation, to, added, count);
        } else {
            pack_lay_out(conversion->bits, datums, count, to);
        }
    }
    if (last) {
        bytes.data = pad(pack->tile.data.address, data, bytes.data);
        bytes.exponents = conversion->bfp ? pad(pack->tile.exponents.address, exponents, bytes.exponents) : 0;
    }
    if (direct) {
        pack_end_write(tensix, address, bytes.data);
    } else if (write) {
        pack_put(tensix, address, data, bytes.data);
    }
    if (write && bytes.exponents) {
        pack_put(tensix, pack->tile.exponents.address, exponents, bytes.exponents);
    }
    pack->tile.data.address += bytes.data;
    pack->tile.exponents.address += bytes.exponents;
    pack->tile.datums += count;
    pack->tile.bfp = conversion->bfp;
    pack->tile.bits = (uint8_t)conversion->bits;
    pack->tile.random = conversion->random_bfp;
    pack->tile.apart = conversion->apart;
}

enum step pack_output_flush(struct tensix *tensix)
{
    const struct pack_unit *pack = &tensix->state->pack;
    const struct pack_conversion conversion = {
        .bfp = pack->tile.bfp, .bits = pack->tile.bits, .random_bfp = pack->tile.random, .apart = pack->tile.apart};
    if (!pack->tile.data.open) {
        return STEP_DONE;
    }
    if (pack->tile.row_starts.open) {
        return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "flushing a compressed tile at 0x%x before its end: no public document says what becomes of "
                        "its row starts; end it with PACR's Last",
                        pack->tile.data.address);
    }
    bool fits = pack_output_fits(&pack->tile, &conversion, 0, true);
    enum step step = fits ? STEP_DONE
                          : diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                                     "flushing what the packer has for 0x%x leaves L1", pack->tile.data.address);
    if (step == STEP_DONE) {
        uint32_t none[ROW_COLUMNS];
        pack_output_append(tensix, &conversion, none, 0, true, fits);
    }
    return step;
}
