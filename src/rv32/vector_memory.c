/* Vector loads and stores: unit-stride, strided, indexed, of segments, of whole registers and of masks. They reach L1
   and the core's local RAM; the documentation does not say what they do elsewhere. */
#include "rv32/vector.h"

#include "util/bits.h"

enum { UNIT_STRIDE, INDEXED_UNORDERED, STRIDED, INDEXED_ORDERED }; /* bits 27:26 */
enum { UNIT = 0, WHOLE = 8, MASK = 11, FAULT_FIRST = 16 };         /* lumop, sumop */

/* One vector access: element i of field f of its segments is at base + offset(i) + f * width / 8. */
struct access {
    bool store, indexed;
    uint32_t base, stride;
    unsigned width, index_width, fields;
    int lmul;       /* of one field's group */
    uint32_t count; /* elements of a field */
    bool masked;
};

static unsigned width_of(uint32_t word)
{
    unsigned code = word >> 12 & 7;
    return code == 0 ? 8 : 8u << (code - 4);
}

/* Decodes the instruction. Returns why it is reserved, or null. */
static const char *decode(const struct vector *vector, bool store, struct access *access)
{
    uint32_t word = vector->word;
    unsigned mode = word >> 26 & 3, kind = vector->vs2, width = width_of(word);
    *access = (struct access){
        .store = store,
        .indexed = mode & 1,
        .base = vector->core->x[vector->vs1],
        .width = mode & 1 ? vector->width : width,
        .index_width = width,
        .fields = (word >> 29) + 1,
        .lmul = vector->lmul,
        .count = vector->vl,
        .masked = vector->masked,
    };
    if (width > 32 || word >> 28 & 1) {
        return "elements of memory have 8, 16 or 32 bits";
    }
    access->stride = mode == STRIDED ? vector->core->x[vector->vs2] : access->fields * access->width / 8;
    if (!access->indexed) {
        access->lmul += __builtin_ctz(width) - __builtin_ctz(vector->width);
    }
    if (mode != UNIT_STRIDE || kind == UNIT || (kind == FAULT_FIRST && !store)) {
        return NULL;
    }
    if (kind == WHOLE && !vector->masked && (access->fields & (access->fields - 1)) == 0 && (!store || width == 8)) {
        access->lmul = __builtin_ctz(access->fields);
        access->count = RV32_VECTOR_BYTES * 8 / width * access->fields;
        access->fields = 1;
        access->stride = width / 8;
        return NULL;
    }
    if (kind == MASK && !vector->masked && access->fields == 1 && width == 8) {
        access->lmul = 0;
        access->count = (vector->vl + 7) / 8;
        return NULL;
    }
    return "an unknown kind of load or store";
}

static unsigned registers_of(int lmul)
{
    return lmul > 0 ? 1u << lmul : 1;
}

static const char *check(const struct vector *vector, const struct access *access)
{
    struct vector_group data = {vector->vd, access->lmul, access->width};
    struct vector_group indices = {vector->vs2, vector->lmul, access->index_width};
    indices.lmul += __builtin_ctz(access->index_width) - __builtin_ctz(vector->width);
    unsigned registers = registers_of(access->lmul) * access->fields;
    if (!vector_group_valid(data) || registers > 8 || vector->vd + registers > RV32_VECTOR_REGISTERS) {
        return "too many registers, or a group that starts at the wrong one";
    }
    if (access->masked && vector->vd == 0 && !access->store) {
        return "the destination overlaps the mask v0";
    }
    if (!access->indexed) {
        return NULL;
    }
    if (!vector_group_valid(indices)) {
        return "a group of indices that starts at the wrong register";
    }
    bool overlaps = vector->vd < vector->vs2 + registers_of(indices.lmul) && vector->vs2 < vector->vd + registers;
    if (!access->store && overlaps && (access->fields > 1 || !vector_overlap_valid(data, indices))) {
        return "the destination overlaps the indices";
    }
    return NULL;
}

static uint32_t address_of(const struct vector *vector, const struct access *access, uint32_t i, unsigned field)
{
    uint32_t offset = access->indexed ? vector_get(vector, vector->vs2, i, access->index_width) : i * access->stride;
    return access->base + offset + field * access->width / 8;
}

/* The byte at an aligned address, or null if it is neither in L1 nor in local RAM. */
static uint8_t *direct(const struct rv32 *rv32, uint32_t address)
{
    uint32_t offset = address - MEM_LOCAL_BASE;
    return address < L1_SIZE               ? l1_direct(rv32->l1) + address
           : offset < rv32->local_ram_size ? rv32->local_ram + offset
                                           : NULL;
}

/* Checks all addresses first, so that an access happens completely or not at all. */
static enum step check_addresses(const struct vector *vector, const struct access *access)
{
    struct diagnostics *diagnostics = vector->rv32->diagnostics;
    for (uint32_t i = 0; i < access->count; i++) {
        for (unsigned field = 0; field < access->fields && (!access->masked || vector_active(vector, i)); field++) {
            uint32_t address = address_of(vector, access, i, field), bytes = access->width / 8;
            if (!direct(vector->rv32, address & ~(bytes - 1))) {
                return diagnose(diagnostics, BH_UNSUPPORTED,
                                "vector %s at 0x%08x: only accesses to L1 and to the core's local RAM are emulated",
                                access->store ? "store" : "load", address) == STEP_STOP
                           ? STEP_STOP
                           : STEP_WAIT;
            }
            if (address % bytes &&
                diagnose(diagnostics, BH_NON_CONTRACTUAL, "misaligned vector %s of %u bytes at 0x%08x: rounded down",
                         access->store ? "store" : "load", bytes, address) == STEP_STOP) {
                return STEP_STOP;
            }
        }
    }
    return STEP_DONE;
}

enum step vector_memory(struct vector *vector, bool store)
{
    struct access access;
    const char *why = decode(vector, store, &access);
    why = why ? why : check(vector, &access);
    if (why) {
        return vector_reserved(vector, why);
    }
    enum step step = check_addresses(vector, &access);
    if (step != STEP_DONE) {
        return step == STEP_WAIT ? STEP_DONE : step; /* refused, but the policy continues: no effect */
    }
    unsigned bytes = access.width / 8, registers = registers_of(access.lmul);
    for (uint32_t i = 0; i < access.count; i++) {
        for (unsigned field = 0; field < access.fields && (!access.masked || vector_active(vector, i)); field++) {
            uint32_t address = address_of(vector, &access, i, field) & ~(bytes - 1);
            unsigned first = vector->vd + field * registers;
            uint8_t *place = direct(vector->rv32, address);
            if (store) {
                uint32_t value = vector_get(vector, first, i, access.width);
                memcpy(place, &value, bytes);
                if (address < L1_SIZE) {
                    l1_written(vector->rv32->l1, address, bytes);
                }
            } else {
                uint32_t value = 0;
                memcpy(&value, place, bytes);
                vector_set(vector, first, i, access.width, value);
            }
            if (__builtin_expect(vector->rv32->observed != NULL, 0)) {
                rv32_tell_access(vector->rv32, store, address, bytes, place);
            }
        }
    }
    return STEP_DONE;
}
