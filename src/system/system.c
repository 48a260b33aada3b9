/* Systems of linked chips (include/bhemu/system.h). All chips run for an epoch, or the part of it that the host lets
   pass, without seeing each other; at its end they exchange what they have sent (system/exchange.h). An epoch is no
   longer than a link's latency, so that nothing arrives in the epoch in which it was sent: in which order chips run,
   and on which threads, makes no difference. Epochs end at multiples of their length. Stretches in which no chip has
   anything to run and nothing is on its way pass at once. When an error stops a chip, all come to the end of the epoch,
   in the same call, and the system halts there: else calls would decide how far the others have come. */
#include "bhemu/system.h"

#include "chip/explain.h"
#include "chip/quantum.h"
#include "system/nodes.h"
#include "system/state.h"

uint64_t bh_system_clock(const struct bh_system *system)
{
    return system ? system->clock : 0;
}

/* Epochs. */

/* Chips run a part of an epoch. */
struct part {
    struct bh_system *system;
    uint64_t cycles;
    bool attended; /* the host may look when it ends */
};

static void run_chip(void *context, unsigned index)
{
    const struct part *part = context;
    struct system_chip *chip = &part->system->chip[index];
    chip->reason = part->attended ? wired_advance(chip->device, part->cycles)
                                  : wired_run(chip->device, part->cycles, &chip->result);
}

/* When the memory for translated code is full, all chips begin anew. */
static void make_room_for_translations(struct bh_system *system)
{
    if (system->translator.full) {
        for (unsigned i = 0; i < system->own; i++) {
            device_leave_translations(system->chip[i].device);
        }
        translator_forget(&system->translator);
    }
}

static void run_part(struct bh_system *system, uint64_t cycles, bool attended)
{
    struct part part = {system, cycles, attended};
    make_room_for_translations(system);
    system->running = true;
    if (system->pool) {
        pool_run(system->pool, system->own, run_chip, &part);
    } else {
        for (unsigned i = 0; i < system->own; i++) {
            run_chip(&part, i);
        }
    }
    system->running = false;
    system->clock += cycles;
    for (unsigned i = 0; i < system->own; i++) {
        device_visit(system->chip[i].device, system->chip[i].reason != BH_RAN_CYCLES);
    }
}

static uint64_t end_of_epoch(const struct bh_system *system)
{
    return (system->clock / system->config.latency + 1) * system->config.latency;
}

static void set_horizon(struct bh_system *system)
{
    uint64_t horizon = end_of_epoch(system);
    for (unsigned i = 0; i < system->own; i++) {
        system->chip[i].device->horizon = horizon;
    }
}

/* Which of two reasons, of two processes, counts. */
static uint32_t weight_of(enum bh_run_reason reason)
{
    static const uint8_t weights[] = {
        [BH_RAN_IDLE] = 0, [BH_RAN_DEADLOCK] = 1, [BH_RAN_CYCLES] = 2, [BH_RAN_INTERRUPTED] = 3, [BH_RAN_STOPPED] = 4};
    return weights[reason];
}

static enum bh_run_reason reason_of_weight(uint32_t weight)
{
    static const enum bh_run_reason reasons[] = {BH_RAN_IDLE, BH_RAN_DEADLOCK, BH_RAN_CYCLES, BH_RAN_INTERRUPTED,
                                                 BH_RAN_STOPPED};
    return reasons[weight];
}

/* false: processes have lost each other. */
static bool agree(struct bh_system *system, struct agreement *agreement)
{
    const struct exchange *exchange = &system->part.exchange;
    return !exchange->agree || exchange->agree(exchange->context, system->clock, agreement);
}

/* What the last part has come to, over all chips of this process. */
static enum bh_run_reason reason_of(const struct bh_system *system)
{
    enum bh_run_reason all = BH_RAN_IDLE;
    for (unsigned i = 0; i < system->own; i++) {
        const struct system_chip *chip = &system->chip[i];
        if (chip->reason == BH_RAN_STOPPED) {
            return BH_RAN_STOPPED;
        }
        bool goes_on = chip->reason == BH_RAN_CYCLES || wire_is_busy(&chip->device->wire);
        if (goes_on) {
            all = BH_RAN_CYCLES;
        } else if (chip->reason == BH_RAN_DEADLOCK && all != BH_RAN_CYCLES) {
            all = BH_RAN_DEADLOCK;
        }
    }
    return all;
}

