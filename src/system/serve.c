/* What a host does to the chips of this process, one message after the other. serve_time.c lets time pass. */
#include "system/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/serve_state.h"

enum { FIRST_MESSAGE = 10 }; /* seconds, in which who has come has to say what it wants */

/* The host's memory, and diagnostics. */

static void send_to_host(struct server *server, const struct message *message, const void *bytes)
{
    if (server->host.socket >= 0 && !message_send(&server->host, message, bytes)) {
        server->interrupted = true; /* it is noticed at the next message that is expected of it */
    }
}

static void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct server *server = context;
    const struct message message = {
        .kind = MESSAGE_DIAGNOSTIC, .value = server->system ? server->system->clock : 0, .size = sizeof *diagnostic};
    send_to_host(server, &message, diagnostic);
}

static bool defer(struct server *server, const struct message *message)
{
    server->deferred_bytes = malloc((size_t)message->size + 1);
    if (!server->deferred_bytes || server->has_deferred) {
        return false;
    }
    memcpy(server->deferred_bytes, server->host.bytes, message->size);
    server->deferred = *message;
    server->has_deferred = true;
    return true;
}

/* A host that is gone has memory of all ones, as one whose PCIe link is down. */
static void host_read(void *context, uint64_t address, void *data, uint32_t size)
{
    struct server *server = context;
    const struct message asked = {.kind = MESSAGE_HOST_READ, .address = address, .value = size};
    struct message message;
    memset(data, 0xff, size);
    if (server->host.socket < 0 || server->interrupted) {
        return;
    }
    send_to_host(server, &asked, NULL);
    for (;;) {
        if (!message_receive(&server->host, &message)) {
            server->interrupted = true;
            return;
        }
        if (message.kind == MESSAGE_BYTES) {
            memcpy(data, server->host.bytes, message.size < size ? message.size : size);
            return;
        }
        if (!defer(server, &message)) { /* a host does not ask twice before it has an answer */
            server->interrupted = true;
            return;
        }
    }
}

static void host_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    const struct message message = {.kind = MESSAGE_HOST_WRITE, .address = address, .size = size};
    send_to_host(context, &message, data);
}

/* Hosts come and go. */

static enum bh_status create(struct server *server, const struct host_config *wanted, struct bh_error *error)
{
    struct system_part part = server->options->part;
    const struct bh_system_config config = {.device = {.policy = (enum bh_policy_preset)wanted->policy,
                                                       .on_diagnostic = on_diagnostic,
                                                       .context = server,
                                                       .host_read = wanted->reads ? host_read : NULL,
                                                       .host_write = wanted->writes ? host_write : NULL,
                                                       .verify = wanted->verify,
                                                       .jitter = wanted->jitter,
                                                       .engine = (enum bh_engine)wanted->engine,
                                                       .mode = (enum bh_mode)wanted->mode,
                                                       .interrupted = &server->interrupted,
                                                       .on_error = (enum bh_on_error)wanted->on_error},
                                            .threads = wanted->threads,
                                            .latency = wanted->latency};
    struct bh_topology topology = *server->options->topology;
    const struct bh_tiles tiles = {
        .tensix_columns = wanted->columns, .ethernet = wanted->ethernet, .dram = (uint8_t)wanted->dram};
    struct bh_topology_chip *chips = calloc(topology.chip_count + 1, sizeof *chips);
    enum bh_status status = BH_ERROR_MEMORY;
    (void)snprintf(error->text, sizeof error->text, "there is no memory for the devices");
    if (chips) {
        memcpy(chips, topology.chips, topology.chip_count * sizeof *chips);
        topology.chips = chips;
        if (wanted->has_board) {
            bh_topology_set_board(&topology, (enum bh_board)wanted->board, &tiles);
        }
        part.exchange = server->exchange;
        status = system_create(&topology, &config, &part, &server->system, error);
        if (status == BH_OK) {
            server->system->served = true;
        }
    }
    free(chips);
    return status;
}

static void refuse(const struct connection *who, const char *why)
{
    (void)message_send_text(who, MESSAGE_REFUSED, why);
}

