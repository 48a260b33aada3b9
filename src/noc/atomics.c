#include "noc/atomics.h"

#include <string.h>

#include "tensix/num/pack_accumulate.h"
#include "util/bits.h"

enum operation {
    INCREMENT = 1,
    SWAP_MASK = 3,
    COMPARE_AND_SWAP = 4,
    SWAP_INDEX_6 = 6,
    SWAP_INDEX_7 = 7,
    PARALLEL_ADDITION = 9,
    ZAAMO = 10,
    ZAAMO_SWAP = 3, /* bits 11:8 of ZAAMO; with bit 11 set, bits 10:8 are one of enum zaamo */
};

enum zaamo { AMOADD, AMOXOR, AMOOR, AMOAND, AMOMIN, AMOMAX, AMOMINU, AMOMAXU };

static bool format_exists(unsigned format)
{
    return 0xb797 >> format & 1; /* 0 1 2 4 7, 8 9 10 12 13 15 */
}

bool noc_atomic_exists(uint32_t instruction)
{
    switch (bits_get(instruction, 12, 4)) {
    case INCREMENT:
    case SWAP_MASK:
    case COMPARE_AND_SWAP:
    case SWAP_INDEX_7: return true;
    case SWAP_INDEX_6: return instruction >> 2 & 1;
    case PARALLEL_ADDITION: return format_exists(bits_get(instruction, 0, 4));
    case ZAAMO: return instruction >> 11 & 1 || bits_get(instruction, 8, 4) == ZAAMO_SWAP;
    default: return false;
    }
}

static uint32_t word_at(const uint8_t *unit, unsigned index)
{
    uint32_t word;
    memcpy(&word, unit + 4 * index, sizeof word);
    return word;
}

static void set_word_at(uint8_t *unit, unsigned index, uint32_t word)
{
    memcpy(unit + 4 * index, &word, sizeof word);
}

static void swap_halves(uint8_t *unit, uint32_t mask, uint32_t data)
{
    for (unsigned i = 0; i < 8; i++) {
        if (mask >> i & 1) {
            uint16_t half = (uint16_t)(data >> 16 * (i & 1));
            memcpy(unit + 2 * i, &half, sizeof half);
        }
    }
}

static uint32_t zaamo(enum zaamo operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case AMOADD: return a + b;
    case AMOXOR: return a ^ b;
    case AMOOR: return a | b;
    case AMOAND: return a & b;
    case AMOMIN: return (int32_t)a < (int32_t)b ? a : b;
    case AMOMAX: return (int32_t)a > (int32_t)b ? a : b;
    case AMOMINU: return a < b ? a : b;
    case AMOMAXU: return a > b ? a : b;
    }
    return a;
}

static void add_words(const uint8_t *added, uint8_t *unit, bool floating)
{
    for (unsigned i = 0; i < 4; i++) {
        uint32_t a = word_at(unit, i), b = word_at(added, i);
        set_word_at(unit, i, floating ? pack_accumulate_fp32(a, b) : a + b);
    }
}

static void add_halves(const uint8_t *added, uint8_t *unit, uint16_t (*add)(uint16_t held, uint16_t added))
{
    for (unsigned i = 0; i < 16; i += 2) {
        uint16_t a, b;
        memcpy(&a, unit + i, sizeof a);
        memcpy(&b, added + i, sizeof b);
        a = add(a, b);
        memcpy(unit + i, &a, sizeof a);
    }
}

static void add_bytes(const uint8_t *added, uint8_t *unit, bool saturate)
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned sum = unit[i] + added[i];
        unit[i] = (uint8_t)(saturate && sum > UINT8_MAX ? UINT8_MAX : sum);
    }
}

bool noc_accumulate(unsigned format, const uint8_t added[16], uint8_t unit[16])
{
    switch (format) {
    case 0:
    case 8: add_words(added, unit, true); return true;
    case 1:
    case 9: add_halves(added, unit, pack_accumulate_fp16); return true;
    case 2:
    case 10: add_halves(added, unit, pack_accumulate_bf16); return true;
    case 4:
    case 12:
    case 13: add_words(added, unit, false); return true;
    case 7: add_bytes(added, unit, true); return true;
    case 15: add_bytes(added, unit, false); return true;
    default: return false;
    }
}

static void parallel_addition(uint32_t instruction, uint32_t data, uint8_t *unit)
{
    uint8_t added[16];
    for (unsigned i = 0; i < 4; i++) {
        set_word_at(added, i, data);
    }
    (void)noc_accumulate(bits_get(instruction, 0, 4), added, unit);
}

void noc_atomic(uint32_t instruction, uint32_t data, uint8_t unit[16])
{
    unsigned offset = instruction & 3;
    uint32_t original = word_at(unit, offset);
    switch (bits_get(instruction, 12, 4)) {
    case INCREMENT: {
        uint32_t mask = (2u << bits_get(instruction, 2, 5)) - 1;
        set_word_at(unit, offset, ((original + data) & mask) | (original & ~mask));
        return;
    }
    case SWAP_MASK: swap_halves(unit, bits_get(instruction, 2, 8), data); return;
    case COMPARE_AND_SWAP:
        if (original == bits_get(instruction, 2, 4)) {
            set_word_at(unit, offset, bits_get(instruction, 6, 4));
        }
        return;
    case SWAP_INDEX_6: set_word_at(unit, offset, data); return;
    case SWAP_INDEX_7: set_word_at(unit, bits_get(instruction, 2, 2), data); return;
    case PARALLEL_ADDITION: parallel_addition(instruction, data, unit); return;
    case ZAAMO:
        set_word_at(unit, offset,
                    instruction >> 11 & 1 ? zaamo((enum zaamo)bits_get(instruction, 8, 3), original, data) : data);
        return;
    default: return;
    }
}
