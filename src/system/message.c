#include "system/message.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "chip/remote.h"

enum { WAITING = 64 };

void message_token(const char *address, char token[HOST_TOKEN])
{
    const char *mark = strchr(address, '#');
    (void)snprintf(token, HOST_TOKEN, "%s", mark ? mark + 1 : "");
}

struct host_hello host_hello(const struct bh_system_config *config, const char *address)
{
    const struct bh_device_config *device = &config->device;
    struct host_hello hello = {.version = BHEMU_VERSION,
                               .size = sizeof(struct message) + sizeof(struct host_welcome) +
                                       sizeof(struct host_passed) + sizeof(struct remote_state) +
                                       sizeof(struct bh_diagnostic) + REMOTE_FUNCTIONS + MESSAGE_KINDS,
                               .config = {.policy = device->policy,
                                          .engine = device->engine,
                                          .mode = device->mode,
                                          .on_error = device->on_error,
                                          .threads = config->threads,
                                          .latency = config->latency,
                                          .jitter = device->jitter,
                                          .verify = device->verify,
                                          .reads = device->host_read != NULL,
                                          .writes = device->host_write != NULL}};
    if (device->tiles) {
        hello.config.has_board = true;
        hello.config.board = (uint16_t)device->board;
        hello.config.columns = device->tiles->tensix_columns;
        hello.config.ethernet = device->tiles->ethernet;
        hello.config.dram = device->tiles->dram;
    }
    message_token(address, hello.token);
    return hello;
}

/* Sockets. */

static int fail_at(struct bh_error *error, const char *address, const char *what)
{
    (void)snprintf(error->text, sizeof error->text, "%.100s: %s", address, what);
    return -1;
}

/* One socket, bound or connected. */
static int open_at(int family, const struct sockaddr *at, socklen_t size, bool listens)
{
    int one = 1, opened = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (opened < 0) {
        return -1;
    }
    if (family != AF_UNIX) {
        (void)setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    if (listens ? bind(opened, at, size) != 0 || listen(opened, WAITING) != 0 : connect(opened, at, size) != 0) {
        int why = errno;
        close(opened);
        errno = why;
        return -1;
    }
    return opened;
}

static int open_unix(const char *address, const char *path, bool listens, struct bh_error *error)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof at.sun_path) {
        return fail_at(error, address, "the path is too long for a socket");
    }
    memcpy(at.sun_path, path, strlen(path) + 1);
    int opened = open_at(AF_UNIX, (const struct sockaddr *)&at, sizeof at, listens);
    return opened >= 0 ? opened : fail_at(error, address, strerror(errno));
}

static int open_tcp(const char *address, const char *place, bool listens, struct bh_error *error)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = listens ? AI_PASSIVE : 0};
    char name[HOST_ADDRESS];
    (void)snprintf(name, sizeof name, "%s", place);
    char *port = strrchr(name, ':');
    struct addrinfo *list;
    if (!port) {
        return fail_at(error, address, "there is no port in it");
    }
    *port++ = 0;
    int wrong = getaddrinfo(listens ? NULL : name, port, &hints, &list), opened = -1;
    if (wrong) {
        return fail_at(error, address, gai_strerror(wrong));
    }
    for (const struct addrinfo *one = list; one && opened < 0; one = one->ai_next) {
        opened = open_at(one->ai_family, one->ai_addr, one->ai_addrlen, listens);
    }
    freeaddrinfo(list);
    return opened >= 0 ? opened : fail_at(error, address, strerror(errno));
}

static int open_address(const char *address, bool listens, struct bh_error *error)
{
    char place[HOST_ADDRESS];
    (void)snprintf(place, sizeof place, "%.*s", (int)strcspn(address, "#"), address);
    return strncmp(place, "unix:", 5) == 0  ? open_unix(address, place + 5, listens, error)
           : strncmp(place, "tcp:", 4) == 0 ? open_tcp(address, place + 4, listens, error)
                                            : fail_at(error, address, "it begins with neither unix: nor tcp:");
}

int message_listen(char address[HOST_ADDRESS], struct bh_error *error)
{
    int listening = open_address(address, true, error);
    struct sockaddr_in6 at = {0}; /* of IPv4, too: its port is at the same place */
    socklen_t size = sizeof at;
    char *port = strncmp(address, "tcp:", 4) == 0 ? strrchr(address, ':') : NULL;
    if (listening >= 0 && port && getsockname(listening, (struct sockaddr *)&at, &size) == 0) {
        char token[HOST_TOKEN];
        message_token(address, token);
        (void)snprintf(port, HOST_ADDRESS - (size_t)(port - address), ":%u%s%s", ntohs(at.sin6_port), *token ? "#" : "",
                       token);
    }
    return listening;
}

int message_connect(const char *address, struct bh_error *error)
{
    return open_address(address, false, error);
}

int message_accept(int listening)
{
    return accept4(listening, NULL, NULL, SOCK_CLOEXEC);
}

void connection_close(struct connection *connection)
{
    if (connection->socket >= 0) {
        close(connection->socket);
    }
    free(connection->bytes);
    *connection = (struct connection){.socket = -1};
}

/* Messages. */

bool message_send(const struct connection *connection, const struct message *message, const void *bytes)
{
    struct iovec parts[2] = {{(void *)message, sizeof *message}, {(void *)bytes, message->size}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2};
    size_t left = sizeof *message + message->size;
    while (left) {
        ssize_t sent = sendmsg(connection->socket, &header, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return false;
        }
        left -= (size_t)sent;
        for (unsigned i = 0; i < 2; i++) {
            size_t part = (size_t)sent < parts[i].iov_len ? (size_t)sent : parts[i].iov_len;
            parts[i].iov_base = (uint8_t *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            sent -= (ssize_t)part;
        }
    }
    return true;
}

bool message_send_text(const struct connection *connection, enum message_kind kind, const char *text)
{
    const struct message message = {.kind = kind, .size = (uint32_t)strlen(text) + 1};
    return message_send(connection, &message, text);
}

static bool receive_bytes(int socket, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = recv(socket, (uint8_t *)bytes + done, size - done, MSG_WAITALL);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

bool message_receive(struct connection *connection, struct message *message)
{
    if (!receive_bytes(connection->socket, message, sizeof *message)) {
        return false;
    }
    if (connection->room <= message->size) { /* one more: texts end there in any case */
        size_t room = (size_t)message->size + 1;
        uint8_t *bytes = realloc(connection->bytes, room);
        if (!bytes) {
            return false;
        }
        connection->bytes = bytes;
        connection->room = room;
    }
    connection->bytes[message->size] = 0;
    return receive_bytes(connection->socket, connection->bytes, message->size);
}
