/* The NIUs: their counters by name, and the requests in their initiators' registers. */
#include "inspect/sections.h"
#include "util/bits.h"

static const struct {
    const char *name;
    uint8_t count;
} counters[] = {
#define NOC_COUNTER(name, count) {#name, count},
#include "noc_counters.def"
#undef NOC_COUNTER
};

static void write_counters(const struct niu niu[NIUS], struct out *out)
{
    static const char *const columns[] = {"name", "id", "noc0", "noc1"};
    unsigned index = 0;
    out_begin_table(out, "counters", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < COUNT_OF(counters); i++) {
        for (unsigned id = 0; id < counters[i].count; id++, index++) {
            if (!out->as_json && !niu[0].counter[index] && !niu[1].counter[index]) {
                continue;
            }
            out_cell_text(out, counters[i].name);
            if (counters[i].count > 1) {
                out_cell_number(out, id);
            } else {
                out_cell_nothing(out);
            }
            out_cell_number(out, niu[0].counter[index]);
            out_cell_number(out, niu[1].counter[index]);
        }
    }
    out_end_table(out);
}

/* The registers' names are those of enum niu_initiator_register. */
#define COLUMNS(COLUMN)                                                                                                \
    COLUMN(NOC_TARG_ADDR_LO)                                                                                           \
    COLUMN(NOC_TARG_ADDR_MID)                                                                                          \
    COLUMN(NOC_TARG_ADDR_HI)                                                                                           \
    COLUMN(NOC_RET_ADDR_LO)                                                                                            \
    COLUMN(NOC_RET_ADDR_MID)                                                                                           \
    COLUMN(NOC_RET_ADDR_HI)                                                                                            \
    COLUMN(NOC_PACKET_TAG)                                                                                             \
    COLUMN(NOC_CTRL)                                                                                                   \
    COLUMN(NOC_AT_LEN_BE)                                                                                              \
    COLUMN(NOC_AT_LEN_BE_1)                                                                                            \
    COLUMN(NOC_AT_DATA)                                                                                                \
    COLUMN(NOC_BRCST_EXCLUDE)                                                                                          \
    COLUMN(NOC_L1_ACC_AT_INSTRN)

static void write_initiators(const struct niu niu[NIUS], struct out *out)
{
#define NAME(name) #name,
#define INDEX(name) name,
    static const char *const columns[] = {"noc", "initiator", COLUMNS(NAME)};
    static const uint8_t indices[] = {COLUMNS(INDEX)};
    out_begin_table(out, "initiators", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < NIUS * NIU_INITIATORS; i++) {
        const uint32_t *registers = niu[i / NIU_INITIATORS].initiator[i % NIU_INITIATORS];
        uint32_t any = 0;
        for (unsigned j = 0; j < COUNT_OF(indices); j++) {
            any |= registers[indices[j]];
        }
        if (!any) {
            continue;
        }
        out_cell_number(out, i / NIU_INITIATORS);
        out_cell_number(out, i % NIU_INITIATORS);
        for (unsigned j = 0; j < COUNT_OF(indices); j++) {
            out_cell_hex(out, registers[indices[j]], 0);
        }
    }
    out_end_table(out);
}

void inspect_niu(const struct inspection *inspection, struct out *out)
{
    const struct tile_registers *registers = &inspection->tile->state->registers;
    out_begin(out, "niu", "NIUs");
    write_counters(registers->niu, out);
    write_initiators(registers->niu, out);
    out_number(out, "requests_not_yet_sent", registers->outbox.count);
    out_end(out);
}
