/* The linker script of every core; the preprocessor puts in CODE, CODE_SIZE and PRINT (see kernels/CMakeLists.txt).
   Constants and the image of initialised data lie in L1 behind the code; crt0.S copies the data to local RAM. */
#include "layout.h"

OUTPUT_ARCH(riscv)
ENTRY(_start)

MEMORY
{
    code (rwx) : ORIGIN = CODE, LENGTH = CODE_SIZE
    print (rw) : ORIGIN = PRINT, LENGTH = LAYOUT_PRINT_SIZE
    local (rw) : ORIGIN = LAYOUT_LOCAL_RAM, LENGTH = LAYOUT_LOCAL_RAM_SIZE
}

SECTIONS
{
    .text : { KEEP(*(.text.start)) *(.text .text.*) . = ALIGN(4); } > code
    .rodata : { *(.rodata .rodata.* .srodata .srodata.*) . = ALIGN(4); } > code

    .print : { *(.print) } > print /* the print buffer, if the program prints */

    .data : { data_start = .; *(.data .data.*) __global_pointer$ = . + 0x800; *(.sdata .sdata.*) . = ALIGN(4); data_end = .; } > local AT > code
    data_image = LOADADDR(.data);
    .bss (NOLOAD) : { bss_start = .; *(.sbss .sbss.* .bss .bss.* COMMON) . = ALIGN(4); bss_end = .; } > local AT > code
    stack_top = LAYOUT_LOCAL_RAM + LAYOUT_LOCAL_RAM_SIZE;
    ASSERT(bss_end + 512 <= stack_top, "less than 512 bytes are left for the stack")

    /DISCARD/ : { *(.eh_frame .eh_frame.* .comment .note .note.* .riscv.attributes) }
}
