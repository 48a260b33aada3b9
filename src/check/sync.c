/* synccheck: misuse of semaphores, mutexes, barriers and hand-overs. */
#include <stdio.h>
#include <string.h>

#include "check/order.h"
#include "check/words.h"
#include "isa/tensix_isa.h"
#include "tensix/units/config/config.h"

enum { SEMAPHORE_LIMIT = 15, MOST_OUTSTANDING = 255 };
enum { NIU = 0xffb20000, NIU_END = 0xffb40000, NIU_SIZE = 0x10000, NIU_COUNTERS = 0x200, NIU_COUNTERS_END = 0x300 };
enum { STATE_SETTLES = 3 }; /* instructions */
enum { SEMAPHORES = 0xffe80020, SEMAPHORES_END = 0xffe90000 };

static void report(struct bh_check *check, const char *rule, const char *because, uint32_t place, const char *mend,
                   const char *what)
{
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_SYNCHRONISATION,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = rule,
                                       .because = because,
                                       .later = place,
                                       .later_what = what},
                 mend, "%s", what);
}

/* Semaphores. */

static const char semaphore_rule[] = "synccheck.semaphore";

static void gets(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, uint32_t mask)
{
    for (unsigned i = 0; i < CHECK_SEMAPHORES; i++) {
        if (mask >> i & 1 && tile->semaphore_value[i] == 0) {
            char what[100], mend[100];
            (void)snprintf(what, sizeof what, "semaphore %u is got while it is 0", i);
            (void)snprintf(mend, sizeof mend, "wait until semaphore %u is not 0 before pc 0x%x", i, event->place.pc);
            report(check, semaphore_rule, "SEMGET at 0 changes nothing: a count is lost (SEMGET.md)",
                   check_place_of(check, event), mend, what);
        }
    }
}

static void posts(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, uint32_t mask)
{
    for (unsigned i = 0; i < CHECK_SEMAPHORES; i++) {
        unsigned maximum = tile->semaphore_maximum[i] ? tile->semaphore_maximum[i] : SEMAPHORE_LIMIT;
        if (mask >> i & 1 && tile->semaphore_value[i] >= maximum) {
            char what[100], mend[100];
            (void)snprintf(what, sizeof what, "semaphore %u is posted while it is at its maximum, %u", i, maximum);
            (void)snprintf(mend, sizeof mend, "wait until semaphore %u is below its maximum before pc 0x%x", i,
                           event->place.pc);
            report(check, semaphore_rule,
                   "the maximum says how many posts may be outstanding, and at 15 a post changes nothing (SEMPOST.md)",
                   check_place_of(check, event), mend, what);
        }
    }
}

/* Mutexes. */

static void releases(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned mutex = decode_ATRELM(event->instruction).mutex_index % CHECK_MUTEXES;
    if (tile->mutex_place[mutex] && tile->mutex_owner[mutex] != event->index) {
        char what[120];
        (void)snprintf(what, sizeof what, "mutex %u is released by T%u, and T%u holds it", mutex, event->index,
                       tile->mutex_owner[mutex]);
        report(check, "synccheck.mutex", "only the thread that holds a mutex releases it (ATRELM.md)",
               check_place_of(check, event), "", what);
    } else if (!tile->mutex_place[mutex]) {
        char what[120];
        (void)snprintf(what, sizeof what, "mutex %u is released by T%u, and nobody holds it", mutex, event->index);
        report(check, "synccheck.mutex", "only the thread that holds a mutex releases it (ATRELM.md)",
               check_place_of(check, event), "", what);
    }
}

static void mutex_changes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned mutex = event->mutex.number % CHECK_MUTEXES;
    tile->mutex_owner[mutex] = event->mutex.owner;
    tile->mutex_place[mutex] = event->mutex.owner == BH_MUTEX_FREE ? 0 : check_place_of(check, event);
}

/* Data valid. */

static const char data_valid_rule[] = "synccheck.data-valid";

static void sets_valid(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t set = decode_SETDVALID(event->instruction).setvalid;
    for (unsigned src = 0; src < 2; src++) {
        unsigned bank = tile->handed_over[src] & 1;
        if (set >> src & 1 && tile->bank_owner[src][bank] == BH_SRC_MATRIX) {
            char what[120];
            (void)snprintf(what, sizeof what, "Src%c bank %u is made valid, and the matrix unit has it already",
                           'A' + (int)src, bank);
            report(check, data_valid_rule,
                   "a bank that the matrix unit has not given back must not be handed over again (SETDVALID.md)",
                   check_place_of(check, event),
                   "wait until the bank is the unpackers' (STALLWAIT with SRCA_CLR, SRCB_CLR)", what);
        }
    }
}

