/* Threads of the coprocessor, and their units. An instruction knows what its thread knows when it leaves the wait gate,
   and all earlier instructions of its unit; the thread learns of an instruction's end by waiting for it (chapter
   "stallwait conditions"; ISA documentation STALLWAIT.md, ScalarUnit.md, ConfigurationUnit.md). */
#include "check/order.h"
#include "isa/tensix_facts.h"
#include "isa/tensix_isa.h"
#include "isa/tensix_table.h"
#include "tensix/units/config/config.h"

enum condition {
    WAITS_SCALAR = 1 << 0,
    WAITS_UNPACKER_0 = 1 << 1,
    WAITS_UNPACKER_1 = 1 << 2,
    WAITS_PACKER = 1 << 3,
    WAITS_MATRIX = 1 << 4,
    WAITS_SRCA_CLEAR = 1 << 5,
    WAITS_SRCB_CLEAR = 1 << 6,
    WAITS_SRCA_VALID = 1 << 7,
    WAITS_SRCB_VALID = 1 << 8,
    WAITS_MOVER = 1 << 9,
    WAITS_CONFIG_STORES = 1 << 10,
    WAITS_VECTOR = 1 << 11,
    WAITS_CONFIG = 1 << 12,
    WAITS_USUALLY = 0xf, /* in place of 0 */
    WAITS_FLUSHDMA = 0xf
};

enum { THREAD_CONFIG_TTSYNC = TENSIX_TRISC_SYNC_TrackGPR_ADDR32 };

/* The part that executes an instruction; PART_THREAD: it is done when it leaves the wait gate. */
static unsigned part_of(uint32_t word, unsigned thread)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    switch (instruction ? instruction->unit : TENSIX_FRONTEND) {
    case TENSIX_SCALAR: return PART_SCALAR + thread;
    case TENSIX_UNPACK: {
        unsigned unpacker = word >> 24 == TENSIX_OPCODE_UNPACR ? decode_UNPACR(word).Unpack_block_selection & 1
                                                               : decode_UNPACR_NOP(word).Unpacker_Select & 1;
        return PART_UNPACKER + 3 * unpacker + thread;
    }
    case TENSIX_MATRIX: return PART_MATRIX + thread;
    case TENSIX_VECTOR: return PART_VECTOR + thread;
    case TENSIX_PACK: return PART_PACKER + thread;
    case TENSIX_MOVER: return PART_MOVER;
    default: return PART_THREAD + thread;
    }
}

struct view *order_thread_view(struct check_tile *tile, unsigned thread)
{
    unsigned part = tile->thread[thread].part;
    return part && part != PART_THREAD + thread ? &tile->unit[part] : &tile->thread[thread].view;
}

bool order_unpacks(const struct bh_event *event, unsigned *part)
{
    *part = part_of(event->instruction, event->place.index % CHECK_THREADS);
    return unit_of_part(*part) == PART_UNPACKER || unit_of_part(*part) == PART_UNPACKER + 3;
}

void order_pushes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, unsigned thread,
                  uint32_t word)
{
    unsigned core = check_core(event->index);
    learn_step(check, &tile->core[core].view, tile->number, PART_CORE + core, tile->steps[PART_CORE + core]);
    order_pushed(check, tile, thread, core, event->place.pc, word);
    tile->steps[PART_CORE + core]++;
    if (word >> 24 == TENSIX_OPCODE_MOP) {
        tile->steps[PART_MOP + thread]++;
        tile->mop_place[thread] = check_place_of(check, event);
        init_mop(check, tile, event, thread, word);
    }
}

/* The thread learns that its instructions in a unit have ended, with all that they knew. */
static void learn_part(struct bh_check *check, struct check_tile *tile, struct view *view, unsigned part)
{
    learn(check, view, &tile->unit[part]);
    learn_step(check, view, tile->number, part, tile->steps[part]);
}

