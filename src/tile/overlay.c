/* Overlay streams as registers: with the widths and the side effects that idle streams have, whose registers software
   uses for counters, and messages between software and software (overlay_messages.h). Streams that would send or
   receive packets do not start. Sources: ISA documentation NoC/Overlay/AsGeneralUse.md, README.md; tt-metal
   noc_overlay_parameters.h for Blackhole's indices. */
#include "tile/handlers.h"

enum {
    STREAM_STRIDE = 0x1000,
    CONFIGURATION_END = 256, /* below are the registers that configure a stream, above those that say or do something */
    BUF_WORDS = 0x1ffff,
    PHASE_NUM_INCR = 0xfff,
    CURR_PHASE_NUM_MSGS_SHAMT = 12,
    PHASE_AUTO_CONFIG = 1,
    MULTICAST_STREAMS = 4,
    MULTICAST_DESTINATIONS = 32,
    WAIT_SW_PHASE_ADVANCE_SIGNAL = 1 << 0,
    MSG_FWD_ONGOING = 1 << 2,
};

#define INDEX(name) ((MMIO_ADDRESS_STREAM_##name & 0xfff) / 4)

/* Bits of a register that exist. */
static uint32_t mask_of(uint32_t index)
{
    switch (index) {
    case INDEX(REMOTE_SRC_PHASE):
    case INDEX(CURR_PHASE_BASE):
    case INDEX(CURR_PHASE): return 0xfffff;
    case INDEX(MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD): return 0xf;
    case INDEX(REMOTE_DEST): return 0x3ffff;
    case INDEX(REMOTE_DEST_BUF_START):
    case INDEX(REMOTE_DEST_BUF_SIZE):
    case INDEX(REMOTE_DEST_WR_PTR):
    case INDEX(BUF_START):
    case INDEX(BUF_SIZE):
    case INDEX(RD_PTR):
    case INDEX(WR_PTR):
    case INDEX(MSG_INFO_PTR):
    case INDEX(MSG_INFO_WR_PTR): return BUF_WORDS;
    case INDEX(REMOTE_DEST_BUF_START_HI): return 0x7fff;
    default: return 0xffffff; /* configuration registers have 24 bits */
    }
}

/* What is kept for a register that counts from a base: the base is added on writes, and subtracted again on reads. */
static uint32_t base_of(const uint32_t *words, uint32_t index)
{
    switch (index) {
    case INDEX(REMOTE_SRC_PHASE):
    case INDEX(CURR_PHASE): return words[INDEX(CURR_PHASE_BASE)];
    case INDEX(PHASE_AUTO_CFG_PTR): return words[INDEX(PHASE_AUTO_CFG_PTR_BASE)];
    default: return 0;
    }
}

static unsigned destinations(unsigned stream)
{
    return stream < MULTICAST_STREAMS ? MULTICAST_DESTINATIONS : 1;
}

static bool is_space_available(uint32_t index, unsigned stream)
{
    return index >= INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) &&
           index < INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + destinations(stream);
}

/* A register that the table does not name: a plain word if it configures, else something that a stream would do. */
static enum step unnamed(const struct mmio_access *access)
{
    return diagnose(access->tile->tensix.diagnostics, BH_UNSUPPORTED,
                    "access by %s at 0x%08x: register %u of overlay stream %u is not emulated yet",
                    mmio_agent_name(access->agent), access->address, access->offset % STREAM_STRIDE / 4,
                    access->offset / STREAM_STRIDE);
}

static struct stream stream_of(const struct mmio_access *access)
{
    unsigned number = access->offset / STREAM_STRIDE;
    struct tile_registers *registers = &access->tile->state->registers;
    return (struct stream){.words = registers->stream[number],
                           .messages = &registers->stream_messages[number],
                           .diagnostics = access->tile->tensix.diagnostics,
                           .number = number};
}