/* Two places. */
static void report_two(struct bh_check *check, const char *rule, const char *because, uint32_t earlier, uint32_t later,
                       const char *mend, const char *what)
{
    check_report(check,
                 &(struct check_found){.tool = BH_CHECK_SYNCHRONISATION,
                                       .severity = BH_SEVERITY_ERROR,
                                       .rule = rule,
                                       .because = because,
                                       .earlier = earlier,
                                       .later = later,
                                       .later_what = what},
                 mend, "%s", what);
}

/* SETRWC and CLEARDVALID give banks back. */
static void gives_back(struct bh_check *check, struct check_tile *tile, const struct bh_event *event, uint32_t banks)
{
    for (unsigned src = 0; src < 2; src++) {
        if (banks >> src & 1 && tile->bank_owner[src][tile->matrix_bank[src]] != BH_SRC_MATRIX) {
            char what[120];
            (void)snprintf(what, sizeof what, "a bank of Src%c is given back that the matrix unit does not have",
                           'A' + (int)src);
            report_two(check, data_valid_rule,
                       "what is given back twice, the unpackers have twice: data that they fetch next is lost "
                       "(CLEARDVALID.md, SETRWC.md)",
                       tile->bank_place[src], check_place_of(check, event), "give each bank back once", what);
        }
    }
}

/* CFG_STATE_ID: which bank of Config the thread's instructions use. */
static void state_changes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    struct args_SETC16 args = decode_SETC16(event->instruction);
    struct check_thread *thread = &tile->thread[event->index % CHECK_THREADS];
    uint32_t state = args.setc16_value & CFG_STATE_ID_StateID_MASK;
    if (args.setc16_reg == CFG_STATE_ID_StateID_ADDR32 && state != thread->state) {
        thread->state = (uint8_t)state;
        thread->state_set = thread->instructions;
        thread->state_place = check_place_of(check, event);
    }
}

static void uses_state(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct check_thread *thread = &tile->thread[event->place.index % CHECK_THREADS];
    if (event->operand.file == BH_OPERAND_CONFIG && thread->state_set &&
        thread->instructions - thread->state_set <= STATE_SETTLES) {
        report_two(check, "synccheck.state-id",
                   "the three instructions behind a change of CFG_STATE_ID may still use the other bank of Config "
                   "(SETC16.md)",
                   thread->state_place, check_place_of(check, event), "three NOPs behind the SETC16",
                   "Config is used right behind a change of CFG_STATE_ID");
    }
}

static void bank_changes(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    unsigned src = event->src_bank.src & 1, bank = event->src_bank.bank & 1;
    uint32_t place = check_place_of(check, event);
    bool to_matrix = event->src_bank.owner == BH_SRC_MATRIX;
    if (to_matrix) {
        tile->bank_before[src][bank] = tile->bank_handed[src];
        tile->bank_handed[src] = place;
        tile->bank_empty[src][bank] = tile->bank_rows[src][bank] ? 0 : place;
    } else {
        tile->bank_rows[src][bank] = 0;
        tile->bank_empty[src][bank] = 0;
    }
    tile->bank_place[src] = place;
    tile->bank_owner[src][bank] = event->src_bank.owner;
    tile->handed_over[src] += to_matrix;
}

/* Rows of a bank that was handed over without data are what was there before. The matrix unit may fill the bank itself
   (MOVD2A), and one of two banks may be handed over only because an instruction waits for both. */
static void uses_bank(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_operand *operand = &event->operand;
    unsigned src = operand->file == BH_OPERAND_SRCB, bank = operand->part & 1;
    if (operand->file != BH_OPERAND_SRCA && operand->file != BH_OPERAND_SRCB) {
        return;
    }
    if (operand->write) {
        for (unsigned i = 0; i < operand->count; i++) {
            tile->bank_rows[src][bank] |= UINT64_C(1) << (operand->index + i) % CHECK_SRC_ROWS;
        }
        tile->bank_empty[src][bank] = 0;
    } else if (tile->bank_empty[src][bank] && operand->unit == BH_UNIT_MATRIX) {
        char what[120];
        (void)snprintf(what, sizeof what, "Src%c bank %u is read, which was handed over without data", 'A' + (int)src,
                       bank);
        report_two(check, data_valid_rule,
                   "nobody has written the bank since the matrix unit had it last: its rows are what they were then "
                   "(SETDVALID.md, SrcASrcB.md)",
                   tile->bank_empty[src][bank], check_place_of(check, event),
                   "hand the bank over behind an UNPACR that fills it, or clear it first", what);
        tile->bank_empty[src][bank] = 0;
    }
}

