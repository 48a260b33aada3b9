/* Whatever comes as packets: random commands to a server whose device has a loop to run. For the sanitizers. */
#include "bhemu/gdb.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { PACKETS = 3000, CYCLES = 1000000 };

static unsigned seed = 1;

static unsigned draw(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static void send_packet(int to, const char *payload, size_t size)
{
    char frame[600];
    unsigned char sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += (unsigned char)payload[i];
    }
    frame[0] = '$';
    memcpy(frame + 1, payload, size);
    (void)snprintf(frame + 1 + size, 4, "#%02x", sum);
    (void)!send(to, frame, size + 4, MSG_NOSIGNAL);
}

static size_t random_packet(char packet[500])
{
    static const char *const words[] = {"?",
                                        "g",
                                        "G",
                                        "p20",
                                        "P1=01000000",
                                        "P20=00100000",
                                        "m0,40",
                                        "mffb00000,8",
                                        "M0,4:",
                                        "X100,4:",
                                        "Z0,4,4",
                                        "z0,4,4",
                                        "Z2,1000,4",
                                        "Z4,ffb00000,4",
                                        "Hg1",
                                        "Hg2",
                                        "Hc-1",
                                        "T1",
                                        "T77",
                                        "vCont?",
                                        "vCont;c",
                                        "vCont;s:1",
                                        "vCont;s;c",
                                        "vCont;r0,8",
                                        "vCont;t",
                                        "vStopped",
                                        "vCtrlC",
                                        "vRun;x",
                                        "qSupported",
                                        "qC",
                                        "qfThreadInfo",
                                        "QNonStop:",
                                        "qRcmd,",
                                        "qRcmd,64756d7020",
                                        "qRcmd,7265636f7264206f6e",   /* record on */
                                        "qRcmd,7265636f7264206f6666", /* record off */
                                        "qXfer:threads:read::0,",
                                        "qXfer:features:read:target.xml:",
                                        "qXfer:memory-map:read::",
                                        "qThreadExtraInfo,",
                                        "s",
                                        "c",
                                        "bs",
                                        "bc",
                                        "R",
                                        "!"};
    size_t size = (size_t)snprintf(packet, 400, "%s", words[draw(sizeof words / sizeof *words)]);
    while (draw(3) && size < 400) {
        static const char often[] = "0123456789abcdef,:;-=";
        packet[size++] = draw(10) ? often[draw(sizeof often - 1)] : (char)(' ' + draw(3)); /* no # $ } */
    }
    for (size_t i = 0; i < size; i++) {
        packet[i] = packet[i] == '#' || packet[i] == '$' ? '0' : packet[i];
    }
    return size;
}

static void *be_gdb(void *context)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(uintptr_t)context)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int gdb = socket(AF_INET, SOCK_STREAM, 0);
    char packet[500], answers[4096];
    if (connect(gdb, (struct sockaddr *)&address, sizeof address) != 0) {
        return NULL;
    }
    for (unsigned i = 0; i < PACKETS; i++) {
        send_packet(gdb, packet, random_packet(packet));
        if (draw(8) == 0) {
            (void)!send(gdb, "\3-+$x", draw(6), MSG_NOSIGNAL);
        }
        while (recv(gdb, answers, sizeof answers, MSG_DONTWAIT) > 0) {
        }
    }
    shutdown(gdb, SHUT_WR); /* the server reads all of them before the end */
    while (recv(gdb, answers, sizeof answers, 0) > 0) {
    }
    close(gdb);
    return context;
}

static void random_packets_do_no_harm(void **context)
{
    static const uint32_t program[] = {0x000012b7, 0x00128293, 0x0002a023, 0xff5ff06f}; /* stores to L1 in a loop */
    const struct bh_tile tile = {1, 2};
    for (unsigned round = 0; round < 4; round++) {
        struct bh_gdb_options options = {.tiles = &tile, .tile_count = 1};
        struct bh_device *device;
        struct bh_gdb *gdb;
        struct bh_error error;
        pthread_t thread;
        const struct bh_device_config config = {.mode = round % 2 ? BH_MODE_TIMED : BH_MODE_FUNCTIONAL};
        assert_int_equal(bh_device_create(&config, &device), BH_OK);
        assert_int_equal(bh_write(device, 1, 2, 0, program, sizeof program), BH_OK);
        assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_B, 0), BH_OK);
        assert_int_equal(bh_gdb_open(&options, &gdb, &error), BH_OK);
        assert_int_equal(bh_gdb_attach(gdb, device, &error), BH_OK);
        pthread_create(&thread, NULL, be_gdb, (void *)(uintptr_t)bh_gdb_port(gdb));
        (void)bh_gdb_run(gdb, CYCLES, NULL);
        bh_gdb_close(gdb);
        pthread_join(thread, NULL);
        bh_device_destroy(device);
    }
}

struct flooded {
    uint16_t port;
    volatile sig_atomic_t interrupted, ended, late;
};

/* Sends, and never reads, until answers fill all buffers; then the user interrupts, and the server gives it up. */
static void *flood(void *context)
{
    struct flooded *flooded = context;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(flooded->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int gdb = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(gdb, (struct sockaddr *)&address, sizeof address) == 0) {
        static const char packets[] = "$g#67$g#67$g#67$g#67$g#67$g#67$g#67$g#67";
        for (unsigned idle = 0; idle < 20;) {
            bool sent = send(gdb, packets, sizeof packets - 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
            idle = sent ? 0 : idle + 1;
            usleep(sent ? 0 : 10000);
        }
    }
    flooded->interrupted = SIGINT;
    for (unsigned i = 0; i < 3000 && !flooded->ended; i++) {
        usleep(10000);
    }
    flooded->late = !flooded->ended;
    close(gdb);
    return NULL;
}

static void who_does_not_read_is_given_up(void **context)
{
    static const uint32_t program[] = {0x0000006f};
    const struct bh_tile tile = {1, 2};
    struct flooded flooded = {0};
    const struct bh_gdb_options options = {.tiles = &tile, .tile_count = 1, .interrupted = &flooded.interrupted};
    const struct bh_device_config config = {.interrupted = &flooded.interrupted};
    struct bh_device *device;
    struct bh_gdb *gdb;
    struct bh_error error;
    pthread_t thread;
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    assert_int_equal(bh_write(device, 1, 2, 0, program, sizeof program), BH_OK);
    assert_int_equal(bh_core_start(device, 1, 2, BH_CORE_B, 0), BH_OK);
    assert_int_equal(bh_gdb_open(&options, &gdb, &error), BH_OK);
    assert_int_equal(bh_gdb_attach(gdb, device, &error), BH_OK);
    flooded.port = (uint16_t)bh_gdb_port(gdb);
    pthread_create(&thread, NULL, flood, &flooded);
    (void)bh_gdb_run(gdb, CYCLES, NULL);
    flooded.ended = 1;
    bh_gdb_close(gdb);
    pthread_join(thread, NULL);
    bh_device_destroy(device);
    assert_false(flooded.late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_packets_do_no_harm),
                                       cmocka_unit_test(who_does_not_read_is_given_up)};
    return cmocka_run_group_tests_name("gdb, random packets", tests, NULL, NULL);
}
