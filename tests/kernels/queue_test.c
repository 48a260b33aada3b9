/* kernels/queue: a command queue in the host's memory, like those by which hosts drive whole chips. Random commands,
   with a model of every byte that they write on tiles, in DRAM and in the host's memory. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/queue/protocol.h"
#include "program.h"
#include "util/xorshift.h"

enum {
    FETCHER_X = 16,
    FETCHER_Y = 2,
    DISPATCHER_X = 16,
    DISPATCHER_Y = 3,
    LEFT = 6, /* of the workers' rectangle, in which columns 8 and 9 have no Tensix tiles */
    RIGHT = 11,
    TOP = 4,
    BOTTOM = 7,
    WORKERS = 4 * 4,
    DRAM_X = 17,
    DRAM_Y = 14,
    PCIE_X = 19,
    PCIE_Y = 24,
    COMMANDS_RING = 0x40000,                                                          /* in the host's memory */
    COMMANDS_SIZE = (QUEUE_SLOTS + QUEUE_FLIGHTS + 4) * QUEUE_PAGES_MAX * QUEUE_PAGE, /* none is written too early */
    ANSWERS_RING = 0x80000,
    ANSWERS_SIZE = 8 * 1024,
    ANSWERED = 0x1000,
    HOST_SIZE = 0x100000,
    DATA_AT = 0x40000, /* on a worker, and in DRAM: what commands write and read */
    DATA_SIZE = 16 * 1024,
    PLACES = WORKERS + 1,
    CYCLES_AT_A_TIME = 700,
    RUNS_MAX = 200000,
};

struct host {
    struct bh_device *device;
    uint8_t *memory;
    uint64_t random;
    uint32_t sent, offset, taken, sequence, done;
    bool working;
    uint8_t data[PLACES][DATA_SIZE];
    uint32_t work[QUEUE_WORK_WORDS];
    uint8_t *expected; /* expected answers that have not arrived yet, each after its size */
    uint32_t expected_size;
    unsigned answers;
};

static void host_read(void *context, uint64_t address, void *data, uint32_t size)
{
    struct host *host = context;
    assert_in_range(address, COMMANDS_RING, COMMANDS_RING + COMMANDS_SIZE - size);
    memcpy(data, host->memory + address, size);
}

static void host_write(void *context, uint64_t address, const void *data, uint32_t size)
{
    struct host *host = context;
    assert_true((address == ANSWERED && size == 4) ||
                (address >= ANSWERS_RING && address + size <= ANSWERS_RING + ANSWERS_SIZE));
    memcpy(host->memory + address, data, size);
}

static uint32_t any(struct host *host, uint32_t below)
{
    return xorshift64_word(&host->random) % below;
}

static void place_of(unsigned worker, unsigned *x, unsigned *y)
{
    static const uint8_t columns[] = {6, 7, 10, 11};
    *x = worker == WORKERS ? DRAM_X : columns[worker % 4];
    *y = worker == WORKERS ? DRAM_Y : TOP + worker / 4;
}

static uint32_t at(unsigned x, unsigned y)
{
    return x | y << 6;
}

static void start(struct host *host, unsigned x, unsigned y, enum bh_core core, const char *name,
                  const struct queue_arguments *arguments, uint32_t credits)
{
    const uint32_t nothing[4] = {0};
    struct bh_device *device = host->device;
    const uint32_t size = 10 * 4;
    assert_int_equal(bh_write(device, x, y, LAYOUT_BUFFERS, nothing, sizeof nothing), BH_OK);
    assert_int_equal(bh_write(device, x, y, LAYOUT_ARGUMENTS, arguments, sizeof *arguments), BH_OK);
    for (uint32_t stream = QUEUE_CREDITS_STREAM; stream <= QUEUE_DONE_STREAM; stream++) {
        uint32_t count = stream == QUEUE_CREDITS_STREAM ? credits : 0;
        assert_int_equal(bh_write(device, x, y, 0xFFB40000 + stream * 0x1000 + size, &count, 4), BH_OK);
    }
    start_program(device, x, y, core, name);
}

static int set_up(void **context)
{
    struct host *host = calloc(1, sizeof *host);
    struct bh_device_config config = {.on_diagnostic = print_diagnostic,
                                      .context = host,
                                      .host_read = host_read,
                                      .host_write = host_write,
                                      .mode = mode_from_environment()};
    host->memory = calloc(1, HOST_SIZE);
    host->random = 0x9e3779b97f4a7c15;
    *context = host;
    return bh_device_create(&config, &host->device) == BH_OK ? 0 : -1;
}

static int tear_down(void **context)
{
    struct host *host = *context;
    bh_device_destroy(host->device);
    free(host->expected);
    free(host->memory);
    free(host);
    return 0;
}