static void welcome(struct server *server)
{
    const struct serve_options *options = server->options;
    unsigned ranks = options->part.ranks;
    size_t size = sizeof(struct host_welcome) + (size_t)ranks * HOST_ADDRESS;
    struct host_welcome *welcome = calloc(1, size);
    if (!welcome) {
        refuse(&server->host, "there is no memory");
        connection_close(&server->host);
        return;
    }
    *welcome = (struct host_welcome){
        .rank = options->part.rank, .ranks = ranks, .alone = options->each, .patience = options->patience};
    for (unsigned i = 0; i < options->topology->chip_count; i++) {
        if (!options->each || options->part.owner[i] == options->part.rank) {
            welcome->number[welcome->chips] = (uint16_t)i;
            welcome->owner[welcome->chips++] = options->part.owner[i];
        }
    }
    memcpy(welcome + 1, options->addresses, (size_t)ranks * HOST_ADDRESS);
    const struct message message = {.kind = MESSAGE_WELCOME, .size = (uint32_t)size};
    send_to_host(server, &message, welcome);
    free(welcome);
}

/* A host of another version, or one that wants what can not be: null if it can be. */
static const char *what_is_wrong(const struct server *server, const struct message *message, const uint8_t *bytes)
{
    struct host_hello hello;
    char own[HOST_TOKEN];
    const struct host_hello expected = host_hello(&(struct bh_system_config){0}, "");
    if (message->kind != MESSAGE_HELLO || message->size != sizeof hello) {
        return "this is no host of the same version of bhemu";
    }
    memcpy(&hello, bytes, sizeof hello);
    message_token(server->options->addresses + (size_t)server->options->part.rank * HOST_ADDRESS, own);
    if (strncmp(hello.token, own, sizeof own) != 0) {
        return "this is another address than that of BHEMU_NODES";
    }
    if (strncmp(hello.version, expected.version, sizeof hello.version) != 0 || hello.size != expected.size) {
        return "the host is of another version of bhemu";
    }
    if (server->host.socket >= 0) {
        return "another host has these chips";
    }
    if (server->system && memcmp(&hello.config, &server->config, sizeof hello.config) != 0) {
        return "the chips were opened with another mode, policy, latency or number of threads before";
    }
    return NULL;
}

/* Of chips that stay while hosts come and go. */
static void reset_chips(struct server *server)
{
    for (unsigned i = 0; i < server->system->own; i++) {
        (void)bh_device_reset(server->system->chip[i].device);
    }
}

static void show_host(const struct server *server)
{
    if (server->options->host) {
        *server->options->host = server->host.socket;
    }
}

static void take_host(struct server *server, struct connection *who, const struct message *message)
{
    const char *wrong = what_is_wrong(server, message, who->bytes);
    struct bh_error error;
    struct host_hello hello;
    if (wrong) {
        refuse(who, wrong);
        return;
    }
    memcpy(&hello, who->bytes, sizeof hello);
    server->config = hello.config;
    if (server->system) {
        reset_chips(server);
    } else if (!server->options->each && create(server, &hello.config, &error) != BH_OK) {
        refuse(who, error.text);
        return;
    }
    server->host = *who;
    *who = (struct connection){.socket = -1};
    show_host(server);
    server->interrupted = false;
    server->left = server->told = false;
    if (server->system) {
        welcome(server);
    } /* else the others have to come first: serve_begin_together() */
}

void serve_part_from_host(struct server *server)
{
    connection_close(&server->host);
    show_host(server);
    server->wish = (struct wish){0};
    free(server->deferred_bytes);
    server->deferred_bytes = NULL;
    server->has_deferred = false;
    server->interrupted = false;
    server->left = true;
    server->ended |= server->options->once;
    server->told = false;
}

