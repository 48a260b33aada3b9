/* Environment variables: BHEMU_POLICY, BHEMU_BOARD and BHEMU_THREADS. */
#include <stdlib.h>
#include <string.h>

#include "abi.h"

enum { TEXT_SIZE = 200, MAXIMUM_THREADS = 64 };

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
    if (!text || !*text) {
        text = "full";
    }
    char copy[TEXT_SIZE], *rest = NULL;
    enum bh_board board;
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

unsigned threads_from_environment(void)
{
    const char *text = getenv("BHEMU_THREADS");
    if (!text || !*text) {
        return 1;
    }
    char *end;
    unsigned long threads = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || threads < 1 || threads > MAXIMUM_THREADS) {
        abi_fail("ConfigurationError", "BHEMU_THREADS is \"%s\"; it may be 1 to %d", text, MAXIMUM_THREADS);
    }
    return (unsigned)threads;
}
