/* RISC-V cores (ISA documentation BabyRISCV/MemoryOrdering.md). What a core has stored to L1 is performed for others
   once the core has loaded it back, or once it has left the store queue - as four younger stores have, or for a fence
   or an atomic operation - and a load has come back from L1; a store to the same memory comes behind it in any case.
   Loads that are polls order the core behind whoever wrote the word: a load is a poll if a branch back to before it, or
   a jump, depends on the value. */
#include "check/order.h"
#include "isa/rv32_isa.h"
#include "isa/tensix_isa.h"
#include "util/bits.h"

enum { STORE_QUEUE = 4, POLL_LENGTH = 64 };
enum {
    TDMA_COMMAND = 0xffb11010,
    TDMA_STATUS = 0xffb11014,
    SOFT_RESET_0 = 0xffb121b0,
    NIU = 0xffb20000,
    OVERLAY = 0xffb40000,
    MOP_CONFIG = 0xffb80000,
    DST = 0xffbd8000,
    DST_END = 0xffbe0000,
    GPR = 0xffe00000,
    PUSH = 0xffe40000,
    PC_BUF = 0xffe80000,
    TTSYNC_IDLE = 0xffe80004,
    TTSYNC_MOP = 0xffe80008,
    SEMAPHORES = 0xffe80020,
    PC_BUF_1 = 0xffe90000,
    MAILBOX = 0xffec0000,
    CONFIG = 0xffef0000,
    WINDOW = 0x10000,
    STREAM_WINDOW = 0x1000,
    STREAM_POPPED = 4 * 8,
    STREAM_PUSHED = 4 * 10,
};

/* The thread that a core T drives; CHECK_THREADS: it is no core T. */
static unsigned thread_of(unsigned core)
{
    return core >= BH_CORE_T0 && core <= BH_CORE_T2 ? core - BH_CORE_T0 : CHECK_THREADS;
}

/* An atomic operation on L1. */
static bool is_amo(uint32_t word)
{
    return (word & 0x7f) == 0x2f;
}

/* Registers. */

/* All instructions of the thread, and what the units do for it, have ended. */
static void learn_thread(struct bh_check *check, struct check_tile *tile, struct view *view, unsigned thread)
{
    learn(check, view, &tile->thread[thread].view);
    learn_step(check, view, tile->number, PART_THREAD + thread, tile->steps[PART_THREAD + thread]++);
    learn_step(check, view, tile->number, PART_MOP + thread, tile->steps[PART_MOP + thread]);
    for (unsigned part = PART_UNPACKER + thread; part < PART_LOADED; part += 3) {
        if (tile->thread[thread].last[part]) {
            learn(check, view, &tile->unit[part]);
            learn_step(check, view, tile->number, part, tile->steps[part]);
        }
    }
    if (tile->thread[thread].last[PART_MOVER]) {
        learn(check, view, &tile->unit[PART_MOVER]);
        learn_step(check, view, tile->number, PART_MOVER, tile->steps[PART_MOVER]);
    }
    learn_step(check, view, tile->number, PART_LOADED, tile->steps[PART_LOADED]);
    learn_step(check, view, tile->number, PART_CONFIG, tile->steps[PART_CONFIG]);
}

static void object(struct bh_check *check, struct check_tile *tile, const struct register_access *access,
                   struct view *object)
{
    if (access->write) {
        order_tell(check, tile, object, access->view, access->part);
    } else {
        learn(check, access->view, object);
    }
}

/* A word goes into a FIFO, or comes out. */
static void fifo(struct bh_check *check, struct check_tile *tile, const struct register_access *access,
                 struct check_fifo *fifo)
{
    if (access->write) {
        struct view *view = &fifo->view[fifo->written++ % CHECK_FIFO];
        view_clear(view);
        fifo->place = access->place;
        order_tell(check, tile, view, access->view, access->part);
    } else if (fifo->read != fifo->written) {
        learn(check, access->view, &fifo->view[fifo->read++ % CHECK_FIFO]);
    }
}

