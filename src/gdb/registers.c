/* The registers of a core, in the order of the target description (transfer.c). */
#include <string.h>

#include "gdb/state.h"
#include "isa/rv32_isa.h"

unsigned gdb_register_count(void)
{
    return GDB_CSR + RV32_CSRS;
}

/* fcsr is with the floating-point registers. */
static bool is_left_out(unsigned number)
{
    return number == GDB_CSR + RV32_CSR_fcsr;
}

unsigned gdb_register_size(unsigned number)
{
    if (is_left_out(number)) {
        return 0;
    }
    return number >= GDB_V && number < GDB_CSR ? RV32_VECTOR_BYTES : 4;
}

static bool read_csr(struct bh_gdb *gdb, const struct gdb_thread *thread, enum rv32_csr csr, uint32_t *value)
{
    struct rv32 rv32 = *gdb_core(gdb, thread); /* a look: rv32_csr_show() may use what accesses use */
    return rv32_csr_show(&rv32, csr, value);
}

static void unknown(struct bh_gdb *gdb, unsigned size)
{
    while (size--) {
        packet_text(&gdb->reply, "xx");
    }
}

bool gdb_read_register(struct bh_gdb *gdb, const struct gdb_thread *thread, unsigned number)
{
    const struct rv32_core *core = gdb_core(gdb, thread)->core;
    uint32_t value;
    if (number >= gdb_register_count() || is_left_out(number)) {
        return false;
    }
    if (number >= GDB_V && number < GDB_CSR) {
        if (thread->core == BH_CORE_T2) {
            packet_hex(&gdb->reply, core->v + (size_t)(number - GDB_V) * RV32_VECTOR_BYTES, RV32_VECTOR_BYTES);
        } else {
            unknown(gdb, RV32_VECTOR_BYTES);
        }
        return true;
    }
    if (number < GDB_PC) {
        value = core->x[number];
    } else if (number == GDB_PC) {
        value = gdb_pc(gdb, thread);
    } else if (number < GDB_FFLAGS) {
        value = core->x[RV32_F0 + number - GDB_F];
    } else if (number < GDB_V) {
        uint32_t fcsr = core->csr[RV32_CSR_fcsr];
        value = number == GDB_FFLAGS ? fcsr & 0x1f : number == GDB_FRM ? fcsr >> 5 & 7 : fcsr;
    } else if (!read_csr(gdb, thread, (enum rv32_csr)(number - GDB_CSR), &value)) {
        unknown(gdb, sizeof value);
        return true;
    }
    packet_hex(&gdb->reply, &value, sizeof value);
    return true;
}

static bool write_word(struct bh_gdb *gdb, struct gdb_thread *thread, unsigned number, uint32_t value)
{
    struct rv32_core *core = gdb_core(gdb, thread)->core;
    if (number == GDB_X) {
        return value == 0;
    }
    if (number < GDB_PC) {
        core->x[number] = value;
    } else if (number < GDB_FFLAGS && number != GDB_PC) {
        core->x[RV32_F0 + number - GDB_F] = value;
    } else if (number == GDB_PC && value % 4 == 0 && l1_contains(value, 4) && core->halt != RV32_IN_RESET &&
               core->halt != RV32_LOST) {
        if (value != gdb_pc(gdb, thread)) {
            gdb_set_pc(gdb, thread, value);
        }
    } else {
        return false;
    }
    return true;
}

bool gdb_write_register(struct bh_gdb *gdb, struct gdb_thread *thread, unsigned number, const char *text)
{
    uint8_t bytes[RV32_VECTOR_BYTES];
    uint32_t value;
    if (is_left_out(number) || !packet_bytes(&text, bytes, gdb_register_size(number))) {
        return false;
    }
    memcpy(&value, bytes, sizeof value);
    if (number >= GDB_V && number < GDB_CSR) {
        if (thread->core != BH_CORE_T2) {
            return false;
        }
        memcpy(gdb_core(gdb, thread)->core->v + (size_t)(number - GDB_V) * RV32_VECTOR_BYTES, bytes, sizeof bytes);
        return true;
    }
    return write_word(gdb, thread, number, value);
}
