#include "system/nodes.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip/remote.h"
#include "system/message.h"
#include "system/state.h"

/* A process. */
struct node {
    struct connection connection;
    uint32_t rank;
    bool passed; /* its answer has come: time has passed */
    char name[HOST_ADDRESS];
};

struct node_chip {
    struct nodes *nodes;
    struct device_remote remote;
    struct bh_device *device;
    struct node *node;
    uint16_t number; /* in the system */
};

/* A diagnostic that came while time passed, and the clock of the system then. */
struct heard {
    uint64_t clock;
    unsigned order;
    struct bh_diagnostic diagnostic;
};

struct nodes {
    struct bh_system *system;
    struct node *node;
    struct pollfd *looks; /* of each */
    unsigned count;
    struct node_chip *chip;
    unsigned chips;
    unsigned patience; /* seconds */
    pid_t process;     /* that has connected: a child that it forks is another host, and has no chips */
    struct heard *heard;
    unsigned heard_count, heard_room;
    bool time_passes; /* diagnostics wait until all processes have told theirs */
    char failed[400];
};

/* Losing them. */

static bool lose(struct nodes *nodes, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool lose(struct nodes *nodes, const char *format, ...)
{
    va_list arguments;
    if (!nodes->failed[0]) {
        va_start(arguments, format);
        vsnprintf(nodes->failed, sizeof nodes->failed, format, arguments);
        va_end(arguments);
    }
    nodes->system->lost = true;
    for (unsigned i = 0; i < nodes->count; i++) { /* they end, or wait for another host */
        connection_close(&nodes->node[i].connection);
    }
    return false;
}

/* "rank 2 (chips 4 to 7)" */
static const char *name_of(const struct nodes *nodes, const struct node *node, char text[SYSTEM_PART_NAME])
{
    unsigned first = 0, last;
    while (first < nodes->chips && nodes->chip[first].node != node) {
        first++;
    }
    for (last = first; last + 1 < nodes->chips && nodes->chip[last + 1].node == node; last++) {
    }
    if (first == nodes->chips) {
        (void)snprintf(text, SYSTEM_PART_NAME, "rank %u", node->rank);
    } else {
        unsigned one = nodes->chip[first].number, other = nodes->chip[last].number;
        (void)snprintf(text, SYSTEM_PART_NAME, one == other ? "rank %u (chip %u)" : "rank %u (chips %u to %u)",
                       node->rank, one, other);
    }
    return text;
}

static bool lose_node(struct nodes *nodes, const struct node *node, const char *what)
{
    char name[SYSTEM_PART_NAME];
    return lose(nodes, "%s %s at cycle %llu", name_of(nodes, node, name), what,
                (unsigned long long)nodes->system->clock);
}

/* What comes from them beside answers. */

static bool hear(struct nodes *nodes, const struct node *node, uint64_t clock)
{
    const struct bh_diagnostic *diagnostic = (const void *)node->connection.bytes;
    if (!nodes->time_passes) {
        system_hand_on(nodes->system, diagnostic);
        return true;
    }
    if (nodes->heard_count == nodes->heard_room) {
        unsigned room = nodes->heard_room ? 2 * nodes->heard_room : 4;
        struct heard *more = realloc(nodes->heard, room * sizeof *more);
        if (!more) {
            return lose(nodes, "the host has no memory for diagnostics");
        }
        nodes->heard = more;
        nodes->heard_room = room;
    }
    struct heard *one = &nodes->heard[nodes->heard_count];
    *one = (struct heard){.clock = clock, .order = nodes->heard_count++};
    memcpy(&one->diagnostic, diagnostic, sizeof one->diagnostic);
    return true;
}

static bool is_report(const struct heard *heard)
{
    return heard->diagnostic.category == BH_DEADLOCK;
}

/* As one process tells them: in the order of epochs, in each in that of chips, and reports of hangs behind others. */
static int compare_heard(const void *one, const void *other)
{
    const struct heard *a = one, *b = other;
    return a->clock != b->clock                       ? (a->clock > b->clock) - (a->clock < b->clock)
           : is_report(a) != is_report(b)             ? is_report(a) - is_report(b)
           : a->diagnostic.chip != b->diagnostic.chip ? (int)a->diagnostic.chip - (int)b->diagnostic.chip
                                                      : (a->order > b->order) - (a->order < b->order);
}

static void tell(struct nodes *nodes)
{
    unsigned count = nodes->heard_count;
    if (count) {
        qsort(nodes->heard, count, sizeof *nodes->heard, compare_heard);
    }
    nodes->heard_count = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct heard *heard = &nodes->heard[i];
        if (is_report(heard) && !nodes->system->gathered) {
            system_gather(nodes->system);
        }
        system_hand_on(nodes->system, &heard->diagnostic);
        if (is_report(heard) && (i + 1 == count || !is_report(&heard[1]) || heard[1].clock != heard->clock)) {
            system_tell_gathered(nodes->system);
        }
    }
}