static void ttsync(struct bh_check *check, struct check_tile *tile, const struct register_access *access,
                   unsigned thread)
{
    if (access->write) {
        return;
    }
    if (access->address == TTSYNC_IDLE) {
        learn_thread(check, tile, access->view, thread);
    } else if (access->address == TTSYNC_MOP) {
        learn_step(check, access->view, tile->number, PART_MOP + thread, tile->steps[PART_MOP + thread]);
    }
}

static void pc_buf(struct bh_check *check, struct check_tile *tile, const struct register_access *access)
{
    unsigned thread = thread_of(access->core);
    if (access->core == BH_CORE_B) {
        fifo(check, tile, access, &tile->pcbuf[(access->address - PC_BUF) / WINDOW % CHECK_THREADS]);
    } else if (thread == CHECK_THREADS) {
        return;
    } else if (access->address == PC_BUF) {
        fifo(check, tile, access, &tile->pcbuf[thread]);
    } else if (access->address < SEMAPHORES) {
        ttsync(check, tile, access, thread);
    } else {
        object(check, tile, access, &tile->semaphore[(access->address - SEMAPHORES) / 4 % CHECK_SEMAPHORES]);
    }
}

static void mailbox(struct bh_check *check, struct check_tile *tile, const struct register_access *access)
{
    unsigned other = (access->address - MAILBOX) / STREAM_WINDOW & 3;
    if (access->core < BH_CORE_COUNT) {
        fifo(check, tile, access,
             access->write ? &tile->mailbox[access->core][other] : &tile->mailbox[other][access->core]);
    }
}

static void release_cores(struct bh_check *check, struct check_tile *tile, const struct register_access *access)
{
    if (access->part != NO_PART) {
        learn_step(check, access->view, tile->number, access->part, tile->steps[access->part]++);
    }
    for (unsigned core = 0; core < CHECK_CORES; core++) {
        if (&tile->core[core].view != access->view) {
            learn(check, &tile->core[core].view, access->view);
        }
    }
}

/* With Auto TTSync, accesses to configuration and GPRs are in program order with the thread's instructions. */
static void thread_state(struct bh_check *check, struct check_tile *tile, const struct register_access *access,
                         bool tracked)
{
    unsigned thread = thread_of(access->core);
    if (thread < CHECK_THREADS && tracked) {
        learn_thread(check, tile, &tile->core[access->core].view, thread); /* the access itself is held back */
    }
    if (access->core < CHECK_CORES && access->write) {
        unsigned part = PART_CONFIG_STORE + access->core;
        uint32_t step = ++tile->steps[part];
        if (tracked) {
            learn_step(check, access->view, tile->number, part, step);
        }
    } else if (access->core < CHECK_CORES) { /* a load comes back behind the stores */
        unsigned part = PART_CONFIG_STORE + access->core;
        learn_step(check, access->view, tile->number, part, tile->steps[part]);
    }
}

static bool tracks(const struct check_tile *tile, unsigned core, bool gprs)
{
    unsigned thread = thread_of(core);
    return thread < CHECK_THREADS && (gprs ? tile->thread[thread].tracks_gprs : tile->thread[thread].tracks_config);
}

/* Circular buffers count what is pushed and popped in two registers of a stream, each of which one side writes. */
static struct view *stream_view(struct check_tile *tile, uint32_t address)
{
    uint32_t stream = (address - OVERLAY) / STREAM_WINDOW % CHECK_STREAMS, offset = address % STREAM_WINDOW;
    return &tile->stream[stream][offset == STREAM_POPPED ? 1 : offset == STREAM_PUSHED ? 2 : 0];
}

