/* Callbacks of the chips: diagnostics wait until no chip runs, so that their order does not depend on threads. */
#include <stdlib.h>

#include "system/alike.h"
#include "system/state.h"

static bool has_room(struct told *told)
{
    if (told->count == told->room) {
        unsigned room = told->room ? told->room * 2 : 4;
        struct bh_diagnostic *entries = realloc(told->entries, room * sizeof *entries);
        if (!entries) {
            told->lost = true;
            return false;
        }
        told->entries = entries;
        told->room = room;
    }
    return true;
}

void system_hand_on(struct bh_system *system, const struct bh_diagnostic *diagnostic)
{
    if (system->gathered) {
        alike_add(system->gathered, diagnostic);
    } else if (system->config.device.on_diagnostic) {
        system->config.device.on_diagnostic(system->config.device.context, diagnostic);
    }
}

void system_gather(struct bh_system *system)
{
    system->gathered = system->config.device.on_diagnostic && !system->served ? alike_begin() : NULL;
}

void system_tell_gathered(struct bh_system *system)
{
    struct alike_reports *reports = system->gathered;
    system->gathered = NULL;
    alike_end(reports, system->config.device.on_diagnostic, system->config.device.context);
}

void system_chip_tells(void *context, const struct bh_diagnostic *diagnostic)
{
    struct system_chip *chip = context;
    struct bh_diagnostic mine = *diagnostic;
    mine.chip = (uint16_t)chip->place->chip;
    mine.chips = (uint16_t)chip->place->chips;
    if (!chip->system->running) {
        system_hand_on(chip->system, &mine);
    } else if (has_room(&chip->told)) {
        chip->told.entries[chip->told.count++] = mine;
    }
}

void system_tell(struct bh_system *system)
{
    for (unsigned i = 0; i < system->own; i++) {
        struct told *told = &system->chip[i].told;
        unsigned count = told->count;
        told->count = 0;
        for (unsigned entry = 0; entry < count; entry++) {
            system_hand_on(system, &told->entries[entry]);
        }
    }
}

void system_chip_reads(void *context, uint64_t address, void *data, uint32_t size)
{
    struct bh_system *system = ((struct system_chip *)context)->system;
    pthread_mutex_lock(&system->host);
    system->config.device.host_read(system->config.device.context, address, data, size);
    pthread_mutex_unlock(&system->host);
}

void system_chip_writes(void *context, uint64_t address, const void *data, uint32_t size)
{
    struct bh_system *system = ((struct system_chip *)context)->system;
    pthread_mutex_lock(&system->host);
    system->config.device.host_write(system->config.device.context, address, data, size);
    pthread_mutex_unlock(&system->host);
}