static bool give_memory(struct nodes *nodes, struct node *node, const struct message *asked)
{
    const struct bh_device_config *config = &nodes->system->config.device;
    const struct message message = {.kind = MESSAGE_BYTES, .size = (uint32_t)asked->value};
    uint8_t *bytes = calloc(1, asked->value + 1);
    if (!bytes) {
        return lose(nodes, "the host has no memory for what a chip reads of it");
    }
    if (config->host_read) {
        config->host_read(config->context, asked->address, bytes, message.size);
    }
    bool sent = message_send(&node->connection, &message, bytes);
    free(bytes);
    return sent || lose_node(nodes, node, "has ended");
}

/* The next message of a process, unless it is done with here. *answer: it is not. false: the process is lost. */
static bool take_message(struct nodes *nodes, struct node *node, struct message *message, bool *answer)
{
    const struct bh_device_config *config = &nodes->system->config.device;
    char name[SYSTEM_PART_NAME];
    *answer = false;
    if (!message_receive(&node->connection, message)) {
        return lose_node(nodes, node, "has ended");
    }
    switch (message->kind) {
    case MESSAGE_DIAGNOSTIC: return hear(nodes, node, message->value);
    case MESSAGE_HOST_READ: return give_memory(nodes, node, message);
    case MESSAGE_HOST_WRITE:
        if (config->host_write) {
            config->host_write(config->context, message->address, node->connection.bytes, message->size);
        }
        return true;
    case MESSAGE_LOST:
        return lose(nodes, "%s: %.300s", name_of(nodes, node, name), (const char *)node->connection.bytes);
    default: *answer = true; return true;
    }
}

/* Until one of those that have not passed sends something; false: none does. */
static bool wait_for_any(struct nodes *nodes)
{
    for (unsigned i = 0; i < nodes->count; i++) {
        bool waits = !nodes->node[i].passed;
        nodes->looks[i] = (struct pollfd){.fd = waits ? nodes->node[i].connection.socket : -1, .events = POLLIN};
    }
    int ready = poll(nodes->looks, nodes->count, (int)nodes->patience * 1000);
    for (unsigned i = 0; ready == 0 && i < nodes->count; i++) {
        if (!nodes->node[i].passed) {
            char what[60];
            (void)snprintf(what, sizeof what, "has not answered for %u s", nodes->patience);
            return lose_node(nodes, &nodes->node[i], what);
        }
    }
    return true;
}

static bool is_usable(struct nodes *nodes)
{
    if (!nodes->system->lost && nodes->process != getpid()) {
        return lose(nodes, "a forked process has no chips in other processes: it has to connect to them by itself");
    }
    return !nodes->system->lost;
}

/* Sends one process something, and waits for its answer. */
static bool ask(struct nodes *nodes, struct node *node, const struct message *message, const void *bytes,
                struct message *answer)
{
    bool is_answer = false;
    if (!is_usable(nodes)) {
        return false;
    }
    if (!message_send(&node->connection, message, bytes)) {
        return lose_node(nodes, node, "has ended");
    }
    for (unsigned i = 0; i < nodes->count; i++) {
        nodes->node[i].passed = &nodes->node[i] != node;
    }
    while (!is_answer) {
        if (!wait_for_any(nodes) || !take_message(nodes, node, answer, &is_answer)) {
            return false;
        }
    }
    return true;
}

/* Chips. */

