/* A list of NoC requests that a host leaves in L1 for kernels/noc/interpreter.c, and what that leaves for the host. */
#ifndef BHEMU_KERNELS_NOC_COMMANDS_H
#define BHEMU_KERNELS_NOC_COMMANDS_H

#include <stdint.h>

enum {
    NOC_COMMANDS = 0x30000, /* struct noc_commands */
    NOC_COUNTERS = 0x17000, /* uint32_t [2][64]: what the counters of both NoCs are at the end; 0: not read */
    NOC_COMMANDS_MAX = 2000,
    NOC_COMMAND_WAIT = 1 << 3, /* of `place`: the next command starts only when this one is done */
};

struct noc_command {
    uint32_t place;     /* bit 0: NoC; bits 2:1: initiator; NOC_COMMAND_WAIT */
    uint32_t target[3]; /* NOC_TARG_ADDR_LO, _MID, _HI */
    uint32_t back[3];   /* NOC_RET_ADDR_LO, _MID, _HI */
    uint32_t tag;       /* NOC_PACKET_TAG */
    uint32_t ctrl;      /* NOC_CTRL */
    uint32_t length;    /* NOC_AT_LEN_BE */
    uint32_t data;      /* NOC_AT_DATA */
    uint32_t responses; /* how many acknowledgements or responses come to this tile */
};

struct noc_commands {
    uint32_t count;
    struct noc_command command[];
};

#endif
