/* Messages between a host and the processes that have the chips which it accesses, over a stream socket: of the same
   version on both sides (struct host_hello). */
#ifndef BHEMU_SYSTEM_MESSAGE_H
#define BHEMU_SYSTEM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu/error.h"
#include "bhemu/system.h"

enum message_kind {
    /* From the host. */
    MESSAGE_HELLO,   /* struct host_hello; the answer is MESSAGE_WELCOME or MESSAGE_REFUSED */
    MESSAGE_CALL,    /* struct remote_call: code is its function; bytes: what is written */
    MESSAGE_RUN,     /* value: cycles, as of bh_system_run() */
    MESSAGE_ADVANCE, /* the same, as of bh_system_advance() */
    MESSAGE_LINK,    /* chip, x: channel; value of the answer: enum bh_link_state */
    MESSAGE_PLUG,    /* chip, x: channel, y: whether the cable is plugged in */
    MESSAGE_EXPLAIN, /* value: of how many tiles */
    MESSAGE_BYE,     /* the host destroys its system; no answer */
    MESSAGE_BYTES,   /* of the host's memory, which MESSAGE_HOST_READ has asked for */
    MESSAGE_END,     /* from who has started the process: there will be no more hosts */
    /* From the process that has the chips. */
    MESSAGE_WELCOME,    /* struct host_welcome */
    MESSAGE_REFUSED,    /* bytes: why, as a text */
    MESSAGE_ANSWER,     /* code: enum bh_status; value; bytes: struct remote_state of the chip, and what was read */
    MESSAGE_PASSED,     /* time has passed: bytes: struct host_passed, and struct remote_state of each chip */
    MESSAGE_LOST,       /* the system can not go on: bytes: why, as a text */
    MESSAGE_DIAGNOSTIC, /* struct bh_diagnostic; value: the system's clock */
    MESSAGE_HOST_READ,  /* address, value: how many bytes; the answer is MESSAGE_BYTES */
    MESSAGE_HOST_WRITE, /* address, bytes; no answer */
    MESSAGE_KINDS
};

struct message {
    uint32_t kind, code, chip, x, y, core;
    uint64_t address, value;
    uint32_t wanted; /* bytes that a call reads */
    uint32_t size;   /* bytes that follow */
};

enum { HOST_VERSION = 32, HOST_ADDRESS = 120, HOST_TOKEN = 20 };

/* What a host wants its system to be: the rest is known where the chips are. */
struct host_hello {
    char version[HOST_VERSION];
    uint32_t size; /* of all structs that go between them, summed up */
    char token[HOST_TOKEN];
    struct host_config {
        uint32_t policy, engine, mode, on_error, threads, latency;
        uint64_t jitter;
        uint8_t verify, reads, writes; /* the host's memory can be read, and written */
        uint8_t has_board;             /* all chips have these tiles: */
        uint16_t board, columns, ethernet, dram;
        uint8_t unused[4];
    } config;
};

struct host_welcome {
    uint32_t rank, ranks; /* of this process, and how many there are */
    uint32_t chips;       /* that this host sees */
    uint32_t alone;       /* 1: this process is the only one that the host speaks to */
    uint32_t patience;    /* seconds, after which a process that does not answer is given up */
    char name[HOST_ADDRESS];
    uint16_t number[BH_SYSTEM_CHIPS]; /* of each chip, in the system */
    uint16_t owner[BH_SYSTEM_CHIPS];  /* of each chip: the rank that has it */
    /* behind it: for each rank its address, HOST_ADDRESS bytes */
};

struct host_passed {
    uint64_t clock, cycles;
    uint64_t riscv_instructions, tensix_instructions;
    uint32_t reason, status;
};

struct host_hello host_hello(const struct bh_system_config *config, const char *address);

/* What is behind the `#` of an address: who does not know it is no host. Empty: there is none. */
void message_token(const char *address, char token[HOST_TOKEN]);

/* One end of a connection, with the bytes of the last message. */
struct connection {
    int socket; /* below 0: there is none */
    uint8_t *bytes;
    size_t room;
};

/* "unix:/path/of/a/socket" or "tcp:name:port", and perhaps "#token". Both return a socket, or -1: *error says why. Of a
   port 0 the real one gets into address[]. */
int message_listen(char address[HOST_ADDRESS], struct bh_error *error);
int message_connect(const char *address, struct bh_error *error);

/* -1: nobody has come. */
int message_accept(int listening);

void connection_close(struct connection *connection);

/* false: the other side is gone. */
bool message_send(const struct connection *connection, const struct message *message, const void *bytes);
bool message_send_text(const struct connection *connection, enum message_kind kind, const char *text);
bool message_receive(struct connection *connection, struct message *message);

#endif
