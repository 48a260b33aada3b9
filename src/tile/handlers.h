/* The handlers of the regions of tables/mmio.def:
     windows.c    local data RAM, MOP configuration, GPRs, configuration, instruction push, pc snapshots
     mailboxes.c  mailboxes         pcbufs.c    PCBufs              ttsync.c  manual TTSync, semaphores
     dst_window.c Dst               tdma.c      TDMA-RISC           debug.c   tile control, debug, status
     niu.c        NoC registers     overlay.c   overlay streams     reset.c   soft reset
     pic.c        PIC

   Some of their registers are in risc_debug.c, part_resets.c, timestamper.c, debug_bus.c, debug_threads.c and status.c
   (CSRs). A load handler gets a word at an aligned address unless its region takes ANY width. A handler executes its
   access completely, or not at all. */
#ifndef BHEMU_TILE_HANDLERS_H
#define BHEMU_TILE_HANDLERS_H

#include "tile/mmio.h"
#include "tile/tile.h"

#define HANDLER(name)                                                                                                  \
    enum step name##_load(const struct mmio_access *access, uint32_t *value);                                          \
    enum step name##_store(const struct mmio_access *access, uint32_t value);
HANDLER(local_ram)
HANDLER(slow_ram)
HANDLER(tdma)
HANDLER(debug)
HANDLER(pic)
HANDLER(pc_snapshot)
HANDLER(niu)
HANDLER(overlay)
HANDLER(mop_config)
HANDLER(dst)
HANDLER(gpr)
HANDLER(push)
HANDLER(pc_buf)
HANDLER(ttsync)
HANDLER(semaphore)
HANDLER(mailbox)
HANDLER(config)
#undef HANDLER

/* Resets the registers of a tile at NoC 0 coordinates (x, y) to their values after power-on. */
void debug_reset(struct tile_registers *registers);
void nius_reset(struct tile_registers *registers, unsigned x, unsigned y);

/* SOFT_RESET_0, which an agent writes: cores enter and leave reset where its bits change. */
enum step soft_reset_write(struct tile *tile, unsigned agent, uint32_t value);

/* Whether a soft reset leaves the debug registers of a core alone. */
bool debug_registers_kept(struct tile *tile, unsigned core);

/* Whether any interrupt is enabled; whether the PIC interrupts core B or NC now; starting the handler. */
bool pic_enabled(const struct tile *tile);
bool pic_interrupts(const struct tile *tile, unsigned core);
void pic_take(struct tile *tile, unsigned core);

/* SOFT_RESET_0's bits for parts of the coprocessor, except the mover, which checks its own bit. The function applies
   what changes when parts enter and leave reset. STEP_STOP: nothing changed. */
enum { SOFT_RESET_PARTS = 0xfb87bf };
enum step parts_check_reset(struct tile *tile, uint32_t entering);
void parts_enter_reset(struct tile *tile, uint32_t entering);
void parts_leave_reset(struct tile *tile, uint32_t leaving);

/* The parts that are held in reset. */
uint32_t parts_in_reset(const struct tile *tile);

/* TIMESTAMP, TIMESTAMP_CNTL and TIMESTAMP_STATUS of the debug timestamper. */
enum step timestamp_write(struct tile *tile, uint32_t value, uint64_t now);
void timestamp_control(struct tile *tile, uint32_t value);
uint32_t timestamp_status(const struct tile *tile);
void timestamp_clear(struct tile *tile, uint32_t value);

/* DBG_RD_DATA: the word that the debug daisychain shows. DBG_L1_MEM_REG2: writes the signals to L1. */
enum step debug_bus_read(struct tile *tile, uint32_t *value);
enum step debug_bus_capture(struct tile *tile, uint32_t value);

/* Connects cores directly to their threads' FIFOs where push_store() would do nothing but push: to be called when the
   state that push_store() checks changes. */
void pushes_connect(struct tile *tile);

/* An access by which a core gives a thread an instruction: STEP_WAIT if that has to wait until the next slice. */
enum step push_held(struct tile *tile, unsigned agent);

/* The status CSRs of a core: struct rv32_bus. `context` is the tile. */
enum step core_status(void *context, unsigned core, enum rv32_csr csr, uint32_t *value);

/* The word of a register that may be accessed directly: struct rv32_bus. `context` is the tile. */
uint32_t *core_word(void *context, unsigned core, uint32_t address, bool stores);

/* Timed mode: the core finds words of NIUs by itself, as core_word() would. */
void words_connect(struct tile *tile, struct rv32 *core);

/* PCBufs as B accesses them. */
enum step pc_buf_load_b(struct tile *tile, unsigned thread, uint32_t *value);
enum step pc_buf_store_b(struct tile *tile, unsigned thread, uint32_t value);

/* Fields of TRISC_PC_BUF_OVERRIDE. */
/* Whether the core, but B, waits at a read of its empty PCBuf. */
bool pc_buf_is_awaited(const struct tile *tile, unsigned core);

bool pc_buf_override_enabled(const struct tile *tile, unsigned thread);
bool pc_buf_override_busy(const struct tile *tile, unsigned thread);
uint32_t pc_buf_override_value(const struct tile *tile, unsigned thread);

/* The word at `index` of the configuration window: Config[0], Config[1], the dual-write copy, ThreadConfig. false: no
   such word. */
bool config_window_word(const struct tile *tile, uint32_t index, uint32_t *value);

/* The plain word of a tile control register, by its address. */
static inline uint32_t *debug_word(struct tile *tile, uint32_t address)
{
    return &tile->state->registers.debug[(address - 0xFFB12000u) / 4];
}

/* Accesses a named register as the table says; *handled: nothing else is to be done. */
enum step mmio_register_load(const struct mmio_access *access, const uint32_t *word, uint32_t *value, bool *handled);
enum step mmio_register_store(const struct mmio_access *access, uint32_t *word, uint32_t value, bool *handled);

/* An access to an address of the region without a register. In regions that a debugger dumps as a whole (tile control,
   PIC, NoC registers), hardware answers it. */
enum step mmio_nothing_there(const struct mmio_access *access);
enum step mmio_nothing_to_load(const struct mmio_access *access);
enum step mmio_nothing_to_store(const struct mmio_access *access);

/* Starts the request in the registers of an initiator of the tile's NIU at `noc`. STEP_WAIT: too many are under way. */
enum step tile_start_request(struct tile *tile, unsigned noc, unsigned initiator, uint64_t now);

/* The Tensix thread that belongs to a T core. */
static inline unsigned thread_of(unsigned core)
{
    return core - BH_CORE_T0;
}

/* An access to what the coprocessor shares with cores happens now: how long it takes, in timed mode. */
void timed_access(const struct mmio_access *access, enum tracked_resource resource);

/* The core's clock goes on to `time`: what it reads waits for that within the memory subsystem. */
static inline void timed_reach(const struct mmio_access *access, uint64_t time)
{
    if (access->agent < BH_CORE_COUNT) {
        clock_reach(&access->tile->state->clock, access->agent, time);
    }
}

/* Makes a T core's access wait as long as Auto TTSync requires. */
static inline enum step synchronize(const struct mmio_access *access, enum tracked_resource resource)
{
    enum step step = STEP_DONE;
    if (access->agent >= BH_CORE_T0 && access->agent <= BH_CORE_T2) {
        step = frontend_synchronize(&access->tile->tensix, thread_of(access->agent), resource);
    }
    if (step == STEP_DONE && access->tile->tensix.timed) {
        timed_access(access, resource);
    }
    return step;
}

#endif
