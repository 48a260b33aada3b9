/* Environment variables: abi.h lists them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

enum { TEXT_SIZE = 200, MAXIMUM_THREADS = 64, MAXIMUM_HOST_CYCLES = 1000 * 1000 };

/* default, strict or silicon */
enum bh_policy_preset policy_from_environment(void)
{
    const char *name = getenv("BHEMU_POLICY");
    if (!name || !*name || !strcmp(name, "default")) {
        return BH_POLICY_DEFAULT;
    }
    if (!strcmp(name, "strict")) {
        return BH_POLICY_STRICT;
    }
    if (!strcmp(name, "silicon")) {
        return BH_POLICY_SILICON;
    }
    abi_fail("ConfigurationError", "BHEMU_POLICY is \"%s\"; it may be default, strict or silicon", name);
}

static _Noreturn void wrong_board(const char *text)
{
    abi_fail("ConfigurationError",
             "BHEMU_BOARD is \"%s\"; it may be full, p100a or p150a, then ,tensix=MASK ,ethernet=MASK ,dram=MASK",
             text);
}

/* "name=mask" */
static bool set_mask(struct bh_tiles *tiles, char *part)
{
    char *value = strchr(part, '='), *end;
    if (!value || !value[1]) {
        return false;
    }
    *value++ = 0;
    unsigned long mask = strtoul(value, &end, 0);
    if (*end || mask > UINT16_MAX) {
        return false;
    }
    if (!strcmp(part, "tensix")) {
        tiles->tensix_columns = (uint16_t)mask;
    } else if (!strcmp(part, "ethernet")) {
        tiles->ethernet = (uint16_t)mask;
    } else if (!strcmp(part, "dram") && mask <= UINT8_MAX) {
        tiles->dram = (uint8_t)mask;
    } else {
        return false;
    }
    return true;
}

enum bh_board board_from_environment(struct bh_tiles *tiles)
{
    const char *text = getenv("BHEMU_BOARD");
    char copy[TEXT_SIZE], *rest = NULL;
    enum bh_board board;
    if (!text || !*text) {
        (void)bh_board_by_name("full", &board, tiles);
        return board;
    }
    if (strlen(text) >= sizeof copy) {
        wrong_board(text);
    }
    memcpy(copy, text, strlen(text) + 1);
    const char *name = strtok_r(copy, ",", &rest);
    if (!name || bh_board_by_name(name, &board, tiles) != BH_OK) {
        wrong_board(text);
    }
    for (char *part = strtok_r(NULL, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        if (!set_mask(tiles, part)) {
            wrong_board(text);
        }
    }
    return board;
}

unsigned number_from_environment(const char *name, unsigned otherwise, unsigned least, unsigned most)
{
    const char *text = getenv(name);
    if (!text || !*text) {
        return otherwise;
    }
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < least || value > most) {
        abi_fail("ConfigurationError", "%s is \"%s\"; it may be %u to %u", name, text, least, most);
    }
    return (unsigned)value;
}

unsigned threads_from_environment(void)
{
    return number_from_environment("BHEMU_THREADS", 1, 1, MAXIMUM_THREADS);
}

bool print_from_environment(void)
{
    return number_from_environment("BHEMU_PRINT", 0, 0, 1);
}

bool verify_from_environment(void)
{
    return number_from_environment("BHEMU_VERIFY", 0, 0, 1);
}

uint64_t jitter_from_environment(void)
{
    return number_from_environment("BHEMU_JITTER", 0, 0, UINT32_MAX);
}

enum bh_engine engine_from_environment(void)
{
    const char *text = getenv("BHEMU_ENGINE");
    enum bh_engine engine = BH_ENGINE_FAST;
    if (text && *text && bh_engine_by_name(text, &engine) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_ENGINE is \"%s\"; it may be fast or plain", text);
    }
    return engine;
}

enum bh_mode mode_from_environment(void)
{
    const char *text = getenv("BHEMU_MODE");
    enum bh_mode mode = BH_MODE_FUNCTIONAL;
    if (text && *text && bh_mode_by_name(text, &mode) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_MODE is \"%s\"; it may be functional or timed", text);
    }
    return mode;
}

enum bh_on_error on_error_from_environment(void)
{
    const char *text = getenv("BHEMU_ON_ERROR");
    enum bh_on_error on_error = BH_ON_ERROR_STOP;
    if (text && *text && bh_on_error_by_name(text, &on_error) != BH_OK) {
        abi_fail("ConfigurationError", "BHEMU_ON_ERROR is \"%s\"; it may be stop or report", text);
    }
    return on_error;
}

unsigned host_cycles_from_environment(void)
{
    return number_from_environment("BHEMU_HOST_CYCLES", 0, 0, MAXIMUM_HOST_CYCLES);
}

uint64_t clock_from_environment(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) {
        return 0;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno) {
        abi_fail("ConfigurationError", "%s is \"%s\"; it may be a clock, a decimal number", name, text);
    }
    return value;
}

bool switch_from_environment(const char *name)
{
    return number_from_environment(name, 0, 0, 1);
}

unsigned tiles_from_environment(struct bh_tile tiles[ABI_MAXIMUM_TILES])
{
    const char *text = getenv("BHEMU_TILES");
    unsigned count = 0;
    for (const char *at = text; at && *at;) {
        unsigned x, y;
        int length = 0;
        if (sscanf(at, "%3u-%3u%n", &x, &y, &length) != 2 || (at[length] && at[length] != ',') || x > UINT8_MAX ||
            y > UINT8_MAX || count == ABI_MAXIMUM_TILES) {
            abi_fail("ConfigurationError", "BHEMU_TILES is \"%s\"; it may be a list of at most %d tiles, as 1-2,3-4",
                     text, ABI_MAXIMUM_TILES);
        }
        tiles[count++] = (struct bh_tile){(uint8_t)x, (uint8_t)y};
        at += length + (at[length] == ',');
    }
    return count;
}
