#include "tensix/units/observe.h"

#include "isa/tensix_facts.h"
#include "isa/tensix_isa.h"
#include "isa/tensix_table.h"
#include "tensix/units/operands.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/unpack/operands.h"

enum { SRC_BANK_FOR_MATRIX = 1 << 2 }; /* struct bh_wait */

/* Why. */

static struct bh_wait latched_wait(const struct latched_wait *wait)
{
    switch (wait->opcode) {
    case TENSIX_OPCODE_STALLWAIT: return (struct bh_wait){.reason = BH_WAIT_STALLWAIT, .detail = wait->condition};
    case TENSIX_OPCODE_SEMWAIT: return (struct bh_wait){.reason = BH_WAIT_SEMWAIT, .detail = wait->semaphores};
    default: return (struct bh_wait){.reason = BH_WAIT_STREAM, .detail = wait->stream};
    }
}

/* Those banks of Src that the instruction reads but the matrix unit does not own. */
static struct bh_wait matrix_wait(const struct tensix_state *state, uint32_t opcode)
{
    bool only_a = opcode == TENSIX_OPCODE_MOVA2D || opcode == TENSIX_OPCODE_SHIFTXA;
    bool only_b = opcode == TENSIX_OPCODE_MOVB2D || opcode == TENSIX_OPCODE_MOVB2A || opcode == TENSIX_OPCODE_SHIFTXB ||
                  opcode == TENSIX_OPCODE_TRNSPSRCB;
    uint32_t missing = SRC_BANK_FOR_MATRIX;
    missing |= !only_b && !src_matrix_may_use(&state->srca) ? SRC_SET_A : 0;
    missing |= !only_a && !src_matrix_may_use(&state->srcb) ? SRC_SET_B : 0;
    return (struct bh_wait){.reason = BH_WAIT_SRC_BANK, .detail = missing};
}

static struct bh_wait unpackers_wait(bool for_b)
{
    return (struct bh_wait){.reason = BH_WAIT_SRC_BANK, .detail = for_b ? SRC_SET_B : SRC_SET_A};
}

/* The reason for which an instruction's unit lets it wait. */
static struct bh_wait unit_wait(const struct tensix_state *state, uint32_t word)
{
    uint32_t opcode = word >> 24;
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)opcode);
    switch (opcode) {
    case TENSIX_OPCODE_ATGETM:
        return (struct bh_wait){.reason = BH_WAIT_MUTEX, .detail = decode_ATGETM(word).mutex_index};
    case TENSIX_OPCODE_ATRELM:
        return (struct bh_wait){.reason = BH_WAIT_MUTEX, .detail = decode_ATRELM(word).mutex_index};
    case TENSIX_OPCODE_ATCAS:
    case TENSIX_OPCODE_ATINCGETPTR: return (struct bh_wait){.reason = BH_WAIT_MEMORY};
    case TENSIX_OPCODE_UNPACR: return unpackers_wait(decode_UNPACR(word).Unpack_block_selection);
    case TENSIX_OPCODE_UNPACR_NOP: return unpackers_wait(decode_UNPACR_NOP(word).Unpacker_Select);
    case TENSIX_OPCODE_STOREIND: {
        struct args_STOREIND args = decode_STOREIND(word);
        if (!args.MemHierSel && !args.SizeSel) {
            return unpackers_wait(args.RegSizeSel);
        }
        return (struct bh_wait){.reason = BH_WAIT_REGISTER};
    }
    case TENSIX_OPCODE_LOADREG:
    case TENSIX_OPCODE_STOREREG: return (struct bh_wait){.reason = BH_WAIT_REGISTER};
    default:
        return instruction && instruction->unit == TENSIX_MATRIX ? matrix_wait(state, opcode)
                                                                 : (struct bh_wait){.reason = BH_WAIT_UNIT};
    }
}

struct bh_wait tensix_gate_wait(const struct tensix_state *state, unsigned thread)
{
    const struct frontend *frontend = &state->frontend[thread];
    if (frontend->wait.latched) {
        return latched_wait(&frontend->wait);
    }
    struct bh_wait wait = unit_wait(state, frontend->next.word);
    bool owned = wait.reason == BH_WAIT_SRC_BANK && wait.detail == SRC_BANK_FOR_MATRIX;
    return owned ? (struct bh_wait){.reason = BH_WAIT_UNIT} : wait;
}

/* What. */