static enum bh_status call(void *context, const struct remote_call *call)
{
    struct node_chip *chip = context;
    const struct message message = {.kind = MESSAGE_CALL,
                                    .code = call->function,
                                    .chip = chip->number,
                                    .x = call->x,
                                    .y = call->y,
                                    .core = call->core,
                                    .address = call->address,
                                    .value = call->value,
                                    .wanted = call->data ? call->size : 0,
                                    .size = call->bytes ? call->size : 0};
    struct message answer;
    struct remote_state state;
    const uint8_t *bytes;
    if (!ask(chip->nodes, chip->node, &message, call->bytes, &answer)) {
        return BH_ERROR_LOST;
    }
    if (answer.kind != MESSAGE_ANSWER || answer.size != sizeof state + message.wanted) {
        (void)lose_node(chip->nodes, chip->node, "answers something else");
        return BH_ERROR_LOST;
    }
    bytes = chip->node->connection.bytes;
    memcpy(&state, bytes, sizeof state);
    device_take_remote_state(chip->device, &state);
    bool ones = answer.code == BH_ERROR_ADDRESS && device_goes_on(chip->device); /* come where a read is refused */
    if (message.wanted && (answer.code == BH_OK || ones)) {
        memcpy(call->data, bytes + sizeof state, message.wanted);
    }
    return (enum bh_status)answer.code;
}

struct bh_device *nodes_chip(struct nodes *nodes, unsigned chip)
{
    return chip < nodes->chips ? nodes->chip[chip].device : NULL;
}

/* Links. A process knows the ends that its chips have. */

enum bh_link_state nodes_link(struct nodes *nodes, struct bh_link_end end)
{
    const struct message message = {.kind = MESSAGE_LINK, .chip = end.chip, .x = end.channel};
    struct message answer;
    for (unsigned i = 0; i < nodes->count && ask(nodes, &nodes->node[i], &message, NULL, &answer); i++) {
        if (answer.value != BH_LINK_NONE) {
            return (enum bh_link_state)answer.value;
        }
    }
    return BH_LINK_NONE;
}

enum bh_status nodes_plug(struct nodes *nodes, struct bh_link_end end, bool in)
{
    const struct message message = {.kind = MESSAGE_PLUG, .chip = end.chip, .x = end.channel, .y = in};
    struct message answer;
    bool any = false;
    for (unsigned i = 0; i < nodes->count; i++) {
        if (!ask(nodes, &nodes->node[i], &message, NULL, &answer)) {
            return BH_ERROR_LOST;
        }
        any |= answer.code == BH_OK;
    }
    return any ? BH_OK : BH_ERROR_ARGUMENT;
}

void nodes_explain(struct nodes *nodes, unsigned limit)
{
    const struct message message = {.kind = MESSAGE_EXPLAIN, .value = limit};
    struct message answer;
    for (unsigned i = 0; i < nodes->count && ask(nodes, &nodes->node[i], &message, NULL, &answer); i++) {
    }
}

/* Time. */

static bool take_passed(struct nodes *nodes, struct node *node, const struct message *message,
                        struct host_passed *passed)
{
    const uint8_t *bytes = node->connection.bytes, *end = bytes + message->size;
    struct host_passed one;
    bool fits = message->kind == MESSAGE_PASSED && message->size >= sizeof one;
    if (fits) {
        memcpy(&one, bytes, sizeof one);
        bytes += sizeof one;
    }
    for (unsigned i = 0; i < nodes->chips && fits; i++) {
        struct remote_state state;
        if (nodes->chip[i].node == node) {
            fits = (size_t)(end - bytes) >= sizeof state;
            if (fits) {
                memcpy(&state, bytes, sizeof state);
                bytes += sizeof state;
                device_take_remote_state(nodes->chip[i].device, &state);
            }
        }
    }
    if (!fits) {
        return lose_node(nodes, node, "answers something else");
    }
    one.riscv_instructions += passed->riscv_instructions;
    one.tensix_instructions += passed->tensix_instructions;
    *passed = one;
    node->passed = true;
    return true;
}