static void explain_each(struct bh_system *system, unsigned limit)
{
    if (system->nodes) {
        nodes_explain(system->nodes, limit);
    }
    for (unsigned i = 0; i < system->own; i++) {
        if (system->chip[i].device->blocked) {
            device_explain(system->chip[i].device, BH_STOP, limit);
        }
    }
}

void system_explain(struct bh_system *system, unsigned limit)
{
    system_gather(system);
    explain_each(system, limit);
    system_tell_gathered(system);
}

void bh_system_report(struct bh_system *system)
{
    if (system) {
        system_gather(system);
        for (unsigned i = 0; i < system->count; i++) {
            bh_report(bh_system_chip(system, i));
        }
        system_tell_gathered(system);
    }
}

static bool is_interrupted(const struct bh_system *system)
{
    const volatile sig_atomic_t *interrupted = system->config.device.interrupted;
    return interrupted && __atomic_load_n(interrupted, __ATOMIC_RELAXED);
}

/* The system can not go on. */
static void fail_system(struct bh_system *system)
{
    system->reason = BH_RAN_STOPPED;
    system->lost = true;
    for (unsigned i = 0; i < system->own; i++) {
        system->chip[i].device->stopped = true;
    }
}

/* Where an epoch ends in which an error has stopped a chip, even if that was reset since. */
static void halt(struct bh_system *system)
{
    system->reason = BH_RAN_STOPPED;
    system->halted = true;
    for (unsigned i = 0; i < system->own; i++) {
        device_stop_late_ones(system->chip[i].device);
    }
}

/* Whether the system has halted, and no reset, or snapshot, has brought back the chips that were stopped. */
static bool is_halted(struct bh_system *system)
{
    struct agreement all = {.clock = system->clock};
    if (!system->halted || system->lost) {
        return system->lost;
    }
    for (unsigned i = 0; i < system->own; i++) {
        all.moves |= system->chip[i].device->stopped;
    }
    if (!agree(system, &all)) {
        fail_system(system);
    }
    system->halted = all.moves;
    return system->halted || system->lost;
}

/* At the end of a part: takes what was sent if it is that of an epoch, and finds out what all processes do next. */
static void meet(struct bh_system *system, bool epoch)
{
    bool sent = false, done = true;
    const struct exchange *exchange = &system->part.exchange;
    if (epoch) {
        done = exchange->swap(exchange->context, system, &sent);
    }
    uint32_t reason = weight_of(reason_of(system)), least = is_interrupted(system) ? weight_of(BH_RAN_INTERRUPTED)
                                                            : sent                 ? weight_of(BH_RAN_CYCLES)
                                                                                   : 0;
    struct agreement all = {.clock = system->clock, .reason = reason < least ? least : reason, .moves = sent};
    if (!done || !agree(system, &all)) {
        fail_system(system);
        return;
    }
    system->reason = reason_of_weight(all.reason);
    if (all.moves) {
        system->exchanged_at = system->clock;
        system->explained = false;
    }
}

/* One part of an epoch, at most so many cycles. */
static void run_and_meet(struct bh_system *system, uint64_t cycles, bool attended)
{
    uint64_t left = end_of_epoch(system) - system->clock, part = cycles < left ? cycles : left;
    set_horizon(system);
    run_part(system, part, attended);
    meet(system, part == left);
}

/* The same; all of the epoch if an error stops a chip in it. Returns how many cycles have passed. */
static uint64_t advance(struct bh_system *system, uint64_t cycles, bool attended)
{
    uint64_t begin = system->clock;
    for (unsigned i = 0; i < system->own; i++) {
        system->chip[i].result = (struct bh_run_result){0};
    }
    run_and_meet(system, cycles, attended);
    if (system->reason == BH_RAN_STOPPED) {
        if (!system->lost && system->clock % system->config.latency) {
            run_and_meet(system, system->config.latency, attended);
        }
        halt(system);
    }
    system_tell(system);
    return system->clock - begin;
}

