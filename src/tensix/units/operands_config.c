#include "tensix/units/operands_config.h"

#include "isa/tensix_isa.h"
#include "tensix/units/addr/rwc.h"

/* The bits that are read of each word, and which words have any. */
struct read_words {
    uint64_t some[(CONFIG_WORDS + 63) / 64];
    uint32_t bits[CONFIG_WORDS];
};

/* What the table's expressions know. */
struct reading {
    struct read_words config, thread_config[TENSIX_THREADS];
    const struct tensix_state *state;
    unsigned thread, unpacker, section, context, args_ovrd;
    const struct pack_facts *pack;
};

enum {
    SECTION_WORDS = THCON_SEC1_REG1_L1_Dest_addr_ADDR32 - THCON_SEC0_REG1_L1_Dest_addr_ADDR32,
    PACK_REG8_WORDS = THCON_SEC0_REG8_L1_Dest_addr_ADDR32 - THCON_SEC0_REG1_L1_Dest_addr_ADDR32
};

static void add(struct read_words *words, uint32_t index, uint32_t bits)
{
    uint64_t bit = UINT64_C(1) << index % 64;
    words->bits[index] = words->some[index / 64] & bit ? words->bits[index] | bits : bits;
    words->some[index / 64] |= bit;
}

enum { ALWAYS = 1 };
#define WHEN(condition, statement)                                                                                     \
    if (condition) {                                                                                                   \
        statement;                                                                                                     \
    }

/* read_SET(): adds the words of a set. */
#define OPERANDS_SET(set)                                                                                              \
    static void read_##set(struct reading *reading, uint32_t n)                                                        \
    {                                                                                                                  \
        const unsigned thread = reading->thread, unpacker = reading->unpacker, section = reading->section,             \
                       context = reading->context, args_ovrd = reading->args_ovrd;                                     \
        const uint32_t *config = config_bank(&reading->state->config, thread);                                         \
        const uint16_t *thread_config = reading->state->config.thread[thread];                                         \
        const struct pack_facts *pack = reading->pack;                                                                 \
        (void)n, (void)unpacker, (void)section, (void)context, (void)args_ovrd, (void)config, (void)thread_config,     \
            (void)pack, (void)thread;
#define CONFIG_READ(set, field, words, above, when)                                                                    \
    WHEN(when, add(&reading->config, field##_ADDR32 + (words), (uint32_t)field##_MASK << (above)))
#define CONFIG_WORD(set, field, words, when) WHEN(when, add(&reading->config, field##_ADDR32 + (words), UINT32_MAX))
#define THREAD_READ(set, field, words, when)                                                                           \
    WHEN(when, add(&reading->thread_config[thread], field##_ADDR32 + (words), field##_MASK))
#define THREAD_WORD(set, field, words, when)                                                                           \
    WHEN(when, add(&reading->thread_config[thread], field##_ADDR32 + (words), UINT16_MAX))
#define ALL_THREADS_READ(set, field, when)                                                                             \
    for (unsigned i = 0; (when) && i < TENSIX_THREADS; i++) {                                                          \
        add(&reading->thread_config[i], field##_ADDR32, field##_MASK);                                                 \
    }
#define OPERANDS_ALSO(set, other, n, when) WHEN(when, read_##other(reading, (n)))
#define OPERANDS_SET_END(set) }
#include "operands.def"

/* The sets of an instruction. */
static void read_sets(struct reading *reading, uint32_t word)
{
    const unsigned thread = reading->thread, context = reading->context;
    const uint32_t *config = config_bank(&reading->state->config, thread);
    const uint16_t *thread_config = reading->state->config.thread[thread];
    const struct rwc *rwc = &reading->state->addr.rwc[thread];
    const struct pack_facts *pack = reading->pack;
    switch (word >> 24) {
#define OPERANDS_BEGIN(name)                                                                                           \
    case TENSIX_OPCODE_##name: {                                                                                       \
        const struct args_##name args = decode_##name(word);                                                           \
        (void)args;
#define OPERANDS_USE(name, set, n, when) WHEN(when, read_##set(reading, (n)))
#define OPERANDS_END(name)                                                                                             \
    break;                                                                                                             \
    }
#include "operands.def"
    default: break;
    }
}

/* Appends a range for each row of words of which the same bits are read. */
static void add_words(struct operand_list *list, struct bh_operand operand, const struct read_words *words,
                      unsigned count)
{
    operand.count = 0;
    for (unsigned base = 0; base < count; base += 64) {
        for (uint64_t left = words->some[base / 64]; left; left &= left - 1) {
            unsigned i = base + (unsigned)__builtin_ctzll(left);
            if (operand.count && (operand.index + operand.count != i || operand.mask != words->bits[i])) {
                operands_add(list, operand);
                operand.count = 0;
            }
            operand.index = operand.count ? operand.index : (uint16_t)i;
            operand.mask = words->bits[i];
            operand.count++;
        }
    }
    operands_add(list, operand);
}

static void begin(struct reading *reading, const struct tensix_state *state, unsigned thread)
{
    memset(reading->config.some, 0, sizeof reading->config.some);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        memset(reading->thread_config[i].some, 0, sizeof reading->thread_config[i].some);
    }
    reading->state = state;
    reading->thread = thread;
    reading->pack = NULL;
    reading->unpacker = reading->section = reading->context = reading->args_ovrd = 0;
}

static void end(const struct reading *reading, struct operand_list *list, struct bh_operand operand)
{
    const uint16_t *thread_config = reading->state->config.thread[reading->thread];
    operand.file = BH_OPERAND_CONFIG;
    operand.part = (uint8_t)CONFIG_GET(thread_config, CFG_STATE_ID_StateID);
    add_words(list, operand, &reading->config, CONFIG_WORDS);
    operand.file = BH_OPERAND_THREAD_CONFIG;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        operand.part = (uint8_t)i;
        add_words(list, operand, &reading->thread_config[i], THD_STATE_SIZE);
    }
}

void operands_add_config_reads(struct operand_list *list, struct bh_operand operand, const struct tensix_state *state,
                               unsigned thread, uint32_t word, const struct operand_facts *facts)
{
    struct reading reading;
    unsigned opcode = word >> 24;
    begin(&reading, state, thread);
    reading.pack = &facts->pack;
    if (opcode == TENSIX_OPCODE_UNPACR || opcode == TENSIX_OPCODE_UNPACR_NOP) {
        reading.unpacker = decode_UNPACR(word).Unpack_block_selection;
        reading.section = reading.unpacker ? SECTION_WORDS : 0;
        reading.args_ovrd = decode_UNPACR(word).OvrdThreadId;
        reading.context = facts->context;
    } else if (opcode == TENSIX_OPCODE_PACR) {
        reading.context = facts->pack.context;
        reading.section = reading.context & 2 ? SECTION_WORDS : 0;
    }
    read_sets(&reading, word);
    end(&reading, list, operand);
}

void operands_add_store_format(struct operand_list *list, struct bh_operand operand, const struct tensix_state *state,
                               unsigned thread, unsigned mod0)
{
    struct reading reading;
    begin(&reading, state, thread);
    read_STATE_ID(&reading, 0);
    read_VECTOR_DST(&reading, mod0);
    end(&reading, list, operand);
}