enum step overlay_load(const struct mmio_access *access, uint32_t *value)
{
    unsigned stream = access->offset / STREAM_STRIDE;
    uint32_t index = access->offset % STREAM_STRIDE / 4;
    const uint32_t *words = access->tile->state->registers.stream[stream];
    if (index >= STREAM_REGISTERS) {
        return mmio_nothing_there(access);
    }
    if (is_space_available(index, stream)) {
        *value = words[index];
        return STEP_DONE;
    }
    if (!mmio_register_of(access)) {
        if (index >= CONFIGURATION_END) {
            return unnamed(access);
        }
        *value = words[index];
        return STEP_DONE;
    }
    bool handled;
    enum step step = mmio_register_load(access, &words[index], value, &handled);
    if (handled) {
        return step;
    }
    struct stream this = stream_of(access);
    bool forwarding = this.messages->forwarding;
    switch (index) {
    case INDEX(REMOTE_SRC_PHASE):
    case INDEX(CURR_PHASE):
    case INDEX(PHASE_AUTO_CFG_PTR): *value = (words[index] - base_of(words, index)) & mask_of(index); break;
    case INDEX(PHASE_AUTO_CFG_HEADER): /* bits 11:0 are the messages that remain in the phase; all, if it is idle */
        *value = words[index] |
                 (forwarding ? this.messages->expected : words[index] >> CURR_PHASE_NUM_MSGS_SHAMT & PHASE_NUM_INCR);
        break;
    case INDEX(WAIT_STATUS): *value = forwarding ? MSG_FWD_ONGOING : WAIT_SW_PHASE_ADVANCE_SIGNAL; break;
    case INDEX(NUM_MSGS_RECEIVED):
    case INDEX(NUM_MSGS_RECEIVED_IN_BUF_AND_MEM): *value = this.messages->count; break;
    case INDEX(BUF_SPACE_AVAILABLE): *value = stream_buf_space_available(&this); break;
    case INDEX(MSG_INFO_CAN_PUSH_NEW_MSG): *value = stream_has_room(&this); break;
    case INDEX(MSG_INFO_FULL): *value = this.messages->count == STREAM_MESSAGES; break;
    case INDEX(READY_FOR_MSG_PUSH): *value = forwarding && this.messages->expected && stream_has_room(&this); break;
    default: *value = 0; break;
    }
    return STEP_DONE;
}

/* Adds to the space available at a destination: bits 5:0 say at which, the rest how much. */
static enum step add_space(const struct mmio_access *access, uint32_t *words, uint32_t value)
{
    unsigned stream = access->offset / STREAM_STRIDE, destination = value & 0x3f;
    if (destination >= destinations(stream)) {
        return diagnose(access->tile->tensix.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE of stream %u: destination %u (bits 5:0); the "
                        "stream has %u",
                        stream, destination, destinations(stream));
    }
    uint32_t *space = &words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + destination];
    *space = (*space + (value >> 6)) & BUF_WORDS;
    return STEP_DONE;
}

enum step overlay_store(const struct mmio_access *access, uint32_t value)
{
    unsigned stream = access->offset / STREAM_STRIDE;
    uint32_t index = access->offset % STREAM_STRIDE / 4;
    uint32_t *words = access->tile->state->registers.stream[stream];
    if (index >= STREAM_REGISTERS) {
        return mmio_nothing_there(access);
    }
    if (!mmio_register_of(access)) {
        if (index >= CONFIGURATION_END) {
            return unnamed(access);
        }
        words[index] = value & mask_of(index);
        return STEP_DONE;
    }
    bool handled;
    enum step step = mmio_register_store(access, &words[index], value, &handled);
    if (handled) {
        return step;
    }
    struct stream this = stream_of(access);
    switch (index) {
    case INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE): return add_space(access, words, value);
    case INDEX(PHASE_ADVANCE): return stream_phase_advance(&this);
    case INDEX(SOURCE_ENDPOINT_NEW_MSG_INFO): return stream_new_msg_info(&this, value);
    case INDEX(MSG_INFO_CLEAR): return stream_msg_info_clear(&this, value);
    case INDEX(MSG_DATA_CLEAR): return stream_msg_data_clear(&this);
    case INDEX(RESET): *this.messages = (struct stream_messages){0}; return STEP_DONE;
    case INDEX(DEBUG_ASSERTIONS): return STEP_DONE; /* nothing to clear */
    case INDEX(ONETIME_MISC_CFG):
        if (value & PHASE_AUTO_CONFIG) {
            return diagnose(access->tile->tensix.diagnostics, BH_UNSUPPORTED,
                            "overlay stream %u: configuring phases from L1 (PHASE_AUTO_CONFIG) is not emulated yet",
                            stream);
        }
        break;
    case INDEX(PHASE_AUTO_CFG_HEADER):
        words[INDEX(CURR_PHASE)] = (words[INDEX(CURR_PHASE)] + (value & PHASE_NUM_INCR)) & mask_of(INDEX(CURR_PHASE));
        words[index] = value & ~(uint32_t)PHASE_NUM_INCR;
        return STEP_DONE;
    case INDEX(REMOTE_DEST_BUF_SIZE):
        for (unsigned i = 0; i < destinations(stream); i++) {
            words[INDEX(REMOTE_DEST_BUF_SPACE_AVAILABLE) + i] = value & BUF_WORDS;
        }
        break;
    case INDEX(REMOTE_DEST_BUF_START): words[INDEX(REMOTE_DEST_WR_PTR)] = 0; break;
    case INDEX(BUF_START):
        words[INDEX(RD_PTR)] = 0;
        words[INDEX(WR_PTR)] = 0;
        break;
    default: break;
    }
    words[index] = (value + base_of(words, index)) & mask_of(index);
    return STEP_DONE;
}
