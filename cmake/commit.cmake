# Writes which commit the sources are of, and its day, to the header TO; SOURCE: the sources. Without git, as in a release's
# archive, there is no commit, and the day is that of the files.
cmake_minimum_required(VERSION 3.25)
function(git variable)
    execute_process(COMMAND git -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE output RESULT_VARIABLE result ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT result EQUAL 0)
        set(output "-")
    endif()
    set(${variable} "${output}" PARENT_SCOPE)
endfunction()

set(COMMIT "")
file(TIMESTAMP ${SOURCE}/CMakeLists.txt DAY "%Y-%m-%d" UTC)
git(PREFIX rev-parse --show-prefix)
if(PREFIX STREQUAL "") # at the root of its own repository, not somewhere within another's
    git(COMMIT describe --tags --always --dirty)
    git(DAY show -s --format=%cs HEAD)
endif()
file(CONFIGURE OUTPUT ${TO} CONTENT "#define BHEMU_COMMIT \"@COMMIT@\"\n#define BHEMU_DAY \"@DAY@\"\n" @ONLY)
