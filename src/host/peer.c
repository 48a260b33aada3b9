#include "host/peer.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chip/device_state.h"
#include "host/job_target.h"
#include "tile/mmio.h"
#include "util/fail.h"

static const uint32_t registers[PEER_REGISTERS] = {
    MMIO_ADDRESS_TRISC0_RESET_PC,     MMIO_ADDRESS_TRISC0_RESET_PC + 4,
    MMIO_ADDRESS_TRISC0_RESET_PC + 8, MMIO_ADDRESS_TRISC_RESET_PC_OVERRIDE,
    MMIO_ADDRESS_NCRISC_RESET_PC,     MMIO_ADDRESS_NCRISC_RESET_PC_OVERRIDE,
    MMIO_ADDRESS_SOFT_RESET_0,
};

/* Images. */

void peer_image_free(struct peer_image *image)
{
    for (unsigned i = 0; i < image->count; i++) {
        free(image->memory[i].bytes);
    }
    free(image->memory);
    free(image->registers);
    *image = (struct peer_image){};
}

bool peer_image_copy(const struct peer_image *from, struct peer_image *to)
{
    *to = (struct peer_image){.memory = calloc(from->count, sizeof *to->memory)};
    for (; to->memory && to->count < from->count; to->count++) {
        struct peer_memory *memory = &to->memory[to->count];
        *memory = from->memory[to->count];
        memory->bytes = malloc(memory->size);
        if (!memory->bytes) {
            return false;
        }
        memcpy(memory->bytes, from->memory[to->count].bytes, memory->size);
    }
    return to->memory != NULL;
}

static bool has(const struct peer_image *image, unsigned x, unsigned y, uint64_t address)
{
    bool found = false;
    for (unsigned i = 0; image && i < image->count; i++) {
        found |= image->memory[i].x == x && image->memory[i].y == y && image->memory[i].address == address;
    }
    return found;
}

static enum bh_status take(struct bh_device *device, struct peer_image *image, struct peer_memory memory)
{
    struct peer_memory *grown = realloc(image->memory, (image->count + 1) * sizeof *grown);
    image->memory = grown ? grown : image->memory;
    memory.bytes = grown ? malloc(memory.size) : NULL;
    if (!memory.bytes) {
        return BH_ERROR_MEMORY;
    }
    image->memory[image->count++] = memory;
    return bh_read(device, memory.x, memory.y, memory.address, memory.bytes, memory.size);
}

enum bh_status peer_image_take(const struct bh_job *job, struct bh_device *device, const struct peer_image *like,
                               struct peer_image *image, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    *image = (struct peer_image){.registers = calloc(job->targets_count, sizeof *image->registers)};
    status = image->registers ? BH_OK : BH_ERROR_MEMORY;
    for (unsigned i = 0; status == BH_OK && i < job->targets_count; i++) {
        unsigned x = job->targets[i].x, y = job->targets[i].y;
        status = take(device, image, (struct peer_memory){x, y, 0, L1_SIZE, NULL});
        for (unsigned j = 0; status == BH_OK && j < PEER_REGISTERS; j++) {
            status = bh_read(device, x, y, registers[j], &image->registers[i][j], 4);
        }
    }
    for (unsigned channel = 0; status == BH_OK && channel < DRAM_CHANNELS; channel++) {
        unsigned x = 17 + channel / 4, y = 12 + channel % 4 * 3;
        for (uint64_t block = 0; status == BH_OK && block < DRAM_BLOCKS; block++) {
            uint64_t address = block * DRAM_BLOCK;
            if ((device->dram.written[channel][block / 64] >> block % 64 & 1) || has(like, x, y, address)) {
                status = take(device, image, (struct peer_memory){x, y, address, DRAM_BLOCK, NULL});
            }
        }
    }
    if (status != BH_OK) {
        peer_image_free(image);
        return fail(error, status, "the device's memory can not be read: %s", bh_status_name(status));
    }
    return BH_OK;
}

enum bh_status peer_image_read(struct peer_image *image, struct bh_device *device, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < image->count; i++) {
        const struct peer_memory *memory = &image->memory[i];
        status = bh_read(device, memory->x, memory->y, memory->address, memory->bytes, memory->size);
    }
    return status == BH_OK ? BH_OK
                           : fail(error, status, "the device's memory can not be read: %s", bh_status_name(status));
}

/* Each step is invertible, so that one changed word always changes it. */
uint64_t peer_image_digest(const struct peer_image *image)
{
    uint64_t digest = 0;
    for (unsigned i = 0; i < image->count; i++) {
        for (uint32_t at = 0; at < image->memory[i].size; at += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, image->memory[i].bytes + at, sizeof word);
            digest = ((digest ^ word) * 0x9e3779b97f4a7c15u) ^ (digest >> 29);
        }
    }
    return digest;
}

/* The child, which has the library. */

#define BAR0 0x100000000ull
#define TLB_CONFIG (BAR0 + 0x1fc00000)

enum { WINDOW = 0x200000, PAGE = 4096, CLOCKS = 1000, SETTLING_CLOCKS = 20000, SETTLING_ROUNDS = 50, CHILD_FAILED = 3 };