void order_register(struct bh_check *check, struct check_tile *tile, const struct register_access *access)
{
    uint32_t address = access->address;
    if (address >= CONFIG) {
        thread_state(check, tile, access, tracks(tile, access->core, false));
    } else if (address >= MAILBOX) {
        mailbox(check, tile, access);
    } else if (address >= PC_BUF) {
        pc_buf(check, tile, access);
    } else if (address >= GPR && address < PUSH) {
        thread_state(check, tile, access, tracks(tile, access->core, true));
    } else if (address >= DST && address < DST_END) {
        if (!access->write && access->core < CHECK_CORES) { /* a load comes back behind the stores */
            unsigned part = PART_CONFIG_STORE + access->core;
            learn_step(check, access->view, tile->number, part, tile->steps[part]);
        }
    } else if (address >= OVERLAY && address < MOP_CONFIG) {
        struct view *stream = stream_view(tile, address);
        bool known = !access->write && access->core < CHECK_CORES &&
                     answer_repeats(&tile->core[access->core], access->view, stream, &tile->streams);
        if (!known) {
            object(check, tile, access, stream);
        }
        if (!known && !access->write) {
            learn(check, access->view, &tile->streams);
        }
    } else if (address >= NIU && address < OVERLAY && !access->write) {
        order_niu_counter(check, tile, access->view, address);
    } else if (address == SOFT_RESET_0 && access->write) {
        release_cores(check, tile, access);
    } else if (address == TDMA_STATUS && !access->write) {
        learn_step(check, access->view, tile->number, PART_MOVER, tile->steps[PART_MOVER]);
    }
}

/* Loads and stores. */

/* Not of a word that has been polled since: compilers put a first look at it in front of the loop. */
static void close_load(struct bh_check *check, struct check_tile *tile, struct check_core *core, unsigned number)
{
    struct check_load *load = &core->load[number];
    if ((core->open >> number & 1) && load->races && !signal_find(tile, load->space, load->address)) {
        races_report_load(check, load);
    }
    core->open &= (uint8_t) ~(1u << number);
}

/* No register depends on the load any more. */
static void forget(struct check_core *core, unsigned load)
{
    check_forget(core->tainted, load);
}

/* Who has seen what a flag announces has the flag's line as it was then, or later: so has it what was written before
   into the same line. */
static void refresh_line(struct check_tile *tile, struct check_core *core, uint64_t address, const struct view *seen)
{
    const struct view_tile *known = view_find(seen, tile->number);
    for (unsigned i = 0; known && i < CHECK_LINES; i++) {
        struct check_line *line = &core->line[i];
        if (!line->filled || line->number != address / CELL_BYTES) {
            continue;
        }
        for (unsigned part = 0; part < COUNT_OF(known->known); part++) {
            uint32_t *step = &line->known.known[part];
            *step = *step < known->known[part] ? known->known[part] : *step;
        }
        const struct cell_access *write = &line->written;
        if (!is_noc_part(write->part) && line->known.known[write->part] >= write->step) {
            line->stale = 0;
        }
    }
}

/* The load has been a poll: the core knows what the writer of the word knew. */
static void polled(struct bh_check *check, struct check_tile *tile, struct check_core *core, struct check_load *load)
{
    unsigned stores = PART_CONFIG_STORE + (unsigned)(core - tile->core);
    core->open &= (uint8_t) ~(1u << (load - core->load));
    learn_step(check, &core->view, tile->number, stores, tile->steps[stores]); /* time has passed */
    if (load->space != BH_SPACE_L1 && load->space != BH_SPACE_DRAM) {
        return;
    }
    struct check_signal *signal = signal_make(tile, load->space, load->address);
    if (!signal) {
        return;
    }
    if (load->races) {
        const struct check_actor *writer = load->race.earlier_writes ? &load->race.earlier : &load->race.later;
        learn_actor(check, &signal->view, writer);
    }
    if (!load->races || load->race.earlier_writes) { /* else the next look sees what was written */
        learn(check, &core->view, &signal->view);
        refresh_line(tile, core, load->address, &signal->view);
    }
}

/* The last write of another agent to bytes that are loaded; null: none. */
static const struct cell_access *written_by_others(unsigned core, const struct cell *cell, const struct bh_event *event)
{
    uint32_t bytes = cell_bytes(event->access.address, event->access.address + event->access.size);
    for (unsigned i = 0; i < CELL_WRITES; i++) {
        const struct cell_access *write = &cell->write[i];
        bool own = is_core_part(write->part) && core_of_part(write->part) == core;
        if (write->step && write->bytes & bytes) {
            return own ? NULL : write;
        }
    }
    return NULL;
}

static void empty_cache(struct check_tile *tile, struct check_core *core)
{
    tile->caches &= (uint8_t) ~(1u << (core - tile->core));
    tile->lines = tile->caches ? tile->lines : 0;
    for (unsigned i = 0; i < CHECK_LINES; i++) {
        core->line[i].filled = false;
    }
}

