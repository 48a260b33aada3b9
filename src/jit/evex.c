#include "jit/evex.h"

#include <string.h>

/* The field mmm of an instruction: the opcode map. */
enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };

/* The field pp; and with W, seven places up, for elements of 64 bits. */
enum { PP_NONE, PP_66 = 1, PP_F3 = 2, PP_66_WIDE = 1 << 7 | PP_66 };

/* What else is to be known of an instruction: whether it has no x, ends with its count, writes a mask register, reads
   one, or rounds to the nearest, ties to even, whatever is set in MXCSR, which stays as it is. */
enum { UNARY = 1 << 0, WITH_COUNT = 1 << 1, TO_MASK = 1 << 2, FROM_MASK = 1 << 3, ROUNDS = 1 << 4 };

struct encoding {
    uint8_t map, opcode, pp, traits;
    uint8_t extension; /* what a shift has in place of a register */
};

static const struct encoding encodings[] = {
    [EVEX_ADD] = {MAP_0F, 0xfe, PP_66, 0, 0},
    [EVEX_SUB] = {MAP_0F, 0xfa, PP_66, 0, 0},
    [EVEX_MINIMUM_SIGNED] = {MAP_0F38, 0x39, PP_66, 0, 0},
    [EVEX_MAXIMUM_SIGNED] = {MAP_0F38, 0x3d, PP_66, 0, 0},
    [EVEX_MULTIPLY] = {MAP_0F38, 0x40, PP_66, 0, 0},
    [EVEX_MULTIPLY_EVEN] = {MAP_0F, 0xf4, PP_66_WIDE, 0, 0},
    [EVEX_AND] = {MAP_0F, 0xdb, PP_66, 0, 0},
    [EVEX_OR] = {MAP_0F, 0xeb, PP_66, 0, 0},
    [EVEX_XOR] = {MAP_0F, 0xef, PP_66, 0, 0},
    [EVEX_TERNARY] = {MAP_0F3A, 0x25, PP_66, WITH_COUNT, 0},
    [EVEX_MOVE] = {MAP_0F, 0x6f, PP_66, UNARY, 0},
    [EVEX_SHIFT_LEFT] = {MAP_0F, 0x72, PP_66, WITH_COUNT, 6},
    [EVEX_SHIFT_RIGHT] = {MAP_0F, 0x72, PP_66, WITH_COUNT, 2},
    [EVEX_SHIFT_RIGHT_SIGNED] = {MAP_0F, 0x72, PP_66, WITH_COUNT, 4},
    [EVEX_SHIFT_RIGHT_WIDE] = {MAP_0F, 0x73, PP_66_WIDE, WITH_COUNT, 2},
    [EVEX_TO_FLOAT] = {MAP_0F, 0x5b, PP_NONE, UNARY | ROUNDS, 0},
    [EVEX_SHIFT_LEFT_BY] = {MAP_0F38, 0x47, PP_66, 0, 0},
    [EVEX_SHIFT_RIGHT_BY] = {MAP_0F38, 0x45, PP_66, 0, 0},
    [EVEX_SHIFT_RIGHT_SIGNED_BY] = {MAP_0F38, 0x46, PP_66, 0, 0},
    [EVEX_ABSOLUTE] = {MAP_0F38, 0x1e, PP_66, UNARY, 0},
    [EVEX_LEADING_ZEROS] = {MAP_0F38, 0x44, PP_66, UNARY, 0},
    [EVEX_SIGNS] = {MAP_0F38, 0x39, PP_F3, UNARY | TO_MASK, 0},
    [EVEX_TEST] = {MAP_0F38, 0x27, PP_66, TO_MASK, 0},
    [EVEX_TEST_NOT] = {MAP_0F38, 0x27, PP_F3, TO_MASK, 0},
    [EVEX_COMPARE] = {MAP_0F3A, 0x1f, PP_66, WITH_COUNT | TO_MASK, 0},
    [EVEX_JOIN_HALVES] = {MAP_0F3A, 0x43, PP_66, WITH_COUNT, 0},
    [EVEX_WIDEN] = {MAP_0F38, 0x38, PP_F3, UNARY | FROM_MASK, 0},
};
static const struct encoding broadcast = {MAP_0F38, 0x58, PP_66, UNARY, 0}, store = {MAP_0F, 0x7f, PP_66, 0, 0};

