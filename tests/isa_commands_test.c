/* bhemu asm, disasm and isa for their users: output, exit codes, one-line errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/process.h"

static char output[1 << 20];

/* Runs `bhemu ARGUMENTS` in a shell, standard error included. Returns its exit code; what it printed is in `output`. */
static int run(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; %s/bhemu %s", BHEMU_BUILD_DIR, arguments);
    return run_in_shell(command, output, sizeof output);
}

static void fails_with(const char *arguments, int code, const char *cause)
{
    assert_int_equal(run(arguments), code);
    assert_non_null(strstr(output, cause));
    assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
}

static void asm_prints_words(void **state)
{
    assert_int_equal(run("asm 'MVMUL addr_mode=1, dst=2'"), 0);
    assert_string_equal(output, "0x26004002\n");
    assert_int_equal(run("asm --rotate 'ttmvmul 0,0,5,0' TTI_SFPNOP"), 0);
    assert_string_equal(output, "0x98050000\n0x3c000002\n");
}

static void asm_reads_standard_input_and_names_bad_lines(void **state)
{
    assert_int_equal(run("asm - <<'END'\nNOP ; nothing\n\nttdmanop\nEND"), 0);
    assert_string_equal(output, "0x02000000\n0x60000000\n");
    assert_int_equal(run("asm - <<'END'\nNOP\nttmvmul 0,0,9,0\nEND"), 2);
    assert_string_equal(output, "<stdin>:2:13: addr_mode has 3 bits: at most 7 expected\n");
}

static void asm_says_what_is_wrong(void **state)
{
    fails_with("asm no-such-file.s", 2, "there is no such file");
    fails_with("asm --fast NOP", 2, "unrecognized option");
    fails_with("asm " BHEMU_BUILD_DIR, 2, "Is a directory");
    fails_with("asm NOP > /dev/full", 6, "could not be written");
}

static void disasm_reads_words(void **state)
{
    assert_int_equal(run("disasm --compact 26004002"), 0);
    assert_string_equal(output, "26004002  ttmvmul 0,0,1,2\n");
    assert_int_equal(run("disasm --rotated 0x98050000"), 0);
    assert_string_equal(output, "98050000  MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=5, dst=0\n");
    fails_with("disasm 26004002 nonsense", 2, "hexadecimal word");
    fails_with("disasm no-such-file.elf", 2, "there is no such file");
}

static void disasm_reads_binaries(void **state)
{
    assert_int_equal(run("disasm --compact - <<'END'\nabc\nEND"), 0);
    assert_string_equal(output, "0a636261  ttmovd2b 0,49,5,2,609\n");
    fails_with("disasm - <<'END'\nabcd\nEND", 2, "no whole number of 32-bit words");
}

/* An executable ELF file for RISC-V of one section, .text, with the words given, and the symbol _start. */
struct file {
    unsigned char bytes[512];
    size_t size;
};

static void put(struct file *file, size_t at, uint32_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        file->bytes[at + i] = (unsigned char)(value >> (8 * i));
    }
}

static void put_section(struct file *file, unsigned index, const uint32_t (*fields)[10])
{
    for (unsigned i = 0; i < 10; i++) {
        put(file, 200 + 40 * index + 4 * i, (*fields)[i], 4);
    }
}

static struct file make_elf(void)
{
    struct file file = {.bytes = "\177ELF\1\1\1", .size = 200 + 5 * 40};
    put(&file, 16, 2, 2);   /* e_type: ET_EXEC */
    put(&file, 18, 243, 2); /* e_machine: EM_RISCV */
    put(&file, 20, 1, 4);
    put(&file, 32, 200, 4); /* e_shoff */
    put(&file, 40, 52, 2);
    put(&file, 46, 40, 2);
    put(&file, 48, 5, 2); /* e_shnum */
    put(&file, 50, 4, 2); /* e_shstrndx */
    put(&file, 52, 0x98010000, 4);
    put(&file, 56, 0x00008067, 4);
    memcpy(file.bytes + 60, "\0_start", 8);                           /* strings of symbols, at 60 */
    memcpy(file.bytes + 68, "\0.text\0.symtab\0.strtab\0.names", 30); /* names of sections, at 68 */
    put(&file, 100 + 16, 1, 4);                                       /* symbols at 100: the null one, then _start */
    put(&file, 100 + 20, 0x6404, 4);
    put(&file, 100 + 16 + 14, 1, 2);
    put_section(&file, 1, &(const uint32_t[10]){1, 1, 6, 0x6404, 52, 8, 0, 0, 4, 0});
    put_section(&file, 2, &(const uint32_t[10]){7, 2, 0, 0, 100, 32, 3, 1, 4, 16});
    put_section(&file, 3, &(const uint32_t[10]){15, 3, 0, 0, 60, 8, 0, 0, 1, 0});
    put_section(&file, 4, &(const uint32_t[10]){23, 3, 0, 0, 68, 30, 0, 0, 1, 0});
    return file;
}