/* What others write does not reach lines of a core's data cache; a store of its own empties its line. */
void order_stales(struct check_tile *tile, const struct bh_event *event, const struct check_actor *actor)
{
    const struct bh_access *access = &event->access;
    uint64_t end = access->address + access->size, first = access->address / CELL_BYTES;
    bool is_short = (end - 1) / CELL_BYTES == first;
    if (is_short && !(tile->lines & check_line_bit(first))) {
        return;
    }
    uint64_t lines = 0;
    for (uint32_t left = tile->caches; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);
        bool own = is_core_part(actor->part) && core_of_part(actor->part) == number && actor->tile == tile->number;
        for (unsigned i = 0; i < CHECK_LINES; i++) {
            struct check_line *line = &tile->core[number].line[i];
            uint64_t at = line->number * CELL_BYTES;
            if (!line->filled) {
                continue;
            }
            if (at >= end || at + CELL_BYTES <= access->address) {
                lines |= check_line_bit(line->number);
            } else if (own) {
                line->filled = false;
            } else {
                uint32_t bytes = cell_bytes(at < access->address ? access->address : at, end);
                lines |= check_line_bit(line->number);
                line->stale |= bytes;
                line->written = (struct cell_access){
                    .step = actor->step, .place = actor->place, .bytes = bytes, .part = actor->part};
            }
        }
    }
    tile->lines = lines; /* those of lines that were replaced are forgotten */
}

/* A load from L1 fills a line of the core's data cache, or is answered by one, until a fence empties it
   (MemoryOrdering.md). What another agent has written since then may not be seen; what nothing orders before the load
   is a race, with or without a cache. A word that is polled may be looked at without a fence, too: who does not see yet
   that it has changed looks again. */
static void caches(struct bh_check *check, struct check_tile *tile, unsigned number, const struct bh_event *event,
                   const struct check_signal *signal)
{
    struct check_core *core = &tile->core[number];
    uint64_t line = event->access.address / CELL_BYTES;
    uint32_t bytes = cell_bytes(event->access.address, event->access.address + event->access.size);
    const struct check_actor now = {.tile = tile->number, .part = (uint8_t)(PART_CORE + number), .view = &core->view};
    const struct cell *cell = cells_at(&check->cells, tile->number, BH_SPACE_L1, event->access.address, false);
    for (unsigned i = 0; i < CHECK_LINES; i++) {
        if (core->line[i].filled && core->line[i].number == line) {
            if (signal) {
                refresh_line(tile, core, event->access.address, &signal->view);
                return;
            }
            const struct cell_access *write = cell ? written_by_others(number, cell, event) : NULL;
            if (write && !is_noc_part(write->part) && core->line[i].known.known[write->part] < write->step &&
                !races_unordered(check, &now, tile->number, write)) {
                races_report_stale(check, tile, event, write);
            } else if (core->line[i].stale & bytes &&
                       !races_unordered(check, &now, tile->number, &core->line[i].written)) {
                races_report_stale(check, tile, event, &core->line[i].written);
            }
            return;
        }
    }
    const struct view_tile *known = view_find(&core->view, tile->number);
    core->line[core->next_line].number = line;
    core->line[core->next_line].filled = true;
    tile->caches |= (uint8_t)(1u << number);
    tile->lines |= check_line_bit(line);
    core->line[core->next_line].stale = 0;
    core->line[core->next_line].known = known ? *known : (struct view_tile){};
    if (signal) {
        refresh_line(tile, core, event->access.address, &signal->view);
    }
    core->next_line = (core->next_line + 1) % CHECK_LINES;
}

