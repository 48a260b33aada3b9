# What kernels include: ${PROJECT_BINARY_DIR}/generated/kernel/{tensix,tensix_config}.h, from tables/. Target kernel_headers.
set(KERNEL_HEADER_DIR ${PROJECT_BINARY_DIR}/generated/kernel)
file(MAKE_DIRECTORY ${KERNEL_HEADER_DIR})

add_executable(generate_kernel_headers
    ${PROJECT_SOURCE_DIR}/kernels/headers/generate.c ${PROJECT_SOURCE_DIR}/src/isa/tensix_table.c)
target_link_libraries(generate_kernel_headers PRIVATE bhemu_flags)
set_target_properties(generate_kernel_headers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/generated)

add_custom_command(OUTPUT ${KERNEL_HEADER_DIR}/tensix.h
    COMMAND generate_kernel_headers tensix ${KERNEL_HEADER_DIR}/tensix.h
    DEPENDS generate_kernel_headers COMMENT "Writing kernel/tensix.h" VERBATIM)
add_custom_command(OUTPUT ${KERNEL_HEADER_DIR}/tensix_config.h
    COMMAND generate_kernel_headers config ${KERNEL_HEADER_DIR}/tensix_config.h
    DEPENDS generate_kernel_headers COMMENT "Writing kernel/tensix_config.h" VERBATIM)
add_custom_target(kernel_headers DEPENDS ${KERNEL_HEADER_DIR}/tensix.h ${KERNEL_HEADER_DIR}/tensix_config.h)

# Tests of the project include them too.
add_dependencies(bhemu kernel_headers)
