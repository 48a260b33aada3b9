/* The linker script of the firmware of a core; the preprocessor puts in CODE, CODE_SIZE and LOCAL_SIZE. Constants are
   part of the image of local RAM. Kernels go on where firmware ends: see kernel.ld.S. */
#include "layout.h"

OUTPUT_ARCH(riscv)
ENTRY(_start)

PHDRS
{
    text PT_LOAD;
    data PT_LOAD;
}

SECTIONS
{
    .text CODE : { KEEP(*(.text.start)) *(.text .text.*) . = ALIGN(16); } : text
    ASSERT(SIZEOF(.text) <= CODE_SIZE, "the firmware does not fit into its place")

    .data METAL_LOCAL_RAM : {
        *(.rodata .rodata.* .srodata .srodata.* .data .data.* .sdata .sdata.*) . = ALIGN(4);
    } : data
    data_start = METAL_LOCAL_RAM;
    data_end = METAL_LOCAL_RAM + SIZEOF(.data);
    .bss METAL_LOCAL_RAM + SIZEOF(.data) (NOLOAD) : {
        bss_start = .; *(.sbss .sbss.* .bss .bss.* COMMON) . = ALIGN(16); bss_end = .;
    } : data
    __global_pointer$ = METAL_LOCAL_RAM + 0x7f0;
    firmware_local_end = ABSOLUTE(bss_end);
    stack_top = METAL_LOCAL_RAM + LOCAL_SIZE;

    /DISCARD/ : { *(.eh_frame .eh_frame.* .comment .note .note.* .riscv.attributes) }
}