uint64_t system_epoch_end(const struct bh_system *system, uint64_t clock)
{
    uint64_t latency = system->config.latency;
    return (clock + latency - 1) / latency * latency;
}

struct system_position system_position(const struct bh_system *system)
{
    return (struct system_position){.clock = system->clock,
                                    .exchanged_at = system->exchanged_at,
                                    .spin_check = system->spin_check,
                                    .explained = system->explained,
                                    .halted = system->halted,
                                    .latency = system->config.latency};
}

void system_set_position(struct bh_system *system, const struct system_position *position)
{
    system->clock = position->clock;
    system->exchanged_at = position->exchanged_at;
    system->spin_check = position->spin_check;
    system->explained = position->explained;
    system->halted = position->halted;
    set_horizon(system);
}

uint64_t system_ended_at(const struct bh_system *system)
{
    return system->ended_at;
}

bool system_wait_for_all(struct bh_system *system)
{
    struct agreement all = {.clock = system->clock};
    if (!agree(system, &all)) {
        fail_system(system);
    }
    return !system->lost;
}

void system_instructions(const struct bh_system *system, unsigned chip, uint64_t *riscv, uint64_t *tensix)
{
    const struct system_chip *own = &system->chip[system->own_of[chip]];
    *riscv = own->riscv_instructions;
    *tensix = own->tensix_instructions;
}

void system_set_instructions(struct bh_system *system, unsigned chip, uint64_t riscv, uint64_t tensix)
{
    struct system_chip *own = &system->chip[system->own_of[chip]];
    own->riscv_instructions = riscv;
    own->tensix_instructions = tensix;
}

const char *bh_system_failed(const struct bh_system *system)
{
    const struct exchange *exchange = &system->part.exchange;
    return !system || !system->lost ? NULL
           : system->nodes          ? nodes_failed(system->nodes)
           : exchange->failed       ? exchange->failed(exchange->context)
                                    : "the host has no memory for what chips send to each other";
}

/* The next clock at which cores may be looked at is a multiple of the interval, whatever calls there were. */
static void put_off_spin_check(struct bh_system *system)
{
    system->spin_check = (system->clock / SPIN_CHECK_INTERVAL + 1) * SPIN_CHECK_INTERVAL;
}

/* Nothing can run on any chip, and nothing is on its way: time passes at once. */
static void pass(struct bh_system *system, uint64_t cycles)
{
    cycles = clock_room(system->clock, cycles);
    system->clock += cycles;
    put_off_spin_check(system);
    set_horizon(system);
    for (unsigned i = 0; i < system->own; i++) {
        device_pass(system->chip[i].device, cycles);
    }
}

enum bh_run_reason bh_system_advance(struct bh_system *system, uint64_t cycles)
{
    enum bh_run_reason reason = BH_RAN_CYCLES;
    if (system && system->nodes) {
        return nodes_advance(system->nodes, cycles);
    }
    if (system && is_halted(system)) {
        return BH_RAN_STOPPED;
    }
    while (system && cycles && reason != BH_RAN_STOPPED) {
        uint64_t passed = advance(system, cycles, true);
        cycles -= passed < cycles ? passed : cycles;
        reason = system->reason;
        if (reason == BH_RAN_IDLE || reason == BH_RAN_DEADLOCK) {
            pass(system, cycles);
            break;
        }
    }
    if (reason == BH_RAN_DEADLOCK && !system->explained) {
        system_explain(system, EXPLAINED_AT_ONCE);
        system->explained = true;
    }
    return reason;
}

/* Running. */

static void add_result(struct system_chip *chip, const struct bh_run_result *one, struct bh_run_result *result)
{
    chip->riscv_instructions += one->riscv_instructions;
    chip->tensix_instructions += one->tensix_instructions;
    result->riscv_instructions += one->riscv_instructions;
    result->tensix_instructions += one->tensix_instructions;
}

static void add_results(struct bh_system *system, struct bh_run_result *result)
{
    for (unsigned i = 0; i < system->own; i++) {
        add_result(&system->chip[i], &system->chip[i].result, result);
    }
}