/* All processes let time pass. */
static bool let_pass(struct nodes *nodes, enum message_kind kind, uint64_t cycles, struct host_passed *passed)
{
    const struct message message = {.kind = kind, .value = cycles};
    unsigned left = nodes->count;
    *passed = (struct host_passed){.reason = BH_RAN_STOPPED, .status = BH_ERROR_LOST};
    if (!is_usable(nodes)) {
        return false;
    }
    for (unsigned i = 0; i < nodes->count; i++) {
        nodes->node[i].passed = false;
        if (!message_send(&nodes->node[i].connection, &message, NULL)) {
            return lose_node(nodes, &nodes->node[i], "has ended");
        }
    }
    while (left) {
        if (!wait_for_any(nodes)) {
            return false;
        }
        for (unsigned i = 0; i < nodes->count; i++) {
            struct message answer;
            bool is_answer;
            if (!nodes->looks[i].revents) {
                continue;
            }
            if (!take_message(nodes, &nodes->node[i], &answer, &is_answer) ||
                (is_answer && !take_passed(nodes, &nodes->node[i], &answer, passed))) {
                return false;
            }
            left -= is_answer;
        }
    }
    nodes->system->clock = passed->clock;
    return true;
}

static bool pass(struct nodes *nodes, enum message_kind kind, uint64_t cycles, struct host_passed *passed)
{
    nodes->time_passes = true;
    bool done = let_pass(nodes, kind, cycles, passed);
    nodes->time_passes = false;
    tell(nodes);
    if (!done) {
        *passed = (struct host_passed){.reason = BH_RAN_STOPPED, .status = BH_ERROR_LOST};
    }
    return done;
}

enum bh_status nodes_run(struct nodes *nodes, uint64_t cycles, struct bh_run_result *result)
{
    struct host_passed passed;
    (void)pass(nodes, MESSAGE_RUN, cycles, &passed);
    if (result) {
        *result = (struct bh_run_result){.reason = (enum bh_run_reason)passed.reason,
                                         .cycles = passed.cycles,
                                         .riscv_instructions = passed.riscv_instructions,
                                         .tensix_instructions = passed.tensix_instructions};
    }
    return (enum bh_status)passed.status;
}

enum bh_run_reason nodes_advance(struct nodes *nodes, uint64_t cycles)
{
    struct host_passed passed;
    (void)pass(nodes, MESSAGE_ADVANCE, cycles, &passed);
    return (enum bh_run_reason)passed.reason;
}

/* Connecting. */

static enum bh_status refuse(struct bh_error *error, enum bh_status status, const char *address, const char *why)
{
    (void)snprintf(error->text, sizeof error->text, "%.120s: %.500s", address, why);
    return status;
}

static enum bh_status greet(struct node *node, const struct bh_system_config *config, struct host_welcome *welcome,
                            struct bh_error *error)
{
    const struct host_hello hello = host_hello(config, node->name);
    const struct message message = {.kind = MESSAGE_HELLO, .size = sizeof hello};
    struct message answer;
    node->connection.socket = message_connect(node->name, error);
    if (node->connection.socket < 0) {
        return BH_ERROR_IO;
    }
    if (!message_send(&node->connection, &message, &hello) || !message_receive(&node->connection, &answer)) {
        return refuse(error, BH_ERROR_IO, node->name, "the process has ended");
    }
    if (answer.kind != MESSAGE_WELCOME || answer.size < sizeof *welcome) {
        return refuse(error, BH_ERROR_ARGUMENT, node->name,
                      answer.kind == MESSAGE_REFUSED ? (const char *)node->connection.bytes
                                                     : "another program has answered");
    }
    memcpy(welcome, node->connection.bytes, sizeof *welcome);
    node->rank = welcome->rank;
    return BH_OK;
}

static struct node *node_of_rank(struct nodes *nodes, uint32_t rank)
{
    unsigned i = 0;
    while (i < nodes->count && nodes->node[i].rank != rank) {
        i++;
    }
    return i < nodes->count ? &nodes->node[i] : NULL;
}

static enum bh_status add_chips(struct nodes *nodes, const struct host_welcome *welcome, struct bh_error *error)
{
    nodes->chips = welcome->chips;
    nodes->chip = calloc(nodes->chips + 1, sizeof *nodes->chip);
    for (unsigned i = 0; nodes->chip && i < nodes->chips; i++) {
        struct node_chip *chip = &nodes->chip[i];
        chip->nodes = nodes;
        chip->number = welcome->number[i];
        chip->node = node_of_rank(nodes, welcome->owner[i]);
        chip->remote = (struct device_remote){chip, call};
        chip->device = device_create_remote(&chip->remote, &nodes->system->config.device);
        if (!chip->device || !chip->node) {
            return refuse(error, BH_ERROR_MEMORY, nodes->node[0].name, "there is no memory for the devices");
        }
        pcie_config_reset(&chip->device->pcie.config);
        pcie_config_move(&chip->device->pcie.config, chip->number);
    }
    return nodes->chip ? BH_OK : refuse(error, BH_ERROR_MEMORY, nodes->node[0].name, "there is no memory");
}

