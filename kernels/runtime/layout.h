/* Where everything of a kernel lies in the L1 of its tile. Read by C, by the assembler and by the linker script.
   Each core's code begins at the address where hardware lets that core begin when its reset PC is not overridden
   (ISA documentation, SoftReset.md), so that a host need only release it. */
#ifndef BHEMU_KERNELS_LAYOUT_H
#define BHEMU_KERNELS_LAYOUT_H

#define LAYOUT_BRISC_CODE 0x00000
#define LAYOUT_BRISC_CODE_SIZE 0x6000
#define LAYOUT_TRISC0_CODE 0x06000
#define LAYOUT_TRISC1_CODE 0x0a000
#define LAYOUT_TRISC2_CODE 0x0e000
#define LAYOUT_TRISC_CODE_SIZE 0x4000
#define LAYOUT_NCRISC_CODE 0x12000
#define LAYOUT_NCRISC_CODE_SIZE 0x4000

/* E0 and E1 of an Ethernet tile; their reset PCs the host sets. */
#define LAYOUT_ERISC0_CODE 0x06000
#define LAYOUT_ERISC1_CODE 0x0a000
#define LAYOUT_ERISC_CODE_SIZE 0x4000

/* DRISC of a DRAM tile, likewise. Its L1 ends at 0x20000. */
#define LAYOUT_DRISC_CODE 0x06000
#define LAYOUT_DRISC_CODE_SIZE 0x4000

/* One word for each core, in the order of enum kernel_core, with E0 and E1 as the second and third, DRISC as the first;
   a core whose program has ended leaves COMPLETION_DONE. */
#define LAYOUT_COMPLETION 0x16000
#define COMPLETION_DONE 0x444f4e45

/* struct arguments (runtime/arguments.h), written by the host before it releases the first core. */
#define LAYOUT_ARGUMENTS 0x16100

/* A word that all cores count messages in, and print buffers of B, T0, T1, T2 and NC, of those whose programs print
   (runtime/print.h; tables/print.def has the same numbers). */
#define LAYOUT_PRINT_SEQUENCE 0x16bfc
#define LAYOUT_PRINT 0x16c00
#define LAYOUT_PRINT_SIZE 0x400

/* The storage of the circular buffers (runtime/circular_buffer.h); what of it belongs to which buffer a kernel says. */
#define LAYOUT_BUFFERS 0x18000
#define LAYOUT_BUFFERS_SIZE 0x18000

/* From here on L1 belongs to tensors; their addresses come in the arguments. */
#define LAYOUT_TENSORS 0x30000

/* A core's own RAM: data, bss and stack. B and NC have 8 KiB, T0-T2 have 4 KiB. */
#define LAYOUT_LOCAL_RAM 0xffb00000
#define LAYOUT_LOCAL_RAM_SIZE 0x1000

#endif