/* stores: those of the thread's core to configuration that have certainly been waited for. */
static void end_conditions(struct bh_check *check, struct check_tile *tile, unsigned number, uint32_t conditions,
                           uint32_t stores)
{
    static const uint8_t parts[][2] = {
        {0, PART_SCALAR}, {1, PART_UNPACKER}, {2, PART_UNPACKER + 3},
        {3, PART_PACKER}, {4, PART_MATRIX},   {11, PART_VECTOR},
    };
    struct check_thread *thread = &tile->thread[number];
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        unsigned part = parts[i][1] + number;
        if (conditions >> parts[i][0] & 1 && thread->last[part]) {
            learn_part(check, tile, &thread->view, part);
        }
    }
    if (conditions & WAITS_SCALAR) {
        learn_step(check, &thread->view, tile->number, PART_LOADED, tile->steps[PART_LOADED]);
    }
    if (conditions & WAITS_MOVER) {
        learn_part(check, tile, &thread->view, PART_MOVER);
    }
    if (conditions & WAITS_CONFIG) {
        learn_step(check, &thread->view, tile->number, PART_CONFIG, tile->steps[PART_CONFIG]);
    }
    if (conditions & WAITS_CONFIG_STORES) {
        learn_step(check, &thread->view, tile->number, PART_CONFIG_STORE + BH_CORE_T0 + number, stores);
    }
    for (unsigned src = 0; src < 2; src++) {
        if (conditions & ((WAITS_SRCA_CLEAR | WAITS_SRCA_VALID) << src)) {
            learn(check, &thread->view, &tile->bank[src][0]);
            learn(check, &thread->view, &tile->bank[src][1]);
        }
    }
}

static void end_wait(struct bh_check *check, struct check_tile *tile, unsigned number, struct check_wait *wait)
{
    end_conditions(check, tile, number, wait->condition, wait->stores);
    for (unsigned i = 0; i < CHECK_SEMAPHORES; i++) {
        if (wait->semaphores >> i & 1) {
            learn(check, &tile->thread[number].view, &tile->semaphore[i]);
        }
    }
    wait->latched = false;
}

static void latch(struct check_thread *thread, struct check_wait wait)
{
    wait.latched = true;
    wait.stores = thread->stores;
    wait.block = wait.block ? wait.block : TENSIX_BLOCK_MATH;
    thread->wait[0] = wait;
}

/* Waits that hold the instruction have ended, as it has passed. */
static void pass_gate(struct bh_check *check, struct check_tile *tile, unsigned number, uint32_t word)
{
    struct check_wait *wait = &tile->thread[number].wait[0];
    if (wait->latched && tensix_block_holds(wait->block, (uint8_t)(word >> 24))) {
        end_wait(check, tile, number, wait);
    }
}

/* The matrix and the vector unit take a thread's instructions in order; what it reads of Dst too early is a rule of its
   own (races.c). */
static void share_dst(struct bh_check *check, struct check_tile *tile, unsigned number, unsigned part)
{
    unsigned unit = unit_of_part(part), other = (unit == PART_MATRIX ? PART_VECTOR : PART_MATRIX) + number;
    if ((unit == PART_MATRIX || unit == PART_VECTOR) && tile->thread[number].last[other]) {
        learn_part(check, tile, &tile->unit[part], other);
    }
}

/* The matrix unit takes one instruction after the other, whichever thread's they are, and has who reads Dst wait for
   who writes it (Dst.md): an instruction is behind those that were certainly taken before, and they end before it. */
static void follows_taken(struct bh_check *check, const struct check_tile *tile, struct view *view)
{
    for (unsigned thread = 0; thread < CHECK_THREADS; thread++) {
        uint32_t taken = view_knows(view, tile->number, PART_MATRIX_TAKES + thread);
        learn_step(check, view, tile->number, PART_MATRIX + thread, taken);
    }
}

