#include "rv32/vector_time.h"

#include "rv32/timed.h"
#include "rv32/vector.h"
#include "time/clock.h"
#include "util/bits.h"

enum { OP_LOAD = 0x07, OP_STORE = 0x27, CONFIGURES = 7 };
enum { UNIT_STRIDE, INDEXED_UNORDERED, STRIDED, INDEXED_ORDERED, WHOLE = 8, MASK = 11 };
enum { FIRST_MULTIPLY_ADD = 0x28, LAST_MULTIPLY_ADD = 0x2f, FIRST_WIDE_MULTIPLY_ADD = 0x3c, TO_SCALAR = 0x10 };

/* `count` vector registers from one on. */
static uint32_t registers(unsigned first, unsigned count)
{
    return (uint32_t)(((UINT64_C(1) << count) - 1) << first);
}

static unsigned count_of(int lmul)
{
    return lmul > 0 ? 1u << (lmul > 3 ? 3 : lmul) : 1;
}

/* Of memory: elements of `width` bits there. */
static struct rv32_vector_uses memory_uses(uint32_t word, unsigned width, int lmul)
{
    unsigned mode = word >> 26 & 3, kind = rv32_rs2(word), fields = (word >> 29) + 1, code = word >> 12 & 7;
    int of_memory = lmul + (code ? (int)code - 4 : 0) - (__builtin_ctz(width) - 3);
    unsigned count = count_of(mode & 1 ? lmul : of_memory) * fields;
    if (mode == UNIT_STRIDE && (kind == WHOLE || kind == MASK)) {
        count = fields;
    }
    uint32_t data = registers(rv32_rd(word), count < RV32_VECTOR_REGISTERS ? count : RV32_VECTOR_REGISTERS);
    struct rv32_vector_uses uses = {.scalar = {(uint8_t)rv32_rs1(word)}};
    uses.requests = (uint8_t)__builtin_popcount(data);
    uses.stores = (word & 0x7f) == OP_STORE;
    uses.writes = uses.stores ? 0 : data;
    uses.reads = uses.stores ? data : 0;
    if (mode & 1) {
        uses.reads |= registers(kind, count_of(of_memory));
    } else if (mode == STRIDED) {
        uses.scalar[1] = (uint8_t)kind;
    }
    return uses;
}

/* Of arithmetic, how many registers each operand has. */
struct extents {
    unsigned vd, vs1, vs2;
};

static struct extents extents_of(enum rv32_vector_shape shape, int lmul)
{
    unsigned one = count_of(lmul), two = count_of(lmul + 1);
    switch (shape) {
    case VECTOR_COMPARE:
    case VECTOR_CARRY_OUT: return (struct extents){1, one, one};
    case VECTOR_NARROW: return (struct extents){one, one, two};
    case VECTOR_WIDE: return (struct extents){two, one, one};
    case VECTOR_WIDE_W: return (struct extents){two, one, two};
    case VECTOR_REDUCE:
    case VECTOR_WIDE_REDUCE: return (struct extents){1, 1, one};
    case VECTOR_MASK: return (struct extents){1, 1, 1};
    default: return (struct extents){one, one, one};
    }
}

static struct rv32_vector_uses arithmetic_uses(uint32_t word, int lmul)
{
    struct vector_kind kind = vector_kind_of(word);
    struct extents extents = extents_of(kind.shape, lmul);
    unsigned funct6 = word >> 26, vd = rv32_rd(word), vs1 = rv32_rs1(word);
    bool integer = kind.group == VECTOR_GROUP_I;
    struct rv32_vector_uses uses = {.reads = registers(rv32_rs2(word), extents.vs2)};
    if (kind.source == VECTOR_SOURCE_V) {
        uses.reads |= registers(vs1, extents.vs1);
    } else if (kind.source == VECTOR_SOURCE_X) {
        uses.scalar[0] = (uint8_t)(kind.group == VECTOR_GROUP_F ? RV32_F0 + vs1 : vs1);
    }
    if (!integer && funct6 == TO_SCALAR && kind.source == VECTOR_SOURCE_V) {
        uses.rd = (uint8_t)(kind.group == VECTOR_GROUP_F ? RV32_F0 + vd : vd);
        return uses;
    }
    uses.writes = registers(vd, extents.vd);
    bool adds = funct6 >= FIRST_WIDE_MULTIPLY_ADD || (funct6 >= FIRST_MULTIPLY_ADD && funct6 <= LAST_MULTIPLY_ADD);
    bool masked = !(word >> 25 & 1);
    if (masked || (!integer && adds)) {
        uses.reads |= uses.writes; /* also what the mask leaves as it is */
    }
    if (masked || kind.shape == VECTOR_CARRY || kind.shape == VECTOR_CARRY_OUT) {
        uses.reads |= 1;
    }
    return uses;
}

struct rv32_vector_uses rv32_vector_uses(const struct rv32_core *core, uint32_t word)
{
    unsigned opcode = word & 0x7f;
    uint32_t vtype = core->csr[RV32_CSR_vtype];
    int lmul = bits_sign_extend(vtype, 3);
    if (opcode == OP_LOAD || opcode == OP_STORE) {
        struct rv32_vector_uses uses = memory_uses(word, 8u << bits_get(vtype, 3, 3), lmul);
        bool masked = !(word >> 25 & 1);
        uses.reads |= masked ? uses.writes | 1 : 0;
        return uses;
    }
    if ((word >> 12 & 7) == CONFIGURES) {
        bool from_x2 = word >> 30 == 2, from_x1 = word >> 30 != 3;
        return (struct rv32_vector_uses){
            .scalar = {(uint8_t)(from_x1 ? rv32_rs1(word) : 0), (uint8_t)(from_x2 ? rv32_rs2(word) : 0)},
            .rd = (uint8_t)rv32_rd(word),
            .sets = true};
    }
    return arithmetic_uses(word, lmul);
}

uint64_t rv32_time_vector_inputs(const struct rv32_timing *timing, const struct rv32_vector_uses *uses)
{
    uint64_t time = 0;
    for (uint32_t left = uses->reads; left; left &= left - 1) {
        time = clock_later(time, timing->vector[__builtin_ctz(left)]);
    }
    for (unsigned i = 0; i < 2; i++) {
        time = clock_later(time, uses->scalar[i] ? timing->written[uses->scalar[i]].retires : 0);
    }
    return time;
}

uint64_t rv32_time_vector(struct rv32 *rv32, uint64_t *at, const struct rv32_vector_uses *uses, uint32_t word)
{
    uint32_t address = rv32->core->x[rv32_rs1(word)];
    uint64_t latency = uses->sets ? TIMING_RV32_INTEGER : TIMING_RV32_VECTOR;
    for (unsigned i = 0; i < uses->requests; i++, address += RV32_VECTOR_BYTES) {
        *at += i > 0;
        if (uses->stores) {
            *at = rv32_time_store(rv32, *at, address, RV32_VECTOR_BYTES, NULL);
            latency = TIMING_RV32_INTEGER;
        } else {
            latency = rv32_time_load(rv32, at, address, RV32_VECTOR_BYTES);
        }
    }
    return latency;
}

void rv32_time_vector_retired(struct rv32_timing *timing, const struct rv32_vector_uses *uses, uint64_t retired)
{
    for (uint32_t left = uses->writes; left; left &= left - 1) {
        timing->vector[__builtin_ctz(left)] = retired;
    }
    if (uses->rd) {
        timing->written[uses->rd] = (struct rv32_written){retired, retired};
    }
}
