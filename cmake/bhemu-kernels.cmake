# bhemu_add_kernel(): how kernels are compiled, here and in projects that use an installed bhemu (find_package(bhemu)).
# Whoever includes this has set BHEMU_KERNEL_RUNTIME, BHEMU_KERNEL_INCLUDES (folders) and BHEMU_KERNEL_PROBE, the script
# scripts/kernel-compiler. KERNEL_COMPILER may name a compiler.
set(KERNEL_COMPILER "$ENV{KERNEL_COMPILER}" CACHE STRING
    "Compiler of the kernels; empty: the first that scripts/kernel-compiler knows and finds")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${BHEMU_KERNEL_PROBE})
execute_process(COMMAND ${BHEMU_KERNEL_PROBE} ${KERNEL_COMPILER}
    OUTPUT_VARIABLE BHEMU_KERNEL_FOUND RESULT_VARIABLE BHEMU_KERNEL_NOT_FOUND)
string(REGEX MATCH "^([^\n]*)\n([^\n]*)" BHEMU_KERNEL_FOUND "${BHEMU_KERNEL_FOUND}")
separate_arguments(BHEMU_KERNEL_CC UNIX_COMMAND "${CMAKE_MATCH_1}")
set(BHEMU_KERNEL_LIBRARIES ${CMAKE_MATCH_2})

set(BHEMU_KERNEL_FLAGS
    -mcmodel=medany -msmall-data-limit=8 -O2 -g -std=gnu17 -ffreestanding -fno-builtin
    -ffunction-sections -fdata-sections -Wall -Wextra -I${BHEMU_KERNEL_RUNTIME})
list(TRANSFORM BHEMU_KERNEL_INCLUDES PREPEND -I OUTPUT_VARIABLE BHEMU_KERNEL_INCLUDE_FLAGS)
list(APPEND BHEMU_KERNEL_FLAGS ${BHEMU_KERNEL_INCLUDE_FLAGS})
if(CMAKE_COMPILE_WARNING_AS_ERROR)
    list(APPEND BHEMU_KERNEL_FLAGS -Werror)
endif()

# The core's place in L1, and its place among the completion words (runtime/layout.h).
set(BHEMU_KERNEL_brisc LAYOUT_BRISC_CODE LAYOUT_BRISC_CODE_SIZE 0)
set(BHEMU_KERNEL_ncrisc LAYOUT_NCRISC_CODE LAYOUT_NCRISC_CODE_SIZE 4)
set(BHEMU_KERNEL_trisc0 LAYOUT_TRISC0_CODE LAYOUT_TRISC_CODE_SIZE 1)
set(BHEMU_KERNEL_trisc1 LAYOUT_TRISC1_CODE LAYOUT_TRISC_CODE_SIZE 2)
set(BHEMU_KERNEL_trisc2 LAYOUT_TRISC2_CODE LAYOUT_TRISC_CODE_SIZE 3)
set(BHEMU_KERNEL_erisc0 LAYOUT_ERISC0_CODE LAYOUT_ERISC_CODE_SIZE 1)
set(BHEMU_KERNEL_erisc1 LAYOUT_ERISC1_CODE LAYOUT_ERISC_CODE_SIZE 2)
set(BHEMU_KERNEL_drisc LAYOUT_DRISC_CODE LAYOUT_DRISC_CODE_SIZE 0)

# bhemu_add_kernel(NAME CORE SOURCE... [DEPENDS FILE...]): NAME.CORE.elf in ${BHEMU_KERNEL_OUTPUT}, by default the
# folder "kernels" of the build, for one core of brisc, ncrisc, trisc0, trisc1, trisc2, erisc0, erisc1, drisc. Sources are C or
# assembly, relative to the current folder; it is built again when one of them changes, or a header beside them, or one
# of the files. Target bhemu_kernels builds all of them.
function(bhemu_add_kernel name core)
    cmake_parse_arguments(KERNEL "" "" "DEPENDS" ${ARGN})
    set(sources ${KERNEL_UNPARSED_ARGUMENTS})
    if(NOT DEFINED BHEMU_KERNEL_${core})
        message(FATAL_ERROR "bhemu_add_kernel(${name} ${core}): there is no core ${core}; there are brisc, ncrisc, trisc0, "
            "trisc1, trisc2 of Tensix tiles, erisc0, erisc1 of Ethernet tiles, drisc of DRAM tiles")
    endif()
    if(NOT sources)
        message(FATAL_ERROR "bhemu_add_kernel(${name} ${core}): there are no sources")
    endif()
    if(BHEMU_KERNEL_NOT_FOUND)
        message(FATAL_ERROR "There is no compiler for RV32IM with Zba and Zbb (Debian: gcc-riscv64-unknown-elf; "
            "-DKERNEL_COMPILER=... names another)")
    endif()
    list(GET BHEMU_KERNEL_${core} 0 code)
    list(GET BHEMU_KERNEL_${core} 1 size)
    list(GET BHEMU_KERNEL_${core} 2 index)
    set(headers)
    foreach(source ${sources})
        get_filename_component(full ${source} ABSOLUTE)
        get_filename_component(folder ${full} DIRECTORY)
        file(GLOB beside CONFIGURE_DEPENDS ${folder}/*.h ${folder}/*.inc)
        list(APPEND headers ${beside})
        list(APPEND full_sources ${full})
    endforeach()
    file(GLOB runtime ${BHEMU_KERNEL_RUNTIME}/*)
    if(NOT BHEMU_KERNEL_OUTPUT)
        set(BHEMU_KERNEL_OUTPUT ${PROJECT_BINARY_DIR}/kernels)
    endif()
    file(MAKE_DIRECTORY ${BHEMU_KERNEL_OUTPUT})
    set(elf ${BHEMU_KERNEL_OUTPUT}/${name}.${core}.elf)
    add_custom_command(OUTPUT ${elf}
        COMMAND ${BHEMU_KERNEL_CC} -E -P -x assembler-with-cpp -I${BHEMU_KERNEL_RUNTIME} -DCODE=${code} -DCODE_SIZE=${size}
            "-DPRINT=(LAYOUT_PRINT+LAYOUT_PRINT_SIZE*${index})" ${BHEMU_KERNEL_RUNTIME}/kernel.ld.S -o ${elf}.ld
        COMMAND ${BHEMU_KERNEL_CC} ${BHEMU_KERNEL_FLAGS} "-DCOMPLETION=(LAYOUT_COMPLETION+4*${index})"
            -nostdlib -Wl,--gc-sections -Wl,--build-id=none -T ${elf}.ld ${BHEMU_KERNEL_RUNTIME}/crt0.S ${full_sources}
            ${BHEMU_KERNEL_LIBRARIES} -o ${elf}
        DEPENDS ${full_sources} ${headers} ${runtime} ${KERNEL_DEPENDS}
        COMMENT "Building kernel ${name}.${core}" VERBATIM)
    set_property(GLOBAL APPEND PROPERTY KERNEL_ELFS ${elf})
    if(NOT TARGET bhemu_kernels)
        add_custom_target(bhemu_kernels ALL)
    endif()
    add_custom_target(bhemu_kernel_${name}_${core} DEPENDS ${elf})
    add_dependencies(bhemu_kernels bhemu_kernel_${name}_${core})
endfunction()
