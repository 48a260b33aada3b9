/* The fuzz targets on a few thousand inputs each, the same on every run: random bytes, and good inputs with some bytes
   changed, inserted, left out or cut off. fuzz/ finds more, given time. */
#include "host/files.h"

#include "../fuzz/fuzz.h"
#include "../fuzz/random.h"
#include "host/read_file.h"
#include "util/sanitized.h"

enum { LARGEST = 1 << 16 };

struct input {
    uint8_t bytes[LARGEST];
    size_t size;
};

/* Damages an input slightly, in ways in which files get corrupted. */
static void spoil(struct input *input, struct random *random)
{
    static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff, '-', '9', '[', ':', '\n', ' '};
    for (unsigned changes = 1 + next(random) % 4; changes && input->size; changes--) {
        size_t at = next(random) % input->size, length = 1 + next(random) % 8;
        length = length < input->size - at ? length : input->size - at;
        switch (next(random) % 5) {
        case 0: input->bytes[at] ^= (uint8_t)(1 << next(random) % 8); break;
        case 1: input->bytes[at] = telling[next(random) % sizeof telling]; break;
        case 2:
            memmove(input->bytes + at, input->bytes + at + length, input->size - at - length);
            input->size -= length;
            break;
        case 3:
            if (input->size + length <= LARGEST) {
                memmove(input->bytes + at + length, input->bytes + at, input->size - at);
                input->size += length;
            }
            break;
        default:
            if (next(random) % 8 == 0) {
                input->size = at;
            }
        }
    }
}

static void random_bytes(void (*target)(const uint8_t *, size_t), unsigned count, size_t most)
{
    static struct input input;
    struct random random = {12345};
    for (unsigned i = 0; i < FEWER_IF_SANITIZED(count); i++) {
        input.size = next(&random) % most;
        fill(&random, input.bytes, input.size + 3);
        target(input.bytes, input.size);
    }
}

static void spoilt(void (*target)(const uint8_t *, size_t), unsigned count, const void *good, size_t size)
{
    static struct input input;
    struct random random = {54321};
    assert_in_range(size, 1, LARGEST);
    for (unsigned i = 0; i < FEWER_IF_SANITIZED(count); i++) {
        memcpy(input.bytes, good, size);
        input.size = size;
        if (i) {
            spoil(&input, &random);
        }
        target(input.bytes, input.size);
    }
}

/* The same with a file; does nothing if there is none. */
static void spoilt_file(void (*target)(const uint8_t *, size_t), unsigned count, const char *path)
{
    uint8_t *bytes;
    size_t size;
    if (read_file(path, &bytes, &size, NULL) == BH_OK) {
        spoilt(target, count, bytes, size < LARGEST ? size : LARGEST);
        free(bytes);
    }
}

static void elf_files(void **context)
{
    const uint32_t words[] = {addi(T0, ZERO, 1), SELF_JUMP};
    struct elf_bytes elf = make_elf(0x1000, words, 2);
    random_bytes(fuzz_elf, 500, 300);
    spoilt(fuzz_elf, 3000, &elf.file, elf.size);
    spoilt_file(fuzz_elf, 300, BHEMU_BUILD_DIR "/kernels/add1.trisc1.elf");
    spoilt_file(fuzz_elf, 2000, BHEMU_BUILD_DIR "/kernels/metal_moved.brisc.elf");
}

static void job_files(void **context)
{
    static const char good[] = "description: x\nlimit: 100\npolicy: strict\ntiles:\n"
                               "  - at: [1, 2]\n    programs: [{core: T0, elf: a.elf}]\n    start: [T0]\n"
                               "    words: [{address: 0x20000, values: [1, 2, 3]}]\n"
                               "    inputs:\n      - {file: a.npy, address: 0x20000, format: bf16, layout: tiles}\n"
                               "    outputs:\n      - {address: 0x30000, shape: [64, 32], format: fp32, layout: rows,\n"
                               "         expect: b.npy, tolerance: 1e-3}\n";
    random_bytes(fuzz_job, 500, 200);
    spoilt(fuzz_job, 3000, good, sizeof good - 1);
#define METAL BHEMU_BUILD_DIR "/kernels/metal"
    static const char launch[] =
        "launch:\n  kind: tt-metal\n  times: 2\n  dispatch: device\n  firmware:\n"
        "    - {core: B, elf: " METAL ".brisc.elf}\n    - {core: NC, elf: " METAL
        ".ncrisc.elf}\n    - {core: T0, elf: " METAL ".trisc0.elf}\n    - {core: T1, elf: " METAL
        ".trisc1.elf}\n    - {core: T2, elf: " METAL ".trisc2.elf}\n"
        "tiles:\n  - at: [1, 2]\n    kernels: [{core: B, elf: " METAL "_moved.brisc.elf}]\n"
        "    arguments: [{cores: [B, T0], values: [1, 2], by_row: [1]}]\n"
        "    common_arguments: [{cores: [NC], each: [1]}]\n    semaphores: [1, 2]\n    noc: 1\n"
        "    buffers: [{index: 3, address: 0x30000, pages: 2, page: 32}]\n";
    spoilt(fuzz_job, 1500, launch, sizeof launch - 1);
}