void evex_emit_bytes(struct evex_code *code, const uint8_t *bytes, uint32_t size)
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
    enum { PREFIX = 0x62, FIXED = 1 << 2, BROADCASTS_OR_ROUNDS = 1 << 4, WIDTH_512 = 2 << 5 };
    bool rounds = fields->encoding.traits & ROUNDS;
    uint8_t number = rm.place == EVEX_REGISTER ? (uint8_t)rm.number : 0;
    unsigned r = fields->reg >> 3 & 1, r_high = fields->reg >> 4, b = number >> 3 & 1, x = number >> 4;
    unsigned v_high = fields->vvvv >> 4;
    const uint8_t bytes[] = {
        PREFIX,
        (uint8_t)(!r << 7 | !x << 6 | !b << 5 | !r_high << 4 | fields->encoding.map),
        (uint8_t)((~fields->vvvv & 15) << 3 | FIXED | fields->encoding.pp),
        (uint8_t)((rounds ? 0 : WIDTH_512) | (fields->broadcasts || rounds ? BROADCASTS_OR_ROUNDS : 0) | !v_high << 3 |
                  fields->mask),
        fields->encoding.opcode,
    };
    evex_emit_bytes(code, bytes, sizeof bytes);
}

/* ModR/M and displacement. following: bytes of the instruction after them. */
static void emit_operand(struct evex_code *code, uint8_t reg, struct evex_operand rm, uint32_t following)
{
    enum { MOD_REGISTER = 3 << 6, MOD_DISPLACEMENT_8 = 1 << 6, MOD_DISPLACEMENT_32 = 2 << 6 };
    enum { RM_RDI = 7, RM_RIP = 5, RM_SIB = 4, SIB_RDI_RCX = 1 << 3 | RM_RDI };
    uint8_t low = (uint8_t)((reg & 7) << 3);
    if (rm.place == EVEX_CONSTANT) {
        const uint8_t modrm = low | RM_RIP;
        evex_emit_bytes(code, &modrm, 1);
        int32_t displacement = (int32_t)(rm.number - (code->size + sizeof displacement + following));
        evex_emit_bytes(code, (const uint8_t *)&displacement, sizeof displacement);
    } else if (rm.place == EVEX_VECTOR) { /* the displacement counts vectors */
        const uint8_t bytes[] = {low | MOD_DISPLACEMENT_8 | RM_RDI, (uint8_t)rm.number};
        evex_emit_bytes(code, bytes, sizeof bytes);
    } else if (rm.place == EVEX_INDEXED) {
        const uint8_t bytes[] = {low | MOD_DISPLACEMENT_32 | RM_SIB, SIB_RDI_RCX};
        evex_emit_bytes(code, bytes, sizeof bytes);
        evex_emit_bytes(code, (const uint8_t *)&rm.number, sizeof rm.number);
    } else {
        const uint8_t modrm = low | MOD_REGISTER | (rm.number & 7);
        evex_emit_bytes(code, &modrm, 1);
    }
}

static uint8_t host_register(const struct evex_code *code, uint32_t number)
{
    enum { REGISTERS = 32 };
    return (uint8_t)((number + code->first_register) % REGISTERS);
}

void evex_emit(struct evex_code *code, const struct evex_instruction *instruction)
{
    struct encoding encoding = encodings[instruction->operation];
    struct evex_operand y = instruction->y;
    uint8_t traits = encoding.traits, to = instruction->to;
    bool broadcasts = y.place == EVEX_CONSTANT;
    if (traits & TO_MASK) {
        evex_write_mask(code, to);
    } else {
        evex_write(code, UINT32_C(1) << to);
        to = host_register(code, to);
    }
    if (y.place == EVEX_REGISTER && !(traits & FROM_MASK)) {
        y.number = host_register(code, y.number);
    }
    if (instruction->operation == EVEX_MOVE && broadcasts) {
        encoding = broadcast;
        broadcasts = false;
    }
    uint8_t x = traits & UNARY ? 0 : host_register(code, instruction->x);
    const struct fields fields = {.encoding = encoding,
                                  .reg = encoding.extension ? encoding.extension : to,
                                  .vvvv = encoding.extension ? to : x,
                                  .mask = instruction->mask,
                                  .broadcasts = broadcasts};
    emit_prefix(code, &fields, y);
    emit_operand(code, fields.reg, y, traits & WITH_COUNT ? 1 : 0);
    if (traits & WITH_COUNT) {
        evex_emit_bytes(code, &instruction->count, 1);
    }
}

static void emit_store(struct evex_code *code, uint8_t from, struct evex_operand to)
{
    from = host_register(code, from);
    emit_prefix(code, &(struct fields){.encoding = store, .reg = from}, to);
    emit_operand(code, from, to, 0);
}

void evex_emit_store(struct evex_code *code, uint8_t from, uint32_t number)
{
    emit_store(code, from, (struct evex_operand){EVEX_VECTOR, number});
}

void evex_emit_indexed_store(struct evex_code *code, uint8_t from, int32_t offset)
{
    emit_store(code, from, (struct evex_operand){EVEX_INDEXED, (uint32_t)offset});
}

