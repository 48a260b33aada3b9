/* The windows through which a baby RISC-V core reaches the Tensix coprocessor and the tile.
   Source: ISA documentation, BabyRISCV/README.md (memory map), PCBufs.md, TTSync.md, MemoryOrdering.md. */
#ifndef BHEMU_KERNELS_MMIO_H
#define BHEMU_KERNELS_MMIO_H

#include <stdint.h>

#include "layout.h"
#include "tensix.h"
#include "tensix_config.h"

#define TENSIX_CONFIG ((volatile uint32_t *)0xffef0000)
#define TENSIX_MOP_CONFIG ((volatile uint32_t *)0xffb80000)
#define TENSIX_PC_BUFFER ((volatile uint32_t *)0xffe80000)
#define STREAM_REGISTERS 0xffb40000
#define SOFT_RESET ((volatile uint32_t *)0xffb121b0)

/* Cores in the order of their completion words. */
enum kernel_core { KERNEL_BRISC, KERNEL_TRISC0, KERNEL_TRISC1, KERNEL_TRISC2, KERNEL_NCRISC, KERNEL_CORES };

enum data_format { FORMAT_FP32 = 0, FORMAT_FP16 = 1, FORMAT_TF32 = 4, FORMAT_BF16 = 5, FORMAT_BFP8 = 6 };

/* A value at a field's place within its 32-bit configuration register. */
#define CONFIG_VALUE(field, value) ((uint32_t)(value) << field##_SHAMT & field##_MASK)

/* Writes a whole register of Config from the RISC-V side. What the coprocessor does next must wait for TRISC_CFG. */
#define CONFIG_WRITE(field, value) ((void)(TENSIX_CONFIG[field##_ADDR32] = (value)))

/* Changes one field of Config, or several within one register, from within the instruction stream; bytes that mask does
   not touch, which may be another thread's, are left alone. mask and address are constants. */
#define CONFIG_MODIFY_MASK(address, mask, value)                                                                       \
    do {                                                                                                               \
        if ((mask)&0xff) {                                                                                             \
            TT_RMWCIB0((mask)&0xff, (value)&0xff, address);                                                            \
        }                                                                                                              \
        if ((mask) >> 8 & 0xff) {                                                                                      \
            TT_RMWCIB1((mask) >> 8 & 0xff, (value) >> 8 & 0xff, address);                                              \
        }                                                                                                              \
        if ((mask) >> 16 & 0xff) {                                                                                     \
            TT_RMWCIB2((mask) >> 16 & 0xff, (value) >> 16 & 0xff, address);                                            \
        }                                                                                                              \
        if ((uint32_t)(mask) >> 24) {                                                                                  \
            TT_RMWCIB3((uint32_t)(mask) >> 24, (uint32_t)(value) >> 24, address);                                      \
        }                                                                                                              \
    } while (0)
#define CONFIG_MODIFY(field, value) CONFIG_MODIFY_MASK(field##_ADDR32, field##_MASK, CONFIG_VALUE(field, value))

/* Nothing after this load is performed before it has its value. */
static inline uint32_t load_complete(const volatile uint32_t *address)
{
    uint32_t value = *address;
    __asm__ volatile("and zero, %0, %0" : : "r"(value) : "memory");
    return value;
}

/* A load from L1 that sees what others wrote: `fence` empties the core's data cache. */
static inline uint32_t load_shared(const volatile uint32_t *address)
{
    __asm__ volatile("fence" : : : "memory");
    return load_complete(address);
}

/* By the core that starts the others, before it does: none of them has ended. */
static inline void completions_clear(void)
{
    volatile uint32_t *completion = (volatile uint32_t *)LAYOUT_COMPLETION;
    for (uint32_t core = KERNEL_TRISC0; core < KERNEL_CORES; core++) {
        completion[core] = 0;
    }
    load_shared(&completion[KERNEL_NCRISC]);
}

/* Waits until the coprocessor has finished all instructions of this thread. */
static inline void tensix_wait_idle(void)
{
    TENSIX_PC_BUFFER[1] = 0;
    load_complete(&TENSIX_PC_BUFFER[1]);
}

/* Waits until this thread's MOP expander is idle, so that its configuration may change. */
static inline void mop_wait_idle(void)
{
    TENSIX_PC_BUFFER[2] = 0;
    load_complete(&TENSIX_PC_BUFFER[2]);
}

/* The first instruction of a thread. Hardware wants it after reset, even though the value is zero already: without it
   Auto TTSync misbehaves (ISA documentation, SETC16.md). */
static inline void tensix_begin(void)
{
    TTI_SETC16(CFG_STATE_ID_StateID_ADDR32, 0);
    TTI_NOP;
    TTI_NOP;
    TTI_NOP;
}

/* Sets 16 bits of a 32-bit GPR of this thread, half 2 * gpr the low ones; the scalar unit does it, so that a WRCFG must
   wait for WAIT_SCALAR first. */
static inline void gpr_set_half(unsigned half, uint32_t value)
{
    TT_SETDMAREG(value >> 14 & 3, value & 0x3fff, 0, half);
}

/* gpr: 0 to 63. Two SETDMAREG, one for each half. */
static inline void gpr_set(unsigned gpr, uint32_t value)
{
    gpr_set_half(2 * gpr, value & 0xffff);
    gpr_set_half(2 * gpr + 1, value >> 16);
}

#endif