/* Mostly damages the headers. */
static void launched_files(void **context)
{
    spoilt_file(fuzz_launch, 150, BHEMU_BUILD_DIR "/kernels/metal_moved.brisc.elf");
    const uint32_t words[] = {addi(T0, ZERO, 1), SELF_JUMP};
    struct elf_bytes elf = make_elf(0x9000, words, 2);
    elf.file.header.e_phnum = 2;
    elf.file.segments[1] = elf.file.segments[0];
    elf.file.segments[1].p_paddr += sizeof words;
    spoilt(fuzz_launch, 600, &elf.file, elf.size);
}

static void npy_files(void **context)
{
    random_bytes(fuzz_npy, 500, 300);
    spoilt_file(fuzz_npy, 2000, BHEMU_SOURCE_DIR "/kernels/jobs/data/picture32.npy");
}

static void prints_of_kernels(void **context)
{
    static const char good[] = "\0"
                               "\1\0\0\0\0\0\0\0"
                               "\1\2\3\4\5\6\7\7"
                               "\2\0\0\300\77\0\0\0"
                               "\0\0\0\0\0\0\0\0"
                               "%5d %-7.3s|%#llx %+e %*.*f %c%%\n";
    static const char metal[] = "\1"
                                "\1\0\0\0\0\0\0\0"
                                "\1\2\3\4\5\6\7\7"
                                "\2\0\0\300\77\0\0\0"
                                "\0\0\0\0\0\0\0\0"
                                "{0,q:>+#012x} {1,f:*^9.3} {2,s} {3,w} {4,t} {5,/e_I_a::b:<9} {6,A:4} {{}}\n";
    static const uint32_t words[] = {0x03020100, 0x72706862, 0x31746e69, 248, 12,         0, 1,    0, 0, 0x5a5a0106, 0,
                                     0x20,       0,          0,          7,   0x5a5a0206, 4, 0x21, 0, 0, 8,          9};
    random_bytes(fuzz_print, 500, 400);
    spoilt(fuzz_print, 2000, good, sizeof good - 1);
    spoilt(fuzz_print, 2000, metal, sizeof metal - 1);
    for (unsigned which = 2; which < 5; which++) {
        uint8_t input[1 + sizeof words] = {(uint8_t)which};
        memcpy(input + 1, words, sizeof words);
        spoilt(fuzz_print, 500, input, sizeof input);
    }
}

static void instructions_of_threads(void **context)
{
    random_bytes(fuzz_tensix, 1500, 400);
}

static void programs_of_cores(void **context)
{
    random_bytes(fuzz_rv32, 1500, 1000);
}

static void kernels(void **context)
{
    random_bytes(fuzz_kernel, 1000, 30);
}

static void accesses_of_hosts(void **context)
{
    random_bytes(fuzz_host, 600, 1500);
}

static void accesses_of_registers(void **context)
{
    random_bytes(fuzz_registers, 400, 3000);
}

static void snapshots(void **context)
{
    random_bytes(fuzz_snapshot, 300, 40);
}

static void texts_of_instructions(void **context)
{
    static const char good[] = "\0MVMUL clear_dvalid=0, instr_mod19=0, addr_mode=1, dst=0 ; a comment\n"
                               "ttmvmul 0,0,1,0\nTT_OP_SETC16(3, 0x1f)\n.word 0x26000000\n";
    random_bytes(fuzz_text, 2000, 300);
    spoilt(fuzz_text, 3000, good, sizeof good - 1);
}

/* Not only random values of variables, since these mostly end in the first call. */
static void requests_of_dumps(void **context)
{
    static const char *const good[] = {"\1dst tiles 0 2 bf16",
                                       "\0srcb,bank 1,60 4,raw19 tf32",
                                       "\2l1 0x10000 3 tiles bfp8",
                                       "\0config SrcA_val Relu T1 T2",
                                       "\1all T0",
                                       "\1lregs 2 15 smag32"};
    random_bytes(fuzz_dump, 300, 60);
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        spoilt(fuzz_dump, 200, good[i], 1 + strlen(good[i] + 1));
    }
}

static void calls_of_the_abi(void **context)
{
    uint8_t input[600];
    struct random random = {777};
    random_bytes(fuzz_abi, 500, 400);
    for (unsigned i = 0; i < 300; i++) {
        fill(&random, input, sizeof input);
        memset(input, (int)(i % 5), 4); /* the variables */
        fuzz_abi(input, sizeof input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elf_files),         cmocka_unit_test(job_files),
        cmocka_unit_test(npy_files),         cmocka_unit_test(instructions_of_threads),
        cmocka_unit_test(programs_of_cores), cmocka_unit_test(kernels),
        cmocka_unit_test(accesses_of_hosts), cmocka_unit_test(accesses_of_registers),
        cmocka_unit_test(launched_files),    cmocka_unit_test(texts_of_instructions),
        cmocka_unit_test(requests_of_dumps), cmocka_unit_test(calls_of_the_abi),
        cmocka_unit_test(snapshots),         cmocka_unit_test(prints_of_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