/* Opens the connections to all others, once the first one has told which there are. */
static enum bh_status connect_all(struct nodes *nodes, const char *address, struct bh_error *error)
{
    const struct bh_system_config *config = &nodes->system->config;
    struct node first = {.connection = {.socket = -1}};
    struct host_welcome *welcome = malloc(sizeof *welcome), other;
    (void)snprintf(first.name, sizeof first.name, "%s", address);
    enum bh_status status =
        welcome ? greet(&first, config, welcome, error) : refuse(error, BH_ERROR_MEMORY, address, "there is no memory");
    if (status == BH_OK) {
        nodes->patience = welcome->patience;
        nodes->count = welcome->alone ? 1 : welcome->ranks;
        nodes->node = calloc(nodes->count, sizeof *nodes->node);
        nodes->looks = calloc(nodes->count, sizeof *nodes->looks);
        status = nodes->node && nodes->looks ? BH_OK : refuse(error, BH_ERROR_MEMORY, address, "there is no memory");
    }
    for (unsigned i = 0; status == BH_OK && i < nodes->count; i++) {
        struct node *node = &nodes->node[i];
        *node = (struct node){.connection = {.socket = -1}};
        memcpy(node->name, first.connection.bytes + sizeof *welcome + (size_t)i * HOST_ADDRESS, HOST_ADDRESS);
    }
    for (unsigned i = 0; status == BH_OK && i < nodes->count; i++) {
        struct node *node = &nodes->node[i];
        if (welcome->alone || i == welcome->rank) {
            *node = first;
            first.connection = (struct connection){.socket = -1};
        } else {
            status = greet(node, config, &other, error);
        }
    }
    if (status == BH_OK) {
        status = add_chips(nodes, welcome, error);
    }
    connection_close(&first.connection);
    free(welcome);
    return status;
}

enum bh_status bh_system_connect(const char *address, const struct bh_system_config *config, struct bh_system **system,
                                 struct bh_error *error)
{
    struct bh_error ignored;
    error = error ? error : &ignored;
    address = address ? address : getenv("BHEMU_NODES");
    if (!system || !address) {
        return refuse(error, BH_ERROR_ARGUMENT, "no system", "there is no address, and BHEMU_NODES is not set");
    }
    struct bh_system *created = *system = calloc(1, sizeof *created);
    struct nodes *nodes = calloc(1, sizeof *nodes);
    if (!created || !nodes) {
        free(created);
        free(nodes);
        *system = NULL;
        return refuse(error, BH_ERROR_MEMORY, address, "there is no memory");
    }
    pthread_mutex_init(&created->host, NULL);
    created->config = config ? *config : (struct bh_system_config){0};
    created->nodes = nodes;
    nodes->system = created;
    nodes->process = getpid();
    enum bh_status status = connect_all(nodes, address, error);
    created->count = nodes->chips;
    if (status != BH_OK) {
        bh_system_destroy(created);
        *system = NULL;
    }
    return status;
}

void nodes_destroy(struct nodes *nodes)
{
    const struct message bye = {.kind = MESSAGE_BYE};
    for (unsigned i = 0; nodes && i < nodes->count && nodes->node; i++) {
        if (nodes->node[i].connection.socket >= 0 && nodes->process == getpid()) {
            (void)message_send(&nodes->node[i].connection, &bye, NULL);
        }
        connection_close(&nodes->node[i].connection);
    }
    for (unsigned i = 0; nodes && nodes->chip && i < nodes->chips; i++) {
        device_destroy_remote(nodes->chip[i].device);
    }
    if (nodes) {
        free(nodes->chip);
        free(nodes->node);
        free(nodes->looks);
        free(nodes->heard);
        free(nodes);
    }
}

const char *nodes_failed(const struct nodes *nodes)
{
    return nodes->failed;
}
