/* Instructions as macros for the interpreter's loop (execute.inc), the only file that includes this: they use its
   labels and variables. */
#ifndef BHEMU_RV32_EXECUTE_MACROS_H
#define BHEMU_RV32_EXECUTE_MACROS_H

#ifdef RV32_HOOKED
#define HOOK(name, ...)                                                                                                \
    do {                                                                                                               \
        if (hooks->name) {                                                                                             \
            hooks->name(hooks->context, __VA_ARGS__);                                                                  \
        }                                                                                                              \
    } while (0)
/* A debugger keeps the instruction from being executed. */
#define LEAVE()                                                                                                        \
    do {                                                                                                               \
        if (rv32->observed && rv32->observed->leaves) {                                                                \
            goto out;                                                                                                  \
        }                                                                                                              \
    } while (0)
#else
#define HOOK(name, ...) ((void)0)
#define LEAVE() ((void)0)
#endif

#ifdef RV32_TIMED
#include "rv32/execute_timed.h"
#else
#include "rv32/execute_untimed.h"
#endif

#if defined RV32_TIMED || defined RV32_HOOKED
#define WAIT_BY_CLOCK(address) ((void)0)
#else
/* A load of the clock may be the beginning of rounds that need not be executed. The core's state is up to date. */
#define WAIT_BY_CLOCK(address)                                                                                         \
    do {                                                                                                               \
        uint32_t skipped = (address) == rv32->bus.clock_register ? rv32_wait_by_clock(rv32, PC, left) : 0;             \
        if (skipped) {                                                                                                 \
            left -= skipped;                                                                                           \
            ATTEND();                                                                                                  \
        }                                                                                                              \
    } while (0)
#endif

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define PC ((uint32_t)(ip - code) * 4)

#define DISPATCH()                                                                                                     \
    do {                                                                                                               \
        FETCH();                                                                                                       \
        SHOW_TIME();                                                                                                   \
        HOOK(instruction, PC, PC < L1_SIZE ? l1_load32(rv32->l1, PC) : 0);                                             \
        LEAVE();                                                                                                       \
        goto *handler[ip->op];                                                                                         \
    } while (0)

/* The instruction retires, and the next one to execute is `distance` instructions further on. */
#define GO(distance)                                                                                                   \
    do {                                                                                                               \
        ip += (distance);                                                                                              \
        if (--left == 0) {                                                                                             \
            goto out;                                                                                                  \
        }                                                                                                              \
        DISPATCH();                                                                                                    \
    } while (0)

#define NEXT() GO(1)

/* Updates the core's state before a call of one of the functions of execute.h. */
#define ATTEND()                                                                                                       \
    do {                                                                                                               \
        TELL_TIME();                                                                                                   \
        rv32_attend(rv32, PC, instret + (budget - left));                                                              \
    } while (0)

/* Calls a function that may wait, stop or be refused: in these cases the instruction has not retired. */
#define TRY(attempt)                                                                                                   \
    do {                                                                                                               \
        if ((attempt) != STEP_DONE) {                                                                                  \
            goto out;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Sums, logic, shifts: `a` and `b` are the operands. */
#define REGISTERS(name, result)                                                                                        \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t a = x[ip->rs1], b = x[ip->rs2];                                                                       \
        ENTER(name);                                                                                                   \
        x[ip->rd] = (result);                                                                                          \
        DONE(name);                                                                                                    \
        NEXT();                                                                                                        \
    }
#define IMMEDIATE(name, result)                                                                                        \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t a = x[ip->rs1], b = (uint32_t)ip->immediate;                                                          \
        ENTER(name);                                                                                                   \
        x[ip->rd] = (result);                                                                                          \
        DONE(name);                                                                                                    \
        NEXT();                                                                                                        \
    }
#define UNARY(name, result)                                                                                            \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t a = x[ip->rs1];                                                                                       \
        ENTER(name);                                                                                                   \
        x[ip->rd] = (result);                                                                                          \
        DONE(name);                                                                                                    \
        NEXT();                                                                                                        \
    }

/* Division: how long it takes depends on the operands. */
#define DIVISION(name, result)                                                                                         \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t a = x[ip->rs1], b = x[ip->rs2];                                                                       \
        ENTER(name);                                                                                                   \
        x[ip->rd] = (result);                                                                                          \
        DIVIDED(name, a, b);                                                                                           \
        NEXT();                                                                                                        \
    }

#define BRANCH(name, condition)                                                                                        \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t a = x[ip->rs1], b = x[ip->rs2];                                                                       \
        ENTER(name);                                                                                                   \
        DONE(name);                                                                                                    \
        if (condition) {                                                                                               \
            TAKEN(ip->immediate);                                                                                      \
            GO(ip->immediate);                                                                                         \
        }                                                                                                              \
        NOT_TAKEN();                                                                                                   \
        NEXT();                                                                                                        \
    }

/* A backward jump over a few instructions may close a polling loop: see `look` in execute.inc. */
#define GO_BACK()                                                                                                      \
    do {                                                                                                               \
        if (UNLIKELY(--until_look == 0)) {                                                                             \
            goto look;                                                                                                 \
        }                                                                                                              \
        GO(ip->immediate);                                                                                             \
    } while (0)

