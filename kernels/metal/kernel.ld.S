/* The linker script of a kernel; firmware_local_end comes from the firmware that it is linked against. It is linked to
   the end of the reserved memory, and moved to where a launch wants it. */
#include "layout.h"

OUTPUT_ARCH(riscv)
ENTRY(kernel_start)

PHDRS
{
    text PT_LOAD;
    data PT_LOAD;
}

SECTIONS
{
    /* Formats of DPRINT, which are not loaded. */
    .device_print_strings 0x6400000 (INFO) : { KEEP(*(.device_print_strings)) }
    .device_print_strings_info 0x6500000 (INFO) : {
        __device_print_strings_info_start = .; KEEP(*(.device_print_strings_info))
    }

    .text METAL_BRISC_IMAGE : { KEEP(*(.text.start)) *(.text .text.*) . = ALIGN(4); kernel_data_image = .; } : text
    .data firmware_local_end : AT(LOADADDR(.text) + SIZEOF(.text)) {
        *(.rodata .rodata.* .srodata .srodata.* .data .data.* .sdata .sdata.*) . = ALIGN(4);
    } : data
    kernel_data_start = firmware_local_end;
    kernel_data_end = firmware_local_end + SIZEOF(.data);
    .bss firmware_local_end + SIZEOF(.data) (NOLOAD) : {
        kernel_bss_start = .; *(.sbss .sbss.* .bss .bss.* COMMON) . = ALIGN(4); kernel_bss_end = .;
    } : data
    ASSERT(kernel_bss_end + 256 <= METAL_LOCAL_RAM + LOCAL_SIZE, "less than 256 bytes are left for the stack")

    /DISCARD/ : { *(.eh_frame .eh_frame.* .comment .note .note.* .riscv.attributes) }
}
