/* How the processes of system/serve.h let time pass: they agree on how far, and on whether hosts are still there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "system/serve_state.h"

enum {
    LOOKS = 50,         /* at what others do, before a process sleeps between two of them: */
    NAP = 200 * 1000,   /* nanoseconds */
    IS_HOST_THERE = 16, /* agreements between two looks at whether the host is there */
};

static const struct timespec at_once = {0};

static enum bh_status lose(struct server *server, struct bh_error *error, const char *why)
{
    (void)snprintf(error->text, sizeof error->text, "%.1000s", why);
    if (server->host.socket >= 0) {
        (void)message_send_text(&server->host, MESSAGE_LOST, why);
    }
    return BH_ERROR_LOST;
}

static uint64_t system_clock_of(const struct server *server)
{
    return server->system ? server->system->clock : 0;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The exchange of the system: the options' one, but for a look now and then at whether the host is still there. */

static bool swap(void *context, struct bh_system *system, bool *sent)
{
    const struct exchange *inner = &((struct server *)context)->options->part.exchange;
    return inner->swap(inner->context, system, sent);
}

static bool agree(void *context, uint64_t clock, struct agreement *agreement)
{
    struct server *server = context;
    const struct exchange *inner = &server->options->part.exchange;
    if (!server->options->each && ++server->looks % IS_HOST_THERE == 0 && !serve_host_is_there(server)) {
        server->interrupted = true;
    }
    return !inner->agree || inner->agree(inner->context, clock, agreement);
}

static const char *failed(void *context)
{
    const struct exchange *inner = &((struct server *)context)->options->part.exchange;
    return inner->failed ? inner->failed(inner->context) : "the host has no memory";
}

/* Stretches of time. */

static bool is_quiet(enum bh_run_reason reason)
{
    return reason == BH_RAN_IDLE || reason == BH_RAN_DEADLOCK;
}

/* Epoch by epoch, so that a host that sleeps can do something meanwhile, or is noticed to be gone. Of a system that
   halts on the way no more time passes. */
static enum bh_run_reason advance_to(struct server *server, uint64_t until)
{
    struct bh_system *system = server->system;
    enum bh_run_reason reason = BH_RAN_CYCLES;
    while (system->clock < until && reason != BH_RAN_STOPPED && reason != BH_RAN_INTERRUPTED) {
        uint64_t end = is_quiet(reason) ? until : system_epoch_end(system, system->clock + 1);
        reason = bh_system_advance(system, (end < until ? end : until) - system->clock);
        if (server->options->each && server->wish.kind == 0) {
            serve_look(server, &at_once);
        }
    }
    return reason;
}

static enum bh_status pass_for_one_host(struct server *server, uint64_t until, bool runs, struct bh_error *error)
{
    uint64_t begins = server->system->clock;
    struct bh_run_result result = {0};
    enum bh_status status = BH_OK;
    if (runs) {
        status = bh_system_run(server->system, until - begins, &result);
    } else {
        result.reason = advance_to(server, until);
        result.cycles = server->system->clock - begins;
    }
    if (bh_system_failed(server->system)) {
        return lose(server, error, bh_system_failed(server->system));
    }
    serve_passed(server, &result, status);
    return BH_OK;
}

static enum bh_status pass_for_all_hosts(struct server *server, uint64_t until, struct bh_error *error)
{
    enum bh_run_reason reason = advance_to(server, until);
    if (bh_system_failed(server->system)) {
        return lose(server, error, bh_system_failed(server->system));
    }
    if (server->wish.kind && (server->wish.until <= server->system->clock || reason == BH_RAN_STOPPED)) {
        const struct bh_run_result result = {.reason = reason, .cycles = server->system->clock - server->wish.begins};
        serve_passed(server, &result, BH_OK);
    }
    server->told = false;
    return BH_OK;
}

/* Rounds: what all agree on. Of the fields of struct agreement, `clock` is how far, and `reason` whether to go on. */

enum round { GO_ON, HOST_LEFT, ALL_ENDED };

static bool agree_on(struct server *server, struct agreement *all, struct bh_error *error)
{
    struct exchange *inner = (struct exchange *)&server->options->part.exchange;
    if (inner->agree && !inner->agree(inner->context, system_clock_of(server), all)) {
        (void)lose(server, error, inner->failed(inner->context));
        return false;
    }
    return true;
}

/* All processes have the same host. */
static enum bh_status round_of_one_host(struct server *server, bool *done, struct bh_error *error)
{
    struct agreement all = {.clock = ~server->wish.until, .moves = server->wish.kind == MESSAGE_RUN};
    all.reason = server->ended ? ALL_ENDED : server->left || !server->wish.kind ? HOST_LEFT : GO_ON;
    if (!agree_on(server, &all, error)) {
        return BH_ERROR_LOST;
    }
    *done = all.reason == ALL_ENDED;
    if (all.reason == GO_ON && server->system) {
        return pass_for_one_host(server, ~all.clock, all.moves, error);
    }
    serve_part_from_host(server);
    server->left = false;
    bh_system_destroy(server->system);
    server->system = NULL;
    return BH_OK;
}

/* How far the host lets time pass: in lockstep, to the complement of this. */
static uint64_t wish_of(const struct server *server)
{
    bool wants = server->wish.kind != 0, is_there = server->host.socket >= 0;
    return server->options->lockstep ? (wants      ? ~server->wish.until
                                        : is_there ? ~system_clock_of(server)
                                                   : 0)
                                     : (wants ? server->wish.until : 0);
}

/* Each process has a host of its own. */
static enum bh_status round_of_hosts(struct server *server, bool *done, struct bh_error *error)
{
    struct agreement all = {.clock = wish_of(server), .reason = !server->ended || server->host.socket >= 0};
    if (!agree_on(server, &all, error)) {
        return BH_ERROR_LOST;
    }
    uint64_t until = server->options->lockstep ? (all.clock ? ~all.clock : 0) : all.clock;
    *done = all.reason == 0;
    server->left = false;
    server->told = true;
    return !*done && server->system && until > server->system->clock ? pass_for_all_hosts(server, until, error) : BH_OK;
}

/* Waits until there is something to agree on: this process has something, or others have called it. false: a host has
   not let time pass for too long. */
static bool wait_for_round(struct server *server)
{
    const struct exchange *inner = &server->options->part.exchange;
    const struct timespec nap = {.tv_nsec = NAP};
    bool each = server->options->each;
    double began = seconds();
    for (unsigned looks = 0;; looks++) {
        bool own = !server->told && (server->wish.kind || server->left || server->ended);
        bool listens = inner->called && (each || !server->system);
        if (listens && inner->called(inner->context)) {
            return true;
        }
        if (own) {
            if (inner->call && (each || !server->wish.kind)) {
                inner->call(inner->context);
            }
            return true;
        }
        serve_look(server, !listens ? NULL : looks < LOOKS ? &at_once : &nap);
        if (each && server->wish.kind && looks % 1000 == 999 && seconds() - began > server->options->patience) {
            return false;
        }
    }
}

/* Hosts of several processes begin together: all have the same mode and latency. A process whose host ends without
   having opened its chips has them nevertheless. */
static enum bh_status begin_together(struct server *server, bool *done, struct bh_error *error)
{
    while (server->host.socket < 0 && !server->ended) {
        serve_look(server, NULL);
    }
    bool is_there = server->host.socket >= 0;
    const struct host_config *own = &server->config;
    uint64_t wanted = 1 | own->mode << 1 | (uint64_t)own->latency << 2;
    if (own->has_board) {
        return lose(server, error, "the hosts of the ranks have the boards of their system, and can not choose others");
    }
    struct agreement most = {.clock = is_there ? wanted : 0}, least = {.clock = is_there ? ~wanted : 0};
    if (!agree_on(server, &most, error) || !agree_on(server, &least, error)) {
        return BH_ERROR_LOST;
    }
    *done = most.clock == 0;
    if (*done) {
        return BH_OK;
    }
    if (most.clock != ~least.clock) {
        return lose(server, error, "the hosts of the ranks want different modes, or different latencies of links");
    }
    if (!is_there) {
        server->config = (struct host_config){.mode = most.clock >> 1 & 1, .latency = (uint32_t)(most.clock >> 2)};
    }
    return serve_create(server, error);
}

enum bh_status serve(const struct serve_options *options, struct bh_error *error)
{
    struct server server = {.options = options, .host = {.socket = -1}};
    bool done = false;
    server.exchange = (struct exchange){.context = &server, .swap = swap, .agree = agree, .failed = failed};
    enum bh_status status = options->each ? begin_together(&server, &done, error) : BH_OK;
    while (status == BH_OK && !done) {
        if (!wait_for_round(&server)) {
            status = lose(&server, error, "the host of another rank has not let time pass for too long");
        } else {
            status = options->each ? round_of_hosts(&server, &done, error) : round_of_one_host(&server, &done, error);
        }
    }
    connection_close(&server.host);
    bh_system_destroy(server.system);
    free(server.deferred_bytes);
    return status;
}