static void semaphores(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, uint32_t mask)
{
    unsigned number = event->index % CHECK_THREADS;
    races_semaphores(check, tile, event, mask);
    for (unsigned i = 0; i < CHECK_SEMAPHORES; i++) {
        if (mask >> i & 1) {
            order_tell(check, tile, &tile->semaphore[i], &tile->thread[number].view, PART_THREAD + number);
        }
    }
}

static void tracks(struct check_tile *tile, unsigned number, struct args_SETC16 args)
{
    if (args.setc16_reg == THREAD_CONFIG_TTSYNC) {
        struct check_thread *thread = &tile->thread[number];
        bool on = args.setc16_value & TENSIX_TRISC_SYNC_TrackTensixInstructions_MASK;
        thread->tracks_config = on && args.setc16_value & TENSIX_TRISC_SYNC_TrackGlobalCfg_MASK;
        thread->tracks_gprs = on && args.setc16_value & TENSIX_TRISC_SYNC_TrackGPR_MASK;
    }
}

/* What an instruction of the frontend, the sync or the config unit does when it has passed the gate. */
static void take_effect(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned number = event->index % CHECK_THREADS;
    uint32_t word = event->instruction;
    struct check_thread *thread = &tile->thread[number];
    switch (word >> 24) {
    case TENSIX_OPCODE_SEMPOST: semaphores(check, tile, event, decode_SEMPOST(word).sem_sel); break;
    case TENSIX_OPCODE_SEMGET: semaphores(check, tile, event, decode_SEMGET(word).sem_sel); break;
    case TENSIX_OPCODE_SEMINIT: semaphores(check, tile, event, decode_SEMINIT(word).sem_sel); break;
    case TENSIX_OPCODE_ATRELM:
        order_tell(check, tile, &tile->mutex[decode_ATRELM(word).mutex_index % CHECK_MUTEXES], &thread->view,
                   PART_THREAD + number);
        break;
    case TENSIX_OPCODE_STALLWAIT: {
        struct args_STALLWAIT args = decode_STALLWAIT(word);
        uint16_t condition = args.wait_res ? (uint16_t)args.wait_res : WAITS_USUALLY;
        latch(thread, (struct check_wait){.block = (uint16_t)args.stall_res, .condition = condition});
        break;
    }
    case TENSIX_OPCODE_SEMWAIT: {
        struct args_SEMWAIT args = decode_SEMWAIT(word);
        latch(thread, (struct check_wait){.block = (uint16_t)args.stall_res, .semaphores = (uint8_t)args.sem_sel});
        init_semwait(check, tile, event, word);
        break;
    }
    case TENSIX_OPCODE_STREAMWAIT:
        learn(check, &thread->view, &tile->streams);
        for (unsigned i = 0; i < 3 * CHECK_STREAMS; i++) {
            learn(check, &thread->view, &(&tile->stream[0][0])[i]);
        }
        break;
    case TENSIX_OPCODE_FLUSHDMA: /* what follows has waited */
        thread->flushes = decode_FLUSHDMA(word).FlushSpec ? decode_FLUSHDMA(word).FlushSpec : WAITS_FLUSHDMA;
        break;
    case TENSIX_OPCODE_SETC16: tracks(tile, number, decode_SETC16(word)); break;
    default: break;
    }
}