static void tell_register(const struct tensix *tensix, enum bh_register_file file, unsigned part, unsigned index,
                          uint32_t *known, uint32_t value)
{
    if (*known != value) {
        struct bh_event event = observed_event(tensix->observed, BH_EVENT_REGISTER);
        event.reg = (struct bh_register){
            .file = (uint8_t)file, .part = (uint8_t)part, .index = (uint16_t)index, .before = *known, .value = value};
        *known = value;
        observed_tell(tensix->observed, &event);
    }
}

static void tell_gprs(const struct tensix *tensix, struct scalar_unit *known)
{
    for (unsigned i = 0; i < TENSIX_THREADS * GPRS; i++) {
        unsigned thread = i / GPRS, gpr = i % GPRS;
        tell_register(tensix, BH_REGISTER_GPR, thread, gpr, &known->gpr[thread][gpr],
                      tensix->state->scalar.gpr[thread][gpr]);
    }
}

static void tell_config(const struct tensix *tensix, struct config_unit *known)
{
    const struct config_unit *config = &tensix->state->config;
    for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
        for (unsigned word = 0; word < CONFIG_WORDS; word++) {
            tell_register(tensix, BH_REGISTER_CONFIG, bank, word, &known->bank[bank][word], config->bank[bank][word]);
        }
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned word = 0; word < THD_STATE_SIZE; word++) {
            uint32_t before = known->thread[thread][word];
            tell_register(tensix, BH_REGISTER_THREAD_CONFIG, thread, word, &before, config->thread[thread][word]);
            known->thread[thread][word] = (uint16_t)before;
        }
    }
}

/* In the order of enum bh_adc_field. */
static void tell_adc_channel(const struct tensix *tensix, unsigned thread, unsigned first, struct adc_channel *known,
                             const struct adc_channel *now)
{
    uint32_t *before[] = {&known->x,    &known->y,    &known->z,    &known->w,
                          &known->x_cr, &known->y_cr, &known->z_cr, &known->w_cr};
    const uint32_t values[] = {now->x, now->y, now->z, now->w, now->x_cr, now->y_cr, now->z_cr, now->w_cr};
    for (unsigned field = 0; field < sizeof values / sizeof values[0]; field++) {
        tell_register(tensix, BH_REGISTER_ADC, thread, first + field, before[field], values[field]);
    }
}

/* In the order of enum bh_rwc_field. */
static void tell_rwc(const struct tensix *tensix, unsigned thread, struct rwc *known, const struct rwc *now)
{
    uint32_t *before[] = {&known->srca,    &known->srcb,    &known->dst,    &known->fidelity_phase,
                          &known->srca_cr, &known->srcb_cr, &known->dst_cr, &known->extra_addr_mod_bit};
    const uint32_t values[] = {now->srca,    now->srcb,    now->dst,    now->fidelity_phase,
                               now->srca_cr, now->srcb_cr, now->dst_cr, now->extra_addr_mod_bit};
    for (unsigned field = 0; field < sizeof values / sizeof values[0]; field++) {
        tell_register(tensix, BH_REGISTER_RWC, thread, field, before[field], values[field]);
    }
}

static void tell_counters(const struct tensix *tensix, struct addr_unit *known)
{
    enum { COUNTER_STRIDE = 16, CHANNEL_STRIDE = 8 };
    const struct addr_unit *addr = &tensix->state->addr;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 0; i < ADC_UNITS * 2; i++) {
            unsigned first = i / 2 * COUNTER_STRIDE + i % 2 * CHANNEL_STRIDE;
            tell_adc_channel(tensix, thread, first, &known->adc[thread][i / 2].channel[i % 2],
                             &addr->adc[thread][i / 2].channel[i % 2]);
        }
        tell_rwc(tensix, thread, &known->rwc[thread], &addr->rwc[thread]);
    }
}

static void tell_registers(const struct tensix *tensix, struct observed_tensix *known)
{
    const struct tensix_state *state = tensix->state;
    if (memcmp(&known->scalar, &state->scalar, sizeof known->scalar) != 0) {
        tell_gprs(tensix, &known->scalar);
    }
    if (memcmp(known->config.bank, state->config.bank, sizeof known->config.bank) != 0 ||
        memcmp(known->config.thread, state->config.thread, sizeof known->config.thread) != 0) {
        tell_config(tensix, &known->config);
    }
    if (memcmp(&known->addr, &state->addr, sizeof known->addr) != 0) {
        tell_counters(tensix, &known->addr);
    }
}