static void load(struct bh_check *check, struct check_tile *tile, unsigned number, const struct bh_event *event)
{
    struct check_core *core = &tile->core[number];
    const struct bh_access *access = &event->access;
    struct check_load *load = &core->load[core->next_load];
    const uint8_t bit = (uint8_t)(1u << core->next_load);
    close_load(check, tile, core, core->next_load);
    forget(core, core->next_load);
    core->open |= bit;
    core->decided &= (uint8_t)~bit;
    load->races = load->used = false;
    load->born = core->instructions;
    load->atomic = is_amo(event->instruction);
    load->uncached = access->uncached;
    load->place = check_place_of(check, event);
    load->pc = event->place.pc;
    load->address = access->address;
    load->space = (enum bh_space)access->space;
    load->size = (uint8_t)access->size;
    core->tainted[rv32_rd(event->instruction)] = (uint8_t)(1 << core->next_load);
    core->tainted[0] = 0;
    core->next_load = (core->next_load + 1) % CHECK_LOADS;
    const struct check_question asked = {.asks = true};
    const struct check_signal *signal = is_amo(event->instruction) ? signal_make(tile, load->space, access->address)
                                                                   : signal_find(tile, load->space, access->address);
    if (signal) {
        learn(check,
              is_amo(event->instruction) ? &core->view : answer_to(check, tile, core, event->instruction, &asked),
              &signal->view);
    }
    if (access->space != BH_SPACE_L1) {
        return;
    }
    if (is_amo(event->instruction)) {
        empty_cache(tile, core);
    } else if (!access->uncached) {
        caches(check, tile, number, event, signal);
    }
    uint32_t last = tile->steps[PART_STORE + number], performed = last > STORE_QUEUE ? last - STORE_QUEUE : 0;
    performed = is_amo(event->instruction) ? last : performed > core->drained ? performed : core->drained;
    for (unsigned i = 0; i < CHECK_STORES; i++) {
        if (core->store[i].address == access->address && core->store[i].step > performed) {
            performed = core->store[i].step;
        }
    }
    learn_step(check, &core->view, tile->number, PART_STORE + number, performed);
}

static void store(struct bh_check *check, struct check_tile *tile, unsigned number, const struct bh_event *event)
{
    struct check_core *core = &tile->core[number];
    uint32_t step = ++tile->steps[PART_STORE + number];
    core->store[step % CHECK_STORES].address = event->access.address;
    core->store[step % CHECK_STORES].step = step;
    core->told[step % CHECK_TOLD] = tile->steps[PART_CORE + number];
}

/* Whether a load of the register is answered at once, so that its value has to be looked at; else the answer comes when
   what it waits for has happened. */
static bool asks(uint32_t address)
{
    return address < MOP_CONFIG || (address >= SEMAPHORES && address < PC_BUF_1);
}

void order_core_accesses(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    unsigned number = check_core(event->index);
    if (!access->write) {
        load(check, tile, number, event);
    } else if (access->space == BH_SPACE_L1) {
        store(check, tile, number, event);
    }
    if (access->space != BH_SPACE_REGISTER) {
        return;
    }
    struct check_core *core = &tile->core[number];
    struct view *view = &core->view;
    uint32_t address = (uint32_t)access->address;
    if (access->write && address == TDMA_COMMAND) {
        tile->steps[PART_MOVER]++;
        tile->unit_place[PART_MOVER] = check_place_of(check, event);
        learn_step(check, &tile->core[number].view, tile->number, PART_CORE + number,
                   tile->steps[PART_CORE + number]++);
        learn(check, &tile->unit[PART_MOVER], &tile->core[number].view);
    }
    order_dma(check, tile, number, event);
    if (access->write && address >= PUSH && address < PC_BUF) {
        unsigned thread = number == BH_CORE_B ? (address - PUSH) / WINDOW % CHECK_THREADS : thread_of(number);
        uint32_t word = 0;
        if (access->data && access->size == sizeof word) {
            word = *(const uint32_t *)access->data;
        }
        if (thread < CHECK_THREADS) {
            order_pushes(check, tile, event, thread, word);
        }
        return;
    }
    const struct check_question asked = {.address = address, .asks = asks(address)};
    order_register(check, tile,
                   &(struct register_access){
                       .address = address,
                       .write = access->write,
                       .view = access->write ? view : answer_to(check, tile, core, event->instruction, &asked),
                       .part = PART_CORE + number,
                       .core = number,
                       .place = check_place_of(check, event)});
}

/* Instructions: which loads decide about branches. */

/* A branch that skips what the flag announces: one look is enough, since what is loaded behind the branch is loaded
   later. Of a flag that was not yet set nothing follows. */
