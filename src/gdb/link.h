/* The connection to gdb: a socket that listens on 127.0.0.1, one connection at a time, and a thread that raises a flag
   when something comes while the program runs. */
#ifndef BHEMU_GDB_LINK_H
#define BHEMU_GDB_LINK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "gdb/packet.h"

struct link {
    int listener, socket; /* socket -1: not connected */
    unsigned port;
    bool acknowledges; /* packets are acknowledged, until gdb says that they need not be */
    struct packet_reader reader;
    char last[PACKET_SIZE + PACKET_FRAME]; /* what was sent last, in case it has to be sent again */
    size_t last_size;
    /* Bytes that were received and not yet read as packets. */
    uint8_t bytes[4096];
    unsigned first, end;
    /* The thread waits for a byte on the pipe, then for input, and raises the flag. */
    pthread_t watcher;
    bool watches;
    int pipe[2];
    int watched; /* the socket of that connection */
    volatile sig_atomic_t attention;
    const volatile sig_atomic_t *interrupted; /* by the user; may be null */
};

/* Returns what went wrong; null: nothing. */
const char *link_open(struct link *link, unsigned port, const volatile sig_atomic_t *interrupted);
void link_close(struct link *link);

/* Waits for a connection. false: interrupted. */
bool link_accept(struct link *link);
void link_drop(struct link *link);

static inline bool link_connected(const struct link *link)
{
    return link->socket >= 0;
}

/* Whether bytes were received that are not read yet: the watcher does not see them. */
static inline bool link_has_more(const struct link *link)
{
    return link->first < link->end;
}

/* From now on `attention` is set when gdb sends something. */
void link_watch(struct link *link);

/* The next packet or interrupt, which is acknowledged; wait: if none is there. PACKET_NOTHING: none, or the connection
   is gone, or waiting was interrupted. */
enum packet_event link_receive(struct link *link, bool wait);

void link_send(struct link *link, const struct packet_writer *writer, char start);

#endif