uint32_t evex_emit_jump_unless_all(struct evex_code *code)
{
    static const uint8_t bytes[] = {
        0x83, 0xfe, 0xff,                   /* cmp esi, -1 */
        0x0f, 0x85, 0x00, 0x00, 0x00, 0x00, /* jne */
    };
    evex_emit_bytes(code, bytes, sizeof bytes);
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
    evex_write_mask(code, 1);
    evex_write_mask(code, 2);
    evex_emit_bytes(code, bytes, sizeof bytes);
}

/* VEX prefix in its short form, for instructions whose operands are mask registers k0 to k7, rdi and rdx. */
static void emit_short(struct evex_code *code, uint8_t x, bool wide, uint8_t opcode, uint8_t modrm)
{
    enum { PREFIX = 0xc5, R = 1 << 7 };
    const uint8_t bytes[] = {PREFIX, (uint8_t)(R | (~x & 15) << 3 | wide << 2), opcode, modrm};
    evex_emit_bytes(code, bytes, sizeof bytes);
}

void evex_emit_mask(struct evex_code *code, enum evex_mask_operation operation, uint8_t to, uint8_t x, uint8_t y)
{
    static const uint8_t opcodes[] = {
        [EVEX_MASK_AND] = 0x41,  [EVEX_MASK_AND_NOT] = 0x42, [EVEX_MASK_NOT] = 0x44,
        [EVEX_MASK_JOIN] = 0x4b, [EVEX_MASK_MOVE] = 0x90,
    };
    enum { MOD_REGISTER = 3 << 6 };
    bool unary = operation == EVEX_MASK_NOT || operation == EVEX_MASK_MOVE;
    evex_write_mask(code, to);
    emit_short(code, unary ? 0 : x, !unary, opcodes[operation], (uint8_t)(MOD_REGISTER | to << 3 | y));
}

enum { MOD_DISPLACEMENT_32 = 2 << 6 };

static void emit_offset(struct evex_code *code, struct evex_address address)
{
    evex_emit_bytes(code, (const uint8_t *)&address.offset, sizeof address.offset);
}

void evex_emit_mask_load(struct evex_code *code, uint8_t to, struct evex_address from)
{
    enum { KMOVW = 0x90 };
    evex_write_mask(code, to);
    emit_short(code, 0, false, KMOVW, (uint8_t)(MOD_DISPLACEMENT_32 | to << 3 | from.base));
    emit_offset(code, from);
}

void evex_emit_mask_store(struct evex_code *code, uint8_t from, struct evex_address to)
{
    const uint8_t kmovd[] = {0xc4, 0xe1, 0xf9, 0x91, (uint8_t)(MOD_DISPLACEMENT_32 | from << 3 | to.base)};
    evex_emit_bytes(code, kmovd, sizeof kmovd);
    emit_offset(code, to);
}

void evex_emit_word_store(struct evex_code *code, uint32_t value, struct evex_address to)
{
    const uint8_t mov[] = {0xc7, (uint8_t)(MOD_DISPLACEMENT_32 | to.base)};
    evex_emit_bytes(code, mov, sizeof mov);
    emit_offset(code, to);
    evex_emit_bytes(code, (const uint8_t *)&value, sizeof value);
}

void evex_emit_word_add(struct evex_code *code, int8_t value, struct evex_address to)
{
    const uint8_t add[] = {0x83, (uint8_t)(MOD_DISPLACEMENT_32 | to.base)};
    evex_emit_bytes(code, add, sizeof add);
    emit_offset(code, to);
    evex_emit_bytes(code, (const uint8_t *)&value, sizeof value);
}

void evex_emit_entry_of_12(struct evex_code *code, int32_t array, int32_t index)
{
    static const uint8_t mov[] = {0x8b, 0x87};             /* mov eax, [rdi + index] */
    static const uint8_t lea[] = {0x8d, 0x04, 0x40,        /* lea eax, [rax + rax * 2] */
                                  0x48, 0x8d, 0x94, 0x87}; /* lea rdx, [rdi + rax * 4 + array] */
    evex_emit_bytes(code, mov, sizeof mov);
    evex_emit_bytes(code, (const uint8_t *)&index, sizeof index);
    evex_emit_bytes(code, lea, sizeof lea);
    evex_emit_bytes(code, (const uint8_t *)&array, sizeof array);
}

void evex_emit_return(struct evex_code *code)
{
    static const uint8_t bytes[] = {0xc5, 0xf8, 0x77, 0xc3}; /* vzeroupper; ret */
    evex_emit_bytes(code, bytes, sizeof bytes);
}

uint32_t evex_emit_constant(struct evex_code *code, uint32_t value)
{
    uint32_t place = code->size;
    evex_emit_bytes(code, (const uint8_t *)&value, sizeof value);
    return place;
}
