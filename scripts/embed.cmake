# Writes the bytes of a file as the elements of a C array: cmake -DFROM=FILE -DTO=FILE -P embed.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "${bytes}")
