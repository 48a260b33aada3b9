#include "tensix/units/lag.h"

#include <string.h>

#include "isa/tensix_facts.h"
#include "tensix/units/late.h"
#include "tensix/units/observe.h"
#include "tensix/units/pack/address.h"
#include "tensix/units/scalar/parts.h"
#include "tensix/units/src_banks.h"
#include "time/clock.h"
#include "time/jitter.h"

/* The unit of an instruction that lags; TIMING_BUSY: none does. */
static unsigned unit_of(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_UNPACR: return decode_UNPACR(word).Unpack_block_selection ? BUSY_UNPACK1 : BUSY_UNPACK0;
    case TENSIX_OPCODE_PACR: return BUSY_PACK;
    case TENSIX_OPCODE_XMOV: return BUSY_MOVER;
    case TENSIX_OPCODE_STOREIND:
    case TENSIX_OPCODE_LOADIND:
    case TENSIX_OPCODE_LOADREG:
    case TENSIX_OPCODE_ATINCGET: return BUSY_SCALAR;
    default: return TIMING_BUSY;
    }
}

/* Exchanges what a PACR has found with what there is. */
static void exchange(struct tensix_state *state, struct lag_work *work)
{
    struct pack_unit pack = state->pack;
    state->pack = work->pack.unit;
    work->pack.unit = pack;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        struct adc *adc = &state->addr.adc[thread][ADC_PACKER], now = *adc;
        *adc = work->pack.adc[thread];
        work->pack.adc[thread] = now;
    }
}

/* Executes a PACR, which has written nothing before. */
static void pack(struct tensix *tensix, struct lag_work *work)
{
    struct tensix_state *state = tensix->state;
    uint32_t row_bytes = state->timing.pack.row_bytes;
    exchange(state, work);
    (void)tensix_dispatch[TENSIX_OPCODE_PACR].run(tensix, work->thread, work->origin.instruction);
    exchange(state, work);
    state->timing.pack.row_bytes = row_bytes;
}

static void do_work(struct tensix *tensix, struct lag_work *work)
{
    struct lag *lag = &tensix->state->lag;
    struct diagnostic_origin now = tensix->diagnostics->now;
    struct observed *observed = tensix->l1->observed;
    const struct diagnostic_origin *cause = tensix->observed ? tensix->observed->cause : NULL;
    tensix->diagnostics->now = work->origin;
    tensix->l1->observed = tensix->observed;
    if (tensix->observed) {
        tensix->observed->cause = &work->origin;
    }
    lag->at_work = true;
    switch (work->kind) {
    case LAG_MOVE: (void)mover_move(tensix, work->move); break;
    case LAG_STORE: l1_put(tensix->l1, scalar_actor, work->store.address, work->store.data, work->store.bytes); break;
    case LAG_PACK: pack(tensix, work); break;
    default:
        tensix->l1->observed = NULL; /* the instruction told of its reads when it passed */
        (void)unpack_job_again(tensix, &work->unpack.job, work->unpack.broadcast);
        break;
    }
    lag->at_work = false;
    if (tensix->observed) {
        tensix->observed->cause = cause;
    }
    tensix->l1->observed = observed;
    tensix->diagnostics->now = now;
}

static void take(struct tensix *tensix, uint32_t index)
{
    struct lag *lag = &tensix->state->lag;
    struct lag_work work = lag->of[index];
    lag->works--;
    memmove(&lag->of[index], &lag->of[index + 1], (lag->works - index) * sizeof work);
    do_work(tensix, &work);
}

/* The end of those that are to be done before the last one of the unit for the thread is. */
static uint32_t end_of(const struct lag *lag, unsigned unit, unsigned thread)
{
    for (uint32_t end = lag->works; end > 0; end--) {
        const struct lag_work *last = &lag->of[end - 1];
        if (last->unit == unit && (thread == TENSIX_THREADS || last->thread == thread)) {
            return end;
        }
    }
    return 0;
}

void lag_settle(struct tensix *tensix, uint32_t units, unsigned thread)
{
    struct lag *lag = &tensix->state->lag;
    if (lag->at_work) {
        return;
    }
    for (; units; units &= units - 1) {
        unsigned unit = (unsigned)__builtin_ctz(units);
        for (uint32_t i = 0, end = end_of(lag, unit, unit == BUSY_MOVER ? TENSIX_THREADS : thread); i < end;) {
            if (lag->of[i].unit == unit) {
                take(tensix, i);
                end--;
            } else {
                i++;
            }
        }
    }
}

void lag_drain(struct tensix *tensix, uint32_t units, unsigned thread)
{
    lag_settle(tensix, units, thread);
    if (units & 1u << BUSY_SCALAR) {
        late_arrive(tensix, CLOCK_NEVER);
    }
}

bool lag_pends(const struct tensix *tensix, uint32_t units, unsigned thread)
{
    const struct lag *lag = &tensix->state->lag;
    bool any = units & 1u << BUSY_SCALAR && tensix->state->timing.late.count;
    for (; units; units &= units - 1) {
        unsigned unit = (unsigned)__builtin_ctz(units);
        any |= end_of(lag, unit, unit == BUSY_MOVER ? TENSIX_THREADS : thread) != 0;
    }
    return any;
}

static uint32_t first_due(const struct lag *lag)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < lag->works; i++) {
        first = lag->of[i].due < lag->of[first].due ? i : first;
    }
    return first;
}

uint64_t lag_next(const struct lag *lag)
{
    return lag->works ? lag->of[first_due(lag)].due : CLOCK_NEVER;
}

