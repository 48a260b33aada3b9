/* Records rv32_operations.bin. Not part of the build: it runs on another model of RV32, for example under Debian 12's
   qemu-riscv32, from the root of the tree:

     riscv64-unknown-elf-gcc -march=rv32ima_zicsr -mabi=ilp32 -O1 -static -nostdlib -nostartfiles -ffreestanding \
         -DMODEL='"qemu-riscv32 7.2, Debian 12"' -Isrc -Itables -Itests/vectors \
         tests/vectors/rv32_operations_record.c src/isa/rv32_isa.c -o record.elf
     qemu-riscv32 -cpu rv32,zba=true,zbb=true,zbkb=true record.elf > tests/vectors/rv32_operations.bin

   It makes Linux system calls, and writes the instructions that it executes into its own memory. */
#include "rv32_operations.h"

static long system_call(long number, long a, const void *b, long c)
{
    register long a0 __asm__("a0") = a;
    register const void *a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static uint32_t output[4096];
static unsigned used;

static void flush(void)
{
    system_call(64 /* write */, 1, output, (long)(used * sizeof output[0]));
    used = 0;
}

static void put(uint32_t value)
{
    if (used == sizeof output / sizeof output[0]) {
        flush();
    }
    output[used++] = value;
}

/* In a section of its own that is writable and executable. */
static uint32_t snippet[8] __attribute__((section(".snippet,\"awx\",@progbits#")));
static uint32_t memory;

static void record(enum rv32_op op, unsigned variant)
{
    enum rv32_format format = (enum rv32_format)rv32_instructions[op].format;
    uint32_t word = rv32_vectors_word(op, variant);
    snippet[0] = word;
    snippet[1] = format == RV32_FORMAT_B ? RV32_VECTORS_LI_A2_0 : 0x00000013; /* nop */
    snippet[2] = 0x00008067;                                                  /* ret */
    __asm__ volatile(".insn 4, 0x0000100f" ::: "memory");                     /* fence.i */
    put(word);
    for (unsigned i = 0; i < RV32_VECTORS_OPERANDS; i++) {
        for (unsigned j = 0; j < rv32_vectors_seconds(op); j++) {
            register uint32_t a0 __asm__("a0") = rv32_vectors_operands[i];
            register uint32_t a1 __asm__("a1") = rv32_vectors_operands[j];
            register uint32_t a2 __asm__("a2") = 1;
            register uint32_t *a3 __asm__("a3") = &memory;
            register void *t0 __asm__("t0") = snippet;
            memory = format == RV32_FORMAT_STORE ? RV32_VECTORS_MEMORY : a0;
            __asm__ volatile("jalr ra, 0(t0)" : "+r"(a2), "+r"(a0), "+r"(a1), "+r"(a3), "+r"(t0)::"ra", "memory");
            uint32_t result = a2;
            if (format != RV32_FORMAT_STORE) {
                put(result);
            }
            if (format == RV32_FORMAT_STORE || format == RV32_FORMAT_AMO) {
                put(memory);
            }
        }
    }
}

void _start(void);

void _start(void)
{
    static const char text[RV32_VECTORS_TEXT] =
        "Results of RISC-V instructions, recorded with " MODEL " by rv32_operations_record.c.\n"
        "The form of this file is described in rv32_operations.h.\n";
    for (unsigned i = 0; i < RV32_VECTORS_TEXT; i += 4) {
        put((uint32_t)text[i] | (uint32_t)text[i + 1] << 8 | (uint32_t)text[i + 2] << 16 | (uint32_t)text[i + 3] << 24);
    }
    for (enum rv32_op op = RV32_OP_NONE + 1; op < RV32_OP_TTINSN; op++) {
        for (unsigned variant = 0; variant < rv32_vectors_variants(op); variant++) {
            record(op, variant);
        }
    }
    flush();
    system_call(93 /* exit */, 0, 0, 0);
    __builtin_unreachable();
}
