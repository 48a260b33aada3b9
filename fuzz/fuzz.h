/* The fuzz targets: each accepts any bytes, and must not crash, hang, or break a rule of the sanitizers. With
   libFuzzer each is a program of its own (fuzz/CMakeLists.txt); tests/fuzz_test.c runs them all on a few thousand
   inputs. */
#ifndef BHEMU_FUZZ_FUZZ_H
#define BHEMU_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* An ELF file, loaded for a core; then its source lines are asked for. */
void fuzz_elf(const uint8_t *bytes, size_t size);

/* A job file. It runs for a few cycles, without writing files. */
void fuzz_job(const uint8_t *bytes, size_t size);

/* A kernel's ELF file, launched by the project's firmware as tt-metal launches it, or one for firmware; the file's
   length says which, on which cores, and under which policy. FUZZ_KERNELS is the folder of the firmware. */
void fuzz_launch(const uint8_t *bytes, size_t size);

/* A .npy file, then converted to every format and layout. */
void fuzz_npy(const uint8_t *bytes, size_t size);

/* Tensix instructions, pushed to the three threads of a tile whose configuration, registers and memory are random. The
   first 4 bytes are the seed of that; then 5 bytes are one instruction. */
void fuzz_tensix(const uint8_t *bytes, size_t size);

/* A program for each of the five cores of a tile, mostly of valid instructions: 5 bytes are one instruction. */
void fuzz_rv32(const uint8_t *bytes, size_t size);

/* The project's kernels with some bits inverted: programs that configure everything and are nearly right. The first
   byte selects the kernel; then 3 bytes are one change. FUZZ_KERNELS is the folder of their ELFs; does nothing without
   it. */
void fuzz_kernel(const uint8_t *bytes, size_t size);

/* A host: config space, BARs, tiles, and short runs between accesses. The first byte selects policy and board, the
   next five the harvested tiles. */
void fuzz_host(const uint8_t *bytes, size_t size);

/* A snapshot of a device with packets under way: every four bytes are a change of it, and, if the first is a multiple
   of four, what follows that is a file, too. */
void fuzz_snapshot(const uint8_t *bytes, size_t size);

/* Registers of two Tensix and two Ethernet tiles, under the policy "silicon". */
void fuzz_registers(const uint8_t *bytes, size_t size);

/* Input of the commands asm, disasm and isa: the first byte selects the command, the rest is a file or an argument. */
void fuzz_text(const uint8_t *bytes, size_t size);

/* A request of a dump, behind a byte that selects its form. */
void fuzz_dump(const uint8_t *bytes, size_t size);

/* The C ABI: values of the environment variables, each after its length, then calls. */
void fuzz_abi(const uint8_t *bytes, size_t size);

/* What kernels print. The first byte selects printf() or DPRINT, a format with its arguments or print buffers. */
void fuzz_print(const uint8_t *bytes, size_t size);

#endif
