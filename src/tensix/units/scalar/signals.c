/* SETDMAREG in signal mode: copies 16 to 128 of the 128 bits of a packer's status to registers. Sources: chapter "gpr
   and dma instructions"; ISA documentation SETDMAREG_Special.md. */
#include "tensix/units/scalar/parts.h"
#include "util/bits.h"

#include <string.h>

/* The fields of Payload_SigSel. */
struct signal_select {
    unsigned half;    /* which 16 of the 128 bits */
    unsigned source;  /* InputSource */
    unsigned packers; /* a set of packers, or the number of one */
};

static struct signal_select select_of(uint32_t payload)
{
    return (struct signal_select){bits_get(payload, 0, 3), bits_get(payload, 3, 4), bits_get(payload, 7, 4)};
}

enum input_source {
    SOURCE_TILE_SIZES = 0,
    SOURCE_ALL_ZERO_FLAGS = 1,
    SOURCE_TILE_HEADER_0 = 2,
    SOURCE_TILE_HEADER_3 = 5,
    SOURCE_HISTOGRAM_LOW = 6,
    SOURCE_HISTOGRAM_HIGH = 7,
    SOURCE_ALL_ZERO_AND_RESET = 8,
    SOURCE_MAX_EXPONENT = 9,
};

enum result_size { RESULT_16_BITS, RESULT_32_BITS, RESULT_128_BITS, RESULT_TILE_HEADER };

/* The 128 bits as four registers. */
struct signals {
    uint32_t word[GPR_QUAD];
};

/* A tile header has its size in word 0 [15:0], in word 1 the format in [19:16], "not compressed" in [20] and spare bits
   in [23:21], and the flags in word 2. Everything else is reserved. */
static const struct signals tile_header_fields = {{0x0000ffff, 0x00ff0000, 0xffffffff, 0}};

/* Out_data_format and Disable_zero_compress of one packer: the same two fields of one of four words. */
static uint32_t packer_config_word(const uint32_t *config, unsigned packer)
{
    static const uint8_t words[PACKERS_READ] = {
        THCON_SEC0_REG1_Out_data_format_ADDR32, THCON_SEC0_REG8_Out_data_format_ADDR32,
        THCON_SEC1_REG1_Out_data_format_ADDR32, THCON_SEC1_REG8_Out_data_format_ADDR32};
    return config[words[packer]];
}

/* Wormhole's override of Disable_zero_compress for all packers lost its bits to pack_start_intf_pos on Blackhole. */
static struct signals tile_header(const uint32_t *config, const struct pack_status status[PACKERS_READ],
                                  unsigned packer)
{
    uint32_t word = packer_config_word(config, packer);
    uint32_t format = bits_get(word, THCON_SEC0_REG1_Out_data_format_SHAMT, THCON_SEC0_REG1_Out_data_format_WIDTH);
    uint32_t uncompressed = bits_get(word, THCON_SEC0_REG1_Disable_zero_compress_SHAMT, 1);
    return (struct signals){{(uint16_t)(status[packer].last_tile_size + 1), format << 16 | uncompressed << 20,
                             status[packer].all_zero_flags, 0}};
}

static struct signals tile_sizes(const struct pack_status status[PACKERS_READ])
{
    struct signals signals;
    for (unsigned i = 0; i < PACKERS_READ; i++) {
        signals.word[i] = (uint32_t)status[i].accumulated_tile_size << 16 | status[i].last_tile_size;
    }
    return signals;
}

static struct signals all_zero_flags(const struct pack_status status[PACKERS_READ])
{
    struct signals signals;
    for (unsigned i = 0; i < PACKERS_READ; i++) {
        signals.word[i] = status[i].all_zero_flags;
    }
    return signals;
}

/* One bit for each packer: whether the first of its planes was all zero. */
static struct signals first_zero_flags(const struct pack_status status[PACKERS_READ])
{
    struct signals signals = {};
    for (unsigned i = 0; i < PACKERS_READ; i++) {
        signals.word[0] |= (status[i].all_zero_flags & 1) << i;
    }
    return signals;
}

/* Sixteen bins, each a byte. */
static struct signals histogram(const struct pack_status *status, unsigned first_bin)
{
    struct signals signals;
    memcpy(&signals, &status->exponent_histogram[first_bin], sizeof signals);
    return signals;
}

static struct signals read_signals(const uint32_t *config, const struct pack_status status[PACKERS_READ],
                                   struct signal_select select)
{
    switch (select.source) {
    case SOURCE_TILE_SIZES: return tile_sizes(status);
    case SOURCE_ALL_ZERO_FLAGS: return all_zero_flags(status);
    case SOURCE_TILE_HEADER_0 ... SOURCE_TILE_HEADER_3:
        return tile_header(config, status, select.source - SOURCE_TILE_HEADER_0);
    case SOURCE_HISTOGRAM_LOW: return histogram(&status[select.packers % PACKERS_READ], 0);
    case SOURCE_HISTOGRAM_HIGH: return histogram(&status[select.packers % PACKERS_READ], sizeof(struct signals));
    case SOURCE_ALL_ZERO_AND_RESET: return first_zero_flags(status);
    case SOURCE_MAX_EXPONENT: return (struct signals){{status[0].exponent_histogram_max_exponent}};
    default: return (struct signals){}; /* documented as zeros */
    }
}

static void write_result(uint32_t gpr[GPRS], struct signals signals, struct signal_select select,
                         struct args_SETDMAREG args)
{
    uint32_t *quad = &gpr[args.RegIndex16b / 2 & ~(GPR_QUAD - 1u)];
    switch ((enum result_size)args.Payload_SigSelSize) {
    case RESULT_16_BITS: gpr_set_half(gpr, args.RegIndex16b, gpr_half(signals.word, select.half)); break;
    case RESULT_32_BITS: gpr[args.RegIndex16b / 2] = signals.word[select.half / 2]; break;
    case RESULT_128_BITS: memcpy(quad, &signals, sizeof signals); break;
    case RESULT_TILE_HEADER:
        for (unsigned i = 0; i < GPR_QUAD; i++) {
            uint32_t fields = tile_header_fields.word[i];
            quad[i] = (quad[i] & ~fields) | (signals.word[i] & fields);
        }
        break;
    }
}

void scalar_write_signals(uint32_t gpr[GPRS], const uint32_t *config, const struct pack_status status[PACKERS_READ],
                          struct args_SETDMAREG args)
{
    struct signal_select select = select_of(args.Payload_SigSel);
    write_result(gpr, read_signals(config, status, select), select, args);
}

__attribute__((noinline, cold)) void scalar_set_from_signals(struct tensix *tensix, unsigned thread,
                                                             struct args_SETDMAREG args)
{
    struct pack_status status[PACKERS_READ];
    for (unsigned packer = 0; packer < PACKERS_READ; packer++) {
        status[packer] = pack_status_read(tensix, packer, thread);
    }
    struct tensix_state *state = tensix->state;
    scalar_write_signals(state->scalar.gpr[thread], config_bank(&state->config, thread), status, args);
    struct signal_select select = select_of(args.Payload_SigSel);
    for (unsigned packer = 0; packer < PACKERS_READ; packer++) {
        if (select.source == SOURCE_ALL_ZERO_AND_RESET && (select.packers & (1u << packer))) {
            pack_reset_accumulated_tile_size(tensix, packer);
        }
    }
}
