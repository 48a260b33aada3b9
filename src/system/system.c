/* Systems of linked chips (include/bhemu/system.h). All chips run for an epoch, or the part of it that the host lets
   pass, without seeing each other; at its end they exchange what they have sent (system/exchange.h). An epoch is no
   longer than a link's latency, so that nothing arrives in the epoch in which it was sent: in which order chips run,
   and on which threads, makes no difference. Epochs end at multiples of their length. Stretches in which no chip has
   anything to run and nothing is on its way pass at once. */
#include "bhemu/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ethernet/link_constants.h"
#include "chip/explain.h"
#include "chip/quantum.h"
#include "system/nodes.h"
#include "system/state.h"
#include "system/topology.h"

enum { SHORTEST_LATENCY = 100, LONGEST_LATENCY = 100 * 1000 };

/* Creation. */

/* Threads take chips first; what is left is for the tiles of each. */
static unsigned threads_of_chip(const struct bh_system *system)
{
    return system->config.threads > system->count ? system->config.threads / system->count : 1;
}

static enum bh_status create_chip(struct bh_system *system, const struct bh_topology *topology, unsigned number)
{
    struct system_chip *chip = &system->chip[system->own];
    const struct bh_device_config *given = &system->config.device;
    struct bh_device_config config = *given;
    *chip = (struct system_chip){.system = system, .place = &system->places[number]};
    system->places[number].translator = &system->translator;
    config.on_diagnostic = system_chip_tells;
    config.host_read = given->host_read ? system_chip_reads : NULL;
    config.host_write = given->host_write ? system_chip_writes : NULL;
    config.context = chip;
    config.board = topology->chips[number].board;
    config.tiles = topology->chips[number].tiles;
    config.threads = threads_of_chip(system);
    enum bh_status status = wired_create(&config, chip->place, &chip->device);
    if (status == BH_OK) {
        system->own_of[number] = (uint16_t)system->own++;
    }
    return status;
}

static bool is_own(const struct bh_system *system, unsigned number)
{
    return !system->part.owner || system->part.owner[number] == system->part.rank;
}

static enum bh_status create_chips(struct bh_system *system, const struct bh_topology *topology, struct bh_error *error)
{
    enum bh_status status = topology_place(topology, system->config.latency, system->places, error);
    for (unsigned i = 0; i < system->count && status == BH_OK; i++) {
        system->own_of[i] = SYSTEM_NOT_OWN;
        status = is_own(system, i) ? create_chip(system, topology, i) : BH_OK;
    }
    unsigned threads = system->config.threads < system->own ? system->config.threads : system->own;
    if (status == BH_OK && threads > 1 && !(system->pool = pool_create(threads))) {
        status = BH_ERROR_MEMORY;
    }
    return status;
}

enum bh_status system_create(const struct bh_topology *topology, const struct bh_system_config *config,
                             const struct system_part *part, struct bh_system **system, struct bh_error *error)
{
    if (!topology || !system) {
        return BH_ERROR_ARGUMENT;
    }
    *system = NULL;
    struct bh_system *created = calloc(1, sizeof *created);
    if (!created) {
        return BH_ERROR_MEMORY;
    }
    pthread_mutex_init(&created->host, NULL);
    translator_create(&created->translator);
    if (config) {
        created->config = *config;
    }
    if (!created->config.latency) {
        created->config.latency = LINK_LATENCY;
    }
    created->part = part ? *part : (struct system_part){.ranks = 1, .exchange = exchange_in_process()};
    created->spin_check = SPIN_CHECK_INTERVAL;
    created->count = topology->chip_count;
    size_t room = created->count ? created->count : 1;
    created->chip = calloc(room, sizeof *created->chip);
    created->own_of = calloc(room, sizeof *created->own_of);
    created->places = calloc(room, sizeof *created->places);
    uint32_t latency = created->config.latency;
    enum bh_status status = !created->chip || !created->own_of || !created->places ? BH_ERROR_MEMORY
                            : latency < SHORTEST_LATENCY || latency > LONGEST_LATENCY
                                ? BH_ERROR_ARGUMENT
                                : create_chips(created, topology, error);
    if (status != BH_OK) {
        bh_system_destroy(created);
        return status;
    }
    *system = created;
    return BH_OK;
}

enum bh_status bh_system_create(const struct bh_topology *topology, const struct bh_system_config *config,
                                struct bh_system **system, struct bh_error *error)
{
    return system_create(topology, config, NULL, system, error);
}