static void issue(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned number = event->index % CHECK_THREADS, part = part_of(event->instruction, number);
    struct check_thread *thread = &tile->thread[number];
    pass_gate(check, tile, number, event->instruction);
    end_conditions(check, tile, number, thread->flushes, thread->stores);
    thread->flushes = 0;
    order_learns_pushed(check, tile, number, event->place.pc);
    thread->part = (uint8_t)part;
    thread->banks = 0;
    thread->took_banks = false;
    thread->pc = event->place.pc;
    thread->word = event->instruction;
    thread->instructions++;
    uint32_t opcode = event->instruction >> 24;
    if (opcode == TENSIX_OPCODE_RDCFG || opcode == TENSIX_OPCODE_STREAMWRCFG) {
        tile->steps[PART_CONFIG]++; /* what they write is late, but behind all that their thread has read */
        learn_step(check, &thread->view, tile->number, PART_THREAD + number, tile->steps[PART_THREAD + number]);
    }
    if (part == PART_THREAD + number) {
        tile->steps[part] = tile->steps[part] ? tile->steps[part] : 1;
        thread->step = tile->steps[part];
        return;
    }
    learn_step(check, &thread->view, tile->number, PART_THREAD + number, tile->steps[PART_THREAD + number]);
    thread->step = ++tile->steps[part];
    tile->steps[PART_LOADED] += unit_of_part(part) == PART_SCALAR;
    tile->unit_thread[unit_of_part(part)] = (uint8_t)number;
    thread->last[part] = thread->step;
    tile->unit_place[part] = check_place_of(check, event);
    learn(check, &tile->unit[part], &thread->view);
    learn_step(check, &tile->unit[part], tile->number, part, thread->step);
    share_dst(check, tile, number, part);
    if (unit_of_part(part) == PART_MATRIX) {
        follows_taken(check, tile, &tile->unit[part]);
        learn_step(check, &thread->view, tile->number, PART_MATRIX_TAKES + number, thread->step);
    }
}

void order_thread_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    issue(check, tile, event);
    take_effect(check, tile, event);
}

/* ATGETM has got the mutex. */
void order_mutex(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    if (event->mutex.owner < CHECK_THREADS) {
        learn(check, &tile->thread[event->mutex.owner].view, &tile->mutex[event->mutex.number % CHECK_MUTEXES]);
    }
}

void order_hands_over(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned src = event->src_bank.src & 1, bank = event->src_bank.bank & 1;
    if (event->place.agent == BH_AGENT_THREAD && event->place.index < CHECK_THREADS) {
        unsigned part;
        learn(check, &tile->bank[src][bank],
              order_unpacks(event, &part) ? &tile->unit[part] : order_thread_view(tile, event->place.index));
    }
    if (event->src_bank.owner == BH_SRC_UNPACKERS) {
        tile->matrix_bank[src] = (uint8_t)!bank;
    }
}

/* Once for each instruction: banks are handed over between instructions. */
static void learn_bank(struct bh_check *check, struct check_tile *tile, unsigned number, unsigned src, unsigned bank)
{
    unsigned bit = 1u << (2 * src + bank);
    if (!(tile->thread[number].banks & bit)) {
        tile->thread[number].banks |= (uint8_t)bit;
        learn(check, order_thread_view(tile, number), &tile->bank[src][bank]);
    }
}

/* An instruction that waits for its bank of Src knows what those did who have handed it over, before it does anything.
 */
void order_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_operand *operand = &event->operand;
    const struct tensix_operands none = {0};
    unsigned number = event->place.index % CHECK_THREADS, part;
    uint32_t word = event->instruction;
    if (event->place.agent != BH_AGENT_THREAD || !tensix_facts[word >> 24].waits) {
        return;
    }
    if (operand->unit == BH_UNIT_MATRIX) {
        if (tile->thread[number].took_banks) {
            return;
        }
        tile->thread[number].took_banks = true; /* with its first operand: no bank is handed over between them */
        uint64_t reads = tensix_reads(word, &none);
        for (unsigned src = 0; src < 2; src++) {
            if (reads & (src ? TENSIX_USE_SRCB : TENSIX_USE_SRCA)) {
                learn_bank(check, tile, number, src, tile->matrix_bank[src]);
            }
        }
        follows_taken(check, tile, order_thread_view(tile, number));
    } else if (operand->file == BH_OPERAND_SRCA || operand->file == BH_OPERAND_SRCB) {
        struct view *view = order_unpacks(event, &part) ? &tile->unit[part] : order_thread_view(tile, number);
        learn(check, view, &tile->bank[operand->file - BH_OPERAND_SRCA][operand->part & 1]);
    }
}
