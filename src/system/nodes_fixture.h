/* Processes that have the chips of a system, for tests of hosts. */
#ifndef BHEMU_SYSTEM_NODES_FIXTURE_H
#define BHEMU_SYSTEM_NODES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/message.h"
#include "system/serve.h"
#include "system/shared.h"

enum { FIXTURE_RANKS = 8 };

struct fixture_nodes {
    char folder[40];
    char addresses[FIXTURE_RANKS][HOST_ADDRESS];
    unsigned ranks;
    uint16_t owner[BH_SYSTEM_CHIPS];
    pid_t pids[FIXTURE_RANKS];
    struct shared *shared;
    struct serve_options options;
};

static inline void fixture_serve(struct fixture_nodes *nodes, unsigned rank, int listening)
{
    const struct shared_options how = {.rank = rank, .patience = nodes->options.patience};
    struct shared_end *end = shared_join(nodes->shared, &how);
    struct bh_error error;
    nodes->options.part = (struct system_part){rank, nodes->ranks, nodes->owner, shared_exchange(end)};
    nodes->options.listening = listening;
    enum bh_status status = serve(&nodes->options, &error);
    shared_leave(end);
    shared_destroy(nodes->shared);
    _exit(status == BH_OK ? 0 : 3);
}

/* Starts them; options: but for what is of one process. `nodes` has the share of each chip in `owner`. */
static inline void fixture_start(struct fixture_nodes *nodes, unsigned ranks, const struct serve_options *options)
{
    int listening[FIXTURE_RANKS];
    struct bh_error error = {""};
    nodes->ranks = ranks;
    nodes->options = *options;
    nodes->options.addresses = nodes->addresses[0];
    nodes->options.patience = options->patience ? options->patience : 60;
    nodes->shared = shared_create(ranks);
    assert_non_null(nodes->shared);
    (void)snprintf(nodes->folder, sizeof nodes->folder, "/tmp/bhemu-nodes-XXXXXX");
    assert_non_null(mkdtemp(nodes->folder));
    for (unsigned i = 0; i < ranks; i++) {
        (void)snprintf(nodes->addresses[i], HOST_ADDRESS, "unix:%s/%u", nodes->folder, i);
        listening[i] = message_listen(nodes->addresses[i], &error);
        assert_true(listening[i] >= 0);
    }
    fflush(NULL);
    for (unsigned i = 0; i < ranks; i++) {
        nodes->pids[i] = fork();
        assert_true(nodes->pids[i] >= 0);
        if (nodes->pids[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (unsigned other = 0; other < ranks; other++) {
                if (other != i) {
                    close(listening[other]);
                }
            }
            fixture_serve(nodes, i, listening[i]);
        }
    }
    for (unsigned i = 0; i < ranks; i++) {
        close(listening[i]);
    }
}

/* Waits until they have ended. Returns how many have not ended well. */
static inline unsigned fixture_wait(struct fixture_nodes *nodes)
{
    char path[200];
    unsigned bad = 0;
    for (unsigned i = 0; i < nodes->ranks; i++) {
        int status = 0;
        assert_int_equal(waitpid(nodes->pids[i], &status, 0), nodes->pids[i]);
        bad += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        (void)snprintf(path, sizeof path, "%s/%u", nodes->folder, i);
        unlink(path);
    }
    rmdir(nodes->folder);
    shared_destroy(nodes->shared);
    return bad;
}

/* Ends them. */
static inline unsigned fixture_end(struct fixture_nodes *nodes)
{
    for (unsigned i = 0; i < nodes->ranks; i++) {
        (void)serve_end(nodes->addresses[i]);
    }
    return fixture_wait(nodes);
}

static inline void fixture_kill(const struct fixture_nodes *nodes, unsigned rank)
{
    kill(nodes->pids[rank], SIGKILL);
}

#endif
