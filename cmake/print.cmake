# Writes to the folder TO what COMMAND, which is bhemu, prints for an installation: manual pages, completions of shells,
# schemas of files.
file(MAKE_DIRECTORY ${TO}/man1)

function(print_to file)
    execute_process(COMMAND ${COMMAND} ${ARGN} OUTPUT_FILE ${TO}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

print_to(man1/bhemu.1 man)
file(STRINGS ${TO}/man1/bhemu.1 lines REGEX "^\\.BR bhemu[^a-z]+[a-z]+ ")
foreach(line ${lines})
    string(REGEX REPLACE "^\\.BR bhemu[^a-z]+([a-z]+) .*" "\\1" name "${line}")
    print_to(man1/bhemu-${name}.1 man ${name})
endforeach()
foreach(shell zsh fish bash)
    print_to(bhemu.${shell} completion ${shell})
endforeach()
foreach(of job system)
    print_to(${of}.schema.json schema ${of})
endforeach()