static void start_all(struct host *host)
{
    const uint32_t pcie = at(PCIE_X, PCIE_Y), dispatcher = at(DISPATCHER_X, DISPATCHER_Y);
    const struct queue_arguments fetch = {dispatcher, pcie, COMMANDS_RING, COMMANDS_SIZE, 0};
    const struct queue_arguments dispatch = {at(FETCHER_X, FETCHER_Y), pcie, ANSWERS_RING, ANSWERS_SIZE, ANSWERED};
    const struct queue_arguments work = {dispatcher, pcie, 0, 0, 0};
    const uint32_t slots[QUEUE_SLOTS / 2] = {0};
    assert_int_equal(bh_write(host->device, FETCHER_X, FETCHER_Y, QUEUE_SLOTS_AT, slots, sizeof slots), BH_OK);
    start(host, FETCHER_X, FETCHER_Y, BH_CORE_B, "queue.brisc", &fetch, QUEUE_RING_PAGES);
    start(host, DISPATCHER_X, DISPATCHER_Y, BH_CORE_NC, "queue.ncrisc", &dispatch, 0);
    for (unsigned worker = 0; worker < PLACES; worker++) {
        unsigned x, y;
        place_of(worker, &x, &y);
        for (unsigned i = 0; i < DATA_SIZE; i++) {
            host->data[worker][i] = (uint8_t)any(host, 256);
        }
        assert_int_equal(bh_write(host->device, x, y, DATA_AT, host->data[worker], DATA_SIZE), BH_OK);
        if (worker < WORKERS) {
            assert_int_equal(bh_write(host->device, x, y, QUEUE_WORK_AT, host->work, sizeof host->work), BH_OK);
            start(host, x, y, BH_CORE_T0, "queue.trisc0", &work, 0);
        }
    }
}

/* Compares the answers that have arrived with the model. */
static void take_answers(struct host *host)
{
    uint32_t answered;
    memcpy(&answered, host->memory + ANSWERED, sizeof answered);
    while (host->taken != answered) {
        uint32_t size, whole, left = ANSWERS_SIZE - host->taken % ANSWERS_SIZE;
        memcpy(&size, host->expected, sizeof size);
        whole = (size + QUEUE_PAGE - 1) / QUEUE_PAGE * QUEUE_PAGE;
        host->taken += whole > left ? left : 0;
        assert_memory_equal(host->memory + ANSWERS_RING + host->taken % ANSWERS_SIZE, host->expected + 4, size);
        host->taken += whole;
        host->expected_size -= 4 + size;
        memmove(host->expected, host->expected + 4 + size, host->expected_size);
        host->answers++;
    }
    assert_int_equal(bh_write(host->device, DISPATCHER_X, DISPATCHER_Y, QUEUE_TAKEN_AT, &host->taken, 4), BH_OK);
}

static void step(struct host *host)
{
    assert_int_equal(bh_run(host->device, CYCLES_AT_A_TIME, NULL), BH_OK);
    if (any(host, 3) == 0) {
        take_answers(host);
    }
}

static void send(struct host *host, struct queue_command command, const void *data)
{
    uint8_t bytes[QUEUE_PAGES_MAX * QUEUE_PAGE] = {0};
    uint32_t slot = QUEUE_SLOTS_AT + 2 * (host->sent % QUEUE_SLOTS), size = QUEUE_HEAD + (data ? command.size : 0);
    uint16_t pages = (uint16_t)((size + QUEUE_PAGE - 1) / QUEUE_PAGE), taken = 1;
    command.pages = pages;
    for (unsigned runs = 0; taken; runs++) {
        assert_in_range(runs, 0, RUNS_MAX);
        assert_int_equal(bh_read(host->device, FETCHER_X, FETCHER_Y, slot, &taken, 2), BH_OK);
        if (taken) {
            step(host);
        }
    }
    memcpy(bytes, &command, sizeof command);
    memcpy(bytes + QUEUE_HEAD, data ? data : bytes, data ? command.size : 0);
    host->offset = host->offset + pages * QUEUE_PAGE > COMMANDS_SIZE ? 0 : host->offset;
    memcpy(host->memory + COMMANDS_RING + host->offset, bytes, pages * (size_t)QUEUE_PAGE);
    host->offset += pages * QUEUE_PAGE;
    assert_int_equal(bh_write(host->device, FETCHER_X, FETCHER_Y, slot, &pages, 2), BH_OK);
    host->sent++;
    if (any(host, 4) == 0) {
        step(host);
    }
}

static void expect(struct host *host, const void *data, uint32_t size)
{
    host->expected = realloc(host->expected, host->expected_size + 4 + size);
    memcpy(host->expected + host->expected_size, &size, 4);
    memcpy(host->expected + host->expected_size + 4, data, size);
    host->expected_size += 4 + size;
}

