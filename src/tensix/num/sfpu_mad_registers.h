/* The multiply-add on 16 lanes for code that is written at run time (engine/avx512/calls.c): functions of the
   host's vector registers that leave the upper half of these as they are, zmm16 to zmm31. The compiler is told so for
   sfpu_mad_v4.c alone (CMakeLists.txt). The host rounds to nearest, and knows denormals, while they execute. */
#ifndef BHEMU_TENSIX_NUM_SFPU_MAD_REGISTERS_H
#define BHEMU_TENSIX_NUM_SFPU_MAD_REGISTERS_H

/* zmm0 = the result, of zmm0, zmm1 and zmm2 in this order, in those of the 16 lanes whose bit in edi is set; in others
   something else. Otherwise as the System V ABI for x86-64 has functions of such arguments. */
enum sfpu_mad_function {
    SFPU_MULTIPLY_ADD, /* x * y + z */
    SFPU_MULTIPLY,     /* x * y + 0 */
    SFPU_ADD,          /* x * 1 + y */
};

/* Where its code is; null if there is none that can be compiled so. For a host that host_has_avx512(). Equal to
   sfpu_mad() in every bit. */
const void *sfpu_mad_in_registers(enum sfpu_mad_function function);

#endif