/* Runs disasm on a file of these bytes. */
static int disasm_of(const struct file *file)
{
    char path[] = BHEMU_BUILD_DIR "/tests/elf-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, file->bytes, file->size), (ssize_t)file->size);
    close(descriptor);
    char arguments[sizeof path + 32];
    snprintf(arguments, sizeof arguments, "disasm --compact %s", path);
    int code = run(arguments);
    unlink(path);
    return code;
}

static void disasm_reads_elf_files(void **state)
{
    struct file file = make_elf();
    assert_int_equal(disasm_of(&file), 0);
    assert_non_null(strstr(output, ".text:"));
    assert_non_null(strstr(output, "00006404 <_start>:"));
    assert_non_null(strstr(output, "    6404:  98010000  ttmvmul 0,0,1,0\n"));
    assert_non_null(strstr(output, "    6408:  00008067  "));
}

static void disasm_refuses_other_machines(void **state)
{
    struct file file = make_elf();
    put(&file, 18, 62, 2);
    assert_int_equal(disasm_of(&file), 2);
    assert_non_null(strstr(output, "not for this machine"));
}

/* Truncated anywhere, the file is refused with one line, and nothing of it is printed. */
static void disasm_refuses_truncated_elf_files(void **state)
{
    struct file file = make_elf();
    for (size_t size = 4; size < file.size; size += 12) {
        struct file cut = file;
        cut.size = size;
        assert_int_equal(disasm_of(&cut), 2);
        assert_non_null(strstr(output, "bhemu disasm: "));
        assert_ptr_equal(strchr(output, '\n'), output + strlen(output) - 1);
    }
    file.size--;
    assert_int_equal(disasm_of(&file), 2);
    assert_non_null(strstr(output, "truncated"));
}

static void isa_describes_instructions(void **state)
{
    assert_int_equal(run("isa mvmul"), 0);
    assert_non_null(strstr(output, "opcode    0x26"));
    assert_non_null(strstr(output, "blocked   B6"));
    assert_non_null(strstr(output, "16:14   addr_mode"));
    assert_non_null(strstr(output, "reads     rows of Dst (dst)\n"));
    assert_non_null(strstr(output, "waits     maybe"));
    assert_int_equal(run("isa sfpor setc16 unpacr mop_cfg"), 0);
    assert_non_null(strstr(output, "sub-unit  simple"));
    assert_non_null(strstr(output, "  reads     VC (lreg_c)\n            VB (imm12_math), if instr_mod1 & 1\n"));
    assert_non_null(strstr(output, "writes    ThreadConfig"));
    assert_non_null(strstr(output, "latency   depends on more than the instruction"));
    assert_non_null(strstr(output, "issue     not documented"));
    assert_non_null(strstr(output, "TTSync    class 11"));
    assert_int_equal(run("isa"), 0);
    unsigned lines = 0;
    for (const char *at = output; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    assert_int_equal(lines, 137);
    assert_int_equal(run("isa --markdown"), 0);
    assert_non_null(strstr(output, "### SFPLOADMACRO"));
}

static void isa_suggests_the_nearest_names(void **state)
{
    fails_with("isa MVMULL", 2, "nearest: MVMUL");
    fails_with("isa setdmareq", 2, "nearest: SETDMAREG");
    fails_with("isa 0123456789012345678901234567890123456789", 2, "no instruction");
}

static void unknown_commands_are_refused(void **state)
{
    fails_with("frobnicate", 2, "no command is named 'frobnicate'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asm_prints_words),
        cmocka_unit_test(asm_reads_standard_input_and_names_bad_lines),
        cmocka_unit_test(asm_says_what_is_wrong),
        cmocka_unit_test(disasm_reads_words),
        cmocka_unit_test(disasm_reads_binaries),
        cmocka_unit_test(disasm_reads_elf_files),
        cmocka_unit_test(disasm_refuses_other_machines),
        cmocka_unit_test(disasm_refuses_truncated_elf_files),
        cmocka_unit_test(isa_describes_instructions),
        cmocka_unit_test(isa_suggests_the_nearest_names),
        cmocka_unit_test(unknown_commands_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
