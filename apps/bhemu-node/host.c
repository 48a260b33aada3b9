/* bhemu-node host: each rank serves its chips (system/serve.h); on rank 0, or on each, a process that was forked before
   MPI began starts the program, waits for it, and tells ranks that it has ended. */
#include "host.h"

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/exit_code.h"
#include "host/host_command.h"
#include "mpi_exchange.h"

enum { SLOW = 10, LAST_LOOKS = 80, LAST_LOOK = 10 * 1000 * 1000 /* nanoseconds */ };

static struct {
    struct host_command command;
    int rank, ranks;
    struct bh_topology *topology;
    uint16_t owner[BH_SYSTEM_CHIPS];
    struct host_folder folder;
    char (*addresses)[HOST_ADDRESS]; /* of all ranks */
    pid_t starter;                   /* 0: it has ended */
    int to_starter;                  /* a pipe */
    volatile int host;               /* its socket */
    char socket[HOST_ADDRESS];       /* the path of the own one, or empty */
    struct {
        struct message message;
        char text[60];
    } last_words;
} node = {.host = -1};

static const struct command_option own_options[] = {
    {"tcp", NULL, "sockets of TCP, also when all ranks are on one machine", 0, false},
    {},
};
static const struct command_option *const lists[] = {host_command_options, own_options, NULL};

/* The process that starts the program. */

/* What it is told: how many addresses follow, and which of them the host connects to. */
struct start {
    unsigned count, rank;
};

static bool read_all(int from, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(from, (char *)data + done, size - done);
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static int start_program(int from)
{
    struct start start;
    int status;
    char(*addresses)[HOST_ADDRESS] = NULL;
    if (!read_all(from, &start, sizeof start) || !(addresses = calloc(start.count, sizeof *addresses)) ||
        !read_all(from, addresses, start.count * sizeof *addresses)) {
        free(addresses);
        return 0; /* no program is started on this rank */
    }
    pid_t pid = host_start_program(&node.command, addresses[0], start.rank);
    if (pid < 0) {
        fprintf(stderr, "bhemu-node: %s can not be started: %s\n", node.command.program[0], strerror(errno));
    }
    int code = pid > 0 && waitpid(pid, &status, 0) == pid ? host_exit_code(status) : EXIT_HOST_FAILED;
    for (unsigned i = 0; i < start.count; i++) {
        (void)serve_end(addresses[i]);
    }
    free(addresses);
    return code;
}

/* Before MPI begins: a process that uses it should not fork. */
static bool fork_starter(void)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe(ends) != 0) {
        return false;
    }
    node.starter = fork();
    if (node.starter == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[1]);
        _exit(getppid() == parent ? start_program(ends[0]) : EXIT_HOST_FAILED);
    }
    close(ends[0]);
    node.to_starter = ends[1];
    return node.starter > 0;
}

static int code_of_starter(void)
{
    int status = 0;
    close(node.to_starter);
    pid_t pid = node.starter ? waitpid(node.starter, &status, 0) : 0;
    node.starter = 0;
    return pid > 0 ? host_exit_code(status) : 0;
}

static bool tell_starter(void)
{
    bool each = node.command.each;
    const struct start start = {.count = each ? 1 : (unsigned)node.ranks, .rank = (unsigned)node.rank};
    size_t size = start.count * sizeof *node.addresses;
    if (!node.command.program || (node.rank != 0 && !each)) {
        return code_of_starter() == 0;
    }
    return (write(node.to_starter, &start, sizeof start) == (ssize_t)sizeof start &&
            write(node.to_starter, node.addresses[each ? node.rank : 0], size) == (ssize_t)size);
}

/* Also within a signal's handler. */
static void remove_socket(void)
{
    if (node.socket[0]) {
        unlink(node.socket);
    }
    if (node.folder.own) {
        rmdir(node.folder.path);
    }
}