/* The next program gets banks that were not given back. */
static void banks_end(struct bh_check *check, struct check_tile *tile)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned src = i / 2, bank = i % 2;
        uint32_t empty = tile->bank_empty[src][bank];
        if (tile->bank_owner[src][bank] == BH_SRC_MATRIX && empty) {
            char what[120];
            (void)snprintf(what, sizeof what, "Src%c bank %u is handed over without data, and never given back",
                           'A' + (int)src, bank);
            report_two(check, data_valid_rule,
                       "the next program's matrix unit takes the bank for its own data (SETDVALID.md, SrcASrcB.md)",
                       tile->bank_before[src][bank], empty, "hand over one bank for each that is used", what);
        }
    }
}

/* The NoC. */

static const char *request_name(const struct check_request *request)
{
    switch (request->kind) {
    case BH_NOC_READ: return "read";
    case BH_NOC_ATOMIC: return "atomic operation";
    default: return "write";
    }
}

/* A core ends: what it has started on the NoC has to be over, and known to be. */
static void core_ends(struct bh_check *check, struct check_tile *tile, unsigned core)
{
    for (unsigned i = 0; i < CHECK_REQUESTS; i++) {
        struct check_request *request = &tile->request[i];
        if (request->open && request->responds && request->core == core &&
            view_knows(&tile->core[core].view, tile->number, request->part) < request->step) {
            char what[120], mend[160];
            const char *counter = request->kind == BH_NOC_READ     ? "NIU_MST_RD_RESP_RECEIVED"
                                  : request->kind == BH_NOC_ATOMIC ? "NIU_MST_ATOMIC_RESP_RECEIVED"
                                                                   : "NIU_MST_WR_ACK_RECEIVED";
            (void)snprintf(what, sizeof what, "%s ends without waiting for this %s over NoC %u",
                           bh_core_name((enum bh_core)core), request_name(request), request->noc);
            (void)snprintf(mend, sizeof mend, "wait for %s before the kernel ends", counter);
            report(
                check, "synccheck.noc-barrier",
                "whoever is told that the kernel has ended may read or change what is still on its way (Counters.md)",
                request->place, mend, what);
            request->open = false;
        }
    }
}

/* A core T ends, and instructions that it has pushed are not known to have ended. */
static void thread_goes_on(struct bh_check *check, struct check_tile *tile, unsigned core, uint32_t place)
{
    struct check_thread *thread = &tile->thread[core - BH_CORE_T0];
    if (!thread->core_ended) {
        return;
    }
    char what[120];
    (void)snprintf(what, sizeof what, "%s ends, and this instruction of its thread may still be executing",
                   bh_core_name((enum bh_core)core));
    report(check, "synccheck.thread-idle",
           "whoever is told that the kernel has ended may read its results, or start the next one (ManualTTSync.md)",
           place, "wait until the thread is idle (read PCBuf + 4) before the kernel ends", what);
    thread->core_ended = false; /* once */
}

static void part_goes_on(struct bh_check *check, struct check_tile *tile, unsigned core, unsigned part)
{
    uint32_t last = tile->thread[core - BH_CORE_T0].last[part];
    if (last && view_knows(&tile->core[core].view, tile->number, part) < last) {
        thread_goes_on(check, tile, core, tile->unit_place[part]);
    }
}

static void thread_ends(struct bh_check *check, struct check_tile *tile, unsigned core)
{
    if (core < BH_CORE_T0 || core > BH_CORE_T2 || tile->thread[core - BH_CORE_T0].pushes.by_others) {
        return;
    }
    struct check_thread *thread = &tile->thread[core - BH_CORE_T0];
    bool ended_before = thread->core_ended;
    thread->core_ended = true;
    for (unsigned part = PART_UNPACKER + core - BH_CORE_T0; part < PART_LOADED && !ended_before; part += 3) {
        part_goes_on(check, tile, core, part);
    }
    if (!ended_before) {
        part_goes_on(check, tile, core, PART_MOVER);
    }
}

static void sends(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t *outstanding = &tile->outstanding[event->noc.noc & 1][event->noc.transaction_id % CHECK_TRANSACTIONS];
    if ((event->noc.responds || event->noc.request == BH_NOC_READ) && ++*outstanding == MOST_OUTSTANDING + 1) {
        char what[120];
        (void)snprintf(what, sizeof what, "more than %d requests with transaction id %u are outstanding on NoC %u",
                       MOST_OUTSTANDING, event->noc.transaction_id, event->noc.noc);
        report(check, "synccheck.transaction-id",
               "NIU_MST_REQS_OUTSTANDING_ID has eight bits: a barrier on it ends too early (Counters.md)",
               check_place_of(check, event), "wait for earlier requests, or use several ids", what);
    }
}

/* A core that reads a counter of an NIU waits for requests. */
static void looks_at_counter(struct check_tile *tile, const struct bh_event *event)
{
    uint32_t address = (uint32_t)event->access.address;
    if (!event->access.write && event->access.space == BH_SPACE_REGISTER && address >= NIU && address < NIU_END &&
        address % NIU_SIZE >= NIU_COUNTERS && address % NIU_SIZE < NIU_COUNTERS_END) {
        memset(tile->outstanding[(address - NIU) / NIU_SIZE & 1], 0, sizeof tile->outstanding[0]);
    }
}