/* Whether cores of every chip spin, and nothing is on its way. Finding out takes chips some cycles, after which they
   are all at the same clock again. */
static bool all_spin(struct bh_system *system, struct bh_run_result *result)
{
    struct agreement all = {.clock = system->clock};
    for (unsigned i = 0; i < system->own; i++) {
        struct bh_device *device = system->chip[i].device;
        struct bh_run_result spun = {0};
        device_settle(device);
        bool spins = !wire_is_busy(&device->wire) && wired_spins(device, &spun) && !wire_is_busy(&device->wire);
        add_result(&system->chip[i], &spun, result);
        all.moves |= !spins;
        all.clock = device->clock > all.clock ? device->clock : all.clock;
    }
    if (!agree(system, &all)) {
        fail_system(system);
        return false;
    }
    for (unsigned i = 0; i < system->own; i++) {
        device_pass(system->chip[i].device, all.clock - system->chip[i].device->clock);
    }
    system->clock = all.clock;
    system_tell(system);
    return !all.moves;
}

/* Whether to look whether all cores spin, with so many cycles left to run: where an epoch ends. */
static bool spin_check_due(const struct bh_system *system, uint64_t left)
{
    bool room = system->config.device.mode == BH_MODE_TIMED || left >= SPIN_CHECK_CYCLES;
    return room && system->clock >= system->spin_check && system->clock % system->config.latency == 0;
}

/* The clock at which the last Tensix tile had something to run, or at which something was last exchanged or under way.
 */
static uint64_t busy_until(const struct bh_system *system)
{
    uint64_t latest = system->exchanged_at;
    for (unsigned i = 0; i < system->own; i++) {
        uint64_t busy = device_busy_until(system->chip[i].device);
        latest = busy > latest ? busy : latest;
    }
    return latest;
}

static enum bh_run_reason run(struct bh_system *system, uint64_t cycles, struct bh_run_result *result)
{
    uint64_t begin = system->clock;
    enum bh_run_reason reason = BH_RAN_CYCLES;
    while (reason == BH_RAN_CYCLES && system->clock - begin < cycles) {
        (void)advance(system, begin + cycles - system->clock, false);
        add_results(system, result);
        reason = system->reason;
        if (reason == BH_RAN_CYCLES && spin_check_due(system, begin + cycles - system->clock)) {
            bool quiet = system->exchanged_at + SPIN_CHECK_INTERVAL <= system->clock;
            put_off_spin_check(system);
            reason = quiet && all_spin(system, result) ? BH_RAN_DEADLOCK
                     : system->lost                    ? BH_RAN_STOPPED
                                                       : BH_RAN_CYCLES;
            for (unsigned i = 0; i < system->own && reason == BH_RAN_DEADLOCK; i++) {
                system->chip[i].device->blocked |= device_any_active(system->chip[i].device);
            }
        }
    }
    return reason;
}

enum bh_status bh_system_run(struct bh_system *system, uint64_t cycles, struct bh_run_result *result)
{
    struct bh_run_result own = {0};
    if (!system) {
        return BH_ERROR_ARGUMENT;
    }
    if (system->nodes) {
        return nodes_run(system->nodes, cycles, result);
    }
    uint64_t begin = system->clock;
    bool halted = is_halted(system);
    for (unsigned i = 0; i < system->own && !halted; i++) {
        device_settle(system->chip[i].device);
        system->chip[i].device->blocked = false;
    }
    own.reason = halted ? BH_RAN_STOPPED : run(system, cycles, &own);
    own.cycles = system->clock - begin;
    if (own.reason == BH_RAN_DEADLOCK) {
        system_explain(system, EXPLAINED_TILES);
    } else if (own.reason == BH_RAN_IDLE) {
        struct agreement all = {.clock = busy_until(system)};
        uint64_t busy = agree(system, &all) ? all.clock : begin;
        system->ended_at = busy;
        own.cycles = busy > begin ? busy - begin : own.cycles;
    }
    if (result) {
        *result = own;
    }
    return own.reason == BH_RAN_STOPPED || own.reason == BH_RAN_DEADLOCK ? BH_ERROR_STOPPED : BH_OK;
}