/* mpirun ends ranks when another one has died: the host is to say so before it ends with this rank. */
static void on_terminate(int signal)
{
    const struct timespec look = {.tv_nsec = LAST_LOOK};
    if (node.host >= 0) {
        (void)send(node.host, &node.last_words, sizeof node.last_words, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    for (unsigned i = 0; i < LAST_LOOKS && node.starter && waitpid(node.starter, NULL, WNOHANG) == 0; i++) {
        nanosleep(&look, NULL);
    }
    remove_socket();
    _exit(128 + signal);
}

/* Ranks. */

static void tell_slow(unsigned rank, uint64_t clock)
{
    char name[SYSTEM_PART_NAME];
    fprintf(stderr, "bhemu-node: warning: %s is slow: others have waited %d s for it at cycle %llu\n",
            system_name_part("rank", rank, node.owner, node.topology->chip_count, name), SLOW,
            (unsigned long long)clock);
}

static bool on_several_machines(void)
{
    MPI_Comm here;
    int size;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, node.rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &size);
    MPI_Comm_free(&here);
    return size != node.ranks;
}

/* Makes the own socket. Returns it, or -1. */
static int listen_here(bool several, char own[HOST_ADDRESS], struct bh_error *error)
{
    char name[64] = "";
    uint64_t token;
    if (node.command.tcp || (several && !node.command.each)) {
        if (gethostname(name, sizeof name - 1) != 0 || getrandom(&token, sizeof token, 0) != (ssize_t)sizeof token) {
            (void)snprintf(error->text, sizeof error->text, "the name of the machine, or a random number: %s",
                           strerror(errno));
            return -1;
        }
        (void)snprintf(own, HOST_ADDRESS, "tcp:%s:0#%016llx", name, (unsigned long long)token);
    } else {
        if (!host_folder_make(&node.folder, &node.command, error)) {
            return -1;
        }
        host_folder_address(&node.folder, (unsigned)node.rank, own);
        (void)snprintf(node.socket, sizeof node.socket, "%s", own + strlen("unix:"));
    }
    return message_listen(own, error);
}

/* The same, and makes its address known to all. */
static int listen_with_all(struct bh_error *error)
{
    char own[HOST_ADDRESS] = "";
    int listening = listen_here(on_several_machines(), own, error);
    MPI_Allgather(own, HOST_ADDRESS, MPI_CHAR, node.addresses, HOST_ADDRESS, MPI_CHAR, MPI_COMM_WORLD);
    return listening;
}

/* Whether it is so for all ranks. */
static bool all(bool here)
{
    int own = here, every;
    MPI_Allreduce(&own, &every, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return every;
}

static bool prepare(struct bh_error *error)
{
    unsigned chips = 0;
    if (host_find_system(node.command.system, &node.topology, error) == BH_OK) {
        chips = node.topology->chip_count;
        if ((unsigned)node.ranks > chips) {
            (void)snprintf(error->text, sizeof error->text, "%s: %d ranks for %u chips; each has at least one",
                           node.command.system, node.ranks, chips);
        }
    }
    unsigned alike[4] = {chips, node.command.each, node.command.lockstep, node.command.program != NULL}, of_first[4];
    memcpy(of_first, alike, sizeof alike);
    MPI_Bcast(of_first, sizeof of_first, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!error->text[0] && memcmp(of_first, alike, sizeof alike) != 0) {
        (void)snprintf(error->text, sizeof error->text, "rank %d has another system, or other options, than rank 0",
                       node.rank);
    }
    node.addresses = calloc((size_t)node.ranks, sizeof *node.addresses);
    system_share(node.owner, chips, (unsigned)node.ranks);
    return !error->text[0] && node.addresses;
}

static int serve_chips(int listening, struct bh_error *error)
{
    const struct mpi_options how = {.owner = node.owner,
                                    .chips = node.topology->chip_count,
                                    .patience = node.command.patience,
                                    .slow = SLOW,
                                    .on_slow = tell_slow};
    struct mpi_exchange *mpi = mpi_exchange_create(&how);
    struct serve_options options = host_serve_options(&node.command, node.topology, node.addresses[0]);
    options.part = (struct system_part){(unsigned)node.rank, (unsigned)node.ranks, node.owner, mpi_exchange(mpi)};
    options.listening = listening;
    options.host = &node.host;
    signal(SIGTERM, on_terminate);
    enum bh_status status = mpi ? serve(&options, error) : BH_ERROR_MEMORY;
    signal(SIGTERM, SIG_DFL);
    if (status != BH_OK) {
        char name[SYSTEM_PART_NAME];
        fprintf(stderr, "bhemu-node: %s: %s\n",
                system_name_part("rank", (unsigned)node.rank, node.owner, node.topology->chip_count, name),
                mpi ? error->text : "out of memory");
        remove_socket();
        (void)code_of_starter();
        MPI_Abort(MPI_COMM_WORLD, EXIT_HOST_FAILED);
    }
    mpi_exchange_destroy(mpi);
    return code_of_starter();
}

int node_host(int argc, char **argv)
{
    int threads, code = EXIT_HOST_FAILED, listening = -1;
    struct bh_error error = {""};
    bool right = host_command_read(argc, argv, lists, &node.command) == COMMAND_READ;
    if (right && !fork_starter()) {
        perror("bhemu-node");
        return EXIT_HOST_FAILED;
    }
    node.last_words.message = (struct message){.kind = MESSAGE_LOST, .size = (uint32_t)sizeof node.last_words.text};
    (void)snprintf(node.last_words.text, sizeof node.last_words.text,
                   "it was ended, perhaps since another one has died");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &node.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &node.ranks);
    if (!right) {
        code = EXIT_WRONG;
        if (node.rank == 0) {
            fputs("usage: mpirun -n RANKS bhemu-node host [OPTION...] PROGRAM [ARGUMENT...]\n"
                  "Starts PROGRAM with BHEMU_NODES in its environment; docs/systems.md.\n",
                  stderr);
            command_options_print(stderr, lists);
        }
    } else {
        bool ready = all(prepare(&error));
        listening = ready ? listen_with_all(&error) : -1;
        if (all(listening >= 0)) {
            code = all(tell_starter()) ? serve_chips(listening, &error) : EXIT_HOST_FAILED;
        } else if (error.text[0] && (node.rank == 0 || ready)) {
            fprintf(stderr, "bhemu-node: %s\n", error.text);
        }
    }
    remove_socket();
    bh_topology_destroy(node.topology);
    free(node.addresses);
    MPI_Finalize();
    return code;
}