/* What is left in mailboxes. */
static void mailboxes_end(struct bh_check *check, struct check_tile *tile)
{
    for (unsigned i = 0; i < BH_CORE_COUNT * BH_CORE_COUNT; i++) {
        unsigned from = i / BH_CORE_COUNT, to = i % BH_CORE_COUNT;
        const struct check_fifo *mailbox = &tile->mailbox[from][to];
        uint32_t left = mailbox->written - mailbox->read;
        if (left && mailbox->place) {
            char what[120];
            (void)snprintf(what, sizeof what, "%s leaves %u word%s in its mailbox to %s",
                           bh_core_name((enum bh_core)from), left, left == 1 ? "" : "s",
                           bh_core_name((enum bh_core)to));
            report(check, "synccheck.mailbox", "the next program that reads the mailbox gets them (Mailboxes.md)",
                   mailbox->place, "read each word that is written", what);
        }
    }
}

/* Events. */

static void thread_issues(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uint32_t word = event->instruction;
    thread_goes_on(check, tile, BH_CORE_T0 + event->index % CHECK_THREADS, check_place_of(check, event));
    switch (word >> 24) {
    case TENSIX_OPCODE_SEMGET: gets(check, tile, event, decode_SEMGET(word).sem_sel); break;
    case TENSIX_OPCODE_SEMPOST: posts(check, tile, event, decode_SEMPOST(word).sem_sel); break;
    case TENSIX_OPCODE_ATRELM: releases(check, tile, event); break;
    case TENSIX_OPCODE_SETDVALID: sets_valid(check, tile, event); break;
    case TENSIX_OPCODE_SETRWC: gives_back(check, tile, event, decode_SETRWC(word).clear_ab_vld); break;
    case TENSIX_OPCODE_CLEARDVALID:
        gives_back(check, tile, event, decode_CLEARDVALID(word).reset ? 0 : decode_CLEARDVALID(word).cleardvalid);
        break;
    case TENSIX_OPCODE_SETC16: state_changes(check, tile, event); break;
    default: break;
    }
}

static void core_writes_semaphore(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    const struct bh_access *access = &event->access;
    if (event->agent != BH_AGENT_CORE || !access->write || access->space != BH_SPACE_REGISTER ||
        access->address < SEMAPHORES || access->address >= SEMAPHORES_END || event->index == BH_CORE_B ||
        !access->data) {
        return;
    }
    uint32_t mask = 1u << (access->address - SEMAPHORES) / 4 % CHECK_SEMAPHORES;
    if (*(const uint8_t *)access->data & 1) {
        gets(check, tile, event, mask);
    } else {
        posts(check, tile, event, mask);
    }
}

void sync_register(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    core_writes_semaphore(check, tile, event);
    looks_at_counter(tile, event);
}

void sync_operand(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    uses_state(check, tile, event);
    uses_bank(check, tile, event);
}

/* All but accesses and operands. */
void sync_event(struct bh_check *check, struct check_tile *tile, const struct bh_event *event)
{
    switch (event->kind) {
    case BH_EVENT_ISSUED:
        if (event->agent == BH_AGENT_THREAD) {
            thread_issues(check, tile, event);
        } else if (event->instruction == CHECK_JUMP_TO_ITSELF) {
            core_ends(check, tile, event->index % CHECK_CORES);
            thread_ends(check, tile, event->index % CHECK_CORES);
        }
        break;
    case BH_EVENT_SEMAPHORE:
        tile->semaphore_value[event->semaphore.number % CHECK_SEMAPHORES] = event->semaphore.value;
        tile->semaphore_maximum[event->semaphore.number % CHECK_SEMAPHORES] = event->semaphore.maximum;
        break;
    case BH_EVENT_MUTEX: mutex_changes(check, tile, event); break;
    case BH_EVENT_SRC_BANK: bank_changes(check, tile, event); break;
    case BH_EVENT_NOC_SENT: sends(check, tile, event); break;
    default: break;
    }
}

void sync_end(struct bh_check *check, struct check_tile *tile)
{
    mailboxes_end(check, tile);
    banks_end(check, tile);
    for (unsigned i = 0; i < CHECK_MUTEXES; i++) {
        if (tile->mutex_place[i]) {
            char what[100];
            (void)snprintf(what, sizeof what, "mutex %u is taken here, and held at the end", i);
            report(check, "synccheck.mutex",
                   "a mutex that is not released stops the next program that takes it (ATRELM.md)",
                   tile->mutex_place[i], "ATRELM behind what the mutex protects", what);
        }
    }
}