static void tell_semaphores(const struct tensix *tensix, struct sync_unit *known)
{
    const struct sync_unit *sync = &tensix->state->sync;
    if (memcmp(sync->semaphore, known->semaphore, sizeof sync->semaphore) == 0) {
        return;
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        uint8_t value = sync->semaphore[i].value, maximum = sync->semaphore[i].max;
        uint8_t value_before = known->semaphore[i].value, maximum_before = known->semaphore[i].max;
        if (value != value_before || maximum != maximum_before) {
            struct bh_event event = observed_event(tensix->observed, BH_EVENT_SEMAPHORE);
            event.semaphore = (struct bh_semaphore){(uint8_t)i, value, maximum, value_before, maximum_before};
            known->semaphore[i] = sync->semaphore[i];
            observed_tell(tensix->observed, &event);
        }
    }
}

_Static_assert((int)MUTEX_FREE == (int)BH_MUTEX_FREE, "observers are told of owners as they are kept");

static void tell_mutexes(const struct tensix *tensix, struct sync_unit *known)
{
    const struct sync_unit *sync = &tensix->state->sync;
    if (memcmp(sync->mutex_owner, known->mutex_owner, sizeof sync->mutex_owner) == 0) {
        return;
    }
    for (unsigned i = 0; i < MUTEXES; i++) {
        if (sync->mutex_owner[i] != known->mutex_owner[i]) {
            struct bh_event event = observed_event(tensix->observed, BH_EVENT_MUTEX);
            event.mutex = (struct bh_mutex){(uint8_t)i, sync->mutex_owner[i], known->mutex_owner[i]};
            known->mutex_owner[i] = sync->mutex_owner[i];
            observed_tell(tensix->observed, &event);
        }
    }
}

static void tell_banks(const struct tensix *tensix, uint8_t owner[2][SRC_BANKS])
{
    const struct src_register_file *src[] = {&tensix->state->srca, &tensix->state->srcb};
    for (unsigned i = 0; i < 2 * SRC_BANKS; i++) {
        unsigned which = i / SRC_BANKS, bank = i % SRC_BANKS;
        if (src[which]->owner[bank] != owner[which][bank]) {
            struct bh_event event = observed_event(tensix->observed, BH_EVENT_SRC_BANK);
            owner[which][bank] = src[which]->owner[bank];
            event.src_bank =
                (struct bh_src_bank){.src = (uint8_t)which,
                                     .bank = (uint8_t)bank,
                                     .owner = owner[which][bank] == SRC_MATRIX_UNIT ? BH_SRC_MATRIX : BH_SRC_UNPACKERS};
            observed_tell(tensix->observed, &event);
        }
    }
}

static void take(const struct tensix_state *state, struct observed_tensix *known, uint64_t kinds)
{
    known->kinds = kinds;
    known->sync = state->sync;
    memcpy(known->owner[0], state->srca.owner, sizeof known->owner[0]);
    memcpy(known->owner[1], state->srcb.owner, sizeof known->owner[1]);
    known->scalar = state->scalar;
    known->config = state->config;
    known->addr = state->addr;
    memset(known->pack_writes, 0, sizeof known->pack_writes);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        expanders_take(&known->expanders[thread], &state->frontend[thread]);
    }
}

void tensix_tell_changes(struct tensix *tensix)
{
    const struct observed *observed = tensix->observed;
    struct observed_tensix *known = observed->tensix;
    if (known->kinds != observed->kinds) { /* newly enabled kinds: changes made before are not reported */
        take(tensix->state, known, observed->kinds);
        return;
    }
    if (observed_wants(observed, BH_EVENT_REGISTER)) {
        tell_registers(tensix, known);
    }
    if (observed_wants(observed, BH_EVENT_SEMAPHORE)) {
        tell_semaphores(tensix, &known->sync);
    }
    if (observed_wants(observed, BH_EVENT_MUTEX)) {
        tell_mutexes(tensix, &known->sync);
    }
    if (observed_wants(observed, BH_EVENT_SRC_BANK)) {
        tell_banks(tensix, known->owner);
    }
}

/* Threads. */

static enum tensix_unit unit_of(uint32_t word)
{
    const struct tensix_instruction *instruction = tensix_by_opcode((uint8_t)(word >> 24));
    return instruction ? instruction->unit : TENSIX_FRONTEND;
}

/* Of an instruction of the matrix unit, as it will take it; others: 0. */
static uint8_t fidelity_phase(const struct tensix_state *state, unsigned thread, uint32_t word)
{
    uint32_t base = CONFIG_GET(state->config.thread[thread], FIDELITY_BASE_Phase);
    return unit_of(word) == TENSIX_MATRIX ? (state->addr.rwc[thread].fidelity_phase + base) & 3 : 0;
}