static void looks(struct bh_check *check, struct check_tile *tile, struct check_core *core, struct check_load *load)
{
    if (load->space != BH_SPACE_L1 || load->used) {
        return;
    }
    if (races_is_flag(load)) {
        polled(check, tile, core, load);
    } else if (!load->races) {
        races_only_looked(check, tile, load);
    }
}

/* What an instruction stores, and what it takes as an address, was no flag. */
static void uses(struct check_core *core, const struct check_decoded *instruction)
{
    uint32_t left = check_sources(core->tainted, instruction, instruction->uses);
    for (; left; left &= left - 1) {
        core->load[__builtin_ctz(left)].used = true;
    }
}

/* Whether each round of a loop that ends with a branch from pc to `target` has a fence: in between, or elsewhere, since
   compilers place parts of a loop behind others. */
static bool is_fenced(struct check_core *core, uint32_t pc, uint32_t target)
{
    struct check_round *round = &core->round[pc / 4 % CHECK_ROUNDS];
    bool since = round->pc == pc && core->fenced > round->at;
    *round = (struct check_round){.pc = pc, .at = core->instructions};
    return since || (core->fence >= target && core->fence <= pc);
}

/* A branch or a jump to `target`: loads between there and here that decided about it are polls. */
static void branches(struct bh_check *check, struct check_tile *tile, struct check_core *core, uint32_t pc,
                     uint32_t target, uint8_t taint)
{
    const bool back = target <= pc;
    core->decided |= core->open & taint;
    bool fenced = back && (core->open & core->decided) && is_fenced(core, pc, target);
    for (uint32_t left = core->open & (back ? core->decided : taint); left; left &= left - 1) {
        struct check_load *load = &core->load[__builtin_ctz(left)];
        if (back && target <= load->pc && load->pc <= pc) {
            if (load->space == BH_SPACE_L1 && !load->atomic && !load->uncached && !fenced) {
                races_report_poll(check, tile, load);
            }
            polled(check, tile, core, load);
        } else if (!back) {
            looks(check, tile, core, load);
        }
    }
}

static void begin(struct check_tile *tile, struct check_core *core, unsigned number)
{
    core->begun = true;
    tile->steps[PART_CORE + number] += tile->steps[PART_CORE + number] == 0;
}

/* Loads that have been open for too long are no polls. */
static void close_old_loads(struct bh_check *check, struct check_tile *tile, struct check_core *core)
{
    for (uint32_t left = core->open; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (core->instructions - core->load[i].born > POLL_LENGTH) {
            close_load(check, tile, core, i);
            forget(core, i);
        }
    }
    core->look_at = core->instructions + POLL_LENGTH / 4;
}

void order_core_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event,
                       const struct check_decoded *instruction)
{
    unsigned number = check_core(event->index);
    uint32_t word = event->instruction, pc = event->place.pc;
    struct check_core *core = &tile->core[number];
    begin(tile, core, number);
    core->pc = pc;
    core->word = word;
    if (++core->instructions >= core->look_at) {
        close_old_loads(check, tile, core);
    }
    if (instruction->fence) {
        empty_cache(tile, core);
        core->fence = pc;
        core->fenced = core->instructions;
        core->drained = tile->steps[PART_STORE + number];
    }
    if (core->awaited) {
        answers_at(check, tile, core, instruction);
    }
    if ((word & 3) != 3) {
        if (thread_of(number) < CHECK_THREADS) {
            order_pushes(check, tile, event, thread_of(number), rotate_right(word, 2));
        }
        return;
    }
    uint8_t taint = check_sources(core->tainted, instruction, instruction->taint);
    uses(core, instruction);
    if (instruction->jumps) {
        branches(check, tile, core, pc, pc + (uint32_t)instruction->distance, taint);
    }
    if (instruction->writes) {
        core->tainted[instruction->rd] = instruction->rd ? taint : 0;
    }
}

void order_core_ends(struct bh_check *check, struct check_tile *tile, unsigned core)
{
    for (unsigned i = 0; i < CHECK_LOADS; i++) {
        close_load(check, tile, &tile->core[core], i);
    }
}
