/* Documents that gdb reads: what registers there are, which threads, which memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb/state.h"
#include "isa/rv32_isa.h"

static const char *const x_names[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const f_names[] = {"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
                                      "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
                                      "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

static void write_registers(FILE *out)
{
    fputs("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
          "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">",
          out);
    for (unsigned i = 0; i < 32; i++) {
        const char *type = i == 1 ? "code_ptr" : i == 2 || i == 3 || i == 4 || i == 8 ? "data_ptr" : "int";
        fprintf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"%s\" regnum=\"%u\"/>", x_names[i], type, GDB_X + i);
    }
    fprintf(out, "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"%d\"/></feature>", GDB_PC);
    fputs("<feature name=\"org.gnu.gdb.riscv.fpu\">", out);
    for (unsigned i = 0; i < 32; i++) {
        fprintf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"ieee_single\" regnum=\"%u\"/>", f_names[i], GDB_F + i);
    }
    fprintf(out,
            "<reg name=\"fflags\" bitsize=\"32\" type=\"int\" regnum=\"%d\"/><reg name=\"frm\" bitsize=\"32\" "
            "type=\"int\" regnum=\"%d\"/><reg name=\"fcsr\" bitsize=\"32\" type=\"int\" regnum=\"%d\"/></feature>",
            GDB_FFLAGS, GDB_FRM, GDB_FCSR);
    fputs("<feature name=\"org.gnu.gdb.riscv.vector\"><vector id=\"words\" type=\"uint32\" count=\"4\"/>"
          "<vector id=\"halves\" type=\"uint16\" count=\"8\"/><vector id=\"bytes\" type=\"uint8\" count=\"16\"/>"
          "<vector id=\"singles\" type=\"ieee_single\" count=\"4\"/><union id=\"v\"><field name=\"w\" type=\"words\"/>"
          "<field name=\"f\" type=\"singles\"/><field name=\"s\" type=\"halves\"/><field name=\"b\" type=\"bytes\"/>"
          "</union>",
          out);
    for (unsigned i = 0; i < 32; i++) {
        fprintf(out, "<reg name=\"v%u\" bitsize=\"128\" type=\"v\" regnum=\"%u\"/>", i, GDB_V + i);
    }
    fputs("</feature><feature name=\"org.gnu.gdb.riscv.csr\">", out);
    for (unsigned csr = 0; csr < RV32_CSRS; csr++) {
        if (csr != RV32_CSR_fcsr) { /* it is with the floating-point registers */
            fprintf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"int\" regnum=\"%u\"/>", rv32_csrs[csr].name,
                    GDB_CSR + csr);
        }
    }
    fputs("</feature></target>", out);
}

static const char *state_of(const struct gdb_thread *thread, const struct rv32_core *core)
{
    switch ((enum rv32_halt)core->halt) {
    case RV32_IN_RESET: return "in reset";
    case RV32_SELF_JUMP: return "at its end, a jump to itself";
    case RV32_PAUSED: return thread->paused ? "stopped" : "paused by the program";
    case RV32_LOST: return "lost";
    default: return core->waiting ? "waits" : "runs";
    }
}

static void write_threads(struct bh_gdb *gdb, FILE *out)
{
    fputs("<?xml version=\"1.0\"?><threads>", out);
    for (unsigned i = 1; i <= gdb->thread_count; i++) {
        const struct gdb_thread *thread = gdb_thread(gdb, i);
        fprintf(out, "<thread id=\"%x\" name=\"%s\">%s</thread>", i, thread->name,
                state_of(thread, gdb_core(gdb, thread)->core));
    }
    fputs("</threads>", out);
}

static void write_memory_map(FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\"?><!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
            "\"http://sourceware.org/gdb/gdb-memory-map.dtd\"><memory-map>"
            "<memory type=\"ram\" start=\"0\" length=\"0x%x\"/>"
            "<memory type=\"ram\" start=\"0x%x\" length=\"0x%x\"/></memory-map>",
            L1_SIZE, MEM_LOCAL_BASE, 0u - MEM_LOCAL_BASE);
}

static bool write_document(struct bh_gdb *gdb, const char **request, FILE *out)
{
    if (packet_take(request, "features:read:target.xml:")) {
        write_registers(out);
    } else if (packet_take(request, "threads:read::")) {
        write_threads(gdb, out);
    } else if (packet_take(request, "memory-map:read::")) {
        write_memory_map(out);
    } else {
        return false;
    }
    return true;
}

bool gdb_transfer(struct bh_gdb *gdb, const char *request)
{
    char *text = NULL;
    size_t length = 0;
    uint64_t offset, size;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        return false;
    }
    bool right = write_document(gdb, &request, out);
    right = fclose(out) == 0 && right && packet_number(&request, &offset) && packet_take(&request, ",") &&
            packet_number(&request, &size) && !*request;
    if (right) {
        offset = offset < length ? offset : length;
        uint64_t most = (PACKET_SIZE - 1) / 2; /* each byte may have to be escaped */
        size = size < most ? size : most;
        bool last = length - offset <= size;
        packet_text(&gdb->reply, last ? "l" : "m");
        packet_binary(&gdb->reply, text + offset, last ? length - offset : size);
    }
    free(text);
    return right;
}