#define BRANCH_BACK(name, condition)                                                                                   \
    op_##name##_BACK:                                                                                                  \
    {                                                                                                                  \
        uint32_t a = x[ip->rs1], b = x[ip->rs2];                                                                       \
        ENTER(name);                                                                                                   \
        DONE(name);                                                                                                    \
        if (condition) {                                                                                               \
            TAKEN(ip->immediate);                                                                                      \
            GO_BACK();                                                                                                 \
        }                                                                                                              \
        NOT_TAKEN();                                                                                                   \
        NEXT();                                                                                                        \
    }

/* A rotation brings the bits that must be zero in an aligned address to the top, so that one comparison tells both
   whether the address is aligned and whether it is below `limit`. */
#define ALIGNED_BELOW(address, limit, type)                                                                            \
    (rotate_right(address, __builtin_ctz(sizeof(type))) < (limit) >> __builtin_ctz(sizeof(type)))

/* The loaded value is or-ed with `upper`. */
#define LOAD_BELOW(upper, name, type)                                                                                  \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t address = x[ip->rs1] + (uint32_t)ip->immediate, offset = address - MEM_LOCAL_BASE;                    \
        type value;                                                                                                    \
        ENTER(LW);                                                                                                     \
        ENTER_LOAD(offset);                                                                                            \
        LOAD_COUNTER(type, upper, address);                                                                            \
        if (LIKELY(ALIGNED_BELOW(address, l1_size, type))) {                                                           \
            memcpy(&value, bytes + address, sizeof value);                                                             \
        } else if (LIKELY(ALIGNED_BELOW(offset, ram_size, type))) {                                                    \
            memcpy(&value, ram + offset, sizeof value);                                                                \
        } else if (sizeof(type) == 4 && address % 4 == 0 && bus_word &&                                                \
                   (place = bus_word(rv32->bus.context, core->id, address, false))) {                                  \
            memcpy(&value, place, sizeof value);                                                                       \
        } else {                                                                                                       \
            uint32_t loaded, rd = ip->rd; /* the load may cause code to be rewritten, including this instruction */    \
            looked_at = NULL;                                                                                          \
            BEYOND_WORDS(address, offset);                                                                             \
            ACTED_AT(address);                                                                                         \
            ATTEND();                                                                                                  \
            if (sizeof(type) == 4) {                                                                                   \
                WAIT_BY_CLOCK(address);                                                                                \
            }                                                                                                          \
            TRY(rv32_load_elsewhere(rv32, address, sizeof value, &loaded));                                            \
            HOOK(access, false, address, sizeof value, loaded);                                                        \
            HOOK(effect, RV32_EFFECT_BUS_LOAD, address);                                                               \
            LOADED(rd, address, sizeof value);                                                                         \
            x[rd] = (uint32_t)(type)loaded | (upper);                                                                  \
            goto attended;                                                                                             \
        }                                                                                                              \
        HOOK(access, false, address, sizeof value, (uint32_t)value);                                                   \
        LOADED(ip->rd, address, sizeof value);                                                                         \
        x[ip->rd] = (uint32_t)value | (upper);                                                                         \
        NEXT();                                                                                                        \
    }

#define LOAD(name, type) LOAD_BELOW(0, name, type)

/* Copies a value into L1 or local RAM. */
#define PUT(place, value, address)                                                                                     \
    do {                                                                                                               \
        HOOK(access, true, address, sizeof(value), value);                                                             \
        if (HOOKED && memcmp(place, &(value), sizeof(value)) != 0) {                                                   \
            HOOK(effect, RV32_EFFECT_MEMORY, address);                                                                 \
        }                                                                                                              \
        memcpy(place, &(value), sizeof(value));                                                                        \
    } while (0)

/* Forgets predecoded code at a stored address. An aligned access touches one block of code only. */
#define FORGET_CODE(address, size)                                                                                     \
    do {                                                                                                               \
        if (UNLIKELY(code_blocks[(address) / L1_CODE_BLOCK])) {                                                        \
            l1_forget_code(rv32->l1, address, size);                                                                   \
        }                                                                                                              \
    } while (0)