static struct bh_issue issue_of(const struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    const struct known_expanders *known = &tensix->observed->tensix->expanders[thread];
    return (struct bh_issue){.fidelity_phase = fidelity_phase(tensix->state, thread, instruction.word),
                             .expanders = expanders_of(known, &tensix->state->frontend[thread], instruction),
                             .came = tensix->timed ? tensix->state->timing.frontend[thread].came : 0};
}

static void tell_operands(const struct tensix *tensix, struct bh_event event, const struct operand_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        event.operand = list->of[i];
        observed_tell(tensix->observed, &event);
    }
}

void unpack_tell_rows(struct tensix *tensix, const struct unpack_job *job, bool broadcast)
{
    if (observed_wants(tensix->observed, BH_EVENT_OPERAND)) {
        struct operand_sets sets = {0};
        struct operand_list operands = {.count = 0};
        unpack_rows_written(tensix, job, broadcast, &sets.written.rows);
        operands_add_sets(&operands, (struct bh_operand){.unit = BH_UNIT_UNPACK, .number = (uint8_t)job->unpacker},
                          &sets);
        tell_operands(tensix, observed_event_aside(tensix->observed, BH_EVENT_OPERAND), &operands);
    }
}

/* An instruction that waits within its unpacker has yet to write rows. */
static void leave_out_rows(struct operand_list *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint8_t file = list->of[i].file;
        const bool row = file == BH_OPERAND_SRCA || file == BH_OPERAND_SRCB || file == BH_OPERAND_DST;
        if (!(row && list->of[i].write)) {
            list->of[kept++] = list->of[i];
        }
    }
    list->count = kept;
}

enum step tensix_dispatch_observed(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct observed *observed = tensix->observed;
    tensix_tell_changes(tensix); /* as changes by the agent that has executed until now */
    tensix_now(tensix, thread, instruction);
    observed->issue = issue_of(tensix, thread, instruction);
    observed_issued(observed, BH_AGENT_THREAD, thread, instruction.pc, instruction.word);
    struct operand_list operands;
    operands.count = 0;
    if (observed_wants(observed, BH_EVENT_OPERAND)) {
        operands_of_word(tensix, thread, instruction.word, &operands);
        expanders_add_reads(&operands, thread, &tensix->state->frontend[thread], observed->issue.expanders);
    }
    const unsigned begun = unpack_all_begun(&tensix->state->unpack);
    enum step step = tensix_dispatch_now(tensix, thread, instruction.word);
    if (step == STEP_DONE && unpack_all_begun(&tensix->state->unpack) > begun) {
        leave_out_rows(&operands);
    }
    if (step == STEP_DONE) { /* `now` may be an instruction that SFPLOADMACRO had scheduled for this cycle */
        tensix_now(tensix, thread, instruction);
        tell_operands(tensix, observed_event(observed, BH_EVENT_OPERAND), &operands);
        tensix_tell_changes(tensix);
        observed_retired(observed, BH_AGENT_THREAD, thread, instruction.pc, instruction.word);
        expanders_take(&observed->tensix->expanders[thread], &tensix->state->frontend[thread]);
    } else if (step == STEP_WAIT) {
        observed_waits(observed, BH_AGENT_THREAD, thread, instruction.pc, instruction.word,
                       unit_wait(tensix->state, instruction.word));
    }
    return step;
}

void tensix_tell_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction)
{
    struct operand_list operands;
    if (observed_wants(tensix->observed, BH_EVENT_OPERAND)) {
        operands_of_scheduled(tensix, instruction, &operands);
        tell_operands(tensix, observed_event_aside(tensix->observed, BH_EVENT_OPERAND), &operands);
    }
}

void tensix_tell_loaded(struct tensix *tensix, unsigned thread, unsigned slot, struct pushed instruction)
{
    struct observed *observed = tensix->observed;
    if (observed_wants(observed, BH_EVENT_OPERAND)) {
        struct bh_event event =
            observed_event_of(observed, BH_EVENT_OPERAND, BH_AGENT_THREAD, thread, instruction.pc, instruction.word);
        event.operand = (struct bh_operand){.file = BH_OPERAND_REPLAY,
                                            .part = (uint8_t)thread,
                                            .write = 1,
                                            .unit = BH_UNIT_FRONTEND,
                                            .index = (uint16_t)slot,
                                            .count = 1};
        observed_tell(observed, &event);
    }
}

