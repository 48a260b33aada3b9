/* GPRs, address counters, semaphores and mutexes. */
#include "inspect/sections.h"
#include "util/bits.h"

static void thread_name(unsigned thread, char name[4])
{
    (void)snprintf(name, 4, "T%u", thread % 3);
}

void inspect_gprs(const struct inspection *inspection, struct out *out)
{
    const struct scalar_unit *scalar = &inspection->tile->state->tensix.scalar;
    out_begin(out, "gprs", "GPRs");
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        char name[16];
        if (!inspects_thread(inspection, thread)) {
            continue;
        }
        thread_name(thread, name);
        out_begin_words(out, name);
        for (unsigned i = 0; i < GPRS; i++) {
            (void)snprintf(name, sizeof name, "gpr%u", i);
            out_word(out, name, scalar->gpr[thread][i], 8);
        }
        out_end_words(out);
    }
    out_end(out);
}

void inspect_adcs(const struct inspection *inspection, struct out *out)
{
    static const char *const columns[] = {"thread", "unit", "channel", "x",    "y",   "z",
                                          "w",      "x_cr", "y_cr",    "z_cr", "w_cr"};
    static const char *const units[ADC_UNITS] = {
        [ADC_UNPACKER0] = "unpacker0", [ADC_UNPACKER1] = "unpacker1", [ADC_PACKER] = "packer"};
    const struct addr_unit *addr = &inspection->tile->state->tensix.addr;
    out_begin_table(out, "adcs", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < TENSIX_THREADS * ADC_UNITS * 2; i++) {
        unsigned thread = i / (ADC_UNITS * 2), unit = i / 2 % ADC_UNITS;
        const struct adc_channel *adc = &addr->adc[thread][unit].channel[i % 2];
        char name[4];
        if (!inspects_thread(inspection, thread)) {
            continue;
        }
        thread_name(thread, name);
        out_cell_text(out, name);
        out_cell_text(out, units[unit]);
        out_cell_number(out, i % 2);
        const uint32_t counters[] = {adc->x, adc->y, adc->z, adc->w, adc->x_cr, adc->y_cr, adc->z_cr, adc->w_cr};
        for (unsigned j = 0; j < COUNT_OF(counters); j++) {
            out_cell_number(out, counters[j]);
        }
    }
    out_end_table(out);
}

void inspect_rwcs(const struct inspection *inspection, struct out *out)
{
    static const char *const columns[] = {"thread",  "srca",    "srcb",   "dst",   "fidelity",
                                          "srca_cr", "srcb_cr", "dst_cr", "extra", "sp"};
    const struct tensix_state *tensix = &inspection->tile->state->tensix;
    out_begin_table(out, "rwcs", columns, COUNT_OF(columns));
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct rwc *rwc = &tensix->addr.rwc[thread];
        char name[4];
        if (!inspects_thread(inspection, thread)) {
            continue;
        }
        thread_name(thread, name);
        out_cell_text(out, name);
        const uint32_t counters[] = {rwc->srca,
                                     rwc->srcb,
                                     rwc->dst,
                                     rwc->fidelity_phase,
                                     rwc->srca_cr,
                                     rwc->srcb_cr,
                                     rwc->dst_cr,
                                     rwc->extra_addr_mod_bit,
                                     tensix->vector.dst_stack_pointer[thread]};
        for (unsigned j = 0; j < COUNT_OF(counters); j++) {
            out_cell_number(out, counters[j]);
        }
    }
    out_end_table(out);
}

void inspect_semaphores(const struct inspection *inspection, struct out *out)
{
    static const char *const columns[] = {"number", "value", "max"};
    const struct sync_unit *sync = &inspection->tile->state->tensix.sync;
    out_begin_table(out, "semaphores", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        out_cell_number(out, i);
        out_cell_number(out, sync->semaphore[i].value);
        out_cell_number(out, sync->semaphore[i].max);
    }
    out_end_table(out);
}

/* "T0 T2"; null: nobody. */
static const char *waiters(uint8_t mask, char names[16])
{
    unsigned length = 0;
    names[0] = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (mask >> thread & 1) {
            length += (unsigned)snprintf(names + length, 16 - length, "%sT%u", length ? " " : "", thread);
        }
    }
    return length ? names : NULL;
}

void inspect_mutexes(const struct inspection *inspection, struct out *out)
{
    static const char *const columns[] = {"number", "owner", "waiting"};
    const struct sync_unit *sync = &inspection->tile->state->tensix.sync;
    out_begin_table(out, "mutexes", columns, COUNT_OF(columns));
    for (unsigned i = 0; i < MUTEXES; i++) {
        char owner[4], names[16];
        if (!sync_mutex_exists(i)) {
            continue;
        }
        thread_name(sync->mutex_owner[i], owner);
        out_cell_number(out, i);
        out_cell_text(out, sync->mutex_owner[i] == MUTEX_FREE ? NULL : owner);
        out_cell_text(out, waiters(sync->mutex_waiters[i], names));
    }
    out_end_table(out);
}
