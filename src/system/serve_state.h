/* What the files behind system/serve.h share. */
#ifndef BHEMU_SYSTEM_SERVE_STATE_H
#define BHEMU_SYSTEM_SERVE_STATE_H

#include <signal.h>
#include <time.h>

#include "chip/remote.h"
#include "system/message.h"
#include "system/serve.h"
#include "system/state.h"

/* What the host has asked for, which needs the other processes. */
struct wish {
    enum message_kind kind; /* MESSAGE_RUN, MESSAGE_ADVANCE; 0: none */
    uint64_t begins, until; /* clocks of the system */
};

struct server {
    const struct serve_options *options;
    struct exchange exchange; /* that of the options, with a look at whether the host is there */
    struct bh_system *system; /* null: no host has come yet, or, where one host sees all chips, is there */
    struct connection host;   /* socket below 0: none is there */
    struct host_config config;
    struct wish wish;
    bool left;  /* the host is gone: the others are to know */
    bool ended; /* no more hosts will come */
    bool told;  /* the others know all of this, and it has not come to anything yet */
    /* A message that has come while the host's memory was asked for. */
    struct message deferred;
    uint8_t *deferred_bytes;
    bool has_deferred;
    volatile sig_atomic_t interrupted; /* the host is gone while time passes */
    unsigned looks;                    /* since somebody looked whether it is */
};

/* serve.c */

/* The devices, with server->config; the host that is there is welcomed. */
enum bh_status serve_create(struct server *server, struct bh_error *error);

/* Takes what a host sends, if there is something: a host that comes, a call, a wish. wait: how long to wait for it;
   null: without end. */
void serve_look(struct server *server, const struct timespec *wait);

/* Answers the wish. */
void serve_passed(struct server *server, const struct bh_run_result *result, enum bh_status status);

/* The host has gone, or is to go. */
void serve_part_from_host(struct server *server);

/* Whether the host is still there, without taking what it sends. */
bool serve_host_is_there(const struct server *server);

#endif
