/* Addresses of this firmware's data in the L1 of its tile and in the local RAM of its cores: the layout "January 2026"
   of tables/tt_metal.def. Read by C, by the assembler and by the linker scripts. */
#ifndef BHEMU_KERNELS_METAL_LAYOUT_H
#define BHEMU_KERNELS_METAL_LAYOUT_H

#define METAL_RUN_STATES 0x68
#define METAL_LAUNCH_READ_PTR 0x6c
#define METAL_LAUNCH 0x70
#define METAL_GO 0x370
#define METAL_GO_INDEX 0x3a0
#define METAL_PRINT_BUFFERS 0x4b8
#define METAL_LOGICAL_X 0x9a0
#define METAL_LOGICAL_Y 0x9a1
#define METAL_ZEROES 0x3240
#define METAL_ZEROES_SIZE 512

/* Code of B, NC, T0, T1, T2, and room for it. */
#define METAL_BRISC_CODE 0x3840
#define METAL_BRISC_CODE_SIZE 0x1c00
#define METAL_NCRISC_CODE 0x5440
#define METAL_NCRISC_CODE_SIZE 0x600
#define METAL_TRISC0_CODE 0x5a40
#define METAL_TRISC1_CODE 0x6040
#define METAL_TRISC2_CODE 0x6640
#define METAL_TRISC_CODE_SIZE 0x600

/* What the host leaves for the start: images of the local RAMs, tables of banks, logical columns and rows. */
#define METAL_BRISC_IMAGE 0x82b0
#define METAL_NCRISC_IMAGE 0xa2b0
#define METAL_TRISC0_IMAGE 0xc2b0
#define METAL_TRISC1_IMAGE 0xd2b0
#define METAL_TRISC2_IMAGE 0xe2b0
#define METAL_BANKS 0x112b0
#define METAL_COLUMNS 0x11ab0

/* Local RAM: the firmware's part, then the kernel's, then the stack, which they share. */
#define METAL_LOCAL_RAM 0xffb00000
#define METAL_LOCAL_RAM_SIZE 0x1000

#define METAL_DRAM_BANKS 7
#define METAL_L1_BANKS 110
#define METAL_BUFFERS 32

/* The dispatcher's counter that is told when a launch by the device has ended: SPACE_AVAILABLE_UPDATE of stream 48. */
#define METAL_DISPATCHER_COUNTER (0xffb40000 + 48 * 0x1000 + 270 * 4)

#endif
