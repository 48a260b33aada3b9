/* Programs, ELF files and temporary folders for tests that read them. */
#ifndef BHEMU_TESTS_HOST_FILES_H
#define BHEMU_TESTS_HOST_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* RISC-V instructions, as small as these tests need them. */
enum { ZERO = 0, T0 = 5, T1 = 6, T2 = 7, SELF_JUMP = 0x6f };

static inline uint32_t lui(unsigned rd, uint32_t value)
{
    return (value & 0xfffff000) | rd << 7 | 0x37;
}

static inline uint32_t addi(unsigned rd, unsigned rs, int32_t value)
{
    return (uint32_t)value << 20 | rs << 15 | rd << 7 | 0x13;
}

static inline uint32_t srli(unsigned rd, unsigned rs, unsigned shift)
{
    return shift << 20 | rs << 15 | 5 << 12 | rd << 7 | 0x13;
}

static inline uint32_t sw(unsigned value, unsigned base, uint32_t offset)
{
    return (offset >> 5 & 0x7f) << 25 | value << 20 | base << 15 | 2 << 12 | (offset & 0x1f) << 7 | 0x23;
}

static inline uint32_t lw(unsigned rd, unsigned base, uint32_t offset)
{
    return (offset & 0xfff) << 20 | base << 15 | 2 << 12 | rd << 7 | 0x03;
}

static inline uint32_t jump(int32_t distance)
{
    uint32_t d = (uint32_t)distance;
    return (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 | (d & 0xff000) | 0x6f;
}

static inline uint32_t jalr(unsigned rd, unsigned rs, int32_t offset)
{
    return (uint32_t)offset << 20 | rs << 15 | rd << 7 | 0x67;
}

enum { BEQ = 0, BNE = 1, BLT = 4, BGE = 5, BLTU = 6, BGEU = 7 };
static inline uint32_t branch(unsigned kind, unsigned a, unsigned b, int32_t distance)
{
    uint32_t d = (uint32_t)distance;
    return (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | b << 20 | a << 15 | kind << 12 | (d >> 1 & 0xf) << 8 |
           (d >> 11 & 1) << 7 | 0x63;
}

/* A Tensix instruction within a program: .ttinsn is the word rotated left by 2. */
static inline uint32_t ttinsn(uint32_t word)
{
    return word << 2 | word >> 30;
}

/* An executable with one segment of these words at `address`, which is also the entry point. */
struct elf_bytes {
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr segments[2];
        uint32_t words[96];
    } file;
    size_t size;
};

static inline struct elf_bytes make_elf(uint32_t address, const uint32_t *words, unsigned count)
{
    struct elf_bytes elf = {.file.header = {
                                .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                                .e_type = ET_EXEC,
                                .e_machine = EM_RISCV,
                                .e_version = EV_CURRENT,
                                .e_entry = address,
                                .e_phoff = offsetof(struct elf_bytes, file.segments),
                                .e_ehsize = sizeof(Elf32_Ehdr),
                                .e_phentsize = sizeof(Elf32_Phdr),
                                .e_phnum = 1,
                                .e_shentsize = sizeof(Elf32_Shdr),
                            }};
    elf.file.segments[0] = (Elf32_Phdr){
        .p_type = PT_LOAD,
        .p_offset = offsetof(struct elf_bytes, file.words),
        .p_vaddr = address,
        .p_paddr = address,
        .p_filesz = count * 4,
        .p_memsz = count * 4,
        .p_flags = PF_R | PF_X,
        .p_align = 4,
    };
    assert_in_range(count, 0, 96);
    memcpy(elf.file.words, words, count * sizeof *words);
    elf.size = offsetof(struct elf_bytes, file.words) + count * 4;
    return elf;
}

/* A folder of the test's own. */
struct folder {
    char path[256];
};

static inline void make_folder(struct folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "%s/tests/folder-XXXXXX", BHEMU_BUILD_DIR);
    assert_non_null(mkdtemp(folder->path));
}

/* The path of a file in the folder; valid until the next call but three. */
static inline const char *in_folder(const struct folder *folder, const char *name)
{
    static char paths[4][600];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
    return path;
}

static inline const char *put_file(const struct folder *folder, const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *put_text(const struct folder *folder, const char *name, const char *text)
{
    return put_file(folder, name, text, strlen(text));
}

static inline const char *put_elf(const struct folder *folder, const char *name, uint32_t address,
                                  const uint32_t *words, unsigned count)
{
    struct elf_bytes elf = make_elf(address, words, count);
    return put_file(folder, name, &elf.file, elf.size);
}

/* How many files are in the folder; when remove is not 0 they are deleted. */
static inline unsigned count_files(const struct folder *folder, int remove)
{
    unsigned count = 0;
    DIR *directory = opendir(folder->path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (remove) {
                unlink(in_folder(folder, entry->d_name));
            }
        }
    }
    closedir(directory);
    return count;
}

static inline void remove_folder(const struct folder *folder)
{
    count_files(folder, 1);
    rmdir(folder->path);
}

/* A test whose context is a folder of its own. */
static inline int make_folder_of_test(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    *context = folder;
    return 0;
}

static inline int remove_folder_of_test(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, make_folder_of_test, remove_folder_of_test)

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", text, part);
    }
}

#endif
