/* Records rv32_vector.bin on a model of RISC-V that runs Linux programs, with VLEN 128 and Zve32f:
     riscv64-unknown-elf-gcc -march=rv32imaf_zicsr -mabi=ilp32 -O1 -static -nostdlib -nostartfiles -ffreestanding \
         -Wl,-N -DMODEL='"..."' -Itables tests/vectors/rv32_vector_record.c -o record.elf
     qemu-riscv32 -cpu rv32,zve32f=true,vlen=128,elen=32 record.elf > tests/vectors/rv32_vector.bin
   Each instruction is written into run(), which sets up the state before it and saves the state after it. */
#include "vectors/rv32_vector.h"

struct run {                                                            /* the order is known to run() */
    uint32_t word, vtype, vl, vxrm, a1, a2, fa1;                        /* 0 to 24 */
    uint32_t a0, fa0, fcsr, vxsat, vl_after, vtype_after, illegal, old; /* 28 to 56 */
    uint8_t *v;                                                         /* 60 */
};

void run(struct run *run);
void illegal(void);
void *memset(void *to, int value, unsigned long count);

__asm__(".option arch, +zve32f\n"
        "run:\n"
        "  addi sp, sp, -32\n  sw ra, 0(sp)\n  sw s0, 4(sp)\n  sw s1, 8(sp)\n"
        "  lla t0, saved\n  sw sp, 0(t0)\n  sw a0, 4(t0)\n  mv s0, a0\n"
        "  lw t0, 0(s0)\n  lla t1, slot\n  sw t0, 0(t1)\n  .word 0x0000100f\n" /* fence.i */
        "  lw t0, 60(s0)\n  vl8re8.v v0, (t0)\n  addi t0, t0, 128\n  vl8re8.v v8, (t0)\n  addi t0, t0, 128\n"
        "  vl8re8.v v16, (t0)\n  addi t0, t0, 128\n  vl8re8.v v24, (t0)\n"
        "  lw t0, 12(s0)\n  csrw vxrm, t0\n  csrw vxsat, x0\n  csrw fcsr, x0\n"
        "  lw t0, 4(s0)\n  lw t1, 8(s0)\n  vsetvl x0, t1, t0\n"
        "  lw a1, 16(s0)\n  lw a2, 20(s0)\n  flw fa1, 24(s0)\n  li a0, 0\n  fmv.w.x fa0, x0\n"
        "slot:\n  .word 0\n"
        "after:\n"
        "  sw a0, 28(s0)\n  fsw fa0, 32(s0)\n  csrr t0, fcsr\n  sw t0, 36(s0)\n  csrr t0, vxsat\n  sw t0, 40(s0)\n"
        "  csrr t0, vl\n  sw t0, 44(s0)\n  csrr t0, vtype\n  sw t0, 48(s0)\n"
        "  lw t0, 60(s0)\n  vs8r.v v0, (t0)\n  addi t0, t0, 128\n  vs8r.v v8, (t0)\n  addi t0, t0, 128\n"
        "  vs8r.v v16, (t0)\n  addi t0, t0, 128\n  vs8r.v v24, (t0)\n"
        "  lw ra, 0(sp)\n  lw s0, 4(sp)\n  lw s1, 8(sp)\n  addi sp, sp, 32\n  ret\n"
        "illegal:\n"
        "  lla t0, saved\n  lw sp, 0(t0)\n  lw s0, 4(t0)\n  li t1, 1\n  sw t1, 52(s0)\n  j after\n"
        ".align 4\nsaved: .word 0, 0\n"
        ".globl _start\n_start:\n.option push\n.option norelax\n  la gp, __global_pointer$\n.option pop\n  la sp, "
        "stack + 16384\n  j start\n");

uint8_t stack[16384] __attribute__((aligned(16)));
static struct vector_case current;

static long call(long number, long a, long b, long c, long d)
{
    register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a3 __asm__("a3") = d,
                     a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
    return a0;
}

void *memset(void *to, int value, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) {
        ((volatile uint8_t *)to)[i] = (uint8_t)value;
    }
    return to;
}

enum { EXIT = 93, WRITE = 64, SIGACTION = 134, SIGNAL_ILLEGAL = 4, NODEFER = 0x40000000 };

void start(void);
void start(void)
{
    static const char text[RV32_VECTOR_TEXT] =
        "RISC-V vector instructions on T2's subset, recorded on " MODEL " by tests/vectors/rv32_vector_record.c";
    struct {
        void (*handler)(void);
        unsigned long flags;
        uint64_t mask;
    } action = {illegal, NODEFER, 0};
    call(SIGACTION, SIGNAL_ILLEGAL, (long)&action, 0, 8);
    call(WRITE, 1, (long)text, sizeof text, 0);
    for (unsigned i = 0; i < RV32_VECTOR_CASES; i++) {
        make_vector_case(i, &current);
        struct run state = {.word = current.word,
                            .vtype = current.vtype,
                            .vl = current.vl,
                            .vxrm = current.vxrm,
                            .a1 = current.memory_used ? (uint32_t)(current.memory + CASE_BASE) : current.a1,
                            .a2 = current.a2,
                            .fa1 = current.fa1,
                            .v = current.v};
        run(&state);
        struct vector_result result = {.a0 = state.a0,
                                       .fa0 = state.fa0,
                                       .fcsr = state.fcsr & 0x1f,
                                       .vxsat = state.vxsat,
                                       .vl = state.vl_after,
                                       .vtype = state.vtype_after,
                                       .v = current.v,
                                       .memory = current.memory};
        uint64_t hash = state.illegal ? 0 : vector_case_hash(&current, &result);
        call(WRITE, 1, (long)&hash, sizeof hash, 0);
    }
    call(EXIT, 0, 0, 0, 0);
}