static void take_new(struct server *server)
{
    const struct timeval patience = {.tv_sec = FIRST_MESSAGE};
    const struct timeval none = {0};
    struct connection who = {.socket = message_accept(server->options->listening)};
    struct message message;
    if (who.socket < 0) {
        return;
    }
    (void)setsockopt(who.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (message_receive(&who, &message)) {
        (void)setsockopt(who.socket, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
        if (message.kind == MESSAGE_END) {
            server->ended = true;
            server->told = false;
        } else {
            take_host(server, &who, &message);
        }
    }
    connection_close(&who);
}

/* Calls. */

static void answer_call(struct server *server, const struct message *message, const uint8_t *bytes)
{
    struct bh_device *device = bh_system_chip(server->system, message->chip);
    struct remote_state state = {0};
    struct message answer = {.kind = MESSAGE_ANSWER, .code = BH_ERROR_MEMORY};
    size_t size = sizeof state + (size_t)message->wanted;
    uint8_t *out = malloc(size > sizeof state + 8 ? size : sizeof state + 8);
    const struct remote_call call = {.function = (enum remote_function)message->code,
                                     .x = message->x,
                                     .y = message->y,
                                     .core = message->core,
                                     .address = message->address,
                                     .value = (uint32_t)message->value,
                                     .size = message->wanted ? message->wanted : message->size,
                                     .data = out ? out + sizeof state : NULL,
                                     .bytes = bytes};
    if (out) {
        memset(out, 0, size);
        answer.code = device ? device_answer(device, &call) : BH_ERROR_ARGUMENT;
        state = device ? device_remote_state(device) : state;
        memcpy(out, &state, sizeof state);
        answer.size = (uint32_t)size;
    }
    send_to_host(server, &answer, out);
    free(out);
}

static void take_wish(struct server *server, const struct message *message)
{
    uint64_t clock = bh_system_clock(server->system), most = UINT64_MAX / 4 - clock;
    server->wish = (struct wish){.kind = (enum message_kind)message->kind,
                                 .begins = clock,
                                 .until = clock + (message->value < most ? message->value : most)};
    server->told = false;
}

static void take_call(struct server *server, const struct message *message, const uint8_t *bytes)
{
    const struct bh_link_end end = {.chip = message->chip, .channel = message->x};
    struct message answer = {.kind = MESSAGE_ANSWER, .code = BH_OK};
    switch (message->kind) {
    case MESSAGE_CALL: answer_call(server, message, bytes); return;
    case MESSAGE_RUN:
    case MESSAGE_ADVANCE: take_wish(server, message); return;
    case MESSAGE_LINK: answer.value = bh_system_link(server->system, end); break;
    case MESSAGE_PLUG: answer.code = bh_system_plug(server->system, end, message->y != 0); break;
    case MESSAGE_EXPLAIN: system_explain(server->system, (unsigned)message->value); break;
    default: serve_part_from_host(server); return; /* MESSAGE_BYE, and what a host does not say */
    }
    send_to_host(server, &answer, NULL);
}

static void take_deferred(struct server *server)
{
    struct message message = server->deferred;
    uint8_t *bytes = server->deferred_bytes;
    server->has_deferred = false;
    server->deferred_bytes = NULL;
    take_call(server, &message, bytes);
    free(bytes);
}

void serve_look(struct server *server, const struct timespec *wait)
{
    struct pollfd looks[] = {{.fd = server->host.socket, .events = POLLIN},
                             {.fd = server->options->listening, .events = POLLIN}};
    struct message message;
    if (server->has_deferred) {
        take_deferred(server);
        return;
    }
    if (ppoll(looks, 2, wait, NULL) <= 0) {
        return;
    }
    if (looks[0].revents) {
        if (!message_receive(&server->host, &message)) {
            serve_part_from_host(server);
        } else {
            take_call(server, &message, server->host.bytes);
        }
    } else {
        take_new(server);
    }
}

bool serve_host_is_there(const struct server *server)
{
    char byte;
    ssize_t got = server->host.socket >= 0 ? recv(server->host.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) : 0;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void serve_passed(struct server *server, const struct bh_run_result *result, enum bh_status status)
{
    struct bh_system *system = server->system;
    struct host_passed passed = {.clock = system->clock,
                                 .cycles = result->cycles,
                                 .riscv_instructions = result->riscv_instructions,
                                 .tensix_instructions = result->tensix_instructions,
                                 .reason = result->reason,
                                 .status = status};
    size_t size = sizeof passed + system->own * sizeof(struct remote_state);
    uint8_t *out = malloc(size);
    const struct message message = {.kind = MESSAGE_PASSED, .size = (uint32_t)size};
    server->wish = (struct wish){0};
    if (!out) {
        (void)message_send_text(&server->host, MESSAGE_LOST, "there is no memory");
        return;
    }
    memcpy(out, &passed, sizeof passed);
    for (unsigned i = 0; i < system->own; i++) {
        struct remote_state state = device_remote_state(system->chip[i].device);
        memcpy(out + sizeof passed + i * sizeof state, &state, sizeof state);
    }
    send_to_host(server, &message, out);
    free(out);
}

bool serve_end(const char *address)
{
    struct bh_error error;
    const struct message end = {.kind = MESSAGE_END};
    struct connection process = {.socket = message_connect(address, &error)};
    bool sent = process.socket >= 0 && message_send(&process, &end, NULL);
    connection_close(&process);
    return sent;
}

enum bh_status serve_create(struct server *server, struct bh_error *error)
{
    enum bh_status status = create(server, &server->config, error);
    if (status == BH_OK && server->host.socket >= 0) {
        welcome(server);
    }
    return status;
}
