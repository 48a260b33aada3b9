/* The configuration, field by field, as tables/config.def names them. */
#include <stdlib.h>
#include <string.h>

#include "inspect/sections.h"
#include "isa/tensix_config_names.h"
#include "util/bits.h"

static uint32_t mask_of(const struct tensix_config_field *field)
{
    return (uint32_t)((UINT64_C(1) << field->width) - 1);
}

/* Whether the request names the field, by a part of its name. */
static bool is_named(const struct dump_request *request, const char *name)
{
    for (unsigned i = 0; i < request->field_count; i++) {
        if (strstr(name, request->fields[i])) {
            return true;
        }
    }
    return false;
}

/* The part of a request's words that a row of the table is about: without names, whatever is not zero. */
static bool is_wanted(const struct dump_request *request, const char *name, uint32_t values)
{
    return request && request->field_count ? is_named(request, name) : values != 0;
}

static void write_place(struct out *out, const char *name, unsigned word, unsigned shift, unsigned width)
{
    out_cell_text(out, name);
    out_cell_number(out, word);
    out_cell_number(out, shift);
    out_cell_number(out, width);
}

/* Bits without a name can be written, too. */
static void write_unnamed_bank_word(const struct inspection *inspection, struct out *out, unsigned word, uint32_t named)
{
    const struct config_unit *config = &inspection->tile->state->tensix.config;
    uint32_t values[CONFIG_BANKS] = {config->bank[0][word] & ~named, config->bank[1][word] & ~named};
    if (!inspection->request->field_count && (values[0] || values[1])) {
        write_place(out, NULL, word, 0, 32);
        out_cell_hex(out, values[0], 0);
        out_cell_hex(out, values[1], 0);
    }
}

static void write_banks(const struct inspection *inspection, struct out *out)
{
    static const char *const columns[] = {"name", "word", "shift", "width", "bank0", "bank1"};
    const struct config_unit *config = &inspection->tile->state->tensix.config;
    size_t count, i = 0;
    const struct tensix_config_field *fields = tensix_config_fields(false, &count);
    out_begin_table(out, "fields", columns, COUNT_OF(columns));
    for (unsigned word = 0; word < CONFIG_WORDS; word++) {
        uint32_t named = 0;
        for (; i < count && fields[i].address == word; i++) {
            const struct tensix_config_field *field = &fields[i];
            uint32_t mask = mask_of(field), values[CONFIG_BANKS];
            for (unsigned bank = 0; bank < CONFIG_BANKS; bank++) {
                values[bank] = config->bank[bank][word] >> field->shift & mask;
            }
            named |= mask << field->shift;
            if (is_wanted(inspection->request, field->name, values[0] | values[1])) {
                write_place(out, field->name, word, field->shift, field->width);
                out_cell_hex(out, values[0], 0);
                out_cell_hex(out, values[1], 0);
            }
        }
        write_unnamed_bank_word(inspection, out, word, named);
    }
    out_end_table(out);
}

static void write_thread_cells(const struct inspection *inspection, struct out *out, const uint32_t values[])
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (inspects_thread(inspection, thread)) {
            out_cell_hex(out, values[thread], 0);
        }
    }
}

/* The words' bits in `mask`, moved down by `shift`. Returns whether one of those that are wanted is not zero. */
static uint32_t thread_values(const struct inspection *inspection, unsigned word, unsigned shift, uint32_t mask,
                              uint32_t values[])
{
    uint32_t any = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        values[thread] = inspection->tile->state->tensix.config.thread[thread][word] >> shift & mask;
        any |= inspects_thread(inspection, thread) ? values[thread] : 0;
    }
    return any;
}

static void write_threads(const struct inspection *inspection, struct out *out)
{
    static const char *const all[] = {"name", "word", "shift", "width", "T0", "T1", "T2"};
    enum { PLACE = 4 };
    const char *columns[COUNT_OF(all)];
    unsigned column_count = 0;
    size_t count, i = 0;
    const struct tensix_config_field *fields = tensix_config_fields(true, &count);
    for (unsigned column = 0; column < COUNT_OF(all); column++) {
        if (column < PLACE || inspects_thread(inspection, column - PLACE)) {
            columns[column_count++] = all[column];
        }
    }
    if (column_count == PLACE) {
        return;
    }
    out_begin_table(out, "thread_fields", columns, column_count);
    for (unsigned word = 0; word < THD_STATE_SIZE; word++) {
        uint32_t named = 0, values[TENSIX_THREADS];
        for (; i < count && fields[i].address == word; i++) {
            const struct tensix_config_field *field = &fields[i];
            uint32_t any = thread_values(inspection, word, field->shift, mask_of(field), values);
            named |= mask_of(field) << field->shift;
            if (is_wanted(inspection->request, field->name, any)) {
                write_place(out, field->name, word, field->shift, field->width);
                write_thread_cells(inspection, out, values);
            }
        }
        if (!inspection->request->field_count && thread_values(inspection, word, 0, 0xffff & ~named, values)) {
            write_place(out, NULL, word, 0, 16);
            write_thread_cells(inspection, out, values);
        }
    }
    out_end_table(out);
}

/* Which bank each thread uses. */
static void write_state_ids(const struct inspection *inspection, struct out *out)
{
    const struct config_unit *config = &inspection->tile->state->tensix.config;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        char name[20];
        if (inspects_thread(inspection, thread)) {
            (void)snprintf(name, sizeof name, "bank_of_T%u", thread);
            out_number(out, name, CONFIG_GET(config->thread[thread], CFG_STATE_ID_StateID));
        }
    }
}

void inspect_config(const struct inspection *inspection, struct out *out)
{
    out_begin(out, "config", NULL);
    write_state_ids(inspection, out);
    write_banks(inspection, out);
    write_threads(inspection, out);
    out_end(out);
}
