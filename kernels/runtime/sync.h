/* Waiting within the coprocessor: what STALLWAIT and SEMWAIT block and wait for, and the semaphores.
   Source: chapter "stallwait conditions", ISA documentation STALLWAIT.md, SEMWAIT.md. */
#ifndef BHEMU_KERNELS_SYNC_H
#define BHEMU_KERNELS_SYNC_H

#include "mmio.h"

/* Block mask: which of this thread's instructions are held back. */
enum block {
    BLOCK_TDMA = 1 << 0, /* scalar, address, unpack and pack instructions */
    BLOCK_SYNC = 1 << 1,
    BLOCK_PACK = 1 << 2,
    BLOCK_UNPACK = 1 << 3,
    BLOCK_SCALAR = 1 << 5,
    BLOCK_MATH = 1 << 6,
    BLOCK_CONFIG = 1 << 7,
    BLOCK_VECTOR = 1 << 8
};

/* Condition mask: what they are held back for. */
enum wait_for {
    WAIT_SCALAR = 1 << 0,
    WAIT_UNPACKER0 = 1 << 1,
    WAIT_UNPACKER1 = 1 << 2,
    WAIT_UNPACKERS = WAIT_UNPACKER0 | WAIT_UNPACKER1,
    WAIT_PACKER = 1 << 3,
    WAIT_MATH = 1 << 4,
    WAIT_RISCV_CONFIG = 1 << 10,
    WAIT_VECTOR = 1 << 11,
    WAIT_CONFIG = 1 << 12
};

enum semaphore_condition { WHILE_ZERO = 1, WHILE_MAX = 2 };

/* The vendor's numbers, so that its debugging tools show them under their names. */
enum semaphore { SEMAPHORE_MATH_PACK = 1, SEMAPHORE_UNPACK_CONTEXT = 5 };

/* A semaphore as the RISC-V side sees it: reading gives the value, writing 0 posts, writing 1 gets. */
static inline volatile uint32_t *semaphore_window(enum semaphore semaphore)
{
    return &TENSIX_PC_BUFFER[8 + semaphore];
}

#endif