#define REFUSED UINT32_MAX /* in place of a look */

struct library {
    void (*read)(uint64_t paddr, void *data, uint32_t size);
    void (*write)(uint64_t paddr, const void *data, uint32_t size);
    void (*clock)(uint32_t clocks);
};

static void send(int pipe, const void *bytes, uint32_t size)
{
    for (uint32_t at = 0; at < size;) {
        ssize_t written = write(pipe, (const uint8_t *)bytes + at, size - at);
        if (written <= 0) {
            _exit(CHILD_FAILED);
        }
        at += (uint32_t)written;
    }
}

/* It is no library that can be used. What is printed is part of the error that the parent tells of. */
static _Noreturn void refuse(int pipe, const char *format, const char *what)
{
    const uint32_t looked = REFUSED;
    fprintf(stderr, format, what);
    fflush(NULL);
    send(pipe, &looked, sizeof looked);
    _exit(0);
}

static void *symbol(void *library, const char *name, int pipe)
{
    void *found = dlsym(library, name);
    if (!found) {
        refuse(pipe, "it has no function %s\n", name);
    }
    return found;
}

static struct library load(const char *path, int pipe)
{
    struct library library;
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        refuse(pipe, "%s\n", dlerror());
    }
    *(void **)&library.read = symbol(handle, "libttsim_pci_mem_rd_bytes", pipe);
    *(void **)&library.write = symbol(handle, "libttsim_pci_mem_wr_bytes", pipe);
    *(void **)&library.clock = symbol(handle, "libttsim_clock", pipe);
    void (*init)(void);
    *(void **)&init = symbol(handle, "libttsim_init", pipe);
    init();
    return library;
}

/* Where the window of 2 MiB at BAR0 shows [address, ...) of a tile. */
static uint64_t point(const struct library *library, unsigned x, unsigned y, uint64_t address)
{
    const uint32_t words[3] = {(uint32_t)(address / WINDOW), (x | y << 6) << 11, 0};
    for (unsigned i = 0; i < 3; i++) {
        library->write(TLB_CONFIG + 4 * i, &words[i], sizeof words[i]);
    }
    return BAR0 + address % WINDOW;
}

static bool is_zero(const uint8_t *bytes, uint32_t size)
{
    static const uint8_t zeroes[PAGE];
    return memcmp(bytes, zeroes, size) == 0;
}

/* Memory is zero at first; blocks do not cross windows. */
static void fill(const struct library *library, const struct peer_memory *memory)
{
    uint64_t paddr = point(library, memory->x, memory->y, memory->address);
    for (uint32_t at = 0; at < memory->size; at += PAGE) {
        if (!is_zero(memory->bytes + at, PAGE)) {
            library->write(paddr + at, memory->bytes + at, PAGE);
        }
    }
}

/* Words that a job has for registers. */
static void write_words(const struct library *library, const struct job_target *target)
{
    for (unsigned i = 0; i < target->tile->words_count; i++) {
        unsigned count;
        const struct job_words *words = &target->tile->words[i];
        uint32_t *values = words->address >= L1_SIZE ? job_words_of(target, words, &count) : NULL;
        for (unsigned j = 0; values && j < count; j++) {
            library->write(point(library, target->x, target->y, words->address + 4 * j), &values[j], 4);
        }
        free(values);
    }
}

static void start(const struct library *library, const struct bh_job *job, const struct peer_image *begin)
{
    for (unsigned i = 0; i < begin->count; i++) {
        fill(library, &begin->memory[i]);
    }
    for (unsigned i = 0; i < job->targets_count; i++) {
        write_words(library, &job->targets[i]);
    }
    for (unsigned i = 0; i < job->targets_count; i++) {
        for (unsigned j = 0; j < PEER_REGISTERS; j++) {
            uint64_t paddr = point(library, job->targets[i].x, job->targets[i].y, registers[j]);
            library->write(paddr, &begin->registers[i][j], sizeof begin->registers[i][j]);
        }
    }
}

/* Reads all memory. Returns whether it is as before. */
static bool read_all(const struct library *library, struct peer_image *image)
{
    static uint8_t bytes[WINDOW];
    bool same = true;
    for (unsigned i = 0; i < image->count; i++) {
        const struct peer_memory *memory = &image->memory[i];
        library->read(point(library, memory->x, memory->y, memory->address), bytes, memory->size);
        same &= memcmp(memory->bytes, bytes, memory->size) == 0;
        memcpy(memory->bytes, bytes, memory->size);
    }
    return same;
}

/* Lets the clocks between looks pass, as long as each finds what it is to find. Returns which one does not. */
static uint32_t look_on_the_way(const struct library *library, const struct peer_run *run, struct peer_image *image)
{
    for (uint32_t look = 1; look <= run->looks; look++) {
        for (uint64_t left = run->every; left;) {
            uint32_t clocks = left < CLOCKS ? (uint32_t)left : CLOCKS;
            library->clock(clocks);
            left -= clocks;
        }
        (void)read_all(library, image);
        if (peer_image_digest(image) != run->digests[look - 1]) {
            return look;
        }
    }
    return PEER_AT_END;
}

