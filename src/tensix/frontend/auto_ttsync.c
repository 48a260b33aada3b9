/* Auto TTSync: what core T reads and writes of configuration, GPRs and TDMA-RISC state happens in program order with
   the Tensix instructions that it pushes, where tracking is on. Without tracking silicon leaves the order to chance;
   here the thread first executes whatever it can, and the core waits no longer; in timed mode the order is that of the
   times. The parts of configuration that silicon
   can track apart (unpacker 0, unpacker 1, the rest) are one here, which is what EnSubdividedCfgForUnpacr = 0 means and
   never lets anything pass too early. Source: ISA documentation AutoTTSync.md; assembly.yaml of the kernel library for
   RESOURCEDECL. */
#include "isa/tensix_facts.h"
#include "tensix/frontend/frontend.h"
#include "tensix/units/execute.h"
#include "tensix/units/state.h"

enum {
    CONFIG_R = TRACK_CONFIG_READ,
    CONFIG_RW = TRACK_CONFIG_READ | TRACK_CONFIG_WRITE,
    GPR_R = TRACK_GPR_READ,
    GPR_W = TRACK_GPR_WRITE,
    GPR_RW = TRACK_GPR_READ | TRACK_GPR_WRITE,
    TDMA_W = TRACK_TDMA_WRITE,
    TDMA_RW = TRACK_TDMA_READ | TRACK_TDMA_WRITE,
    EVERYTHING = CONFIG_RW | GPR_RW | TDMA_RW,
    CLASS_OTHER = 15,
};

static const uint16_t default_resources[TTSYNC_CLASSES] = {
    GPR_RW,
    GPR_RW,
    GPR_RW | TDMA_RW,
    GPR_RW,
    CONFIG_RW,
    GPR_R,
    GPR_W,
    TDMA_W,
    GPR_R | TRACK_CONFIG_WRITE,
    GPR_W | CONFIG_R,
    GPR_RW | CONFIG_RW,
    TDMA_RW | CONFIG_R,
    TDMA_RW | CONFIG_R,
    EVERYTHING,
    EVERYTHING,
    CONFIG_R,
};

void frontend_reset(struct frontend *frontend)
{
    *frontend = (struct frontend){};
    for (unsigned i = 0; i < TTSYNC_CLASSES; i++) {
        frontend->resources[i] = default_resources[i];
    }
}

/* A word that is no instruction counts as most are. */
static unsigned class_of(unsigned opcode)
{
    return tensix_facts[opcode].known ? tensix_facts[opcode].ttsync : CLASS_OTHER;
}

static uint32_t used_by(const struct frontend *frontend, uint32_t word)
{
    unsigned class = class_of(word >> 24);
    return class == TENSIX_TTSYNC_UNTRACKED ? 0 : frontend->resources[class];
}

/* What the instructions still on their way use, together. An expansion counts as its MOP or REPLAY does. */
static uint32_t used_in_flight(const struct frontend *frontend)
{
    uint32_t used = frontend->at_gate ? used_by(frontend, frontend->next.word) : 0;
    if (frontend->mop.active) {
        used |= frontend->resources[class_of(TENSIX_OPCODE_MOP)];
    }
    if (frontend->replay.mode == REPLAY_EXECUTES) {
        used |= frontend->resources[class_of(TENSIX_OPCODE_REPLAY)];
    }
    for (uint32_t i = 0; i < frontend->fifo.count; i++) {
        used |= used_by(frontend, frontend->fifo.entries[(frontend->fifo.head + i) % FIFO_CAPACITY].word);
    }
    return used;
}

/* A read conflicts with writes, a write with both. */
static uint32_t conflicts_with(enum tracked_resource resource)
{
    switch (resource) {
    case TRACK_CONFIG_READ: return TRACK_CONFIG_WRITE;
    case TRACK_CONFIG_WRITE: return CONFIG_RW;
    case TRACK_GPR_READ: return TRACK_GPR_WRITE;
    case TRACK_GPR_WRITE: return GPR_RW;
    case TRACK_TDMA_READ: return TRACK_TDMA_WRITE;
    default: return TDMA_RW;
    }
}

bool frontend_tracks(const struct tensix *tensix, unsigned thread, enum tracked_resource resource)
{
    const uint16_t *config = tensix->state->config.thread[thread];
    bool tracked = resource & CONFIG_RW ? CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackGlobalCfg)
                   : resource & GPR_RW  ? CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackGPR)
                                        : CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTDMARegs);
    return tracked && CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions);
}

enum step frontend_synchronize(struct tensix *tensix, unsigned thread, enum tracked_resource resource)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    if (tensix->jitter && !tensix->timed && frontend_tracks(tensix, thread, resource)) {
        frontend_drain(tensix, thread);
        lag_drain(tensix, LAG_OF_ALL, thread);
    }
    if (frontend_idle(frontend)) {
        return STEP_DONE;
    }
    frontend_drain(tensix, thread);
    if (tensix->diagnostics->stopped) {
        return STEP_STOP;
    }
    if (frontend_exhausted(frontend) && !frontend_idle(frontend)) {
        return STEP_WAIT;
    }
    bool waits = frontend_tracks(tensix, thread, resource) && used_in_flight(frontend) & conflicts_with(resource);
    return waits ? STEP_WAIT : STEP_DONE;
}

/* Says what a class of instructions uses from now on. That changes when cores wait, never a result. linger_time is a
   matter of cycles. */
enum step execute_RESOURCEDECL(struct tensix *tensix, unsigned thread, struct args_RESOURCEDECL args)
{
    tensix->state->frontend[thread].resources[args.op_class] = (uint16_t)args.resources;
    return STEP_DONE;
}

TENSIX_RUN(RESOURCEDECL)
