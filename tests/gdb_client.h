/* A client of the gdb server: packets over a connection of the test's own, to a device that another thread runs. */
#ifndef BHEMU_TESTS_GDB_CLIENT_H
#define BHEMU_TESTS_GDB_CLIENT_H

#include "bhemu/gdb.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CYCLES = 100000000, ANSWER = 1 << 15 };

struct session {
    struct bh_device *device;
    struct bh_gdb *gdb;
    pthread_t server;
    struct bh_run_result result;
    int socket;
    char answer[ANSWER];
};

static inline void *serve(void *context)
{
    struct session *session = context;
    (void)bh_gdb_run(session->gdb, CYCLES, &session->result);
    bh_gdb_detach(session->gdb, 0);
    return NULL;
}

/* Of the tile (1,2); `core`: only this one, null: all. */
static inline void begin_session(struct session *session, struct bh_device *device, const char *core)
{
    const struct bh_tile tile = {1, 2};
    const struct bh_gdb_options options = {.tiles = &tile, .tile_count = 1, .cores = &core, .core_count = core != NULL};
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct bh_error error;
    *session = (struct session){.device = device};
    assert_int_equal(bh_gdb_open(&options, &session->gdb, &error), BH_OK);
    assert_int_equal(bh_gdb_attach(session->gdb, session->device, &error), BH_OK);
    assert_int_equal(pthread_create(&session->server, NULL, serve, session), 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)bh_gdb_port(session->gdb));
    session->socket = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(session->socket, (struct sockaddr *)&address, sizeof address), 0);
}

/* Waits for the end of the run; the device stays. */
static inline void leave_session(struct session *session)
{
    pthread_join(session->server, NULL);
    close(session->socket);
    bh_gdb_close(session->gdb);
}

static inline void put(struct session *session, const char *payload)
{
    char frame[ANSWER + 8];
    unsigned char sum = 0;
    for (const char *c = payload; *c; c++) {
        sum += (unsigned char)*c;
    }
    int size = snprintf(frame, sizeof frame, "$%s#%02x", payload, sum);
    assert_int_equal(send(session->socket, frame, (size_t)size, MSG_NOSIGNAL), size);
}

static inline char get(struct session *session)
{
    char byte = 0;
    return recv(session->socket, &byte, 1, 0) == 1 ? byte : 0;
}

/* The payload of the next packet; the server's acknowledgements are skipped. */
static inline const char *receive(struct session *session)
{
    size_t size = 0;
    char byte;
    while ((byte = get(session)) && byte != '$') {
    }
    while ((byte = get(session)) && byte != '#' && size + 1 < ANSWER) {
        session->answer[size++] = byte;
    }
    session->answer[size] = 0;
    (void)get(session);
    (void)get(session);
    return session->answer;
}

static inline const char *ask(struct session *session, const char *payload)
{
    put(session, payload);
    return receive(session);
}

#endif