#define STORE(name, type)                                                                                              \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t address = x[ip->rs1] + (uint32_t)ip->immediate, offset = address - MEM_LOCAL_BASE;                    \
        type value = (type)x[ip->rs2], replaced;                                                                       \
        ENTER(SW);                                                                                                     \
        STORE_COMMAND(type, address);                                                                                  \
        BEYOND_RAM(address, offset);                                                                                   \
        if (LIKELY(ALIGNED_BELOW(address, l1_size, type))) {                                                           \
            KEEP_REPLACED(replaced, bytes + address);                                                                  \
            PUT(bytes + address, value, address);                                                                      \
            FORGET_CODE(address, sizeof value);                                                                        \
        } else if (LIKELY(ALIGNED_BELOW(offset, ram_size, type))) {                                                    \
            PUT(ram + offset, value, address);                                                                         \
        } else if (sizeof value == 4 && address == INSTRN_BUF_BASE && PUSHES(value)) {                                 \
            HOOK(access, true, address, sizeof value, value);                                                          \
            HOOK(effect, RV32_EFFECT_BUS_STORE, address);                                                              \
        } else if (sizeof(type) == 4 && address % 4 == 0 && bus_word &&                                                \
                   (place = bus_word(rv32->bus.context, core->id, address, true))) {                                   \
            memcpy(place, &value, sizeof value);                                                                       \
        } else {                                                                                                       \
            ATTEND();                                                                                                  \
            TRY(rv32_store_elsewhere(rv32, address, sizeof value, value));                                             \
            HOOK(access, true, address, sizeof value, value);                                                          \
            HOOK(effect, RV32_EFFECT_BUS_STORE, address);                                                              \
            STORED(address, sizeof value, NULL);                                                                       \
            goto attended;                                                                                             \
        }                                                                                                              \
        STORED(address, sizeof value, address < l1_size ? &replaced : NULL);                                           \
        NEXT();                                                                                                        \
    }

/* An atomic operation: `a` is the value in memory, `b` is rs2. */
#define ATOMIC(name)                                                                                                   \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t address = x[ip->rs1], a, b = x[ip->rs2], value, rd = ip->rd;                                          \
        ENTER(name);                                                                                                   \
        BEYOND();                                                                                                      \
        if (UNLIKELY(!ALIGNED_BELOW(address, l1_size, uint32_t))) {                                                    \
            ATTEND();                                                                                                  \
            TRY(rv32_amo_elsewhere(rv32, address));                                                                    \
            EXCHANGED(rd, address);                                                                                    \
            goto attended;                                                                                             \
        }                                                                                                              \
        memcpy(&a, bytes + address, sizeof a);                                                                         \
        HOOK(access, false, address, sizeof a, a);                                                                     \
        value = rv32_atomic(RV32_OP_##name, a, b);                                                                     \
        PUT(bytes + address, value, address);                                                                          \
        FORGET_CODE(address, sizeof value); /* this instruction too, perhaps */                                        \
        EXCHANGED(rd, address);                                                                                        \
        x[rd] = a;                                                                                                     \
        NEXT();                                                                                                        \
    }

/* Arithmetic of F: cases that are not simple are left to rv32_float(). `a` and `b` are the operands. */
#define SINGLE(name, simple)                                                                                           \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t a = x[ip->rs1], b = x[ip->rs2], result;                                                               \
        (void)b;                                                                                                       \
        ENTER(name);                                                                                                   \
        if (HOOKED || UNLIKELY(!(simple))) {                                                                           \
            goto op_FLOAT;                                                                                             \
        }                                                                                                              \
        x[ip->rd] = result;                                                                                            \
        DONE(name);                                                                                                    \
        NEXT();                                                                                                        \
    }

/* Whether an inexact result needs no flag and no diagnostic: see float_single.h. */
#define INEXACT                                                                                                        \
    ((core->csr[RV32_CSR_fcsr] & FLOAT_INEXACT) &&                                                                     \
     ((ip->immediate & RV32_ROUNDING) == FLOAT_NEAREST_EVEN ||                                                         \
      ((ip->immediate & RV32_ROUNDING) == RV32_ROUNDING && !(core->csr[RV32_CSR_fcsr] >> 5 & RV32_ROUNDING))))

/* fs1 * fs2 + fs3 after their signs were inverted. */
#define SINGLE_MAD(name, product_sign, addend_sign)                                                                    \
    SINGLE(name, INEXACT &&                                                                                            \
                     (result = sfpu_mad(a ^ (product_sign), b, x[ip->immediate >> RV32_THIRD_SOURCE] ^ (addend_sign)), \
                      single_is_normal(result)))

/* Where neither operand is a NaN. */
#define SINGLE_NUMBERS(name, value) SINGLE(name, !single_is_nan(a) && !single_is_nan(b) && (result = (value), true))

#define SINGLE_ALWAYS(name, value) SINGLE(name, (result = (value), true))

/* `operand` is rs1 or the immediate. csrrw with rd = x0 does not read, csrrs and csrrc with rs1 = x0 do not write:
   reads can have side effects, and writes diagnostics. */
#define CSR(name, operand, reads, writes, result)                                                                      \
    op_##name:                                                                                                         \
    {                                                                                                                  \
        uint32_t a = 0, b = (operand), rd = ip->rd;                                                                    \
        enum rv32_csr csr = (enum rv32_csr)ip->immediate;                                                              \
        ENTER(name);                                                                                                   \
        BEYOND();                                                                                                      \
        ATTEND();                                                                                                      \
        if (reads) {                                                                                                   \
            TRY(rv32_csr_read(rv32, csr, &a));                                                                         \
        }                                                                                                              \
        if (writes) {                                                                                                  \
            TRY(rv32_csr_write(rv32, csr, (result)));                                                                  \
        }                                                                                                              \
        HOOK(effect, RV32_EFFECT_CSR, rv32_csrs[csr].number);                                                          \
        SYNCHRONIZED(rd);                                                                                              \
        x[rd] = a;                                                                                                     \
        goto attended;                                                                                                 \
    }

#endif
