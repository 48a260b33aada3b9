#include "gdb/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE = 50 }; /* milliseconds between two looks at `interrupted` */

static bool is_interrupted(const struct link *link)
{
    return link->interrupted && *link->interrupted;
}

const char *link_open(struct link *link, unsigned port, const volatile sig_atomic_t *interrupted)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    const int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    link->socket = link->pipe[0] = link->pipe[1] = -1;
    link->interrupted = interrupted;
    link->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->listener < 0 || setsockopt(link->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(link->listener, (struct sockaddr *)&address, size) != 0 || listen(link->listener, 1) != 0 ||
        getsockname(link->listener, (struct sockaddr *)&address, &size) != 0 || pipe2(link->pipe, O_CLOEXEC) != 0) {
        return strerror(errno);
    }
    link->port = ntohs(address.sin_port);
    return NULL;
}

/* Raises the flag when something can be read, the connection ends, or the user interrupts. */
static void *watch(void *context)
{
    struct link *link = context;
    char command;
    while (read(link->pipe[0], &command, 1) == 1 && command == 'w') {
        struct pollfd fds[2] = {{.fd = link->watched, .events = POLLIN}, {.fd = link->pipe[0], .events = POLLIN}};
        while (poll(fds, 2, PATIENCE) == 0 && !is_interrupted(link)) {
        }
        if (fds[0].revents || is_interrupted(link)) {
            link->attention = 1;
        }
    }
    return NULL;
}

static void tell_watcher(struct link *link, char command)
{
    if (write(link->pipe[1], &command, 1) != 1) {
        link->attention = 1;
    }
}

void link_watch(struct link *link)
{
    if (!link->watches) {
        link->watched = link->socket;
        link->watches = pthread_create(&link->watcher, NULL, watch, link) == 0;
    }
    tell_watcher(link, 'w');
}

static void end_watcher(struct link *link)
{
    if (link->watches) {
        tell_watcher(link, 'e');
        pthread_join(link->watcher, NULL);
        link->watches = false;
        char rest;
        struct pollfd left = {.fd = link->pipe[0], .events = POLLIN};
        while (poll(&left, 1, 0) == 1 && read(link->pipe[0], &rest, 1) == 1) {
        }
    }
}

void link_drop(struct link *link)
{
    end_watcher(link);
    if (link->socket >= 0) {
        close(link->socket);
    }
    link->socket = -1;
}

void link_close(struct link *link)
{
    link_drop(link);
    for (unsigned i = 0; i < 2; i++) {
        if (link->pipe[i] >= 0) {
            close(link->pipe[i]);
        }
    }
    if (link->listener >= 0) {
        close(link->listener);
    }
}

bool link_accept(struct link *link)
{
    struct pollfd listener = {.fd = link->listener, .events = POLLIN};
    const int yes = 1;
    while (!is_interrupted(link) && link->socket < 0) {
        if (poll(&listener, 1, PATIENCE) > 0) {
            link->socket = accept4(link->listener, NULL, NULL, SOCK_CLOEXEC);
        }
    }
    link->acknowledges = true;
    link->reader.state = PACKET_OUTSIDE;
    link->first = link->end = 0;
    link->last_size = 0;
    link->attention = 0;
    if (link->socket >= 0) {
        (void)setsockopt(link->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    return link->socket >= 0;
}

/* A gdb that does not read what it is sent is given up when the user interrupts. */
static void send_all(struct link *link, const char *bytes, size_t size)
{
    struct pollfd socket = {.fd = link->socket, .events = POLLOUT};
    while (size && link->socket >= 0) {
        ssize_t sent = send(link->socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (poll(&socket, 1, PATIENCE) == 0 && is_interrupted(link)) {
                link_drop(link);
            }
        } else if (errno != EINTR) {
            link_drop(link);
        }
    }
}

void link_send(struct link *link, const struct packet_writer *writer, char start)
{
    link->last_size = packet_frame(writer, start, link->last);
    send_all(link, link->last, link->last_size);
}

/* Whether bytes are there. */
static bool fill(struct link *link, bool wait)
{
    struct pollfd socket = {.fd = link->socket, .events = POLLIN};
    while (link->socket >= 0) {
        int ready = poll(&socket, 1, wait ? PATIENCE : 0);
        if (ready > 0) {
            ssize_t received = recv(link->socket, link->bytes, sizeof link->bytes, 0);
            if (received > 0) {
                link->first = 0;
                link->end = (unsigned)received;
                return true;
            }
            if (received == 0 || errno != EINTR) {
                link_drop(link);
            }
        } else if (!wait || is_interrupted(link)) {
            return false;
        }
    }
    return false;
}

enum packet_event link_receive(struct link *link, bool wait)
{
    while (link->first < link->end || fill(link, wait)) {
        switch (packet_read(&link->reader, link->bytes[link->first++])) {
        case PACKET_WHOLE:
            if (link->acknowledges) {
                send_all(link, "+", 1);
            }
            return PACKET_WHOLE;
        case PACKET_WRONG: send_all(link, "-", 1); break;
        case PACKET_NACK: send_all(link, link->last, link->last_size); break;
        case PACKET_INTERRUPT: return PACKET_INTERRUPT;
        default: break;
        }
    }
    return PACKET_NOTHING;
}
