#include "util/evex.h"

#include <string.h>

/* The field mmm of an instruction: which table of opcodes. */
enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };

struct encoding {
    uint8_t map, opcode;
};

static const struct encoding encodings[] = {
    [EVEX_ADD] = {MAP_0F, 0xfe},
    [EVEX_SUB] = {MAP_0F, 0xfa},
    [EVEX_AND] = {MAP_0F, 0xdb},
    [EVEX_OR] = {MAP_0F, 0xeb},
    [EVEX_XOR] = {MAP_0F, 0xef},
    [EVEX_NOT] = {MAP_0F3A, 0x25},
    [EVEX_MOVE] = {MAP_0F, 0x6f},
    [EVEX_SHIFT_LEFT] = {MAP_0F, 0x72},
    [EVEX_SHIFT_RIGHT] = {MAP_0F, 0x72},
    [EVEX_SHIFT_RIGHT_SIGNED] = {MAP_0F, 0x72},
    [EVEX_SHIFT_LEFT_BY] = {MAP_0F38, 0x47},
    [EVEX_SHIFT_RIGHT_BY] = {MAP_0F38, 0x45},
};
static const struct encoding broadcast = {MAP_0F38, 0x58}, store = {MAP_0F, 0x7f};
/* What shifts have in place of a register, by operation. */
static const uint8_t extensions[] = {[EVEX_SHIFT_LEFT] = 6, [EVEX_SHIFT_RIGHT] = 2, [EVEX_SHIFT_RIGHT_SIGNED] = 4};
enum { TABLE_NOT_C = 0x55 };

static void emit(struct evex_code *code, const uint8_t *bytes, uint32_t size)
{
    if (code->full || size > code->capacity - code->size) {
        code->full = true;
        return;
    }
    memcpy(code->bytes + code->size, bytes, size);
    code->size += size;
}

/* Fields of an instruction, before some of their bits are inverted. */
struct fields {
    struct encoding encoding;
    uint8_t reg, vvvv, mask;
    bool broadcasts; /* the operand in memory is one word */
};

static void emit_prefix(struct evex_code *code, const struct fields *fields, struct evex_operand rm)
{
    enum { PREFIX = 0x62, WIDTH_512 = 2 << 5, PP_66 = 1, FIXED = 1 << 2 };
    uint8_t number = rm.place == EVEX_REGISTER ? (uint8_t)rm.number : 0;
    unsigned r = fields->reg >> 3 & 1, r_high = fields->reg >> 4, b = number >> 3 & 1, x = number >> 4;
    unsigned v_high = fields->vvvv >> 4;
    const uint8_t bytes[] = {
        PREFIX,
        (uint8_t)(!r << 7 | !x << 6 | !b << 5 | !r_high << 4 | fields->encoding.map),
        (uint8_t)((~fields->vvvv & 15) << 3 | FIXED | PP_66),
        (uint8_t)(WIDTH_512 | fields->broadcasts << 4 | !v_high << 3 | fields->mask),
        fields->encoding.opcode,
    };
    emit(code, bytes, sizeof bytes);
}

/* ModR/M and displacement. following: bytes of the instruction after them. */
static void emit_operand(struct evex_code *code, uint8_t reg, struct evex_operand rm, uint32_t following)
{
    enum { MOD_REGISTER = 3 << 6, MOD_DISPLACEMENT_8 = 1 << 6, RM_RDI = 7, RM_RIP = 5 };
    uint8_t low = (uint8_t)((reg & 7) << 3);
    if (rm.place == EVEX_CONSTANT) {
        const uint8_t modrm = low | RM_RIP;
        emit(code, &modrm, 1);
        int32_t displacement = (int32_t)(rm.number - (code->size + sizeof displacement + following));
        emit(code, (const uint8_t *)&displacement, sizeof displacement);
    } else if (rm.place == EVEX_VECTOR) { /* the displacement counts vectors */
        const uint8_t bytes[] = {low | MOD_DISPLACEMENT_8 | RM_RDI, (uint8_t)rm.number};
        emit(code, bytes, sizeof bytes);
    } else {
        const uint8_t modrm = low | MOD_REGISTER | (rm.number & 7);
        emit(code, &modrm, 1);
    }
}

void evex_emit(struct evex_code *code, const struct evex_instruction *instruction)
{
    struct fields fields = {.encoding = encodings[instruction->operation],
                            .reg = instruction->to,
                            .vvvv = instruction->x,
                            .mask = instruction->mask,
                            .broadcasts = instruction->y.place == EVEX_CONSTANT};
    bool has_byte = true;
    uint8_t byte = instruction->count;
    switch (instruction->operation) {
    case EVEX_SHIFT_LEFT:
    case EVEX_SHIFT_RIGHT:
    case EVEX_SHIFT_RIGHT_SIGNED:
        fields.reg = extensions[instruction->operation];
        fields.vvvv = instruction->to;
        break;
    case EVEX_NOT:
        fields.vvvv = instruction->to; /* read, without an effect */
        byte = TABLE_NOT_C;
        break;
    case EVEX_MOVE:
        fields.vvvv = 0;
        if (fields.broadcasts) {
            fields.encoding = broadcast;
            fields.broadcasts = false;
        }
        has_byte = false;
        break;
    default: has_byte = false; break;
    }
    emit_prefix(code, &fields, instruction->y);
    emit_operand(code, fields.reg, instruction->y, has_byte);
    if (has_byte) {
        emit(code, &byte, 1);
    }
}

void evex_emit_store(struct evex_code *code, uint8_t from, uint32_t number)
{
    const struct evex_operand to = {EVEX_VECTOR, number};
    emit_prefix(code, &(struct fields){.encoding = store, .reg = from}, to);
    emit_operand(code, from, to, 0);
}

uint32_t evex_emit_jump_unless_all(struct evex_code *code)
{
    static const uint8_t bytes[] = {
        0x83, 0xfe, 0xff,                   /* cmp esi, -1 */
        0x0f, 0x85, 0x00, 0x00, 0x00, 0x00, /* jne */
    };
    emit(code, bytes, sizeof bytes);
    return code->size;
}

void evex_land(struct evex_code *code, uint32_t jump)
{
    uint32_t distance = code->size - jump;
    if (!code->full) {
        memcpy(code->bytes + jump - sizeof distance, &distance, sizeof distance);
    }
}

void evex_emit_masks(struct evex_code *code)
{
    static const uint8_t bytes[] = {
        0xc5, 0xf8, 0x92, 0xce, /* kmovw k1, esi */
        0xc1, 0xee, 0x10,       /* shr esi, 16 */
        0xc5, 0xf8, 0x92, 0xd6, /* kmovw k2, esi */
    };
    emit(code, bytes, sizeof bytes);
}

void evex_emit_return(struct evex_code *code)
{
    static const uint8_t bytes[] = {0xc5, 0xf8, 0x77, 0xc3}; /* vzeroupper; ret */
    emit(code, bytes, sizeof bytes);
}

uint32_t evex_emit_constant(struct evex_code *code, uint32_t value)
{
    uint32_t place = code->size;
    emit(code, (const uint8_t *)&value, sizeof value);
    return place;
}