bool lag_arrive(struct tensix *tensix, uint64_t time)
{
    struct lag *lag = &tensix->state->lag;
    bool any = false;
    while (!lag->at_work && lag_next(lag) <= time && lag->works) {
        take(tensix, first_due(lag));
        any = true;
    }
    return any;
}

void lag_reach(struct tensix *tensix, uint64_t time)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        tensix->state->timing.now[thread] = time;
    }
    (void)lag_arrive(tensix, time);
    late_arrive(tensix, time);
}

/* Room for one more. */
static struct lag_work *begin(struct tensix *tensix, enum lag_kind kind, unsigned unit, unsigned thread)
{
    struct lag *lag = &tensix->state->lag;
    if (lag->works == LAG_WORKS) {
        take(tensix, first_due(lag));
    }
    uint64_t due = tensix->state->timing.now[thread] + 1 + lag->delay;
    uint32_t before = end_of(lag, unit, TENSIX_THREADS);
    if (before && due < lag->of[before - 1].due) {
        due = lag->of[before - 1].due;
    }
    struct lag_work *work = &lag->of[lag->works++];
    lag->fresh = true;
    *work = (struct lag_work){.due = due,
                              .origin = tensix->diagnostics->now,
                              .kind = (uint8_t)kind,
                              .unit = (uint8_t)unit,
                              .thread = (uint8_t)thread};
    return work;
}

void lag_unpack(struct tensix *tensix, const struct unpack_job *job, bool broadcast)
{
    struct lag_work *work = begin(tensix, LAG_UNPACK, job->unpacker ? BUSY_UNPACK1 : BUSY_UNPACK0, job->thread);
    work->unpack.job = *job;
    work->unpack.broadcast = broadcast;
}

void lag_move(struct tensix *tensix, unsigned thread, struct mover_transfer transfer)
{
    begin(tensix, LAG_MOVE, BUSY_MOVER, thread)->move = transfer;
}

void lag_store(struct tensix *tensix, unsigned thread, uint32_t address, const void *data, uint32_t bytes)
{
    struct lag_work *work = begin(tensix, LAG_STORE, BUSY_SCALAR, thread);
    work->store.address = address;
    work->store.bytes = bytes;
    memcpy(work->store.data, data, bytes);
}

/* Whether an unpacker has yet to fill a bank that the Matrix Unit has got. */
static uint32_t unpackers_that_owe(const struct tensix_state *state)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < state->lag.works; i++) {
        const struct lag_work *work = &state->lag.of[i];
        const struct src_register_file *src = work->unit == BUSY_UNPACK1 ? &state->srcb : &state->srca;
        if (work->kind == LAG_UNPACK && !work->unpack.job.to_dst &&
            src->owner[work->unpack.job.bank] == SRC_MATRIX_UNIT) {
            units |= 1u << work->unit;
        }
    }
    return units;
}

/* What hardware keeps in order with the instruction without its program's help. */
static void settle_before(struct tensix *tensix, uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_UNPACR_NOP:
    case TENSIX_OPCODE_SETDVALID:
    case TENSIX_OPCODE_CLEARDVALID: lag_settle(tensix, LAG_OF_UNPACKERS, TENSIX_THREADS); break;
    case TENSIX_OPCODE_STOREIND: /* to Src, or to a register */
        if (!decode_STOREIND(word).MemHierSel) {
            lag_settle(tensix, LAG_OF_UNPACKERS | 1u << BUSY_SCALAR, TENSIX_THREADS);
        }
        break;
    case TENSIX_OPCODE_LOADREG:
    case TENSIX_OPCODE_STOREREG: lag_settle(tensix, 1u << BUSY_SCALAR, TENSIX_THREADS); break;
    default:
        if (!tensix->timed && tensix_unit_of[word >> 24] == TENSIX_MATRIX) {
            lag_settle(tensix, unpackers_that_owe(tensix->state), TENSIX_THREADS);
        }
    }
}

/* A PACR: what it does later it does with what it finds now. */
static enum step dispatch_pack(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct tensix_state *state = tensix->state;
    struct observed *observed = tensix->l1->observed;
    struct pack_unit unit = state->pack;
    struct adc adc[TENSIX_THREADS];
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        adc[i] = state->addr.adc[i][ADC_PACKER];
    }
    tensix->l1->observed = NULL; /* told when it is due */
    enum step step = tensix_dispatch_told(tensix, thread, instruction);
    tensix->l1->observed = observed;
    if (step == STEP_DONE) {
        struct lag_work *work = begin(tensix, LAG_PACK, BUSY_PACK, thread);
        work->pack.unit = unit;
        memcpy(work->pack.adc, adc, sizeof adc);
    }
    return step;
}

enum step lag_dispatch(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct lag *lag = &tensix->state->lag;
    unsigned unit = unit_of(instruction.word);
    settle_before(tensix, instruction.word);
    lag->fresh = false;
    lag->delay = unit == TIMING_BUSY ? 0 : jitter_of_unit(tensix->jitter, lag->count + 1, unit);
    enum step step = unit == BUSY_PACK ? dispatch_pack(tensix, thread, instruction)
                                       : tensix_dispatch_told(tensix, thread, instruction);
    lag->count += unit != TIMING_BUSY && step == STEP_DONE;
    return step;
}

void lag_passed(struct tensix *tensix, unsigned thread)
{
    struct lag *lag = &tensix->state->lag;
    if (lag->fresh) {
        struct lag_work *last = &lag->of[lag->works - 1];
        last->due = tensix->state->timing.busy_until[last->unit][thread];
    }
}