const char *system_name_part(const char *process, unsigned rank, const uint16_t *owner, unsigned chips,
                             char text[SYSTEM_PART_NAME])
{
    unsigned first = 0, last;
    while (first < chips && owner[first] != rank) {
        first++;
    }
    for (last = first; last + 1 < chips && owner[last + 1] == rank; last++) {
    }
    (void)snprintf(text, SYSTEM_PART_NAME,
                   first == chips  ? "%s %u (no chip)"
                   : first == last ? "%s %u (chip %u)"
                                   : "%s %u (chips %u to %u)",
                   process, rank, first, last);
    return text;
}

void system_share(uint16_t *owner, unsigned chips, unsigned ranks)
{
    for (unsigned i = 0; i < chips; i++) {
        owner[i] = (uint16_t)((uint64_t)i * ranks / chips);
    }
}

void bh_system_destroy(struct bh_system *system)
{
    if (!system) {
        return;
    }
    nodes_destroy(system->nodes);
    for (unsigned i = 0; system->chip && i < system->own; i++) {
        bh_device_destroy(system->chip[i].device);
        free(system->chip[i].told.entries);
    }
    translator_destroy(&system->translator);
    pool_destroy(system->pool);
    pthread_mutex_destroy(&system->host);
    free(system->chip);
    free(system->own_of);
    free(system->places);
    free(system);
}

void system_dismiss(struct bh_system *system)
{
    pool_dismiss(system->pool);
    for (unsigned i = 0; i < system->own; i++) {
        pool_dismiss(system->chip[i].device->pool);
    }
}

unsigned bh_system_chip_count(const struct bh_system *system)
{
    return system ? system->count : 0;
}

struct bh_device *bh_system_chip(struct bh_system *system, unsigned chip)
{
    if (system && system->nodes) {
        return nodes_chip(system->nodes, chip);
    }
    return system && chip < system->count && system->own_of[chip] != SYSTEM_NOT_OWN
               ? system->chip[system->own_of[chip]].device
               : NULL;
}

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
    chip->result = (struct bh_run_result){0};
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
        [BH_RAN_IDLE] = 0, [BH_RAN_DEADLOCK] = 1, [BH_RAN_CYCLES] = 2, [BH_RAN_STOPPED] = 3, [BH_RAN_INTERRUPTED] = 4};
    return weights[reason];
}

static enum bh_run_reason reason_of_weight(uint32_t weight)
{
    static const enum bh_run_reason reasons[] = {BH_RAN_IDLE, BH_RAN_DEADLOCK, BH_RAN_CYCLES, BH_RAN_STOPPED,
                                                 BH_RAN_INTERRUPTED};
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

void system_explain(struct bh_system *system, unsigned limit)
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

/* At the end of a part: takes what was sent if it is that of an epoch, and finds out what all processes do next. */
static void meet(struct bh_system *system, bool epoch)
{
    bool sent = false, done = true;
    const struct exchange *exchange = &system->part.exchange;
    if (epoch) {
        done = exchange->swap(exchange->context, system, &sent);
    }
    enum bh_run_reason reason = is_interrupted(system) ? BH_RAN_INTERRUPTED : reason_of(system);
    struct agreement all = {.clock = system->clock, .moves = sent};
    all.reason = weight_of(sent && weight_of(reason) < weight_of(BH_RAN_CYCLES) ? BH_RAN_CYCLES : reason);
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

/* One part of an epoch, at most so many cycles. Returns how many. */
static uint64_t advance(struct bh_system *system, uint64_t cycles, bool attended)
{
    uint64_t left = end_of_epoch(system) - system->clock, part = cycles < left ? cycles : left;
    set_horizon(system);
    run_part(system, part, attended);
    meet(system, part == left);
    system_tell(system);
    return part;
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
                                    .latency = system->config.latency};
}

void system_set_position(struct bh_system *system, const struct system_position *position)
{
    system->clock = position->clock;
    system->exchanged_at = position->exchanged_at;
    system->spin_check = position->spin_check;
    system->explained = position->explained;
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
    while (system && cycles) {
        cycles -= advance(system, cycles, true);
        reason = system->reason;
        if (reason == BH_RAN_IDLE || reason == BH_RAN_STOPPED || reason == BH_RAN_DEADLOCK) {
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
    for (unsigned i = 0; i < system->own; i++) {
        device_settle(system->chip[i].device);
        system->chip[i].device->blocked = false;
    }
    own.reason = run(system, cycles, &own);
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