void tensix_tell_held(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    observed_waits(tensix->observed, BH_AGENT_THREAD, thread, instruction.pc, instruction.word,
                   latched_wait(&tensix->state->frontend[thread].wait));
}

/* Timed mode. */

_Static_assert((int)BH_UNIT_FRONTEND == (int)TENSIX_FRONTEND && (int)BH_UNIT_UNPACK == (int)TENSIX_UNPACK &&
                   (int)BH_UNIT_MOVER == (int)TENSIX_MOVER && (int)BH_UNITS == (int)TENSIX_UNITS,
               "observers are told of units as the table numbers them");

static uint64_t later(uint64_t a, uint64_t b)
{
    return a < b ? b : a;
}

/* Whether the unpackers have given the banks to the Matrix Unit that the instruction reads, but not filled them yet. */
static bool waits_for_data(const struct tensix_state *state, unsigned thread, uint32_t word)
{
    const struct tensix_timing *timing = &state->timing;
    const struct src_register_file *sources[] = {&state->srca, &state->srcb};
    const uint64_t uses[] = {TENSIX_USE_SRCA, TENSIX_USE_SRCB},
                   reads = tensix_reads(word, &(struct tensix_operands){0});
    bool waits = false;
    for (unsigned i = 0; i < 2 && tensix_facts[word >> 24].waits; i++) {
        waits |= reads & uses[i] && timing->unpack.filled[i][sources[i]->matrix_bank] > timing->now[thread];
    }
    return waits;
}

void tensix_tell_not_accepted(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct bh_wait wait = {.reason = BH_WAIT_UNIT};
    if (unit_of(instruction.word) == TENSIX_MATRIX && waits_for_data(tensix->state, thread, instruction.word)) {
        wait = (struct bh_wait){.reason = BH_WAIT_SRC_BANK, .detail = SRC_BANK_FOR_MATRIX};
    }
    observed_waits(tensix->observed, BH_AGENT_THREAD, thread, instruction.pc, instruction.word, wait);
}

/* From when to when an UNPACR fetches; others just take their cycle. */
static struct bh_occupied unpacks(const struct tensix_timing *timing, uint64_t now, uint32_t word)
{
    const struct unpack_timing *unpack = &timing->unpack;
    const struct unpack_fetch *fetch = &unpack->fetch;
    struct bh_occupied occupied = {.unit = BH_UNIT_UNPACK, .from = now, .to = now + 1};
    if (word >> 24 == TENSIX_OPCODE_UNPACR) {
        struct args_UNPACR args = decode_UNPACR(word);
        occupied.number = args.Unpack_block_selection;
        if (!args.CfgContextCntInc && !args.SearchCacheFlush && fetch->bytes) {
            occupied.to = unpack->fetching[occupied.number];
            occupied.from = occupied.to - (fetch->bytes + fetch->bytes_per_cycle - 1) / fetch->bytes_per_cycle;
        }
    } else {
        occupied.number = decode_UNPACR_NOP(word).Unpacker_Select;
    }
    return occupied;
}

/* For how long the instruction, which has just passed the gate, keeps its unit. */
static struct bh_occupied occupies(const struct tensix_timing *timing, unsigned thread, uint32_t word)
{
    uint64_t now = timing->now[thread];
    enum tensix_unit unit = unit_of(word);
    struct bh_occupied occupied = {.unit = (uint8_t)unit, .from = now, .to = now + 1};
    switch (unit) {
    case TENSIX_UNPACK: return unpacks(timing, now, word);
    case TENSIX_MATRIX: occupied.to = later(occupied.to, timing->matrix.accepts); break;
    case TENSIX_VECTOR: occupied.to = later(timing->vector.accepts, timing->vector.accepts_others); break;
    case TENSIX_SCALAR: occupied.to = later(occupied.to, timing->scalar.unit.accepts); break;
    case TENSIX_PACK: occupied.to = later(occupied.to, timing->pack.accepts); break;
    case TENSIX_MOVER: occupied.to = later(occupied.to, timing->mover.ready.accepts); break;
    default: break;
    }
    return occupied;
}

void tensix_tell_occupied(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct observed *observed = tensix->observed;
    if (observed_wants(observed, BH_EVENT_OCCUPIED)) {
        struct bh_event event =
            observed_event_of(observed, BH_EVENT_OCCUPIED, BH_AGENT_THREAD, thread, instruction.pc, instruction.word);
        event.occupied = occupies(&tensix->state->timing, thread, instruction.word);
        observed_tell(observed, &event);
    }
}