static _Noreturn void run_child(const struct bh_job *job, const struct peer_run *run, const struct peer_image *begin,
                                struct peer_image *end, int pipe)
{
    if (run->timed) {
        setenv("BHEMU_MODE", "timed", 1);
    }
    struct library library = load(run->library, pipe);
    start(&library, job, begin);
    uint32_t looked = look_on_the_way(&library, run, end);
    for (uint64_t clocks = run->looks * run->every; !looked && clocks < run->clocks; clocks += CLOCKS) {
        library.clock(CLOCKS);
    }
    for (unsigned round = 0; !looked && round < SETTLING_ROUNDS && (!read_all(&library, end) || round == 0); round++) {
        library.clock(SETTLING_CLOCKS);
    }
    send(pipe, &looked, sizeof looked);
    for (unsigned i = 0; i < end->count; i++) {
        send(pipe, end->memory[i].bytes, end->memory[i].size);
    }
    _exit(0); /* the library's own end is not waited for */
}

/* The parent. */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns whether all came in time. */
static bool receive(int pipe, void *bytes, uint32_t size, double deadline, bool *late)
{
    for (uint32_t at = 0; at < size;) {
        struct pollfd ready = {.fd = pipe, .events = POLLIN};
        double left = deadline - now();
        int polled = left > 0 ? poll(&ready, 1, left < 1000 ? (int)(left * 1000) + 1 : 1000 * 1000) : 0;
        if (polled < 0 && errno == EINTR) {
            continue;
        }
        *late = polled == 0;
        ssize_t got = polled > 0 ? read(pipe, (uint8_t *)bytes + at, size - at) : 0;
        if (got <= 0) {
            return false;
        }
        at += (uint32_t)got;
    }
    return true;
}

static bool receive_all(int pipe, struct peer_image *image, unsigned *looked, double deadline, bool *late)
{
    bool all = receive(pipe, looked, sizeof *looked, deadline, late) && *looked != REFUSED;
    for (unsigned i = 0; all && i < image->count; i++) {
        all = receive(pipe, image->memory[i].bytes, image->memory[i].size, deadline, late);
    }
    return all;
}

/* Waits for the child to end, which may have closed the pipe and go on; then it is killed. Returns whether it ended by
   itself. */
static bool wait_for(pid_t child, int *status, double deadline)
{
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    while (waitpid(child, status, WNOHANG) == 0) {
        if (now() >= deadline) {
            kill(child, SIGKILL);
            waitpid(child, status, 0);
            return false;
        }
        nanosleep(&moment, NULL);
    }
    return true;
}

/* The last of what the child has printed, in one line. */
static void last_words(int file, char *text, size_t size)
{
    off_t length = lseek(file, 0, SEEK_END), from = length > (off_t)size - 1 ? length - (off_t)size + 1 : 0;
    ssize_t got = pread(file, text, size - 1, from);
    text[got > 0 ? got : 0] = 0;
    for (char *end = text + strlen(text); end > text && end[-1] == '\n';) {
        *--end = 0;
    }
    for (char *line = text; (line = strchr(line, '\n')); line++) {
        *line = ' ';
    }
}

static enum bh_status say_why(const struct peer_run *run, int status, bool late, bool refused, int errors,
                              struct bh_error *error)
{
    char words[1000], how[100];
    last_words(errors, words, sizeof words);
    if (refused) {
        return fail(error, BH_ERROR_ARGUMENT, "%s can not be a peer: %s", run->library, words);
    }
    if (late) {
        snprintf(how, sizeof how, "has not ended within %u s", run->seconds);
    } else if (WIFSIGNALED(status)) {
        snprintf(how, sizeof how, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(how, sizeof how, "ended its process with exit code %d", WEXITSTATUS(status));
    }
    return fail(error, late ? BH_ERROR_STOPPED : BH_ERROR_IO, "%s %s%s%s", run->library, how, *words ? ": " : "",
                words);
}

enum bh_status peer_run(const struct bh_job *job, const struct peer_run *run, const struct peer_image *begin,
                        struct peer_image *end, unsigned *looked, struct bh_error *error)
{
    int ends[2], errors = memfd_create("peer", MFD_CLOEXEC), status = 0;
    if (errors < 0 || pipe(ends) != 0) {
        return fail(error, BH_ERROR_IO, "no pipe: %s", strerror(errno));
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        dup2(errors, STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        run_child(job, run, begin, end, ends[1]);
    }
    close(ends[1]);
    double deadline = now() + run->seconds;
    bool late = false, all = child > 0 && receive_all(ends[0], end, looked, deadline, &late);
    close(ends[0]);
    if (child > 0) {
        late |= !wait_for(child, &status, deadline);
    }
    enum bh_status result = all         ? BH_OK
                            : child < 0 ? fail(error, BH_ERROR_IO, "no process: %s", strerror(errno))
                                        : say_why(run, status, late, *looked == REFUSED, errors, error);
    close(errors);
    return result;
}
