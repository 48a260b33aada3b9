/* Programs of kernels/ for tests of libttsim.so: written to L1 as tt-umd does, and what the library tells of them. For
 * *_test.c of this folder only. */
#ifndef BHEMU_ABI_PROGRAM_FIXTURE_H
#define BHEMU_ABI_PROGRAM_FIXTURE_H

#include <elf.h>

#include "library_fixture.h"

#define FOLDER BHEMU_BUILD_DIR "/kernels"

enum { ARGUMENTS = 0x16100, WITHOUT_T1 = 0x45800 };

static char text[1 << 20]; /* what was told */

static inline void start_t1(unsigned x, uint32_t entry)
{
    write_word(point(0, x, 2, 0xffb1222c), entry);
    write_word(point(0, x, 2, 0xffb12234), 7); /* the reset PCs are enabled */
    write_word(point(0, x, 2, 0xffb121b0), WITHOUT_T1);
}

/* Writes a program, FOLDER/NAME.elf, and arguments, and lets T1 run it. */
static inline void load(const char *name, unsigned x)
{
    static const uint32_t arguments[] = {0x30000, 0x40000, 0x50000, 2, 2, 1, 0};
    static uint8_t file[1 << 20];
    char path[500];
    snprintf(path, sizeof path, FOLDER "/%s.elf", name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(file, 1, sizeof file, stream);
    fclose(stream);
    Elf32_Ehdr header;
    assert_true(size > sizeof header);
    memcpy(&header, file, sizeof header);
    write_word(point(0, x, 2, 0xffb121b0), 0x47800);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        memcpy(&segment, file + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_filesz) {
            abi.write(point(0, x, 2, segment.p_vaddr), file + segment.p_offset, segment.p_filesz);
        }
    }
    abi.write(point(0, x, 2, ARGUMENTS), arguments, sizeof arguments);
    start_t1(x, header.e_entry);
}

static inline void assert_says(const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in:\n%.4000s", part, text);
    }
}

/* What the library writes to stderr in a process of its own, in which it is closed before `run` and behind it, becomes
 * `text`; returns its exit status. */
static inline int told_by(void (*run)(void))
{
    int ends[2], status;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        abi.exit();
        run();
        abi.exit();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0; length += (size_t)got) {
    }
    text[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#endif