static void fill(struct host *host, uint8_t *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        data[i] = (uint8_t)any(host, 256);
    }
}

static void wait_for_workers(struct host *host)
{
    if (host->working) {
        send(host, (struct queue_command){.kind = QUEUE_WAIT, .count = host->done}, NULL);
        host->working = false;
    }
}

static void set_going(struct host *host, uint32_t summand)
{
    const uint32_t go[4] = {++host->sequence, summand};
    wait_for_workers(host);
    send(host,
         (struct queue_command){
             .kind = QUEUE_GO, .at = at(RIGHT, BOTTOM) << 12 | at(LEFT, TOP), .size = sizeof go, .count = WORKERS},
         go);
    for (uint32_t i = 0; i < QUEUE_WORK_WORDS; i++) {
        host->work[i] += summand * (i + 1);
    }
    host->done += WORKERS;
    host->working = true;
}

static void read_work(struct host *host)
{
    unsigned x, y;
    wait_for_workers(host);
    place_of(any(host, WORKERS), &x, &y);
    expect(host, host->work, sizeof host->work);
    send(
        host,
        (struct queue_command){.kind = QUEUE_READ, .at = at(x, y), .address = QUEUE_WORK_AT, .size = sizeof host->work},
        NULL);
}

static void command(struct host *host)
{
    enum { MOST = QUEUE_PAGES_MAX * QUEUE_PAGE - QUEUE_HEAD };
    uint8_t data[MOST];
    unsigned x, y, place = any(host, PLACES);
    uint32_t size = 16 * (1 + any(host, MOST / 16)), offset = 64 * any(host, (DATA_SIZE - size) / 64);
    place_of(place, &x, &y);
    struct queue_command sent = {.at = at(x, y), .address = DATA_AT + offset, .size = size};
    switch (any(host, 6)) {
    case 0:
    case 1:
        sent.kind = QUEUE_WRITE;
        sent.address += place == WORKERS ? 32 : 0; /* modulo 64, as the data lie */
        sent.size = size = offset + size + 32 > DATA_SIZE ? 16 : size;
        fill(host, data, size);
        memcpy(host->data[place] + sent.address - DATA_AT, data, size);
        send(host, sent, data);
        break;
    case 2:
        sent.kind = QUEUE_ECHO;
        fill(host, data, size);
        expect(host, data, size);
        send(host, sent, data);
        break;
    case 3:
        sent.kind = QUEUE_READ;
        expect(host, host->data[place] + offset, size);
        send(host, sent, NULL);
        break;
    case 4: set_going(host, 1 + any(host, 1000)); break;
    default: read_work(host); break;
    }
}

static void commands_are_carried_out_in_order(void **context)
{
    enum { COMMANDS = 1500 };
    struct host *host = *context;
    start_all(host);
    for (unsigned i = 0; i < COMMANDS; i++) {
        command(host);
    }
    set_going(host, 0);
    wait_for_workers(host);
    send(host, (struct queue_command){.kind = QUEUE_STOP}, NULL);
    struct bh_run_result result = {.reason = BH_RAN_CYCLES};
    for (unsigned runs = 0; result.reason == BH_RAN_CYCLES; runs++) {
        assert_in_range(runs, 0, RUNS_MAX);
        assert_int_equal(bh_run(host->device, CYCLES_AT_A_TIME, &result), BH_OK);
        take_answers(host);
    }
    assert_int_equal(result.reason, BH_RAN_IDLE);
    assert_int_equal(host->expected_size, 0);
    assert_true(host->answers > COMMANDS / 4);
    for (unsigned place = 0; place < PLACES; place++) {
        static uint8_t data[DATA_SIZE];
        unsigned x, y;
        place_of(place, &x, &y);
        assert_int_equal(bh_read(host->device, x, y, DATA_AT, data, sizeof data), BH_OK);
        assert_memory_equal(data, host->data[place], sizeof data);
    }
}

/* No command is pending, so the device has nothing to do. */
static void an_empty_queue_waits_for_the_host(void **context)
{
    struct host *host = *context;
    start_all(host);
    struct bh_run_result result;
    assert_int_equal(bh_run(host->device, 500000, &result), BH_OK);
    assert_int_equal(result.reason, BH_RAN_CYCLES);
    const uint8_t hello[16] = "hello, host";
    expect(host, hello, sizeof hello);
    send(host, (struct queue_command){.kind = QUEUE_ECHO, .size = sizeof hello}, hello);
    assert_int_equal(bh_run(host->device, 40000, &result), BH_OK);
    take_answers(host);
    assert_int_equal(host->answers, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commands_are_carried_out_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_queue_waits_for_the_host, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
